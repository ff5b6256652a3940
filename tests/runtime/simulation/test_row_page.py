"""The page of rows and the table of parameters follow the tables of rows."""

from __future__ import annotations

from physx_runtime.model.row_specs import PARAMETER, TABLE
from physx_runtime.simulation import row_page
from physx_runtime.simulation.row_page import PARAMETERS, page, with_table
from support.places import ROOT


def test_the_pages_are_those_that_the_table_makes() -> None:
    rows, worlds = ((ROOT / "docs" / name).read_text(encoding="utf-8")
                    for name in ("reference/rows.md", "guides/worlds.md"))
    assert (rows, worlds) == (page(), with_table(worlds)), f"run python -m {row_page.__name__} docs"


def test_every_parameter_is_in_the_table_of_the_guide() -> None:
    table = with_table(f"before\n\n{PARAMETERS}|`gone`|||||\n\nafter\n")
    names = {row.public_name for row in TABLE if row.maker == PARAMETER}
    assert len(names) > 20
    assert {name for name in names if f"|`{name}`" not in table} == set()
    assert "`gone`" not in table and table.startswith("before\n") and table.endswith("after\n")
