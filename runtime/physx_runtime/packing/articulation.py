"""`pack` turns an articulation of the description into a `PackedModel`: topology, parameter rows and authored state.
Rows are packed by owner: links, degrees of freedom, drives with envelopes, tendons, mimic joints and authored forces
(PhysxForceAPI). `topology_of` gives the structure that code is traced for. No other file turns authored facts of
articulations into rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from physx_runtime.dynamics import spatial as sp
from physx_runtime.model.owners import acting_fixed_tendons, acting_spatial_tendons, leaf_paths
from physx_runtime.model.row_specs import (
    ATTACHMENT,
    DOF,
    EXTERNAL_FORCE,
    FIXED_TENDON,
    GROUPS,
    LEAF,
    LINK,
    MIMIC,
    PARAMETER,
    SPATIAL_TENDON,
    TENDON_AXIS,
    RowKey,
    owner_prefix,
    rows_of,
)
from physx_runtime.model.topology import (
    FIXED,
    PRISMATIC,
    REVOLUTE,
    ROOT,
    SAPIEN,
    SPHERICAL,
    DofTopology,
    ExternalForceTopology,
    FixedTendonTopology,
    LinkTopology,
    SpatialTendonTopology,
    Topology,
)
from physx_runtime.packing.frames import (
    Frame,
    in_frame,
    inertia_in_frame,
    internal_frame,
    inverse_frame,
    root_frame,
    root_frame_in_link,
    tree_frame,
)
from physx_runtime.packing.mass_frames import as_single, root_center
from physx_runtime.packing.model import (
    PackedModel,
    RowValues,
    arrays,
    fact_rows,
    fact_values,
    length_scale,
    solver_settings,
)
from physx_schema.description.articulation.spatial_tendons import position_in_link
from physx_schema.description.model import (
    ActorDescription,
    Articulation,
    Dof,
    ExternalForce,
    FixedTendon,
    Joint,
    Link,
    Scene,
    unlimited,
)
from physx_schema.errors import UnsupportedError

# Start-of-step maximum where PhysX looks at an axis that the joint does not have, rad/s or stage units/s, whatever is
# authored (docs/reference/physx/limits_and_friction.md).
OTHER_AXIS_MAX_VELOCITY = 100.0


def joint_rows(articulation: Articulation) -> RowValues:
    """Rows of every degree of freedom: facts of the dof, of its drive and of the drive's envelope."""
    dofs, joints = articulation.dofs, [link.joint for link in articulation.links if link.joint]
    drives = [dof.drive for dof in dofs]
    holders: dict[str, Sequence[object]] = {
        "drive": drives, "envelope": [drive.envelope if drive else None for drive in drives],
        "load_friction": [None] * len(dofs)}
    rows = {row.name: fact_values(row, holders.get(row.feature, dofs)) for row in rows_of(DOF, PARAMETER)}
    return rows | {"joint_effort": [0.0] * len(dofs),
                   "velocity_clamp": [clamp for joint in joints for clamp in _start_clamps(joint)]}


def axis_of(joint: Joint, dof: int) -> int:
    """The axis of F a dof turns about or slides along."""
    if joint.kind == "d6":
        return int(np.argmax(np.abs(joint.dofs[dof].axis)))
    return dof


def _start_clamps(joint: Joint) -> Iterator[float]:
    """Start-of-step maximum of a joint's dofs: PhysX gives the n-th dof the maximum of the joint's n-th axis."""
    max_velocities = {axis_of(joint, n): math.inf if unlimited(dof.max_velocity) else dof.max_velocity
                      for n, dof in enumerate(joint.dofs)}
    for n in range(len(joint.dofs)):
        yield OTHER_AXIS_MAX_VELOCITY if joint.kind == "prismatic" else max_velocities.get(n, OTHER_AXIS_MAX_VELOCITY)


# Of PhysX's loader, in single precision (degToRad).
RADIANS_PER_DEGREE = np.float32(math.radians(1.0))


def link_rows(actor: ActorDescription, link_frames: tuple[Frame, ...]) -> RowValues:
    """Rows of every link. link_frames: each link's frame in its F."""
    rows = fact_rows(LINK, actor.links)
    derived: RowValues = {"com": [], "inertia": [], "tree_position": [], "tree_rotation": []}
    for link, link_frame in zip(actor.links, link_frames, strict=True):
        position, rotation = tree_frame(link.joint, link_frames[link.parent])
        derived["com"] += in_frame(link_frame, link.center_of_mass)
        derived["inertia"] += inertia_in_frame(link_frame, symmetric(link.inertia))
        derived["tree_position"] += position
        derived["tree_rotation"] += rotation
    return rows | derived


