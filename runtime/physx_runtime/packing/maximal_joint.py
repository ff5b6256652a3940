"""Structure and rows of joints outside articulations (PxD6Joint, PxDistanceJoint, PxGearJoint, PxRackAndPinionJoint),
as PhysX's loader makes them. `joint_topology` gives the structure, `maximal_joint_rows` the numbers, `creation_order`
PhysX's order of joints, which is the order of solving.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from physx_runtime.model.island import (
    AXES,
    D6,
    DISTANCE,
    FREE,
    GEAR,
    LIMITED,
    LOCKED,
    RACK,
    AxisTopology,
    HingeTopology,
    JointTopology,
    SolverBody,
)
from physx_runtime.model.island_rows import ISLAND_TABLE, joint_rows
from physx_runtime.model.row_specs import DERIVED, PARAMETER, PERSISTENT
from physx_runtime.packing.frames import Frame, on_axis
from physx_runtime.packing.model import RowValues
from physx_schema.description.model import Cone, DistanceRange, JointAxis, MaximalJoint
from physx_schema.description.model.joint import KINDS
from physx_schema.description.units import radians

_KINDS = {"distance": DISTANCE, "gear": GEAR, "rack": RACK}


@dataclass(frozen=True, slots=True)
class Hinge:
    """A hinge of a gear or a rack: its structure, the joint frame at the gear's body, and its coordinate."""

    topology: HingeTopology
    frame: Frame                        # in the prim of the gear's body, x its axis
    coordinate: float                   # rad or length as authored, from which PhysX counts


def joint_topology(joint: MaximalJoint, solver_bodies: tuple[SolverBody, SolverBody],
                   hinges: Sequence[Hinge]) -> JointTopology:
    """The structure of a joint between two solver bodies."""
    kind = _KINDS.get(joint.kind, D6)
    breaks = math.isfinite(joint.break_force) or math.isfinite(joint.break_torque)
    if kind == DISTANCE and joint.distance is not None:
        return JointTopology(kind, solver_bodies, range=_range(joint.distance), spring=joint.distance.spring,
                             breaks=breaks)
    if kind in (GEAR, RACK):
        return JointTopology(kind, solver_bodies, hinges=tuple(hinge.topology for hinge in hinges), breaks=breaks)
    free = {axis.axis: axis for axis in joint.axes}
    axes = tuple(_axis_topology(free[name]) if name in free else AxisTopology(LOCKED) for name in AXES)
    return JointTopology(kind, solver_bodies, axes, _cone_topology(joint.cone), _distance_topology(joint.distance),
                         breaks=breaks)


def _axis_topology(axis: JointAxis) -> AxisTopology:
    limited = math.isfinite(axis.lower) or math.isfinite(axis.upper)
    drive = None if axis.drive is None else "acceleration" if axis.drive.acceleration else "force"
    return AxisTopology(LIMITED if limited else FREE, limited and _is_soft(axis.limit_stiffness, axis.limit_damping),
                        limited and axis.restitution > 0.0, drive)


def _cone_topology(cone: Cone | None) -> str | None:
    if cone is None:
        return None
    if _is_soft(cone.stiffness, cone.damping):
        return "soft"
    return "bouncing" if cone.restitution > 0.0 else "hard"


def _distance_topology(limit: DistanceRange | None) -> str | None:
    """Of a generic joint's distance limit."""
    return None if limit is None else "soft" if _is_soft(limit.stiffness, limit.damping) else "hard"


def _is_soft(stiffness: float, damping: float) -> bool:
    return stiffness > 0.0 or damping > 0.0


def _range(distance: DistanceRange) -> str:
    """The bounds of a distance joint that have rows."""
    has_min, has_max = distance.minimum >= 0.0, math.isfinite(distance.maximum)
    if has_min and has_max:
        return "equal" if distance.minimum == distance.maximum else "both"
    return "min" if has_min else "max" if has_max else ""


def maximal_joint_rows(joint: MaximalJoint, t: JointTopology, frames: tuple[Frame, Frame], length_scale: float,
                       hinges: Sequence[Hinge] = ()) -> RowValues:
    """Rows of a joint without prefix. frames: the joint frame, x its axis, in each side's F."""
    sizes = joint_rows(t, PERSISTENT, PARAMETER, DERIVED)
    rows: RowValues = {name: [0.0] * size for name, size in sizes.items()}
    if hinges:      # a gear's second hinge is counted backwards
        rows["last_angle"] = [hinges[0].coordinate, -hinges[1].coordinate]
    rows |= _axis_rows(joint, rows) | _constraint_rows(joint)
    rows |= {"break_force": [joint.break_force], "break_torque": [joint.break_torque], "length_scale": [length_scale]}
    for name, (position, rotation) in zip(("frame0", "frame1"), frames, strict=True):
        rows |= {f"{name}_position": list(position), f"{name}_rotation": list(rotation)}
    return {name: rows[name] for name in sizes}


def _axis_rows(joint: MaximalJoint, values: Mapping[str, Sequence[float]]) -> RowValues:
    """Rows with one number for each of six axes; neutral where nothing acts on an axis."""
    neutral = {row.name: row.neutral for row in ISLAND_TABLE if row.components == AXES and row.name in values}
    rows: RowValues = {name: [value] * len(AXES) for name, value in neutral.items()}
    for axis in joint.axes:
        i, facts = AXES.index(axis.axis), {
            "lower_limit": axis.lower, "upper_limit": axis.upper,
            "limit_stiffness": axis.limit_stiffness, "limit_damping": axis.limit_damping,
            "restitution": axis.restitution, "bounce_threshold": axis.bounce_threshold}
        if axis.drive is not None:
            facts |= {name: getattr(axis.drive, name) for name in (
                "stiffness", "damping", "max_force", "target_position", "target_velocity")}
        for name in rows.keys() & facts.keys():
            rows[name][i] = facts[name]
    if "target_position" in rows:
        rows["target_position"][3:] = joint.drive_rotation
    return rows


def _constraint_rows(joint: MaximalJoint) -> RowValues:
    """Rows of a cone, a distance or a coupling."""
    if joint.cone is not None:
        cone = joint.cone
        return {"cone_angle": [cone.angle0, cone.angle1], "cone_stiffness": [cone.stiffness],
                "cone_damping": [cone.damping], "cone_restitution": [cone.restitution],
                "cone_bounce_threshold": [cone.bounce_threshold]}
    if joint.distance is not None:
        distance = joint.distance
        prefix = "distance_limit" if joint.kind == "d6" else "spring"
        return {"minimum_distance": [max(distance.minimum, 0.0)], "maximum_distance": [distance.maximum],
                "distance_limit": [distance.maximum], f"{prefix}_stiffness": [distance.stiffness],
                f"{prefix}_damping": [distance.damping]}
    if joint.coupling is not None:
        ratio = joint.coupling.ratio
        return {"ratio": [radians(ratio) if joint.kind == "rack" else ratio]}
    return {}


def joint_frames(joint: MaximalJoint) -> tuple[Frame, Frame]:
    """The joint frames in the prims of its bodies, x the joint's axis."""
    if joint.kind in _KINDS:
        return joint.frame0, joint.frame1
    return on_axis(joint.frame0, joint.kind, joint.axis), on_axis(joint.frame1, joint.kind, joint.axis)


def creation_order(joints: Iterable[MaximalJoint]) -> list[MaximalJoint]:
    """Joints in PhysX's creation order: by kind, then by path as a plain string."""
    return sorted(joints, key=lambda joint: (KINDS.index(joint.kind), joint.path))
