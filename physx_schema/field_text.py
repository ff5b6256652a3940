"""What objects print: the fields of dataclasses that differ from their defaults, in one line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from typing import Any

MAX_NUMBERS = 4             # of an array that is printed whole: a vector or a rotation


def fields_repr(self: Any) -> str:
    """The `__repr__` of a dataclass: fields that differ from their defaults; of an array its type and shape."""
    return f"{type(self).__name__}({', '.join(_texts(self))})"


def _texts(value: Any) -> Iterator[str]:
    for field in fields(value):
        content = getattr(value, field.name)
        if field.repr and (_is_array(content) or content != _default(field)):
            yield f"{field.name}={_text(content)}"


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _text(content: Any) -> str:
    if _is_array(content):
        short = content.ndim == 1 and len(content) <= MAX_NUMBERS
        return f"[{', '.join(map(_text, content.tolist()))}]" if short else f"<{content.dtype} {content.shape}>"
    return f"{content:.6g}" if isinstance(content, float) else repr(content)


def _is_array(content: Any) -> bool:
    return hasattr(content, "dtype") and hasattr(content, "shape") and content.shape != ()
