"""Random stages beside real PhysX, with the bar that one is held to the other by."""

from __future__ import annotations

import hashlib
import pickle
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from physx_runtime import NotSimulatedWarning, simulate
from physx_runtime.worlds.store import SCHEDULED

from physx_schema.errors import UnsupportedError
from support.chance.jointed_scenes import jointed_scene
from support.physx.live import TIME, Recorded, Script, record_live
from support.stages.robots import opened

Array = NDArray[np.float64]
Stage = Callable[[int, int | None], str]        # of a seed and of a number of the way in which its start is moved

DT, STEPS = 1 / 60, 60
MARKS = (1, 10, 60)             # up to which steps errors are held to growths, as those of the recorded cases are
BATCH = 10                      # scenes in one process of PhysX
MOVES = 3                       # ways in which the start is moved for PhysX's own growth
GROWTHS = 10.0                  # times that growth an error may come to
# What an error may come to anyway, float32 over few steps: m, quaternion, m/s, rad/s.
FLOORS = (2e-6, 1e-5, 1e-5, 1e-5)
QUANTITIES = ("position", "quaternion", "velocity", "angular velocity")
SLICES = (slice(0, 3), slice(3, 7), slice(7, 10), slice(10, 13))


@dataclass(frozen=True, slots=True)
class Motion:
    """Of every body, in metres."""

    paths: tuple[str, ...]
    values: Array               # (steps + 1, n_body, 13) position, quaternion x y z w, linear and angular velocity


@dataclass(frozen=True, slots=True)
class Comparison:
    """One scene beside PhysX."""

    seed: int
    refused: str                # what was raised instead
    errors: Array               # (4, steps + 1) largest error of each quantity up to each step
    bars: Array                 # what it may come to

    @property
    def ratio(self) -> float:
        """Of the worst error up to a mark to its bar."""
        found = float((self.errors / self.bars)[:, MARKS].max()) if not self.refused else np.inf
        return found if np.isfinite(found) else np.inf

    @property
    def agrees(self) -> bool:
        return self.ratio <= 1.0

    @property
    def parts_at(self) -> int:
        """The first step in which an error is over its bar."""
        return int((self.errors > self.bars).any(axis=0).argmax()) if not self.refused else 0

    def __str__(self) -> str:
        if self.refused:
            return f"seed {self.seed:5} refused: {self.refused}"
        last = "  ".join(f"{name} {e:.1e}/{b:.1e}" for name, e, b in zip(
            QUANTITIES, self.errors[:, -1], self.bars[:, -1], strict=True))
        return f"seed {self.seed:5} {self.ratio:10.2f} {last}" + (
            "" if self.agrees else f"  MISSES from step {self.parts_at}")


def recorded(texts: Sequence[str], kept: Path | None) -> list[Motion]:
    """Real PhysX's motions of stages, kept in a folder by what the stages say."""
    places = [kept / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.pickle" if kept else None for text in texts]
    todo = [i for i, place in enumerate(places) if place is None or not place.is_file()]
    found: dict[int, Any] = {}
    for start in range(0, len(todo), BATCH * (MOVES + 1)):
        batch = todo[start:start + BATCH * (MOVES + 1)]
        new = record_live([(texts[i], DT, 0, STEPS, _script(texts[i])) for i in batch])
        for i, result in zip(batch, new, strict=True):
            found[i] = _motion(result, texts[i])
            if (place := places[i]) is not None:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(pickle.dumps((found[i].paths, found[i].values)))
    return [found[i] if i in found else Motion(*pickle.loads(place.read_bytes()))       # type: ignore[union-attr]
            for i, place in enumerate(places)]


def _script(text: str) -> Script:
    """Where kinematic bodies follow samples, the stage is put to the time of each step's end."""
    return {step: [(TIME, "", "", step * DT)] for step in range(1, STEPS + 1)} if "timeSamples" in text else {}


def _metres_in(text: str) -> float:
    """Metres a unit of length of a stage, which says so in its head."""
    return float(text.partition("metersPerUnit = ")[2].split(maxsplit=1)[0])


def _motion(result: Recorded, text: str) -> Motion:
    metres = _metres_in(text)
    values = [np.stack([result.of(name, path) for path in result.paths], axis=1) * scale for name, scale in (
        ("position", metres), ("orientation", 1.0), ("linearVelocity", metres), ("angularVelocity", 1.0))]
    return Motion(result.paths, np.concatenate(values, axis=2))


def simulated(text: str, **options: Any) -> Motion:
    """Our motion of a stage."""
    metres = _metres_in(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotSimulatedWarning)
        found = simulate(opened(text), DT, STEPS, path=SCHEDULED, **options)
    pose, velocity = found.body_pose[:, 0].astype(np.float64), found.body_velocity[:, 0].astype(np.float64)
    return Motion(found.body_names, np.concatenate([
        pose[..., :3] * metres, pose[..., 3:], velocity[..., :3] * metres, velocity[..., 3:]], axis=2))


def apart(first: Motion, second: Motion) -> Array:
    """(4, steps + 1) largest difference of each quantity up to each step; infinite where one of them is not finite."""
    own = second.values[:, [second.paths.index(path) for path in first.paths]].copy()
    sign = np.sign((own[..., 3:7] * first.values[..., 3:7]).sum(axis=2, keepdims=True))
    own[..., 3:7] *= np.where(sign == 0.0, 1.0, sign)
    found = np.array([np.abs(own[..., part] - first.values[..., part]).max(axis=(1, 2)) for part in SLICES])
    return np.maximum.accumulate(np.where(np.isfinite(found), found, np.inf), axis=1)


def compared(seeds: Sequence[int], kept: Path | None = None, scene: Stage = jointed_scene, **options: Any
             ) -> Iterator[Comparison]:
    """The stages of seeds beside PhysX."""
    for start in range(0, len(seeds), BATCH):
        batch = seeds[start:start + BATCH]
        texts = [scene(seed, move) for seed in batch for move in (None, *range(MOVES))]
        motions = recorded(texts, kept)
        for i, seed in enumerate(batch):
            yield _beside(seed, texts[i * (MOVES + 1)], motions[i * (MOVES + 1):(i + 1) * (MOVES + 1)], options)


def _beside(seed: int, text: str, motions: Sequence[Motion], options: Mapping[str, Any]) -> Comparison:
    real, *others = motions
    grown = np.max([apart(real, other) for other in others], axis=0)
    bars = np.maximum(GROWTHS * grown, np.array(FLOORS)[:, None])
    try:
        ours = simulated(text, **options)
    except (UnsupportedError, NotSimulatedWarning) as error:
        return Comparison(seed, str(error).splitlines()[0], np.full(bars.shape, np.inf), bars)
    return Comparison(seed, "", apart(real, ours), bars)
