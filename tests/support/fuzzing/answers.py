"""What a user may be told: lines of this project's own errors, each one line that can be shown."""

from __future__ import annotations

from physx_schema.errors import PhysxSchemaError

LONGEST = 2000      # characters: a line that is longer quotes what it should not


def require_line(error: Exception) -> None:
    """Fail unless an error says what is wrong in one line."""
    line = str(error)
    assert line.strip(), f"{type(error).__name__} says nothing"
    assert len(line.splitlines()) == 1 and line.isprintable(), f"not one line that can be shown: {line!r}"
    assert len(line) <= LONGEST, f"{len(line)} characters: {line[:LONGEST]}"


def require_ours(error: Exception) -> None:
    """Fail unless an error is this project's own, with a line."""
    if not isinstance(error, PhysxSchemaError):
        raise error
    require_line(error)
