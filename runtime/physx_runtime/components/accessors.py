"""Every property also as SAPIEN's get_ and set_ methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Accessors:
    """Gives each property of a class its methods `get_NAME` and, where it can be set, `set_NAME`."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, member in list(vars(cls).items()):
            if isinstance(member, property) and not name.startswith("_"):
                _add(cls, f"get_{name}", _getter(name))
                if member.fset is not None:
                    _add(cls, f"set_{name}", _setter(name))


def _add(cls: type, name: str, method: Callable[..., Any]) -> None:
    if name not in vars(cls):
        method.__name__, method.__qualname__ = name, f"{cls.__name__}.{name}"
        setattr(cls, name, method)


def _getter(name: str) -> Callable[[Any], Any]:
    def get(self: Any) -> Any:
        return getattr(self, name)
    get.__doc__ = f"Return the property `{name}`."
    return get


def _setter(name: str) -> Callable[[Any, Any], None]:
    def set_value(self: Any, value: Any) -> None:
        setattr(self, name, value)
    set_value.__doc__ = f"Set the property `{name}`."
    return set_value


class Named(Accessors):
    """What has a name."""

    _name = ""

    @property
    def name(self) -> str:
        """What it is called; of an entity its prim too, as far as USD allows."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"name is {name!r}; give a string")
        self._name = name
