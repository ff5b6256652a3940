"""Bodies, each alone and free: pushed, turned and thrown for one step, in a world for each experiment."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from physx_runtime.dynamics import spatial as sp
from physx_runtime.packing.actor import pack_actor
from physx_runtime.packing.body import free_body
from physx_runtime.packing.frames import compose
from physx_runtime.packing.model import PackedModel
from physx_runtime.simulation.articulation import Simulation
from physx_runtime.simulation.divergence import DivergenceWarning
from physx_runtime.worlds.path import AUTO, BY_JOINT
from physx_schema.description.model import ActorDescription, Articulation, Description, Link, Push

Array = NDArray[np.float64]
_STILL = (0.0, 0.0, 0.0)
# A load on the centre of mass, in the body's axes, which the worlds set.
_LOAD = Push("", True, False, False, _STILL, _STILL, None)


@dataclass(frozen=True, slots=True)
class Throw:
    """One experiment: how a body starts, what pushes it, and which of its habits are kept."""

    velocity: tuple[sp.Vec3, sp.Vec3] | None = (_STILL, _STILL)     # linear at the centre of mass, angular; None: as
                                                                    # authored
    force: sp.Vec3 = _STILL                 # at the centre of mass
    torque: sp.Vec3 = _STILL
    keeps: tuple[str, ...] = ()             # rows as authored: dampings and greatest velocities
    round: bool = False                     # the same moments about all axes: it does not tumble


@dataclass(frozen=True, slots=True)
class Thrown:
    """A body a step later; axes of its frame at the start."""

    linear: Array           # (3,) velocity of the centre of mass
    angular: Array          # (3,) rad/s
    place: Array            # (3,) of its frame's origin, which starts at 0
    rotation: Array         # (3, 3) of its frame, which starts at 1


def alone(link: Link, owner: Articulation | None) -> ActorDescription:
    """A link as an articulation of its own, or a body outside articulations; free and without colliders."""
    freed = replace(link, parent=-1, joint=None, pose=(_STILL, (0.0, 0.0, 0.0, 1.0)), colliders=(), pushes=(_LOAD,),
                    kinematic=False)
    if owner is None:
        assert link.body is not None
        return free_body(replace(freed, body=replace(link.body, locked_position=0, locked_rotation=0)))
    return replace(owner, links=(freed,), fixed_base=False, base_joint=None, fixed_tendons=(), spatial_tendons=(),
                   mimics=(), enabled=True)


def throw(description: Description, actors: Sequence[ActorDescription], throws: Sequence[Sequence[Throw]],
          dt: float, solver: str) -> list[list[Thrown]]:
    """Every body after a step of each of its throws; the bodies are in one scene and alike but for their numbers."""
    scene = description.scene_of(actors[0])
    models = [pack_actor(actor, scene, solver) for actor in actors]
    # a step is not worth compiling for, but a body has no other way
    path = BY_JOINT if isinstance(actors[0], Articulation) else AUTO
    sim = Simulation(description.only(actors[0]), sum(map(len, throws)), dt=dt, dtype="float64", solver=solver,
                     path=path, sleeping=False)
    worlds = [_rows(model, item) for model, own in zip(models, throws, strict=True) for item in own]
    for name, first in sim.model.parameters.items():
        if first.size:
            sim.set_row(name, np.stack([rows[name] for rows in worlds]))
    for name in sim.model.state:
        sim.set(name, np.stack([rows[name] for rows in worlds]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivergenceWarning)      # the numbers are then no numbers
        sim.step()
    found = iter(zip(*(np.asarray(sim.get(name), dtype=np.float64)
                       for name in ("v", "root_position", "root_rotation")), strict=True))
    return [[_thrown(model, *next(found)) for _ in own] for model, own in zip(models, throws, strict=True)]


def _rows(model: PackedModel, item: Throw) -> dict[str, Array]:
    """Parameters and state of one world."""
    rows = {**model.parameters, **model.state}
    _, turn = model.link_frames[0]
    free = {"gravity": np.zeros(3), "linear_damping": np.zeros(1), "angular_damping": np.zeros(1),
            "max_linear_velocity": np.full(1, np.inf), "max_angular_velocity": np.full(1, np.inf)}
    rows |= {name: values for name, values in free.items() if name not in item.keeps}
    rows["push0_force"], rows["push0_torque"] = (np.array(sp.rotate(turn, load)) for load in (item.force, item.torque))
    if item.velocity is not None:
        rows["v"] = np.array([*item.velocity[0], *item.velocity[1]])
    if item.round:
        rows["inertia"] = np.where(np.arange(6) < 3, np.mean(rows["inertia"][:3]), 0.0)
    return rows


def _thrown(model: PackedModel, v: Array, position: Array, rotation: Array) -> Thrown:
    place, turn = compose((_vector(position), (*_vector(rotation), float(rotation[3]))), model.link_frames[0])
    return Thrown(v[:3], v[3:6], np.array(place), np.array(sp.matrix(turn), dtype=np.float64))


def _vector(values: Array) -> sp.Vec3:
    x, y, z = (float(value) for value in values[:3])
    return x, y, z
