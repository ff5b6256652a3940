"""Public names of the release before, which warn and do what the present names do until the next release."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
# In the metadata of a field of a dataclass: its name in JSON and in files, which stays as it was.
JSON_KEY = "json"


def former_method(former: str, present: Callable[P, R]) -> Callable[P, R]:
    """A method under its former name."""
    @functools.wraps(present)
    def call(*args: P.args, **keywords: P.kwargs) -> R:
        warn_renamed(former, present.__name__)
        return present(*args, **keywords)
    return call


def former_attribute(former: str, present: str) -> property:
    """An attribute of an object under its former name, to be read."""
    def get(self: Any) -> Any:
        warn_renamed(former, present)
        return getattr(self, present)
    return property(get)


def former_keyword(former: str, present: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator for a function that still takes a parameter under its former name.

    The function raises TypeError where both names are given.
    """
    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*args: P.args, **keywords: P.kwargs) -> R:
            if former in keywords:
                if present in keywords:
                    raise TypeError(f"{function.__name__}: {former} is the former name of {present}; give only "
                                    f"{present}")
                warn_renamed(former, present)
                keywords[present] = keywords.pop(former)
            return function(*args, **keywords)
        return call
    return decorate


def warn_renamed(former: str, present: str) -> None:
    """Tell the caller of a former name the present one."""
    warnings.warn(f"{former} is renamed to {present}; use the new name", DeprecationWarning, stacklevel=3)
