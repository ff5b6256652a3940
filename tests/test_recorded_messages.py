"""What commands print about recorded stages: the exit codes and expressions that a table beside the stages lists."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.nonempty import nonempty
from support.places import SHARED

from physx_schema.command_line.program import program

TABLE = SHARED / "cases" / "said" / "said.json"
INTERNAL_ERROR = 4


def _entries() -> list[Any]:
    """A parameter for each command of the table; one empty entry where there is no table, so that the test skips."""
    if not TABLE.is_file():
        return [pytest.param("", {}, id="no-table")]
    table: dict[str, list[dict[str, Any]]] = json.loads(TABLE.read_text("utf-8"))
    return nonempty(pytest.param(stage, entry, id=f"{stage}-{entry['command'].partition(' ')[0]}-{number}")
                    for stage, entries in table.items() for number, entry in enumerate(entries))


@pytest.mark.parametrize(("stage", "entry"), _entries())
def test_a_command_prints_of_a_recorded_stage_what_the_table_asks(
    stage: str, entry: dict[str, Any], shared_cases: Path, tmp_path: Path,
) -> None:
    command, *options = entry["command"].replace("{tmp}", str(tmp_path)).split()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RuntimeWarning)
        result = CliRunner().invoke(program(), [command, str(shared_cases / "said" / stage), *options])
    printed = "\n".join((result.output, *(str(item.message) for item in caught)))
    assert result.exit_code != INTERNAL_ERROR, printed
    assert result.exit_code in entry.get("rc", [result.exit_code]), printed
    assert [text for text in entry.get("must", []) if not re.search(text, printed)] == [], printed
    assert [text for text in entry.get("mustnot", []) if re.search(text, printed)] == [], printed