def symmetric(matrix: tuple[sp.Vec3, sp.Vec3, sp.Vec3]) -> sp.Sym3:
    """The six numbers of a symmetric matrix."""
    a, b, c = matrix
    return a[0], b[1], c[2], a[1], a[2], b[2]


def principal_moments(link: Link) -> sp.Vec3:
    """The moments of a link's inertia about its principal axes."""
    rotation = np.array(sp.matrix(link.principal_axes), dtype=np.float64)
    x, y, z = np.diagonal(rotation.T @ np.array(link.inertia, dtype=np.float64) @ rotation)
    return (float(x), float(y), float(z))


def authored_state(actor: ActorDescription, locked: int) -> RowValues:
    """The rows of the authored state."""
    root = actor.links[0]
    velocity = [] if actor.fixed_base else [*root.linear_velocity, *root.angular_velocity]
    position, rotation = root_frame(root.pose, root_frame_in_link(actor))
    if isinstance(actor, Articulation) and not actor.fixed_base:
        x, y, z = map(as_single, position, root_center(root))
        position = x, y, z
    rows = {"q": [_start(dof) for dof in actor.dofs],
            "v": [*velocity, *(dof.velocity for dof in actor.dofs)],
            "root_position": list(position), "root_rotation": list(rotation)}
    return rows | ({"locked": [0.0] * locked} if locked else {})


def _start(dof: Dof) -> float:
    """Where a degree of freedom starts, to the bit where the loader's single precision turns degrees into radians."""
    if not dof.angular or not math.isfinite(dof.position):
        return dof.position
    return as_single(dof.position, RADIANS_PER_DEGREE * np.float32(math.degrees(dof.position)))


def fixed_tendon_rows(articulation: Articulation) -> RowValues:
    """Rows of the active fixed tendons and of their axes."""
    rows: RowValues = {}
    for i, tendon in enumerate(acting_fixed_tendons(articulation)):
        prefix = owner_prefix(GROUPS[FIXED_TENDON], i)
        rows |= fact_rows(FIXED_TENDON, [tendon], prefix) | fact_rows(TENDON_AXIS, tendon.axes, prefix)
    return rows


def spatial_tendon_rows(articulation: Articulation, link_frames: tuple[Frame, ...]) -> RowValues:
    """Rows of every leaf, each a tendon of its own, and of its attachments. link_frames: links' frames in their F."""
    rows: RowValues = {}
    tendons = acting_spatial_tendons(articulation)
    for i, (tendon, path) in enumerate(leaf_paths(articulation)):
        key = RowKey(GROUPS[LEAF], i, "position")
        prefix, attachments = key.prefix, [tendons[tendon].attachments[n] for n in path]
        positions = [in_frame(link_frames[a.link], position_in_link(articulation.links[a.link], a))
                     for a in attachments]
        rows |= fact_rows(SPATIAL_TENDON, [tendons[tendon]], prefix) | fact_rows(LEAF, attachments[-1:], prefix)
        rows |= fact_rows(ATTACHMENT, attachments, prefix) | {str(key): [x for p in positions for x in p]}
    return rows


def mimic_rows(articulation: Articulation) -> RowValues:
    """Rows of the mimic joints."""
    rows: RowValues = {}
    for i, mimic in enumerate(articulation.mimics):
        rows |= fact_rows(MIMIC, [mimic], owner_prefix(GROUPS[MIMIC], i))
    return rows


def external_forces(actor: ActorDescription) -> list[tuple[int, ExternalForce]]:
    """Authored forces by link, disabled ones included, so that enabling one needs no new code."""
    return [(i, external_force) for i, link in enumerate(actor.links) for external_force in link.external_forces]


def external_force_topologies(actor: ActorDescription) -> tuple[ExternalForceTopology, ...]:
    """The structure of every authored force."""
    return tuple(ExternalForceTopology(link, external_force.world, external_force.acceleration,
                                       external_force.point is None)
                 for link, external_force in external_forces(actor))


def external_force_rows(actor: ActorDescription, link_frames: tuple[Frame, ...]) -> RowValues:
    """Force and torque in world axes or in those of F, and the point in F; 0 where the force is disabled."""
    rows: RowValues = {}
    for i, (link, external_force) in enumerate(external_forces(actor)):
        vectors = {"force": external_force.force, "torque": external_force.torque}
        vectors = {key: value if external_force.world else sp.rotate(link_frames[link][1], value) for key,
                   value in vectors.items()}
        vectors = {key: value if external_force.enabled else (0.0, 0.0, 0.0) for key, value in vectors.items()}
        vectors["point"] = in_frame(link_frames[link], external_force.point or (0.0, 0.0, 0.0))
        rows |= {str(RowKey(GROUPS[EXTERNAL_FORCE], i, field)): list(value) for field, value in vectors.items()}
    return rows


