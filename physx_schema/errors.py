"""Errors for users, as one line with the file or prim, what is wrong, what is allowed and what to do."""

from __future__ import annotations

import re
import unicodedata

from physx_generated import AuthoringError, PhysxSchemaError, RegistrationError

__all__ = [
    "AuthoringError", "PhysxSchemaError", "RegistrationError", "UnreadableError", "UnsupportedError", "printable",
    "without_addresses",
]

_ESCAPED = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})     # control, format and bidi characters, line separators
_ADDRESS = re.compile(r"(?<=@anon:)0x[0-9a-f]+:| <0x[0-9a-f]+>")


class UnreadableError(PhysxSchemaError):
    """A file that USD cannot open as a stage. The command line exits with code 3."""


class UnsupportedError(PhysxSchemaError, NotImplementedError):
    """Physics on the stage that the requested operation does not support."""


def without_addresses(text: str) -> str:
    """USD's words without the places in memory of stages and of layers that are not in files, another in each run."""
    return _ADDRESS.sub("", text)


def printable(text: str) -> str:
    """The text with every control and direction character as an escape."""
    return text if text.isprintable() else "".join(map(_escape, text))


def _escape(character: str) -> str:
    if unicodedata.category(character) not in _ESCAPED:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
