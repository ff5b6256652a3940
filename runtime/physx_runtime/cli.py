"""The commands this package adds to the program `physx-schema`."""

from __future__ import annotations

import click

from physx_runtime.commands import simulate_command, verify_command

commands: list[click.Command] = [simulate_command, verify_command]
