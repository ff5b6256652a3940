"""A body or an articulation on the ground, stepped with the contacts that PhysX had: what is left is their answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from physx_runtime.collision.friction_patch import RIGID_BODY, SURFACE
from physx_runtime.collision.pair_table import ContactTable, PairTable
from physx_runtime.collision.shapes import CONTACT, PAIR, SHAPE
from physx_runtime.model.body_kind import BODY, LINK, STATIC
from physx_runtime.model.island import IslandTopology
from physx_runtime.model.topology import Topology
from physx_runtime.packing.frames import compose
from physx_runtime.packing.model import PackedModel
from physx_runtime.packing.scene import pack_scene
from physx_runtime.solver.settings import solver_settings
from physx_runtime.worlds.contact.worlds import ContactWorlds

from physx_schema.description import describe
from support.physx.recorded_scenes import Recorded, recorded

Array = NDArray[Any]
# What a stage resolves to that authors none of these, in metres (contact_solver.md, section 2).
FRICTION_OFFSET, CORRELATION = 0.04, 0.025


@dataclass(frozen=True, slots=True)
class Pair:
    """How the body and what it meets answer each other."""

    static_friction: float = 0.5
    dynamic_friction: float = 0.5
    restitution: float = 0.0
    max_depenetration: float = 3.0
    torsion_radius: float = 0.0
    min_torsion_radius: float = 0.0


@dataclass(slots=True)
class Replay:
    """Contacts of PhysX, step by step, in the place of contact generation."""

    contacts: dict[int, Array]
    step: int = 0

    def __call__(self, pairs: PairTable, poses: Array, awake: Callable[[PairTable], Array]) -> Array:
        awake(pairs)
        found = self.contacts.get(self.step, np.zeros(0, CONTACT))
        counts = np.bincount(found["pair"], minlength=len(pairs.rows))
        fresh = (counts > 0) & (pairs.rows["contacts"] == 0)
        pairs.rows["creation_index"][fresh] = (self.step + 1) * len(pairs.rows) + np.flatnonzero(fresh)
        pairs.rows["contacts"], pairs.rows["first"] = counts, np.searchsorted(found["pair"], np.arange(len(counts)))
        pairs.touching = np.flatnonzero(counts).astype(np.int32)
        self.step += 1
        return found


@dataclass(slots=True)
class ReplayedScene:
    """The world of a recorded case, and what it left so far."""

    real: Recorded
    impulses_of: dict[int, Array]           # of PhysX's contacts, by step
    replay: Replay
    worlds: ContactWorlds
    model: PackedModel
    iterations: tuple[int, int]
    poses: list[Array] = field(default_factory=list)
    velocities: list[Array] = field(default_factory=list)       # of a body; generalised ones of an articulation
    joint_positions: list[Array] = field(default_factory=list)
    impulses: dict[int, Array] = field(default_factory=dict)

    def run(self) -> ReplayedScene:
        """Step to the last record."""
        self._note()
        for step in range(int(self.real.steps[-1])):
            self.worlds.step(1, *self.iterations)
            self.impulses[step] = self.worlds.impulses
            self._note()
        return self

    def apart(self) -> list[str]:
        """Where its motion is beyond the case's tolerance."""
        pose, velocity = np.array(self.poses)[self.real.steps], np.array(self.velocities)[self.real.steps]
        return [*self.real.poses_apart(pose[:, None]), *self.real.velocities_apart(velocity[:, None])]

    def _note(self) -> None:
        at, turned, v = (self.worlds.rows(f"actor0_{name}")[0].astype(float)
                         for name in ("root_position", "root_rotation", "v"))
        place, turn = compose((tuple(at), tuple(turned)), self.model.link_frames[0])
        self.poses.append(np.array([*place, *turn]))
        self.velocities.append(v)
        if isinstance(self.model.topology, Topology):
            self.joint_positions.append(self.worlds.rows("actor0_q")[0].astype(float))


def replayed(folder: Path, pair: Pair, last: int, dtype: str) -> ReplayedScene:
    """A case of one body or articulation up to a step, its contacts those with the ground.

    Its `replay` is to stand in for `worlds.contact.worlds.generate`.
    """
    with np.load(folder / "expected.npz") as file:
        expected = dict(file)
    model = next(iter(pack_scene(describe(str(folder / "stage.usda")), "physx", contacts=False).single.values()))
    steps = expected["contact_step"]
    contacts = np.zeros(len(steps), CONTACT)
    paths = model.link_names
    contacts["pair"] = [paths.index(path) for path in expected["contact_body"].tolist()]
    for name in ("point", "normal", "separation"):
        contacts[name] = expected[f"contact_{name}"]
    known = min(int(steps.max()) + 1, last)
    order = np.lexsort((contacts["pair"], steps))
    contacts, steps, impulses = contacts[order], steps[order], expected["contact_impulse"][order]
    settings = solver_settings("physx", model)
    topology = IslandTopology((replace(model.topology, sleeping=False),), ())
    worlds = ContactWorlds(topology, 1, dtype, _table(pair, model))
    real = _until(recorded(folder), known)
    for name, values in {**model.parameters, **model.state, **settings.rows(real.dt)}.items():
        if f"actor0_{name}_0" in worlds.layout:
            worlds.write(f"actor0_{name}", np.atleast_1d(np.asarray(values, dtype))[None])
    return ReplayedScene(
        real, {step: impulses[steps == step] for step in range(known)},
        Replay({step: contacts[steps == step] for step in range(known)}), worlds, model,
        (settings.position_iterations, settings.velocity_iterations))


def _until(real: Recorded, last: int) -> Recorded:
    """The records for which contacts are known."""
    some = real.steps <= last
    return replace(real, steps=real.steps[some], pose=real.pose[some], velocity=real.velocity[some])


def _table(pair: Pair, model: PackedModel) -> ContactTable:
    """One collider of every link, and the ground."""
    n, linked = len(model.link_names), isinstance(model.topology, Topology)
    shapes, places = np.zeros(n + 1, SHAPE), np.zeros(n + 1, RIGID_BODY)
    rows, surfaces = np.zeros(n, PAIR), np.zeros((1, 1), SURFACE)
    shapes["body"], places["rotation"][:, 3] = np.arange(n + 1), 1.0
    places["kind"], places["link"][:n] = [*[LINK if linked else BODY] * n, STATIC], np.arange(n)
    rows["shape0"], rows["shape1"] = np.arange(n), n
    for name in ("static_friction", "dynamic_friction", "restitution"):
        surfaces[name] = getattr(pair, name)
    pairs = PairTable(shapes, n)
    pairs.rows = rows
    return ContactTable(pairs, places, surfaces, np.array([*[pair.max_depenetration] * n, np.inf]),
                        np.full(n + 1, np.inf), np.full(n + 1, pair.torsion_radius),
                        np.full(n + 1, pair.min_torsion_radius), 0.0, FRICTION_OFFSET, CORRELATION, {})