JOINT_KINDS = {"revolute": REVOLUTE, "prismatic": PRISMATIC, "fixed": FIXED, "spherical": SPHERICAL, "d6": FIXED}


def topology_of(articulation: Articulation, scene: Scene, solver: str) -> Topology:
    """The topology of an articulation, for solver="physx" or "ideal"."""
    kind, forces_every_iteration = solver_settings(scene, solver)
    tendons = acting_spatial_tendons(articulation)
    topology = Topology(
        articulation.fixed_base, forces_every_iteration,
        tuple(_link_topology(link) for link in articulation.links),
        tuple(_dof_topology(i, dof, axis_of(link.joint, n), kind == SAPIEN)
              for i, link in enumerate(articulation.links) if link.joint for n, dof in enumerate(link.joint.dofs)),
        tuple(_fixed_tendon_topology(articulation, tendon) for tendon in acting_fixed_tendons(articulation)),
        tuple(SpatialTendonTopology(tuple(tendons[tendon].attachments[n].link for n in path))
              for tendon, path in leaf_paths(articulation)),
        tuple((m.follower, m.reference) for m in articulation.mimics), kind,
        external_forces=external_force_topologies(articulation))
    return replace(topology, sleeping=scene.sleeping and bool(topology.moving_links))


def _link_topology(link: Link) -> LinkTopology:
    if link.joint is None:
        return LinkTopology(link.parent, ROOT)
    kind = SPHERICAL if link.joint.kind == "d6" and link.joint.dofs else JOINT_KINDS[link.joint.kind]
    return LinkTopology(link.parent, kind, kind == SPHERICAL and link.joint.reversed)


def _dof_topology(link: int, dof: Dof, axis: int, load_friction: bool) -> DofTopology:
    drive = None if dof.drive is None else "acceleration" if dof.drive.acceleration else "force"
    return DofTopology(
        link, drive, envelope=dof.drive is not None and dof.drive.envelope is not None,
        friction=bool(dof.static_friction or dof.viscous_friction), load_friction=load_friction,
        limit=not (unlimited(dof.lower) and unlimited(dof.upper)), max_velocity=not unlimited(dof.max_velocity),
        axis=axis)


def _fixed_tendon_topology(articulation: Articulation, tendon: FixedTendon) -> FixedTendonTopology:
    reversed_ = [link.joint.reversed for link in articulation.links if link.joint for _ in link.joint.dofs]
    dofs = tuple(axis.dof for axis in tendon.axes)
    opposed = tuple(reversed_[dof] != reversed_[dofs[0]] for dof in dofs)
    return FixedTendonTopology(dofs, opposed if any(opposed) else ())


# rad, docs/reference/physx/bodies_and_frames.md.
MIN_ROTATION = 1e-6
# (rad or length)/s an impulse, PX_EPS_F32 whatever the units; docs/reference/physx/drives.md.
MIN_RESPONSE = 2.0**-23


def pack(articulation: Articulation, scene: Scene, solver: str = "physx") -> PackedModel:
    """The model of an articulation, for solver="physx" or "ideal".

    Raises UnsupportedError for one that is not enabled.
    """
    if not articulation.enabled:
        raise UnsupportedError(f"{articulation.path}: physxArticulation:articulationEnabled is false; only enabled "
                               "articulations are simulated; set it to true")
    topology = topology_of(articulation, scene, solver)
    link_frames = tuple(inverse_frame(internal_frame(link, articulation.fixed_base)) for link in articulation.links)
    parameters = _world_rows(topology, articulation, scene, length_scale(scene, solver))
    parameters |= link_rows(articulation, link_frames) | joint_rows(articulation) | external_force_rows(articulation,
                                                                                                        link_frames)
    parameters |= fixed_tendon_rows(articulation) | spatial_tendon_rows(articulation,
                                                                        link_frames) | mimic_rows(articulation)
    return PackedModel(
        topology, arrays(parameters), arrays(authored_state(articulation, len(topology.locked))),
        tuple(dof.name for dof in articulation.dofs), tuple(link.path for link in articulation.links), link_frames,
        articulation.position_iterations, articulation.velocity_iterations, articulation, scene)


def _world_rows(t: Topology, articulation: Articulation, scene: Scene, scale: float) -> RowValues:
    """Rows of the whole model."""
    rows: RowValues = {"gravity": list(scene.gravity), "length_scale": [scale],
                  "min_response": [MIN_RESPONSE]}
    if t.sleeping:
        rows["sleep_threshold"] = [articulation.sleep_threshold]
    if not t.fixed_base:
        rows |= {"root_axes": list(articulation.links[0].principal_axes), "single_rotation": [1.0],
                 "root_center": [0.0, 0.0, 0.0]}
    if t.spherical_links:
        rows["min_rotation"] = [0.0 if t.pgs else MIN_ROTATION]
    return rows
