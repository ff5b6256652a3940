"""Options that commands share."""

from __future__ import annotations

import click
import pytest

from physx_schema.command_line.options import is_quiet, silenced


def test_nothing_is_quiet_outside_a_command() -> None:
    assert not is_quiet()


@pytest.mark.parametrize("quiet", (True, False))
def test_a_command_is_as_quiet_as_it_was_told(quiet: bool) -> None:
    with click.Context(click.Command("check")) as context:
        silenced(context, quiet)
        assert is_quiet() == quiet
