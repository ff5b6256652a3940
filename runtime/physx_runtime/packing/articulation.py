"""Articulation -> topology and rows: the one place where authored facts become the solver's numbers."""

from __future__ import annotations

from physx_runtime.model.topology import Topology
from physx_runtime.packing.facts import RowValues
from physx_runtime.packing.frames import internal_frame, inverse_frame
from physx_runtime.packing.joints import joint_rows
from physx_runtime.packing.links import authored_state, link_rows
from physx_runtime.packing.model import PackedModel, arrays, length_scale
from physx_runtime.packing.pushes import push_rows
from physx_runtime.packing.structure import structure_of
from physx_runtime.packing.tendons import fixed_tendon_rows, mimic_rows, spatial_tendon_rows
from physx_schema.description.model import Articulation, Scene
from physx_schema.errors import UnsupportedError

# rad, physx_semantics.md, spherical and generic joints.
LEAST_TURN = 1e-6
# (rad or length)/s an impulse, PX_EPS_F32 whatever the units; physx_semantics.md, performance envelope.
LEAST_RESPONSE = 2.0**-23


def pack(articulation: Articulation, scene: Scene, solver: str = "physx") -> PackedModel:
    """The model of an articulation, for solver="physx" or "ideal".

    Raises UnsupportedError for one that is not enabled.
    """
    if not articulation.enabled:
        raise UnsupportedError(f"{articulation.path}: physxArticulation:articulationEnabled is false; only enabled "
                               "articulations are stepped, set it to true")
    topology = structure_of(articulation, scene, solver)
    into = tuple(inverse_frame(internal_frame(link, articulation.fixed_base)) for link in articulation.links)
    parameters = _world_rows(topology, articulation, scene, length_scale(scene, solver))
    parameters |= link_rows(articulation, into) | joint_rows(articulation) | push_rows(articulation, into)
    parameters |= fixed_tendon_rows(articulation) | spatial_tendon_rows(articulation, into) | mimic_rows(articulation)
    return PackedModel(
        topology, arrays(parameters), arrays(authored_state(articulation, len(topology.locked))),
        tuple(dof.name for dof in articulation.dofs), tuple(link.path for link in articulation.links), into,
        articulation.position_iterations, articulation.velocity_iterations, articulation, scene)


def _world_rows(t: Topology, articulation: Articulation, scene: Scene, size: float) -> RowValues:
    """Rows of the whole model."""
    rows: RowValues = {"gravity": list(scene.gravity), "length_scale": [size],
                  "least_response": [LEAST_RESPONSE]}
    if t.sleeping:
        rows["sleep_threshold"] = [articulation.sleep_threshold]
    if not t.fixed_base:
        rows |= {"root_axes": list(articulation.links[0].principal_axes), "single_turn": [1.0],
                 "root_center": [0.0, 0.0, 0.0]}
    if t.balls:
        rows["least_turn"] = [0.0 if t.pgs else LEAST_TURN]
    return rows
