"""The rows that an island adds to those of its actors: the joints' and the kinematic bodies', and what all are called.

An island's rows are those of actors, joints and kinematic bodies side by side, each named by what it is of:
actor0_mass, joint2_stiffness, kinematic0_position. `ISLAND_TABLE` continues `rows.TABLE`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from physx_runtime.model.island import AXES, DISTANCE, GEAR, LIMITED, RACK, IslandTopology, JointTopology
from physx_runtime.model.row_specs import (
    ACTING,
    ANY,
    BOUND,
    DERIVED,
    GROUPS,
    KEPT,
    KINEMATIC_BODY,
    NON_NEGATIVE,
    OUTSIDE,
    PARAMETER,
    STATE,
    TIME,
    XYZ,
    XYZW,
    Row,
    rows_made,
)

ACTOR_GROUP, JOINT_GROUP, KINEMATIC_GROUP = "actor", GROUPS[OUTSIDE], GROUPS[KINEMATIC_BODY]
LASTING, READ = (STATE, KEPT), (TIME, ACTING, PARAMETER, DERIVED)

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


def _frames() -> Iterator[Row]:
    """Where the joint frame is at either side."""
    for name in ("frame0", "frame1"):
        body = f"body{name[-1]}"
        yield Row(f"{name}_position", OUTSIDE, DERIVED, f"Of the joint frame in the F of {body}.", "distance",
                  components=XYZ)
        yield Row(f"{name}_rotation", OUTSIDE, DERIVED, f"Of the joint frame, x its axis, in the F of {body}.",
                  components=XYZW)


ISLAND_TABLE: tuple[Row, ...] = (
    # --- joints outside articulations -------------------------------------------------------------------------------
    Row("broken", OUTSIDE, KEPT, "1 for good once a force took the joint away.", when=lambda t: t.breaks),
    Row("force", OUTSIDE, KEPT, "What it gave body0 on average over the last step, its torque about the anchor on "
        "body1; world axes, drives left out.", "force, torque", components=("fx", "fy", "fz", "tx", "ty", "tz"),
        when=lambda t: t.keeps_force),
    Row("turns", OUTSIDE, KEPT, "What the two hinges of a gear or a rack have turned or slid since the start.",
        _POSITIONS, components=("first", "second"), when=_coupling),
    Row("last_angle", OUTSIDE, KEPT, "Where the two hinges stood at the last step's start.", _POSITIONS,
        components=("first", "second"), when=_coupling),
    Row("lower_limit", OUTSIDE, PARAMETER, "Of every axis that has limits.", _POSITIONS, BOUND, AXES,
        neutral=-math.inf, when=_limited),
    Row("upper_limit", OUTSIDE, PARAMETER, "Of every axis that has limits.", _POSITIONS, BOUND, AXES,
        neutral=math.inf, when=_limited),
    Row("limit_stiffness", OUTSIDE, PARAMETER, "Of a soft limit.", _STIFFNESSES, NON_NEGATIVE, AXES, when=_limited),
    Row("limit_damping", OUTSIDE, PARAMETER, "Of a soft limit.", _DAMPINGS, NON_NEGATIVE, AXES, when=_limited),
    Row("restitution", OUTSIDE, PARAMETER, "Share of its speed with which the joint leaves a hard limit.", "-",
        "[0, 1]", AXES, when=_bouncing),
    Row("bounce_threshold", OUTSIDE, PARAMETER, "No slower the joint bounces off a hard limit.", _VELOCITIES,
        NON_NEGATIVE, AXES, when=_bouncing),
    Row("cone_angle", OUTSIDE, PARAMETER, "Half angles of the cone that bounds both swings.", "radian", NON_NEGATIVE,
        ("rotY", "rotZ"), when=_coned),
    Row("cone_stiffness", OUTSIDE, PARAMETER, "Of a soft cone.", "torque / radian", NON_NEGATIVE, when=_coned),
    Row("cone_damping", OUTSIDE, PARAMETER, "Of a soft cone.", "torque * time / radian", NON_NEGATIVE, when=_coned),
    Row("cone_restitution", OUTSIDE, PARAMETER, "Share of its speed with which the joint leaves a hard cone.", "-",
        "[0, 1]", when=_bouncing_in_cone),
    Row("cone_bounce_threshold", OUTSIDE, PARAMETER, "No slower the joint bounces off a hard cone.", "radian / time",
        NON_NEGATIVE, when=_bouncing_in_cone),
    Row("distance_limit", OUTSIDE, PARAMETER, "How far a generic joint's translations go together, its distance limit.",
        "distance", "(0, inf)", when=_distance_limited),
    Row("distance_limit_stiffness", OUTSIDE, PARAMETER, "Of a soft distance limit.", "force / distance", NON_NEGATIVE,
        when=_softly_distance_limited),
    Row("distance_limit_damping", OUTSIDE, PARAMETER, "Of a soft distance limit.", "force * time / distance",
        NON_NEGATIVE, when=_softly_distance_limited),
    Row("stiffness", OUTSIDE, PARAMETER, "Of the drives.", f"{_STIFFNESSES}; 1 / time^2 (acceleration drives)",
        NON_NEGATIVE, AXES, when=_driven),
    Row("damping", OUTSIDE, PARAMETER, "Of the drives.", f"{_DAMPINGS}; 1 / time (acceleration drives)", NON_NEGATIVE,
        AXES, when=_driven),
    Row("max_force", OUTSIDE, PARAMETER, "Of the drives.", "force, torque", "[0, inf]", AXES, neutral=math.inf,
        clipped=True, when=_driven),
    Row("target_position", OUTSIDE, PARAMETER, "Of the drives.", _POSITIONS, ANY, AXES, when=_driven),
    Row("target_velocity", OUTSIDE, PARAMETER, "Of the drives.", _VELOCITIES, ANY, AXES, when=_driven),
    Row("minimum_distance", OUTSIDE, PARAMETER, "Between the origins of the joint's frames.", "distance", NON_NEGATIVE,
        when=_ranged),
    Row("maximum_distance", OUTSIDE, PARAMETER, "Between the origins of the joint's frames.", "distance", NON_NEGATIVE,
        when=_ranged),
    Row("spring_stiffness", OUTSIDE, PARAMETER, "Of a distance joint's spring.", "force / distance", NON_NEGATIVE,
        when=lambda t: t.spring),
    Row("spring_damping", OUTSIDE, PARAMETER, "Of a distance joint's spring.", "force * time / distance", NON_NEGATIVE,
        when=lambda t: t.spring),
    Row("ratio", OUTSIDE, PARAMETER, "Of a gear: angle of its second hinge per angle of its first; of a rack: angle of "
        "the hinge per distance of the slider.", "- or radian / distance", ANY, when=_coupling),
    Row("break_force", OUTSIDE, PARAMETER, "Beyond which the joint breaks.", "force", "[0, inf]",
        when=lambda t: t.breaks),
    Row("break_torque", OUTSIDE, PARAMETER, "Beyond which the joint breaks.", "torque", "[0, inf]",
        when=lambda t: t.breaks),
    *_frames(),
    Row("length_scale", OUTSIDE, DERIVED, "Length units a metre.", "distance / metre"),
    # --- kinematic bodies -------------------------------------------------------------------------------------------
    Row("position", KINEMATIC_BODY, ACTING, "Of its F at the step's start: at its centre of mass, axes of its prim.",
        "distance", components=XYZ),
    Row("rotation", KINEMATIC_BODY, ACTING, "Of its F at the step's start.", components=XYZW),
    Row("velocity", KINEMATIC_BODY, ACTING, "With which it goes to its target: linear of its centre of mass, angular; "
        "world axes.", _VELOCITIES, components=("vx", "vy", "vz", "wx", "wy", "wz")),
    Row("active", KINEMATIC_BODY, ACTING, "1 where it was sent to a target for this step or one of the last two, and "
        "keeps awake what it holds."),
)


def joint_rows(t: JointTopology, *makers: str) -> dict[str, int]:
    """Size of every row of one joint that one of these makes."""
    return {row.name: row.width for row in ISLAND_TABLE
            if row.owner == OUTSIDE and row.maker in makers and (row.when is None or row.when(t))}


def kinematic_rows(*makers: str) -> dict[str, int]:
    """Size of every row of one kinematic body that one of these makes."""
    return {row.name: row.width for row in ISLAND_TABLE if row.owner == KINEMATIC_BODY and row.maker in makers}


def island_rows(t: IslandTopology, *makers: str) -> dict[str, int]:
    """Size of every row of an island that one of these makes: of its actors, joints, then kinematic bodies."""
    found = {f"{ACTOR_GROUP}{i}_{name}": size
             for i, actor in enumerate(t.actors) for name, size in rows_made(actor, *makers).items()}
    found |= {f"{JOINT_GROUP}{i}_{name}": size
              for i, joint in enumerate(t.joints) for name, size in joint_rows(joint, *makers).items()}
    return found | {f"{KINEMATIC_GROUP}{i}_{name}": size
                    for i in range(t.kinematic) for name, size in kinematic_rows(*makers).items()}


def island_lasting_rows(t: IslandTopology) -> dict[str, int]:
    """Rows that a step of an island changes for good."""
    return island_rows(t, *LASTING)


def island_input_rows(t: IslandTopology) -> dict[str, int]:
    """Rows that a step of an island reads."""
    return island_rows(t, *READ)
