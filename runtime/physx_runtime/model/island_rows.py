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
        yield RowSpec(f"{name}_position", MAXIMAL_JOINT, DERIVED, f"Joint frame in F of {body}.", "distance",
                      components=XYZ)
        yield RowSpec(f"{name}_rotation", MAXIMAL_JOINT, DERIVED,
                      f"Joint frame in F of {body}; x is the axis.", components=XYZW)


ISLAND_TABLE: tuple[RowSpec, ...] = (
    # --- joints outside articulations -------------------------------------------------------------------------------
    RowSpec("broken", MAXIMAL_JOINT, PERSISTENT, "1 once the joint is broken; it stays broken.",
            when=lambda t: t.breaks),
    RowSpec("force", MAXIMAL_JOINT, PERSISTENT,
            "Mean force on body0 over the last step, and torque about the anchor on body1, without drives; "
            "world axes.", "force, torque", components=("fx", "fy", "fz", "tx", "ty", "tz"),
            when=lambda t: t.stores_force),
    RowSpec("turns", MAXIMAL_JOINT, PERSISTENT,
            "Displacement of both hinges of a gear or rack since the start.",
            _POSITIONS, components=("first", "second"), when=_coupling),
    RowSpec("last_angle", MAXIMAL_JOINT, PERSISTENT, "Positions of both hinges at the start of the last step.",
            _POSITIONS, components=("first", "second"), when=_coupling),
    RowSpec("lower_limit", MAXIMAL_JOINT, PARAMETER, "Lower limits.", _POSITIONS, BOUND, AXES,
            neutral=-math.inf, when=_limited),
    RowSpec("upper_limit", MAXIMAL_JOINT, PARAMETER, "Upper limits.", _POSITIONS, BOUND, AXES,
            neutral=math.inf, when=_limited),
    RowSpec("limit_stiffness", MAXIMAL_JOINT, PARAMETER, "Stiffness of soft limits.", _STIFFNESSES, NON_NEGATIVE, AXES,
            when=_limited),
    RowSpec("limit_damping", MAXIMAL_JOINT, PARAMETER, "Damping of soft limits.", _DAMPINGS, NON_NEGATIVE, AXES,
            when=_limited),
    RowSpec("restitution", MAXIMAL_JOINT, PARAMETER, "Fraction of the speed kept after a hard limit.", "-",
            "[0, 1]", AXES, when=_bouncing),
    RowSpec("bounce_threshold", MAXIMAL_JOINT, PARAMETER, "Lowest speed at which hard limits bounce.", _VELOCITIES,
            NON_NEGATIVE, AXES, when=_bouncing),
    RowSpec("cone_angle", MAXIMAL_JOINT, PARAMETER, "Half angles of the swing cone.", "radian",
            NON_NEGATIVE,
            ("rotY", "rotZ"), when=_coned),
    RowSpec("cone_stiffness", MAXIMAL_JOINT, PARAMETER, "Stiffness of a soft cone.", "torque / radian", NON_NEGATIVE,
            when=_coned),
    RowSpec("cone_damping", MAXIMAL_JOINT, PARAMETER, "Damping of a soft cone.", "torque * time / radian", NON_NEGATIVE,
            when=_coned),
    RowSpec("cone_restitution", MAXIMAL_JOINT, PARAMETER, "Fraction of the speed kept after a hard cone.",
            "-",
            "[0, 1]", when=_bouncing_in_cone),
    RowSpec("cone_bounce_threshold", MAXIMAL_JOINT, PARAMETER, "Lowest speed at which a hard cone bounces.",
            "radian / time",
            NON_NEGATIVE, when=_bouncing_in_cone),
    RowSpec("distance_limit", MAXIMAL_JOINT, PARAMETER,
            "Largest combined translation of a generic joint.",
            "distance", "(0, inf)", when=_distance_limited),
    RowSpec("distance_limit_stiffness", MAXIMAL_JOINT, PARAMETER, "Stiffness of a soft distance limit.",
            "force / distance", NON_NEGATIVE, when=_softly_distance_limited),
    RowSpec("distance_limit_damping", MAXIMAL_JOINT, PARAMETER, "Damping of a soft distance limit.",
            "force * time / distance", NON_NEGATIVE, when=_softly_distance_limited),
    RowSpec("stiffness", MAXIMAL_JOINT, PARAMETER, "Stiffness of the drives.",
            f"{_STIFFNESSES}; 1 / time^2 (acceleration drives)",
            NON_NEGATIVE, AXES, when=_driven),
    RowSpec("damping", MAXIMAL_JOINT, PARAMETER, "Damping of the drives.",
            f"{_DAMPINGS}; 1 / time (acceleration drives)", NON_NEGATIVE, AXES, when=_driven),
    RowSpec("max_force", MAXIMAL_JOINT, PARAMETER, "Effort limits of the drives.", "force, torque", "[0, inf]", AXES,
            neutral=math.inf,
            clipped=True, when=_driven),
    RowSpec("target_position", MAXIMAL_JOINT, PARAMETER, "Target positions of the drives.", _POSITIONS, ANY, AXES,
            when=_driven),
    RowSpec("target_velocity", MAXIMAL_JOINT, PARAMETER, "Target velocities of the drives.", _VELOCITIES, ANY, AXES,
            when=_driven),
    RowSpec("minimum_distance", MAXIMAL_JOINT, PARAMETER, "Minimum distance of the frames' origins.", "distance",
            NON_NEGATIVE,
            when=_ranged),
    RowSpec("maximum_distance", MAXIMAL_JOINT, PARAMETER, "Maximum distance of the frames' origins.", "distance",
            NON_NEGATIVE,
            when=_ranged),
    RowSpec("spring_stiffness", MAXIMAL_JOINT, PARAMETER, "Spring of a distance joint.", "force / distance",
            NON_NEGATIVE,
            when=lambda t: t.spring),
    RowSpec("spring_damping", MAXIMAL_JOINT, PARAMETER, "Spring damping of a distance joint.",
            "force * time / distance", NON_NEGATIVE, when=lambda t: t.spring),
    RowSpec("ratio", MAXIMAL_JOINT, PARAMETER,
            "Gear: angle of the second hinge per angle of the first. Rack: hinge angle per slider distance.",
            "- or radian / distance", ANY, when=_coupling),
    RowSpec("break_force", MAXIMAL_JOINT, PARAMETER, "Force that breaks the joint.", "force", "[0, inf]",
            when=lambda t: t.breaks),
    RowSpec("break_torque", MAXIMAL_JOINT, PARAMETER, "Torque that breaks the joint.", "torque", "[0, inf]",
            when=lambda t: t.breaks),
    *_frames(),
    RowSpec("length_scale", MAXIMAL_JOINT, DERIVED, "Length units per metre.", "distance / metre"),
    # --- kinematic bodies -------------------------------------------------------------------------------------------
    RowSpec("position", KINEMATIC_BODY, CONTROL,
            "F at the start of the step: centre of mass, axes of the prim.",
            "distance", components=XYZ),
    RowSpec("rotation", KINEMATIC_BODY, CONTROL, "F at the start of the step.", components=XYZW),
    RowSpec("velocity", KINEMATIC_BODY, CONTROL,
            "Velocity to the target: linear (centre of mass), angular; world axes.", _VELOCITIES,
            components=("vx", "vy", "vz", "wx", "wy", "wz")),
    RowSpec("active", KINEMATIC_BODY, CONTROL,
            "1 if the body had a target in this step or the last two; connected bodies then stay awake."),
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
