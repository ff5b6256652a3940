"""Random stages beside real PhysX, with the bar that one is held to the other by.

Whether a motion that parted from PhysX's is of its kind: energy over time, and where bodies end and rest.

Measured against PhysX's own motions from starts that are moved, or by a share of what happens where those are close.

PhysX beside itself: a scene that is turned as a whole moves alike but for how its numbers are rounded.
"""

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
from pxr import Gf, Usd, UsdPhysics

from physx_schema.description import describe
from physx_schema.description.model import Link
from physx_schema.errors import UnsupportedError
from support.chance.jointed_scenes import jointed_scene
from support.chance.touching_writer import GRAVITY
from support.chance.usda_text import Vector, normalized, product, rotate
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


# --- likeness --------------------------------------------------------------------------------------------------------

SPREADS = 3.0           # times what PhysX's own motions from moved starts differ by
ENERGY = 0.02           # of the range of energies, what may differ anyway on average
HEIGHT = 0.01           # m, what heights at the end may differ by anyway on average
RESTING = 0.1           # m/s, below which a body rests
OTHERWISE_RESTING = 1   # bodies that may rest in one motion alone anyway


@dataclass(frozen=True, slots=True)
class Differences:
    """Of two motions."""

    energy: float       # on average over time, of the range of energies
    height: float       # m, on average over bodies at the end
    resting: int        # bodies that rest at the end of one alone

    def within(self, own: Differences) -> bool:
        """Whether they are no larger than PhysX's own, or small."""
        return (self.energy <= max(ENERGY, SPREADS * own.energy) and self.height <= max(HEIGHT, SPREADS * own.height)
                and self.resting <= max(OTHERWISE_RESTING, own.resting))


def likeness(scene: Stage, seed: int, kept: Path | None = None) -> tuple[Differences, Differences]:
    """How our motion of a stage differs from PhysX's, and at most PhysX's own from moved starts."""
    texts = [scene(seed, move) for move in (None, *range(MOVES))]
    description = describe(opened(texts[0]))
    links = {link.path: link for link in (*description.bodies, *(
        link for articulation in description.articulations for link in articulation.links))}
    real, *others = recorded(texts, kept)
    own = [differences(real, other, links) for other in others]
    return differences(real, simulated(texts[0]), links), Differences(
        max(d.energy for d in own), max(d.height for d in own), max(d.resting for d in own))


def differences(real: Motion, other: Motion, links: Mapping[str, Link]) -> Differences:
    """Of a motion from PhysX's of the same bodies."""
    paths = [path for path in real.paths if path in links and not links[path].kinematic]
    first, second = (motion.values[:, [motion.paths.index(path) for path in paths]] for motion in (real, other))
    bodies = [links[path] for path in paths]
    energies = energy(first, bodies), energy(second, bodies)
    rests = [np.linalg.norm(values[-1, :, 7:10], axis=1) < RESTING for values in (first, second)]
    return Differences(float(np.abs(energies[0] - energies[1]).mean() / max(np.ptp(energies[0]), np.finfo(float).tiny)),
                       float(np.abs(first[-1, :, 2] - second[-1, :, 2]).mean()), int((rests[0] != rests[1]).sum()))


def energy(values: Array, bodies: Sequence[Link]) -> Array:
    """(n_step,) kinetic and potential energy, J, of bodies in metres and kilograms."""
    found = np.zeros(len(values))
    for i, body in enumerate(bodies):
        pose, v, w = values[:, i, :7], values[:, i, 7:10], values[:, i, 10:13]
        height = pose[:, 2] + turned(pose[:, 3:], np.array(body.center_of_mass))[:, 2]
        spin = turned(pose[:, 3:] * [-1, -1, -1, 1], w)         # in the axes of the prim
        found += body.mass * (GRAVITY * height + 0.5 * (v * v).sum(axis=1))
        found += 0.5 * np.einsum("ti,ij,tj->t", spin, np.array(body.inertia), spin)
    return found


def turned(q: Array, x: Array) -> Array:
    """Vectors turned by quaternions x y z w, (n, 3)."""
    t = 2.0 * np.cross(q[:, :3], x)
    return np.asarray(x + q[:, 3:] * t + np.cross(q[:, :3], t))


# --- turned scenes ---------------------------------------------------------------------------------------------------

TURNS = 4           # of a scene, by chance
VECTORS = ("xformOp:translate", "physics:velocity", "physics:angularVelocity")


def parted_by_turns(seed: int, kept: Path | None = None) -> Array | None:
    """(4, steps + 1) what PhysX's motions of a scene part by when it is turned; none where world axes are locked."""
    text, random = jointed_scene(seed), np.random.default_rng([seed, TURNS])
    if "lockedPosAxis" in text or "lockedRotAxis" in text:
        return None
    turns = [normalized(random.normal(size=4)) for _ in range(TURNS)]
    real, *others = recorded([text, *(turned_scene(text, turn) for turn in turns)], kept)
    found = [apart(real, turned_back(other, turn)) for other, turn in zip(others, turns, strict=True)]
    return np.max(found, axis=0)


def turned_scene(text: str, turn: Vector) -> str:
    """A jointed scene, all of it turned about the origin."""
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(text)
    for prim in stage.Traverse():
        for name in (name for name in VECTORS if prim.GetAttribute(name)):
            _set(prim.GetAttribute(name), lambda vector: rotate(turn, vector))
        if prim.GetAttribute("xformOp:orient"):
            _set(prim.GetAttribute("xformOp:orient"), lambda pose: normalized(product(turn, pose)))
        if prim.IsA(UsdPhysics.Scene):
            _set(prim.GetAttribute("physics:gravityDirection"), lambda vector: rotate(turn, vector))
        if prim.IsA(UsdPhysics.Joint):
            for i in (i for i in (0, 1) if not prim.GetRelationship(f"physics:body{i}").GetTargets()):
                _set(prim.GetAttribute(f"physics:localPos{i}"), lambda vector: rotate(turn, vector))
                _set(prim.GetAttribute(f"physics:localRot{i}"), lambda pose: normalized(product(turn, pose)))
    return str(stage.GetRootLayer().ExportToString())


def _set(attribute: Usd.Attribute, change: Callable[[Vector], Vector]) -> None:
    """Change a vector, or a quaternion given as (w, x, y, z)."""
    old = attribute.Get()
    if isinstance(old, (Gf.Quatf, Gf.Quatd)):
        new = change(np.array([old.GetReal(), *old.GetImaginary()]))
        attribute.Set(type(old)(float(new[0]), *(float(x) for x in new[1:])))
    else:
        attribute.Set(type(old)(*(float(x) for x in change(np.array(old, np.float64)))))


def turned_back(motion: Motion, turn: Vector) -> Motion:
    """The motion of a turned scene, seen in the axes of the scene as it was."""
    back, values = turn * [1, -1, -1, -1], motion.values.copy()
    matrix = np.array([rotate(back, axis) for axis in np.eye(3)])
    for part in (slice(0, 3), slice(7, 10), slice(10, 13)):
        values[..., part] = values[..., part] @ matrix
    for i in np.ndindex(values.shape[:2]):
        values[i][3:7] = product(back, values[i][[6, 3, 4, 5]])[[1, 2, 3, 0]]
    return Motion(motion.paths, values)
