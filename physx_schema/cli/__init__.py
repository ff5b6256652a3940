"""The command line program ``physx-schema``."""

from physx_schema.cli.program import main

__all__ = ["main"]
