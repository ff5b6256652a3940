"""Generates docs/reference/rows.md and the parameter table of docs/guides/worlds.md from the tables of rows.

    python -m physx_runtime.simulation.row_page docs        # writes both pages
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

from physx_runtime.model.island import AXES
from physx_runtime.model.island_rows import ISLAND_TABLE
from physx_runtime.model.row_specs import (
    ACCUMULATED_IMPULSE,
    CONTROL,
    DERIVED,
    GROUPS,
    MAXIMAL_JOINT,
    PARAMETER,
    PERSISTENT,
    PREPARED,
    STATE,
    TABLE,
    TIME,
    RowSpec,
)
from physx_runtime.simulation.parameters import doc_text, range_text, unit_text

PARAMETERS = "|name|of|range|meaning|\n|---|---|---|---|\n"
MAKERS = {
    STATE: "The state at the start of a step. `Simulation.state`, `set` and `get` use these names.",
    CONTROL: "Inputs that `set` writes. They act until they are set again.",
    PARAMETER: "[Worlds](../guides/worlds.md#parameters) lists the parameters of articulations and bodies. Their rows "
               "have the same names. Rows of tendons and mimic joints are numbered, such as `fixed_tendon0_stiffness`. "
               "This table lists the parameters of joints outside articulations.",
    DERIVED: "Computed by packing from parameters and structure, in the frames and units of the step.",
    TIME: "Computed from the time step, which `set_time_step` changes.",
    PERSISTENT: "Stored between steps in addition to the state.",
    PREPARED: "Coefficients that are computed at the start of a step.",
    ACCUMULATED_IMPULSE: "Impulses of drives, friction, limits and tendons since the start of the step.",
}
HEAD = """# Rows

This page is generated. Edit `runtime/physx_runtime/model/row_specs.py` and `island_rows.py`, then run
`python -m physx_runtime.simulation.row_page docs`.

A row is a named vector of numbers that every world has once. The step reads and writes rows. Each number has one
name: the parameter `target_position` is stored in the row `target_position`. `q` and `v` are generalised position and
velocity.

F is the internal frame of a link: its origin is the joint's anchor, and x is the joint's axis. Numbers in F have other
names than the same numbers in the link's frame. For example, `com` is `center_of_mass` in F.

Actors that are connected by joints outside articulations are stepped as one island. An island has the rows of its
actors (`actorN_mass`), joints (`jointN_`) and kinematic bodies (`kinematicN_`). In the tables, "joint" is a joint
outside articulations.
"""


def parameter_table() -> str:
    """Return the table of parameters in docs/guides/worlds.md; * marks parameters that need a feature."""
    return PARAMETERS + "".join(_parameter_line(row) for row in TABLE if row.maker == PARAMETER)


def _parameter_line(row: RowSpec) -> str:
    star, count = "*" if row.feature else "", f", {row.width} numbers" if row.components else ""
    return (f"|`{row.public_name}`{star}|{row.owner}{count}|{range_text(row)}|{doc_text(row)}|\n")


def page() -> str:
    """Return the text of docs/reference/rows.md: all rows, grouped by their maker.

    Parameters in the table of docs/guides/worlds.md are left out. Rows with equal cells share a line.
    """
    text = HEAD
    for maker, meaning in MAKERS.items():
        text += f"\n## {maker.capitalize()}\n\n{meaning}\n\n|row|of|numbers|unit|meaning|\n|---|---|---|---|---|\n"
        rows = [row for row in (*(() if maker == PARAMETER else TABLE), *ISLAND_TABLE)
                if row.maker == maker and not row.derived]
        for cells, group in groupby(rows, _cells):
            names = ", ".join(f"`{_prefix(row)}{row.name}`" for row in group)
            text += f"|{names}|{cells}|\n"
    return text


def _prefix(row: RowSpec) -> str:
    return f"{GROUPS[row.owner]}N_" if row.owner in GROUPS else ""


def _cells(row: RowSpec) -> str:
    """The cells after a row's name: owner, numbers, unit and documentation."""
    doc = doc_text(row) if row.text or row.schema else "-"
    owner = "joint" if row.owner == MAXIMAL_JOINT else row.owner
    return f"{owner}|{_numbers(row)}|{unit_text(row) or '-'}|{doc}"


def _numbers(row: RowSpec) -> str:
    """The names of a row's numbers for one owner, or their count."""
    return "one for each axis" if row.components == AXES else " ".join(row.components) or "1"


def with_table(batches: str) -> str:
    """Return the text of docs/guides/worlds.md with the current parameters."""
    first = batches.index(PARAMETERS)
    end = batches.find("\n\n", first)
    return batches[:first] + parameter_table() + (batches[end + 1:] if end >= 0 else "")


def main() -> None:
    """Write both pages into the folder of the first argument."""
    docs = Path(sys.argv[1])
    (docs / "reference" / "rows.md").write_text(page(), encoding="utf-8")
    batches = docs / "guides" / "worlds.md"
    batches.write_text(with_table(batches.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
