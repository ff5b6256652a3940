"""The command `check`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from physx_schema.checking import DEFAULT_PROFILE, EXTRA_PROFILES, PROFILES, RULES, SEVERITIES, check
from physx_schema.checking.catalogue import selection_of
from physx_schema.checking.engine.baseline import Baseline
from physx_schema.checking.engine.baseline import write_baseline as write_known
from physx_schema.checking.engine.causes import grouped
from physx_schema.checking.engine.finding import Finding, parse_profile, rank
from physx_schema.checking.engine.layer_editor import Check
from physx_schema.checking.settings import Settings, find_settings, read_settings
from physx_schema.checking.stages import Run, check_all
from physx_schema.command_line.assets import AssetOptions, asset_options, gravest, listed, print_summary
from physx_schema.command_line.check_assets import check_assets
from physx_schema.command_line.options import (
    engine_release_option,
    force_option,
    is_quiet,
    isolation_option,
    quiet_option,
)
from physx_schema.command_line.progress import progress
from physx_schema.command_line.repairs import RepairOptions, fix_stages
from physx_schema.description.robot_sources import origins_of
from physx_schema.errors import printable
from physx_schema.files import STAGE_SUFFIXES, write_text
from physx_schema.outputs import require_report
from physx_schema.reports.findings import concise_lines, finding_lines, not_evaluated_lines, summary, total
from physx_schema.reports.github import workflow_commands
from physx_schema.reports.json_output import run_json
from physx_schema.reports.published import published_lines
from physx_schema.reports.source_names import in_source_names
from physx_schema.text import plural

FORMATS = ("text", "concise", "json", "sarif", "html", "github")
LinesOf = Callable[[str, Sequence[Finding], bool], Iterator[str]]
_COMPLETE = ("json", "sarif")       # for programs, which are told every finding


def _codes(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Codes given one by one or with commas between them."""
    return tuple(item.strip() for value in values for item in value.split(",") if item.strip())


