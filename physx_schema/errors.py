"""The errors users meet: one line that names the file or prim, what was found, what is allowed and the next step."""

from __future__ import annotations


class PhysxSchemaError(Exception):
    """Base of every error this project raises for user input."""


class AuthoringError(PhysxSchemaError, ValueError):
    """A value, name or target that PhysX would refuse or ignore; nothing was written."""


class UnreadableError(PhysxSchemaError):
    """A file that cannot be opened as a USD stage (command line exit code 3)."""


class UnsupportedError(PhysxSchemaError, NotImplementedError):
    """Physics on the stage that the requested operation does not handle."""
