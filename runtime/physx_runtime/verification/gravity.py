"""The experiment on gravity: something in the scene falls for a step, free of everything else."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from physx_runtime.packing.body import free_body
from physx_runtime.simulation.articulation import Simulation
from physx_runtime.verification.authored import Authored
from physx_runtime.verification.bench import stripped
from physx_runtime.verification.quantity import uncertainty
from physx_runtime.verification.report import (
    ALTERED,
    AS_AUTHORED,
    IGNORED,
    Row,
    Value,
    agree,
)
from physx_runtime.worlds.path import AUTO, BY_JOINT
from physx_schema.description.model import ActorDescription, Articulation, Description, Link, Scene
from physx_schema.description.poses import Vec3
from physx_schema.errors import UnsupportedError

MAGNITUDE_PROPERTY, DIRECTION_PROPERTY = "physics:gravityMagnitude", "physics:gravityDirection"


def gravity_rows(description: Description, authored: Authored, dt: float) -> Iterator[Row]:
    """The rows of what scenes author of gravity, where something falls in them; length / s^2."""
    for scene in description.scenes:
        names = [name for name in (MAGNITUDE_PROPERTY, DIRECTION_PROPERTY) if (scene.path, name) in authored]
        falling = next(_falling(description, scene), None) if names and all(map(math.isfinite, scene.gravity)) else None
        if falling is None:     # or PhysX gets no place for what falls, which the account of the stage says
            continue
        try:
            effective, ideal = (_acceleration(description, scene, falling, dt, solver) for solver in ("physx", "ideal"))
        except UnsupportedError:
            continue
        # a negative magnitude turns the direction round
        magnitude = authored.get((scene.path, MAGNITUDE_PROPERTY), 1.0)
        sign = -1.0 if isinstance(magnitude, float) and magnitude < 0.0 else 1.0
        for name in names:
            found, best = (_part(name, acceleration, sign) for acceleration in (effective, ideal))
            yield _row(scene, name, authored[scene.path, name], found, best)


def _falling(description: Description, scene: Scene) -> Iterator[ActorDescription]:
    """What moves freely in a scene once everything else is taken away."""
    inside: list[Articulation | Link] = [a for a in description.articulations if a.enabled and a.dofs]
    for item in (*inside, *(body for body in description.separate_bodies if not body.kinematic)):
        if description.scene_of(item).path == scene.path:
            yield _freed(item) if isinstance(item, Articulation) else free_body(_freed_link(item))


def _freed(articulation: Articulation) -> Articulation:
    """Without a base that holds it and constraints, its links freed too."""
    links = tuple(map(_freed_link, articulation.links))
    return replace(stripped(replace(articulation, links=links)), fixed_base=False, base_joint=None)


def _freed_link(link: Link) -> Link:
    """Without authored forces, colliders, dampings and motion."""
    still = (0.0, 0.0, 0.0)
    return replace(link, pushes=(), colliders=(), gravity_enabled=True, linear_damping=0.0, angular_damping=0.0,
                   linear_velocity=still, angular_velocity=still)


def _acceleration(description: Description, scene: Scene, falling: ActorDescription, dt: float, solver: str) -> Vec3:
    """What the root gains in speed in one step from rest, per second."""
    alone = replace(description.only(falling), scene=scene)
    # a single step is not worth compiling for, but a body without joints has no other way
    path = BY_JOINT if falling.dofs else AUTO
    sim = Simulation(alone, dt=dt, dtype="float64", solver=solver, path=path, sleeping=False)
    sim.set("v", np.zeros_like(sim.get("v")))
    sim.step()
    x, y, z = (float(speed) / dt for speed in sim.get("v")[0, :3])
    return x, y, z


def _row(scene: Scene, name: str, authored: Value, effective: Value, ideal: Value) -> Row:
    """As authored where the numbers agree; of a direction its length does not count."""
    unit = "" if name == DIRECTION_PROPERTY else "length/s^2"
    wanted = _part(DIRECTION_PROPERTY, authored, 1.0) if isinstance(authored, tuple) else authored
    verdict, reason = ALTERED, ("PhysX multiplies physics:gravityMagnitude by physics:gravityDirection, whatever its "
                                "length is")
    error = uncertainty(math.hypot(*effective) if isinstance(effective, tuple) else effective, 0.0)
    if agree(wanted, effective, error):
        verdict, reason = AS_AUTHORED, ""
    elif scene.gravity_source:
        verdict, reason = IGNORED, f"{scene.gravity_source} decides about gravity"
    return Row(scene.path, name, authored, effective, ideal, verdict, reason, unit, uncertainty=error)


def _part(name: str, acceleration: tuple[float, ...], sign: float) -> Value:
    """The size or the direction of an acceleration, no direction where there is none."""
    size = sign * math.hypot(*acceleration)
    if name == MAGNITUDE_PROPERTY:
        return float(f"{size:.7g}") + 0.0
    return tuple(float(f"{x / size:.7g}") + 0.0 if size else 0.0 for x in acceleration)
