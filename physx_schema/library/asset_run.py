"""A command's work on many assets: in worker processes, each result once, with what came of every asset."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, Generic, Protocol, TypeVar

from physx_schema.description.stages import open_stage
from physx_schema.description.trial import trusted_files
from physx_schema.diagnostics import captured
from physx_schema.errors import UnreadableError
from physx_schema.files import legible
from physx_schema.library.columns import ASSET
from physx_schema.library.content import Identity, Layers, files_with_hashes, layers_of, versions
from physx_schema.library.dataset import Dataset
from physx_schema.library.outcomes import Done, Known, Limits, Lost, Row
from physx_schema.library.worker_pool import results_of

Value = TypeVar("Value", covariant=True)


class Work(Protocol[Value]):
    """A command for one asset; it can be pickled, and reports an unreadable file in its result."""

    def __call__(self, path: str) -> Done[Value]:
        """What the command makes of the asset at a path."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How assets are worked on."""

    identity: Identity
    workers: int = 1
    limits: Limits = field(default_factory=Limits)
    trusted: bool = False       # whether files are opened without another process
    dataset: Dataset | None = None
    repeat: bool = False        # whether assets with known results are done again
    ray: str | None = None      # the address of a cluster, which takes the place of worker processes

    def results_of(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Results of items from worker processes or from a cluster."""
        if self.ray is None:
            return results_of(function, items, self.workers, self.limits)
        from physx_schema.library.ray_pool import ray_results_of

        return ray_results_of(function, items, self.ray, self.limits)


def run_assets(paths: Sequence[str], work: Work[Value], plan: Plan) -> Iterator[tuple[str, Done[Value] | Known | Lost]]:
    """What becomes of each of several distinct assets, in the order in which they are done.

    With a dataset, results are added to it, and assets with known results are left out.
    """
    if plan.dataset is None:
        for index, answer in plan.results_of(_Alone(work, plan.trusted), paths):
            yield paths[index], answer if isinstance(answer, Lost) else answer.done
        return
    yield from _recorded(paths, work, plan, plan.dataset)


def _recorded(paths: Sequence[str], work: Work[Value], plan: Plan,
              dataset: Dataset) -> Iterator[tuple[str, Done[Value] | Known | Lost]]:
    known = {} if plan.repeat else dataset.known(plan.identity.command)
    run, items = uuid.uuid4().hex, list[tuple[str, Mapping[str, int]]]()
    for path in paths:
        keys = known.get(legible(path), {})
        lost = keys.get(_lost_key(path, plan)) if keys else None
        if lost is None:
            items.append((path, keys))
        else:
            yield path, Known(lost)
    task = _Recorded(work, plan.trusted, plan.identity)
    try:
        for index, answer in plan.results_of(task, items):
            path = items[index][0]
            if isinstance(answer, Lost):
                layers, key = files_with_hashes([path]), _lost_key(path, plan)
                dataset.add([_asset_row(path, run, plan, layers, key, answer.exit_code, answer.outcome, answer.reason)])
                yield path, answer
            elif isinstance(answer, Known):
                yield path, answer
            else:
                dataset.add(_rows(path, run, plan, answer))
                yield path, answer.done
    finally:
        dataset.write()


@dataclass(frozen=True, slots=True)
class _Answer(Generic[Value]):
    """What a worker sends about an asset."""

    done: Done[Value]
    layers: Layers = ()
    key: str = ""
    started: datetime | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class _Alone(Generic[Value]):
    """The work on an asset, without a dataset."""

    work: Work[Value]
    trusted: bool

    def __call__(self, path: str) -> _Answer[Value]:
        with trusted_files(self.trusted):
            return _Answer(self.work(path))


@dataclass(frozen=True, slots=True)
class _Recorded(Generic[Value]):
    """The work on an asset whose results are kept, unless the dataset has them."""

    work: Work[Value]
    trusted: bool
    identity: Identity

    def __call__(self, item: tuple[str, Mapping[str, int]]) -> _Answer[Value] | Known:
        path, known = item
        started, clock = datetime.now(UTC), perf_counter()
        with trusted_files(self.trusted), captured():
            stage = _opened(path)           # kept open: the work finds its layers in memory
            layers = files_with_hashes([path]) if stage is None else layers_of(stage)
            key = self.identity.key(layers)
            if key in known:
                return Known(known[key])
            with trusted_files(self.trusted or stage is not None):      # this process has just opened it
                return _Answer(self.work(path), layers, key, started, perf_counter() - clock)


def _opened(path: str) -> Any:
    try:
        return open_stage(path)
    except UnreadableError:             # which the work reports
        return None


def _lost_key(path: str, plan: Plan) -> str:
    """The key of an asset that gave no result: with larger limits it may give one."""
    return plan.identity.key(files_with_hashes([path]), "lost", plan.limits.seconds, plan.limits.megabytes)


def _rows(path: str, run: str, plan: Plan, answer: _Answer[Any]) -> list[Row]:
    done = answer.done
    first = _asset_row(path, run, plan, answer.layers, answer.key, done.exit_code, done.outcome, done.message)
    first |= {"started": answer.started, "seconds": answer.seconds}
    common = {name: value for name, value in first.items() if name != "message"}
    return [first, *({**common, **row} for row in done.rows)]


def _asset_row(path: str, run: str, plan: Plan, layers: Layers, key: str, exit_code: int, outcome: str,
               message: str) -> dict[str, Any]:
    identity = plan.identity
    hashes = [{"file": legible(file), "sha256": digest} for file, digest in layers]
    return {"asset": legible(path), "kind": ASSET, "command": identity.command, "outcome": outcome,
            "exit_code": exit_code, "message": message or None, "layers": hashes, "key": key, "run": run,
            "settings": identity.settings, **versions(), "engine": identity.engine, "started": datetime.now(UTC)}
