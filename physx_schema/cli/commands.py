"""The commands of this package: describe, check, explain, doctor, plugin-path."""

from __future__ import annotations

import os
from difflib import get_close_matches

import click

from physx_schema.checking import DEFAULT_PROFILE, PROFILES, SEVERITIES, Report
from physx_schema.checking import check as run_checks
from physx_schema.checking.catalogue import CODES, explain
from physx_schema.cli.doctor import diagnose, plugin_folders
from physx_schema.cli.machine import description_json, report_json
from physx_schema.cli.outline import outline
from physx_schema.cli.text import printable, report_lines
from physx_schema.description import describe
from physx_schema.errors import UnreadableError

_UNREADABLE = 3


@click.command("describe")
@click.argument("path")
@click.option("--json", "as_json", is_flag=True, help="Write every fact as JSON.")
def describe_command(path: str, as_json: bool) -> None:
    """Show what PhysX makes of the physics on a stage."""
    description = describe(path)
    click.echo(description_json(description) if as_json else "\n".join(outline(path, description)))


@click.command("check")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--format", "style", type=click.Choice(("text", "json")), default="text", show_default=True)
@click.option("--profile", type=click.Choice((*PROFILES, DEFAULT_PROFILE)), default=DEFAULT_PROFILE, show_default=True,
              help="What the simulator does, the published rules, or both.")
@click.option("--strict", is_flag=True, help="Exit with 5 where something was not evaluated.")
@click.option("--fail-on", type=click.Choice(SEVERITIES), default="error", show_default=True,
              help="The least severity that makes the exit code 1.")
def check_command(paths: tuple[str, ...], style: str, profile: str, strict: bool, fail_on: str) -> None:
    """Check the physics of stages.

    Exit codes: 0 clean, 1 findings, 2 usage, 3 unreadable file, 4 internal error, 5 not evaluated (with --strict).
    """
    reports: dict[str, Report] = {}
    failures: dict[str, str] = {}
    for path in dict.fromkeys(paths):
        try:
            reports[path] = run_checks(path, profile)
        except UnreadableError as error:
            failures[path] = str(error)
            click.echo(printable(str(error)), err=True)
    if style == "json":
        click.echo(report_json(reports, failures))
    else:
        for path, report in reports.items():
            for line in report_lines(path, report):
                click.echo(line)
    codes = [_UNREADABLE] * bool(failures) + [report.exit_code(strict, fail_on) for report in reports.values()]
    raise click.exceptions.Exit(next((code for code in (_UNREADABLE, 1, 5) if code in codes), 0))


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
