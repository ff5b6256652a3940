"""The motion of a stage's objects here and in real PhysX, with the bar that one is held to the other by.

Random stages beside PhysX: every object through `simulate`, alone and beside the others, and through a session.
"""

from __future__ import annotations

import hashlib
import math
import pickle
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from physx_runtime import NotSimulatedWarning, Session, simulate
from physx_runtime.worlds.store import SCHEDULED
from pxr import Sdf, Usd

from physx_schema.description import describe
from physx_schema.description.model import Articulation, Description, Link
from physx_schema.errors import UnsupportedError
from support.chance.scenes import RandomScene

Array = NDArray[np.float64]

# Position error in float32 over 60 steps of motion that does not amplify, rad or metres.
FLOAT32 = 5e-6
# Motion that amplifies is held against PhysX's own spread under 1-ulp changes of the start.
SPREAD_FACTOR, NUDGES = 10.0, 8
# What a stage starts from, joint states aside.
START = ("xformOp:translate", "xformOp:orient", "xformOp:rotateXYZ", "physics:velocity", "physics:angularVelocity")


@dataclass(frozen=True, slots=True)
class Motion:
    """Of everything that moves on a stage, or of one object: time first."""

    joints: dict[str, Array]        # dof name -> (n_record,) rad or metres
    poses: dict[str, Array]         # link or body -> (n_record, 7) metres, quaternion x y z w
    left_out: bool = False          # whether something that moves it is said to be left out

    def of(self, path: str, description: Description) -> Motion:
        """What belongs to one articulation or body."""
        found = object_of(description, path)
        links = {link.path for link in found.links} if isinstance(found, Articulation) else {path}
        dofs = {dof.name for dof in found.dofs} if isinstance(found, Articulation) else set()
        return Motion({name: x for name, x in self.joints.items() if name in dofs},
                      {name: x for name, x in self.poses.items() if name in links}, self.left_out)


def object_of(description: Description, path: str) -> Articulation | Link:
    """The articulation or the body at a path."""
    return next(x for x in (*description.articulations, *description.bodies) if x.path == path)


def apart(first: Motion, second: Motion) -> Array:
    """(n_record,) largest distance of positions, rad or metres; infinite where only one of them is finite.

    Where the second ends in NaN, as PhysX's motion does, the first has to diverge too, and stands still from then on:
    nothing else of the two can be compared. Raises ValueError where they are not of the same joints and bodies.
    """
    for mine, other in ((first.joints, second.joints), (first.poses, second.poses)):
        if mine.keys() != other.keys():
            raise ValueError(f"not of the same things: {sorted(mine.keys() ^ other.keys())}")
    if not all(np.isfinite(x[-1]).all() for x in (*second.joints.values(), *second.poses.values())):
        still = all(np.array_equal(x[-1], x[-2]) for x in (*first.joints.values(), *first.poses.values()))
        return np.full(len(next(iter(first.poses.values()))), 0.0 if still else np.inf)
    errors = [np.abs(x - second.joints[name]) for name, x in first.joints.items()]
    for name, pose in first.poses.items():
        other = second.poses[name]
        errors.append(np.linalg.norm(pose[:, :3] - other[:, :3], axis=1))
        errors.append(_angles(pose[:, 3:], other[:, 3:]))
    largest = np.max(errors, axis=0)
    return np.where(np.isfinite(largest), largest, np.inf)


def _angles(first: Array, second: Array) -> Array:
    """Between rotations, well conditioned near 0."""
    first, second = (q / np.linalg.norm(q, axis=1, keepdims=True) for q in (first, second))
    chord = np.minimum(np.linalg.norm(first - second, axis=1), np.linalg.norm(first + second, axis=1))
    return np.asarray(4.0 * np.arcsin(np.minimum(1.0, chord / 2.0)))


# --- here ------------------------------------------------------------------------------------------------------------

