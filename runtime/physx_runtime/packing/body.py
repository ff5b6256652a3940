"""Rigid body -> topology and parameter rows."""

from __future__ import annotations

import numpy as np

from physx_runtime.dynamics import spatial as sp
from physx_runtime.model.topology import BodyTopology
from physx_runtime.packing.frames import IDENTITY_ROTATION, compose, inverse
from physx_runtime.packing.model import PackedModel, arrays, stepping
from physx_runtime.packing.pushes import push_rows, push_topology
from physx_schema.description.model import BodySettings, FreeBody, Link, Scene
from physx_schema.errors import UnsupportedError

SETTINGS = ("linear_damping", "angular_damping", "max_linear_velocity", "max_angular_velocity")


def free_body(link: Link) -> FreeBody:
    """A body outside articulations as what is stepped by itself; raises UnsupportedError for a link of one."""
    settings = _settings(link)
    return FreeBody(link, settings.position_iterations, settings.velocity_iterations)


def _settings(body: Link) -> BodySettings:
    if body.body is None:
        raise UnsupportedError(f"{body.path}: a link of an articulation is no body of its own; step the articulation")
    return body.body


def pack_body(actor: FreeBody, scene: Scene, solver: str = "physx") -> PackedModel:
    """The model of a body, for solver="physx" or "ideal". Its frame F is at its centre of mass, axes as its prim's.

    Raises UnsupportedError, naming everything that the step does not handle.
    """
    body, settings = actor.body, _settings(actor.body)
    _refuse_unsupported(body, settings)
    frame = body.center_of_mass, IDENTITY_ROTATION
    kind, forces_every_iteration = stepping(scene, solver)
    topology = BodyTopology(forces_every_iteration, kind, sleeping=scene.sleeping,
                            pushes=tuple(push_topology(0, push) for push in body.pushes))
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia
    inertia = sp.rotate_sym(sp.matrix(inverse(frame)[1]), (xx, yy, zz, xy, xz, yz))
    parameters = {"gravity": list(scene.gravity), "mass": [body.mass], "inertia": list(inertia),
                  "gravity_enabled": [float(body.gravity_enabled)], "gyroscopic": [float(settings.gyroscopic)]}
    parameters |= {name: [getattr(body, name)] for name in SETTINGS}
    if topology.sleeping:
        parameters["sleep_threshold"] = [settings.sleep_threshold]
    for i, push in enumerate(body.pushes):
        parameters |= push_rows(f"push{i}", push, frame)
    position, rotation = compose(body.pose, frame)
    still = settings.starts_asleep and topology.sleeping
    state = {"q": [], "v": [0.0] * 6 if still else [*body.linear_velocity, *body.angular_velocity],
             "root_position": list(position), "root_rotation": list(rotation)}
    return PackedModel(topology, arrays(parameters), arrays(state), (), (body.path,), (inverse(frame),),
                       actor.position_iterations, actor.velocity_iterations, actor, scene)


def _refuse_unsupported(body: Link, settings: BodySettings) -> None:
    problems = []
    for name, axes in (("position", "lockedPosAxis"), ("rotation", "lockedRotAxis")):
        if getattr(settings, f"locked_{name}"):
            problems.append(f"{body.path}: physxRigidBody:{axes} is {getattr(settings, f'locked_{name}')}; bodies "
                            "with locked axes are not stepped, set it to 0")
    if not np.all(np.isfinite(body.inertia)):
        problems.append(f"{body.path}: physics:diagonalInertia has a moment of 0, which nothing turns; bodies "
                        "with infinite moments are not stepped, author three positive moments")
    if body.kinematic:
        problems.append(f"{body.path}: physics:kinematicEnabled is true; the body stays where it is, set it to "
                        "false to step it")
    if problems:
        raise UnsupportedError("\n".join(problems))
