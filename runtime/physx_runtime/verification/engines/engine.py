"""`open_engine` opens another engine by name, to repeat experiments on articulations; `Engine` is its protocol."""

from __future__ import annotations

from collections.abc import Mapping
from pkgutil import resolve_name
from types import TracebackType
from typing import Protocol

from physx_runtime.verification.bench import Bench
from physx_schema.description.model import Articulation, Description

BUILTIN = "builtin"             # the runtime itself
# By name, the class to open, which is imported where its engine is asked for.
ENGINES: Mapping[str, str] = {"physx": "physx_runtime.verification.engines.physx.simulation:PhysXEngine"}


class Engine(Protocol):
    """A running engine, as a context manager. Opening it raises UnsupportedError where it is not installed."""

    version: str

    def __enter__(self) -> Engine:
        """The engine itself."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        """End the engine."""

    def bench(self, description: Description, articulation: Articulation, dt: float) -> Bench:
        """A bench whose worlds this engine steps. Its use raises UnsupportedError where the engine refuses it."""


def open_engine(name: str) -> Engine:
    """An engine of `ENGINES`. Raises UnsupportedError where it is not installed."""
    engine: Engine = resolve_name(ENGINES[name])()
    return engine
