"""Articulation -> topology and parameter rows: the one place where authored facts become the solver's numbers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from physx_runtime.dynamics import spatial as sp
from physx_runtime.model.rows import input_rows
from physx_runtime.model.topology import (
    FIXED,
    PRISMATIC,
    REVOLUTE,
    ROOT,
    SPHERICAL,
    DofTopology,
    FixedTendonTopology,
    LinkTopology,
    SpatialTendonTopology,
    Topology,
)
from physx_runtime.packing.frames import IDENTITY_ROTATION, compose, inverse
from physx_runtime.packing.model import PackedModel, arrays, stepping
from physx_runtime.packing.pushes import push_rows, push_topology
from physx_schema.description.articulation.spatial_tendons import place_in_link
from physx_schema.description.model import (
    Articulation,
    Attachment,
    Dof,
    FixedTendon,
    Joint,
    Link,
    Push,
    Scene,
    SpatialTendon,
    unlimited,
)
from physx_schema.description.poses import Pose
from physx_schema.errors import UnsupportedError

Array = NDArray[np.float64]

# Start-of-step maximum where PhysX looks at an axis that the joint does not have, rad/s or stage units/s, whatever is
# authored (physx_semantics.md, joint axis).
OTHER_AXIS_MAX_VELOCITY = 100.0
# rad, physx_semantics.md, spherical and generic joints.
LEAST_TURN = 1e-6
# (rad or length)/s an impulse, PX_EPS_F32 whatever the units; physx_semantics.md, performance envelope.
LEAST_RESPONSE = 2.0**-23
JOINT_KINDS = {"revolute": REVOLUTE, "prismatic": PRISMATIC, "fixed": FIXED, "spherical": SPHERICAL, "d6": FIXED}

# Turns of a joint frame that bring x onto +x, +y, +z and, for a joint whose child is body0, onto -x, -y, -z.
SIN_45 = math.sqrt(0.5)
AXIS_ROTATIONS: dict[tuple[int, bool], sp.Quat] = {
    (0, False): (0.0, 0.0, 0.0, 1.0), (1, False): (0.0, 0.0, SIN_45, SIN_45), (2, False): (0.0, -SIN_45, 0.0, SIN_45),
    (0, True): (0.0, 0.0, 1.0, 0.0), (1, True): (0.0, 0.0, -SIN_45, SIN_45), (2, True): (0.0, SIN_45, 0.0, SIN_45),
}


# Turns that bring x, y, z onto twist and swings of a spherical joint: (x, y, z), (y, z, x) or (z, -x, -y).
BALL_ROTATIONS: dict[int, sp.Quat] = {0: (0.0, 0.0, 0.0, 1.0), 1: (0.5, 0.5, 0.5, 0.5), 2: (0.5, -0.5, 0.5, 0.5)}


def pack(articulation: Articulation, scene: Scene, solver: str = "physx") -> PackedModel:
    """The model of an articulation, for solver="physx" or "ideal".

    Raises UnsupportedError for one that is not enabled.
    """
    if not articulation.enabled:
        raise UnsupportedError(f"{articulation.path}: physxArticulation:articulationEnabled is false; only enabled "
                               "articulations are stepped, set it to true")
    frames = tuple(_internal_frame(link, articulation.fixed_base) for link in articulation.links)
    tendons = tuple(t for t in articulation.fixed_tendons if t.enabled)
    paths = tuple(path for t in articulation.spatial_tendons if t.enabled for path in _leaf_paths(t))
    kind, forces_every_iteration = stepping(scene, solver)
    topology = Topology(
        articulation.fixed_base, forces_every_iteration,
        tuple(_link_topology(link) for link in articulation.links),
        tuple(_dof_topology(i, dof, _axis_of(link.joint, n)) for i, link in enumerate(articulation.links) if link.joint
              for n, dof in enumerate(link.joint.dofs)),
        tuple(_fixed_tendon_topology(articulation, t) for t in tendons),
        tuple(SpatialTendonTopology(tuple(a.link for a in path)) for _, path in paths),
        tuple((m.follower, m.reference) for m in articulation.mimics), kind,
        pushes=tuple(push_topology(i, push) for i, push in _pushes(articulation)))
    topology = replace(topology, sleeping=scene.sleeping and bool(topology.moving_links))
    parameters: dict[str, list[float]] = {name: [] for name, size in input_rows(topology).items() if not size}
    parameters |= {"gravity": list(scene.gravity), "length_scale": [1.0 / scene.meters_per_unit],
                   "least_response": [LEAST_RESPONSE]}
    parameters |= _link_rows(articulation, frames) | _dof_rows(articulation)
    if topology.sleeping:
        parameters["sleep_threshold"] = [articulation.sleep_threshold]
    if "root_axes" in input_rows(topology):
        parameters |= {"root_axes": list(articulation.links[0].principal_axes), "single_turn": [1.0]}
    if topology.balls:
        parameters["least_turn"] = [0.0 if topology.pgs else LEAST_TURN]
    for i, tendon in enumerate(tendons):
        parameters |= _fixed_tendon_rows(f"fixed_tendon{i}", tendon)
    state = _state_rows(articulation, frames, len(topology.locked))
    for i, (spatial, path) in enumerate(paths):
        parameters |= _spatial_tendon_rows(f"spatial_tendon{i}", spatial, path, articulation.links, frames)
    for i, (link, push) in enumerate(_pushes(articulation)):
        parameters |= push_rows(f"push{i}", push, frames[link])
    for i, m in enumerate(articulation.mimics):
        parameters |= {f"mimic{i}_gearing": [m.gearing], f"mimic{i}_offset": [m.offset],
                       f"mimic{i}_natural_frequency": [m.natural_frequency],
                       f"mimic{i}_damping_ratio": [m.damping_ratio]}
    return PackedModel(
        topology, arrays(parameters), arrays(state), tuple(dof.name for dof in articulation.dofs),
        tuple(link.path for link in articulation.links), tuple(inverse(frame) for frame in frames),
        articulation.position_iterations, articulation.velocity_iterations, articulation, scene)


# --- frames --------------------------------------------------------------------------------------------------------

def _internal_frame(link: Link, fixed_base: bool) -> Pose:
    """F in the link frame: the joint's child frame turned so that x is its axis; a floating root's centre of mass."""
    if link.joint is None:
        return ((0.0, 0.0, 0.0) if fixed_base else link.center_of_mass), IDENTITY_ROTATION
    return compose(link.joint.child_frame, ((0.0, 0.0, 0.0), _axis_turn(link.joint)))


def _axis_turn(joint: Joint) -> sp.Quat:
    if joint.kind == "d6":
        return IDENTITY_ROTATION
    return BALL_ROTATIONS[joint.axis] if joint.kind == "spherical" else AXIS_ROTATIONS[joint.axis, joint.reversed]


def _tree_frame(joint: Joint, parent_frame: Pose) -> Pose:
    """F at q = 0 in the parent's F."""
    turned = compose(joint.parent_frame, ((0.0, 0.0, 0.0), _axis_turn(joint)))
    return compose(inverse(parent_frame), turned)


