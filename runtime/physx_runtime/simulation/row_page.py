"""Generates docs/reference/rows.md and the parameter table of docs/guides/worlds.md from the tables of rows.

    python -m physx_runtime.simulation.row_page docs        # writes both pages
"""

from __future__ import annotations

import sys
from pathlib import Path

from physx_runtime.model.island_rows import ISLAND_TABLE
from physx_runtime.model.row_specs import (
    ACCUMULATED_IMPULSE,
    CONTROL,
    DERIVED,
    GROUPS,
    PARAMETER,
    PERSISTENT,
    PREPARED,
    STATE,
    TABLE,
    TIME,
    RowSpec,
)
from physx_runtime.simulation.parameters import doc_text, range_text, unit_text

PARAMETERS = "| name | of | range | unit | |\n|---|---|---|---|---|\n"
MAKERS = {
    STATE: "What a step goes on from. `Simulation.state`, `set` and `get` know it by these names.",
    CONTROL: "Set from outside by `set`; they hold for the steps they are set for.",
    PARAMETER: "Set by `set` or `set_parameters`, see [worlds](../guides/worlds.md#parameters); the public names of "
               "those of tendons and mimic joints have no number.",
    DERIVED: "Made by packing of parameters and of the structure, in the frames and units of the step.",
    TIME: "They follow from the time step of all worlds, `set_time_step`.",
    PERSISTENT: "What a step keeps besides the state.",
    PREPARED: "Coefficients that a step's start makes for the iterations.",
    ACCUMULATED_IMPULSE: "Impulses that constraints have given since the step began.",
}
HEAD = """# Rows

Made of `runtime/physx_runtime/model/row_specs.py` and `island_rows.py` by
`python -m physx_runtime.simulation.row_page docs`: edit those tables.

Every number of a step lives in a row, once in each world. A number has one name: what is set as `target_position` is in
the row `target_position`. A row that holds something else has another name. `q` and `v` are the field's symbols for
generalised position and velocity: `v` begins with a floating root's six. Rows that know a link by its internal frame F
(x along its joint's axis, at its anchor) are not called as the numbers in the link's own frame that they are made of.
Actors that joints outside articulations hold together are stepped as an island, whose rows are those of its actors
(`actorN_mass`), joints (`jointN_`) and kinematic bodies (`kinematicN_`).
"""


def parameter_table() -> str:
    """The table of parameters in docs/guides/worlds.md; * marks those that need a feature."""
    return PARAMETERS + "".join(_parameter_line(row) for row in TABLE if row.maker == PARAMETER)


def _parameter_line(row: RowSpec) -> str:
    star, count = "*" if row.feature else "", f", {row.width} numbers" if row.components else ""
    return (f"| `{row.public_name}`{star} | {row.owner}{count} | {range_text(row)} | {unit_text(row) or '-'} "
            f"| {doc_text(row)} |\n")


def page() -> str:
    """The text of docs/reference/rows.md: all rows, grouped by their maker."""
    text = HEAD
    for maker, meaning in MAKERS.items():
        text += f"\n## {maker.capitalize()}\n\n{meaning}\n\n| row | of | numbers | unit | |\n|---|---|---|---|---|\n"
        for row in (*TABLE, *ISLAND_TABLE):
            if row.maker == maker and not row.derived:
                prefix = f"{GROUPS[row.owner]}N_" if row.owner in GROUPS else ""
                text_cell = doc_text(row) if row.text or row.schema else ""
                text += (f"| `{prefix}{row.name}` | {row.owner} | {' '.join(row.components) or 1} "
                         f"| {unit_text(row) or '-'} | {text_cell} |\n")
    return text


def with_table(batches: str) -> str:
    """The text of docs/guides/worlds.md with the current parameters."""
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
