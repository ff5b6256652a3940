"""The commands this package adds to the program `physx-schema`."""

from __future__ import annotations

import click

from physx_runtime.commands import simulate_command, verify_command
from physx_runtime.demonstration.command import demo

commands: list[click.Command] = [demo, simulate_command, verify_command]
