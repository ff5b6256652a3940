"""The columns of a dataset of results: one table for the files, the page about them, and the rows.

`python -m physx_schema.library.columns docs` writes the page.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PAGE = Path("reference/results.md")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its type in Arrow's words, and its meaning."""

    name: str
    type: str
    text: str


TEXT, NUMBERS, TIME = "string", "list<double>", "timestamp[us, UTC]"
LAYERS = "list<struct<file: string, sha256: string>>"
ASSET, FINDING, VALUE, UNUSED, NOT_EVALUATED, NOT_SIMULATED = KINDS = (
    "asset", "finding", "value", "unused", "not evaluated", "not simulated")
DONE, UNREADABLE, CRASHED, TIMEOUT, MEMORY, FAILED = OUTCOMES = (
    "done", "unreadable", "crashed", "timeout", "memory", "failed")

COLUMNS = (
    Column("asset", TEXT, "the file, as the command line named it"),
    Column("kind", TEXT, "what the row holds: " + ", ".join(f"`{kind}`" for kind in KINDS)),
    Column("command", TEXT, "the command: check, verify, describe or report"),
    Column("outcome", TEXT, "the result for the asset: " + ", ".join(f"`{outcome}`" for outcome in OUTCOMES)),
    Column("exit_code", "int32", "the exit code of the command for this asset alone"),
    Column("message", TEXT, "the finding, or the reason for another outcome than `done`"),
    Column("code", TEXT, "the code of the finding, such as DJ.007/limits-clip"),
    Column("severity", TEXT, "error, warning or info"),
    Column("path", TEXT, "the prim"),
    Column("property", TEXT, "the property, `apiSchemas` for an applied schema, empty for the prim"),
    Column("why", TEXT, "the effect of the finding"),
    Column("fix", TEXT, "the remedy"),
    Column("authored", NUMBERS, "the authored numbers, in the property's unit"),
    Column("effective", NUMBERS, "the measured numbers, null where not measured"),
    Column("ideal", NUMBERS, "the same without the influence of the solver"),
    Column("verdict", TEXT, "the verdict of `verify` on the value"),
    Column("unit", TEXT, "the unit of the numbers"),
    Column("layers", LAYERS, "every layer file that the asset composes, with its hash"),
    Column("key", TEXT, "the hash of layers, command, settings and versions; runs leave out assets with known keys"),
    Column("run", TEXT, "the run that wrote the row"),
    Column("settings", TEXT, "the options of the command, as JSON"),
    Column("tool", TEXT, "the version of physx-schema"),
    Column("schema", TEXT, "the hash of the generated schema files"),
    Column("usd", TEXT, "the version of USD"),
    Column("engine", TEXT, "the engine, with the release of PhysX"),
    Column("started", TIME, "the time at which the work on the asset began"),
    Column("seconds", "double", "the duration of the work on the asset"),
)
NAMES = tuple(column.name for column in COLUMNS)
VARYING = ("run", "started", "seconds")     # what differs between two runs over the same assets


def arrow_schema() -> Any:
    """The columns as a pyarrow schema."""
    import pyarrow as pa

    types = {TEXT: pa.string(), NUMBERS: pa.list_(pa.float64()), TIME: pa.timestamp("us", "UTC"),
             LAYERS: pa.list_(pa.struct([("file", pa.string()), ("sha256", pa.string())])),
             "int32": pa.int32(), "double": pa.float64()}
    return pa.schema([(column.name, types[column.type]) for column in COLUMNS])


_HEAD = """# Columns of a dataset of results

`--results DIR` of `check`, `verify`, `describe` and `report` adds Parquet files to the folder DIR. This page lists the
columns of the files. [The guide](../guides/library.md) shows how to fill and read a dataset.

Each asset has one row with the kind `asset`, also if its outcome is not `done`. Each finding and each measured value
has a separate row. Columns without a meaning for a kind are null.

```sql
SELECT code, count(*) FROM 'results/*.parquet' WHERE kind = 'finding' GROUP BY code ORDER BY 2 DESC;
```

|column|type|meaning|
|---|---|---|
"""


def page() -> str:
    """The text of the page about the columns."""
    return _HEAD + "".join(f"|`{column.name}`|{column.type}|{column.text}|\n" for column in COLUMNS)


if __name__ == "__main__":
    (Path(sys.argv[1]) / PAGE).write_text(page(), encoding="utf-8")
