"""The commands of this package: check from a file of its own, describe, explain, doctor, plugin-path."""

from __future__ import annotations

import os
from difflib import get_close_matches

import click

from physx_schema.checking.catalogue import CODES, explain
from physx_schema.cli.checking import check_command
from physx_schema.cli.doctor import diagnose, plugin_folders
from physx_schema.cli.machine import description_json
from physx_schema.cli.outline import outline
from physx_schema.cli.text import printable
from physx_schema.description import describe

__all__ = ["check_command", "describe_command", "doctor_command", "explain_command", "plugin_path_command"]


@click.command("describe")
@click.argument("path")
@click.option("--json", "as_json", is_flag=True, help="Write every fact as JSON.")
def describe_command(path: str, as_json: bool) -> None:
    """Show what PhysX makes of the physics on a stage."""
    description = describe(path)
    click.echo(description_json(description) if as_json else "\n".join(outline(path, description)))


@click.command("explain")
@click.argument("code", required=False)
def explain_command(code: str | None) -> None:
    """Explain the code of a finding; without one, list every code."""
    if code is None:
        for name in CODES:
            click.echo(name)
        return
    text = explain(code)
    if text is None:
        close = get_close_matches(code, CODES, 1)
        hint = f"; did you mean {close[0]}?" if close else "; run explain without a code for the list"
        raise click.UsageError(f"there is no code {printable(code)}{hint}")
    click.echo(f"{code}: {text}")


@click.command("doctor")
def doctor_command() -> None:
    """Show versions and what stands in the way of USD, its schemas and CUDA."""
    found = list(diagnose())
    width = max(len(item.what) for item in found)
    for item in found:
        click.echo(printable(f"{item.what.ljust(width)}  {'' if item.ok else 'PROBLEM: '}{item.state}"))
    raise click.exceptions.Exit(0 if all(item.ok for item in found) else 1)


@click.command("plugin-path")
def plugin_path_command() -> None:
    """Print what to put into PXR_PLUGINPATH_NAME so that usdview, Houdini, Kit and others know the schemas."""
    click.echo(os.pathsep.join(map(str, plugin_folders())))
