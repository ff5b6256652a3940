"""Usage errors in one line: the command, what is wrong, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

import click

from physx_schema.errors import printable


class Failure(click.ClickException):
    """Bad input, shown as its message alone."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Print every line of the message to stderr."""
        for line in self.message.splitlines() or [""]:
            click.echo(printable(line), err=True)


# How click's own messages begin, in capitals that ours do not have.
_PARSER_WORDS = ("No such ", "Got unexpected ", "Option ")


@contextmanager
def usage_errors_in_a_line(context: click.Context) -> Iterator[None]:
    """Raise the usage errors of a block as a `Failure` of one line. context: the program's."""
    try:
        yield
    except click.UsageError as error:
        names = (context.command_path, context.invoked_subcommand)
        raise Failure(usage_line(error, " ".join(filter(None, names)))) from None


def usage_line(error: click.UsageError, command: str) -> str:
    """What is wrong with the arguments of a command, and what to do."""
    text = " ".join(_text(error).split())
    has_advice = "; " in text or "did you mean" in text
    return f"{command}: {text}" + ("" if has_advice else f"; run {command} --help")


def _text(error: click.UsageError) -> str:
    if isinstance(error, click.NoSuchOption):
        close = get_close_matches(error.option_name, error.possibilities or (), 1)
        return f"no option {error.option_name}" + (f"; did you mean {close[0]}?" if close else "")
    if isinstance(error, click.MissingParameter):
        return f"{_names(error)} is missing"
    if isinstance(error, click.BadParameter):
        return f"{_names(error)}: {error.message.rstrip('.')}"
    text = error.message.rstrip(".")
    return text[0].lower() + text[1:] if text.startswith(_PARSER_WORDS) else text


def _names(error: click.BadParameter) -> str:
    """The option or argument that is wrong."""
    hint = error.param_hint or (error.param.get_error_hint(error.ctx) if error.param and error.ctx else None) or ""
    return hint.replace("'", "") if isinstance(hint, str) else " or ".join(hint)
