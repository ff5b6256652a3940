"""The option by which commands replace files that this program did not write."""

from __future__ import annotations

import click

force_option = click.option(
    "--force", is_flag=True, help="Replace files that physx-schema did not write; never one of the stage itself.")
