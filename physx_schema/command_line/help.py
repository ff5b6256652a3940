"""Help of the program and of its commands: in groups by purpose, at the terminal's width, and never cut."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence

import click

from physx_schema.text import has_colours

MAX_WIDTH = 120         # columns; longer lines are hard to read
# Commands by what one does with them; others are in the last group.
COMMAND_GROUPS: Mapping[str, Sequence[str]] = {
    "Start": ("demo", "doctor", "warm"),
    "Author and convert": ("convert", "migrate", "tune", "identify"),
    "Check and verify": ("check", "explain", "describe", "verify"),
    "Simulate and look": ("simulate", "report", "view"),
    "Schemas": ("generate", "diff", "plugin-path"),
    "Tools": ("mcp",),
}
# Options of all commands; others are in the last group.
OPTION_GROUPS: Mapping[str, Sequence[str]] = {
    "Input": ("--from", "--to", "--package", "--changes", "--start", "--worlds", "--compare", "--isaac-lab", "--config",
              "--degrees", "--isolate"),
    "Rules": ("--profile", "--select", "--ignore", "--baseline", "--engine-release", "--list-rules"),
    "Robot": ("--base", "--drives", "--bandwidth", "--damping-ratio", "--ground"),
    "Physics": ("--target", "--steps", "--dt", "--articulation", "--joint-position", "--joint-velocity",
                "--joint-target", "--joint-effort", "--engine", "--unknowns", "--until"),
    "Repairs": ("--fix", "--unsafe-fixes", "--in-place", "--override", "--write"),
    "Output": ("--out", "--force", "--format", "--json", "--pages", "--write-baseline", "--every", "--joint-forces",
               "--all", "--quiet", "--open", "--port", "--pack"),
    "Limits": ("--max-findings", "--level", "--fail-on", "--strict", "--check"),
    "Many files": ("--jobs", "--shard", "--time-limit", "--memory-limit", "--results", "--summary", "--ray"),
    "Other": ("--version", "--help"),
}


class HelpFormatter(click.HelpFormatter):
    """Help with bold headings on a terminal."""

    def __init__(self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None) -> None:
        super().__init__(indent_increment, width, max_width or MAX_WIDTH)

    def write_heading(self, heading: str) -> None:
        """Write the heading of a group."""
        self.write(f"{click.style(f'{heading}:', bold=True) if has_colours() else f'{heading}:'}\n")


class HelpContext(click.Context):
    """The context of the program."""

    formatter_class = HelpFormatter


class CommandContext(HelpContext):
    """The context of a command, whose options are in groups."""

    def get_help(self) -> str:
        """The help of the command."""
        formatter, command = self.make_formatter(), self.command
        command.format_usage(self, formatter)
        command.format_help_text(self, formatter)
        records = {max(option.opts, key=len): option.get_help_record(self) for option in command.get_params(self)
                   if isinstance(option, click.Option)}
        for heading, names in in_groups(records, OPTION_GROUPS).items():
            if rows := [row for row in map(records.get, names) if row is not None]:
                with formatter.section(heading):
                    formatter.write_dl(rows)
        command.format_epilog(self, formatter)
        return formatter.getvalue().rstrip("\n")


def in_groups(names: Iterable[str], groups: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Names by the heading of their group, in the order of the groups. Unknown names are in the last group."""
    present, known = list(names), {name for members in groups.values() for name in members}
    members_by_heading = {heading: [name for name in members if name in present] for heading, members in groups.items()}
    last = list(groups)[-1]
    members_by_heading[last] = [name for name in present if name not in known] + members_by_heading[last]
    return {heading: members for heading, members in members_by_heading.items() if members}


def first_sentence(command: click.Command) -> str:
    """What a command does, in the first sentence of its help."""
    paragraph = inspect.cleandoc(command.short_help or command.help or "").partition("\n\n")[0]
    sentence = " ".join(paragraph.split()).partition(". ")[0].rstrip(".")
    return f"{sentence}."
