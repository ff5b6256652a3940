"""The command `explain`."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

import click

from physx_schema.checking.catalogue import RULES, explain_lines, pages, rule_of
from physx_schema.checking.engine.published import FEATURES, PUBLISHED_RULES, bare
from physx_schema.command_line.options import force_option
from physx_schema.command_line.usage import Failure
from physx_schema.errors import printable
from physx_schema.files import write_files, writer
from physx_schema.outputs import require_output
from physx_schema.terminal import print_line
from physx_schema.text import plural


@click.command("explain")
@click.argument("code", required=False)
@click.option("--pages", "folder", type=click.Path(path_type=Path, file_okay=False),
              help="Write a Markdown page for each family of codes to this folder.")
@force_option
def explain_command(code: str | None, folder: Path | None, force: bool) -> None:
    """Explain the code of a finding.

    CODE is the code of a rule, a family of rules such as DJ.007, or a code or feature of SimReady such as RB.010.
    Without CODE, list all codes.
    """
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
        close = get_close_matches(bare(code), (*RULES, *PUBLISHED_RULES, *FEATURES), 1)
        hint = f"; did you mean {close[0]}?" if close else "; run explain without a code to list all codes"
        raise Failure(f"there is no code {printable(code)}{hint}")
    for line in lines:
        print_line(line)