# --- rows ----------------------------------------------------------------------------------------------------------

def _link_rows(articulation: Articulation, frames: tuple[Pose, ...]) -> dict[str, list[float]]:
    rows: dict[str, list[float]] = {name: [] for name in (
        "mass", "com", "inertia", "tree_position", "tree_rotation", "gravity_enabled", "linear_damping",
        "angular_damping", "max_linear_velocity", "max_angular_velocity", "cfm_scale")}
    for link, frame in zip(articulation.links, frames, strict=True):
        to_frame = inverse(frame)
        tree = _tree_frame(link.joint, frames[link.parent]) if link.joint else ((0.0,) * 3, IDENTITY_ROTATION)
        inertia = link.inertia
        symmetric = (inertia[0][0], inertia[1][1], inertia[2][2], inertia[0][1], inertia[0][2], inertia[1][2])
        rows["mass"].append(link.mass)
        rows["com"] += compose(to_frame, (link.center_of_mass, IDENTITY_ROTATION))[0]
        rows["inertia"] += sp.rotate_sym(sp.matrix(to_frame[1]), symmetric)
        rows["tree_position"] += tree[0]
        rows["tree_rotation"] += tree[1]
        rows["gravity_enabled"].append(float(link.gravity_enabled))
        for name in ("linear_damping", "angular_damping", "max_linear_velocity", "max_angular_velocity", "cfm_scale"):
            rows[name].append(getattr(link, name))
    return rows


def _fixed_tendon_topology(articulation: Articulation, tendon: FixedTendon) -> FixedTendonTopology:
    reversed_ = [link.joint.reversed for link in articulation.links if link.joint for _ in link.joint.dofs]
    dofs = tuple(axis.dof for axis in tendon.axes)
    opposed = tuple(reversed_[dof] != reversed_[dofs[0]] for dof in dofs)
    return FixedTendonTopology(dofs, opposed if any(opposed) else ())


def _link_topology(link: Link) -> LinkTopology:
    if link.joint is None:
        return LinkTopology(link.parent, ROOT)
    kind = SPHERICAL if link.joint.kind == "d6" and link.joint.dofs else JOINT_KINDS[link.joint.kind]
    return LinkTopology(link.parent, kind, kind == SPHERICAL and link.joint.reversed)


def _axis_of(joint: Joint, dof: int) -> int:
    """The axis of F a dof turns about or slides along."""
    if joint.kind == "d6":
        return int(np.argmax(np.abs(joint.dofs[dof].axis)))
    return dof


def _dof_topology(link: int, dof: Dof, axis: int) -> DofTopology:
    drive = None if dof.drive is None else "acceleration" if dof.drive.acceleration else "force"
    return DofTopology(
        link, drive, envelope=dof.drive is not None and dof.drive.envelope is not None,
        friction=bool(dof.static_friction or dof.viscous_friction),
        limit=not (unlimited(dof.lower) and unlimited(dof.upper)), max_velocity=not unlimited(dof.max_velocity),
        axis=axis)


