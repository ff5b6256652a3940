"""The command line program ``physx-schema``."""

from physx_schema.command_line.program import main

__all__ = ["main"]
