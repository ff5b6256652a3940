"""Rows of an island: those of its actors, of joints outside articulations and of kinematic bodies. Each name begins
with its owner: actor0_mass, joint2_stiffness, kinematic0_position. `ISLAND_TABLE` continues `row_specs.TABLE`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from physx_runtime.model.island import AXES, DISTANCE, GEAR, LIMITED, RACK, IslandTopology, JointTopology
from physx_runtime.model.row_specs import (
    ACTOR_GROUP,
    ANY,
    BOUND,
    CONTROL,
    DERIVED,
    GROUPS,
    KINEMATIC_BODY,
    MAXIMAL_JOINT,
    NON_NEGATIVE,
    PARAMETER,
    PERSISTENT,
    STATE,
    TIME,
    XYZ,
    XYZW,
    RowSpec,
    owner_prefix,
    rows_by_maker,
)

JOINT_GROUP, KINEMATIC_GROUP = GROUPS[MAXIMAL_JOINT], GROUPS[KINEMATIC_BODY]
OUTPUT_MAKERS, INPUT_MAKERS = (STATE, PERSISTENT), (TIME, CONTROL, PARAMETER, DERIVED)

_POSITIONS, _VELOCITIES = "distance, radian", "distance / time, radian / time"
_STIFFNESSES, _DAMPINGS = "force / distance, torque / radian", "force * time / distance, torque * time / radian"


def _limited(t: JointTopology) -> bool:
    return any(axis.motion == LIMITED for axis in t.axes)


def _driven(t: JointTopology) -> bool:
    return any(axis.drive for axis in t.axes)


def _bouncing(t: JointTopology) -> bool:
    return any(axis.bounces for axis in t.axes)


def _bouncing_in_cone(t: JointTopology) -> bool:
    return t.cone == "bouncing"


def _coned(t: JointTopology) -> bool:
    return t.cone is not None


def _distance_limited(t: JointTopology) -> bool:
    return t.distance is not None


def _softly_distance_limited(t: JointTopology) -> bool:
    return t.distance == "soft"


def _ranged(t: JointTopology) -> bool:
    return t.kind == DISTANCE


def _coupling(t: JointTopology) -> bool:
    return t.kind in (GEAR, RACK)


def _frames() -> Iterator[RowSpec]:
    """Row specs of the joint frame at both sides."""
    for name in ("frame0", "frame1"):
        body = f"body{name[-1]}"
        yield RowSpec(f"{name}_position", MAXIMAL_JOINT, DERIVED, f"Position of the joint frame in frame F of {body}.",
                      "distance", components=XYZ)
        yield RowSpec(f"{name}_rotation", MAXIMAL_JOINT, DERIVED,
                      f"Rotation of the joint frame in frame F of {body}; x is the joint axis.",
                      components=XYZW)


ISLAND_TABLE: tuple[RowSpec, ...] = (
    # --- joints outside articulations -------------------------------------------------------------------------------
    RowSpec("broken", MAXIMAL_JOINT, PERSISTENT, "1 after the joint breaks; a broken joint stays broken.",
            when=lambda t: t.breaks),
    RowSpec("force", MAXIMAL_JOINT, PERSISTENT, "Mean force on body0 over the last step, then mean torque about the "
            "joint's anchor on body1; in world axes, without the drives.", "force, torque",
            components=("fx", "fy", "fz", "tx", "ty", "tz"), when=lambda t: t.stores_force),
    RowSpec("turns", MAXIMAL_JOINT, PERSISTENT,
            "Displacements of the two joints that a gear or rack couples, since the start of the simulation.",
            _POSITIONS, components=("first", "second"), when=_coupling),
    RowSpec("last_angle", MAXIMAL_JOINT, PERSISTENT, "Positions of the two joints that a gear or rack couples, at the "
            "start of the last step.", _POSITIONS, components=("first", "second"), when=_coupling),
    RowSpec("lower_limit", MAXIMAL_JOINT, PARAMETER, "Lower limits.", _POSITIONS, BOUND, AXES,
            neutral=-math.inf, when=_limited),
    RowSpec("upper_limit", MAXIMAL_JOINT, PARAMETER, "Upper limits.", _POSITIONS, BOUND, AXES,
            neutral=math.inf, when=_limited),
    RowSpec("limit_stiffness", MAXIMAL_JOINT, PARAMETER, "Stiffness of soft limits.", _STIFFNESSES, NON_NEGATIVE, AXES,
            when=_limited),
    RowSpec("limit_damping", MAXIMAL_JOINT, PARAMETER, "Damping of soft limits.", _DAMPINGS, NON_NEGATIVE, AXES,
            when=_limited),
    RowSpec("restitution", MAXIMAL_JOINT, PARAMETER, "Fraction of the joint speed that remains after a bounce at a "
            "hard limit.", "-", "[0, 1]", AXES, when=_bouncing),
    RowSpec("bounce_threshold", MAXIMAL_JOINT, PARAMETER, "Lowest joint speed at which the joint bounces at a hard "
            "limit.", _VELOCITIES, NON_NEGATIVE, AXES, when=_bouncing),
    RowSpec("cone_angle", MAXIMAL_JOINT, PARAMETER, "Half angles of the cone that limits the swings.", "radian",
            NON_NEGATIVE,
            ("rotY", "rotZ"), when=_coned),
    RowSpec("cone_stiffness", MAXIMAL_JOINT, PARAMETER, "Stiffness of a soft cone limit.", "torque / radian",
            NON_NEGATIVE, when=_coned),
    RowSpec("cone_damping", MAXIMAL_JOINT, PARAMETER, "Damping of a soft cone limit.", "torque * time / radian",
            NON_NEGATIVE, when=_coned),
    RowSpec("cone_restitution", MAXIMAL_JOINT, PARAMETER, "Fraction of the swing speed that remains after a bounce "
            "at a hard cone limit.", "-", "[0, 1]", when=_bouncing_in_cone),
    RowSpec("cone_bounce_threshold", MAXIMAL_JOINT, PARAMETER, "Lowest swing speed at which the joint bounces at a "
            "hard cone limit.", "radian / time", NON_NEGATIVE, when=_bouncing_in_cone),
    RowSpec("distance_limit", MAXIMAL_JOINT, PARAMETER,
            "Largest distance that a generic joint can translate along all free axes together.",
            "distance", "(0, inf)", when=_distance_limited),
    RowSpec("distance_limit_stiffness", MAXIMAL_JOINT, PARAMETER, "Stiffness of a soft limit of the combined "
            "translation.", "force / distance", NON_NEGATIVE, when=_softly_distance_limited),
    RowSpec("distance_limit_damping", MAXIMAL_JOINT, PARAMETER, "Damping of a soft limit of the combined translation.",
            "force * time / distance", NON_NEGATIVE, when=_softly_distance_limited),
    RowSpec("stiffness", MAXIMAL_JOINT, PARAMETER, "Stiffness of the drives.",
            f"{_STIFFNESSES}; 1 / time^2 (acceleration drives)",
            NON_NEGATIVE, AXES, when=_driven),
    RowSpec("damping", MAXIMAL_JOINT, PARAMETER, "Damping of the drives.",
            f"{_DAMPINGS}; 1 / time (acceleration drives)", NON_NEGATIVE, AXES, when=_driven),
    RowSpec("max_force", MAXIMAL_JOINT, PARAMETER, "Maximum efforts of the drives.", "force, torque", "[0, inf]", AXES,
            neutral=math.inf,
            clipped=True, when=_driven),
    RowSpec("target_position", MAXIMAL_JOINT, PARAMETER, "Target positions of the drives.", _POSITIONS, ANY, AXES,
            when=_driven),
    RowSpec("target_velocity", MAXIMAL_JOINT, PARAMETER, "Target velocities of the drives.", _VELOCITIES, ANY, AXES,
            when=_driven),
    RowSpec("minimum_distance", MAXIMAL_JOINT, PARAMETER, "Minimum distance between the origins of the two joint "
            "frames.", "distance", NON_NEGATIVE, when=_ranged),
    RowSpec("maximum_distance", MAXIMAL_JOINT, PARAMETER, "Maximum distance between the origins of the two joint "
            "frames.", "distance", NON_NEGATIVE, when=_ranged),
    RowSpec("spring_stiffness", MAXIMAL_JOINT, PARAMETER, "Spring stiffness of a distance joint.", "force / distance",
            NON_NEGATIVE,
            when=lambda t: t.spring),
    RowSpec("spring_damping", MAXIMAL_JOINT, PARAMETER, "Spring damping of a distance joint.",
            "force * time / distance", NON_NEGATIVE, when=lambda t: t.spring),
    RowSpec("ratio", MAXIMAL_JOINT, PARAMETER, "Gear joint: angle of the second hinge divided by the angle of the "
            "first hinge. Rack-and-pinion joint: angle of the hinge divided by the distance of the slider.",
            "- or radian / distance", ANY, when=_coupling),
    RowSpec("break_force", MAXIMAL_JOINT, PARAMETER, "Force above which the joint breaks.", "force", "[0, inf]",
            when=lambda t: t.breaks),
    RowSpec("break_torque", MAXIMAL_JOINT, PARAMETER, "Torque above which the joint breaks.", "torque", "[0, inf]",
            when=lambda t: t.breaks),
    *_frames(),
    RowSpec("length_scale", MAXIMAL_JOINT, DERIVED, "Length units per metre.", "distance / metre"),
    # --- kinematic bodies -------------------------------------------------------------------------------------------
    RowSpec("position", KINEMATIC_BODY, CONTROL,
            "Position of the body's frame F at the start of the step. F has its origin at the centre of mass and the "
            "axes of the prim.",
            "distance", components=XYZ),
    RowSpec("rotation", KINEMATIC_BODY, CONTROL, "Rotation of the body's frame F at the start of the step.",
            components=XYZW),
    RowSpec("velocity", KINEMATIC_BODY, CONTROL, "Velocity to the target: linear velocity of the centre of mass, "
            "then angular velocity, in world axes.", _VELOCITIES, components=("vx", "vy", "vz", "wx", "wy", "wz")),
    RowSpec("active", KINEMATIC_BODY, CONTROL, "1 if the body had a target in this step or the last two steps; "
            "bodies in contact or joined with it stay awake."),
)


def joint_rows(t: JointTopology, *makers: str) -> dict[str, int]:
    """Size of every row of one joint by its makers."""
    return {row.name: row.width for row in ISLAND_TABLE
            if row.owner == MAXIMAL_JOINT and row.maker in makers and (row.when is None or row.when(t))}


def kinematic_rows(*makers: str) -> dict[str, int]:
    """Size of every row of one kinematic body by its makers."""
    return {row.name: row.width for row in ISLAND_TABLE if row.owner == KINEMATIC_BODY and row.maker in makers}


def island_rows(t: IslandTopology, *makers: str) -> dict[str, int]:
    """Size of every row of an island by its makers: of actors, joints, then kinematic bodies."""
    groups = [(owner_prefix(ACTOR_GROUP, i), rows_by_maker(actor, *makers)) for i, actor in enumerate(t.actors)]
    groups += [(owner_prefix(JOINT_GROUP, i), joint_rows(joint, *makers)) for i, joint in enumerate(t.joints)]
    groups += [(owner_prefix(KINEMATIC_GROUP, i), kinematic_rows(*makers)) for i in range(t.kinematic)]
    return {prefix + name: size for prefix, sizes in groups for name, size in sizes.items()}


def island_output_rows(t: IslandTopology) -> dict[str, int]:
    """Rows that persist after a step of an island changed them."""
    return island_rows(t, *OUTPUT_MAKERS)


def island_input_rows(t: IslandTopology) -> dict[str, int]:
    """Rows that a step of an island reads."""
    return island_rows(t, *INPUT_MAKERS)