def _dof_rows(articulation: Articulation) -> dict[str, list[float]]:
    rows: dict[str, list[float]] = {}
    clamps = [clamp for link in articulation.links if link.joint for clamp in _start_clamps(link.joint)]
    for dof, clamp in zip(articulation.dofs, clamps, strict=True):
        drive, envelope = dof.drive, dof.drive and dof.drive.envelope
        values = {
            "joint_effort": 0.0, "armature": dof.armature, "max_velocity": _clipped(dof.max_velocity),
            "velocity_clamp": clamp,
            "lower_limit": dof.lower, "upper_limit": dof.upper, "static_friction": dof.static_friction,
            "dynamic_friction": dof.dynamic_friction, "viscous_friction": dof.viscous_friction,
            "stiffness": drive.stiffness if drive else 0.0, "damping": drive.damping if drive else 0.0,
            "target_position": drive.target_position if drive else 0.0,
            "target_velocity": drive.target_velocity if drive else 0.0,
            "max_force": _clipped(drive.max_force) if drive else math.inf,
            "max_actuator_velocity": _clipped(envelope.max_actuator_velocity) if envelope else math.inf,
            "speed_effort_gradient": envelope.speed_effort_gradient if envelope else 0.0,
            "velocity_dependent_resistance": envelope.velocity_dependent_resistance if envelope else 0.0,
        }
        for name, value in values.items():
            rows.setdefault(name, []).append(value)
    return rows


def _start_clamps(joint: Joint) -> list[float]:
    """Start-of-step maximum of a joint's dofs: PhysX gives the n-th dof the maximum of the joint's n-th axis."""
    if joint.kind == "prismatic":
        return [OTHER_AXIS_MAX_VELOCITY]
    own = {_axis_of(joint, n): _clipped(dof.max_velocity) for n, dof in enumerate(joint.dofs)}
    return [own.get(n, OTHER_AXIS_MAX_VELOCITY) for n in range(len(joint.dofs))]


def _clipped(value: float) -> float:
    """inf for the magnitudes PhysX takes as unlimited."""
    return math.inf if unlimited(value) else value


def _tendon_rows(name: str, tendon: FixedTendon | SpatialTendon) -> dict[str, list[float]]:
    return {f"{name}_{x}": [getattr(tendon, x)] for x in ("stiffness", "damping", "limit_stiffness", "offset")}


def _fixed_tendon_rows(name: str, tendon: FixedTendon) -> dict[str, list[float]]:
    return _tendon_rows(name, tendon) | {
        f"{name}_rest_length": [tendon.rest_length], f"{name}_lower_limit": [tendon.lower_limit],
        f"{name}_upper_limit": [tendon.upper_limit], f"{name}_gearing": [axis.gearing for axis in tendon.axes],
        f"{name}_force_coefficient": [axis.force_coefficient for axis in tendon.axes]}


def _leaf_paths(tendon: SpatialTendon) -> list[tuple[SpatialTendon, tuple[Attachment, ...]]]:
    """Every leaf's attachments from the root: each leaf is a tendon of its own."""
    paths = []
    for attachment in tendon.attachments:
        if attachment.leaf:
            path = [attachment]
            while path[-1].parent >= 0:
                path.append(tendon.attachments[path[-1].parent])
            paths.append((tendon, tuple(reversed(path))))
    return paths


def _spatial_tendon_rows(name: str, tendon: SpatialTendon, path: tuple[Attachment, ...],
                         links: tuple[Link, ...], frames: tuple[Pose, ...]) -> dict[str, list[float]]:
    positions = [compose(inverse(frames[a.link]), (place_in_link(links[a.link], a), IDENTITY_ROTATION))[0]
                 for a in path]
    leaf = path[-1]
    return _tendon_rows(name, tendon) | {
        f"{name}_rest_length": [leaf.rest_length], f"{name}_lower_limit": [leaf.lower_limit],
        f"{name}_upper_limit": [leaf.upper_limit], f"{name}_gearing": [a.gearing for a in path],
        f"{name}_position": [x for p in positions for x in p]}


def _pushes(articulation: Articulation) -> list[tuple[int, Push]]:
    """Authored forces by link; disabled ones too, so that switching them on needs no other step."""
    return [(i, push) for i, link in enumerate(articulation.links) for push in link.pushes]


def _state_rows(articulation: Articulation, frames: tuple[Pose, ...], locked: int) -> dict[str, list[float]]:
    root = articulation.links[0]
    position, rotation = compose(root.pose, frames[0])
    velocity = [] if articulation.fixed_base else [*root.linear_velocity, *root.angular_velocity]
    rows = {"q": [dof.position for dof in articulation.dofs],
            "v": [*velocity, *(dof.velocity for dof in articulation.dofs)],
            "root_position": list(position), "root_rotation": list(rotation)}
    return rows | ({"locked": [0.0] * locked} if locked else {})
