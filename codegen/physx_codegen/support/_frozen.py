"""Collections of constants."""

from __future__ import annotations


class Frozen(type):
    """Metaclass of token collections: names cannot be rebound."""

    def __setattr__(cls, name: str, value: object) -> None:
        raise AttributeError(f"tokens are constants: cannot set {cls.__name__}.{name}")

    def __delattr__(cls, name: str) -> None:
        raise AttributeError(f"tokens are constants: cannot delete {cls.__name__}.{name}")