def _profile(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    try:
        return value if value is None else "+".join(parse_profile(value))
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _list_rules(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if not value or context.resilient_parsing:
        return
    width = max(map(len, RULES))
    for rule in RULES.values():
        profiles = ",".join(rule.profiles).ljust(len(",".join(PROFILES)))
        click.echo(f"{rule.code.ljust(width)}  {rule.severity.ljust(7)}  {profiles}  {rule.title}")
    context.exit()


@click.command("check")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--format", "style", type=click.Choice(FORMATS), default="text", show_default=True,
              help="Format of the report; concise is text with one line for each finding.")
@click.option("-o", "--out", "output", type=click.Path(path_type=Path),
              help="Write the report to this file. With --fix, write a repaired copy of the stage's root layer.")
@click.option("--profile", callback=_profile, metavar="PROFILE",
              help=f"The profile of rules: {', '.join((*PROFILES, *EXTRA_PROFILES))}, or several joined with +.  "
                   f"[default: {DEFAULT_PROFILE}]")
@click.option("--select", multiple=True, callback=_codes, metavar="CODE",
              help="Check only these codes or families, or published codes and features.")
@click.option("--ignore", multiple=True, callback=_codes, metavar="CODE", help="Ignore these codes or families.")
@click.option("--strict", is_flag=True, default=None, help="Exit with 5 if something was not evaluated.")
@click.option("--fail-on", type=click.Choice(SEVERITIES),
              help="Exit with 1 for findings of this severity or higher.  [default: error]")
@engine_release_option
@click.option("--baseline", type=click.Path(path_type=Path), help="Ignore the known findings in this file.")
@click.option("--write-baseline", type=click.Path(path_type=Path), help="Write all findings to this file as known "
                                                                        "findings.")
@quiet_option
@click.option("--max-findings", type=click.IntRange(min=1),
              help="Limit the findings of each file to this number. Errors are always shown. Only for the formats "
                   "text, concise, html and github.")
@click.option("--config", type=click.Path(path_type=Path),
              help="Read settings and waivers from this pyproject.toml instead of the nearest one.")
@click.option("--fix", "fixing", is_flag=True, help="Apply safe repairs, and show the change as a diff.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix: also apply repairs that may not be what the author "
                                                   "intended.")
@click.option("--in-place", is_flag=True, help="With --fix: change the files in place.")
@click.option("--override", type=click.Path(path_type=Path),
              help="With --fix: write the repairs to a stronger layer that sublayers the stage, and leave the stage "
                   "unchanged.")
@isolation_option
@asset_options
@force_option
@click.option("--list-rules", is_flag=True, is_eager=True, expose_value=False, callback=_list_rules,
              help="List every code with its severity, profiles and title.")
def check_command(
    paths: tuple[str, ...], style: str, output: Path | None, baseline: Path | None, write_baseline: Path | None,
    max_findings: int | None, config: Path | None, fixing: bool, unsafe_fixes: bool, in_place: bool,
    override: Path | None, force: bool, assets: AssetOptions, **choices: Any,
) -> None:
    """Check the physics of stages.

    PATH is a file, a folder with stages, a pattern such as 'assets/**/*.usda', or - for a list on stdin.

    Exit codes: 0 clean, 1 findings, 2 usage, 3 unreadable file, 4 internal error, 5 not evaluated (with --strict).
    """
    settings = _settings(config, choices)
    if max_findings and (fixing or write_baseline or style in _COMPLETE):
        raise click.UsageError("--max-findings works only with --format text, concise, html or github, and not with "
                               "--fix or --write-baseline")
    if fixing:
        if style != "text" or baseline or write_baseline or assets.in_workers:
            raise click.UsageError("--fix works only with --format text, without a baseline, and without --jobs, "
                                   "--results, --ray and limits")

        options = RepairOptions(unsafe_fixes, in_place, output, override, force)
        code = fix_stages(listed(paths, assets), _check_of(settings), options, settings.strict, settings.fail_on)
        raise click.exceptions.Exit(code)
    if unsafe_fixes or in_place or override:
        raise click.UsageError("--unsafe-fixes, --in-place and --override work only with --fix")
    if write_baseline and output:
        raise click.UsageError("--write-baseline writes no report; remove -o")
    _require_no_stage(output, "-o")
    _require_no_stage(write_baseline, "--write-baseline")
    known = baseline or settings.baseline
    if assets.results and (known or write_baseline):
        raise click.UsageError("--results keeps all findings; remove --baseline and --write-baseline")
    files = listed(paths, assets)
    for target in filter(None, (output, write_baseline)):
        require_report(target, files, force)
    with progress("checking") as indicator:
        checks = check_assets(files, settings, assets, force, indicator)
        run = check_all(checks.paths, settings, Baseline(known) if known and not write_baseline else None, checks.check)
    for message in (*run.unreadable.values(), *run.broken.values()):
        click.echo(printable(message), err=True)
    if write_baseline:
        _write_baseline(write_baseline, run)
        raise click.exceptions.Exit(4 if run.broken else 3 if run.unreadable else 0)
    _write_report(_format_run(run, style, max_findings, settings), output)
    print_summary(assets)
    raise click.exceptions.Exit(gravest(run.exit_code(settings.strict, settings.fail_on), *checks.known))


def _check_of(settings: Settings) -> Callable[[str], Check]:
    """What checks the stage at a path."""
    def check_of(path: str) -> Check:
        return lambda stage: check(stage, settings.profile, settings.select, settings.ignore,
                                   settings.waivers_for(path), settings.engine_release)
    return check_of


def _settings(config: Path | None, choices: dict[str, Any]) -> Settings:
    """The settings file's, with what the command line says instead. Raises UsageError for an unknown code."""
    settings = read_settings(config) if config else find_settings(Path.cwd())
    settings = replace(settings, **{key: value for key, value in choices.items() if value})
    try:
        selection_of(settings.select, settings.ignore)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    return settings


def _require_no_stage(target: Path | None, option: str) -> None:
    """Refuse to write a report over a stage. Raises UsageError."""
    if target is not None and target.suffix in STAGE_SUFFIXES:
        remedy = "; add --fix to write a repaired copy" if option == "-o" else ""
        raise click.UsageError(f"{option} writes a report, but {printable(str(target))} has the suffix of a "
                               f"stage{remedy}")


def _write_baseline(path: Path, run: Run) -> None:
    count = write_known(path, run.reports)
    click.echo(f"{path}: {plural(count, 'known finding')} of {plural(len(run.reports), 'file')}", err=True)


def _format_run(run: Run, style: str, limit: int | None, settings: Settings) -> str:
    """The run in one of the formats, as it is written."""
    if style == "json":
        return run_json(run) + "\n"
    run = in_source_names(run)
    if style == "sarif":
        from physx_schema.reports.sarif import sarif

        return json.dumps(sarif(run), indent=2) + "\n"
    if style == "html":
        from physx_schema.reports.page import page  # with jinja2, which nothing else here needs

        return page(run, limit)
    lines: Iterable[str] = workflow_commands(run, limit) if style == "github" else _text(
        run, limit, settings, concise_lines if style == "concise" else finding_lines)
    return "".join(f"{line}\n" for line in lines)


def _text(run: Run, limit: int | None, settings: Settings, lines_of: LinesOf) -> Iterator[str]:
    """Lines for people; where only what is wrong is wanted, none of what leaves the exit code 0 as it is."""
    quiet = is_quiet()
    for path, report in run.reports.items():
        first, hidden = report.first(limit)
        min_rank = rank(min(settings.fail_on, "warning", key=rank)) if quiet else 0
        shown = [item for group in grouped(first) if rank(group.severity) >= min_rank for item in group.findings]
        yield from lines_of(path, shown, not settings.select)
        if hidden:
            yield printable(f"{path}: {plural(hidden, 'finding')} more, not shown")
        if settings.strict or not quiet:
            yield from not_evaluated_lines(path, report.not_evaluated)
        yield from published_lines(path, report, complete=settings.strict or not quiet)
        if not quiet:
            yield from _conversion_line(path)
            yield printable(f"{path}: {summary(report, marked=True)}")
    if not quiet and len(run.reports) > 1:
        yield total(run.reports.values())


def _conversion_line(path: str) -> Iterator[str]:
    """The command that makes a repaired stage of a robot in URDF or MJCF; nothing for a stage."""
    if origins_of(path) is not None:
        yield printable(f"{path}: physx-schema convert {path} -o {Path(path).stem}.usda writes a stage with a repaired "
                        "base, start and self-collision")


def _write_report(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(output, click.unstyle(text))
        if not is_quiet():
            click.echo(f"wrote {printable(str(output))}", err=True)