def simulated(description: Description, name: str | None, dt: float, steps: int, every: int = 1,
              **options: Any) -> Motion:
    """One articulation or free body by `simulate`, or with no name all of them together."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotSimulatedWarning)
        record = simulate(description, dt, steps, articulation=name, every=every, **options)
    dofs = {dof.name: dof.angular for a in description.articulations for dof in a.dofs}
    metres = description.scene.meters_per_unit
    q = record.joint_position[:, 0].astype(np.float64)
    poses = record.link_pose[:, 0].astype(np.float64)
    return Motion({name: q[:, i] * (1.0 if dofs[name] else metres) for i, name in enumerate(record.joint_names)},
                  {name: _in_metres(poses[:, i], metres) for i, name in enumerate(record.link_names)},
                  bool(record.not_simulated))


def in_session(path: Path, dt: float, steps: int, every: int = 1) -> Motion:
    """Everything a session steps, as its simulations have it.

    What it writes is less exact to read: USD takes a turn of less than 5e-4 rad in a float quaternion for none.
    """
    stage = Usd.Stage.Open(str(path))
    description = describe(stage)
    metres = description.scene.meters_per_unit
    dofs = {dof.name: dof.angular for a in description.articulations for dof in a.dofs}
    q: dict[str, list[float]] = {}
    poses: dict[str, list[Array]] = {}
    with Session(stage) as session:
        for step in range(steps + 1):
            if step:
                session.step(dt)
            for sim in (session.simulation(name) for name in session.articulations if step % every == 0):
                for name, value in zip(sim.model.dof_names, sim.joint_position[0], strict=True):
                    q.setdefault(name, []).append(float(value) * (1.0 if dofs[name] else metres))
                for link, pose in zip(sim.model.link_names, sim.link_pose[0], strict=True):
                    poses.setdefault(link, []).append(pose.astype(np.float64))
        left_out = any(message.kind == "not-simulated" or message.code.startswith("DJ.011/")
                       for message in session.messages)
    return Motion({name: np.array(values) for name, values in q.items()},
                  {link: _in_metres(np.stack(rows), metres) for link, rows in poses.items()}, left_out)


def _in_metres(poses: Array, metres: float) -> Array:
    return np.concatenate([poses[:, :3] * metres, poses[:, 3:]], axis=1)


# --- PhysX -----------------------------------------------------------------------------------------------------------

def in_physx(stages: Sequence[tuple[Path, float]], steps: int, kept: Path | None = None, every: int = 1,
             description: Description | None = None) -> list[Motion]:
    """Motions of stages, each stepped by its own dt [s]; recordings are kept in a folder, by what the stages say.

    description: of all of them, where they differ in numbers only. Raises RuntimeError with the engine's words where it
    gives no result.
    """
    from scene_recorder import record

    jobs = [{"usd": str(path), "dt": dt, "steps": steps, "every": every} for path, dt in stages]
    places = [kept / f"{_key(path, dt, steps, every)}.pickle" if kept else None for path, dt in stages]
    todo = [i for i, place in enumerate(places) if place is None or not place.is_file()]
    found = dict(zip(todo, record([jobs[i] for i in todo]) if todo else (), strict=True))
    for i, recorded in found.items():
        if (place := places[i]) is not None:
            place.write_bytes(pickle.dumps(recorded))
    recordings = [found[i] if i in found else pickle.loads(place.read_bytes())      # type: ignore[union-attr]
                  for i, place in enumerate(places)]
    return [_motion(recorded, description or describe(str(path)))
            for recorded, (path, _) in zip(recordings, stages, strict=True)]


def _key(path: Path, dt: float, steps: int, every: int) -> str:
    """Of all that a stage says."""
    said = hashlib.sha256(f"{dt!r} {steps} {every}".encode())
    stage = Usd.Stage.Open(str(path))
    for file in sorted(layer.realPath for layer in stage.GetUsedLayers() if layer.realPath):
        said.update(Path(file).read_bytes())
    return said.hexdigest()[:24]


def _motion(recorded: dict[str, Any], description: Description) -> Motion:
    """A recording by names; the engine gives joint positions by path, an angle in degrees."""
    metres = description.scene.meters_per_unit
    dofs = {path: [dof for a in description.articulations for dof in a.dofs if dof.path == path]
            for path in recorded["joints"]}
    columns = [dof for path in recorded["joints"] for dof in dofs[path]]
    q = recorded.get("q", np.zeros((len(recorded["pos"]), 0))).astype(np.float64)
    if q.shape[1] != len(columns):
        raise RuntimeError(f"{description.source}: {q.shape[1]} joint coordinates in PhysX, {len(columns)} here")
    poses = np.concatenate([recorded["pos"] * metres, recorded["quat"]], axis=2).astype(np.float64)
    return Motion({dof.name: q[:, i] * (math.pi / 180.0 if dof.angular else metres) for i, dof in enumerate(columns)},
                  {path: poses[:, i] for i, path in enumerate(recorded["paths"])})


# --- PhysX's own spread ----------------------------------------------------------------------------------------------

def nudged(path: Path, count: int = NUDGES) -> list[Path]:
    """Copies beside a stage's file in which every number of the start is a neighbouring float32."""
    copies = []
    for k in range(count):
        stage = Usd.Stage.Open(str(path))
        random = np.random.default_rng(k)
        for prim in stage.Traverse():
            for attribute in prim.GetAuthoredAttributes():
                if attribute.GetName() in START or attribute.GetName().startswith("state:"):
                    _nudge(attribute, random)
        copies.append(path.with_name(f"nudge{k}_{path.name}"))
        stage.GetRootLayer().Export(str(copies[-1]))
    return copies


def _nudge(attribute: Any, random: np.random.Generator) -> None:
    value = attribute.Get()
    if value is None:
        return
    numbers = np.ravel(np.asarray(_parts(value), dtype=np.float32))
    moved = np.where(random.random(len(numbers)) < 0.5, np.float32(np.inf), -np.float32(np.inf))
    moved = np.where(numbers == 0.0, numbers, np.nextafter(numbers, moved))
    attribute.Set(float(moved[0]) if isinstance(value, float) else type(value)(*map(float, moved)))


