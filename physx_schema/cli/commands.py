"""The commands of this package that have no file of their own: describe, explain, doctor, plugin-path."""

from __future__ import annotations

import json
import os
from difflib import get_close_matches
from pathlib import Path

import click

from physx_schema.checking.catalogue import RULES, explain_lines, pages, rule_of
from physx_schema.cli.doctor import diagnose, plugin_folders
from physx_schema.cli.force import force_option
from physx_schema.cli.isolation import isolation_option
from physx_schema.cli.json_output import JSON_VERSION, description_json, plain
from physx_schema.cli.outline import outline
from physx_schema.description import describe
from physx_schema.errors import printable
from physx_schema.files import write_files, writer
from physx_schema.outputs import require_output
from physx_schema.text import plural

__all__ = ["describe_command", "doctor_command", "explain_command", "plugin_path_command"]


@click.command("describe")
@click.argument("path")
@isolation_option
@click.option("--json", "as_json", is_flag=True, help="Write every fact as JSON.")
def describe_command(path: str, as_json: bool) -> None:
    """Show what PhysX makes of the physics on a stage."""
    description = describe(path)
    click.echo(description_json(description) if as_json else "\n".join(outline(path, description)))


@click.command("explain")
@click.argument("code", required=False)
@click.option("--pages", "folder", type=click.Path(path_type=Path, file_okay=False),
              help="Write a Markdown page for every family of codes to this folder.")
@force_option
def explain_command(code: str | None, folder: Path | None, force: bool) -> None:
    """Explain the code of a finding, or a family such as DJ.007; without one, list every code."""
    if folder is not None:
        files = {folder / name: writer(text) for name, text in pages().items()}
        for path in files:
            require_output(path, force=force)
        write_files(files)
        click.echo(f"wrote {plural(len(pages()), 'page')} to {printable(str(folder))}", err=True)
        return
    if code is None:
        for name in RULES:
            click.echo(name)
        return
    rule = rule_of(code)
    lines = list(explain_lines(rule.code if rule else code))
    if not lines:
        close = get_close_matches(code, RULES, 1)
        hint = f"; did you mean {close[0]}?" if close else "; run explain without a code for the list"
        raise click.UsageError(f"there is no code {printable(code)}{hint}")
    for line in lines:
        click.echo(line)


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Write the diagnosis as JSON.")
def doctor_command(as_json: bool) -> None:
    """Show versions and what stands in the way of USD, its schemas, CUDA and caches, with what to do about it."""
    diagnoses = list(diagnose())
    if as_json:
        click.echo(json.dumps({"version": JSON_VERSION, "diagnoses": plain(diagnoses)}, indent=2))
    width = max(len(item.what) for item in diagnoses)
    for item in diagnoses if not as_json else ():
        click.echo(printable(f"{item.what.ljust(width)}  {'' if item.ok else 'PROBLEM: '}{item.state}"))
        if item.remedy:
            click.echo(printable(f"{' ' * width}  do: {item.remedy}"))
    raise click.exceptions.Exit(0 if all(item.ok for item in diagnoses) else 1)


@click.command("plugin-path")
def plugin_path_command() -> None:
    """Print what to put into PXR_PLUGINPATH_NAME so that usdview, Houdini, Kit and others know the schemas."""
    click.echo(os.pathsep.join(map(str, plugin_folders())))
