"""The errors users meet: one line that names the file or prim, what was found, what is allowed and the next step."""

from __future__ import annotations

from physx_generated import AuthoringError, PhysxSchemaError, RegistrationError

__all__ = ["AuthoringError", "PhysxSchemaError", "RegistrationError", "UnreadableError", "UnsupportedError"]


class UnreadableError(PhysxSchemaError):
    """A file that cannot be opened as a USD stage (command line exit code 3)."""


class UnsupportedError(PhysxSchemaError, NotImplementedError):
    """Physics on the stage that the requested operation does not handle."""
