"""`pack_body` turns a rigid body of the description into a `PackedModel`; `pack_actor` packs a body or an articulation.
"""

from __future__ import annotations

import numpy as np

from physx_runtime.model.row_specs import LINK, input_rows
from physx_runtime.model.topology import BodyTopology
from physx_runtime.packing.articulation import (
    authored_state,
    external_force_rows,
    external_force_topologies,
    pack,
    principal_moments,
)
from physx_runtime.packing.frames import inverse_frame, root_frame_in_link
from physx_runtime.packing.model import PackedModel, arrays, fact_rows, solver_settings
from physx_schema.description.model import ActorDescription, BodySettings, FreeBody, Link, Scene
from physx_schema.errors import UnsupportedError


def free_body(link: Link) -> FreeBody:
    """A body outside articulations as an actor; raises UnsupportedError for a link of an articulation."""
    settings = _settings(link)
    return FreeBody(link, settings.position_iterations, settings.velocity_iterations)


def _settings(body: Link) -> BodySettings:
    if body.body is None:
        raise UnsupportedError(f"{body.path} is a link of an articulation; step the articulation")
    return body.body


def pack_body(actor: FreeBody, scene: Scene, solver: str = "physx") -> PackedModel:
    """The model of a body, for solver="physx" or "ideal". Its frame F is that of its principal moments.

    Raises UnsupportedError, naming everything that the step does not handle.
    """
    body, settings = actor.body, _settings(actor.body)
    _refuse_unsupported(body)
    link_frame = inverse_frame(root_frame_in_link(actor))
    kind, forces_every_iteration = solver_settings(scene, solver)
    topology = BodyTopology(forces_every_iteration, kind, sleeping=scene.sleeping,
                            external_forces=external_force_topologies(actor),
                            locked_position=_axes(settings.locked_position),
                            locked_rotation=_axes(settings.locked_rotation))
    parameters = {"gravity": list(scene.gravity), "gyroscopic": [float(settings.gyroscopic)],
                  "inertia": [*principal_moments(body), 0.0, 0.0, 0.0], **external_force_rows(actor, (link_frame,))}
    inputs = input_rows(topology)
    parameters |= {name: values for name, values in fact_rows(LINK, [body]).items() if name in inputs}
    if topology.sleeping:
        parameters["sleep_threshold"] = [settings.sleep_threshold]
    state = authored_state(actor, 0)
    if settings.starts_asleep and topology.sleeping:
        state["v"] = [0.0] * topology.nv
    return PackedModel(topology, arrays(parameters), arrays(state), (), (body.path,), (link_frame,),
                       actor.position_iterations, actor.velocity_iterations, actor, scene)


def _axes(bits: int) -> tuple[int, ...]:
    """The world axes whose bits are set."""
    return tuple(axis for axis in range(3) if bits >> axis & 1)


def _refuse_unsupported(body: Link) -> None:
    problems = []
    if not np.all(np.isfinite(body.inertia)):
        problems.append(f"{body.path}: physics:diagonalInertia has a moment of 0, which PhysX treats as infinite; "
                        "such bodies are not simulated; author three positive moments")
    if body.kinematic:
        problems.append(f"{body.path}: physics:kinematicEnabled is true; a kinematic body does not move alone; "
                        "set it to false to simulate it")
    if problems:
        raise UnsupportedError("\n".join(problems))


def pack_actor(actor: ActorDescription, scene: Scene, solver: str = "physx") -> PackedModel:
    """The model of an articulation or a body, for solver="physx" or "ideal".

    Raises UnsupportedError, naming every prim that the step does not handle.
    """
    return pack_body(actor, scene, solver) if isinstance(actor, FreeBody) else pack(actor, scene, solver)
