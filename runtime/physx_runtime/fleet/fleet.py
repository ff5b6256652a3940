"""`run` steps a fleet of worlds in shards and returns a `Fleet`: statistics, and any world by its number."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from physx_runtime.fleet.experiment import MEASURES, Experiment, Measure, Start
from physx_runtime.fleet.shards import Shard, ShardResult, WorldShards
from physx_runtime.fleet.statistics import Statistics
from physx_runtime.packing.model import NotSimulated
from physx_runtime.simulation.arguments import required_count, required_time
from physx_runtime.simulation.scene import Scene
from physx_runtime.simulation.variation import Variation
from physx_schema.arguments import display, required_instance, suggestion
from physx_schema.command_line.progress import progress
from physx_schema.errors import UnsupportedError
from physx_schema.library.outcomes import Lost
from physx_schema.library.worker_pool import results_of

WORLDS_PER_SHARD = 4096     # fixed, so that sums of shards have the same bits for any number of workers


@dataclass(frozen=True, slots=True)
class Fleet:
    """The result of a run over many worlds."""

    experiment: Experiment
    worlds: int
    statistics: Mapping[str, Statistics] = field(repr=False)    # by the name of the measured number
    not_simulated: tuple[NotSimulated, ...] = field(default=(), repr=False)

    def __getitem__(self, name: str) -> Statistics:
        """The statistics of a measured number. Raises ValueError for a name that is not measured."""
        if name not in self.statistics:
            raise ValueError(f"{display(name)} is not measured; {suggestion(str(name), list(self.statistics))}")
        return self.statistics[name]

    def parameters(self, world: int) -> dict[str, float]:
        """The parameters that vary, in one world, by parameter and element. Raises ValueError for another world."""
        columns = self.experiment.parameters(self._only(world))
        return {name: float(values[0]) for name, values in columns.items()}

    def play(self, world: int) -> Scene:
        """A scene of one world of the run, before its first step. Raises ValueError for another world.

        Its states have the same bits as in the run.
        """
        return self.experiment.scene(self._only(world))

    def measured(self, world: int) -> dict[str, float]:
        """The numbers of one world, which is stepped again. Raises ValueError for another world."""
        return {name: float(values[0]) for name, values in self.experiment.measured(self._only(world)).items()}

    def _only(self, world: int) -> range:
        index = required_count("world", world, 0)
        if index >= self.worlds:
            raise ValueError(f"world is {world}, but the run has {self.worlds} worlds; give a number below")
        return range(index, index + 1)


def run(stage: str | Path, variation: Variation, worlds: int | None = None, steps: int = 600,
        measure: Measure | str | Sequence[str] = MEASURES[:1], results: str | Path | None = None,
        workers: int | None = None, ray: str | None = None, *, start: Start | None = None, dt: float = 1 / 60,
        device: str = "cpu", dtype: str = "float32", solver: str = "physx") -> Fleet:
    """Step many worlds of a stage in shards, measure each, and reduce the numbers to statistics.

    World i draws its parameters from the seed and i alone. World 0 has the authored values. The results have the same
    bits for any number of workers. After a kill, a run with the same `results` continues at the shards that are
    missing.

    Example::

        spread = physx_runtime.Variation(1, {"mass": physx_runtime.Spread(0.8, 1.2, relative=True)})
        fleet = physx_runtime.fleet.run("cart_pole.usda", spread, worlds=100_000, steps=240)
        fleet["joint_position /CartPole/pole_joint"].quantile(0.99)

    Args:
        stage: Path of a file, which worker processes open.
        variation: The bounds of random parameters, and their seed.
        worlds: Number of worlds; None for those of the variation.
        steps: Number of steps of dt before the measurement.
        measure: A function of the stepped `Scene` that returns {name: (n_world,)}, or names of MEASURES. Workers import
            the function, so it stands at the top of a module. "diverged" is always measured.
        start: A function of the `Scene` and the numbers of its worlds that sets states, targets and efforts before the
            first step. What it sets in a world may depend on the number of the world, not on other worlds.
        results: Folder for Parquet files with the parameters and numbers of every world; None keeps statistics only.
        workers: Number of worker processes; None for one for each core, 0 to step in this process.
        ray: Address of a Ray cluster, or "auto", which steps the shards instead of local processes.
        dt: Time step in seconds.
        device, dtype, solver: As of `Scene`.

    Raises:
        UnreadableError: The file is not a stage.
        UnsupportedError: The stage has physics that the step does not support, a worker fails on a shard twice, the
            results cannot be written, or pyarrow or Ray is missing.
        ValueError: An argument is out of range, or the folder holds the results of another run.
    """
    if not isinstance(stage, str | Path):
        raise ValueError(f"stage is {display(stage)}; give the path of a file, which worker processes open")
    required_instance("variation", variation, Variation, "give a Variation, or read_variation(file)")
    count = required_count("worlds", variation.worlds if worlds is None else worlds, 1)
    processes = _core_count() if workers is None else required_count("workers", workers, 0)
    experiment = Experiment(str(stage), replace(variation, worlds=count), required_count("steps", steps, 0),
                            _checked(measure), start, required_time(dt), device, dtype, solver)
    not_simulated = experiment.scene(range(1)).not_simulated    # refuses what is wrong before processes start
    folder = None if results is None else Path(results)
    shards = WorldShards(experiment, folder, 1 if ray is not None else max(1, _core_count() // max(1, processes)))
    if processes or ray is not None:
        shards.require_importable()
    shards.prepare()
    statistics = dict[str, Statistics]()
    for shard in _in_order(_with_progress(_answers(shards, _split(count), processes, ray), count)):
        for name, part in shard.statistics.items():
            statistics[name] = statistics[name].merged(part) if name in statistics else part
    return Fleet(experiment, count, statistics, not_simulated)


def _checked(measure: Measure | str | Sequence[str]) -> Measure | tuple[str, ...]:
    """A function, or known names of measures."""
    if callable(measure):
        return measure
    names = (measure,) if isinstance(measure, str) else tuple(measure)
    for name in names:
        if name not in MEASURES:
            raise ValueError(f"measure is {display(name)}; {suggestion(str(name), MEASURES)}")
    return names


def _core_count() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _split(worlds: int) -> list[Shard]:
    """The shards of worlds."""
    return [Shard(index, range(first, min(first + WORLDS_PER_SHARD, worlds)))
            for index, first in enumerate(range(0, worlds, WORLDS_PER_SHARD))]


def _answers(shards: WorldShards, parts: Sequence[Shard], processes: int, ray: str | None) -> Iterator[ShardResult]:
    """The results of shards as they come. Raises UnsupportedError for a shard without a result."""
    if ray is not None:
        from physx_schema.library.ray_pool import ray_results_of

        answers: Iterator[tuple[int, Any]] = ray_results_of(shards, parts, ray)
    elif processes:
        answers = results_of(shards, parts, processes)
    else:
        answers = ((part.index, shards(part)) for part in parts)
    for index, answer in answers:
        if isinstance(answer, Lost):
            worlds = parts[index].worlds
            raise UnsupportedError(f"worlds {worlds.start} to {worlds.stop - 1}: the step {answer.reason}; step them "
                                   "with workers=0 to see the error")
        yield answer


def _in_order(answers: Iterator[ShardResult]) -> Iterator[ShardResult]:
    """Results by the numbers of their shards, for sums with the same bits in every run."""
    waiting, following = dict[int, ShardResult](), 0
    for answer in answers:
        waiting[answer.index] = answer
        while following in waiting:
            yield waiting.pop(following)
            following += 1


def _with_progress(answers: Iterator[ShardResult], worlds: int) -> Iterator[ShardResult]:
    """Results, with the worlds that are done and an estimate of the time that is left on stderr."""
    with progress("worlds:") as indicator:
        indicator.total = worlds
        for answer in answers:
            indicator.done += answer.worlds
            yield answer
