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
        yield RowSpec(f"{name}_position", MAXIMAL_JOINT, DERIVED, f"Of the joint frame in the F of {body}.", "distance",
                      components=XYZ)
        yield RowSpec(f"{name}_rotation", MAXIMAL_JOINT, DERIVED,
                      f"Of the joint frame, x its axis, in the F of {body}.",
                      components=XYZW)


ISLAND_TABLE: tuple[RowSpec, ...] = (
    # --- joints outside articulations -------------------------------------------------------------------------------
    RowSpec("broken", MAXIMAL_JOINT, PERSISTENT, "1 for good once a force took the joint away.",
            when=lambda t: t.breaks),
    RowSpec("force", MAXIMAL_JOINT, PERSISTENT,
            "What it gave body0 on average over the last step, its torque about the anchor on "
            "body1; world axes, drives left out.", "force, torque", components=("fx", "fy", "fz", "tx", "ty", "tz"),
            when=lambda t: t.stores_force),
    RowSpec("turns", MAXIMAL_JOINT, PERSISTENT,
            "What the two hinges of a gear or a rack have turned or slid since the start.",
            _POSITIONS, components=("first", "second"), when=_coupling),
    RowSpec("last_angle", MAXIMAL_JOINT, PERSISTENT, "Where the two hinges stood at the last step's start.", _POSITIONS,
            components=("first", "second"), when=_coupling),
    RowSpec("lower_limit", MAXIMAL_JOINT, PARAMETER, "Of every axis that has limits.", _POSITIONS, BOUND, AXES,
            neutral=-math.inf, when=_limited),
    RowSpec("upper_limit", MAXIMAL_JOINT, PARAMETER, "Of every axis that has limits.", _POSITIONS, BOUND, AXES,
            neutral=math.inf, when=_limited),
    RowSpec("limit_stiffness", MAXIMAL_JOINT, PARAMETER, "Of a soft limit.", _STIFFNESSES, NON_NEGATIVE, AXES,
            when=_limited),
    RowSpec("limit_damping", MAXIMAL_JOINT, PARAMETER, "Of a soft limit.", _DAMPINGS, NON_NEGATIVE, AXES,
            when=_limited),
    RowSpec("restitution", MAXIMAL_JOINT, PARAMETER, "Share of its speed with which the joint leaves a hard limit.",
            "-",
            "[0, 1]", AXES, when=_bouncing),
    RowSpec("bounce_threshold", MAXIMAL_JOINT, PARAMETER, "No slower the joint bounces off a hard limit.", _VELOCITIES,
            NON_NEGATIVE, AXES, when=_bouncing),
    RowSpec("cone_angle", MAXIMAL_JOINT, PARAMETER, "Half angles of the cone that bounds both swings.", "radian",
            NON_NEGATIVE,
            ("rotY", "rotZ"), when=_coned),
    RowSpec("cone_stiffness", MAXIMAL_JOINT, PARAMETER, "Of a soft cone.", "torque / radian", NON_NEGATIVE,
            when=_coned),
    RowSpec("cone_damping", MAXIMAL_JOINT, PARAMETER, "Of a soft cone.", "torque * time / radian", NON_NEGATIVE,
            when=_coned),
    RowSpec("cone_restitution", MAXIMAL_JOINT, PARAMETER, "Share of its speed with which the joint leaves a hard cone.",
            "-",
            "[0, 1]", when=_bouncing_in_cone),
    RowSpec("cone_bounce_threshold", MAXIMAL_JOINT, PARAMETER, "No slower the joint bounces off a hard cone.",
            "radian / time",
            NON_NEGATIVE, when=_bouncing_in_cone),
    RowSpec("distance_limit", MAXIMAL_JOINT, PARAMETER,
            "How far a generic joint's translations go together, its distance limit.",
            "distance", "(0, inf)", when=_distance_limited),
    RowSpec("distance_limit_stiffness", MAXIMAL_JOINT, PARAMETER, "Of a soft distance limit.", "force / distance",
            NON_NEGATIVE,
            when=_softly_distance_limited),
    RowSpec("distance_limit_damping", MAXIMAL_JOINT, PARAMETER, "Of a soft distance limit.", "force * time / distance",
            NON_NEGATIVE, when=_softly_distance_limited),
    RowSpec("stiffness", MAXIMAL_JOINT, PARAMETER, "Of the drives.",
            f"{_STIFFNESSES}; 1 / time^2 (acceleration drives)",
            NON_NEGATIVE, AXES, when=_driven),
    RowSpec("damping", MAXIMAL_JOINT, PARAMETER, "Of the drives.", f"{_DAMPINGS}; 1 / time (acceleration drives)",
            NON_NEGATIVE,
            AXES, when=_driven),
    RowSpec("max_force", MAXIMAL_JOINT, PARAMETER, "Of the drives.", "force, torque", "[0, inf]", AXES,
            neutral=math.inf,
            clipped=True, when=_driven),
    RowSpec("target_position", MAXIMAL_JOINT, PARAMETER, "Of the drives.", _POSITIONS, ANY, AXES, when=_driven),
    RowSpec("target_velocity", MAXIMAL_JOINT, PARAMETER, "Of the drives.", _VELOCITIES, ANY, AXES, when=_driven),
    RowSpec("minimum_distance", MAXIMAL_JOINT, PARAMETER, "Between the origins of the joint's frames.", "distance",
            NON_NEGATIVE,
            when=_ranged),
    RowSpec("maximum_distance", MAXIMAL_JOINT, PARAMETER, "Between the origins of the joint's frames.", "distance",
            NON_NEGATIVE,
            when=_ranged),
    RowSpec("spring_stiffness", MAXIMAL_JOINT, PARAMETER, "Of a distance joint's spring.", "force / distance",
            NON_NEGATIVE,
            when=lambda t: t.spring),
    RowSpec("spring_damping", MAXIMAL_JOINT, PARAMETER, "Of a distance joint's spring.", "force * time / distance",
            NON_NEGATIVE,
            when=lambda t: t.spring),
    RowSpec("ratio", MAXIMAL_JOINT, PARAMETER,
            "Of a gear: angle of its second hinge per angle of its first; of a rack: angle of "
            "the hinge per distance of the slider.", "- or radian / distance", ANY, when=_coupling),
    RowSpec("break_force", MAXIMAL_JOINT, PARAMETER, "Beyond which the joint breaks.", "force", "[0, inf]",
            when=lambda t: t.breaks),
    RowSpec("break_torque", MAXIMAL_JOINT, PARAMETER, "Beyond which the joint breaks.", "torque", "[0, inf]",
            when=lambda t: t.breaks),
    *_frames(),
    RowSpec("length_scale", MAXIMAL_JOINT, DERIVED, "Length units a metre.", "distance / metre"),
    # --- kinematic bodies -------------------------------------------------------------------------------------------
    RowSpec("position", KINEMATIC_BODY, CONTROL,
            "Of its F at the step's start: at its centre of mass, axes of its prim.",
            "distance", components=XYZ),
    RowSpec("rotation", KINEMATIC_BODY, CONTROL, "Of its F at the step's start.", components=XYZW),
    RowSpec("velocity", KINEMATIC_BODY, CONTROL,
            "With which it goes to its target: linear of its centre of mass, angular; "
            "world axes.", _VELOCITIES, components=("vx", "vy", "vz", "wx", "wy", "wz")),
    RowSpec("active", KINEMATIC_BODY, CONTROL,
            "1 where it was sent to a target for this step or one of the last two, and "
            "keeps awake what it holds."),
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
