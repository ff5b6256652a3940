"""The errors users meet: one line that names the file or prim, what was found, what is allowed and the next step."""

from __future__ import annotations

import unicodedata

from physx_generated import AuthoringError, PhysxSchemaError, RegistrationError

__all__ = [
    "AuthoringError", "PhysxSchemaError", "RegistrationError", "UnreadableError", "UnsupportedError", "printable",
]

_ESCAPED = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})     # control, format and bidi characters, line separators


class UnreadableError(PhysxSchemaError):
    """A file that cannot be opened as a USD stage (command line exit code 3)."""


class UnsupportedError(PhysxSchemaError, NotImplementedError):
    """Physics on the stage that the requested operation does not handle."""


def printable(text: str) -> str:
    """The text with every control and direction character as an escape."""
    return "".join(map(_escape, text))


def _escape(character: str) -> str:
    if unicodedata.category(character) not in _ESCAPED:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
