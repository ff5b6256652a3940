"""A dataset of results: Parquet files in a folder, to which runs add files. No file is ever changed.

A file appears complete or not at all. After a kill or a full disk, the rows that are missing are those of assets that
the next run does again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import Any

from physx_schema.errors import UnsupportedError, printable
from physx_schema.files import legible, unwritable
from physx_schema.library.columns import ASSET, NAMES, arrow_schema
from physx_schema.library.outcomes import Row

PART_SECONDS = 30.0                 # the work that a kill loses at most, besides the assets in work
PART_ROWS = 20_000
_PREFIX, _SUFFIX, _PARTIAL = "part-", ".parquet", ".partial"


class Dataset:
    """The results in a folder, and the rows that this run adds.

    Raises UnsupportedError without pyarrow, for a path that is not a folder, and for files that are not results.
    """

    def __init__(self, folder: Path) -> None:
        require_pyarrow("--results")
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(folder, error) from None
        self._rows: list[Row] = []
        self._write_time = monotonic()

    def known(self, command: str) -> dict[str, dict[str, int]]:
        """Exit codes by asset and key, of all assets that a command has results of."""
        known: dict[str, dict[str, int]] = {}
        for row in self.rows(("asset", "key", "exit_code"), kind=ASSET, command=command):
            known.setdefault(row["asset"], {})[row["key"]] = row["exit_code"]
        return known

    def rows(self, columns: Sequence[str] = NAMES, **equal: str) -> Iterator[dict[str, Any]]:
        """The rows with these values, file by file."""
        import pyarrow.parquet as pq

        filters = [(name, "=", value) for name, value in equal.items()] or None
        for path in self.parts():
            try:
                yield from pq.read_table(path, columns=list(columns), filters=filters,
                                         schema=arrow_schema()).to_pylist()
            except (OSError, ValueError) as error:          # pyarrow's errors are subclasses
                reason = " ".join(str(error).split())
                raise UnsupportedError(f"{printable(str(path))}: not a file of results: {reason}; remove the file, and "
                                       "the next run does its assets again") from None

    def parts(self) -> list[Path]:
        """The files of the dataset."""
        return sorted(self.folder.glob(f"{_PREFIX}*{_SUFFIX}"))

    def add(self, rows: Sequence[Row]) -> None:
        """Add all rows of an asset; they are written with those of other assets, together or not at all."""
        self._rows += rows
        if len(self._rows) >= PART_ROWS or monotonic() - self._write_time >= PART_SECONDS:
            self.write()

    def write(self) -> None:
        """Write the added rows to a new file. Raises UnsupportedError if it cannot be written."""
        self._write_time = monotonic()
        if not self._rows:
            return
        rows, self._rows = self._rows, []
        keys = "".join(f"{row['run']}{row['asset']}" for row in rows if row["kind"] == ASSET)
        path = self.folder / f"{_PREFIX}{hashlib.sha256(legible(keys).encode()).hexdigest()[:32]}{_SUFFIX}"
        import pyarrow as pa

        write_part(path, pa.Table.from_pylist([{name: _storable(row.get(name)) for name in NAMES} for row in rows],
                                              arrow_schema()))


def require_pyarrow(what: str) -> None:
    """Raise UnsupportedError without pyarrow."""
    if find_spec("pyarrow") is None:
        raise UnsupportedError(f"{what} needs pyarrow, which is not installed: pip install 'physx-schema[fleet]'")


def write_part(path: Path, table: Any) -> None:
    """Write an Arrow table to a Parquet file that appears complete or not at all. Raises UnsupportedError."""
    import pyarrow.parquet as pq

    partial = path.with_name(f".{path.name}.{os.getpid()}{_PARTIAL}")       # other shards may write the same folder
    try:
        with partial.open("wb") as file:
            pq.write_table(table, file, compression="zstd")
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise unwritable(path, error) from None


def _storable(value: Any) -> Any:
    """A value with text that is UTF-8; names of files may hold other bytes."""
    return legible(value) if isinstance(value, str) else value