def _parts(value: Any) -> Any:
    return (value.GetReal(), *value.GetImaginary()) if hasattr(value, "GetImaginary") else value


def shared(motion: Motion, other: Motion) -> Motion:
    """What of a motion another one has too."""
    return Motion({name: x for name, x in motion.joints.items() if name in other.joints},
                  {name: x for name, x in motion.poses.items() if name in other.poses})


def spread(real: Motion, others: Iterable[Motion]) -> float:
    """How far PhysX's motions from changed starts are from the one, rad or metres."""
    return max(float(apart(real, other).max()) for other in others)


def bar(largest_spread: float) -> float:
    """What an error may come to."""
    return max(FLOAT32, SPREAD_FACTOR * largest_spread)


def kept_out_of_contact(stage: Usd.Stage) -> None:
    """Take the contacts of every collider and keep its mass."""
    for prim in stage.Traverse(Usd.TraverseInstanceProxies()):
        if "PhysicsCollisionAPI" in prim.GetAppliedSchemas() and not prim.IsInstanceProxy():
            attribute = prim.CreateAttribute("physics:collisionEnabled", Sdf.ValueTypeNames.Bool)
            attribute.Set(False)


# --- survey ----------------------------------------------------------------------------------------------------------

STEPS, EVERY = 60, 4
BATCH = 10      # stages in one process of PhysX
# Straight-line code of trees is compared in test_random_physx; this compiles nothing for each stage.
PATH = SCHEDULED


@dataclass(frozen=True, slots=True)
class Row:
    """One object of a stage by one door."""

    seed: int
    door: str               # "simulate" for the object by itself, "stage" for it beside all others, or "session"
    path: str
    error: float = math.nan     # rad or metres
    spread: float = 0.0         # of PhysX; 0 where it was not asked for
    refused: str = ""           # what was raised instead
    named: bool = False         # whether what moves it in PhysX and is left out was named

    @property
    def judged(self) -> bool:
        return not self.refused and not (self.named and not self.ratio <= 1.0)

    @property
    def ratio(self) -> float:
        return self.error / bar(self.spread)

    @property
    def agrees(self) -> bool:
        return self.judged and self.ratio <= 1.0

    def __str__(self) -> str:
        mark = "refused " + self.refused if self.refused else "agrees" if self.agrees else "MISSES"
        mark += " and named" if self.named else ""
        return f"seed {self.seed:5} {self.door:9} {self.path:24} {self.error:8.1e} {self.ratio:10.2f} {mark}"


def surveyed(scenes: Mapping[int, RandomScene], work: Path) -> Iterator[Row]:
    """Every object of the stages; PhysX's spread is asked for where an error leaves FLOAT32 only."""
    files = {seed: scene.write(work / f"seed{seed}") for seed, scene in scenes.items()}
    kept = work / "recordings"
    kept.mkdir(exist_ok=True)
    real = dict(zip(scenes, in_physx([(files[seed], scene.dt) for seed, scene in scenes.items()], STEPS, kept, EVERY),
                    strict=True))
    for seed, scene in scenes.items():
        rows = list(_objects(seed, files[seed], scene.dt, real[seed]))
        doubtful = [row for row, _ in rows if not row.refused and not row.ratio <= 1.0]
        others = in_physx([(copy, scene.dt) for copy in nudged(files[seed])], STEPS, kept, EVERY,
                          describe(str(files[seed]))) if doubtful else []
        for row, own in rows:
            if row in doubtful:
                against = shared(real[seed], own)
                row = replace(row, spread=spread(against, [shared(other, own) for other in others]))
            yield row


def _objects(seed: int, file: Path, dt: float, real: Motion) -> Iterator[tuple[Row, Motion]]:
    """Each row with what it is about."""
    description, nothing = describe(str(file)), Motion({}, {})
    movers = [*(a.path for a in description.articulations), *(body.path for body in description.loose_bodies)]
    for path in movers:
        try:
            own = simulated(description, path, dt, STEPS, EVERY, path=PATH)
        except UnsupportedError as error:
            yield Row(seed, "simulate", path, refused=str(error)), nothing
            continue
        yield Row(seed, "simulate", path, float(apart(own, real.of(path, description)).max()), named=own.left_out), own
    try:
        together, why = simulated(description, None, dt, STEPS, EVERY, path=PATH), ""
    except UnsupportedError as error:
        together, why = nothing, str(error)
    for door, whole, refused in (("stage", together, why), ("session", in_session(file, dt, STEPS, EVERY), "")):
        for path in movers:
            own = whole.of(path, description)
            if not own.poses:
                yield Row(seed, door, path, refused=refused or "not stepped"), nothing
                continue
            yield Row(seed, door, path, float(apart(own, real.of(path, description)).max()), named=own.left_out), own
