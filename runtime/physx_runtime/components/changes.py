"""Who has to hear of a change of structure."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakMethod

Listener = Callable[[], None]


class Changes:
    """Tells those who listen that what they read before is no longer so."""

    def __init__(self) -> None:
        self._listeners: list[WeakMethod[Listener]] = []

    def listen(self, listener: Listener) -> None:
        """Have a method called at every change from now on, as long as its object lives."""
        if not any(reference() == listener for reference in self._listeners):
            self._listeners.append(WeakMethod(listener))

    def notify(self) -> None:
        """Say that something changed."""
        for reference in self._listeners:
            listener = reference()
            if listener is not None:
                listener()
