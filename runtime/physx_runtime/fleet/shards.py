"""`WorldShards` steps one shard of worlds after another in a worker process, and keeps their numbers in files."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from physx_runtime.arrays import Array
from physx_runtime.fleet.experiment import Experiment
from physx_runtime.fleet.statistics import Statistics
from physx_schema.arguments import display
from physx_schema.description.stages import open_stage
from physx_schema.errors import UnsupportedError
from physx_schema.files import read_text, write_text
from physx_schema.library.content import layers_of, versions
from physx_schema.library.dataset import require_pyarrow, write_part

MANIFEST = "_run.json"      # readers of datasets leave out files with an underscore
WORLD = "world"


@dataclass(frozen=True, slots=True)
class Shard:
    """Worlds that are stepped together."""

    index: int
    worlds: range


@dataclass(frozen=True, slots=True)
class ShardResult:
    """The numbers of a shard, reduced."""

    index: int
    worlds: int
    statistics: Mapping[str, Statistics]


@dataclass(frozen=True)
class WorldShards:
    """The work on shards of an experiment; it is sent to worker processes."""

    experiment: Experiment
    folder: Path | None         # of the files with the numbers of every world
    threads: int                # of each worker

    def prepare(self) -> None:
        """Make the folder for this run.

        Raises ValueError if it holds the results of another run, and UnsupportedError if it cannot be written.
        """
        if self.folder is None:
            return
        require_pyarrow("results")
        manifest = self.folder / MANIFEST
        try:
            known = json.loads(read_text(manifest))
        except FileNotFoundError:
            write_text(manifest, json.dumps(self.manifest, indent=2) + "\n")
            return
        except ValueError as error:
            raise UnsupportedError(f"{manifest}: invalid JSON: {error}; use another folder") from None
        for key, value in self.manifest.items():
            if known.get(key) != value:
                raise ValueError(f"{self.folder} holds the results of a run with {key} {display(known.get(key))}, and "
                                 f"this run has {display(value)}; use another folder")

    def require_importable(self) -> None:
        """Raise ValueError if worker processes cannot import measure or start."""
        try:
            pickle.dumps(self)
        except (pickle.PicklingError, AttributeError, TypeError):
            raise ValueError("measure or start cannot be imported by worker processes; define the function at the top "
                             "of a module, or step in this process with workers=0") from None

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What the results depend on."""
        item = self.experiment
        measure = list(item.measure) if isinstance(item.measure, tuple) else _name_of(item.measure)
        spreads = {name: [spread.low, spread.high, spread.relative, list(spread.of)]
                   for name, spread in item.variation.parameters.items()}
        digests = sorted(digest for _, digest in layers_of(open_stage(item.stage)))
        return {"worlds": item.variation.worlds, "seed": item.variation.seed, "parameters": spreads,
                "steps": item.steps, "dt": item.dt, "dtype": item.dtype, "solver": item.solver, "device": item.device,
                "measure": measure, "start": item.start and _name_of(item.start),
                "layers": hashlib.sha256("".join(digests).encode()).hexdigest(),
                "versions": versions()}

    def __call__(self, shard: Shard) -> ShardResult:
        """Step a shard, or read its file if there is one; return the statistics of its numbers."""
        import numba

        numba.set_num_threads(max(1, min(self.threads, numba.config.NUMBA_NUM_THREADS)))
        if self.folder is None:
            return _reduced(shard, self.experiment.measured(shard.worlds))
        path = self.folder / f"worlds-{shard.index:06}.parquet"
        if not path.exists():
            self._write(path, shard)
        return _reduced(shard, self._read(path))

    def _write(self, path: Path, shard: Shard) -> None:
        import pyarrow as pa

        parameters = self.experiment.parameters(shard.worlds)
        columns = {WORLD: np.asarray(shard.worlds, np.int64), **parameters,
                   **self.experiment.measured(shard.worlds)}
        table = pa.table(columns).replace_schema_metadata({"parameters": json.dumps(list(parameters))})
        write_part(path, table)

    def _read(self, path: Path) -> dict[str, Array]:
        """The numbers in a file."""
        import pyarrow.parquet as pq

        table = pq.read_table(path)
        left_out = {WORLD, *json.loads(table.schema.metadata[b"parameters"])}
        return {name: table[name].to_numpy() for name in table.column_names if name not in left_out}


def _name_of(function: Callable[..., object]) -> str:
    """Module and name of a function."""
    return f"{function.__module__}.{getattr(function, '__qualname__', type(function).__qualname__)}"


def _reduced(shard: Shard, measured: Mapping[str, Array]) -> ShardResult:
    return ShardResult(shard.index, len(shard.worlds),
                       {name: Statistics.of(values, shard.worlds) for name, values in measured.items()})
