"""`TABLE` lists the rows of an articulation's or body's step: what each number is, its owner and its maker. Sizes and
layouts, parameters and their ranges, the facts that packing reads, labels in messages and docs/reference/rows.md
follow from it.
A number has the same name in a row and as a parameter. A row with another name holds something else, which `text`
explains.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

from physx_runtime.model.shared_schemas import numbers_of
from physx_runtime.model.topology import ActorTopology, BodyTopology, Topology

# What one element of a row belongs to.
WORLD, ROOT, LINK, MOVING_LINK, DOF, VELOCITY, LOCKED_DOF = (
    "world", "root", "link", "moving link", "degree of freedom", "generalised velocity", "locked axis")
FIXED_TENDON, TENDON_AXIS = "fixed tendon", "axis of a fixed tendon"
SPATIAL_TENDON, LEAF, ATTACHMENT = "spatial tendon", "leaf of a spatial tendon", "attachment of a spatial tendon"
MIMIC, EXTERNAL_FORCE = "mimic joint", "authored force"
MAXIMAL_JOINT, KINEMATIC_BODY = "joint outside articulations", "kinematic body"  # rows of islands, model.island_rows
# Owners with row groups of their own, numbered: fixed_tendon0_stiffness. Every leaf of a spatial tendon has one.
GROUPS = {FIXED_TENDON: "fixed_tendon", TENDON_AXIS: "fixed_tendon", SPATIAL_TENDON: "spatial_tendon",
          LEAF: "spatial_tendon", ATTACHMENT: "spatial_tendon", MIMIC: "mimic", EXTERNAL_FORCE: "external_force",
          MAXIMAL_JOINT: "joint",
          KINEMATIC_BODY: "kinematic"}
ACTOR_GROUP = "actor"       # of islands, whose actors' rows are numbered too: actor0_fixed_tendon0_stiffness

_KEY = re.compile(rf"({'|'.join(sorted({ACTOR_GROUP, *GROUPS.values()}))})(0|[1-9][0-9]*)_(.*)", re.DOTALL)


def owner_prefix(group: str, index: int) -> str:
    """The prefix of row names of a numbered owner. group: ACTOR_GROUP or one of GROUPS."""
    return f"{group}{index}_"


@dataclass(frozen=True, slots=True)
class RowKey:
    """The parts of a row's name: group and number of its owner, "" and 0 where it is not numbered, and a field.

    The text of a key is the row's name. The field of an actor of an island may be a key's text itself.
    """

    owner: str
    index: int
    field: str

    def __str__(self) -> str:
        return self.prefix + self.field

    @property
    def prefix(self) -> str:
        """The prefix of the names of all rows of this owner."""
        return owner_prefix(self.owner, self.index) if self.owner else ""

    @staticmethod
    @lru_cache(maxsize=8192)
    def parse(text: str) -> RowKey:
        """The key of a row's name."""
        match = _KEY.fullmatch(text)
        return RowKey(match[1], int(match[2]), match[3]) if match else RowKey("", 0, text)


# Whom alone a row is of, where not of both.
ARTICULATION, BODY = "articulation", "rigid body"

# What makes a row.
STATE = "state"                               # what a step goes on from
PERSISTENT = "persistent"                     # what a step stores besides
TIME = "time step"                            # follows from the time step of all worlds
CONTROL = "control"                           # set from outside, for the steps it is set for
PARAMETER = "parameter"                       # as authored; every world may have its own
DERIVED = "derived"                           # from parameters and the structure, by packing
PREPARED = "start of the step"                # the constraints' coefficients
ACCUMULATED_IMPULSE = "iterations"            # impulses since the step began
STEP_IMPULSE = "whole step"                   # the same, left for answers

XYZ, XYZW = ("x", "y", "z"), ("x", "y", "z", "w")
SYMMETRIC = ("xx", "yy", "zz", "xy", "xz", "yz")


@dataclass(frozen=True, slots=True)
class RowSpec:
    """One quantity of the step: `components` numbers for each of its owners.

    `schema` and `attribute` name the property of PhysxSchema whose definition has the range, unit and documentation;
    `range`, `unit` and `text` are given where it has none, or none that fits.
    """

    name: str
    owner: str
    maker: str
    text: str = ""
    unit: str = ""
    range: str = ""                     # of parameters, as in the schema: a round bracket leaves its bound out
    components: tuple[str, ...] = ()    # names of the numbers of one owner; one number without
    schema: str = ""
    attribute: str = ""
    feature: str = ""                   # of DofTopology, without which the step does not read the row
    neutral: float = 0.0                # what it then is
    clipped: bool = False               # magnitudes that PhysX takes as unlimited are it
    fact: str = ""                      # the description's name for it, where that is another
    derived: bool = False               # a parameter that the step knows only by the rows that follow from it
    actor: str = ""                     # whom alone it is of
    when: Callable[[Any], object] | None = None     # which trees (or joints) have it, all of them where None

    @property
    def width(self) -> int:
        """Numbers of one owner."""
        return len(self.components) or 1

    @property
    def public_name(self) -> str:
        """The name by which a parameter is set."""
        return f"{GROUPS[self.owner]}_{self.name}" if self.owner in GROUPS else self.name


def _of_schema(owner: str, schema: str, names: str = "", *, ranges: Mapping[str, str] = MappingProxyType({}),
               feature: str = "", unlimited: str = "", actor: str = "") -> Iterator[RowSpec]:
    """Parameters with the names of a schema's attributes; all of its numbers where none is named.

    `unlimited` is the one that is infinite where nothing acts.
    """
    attributes = numbers_of(schema)
    for name in names.split() or attributes:
        yield RowSpec(name, owner, PARAMETER, range=ranges.get(name, ""), schema=schema, feature=feature, actor=actor,
                      attribute=attributes[name], neutral=math.inf if name == unlimited else 0.0,
                      clipped=name == unlimited)


def _floating(t: Topology) -> bool:
    return not t.fixed_base


ANY, POSITIVE, NON_NEGATIVE, BOUND = "(-inf, inf)", "(0, inf)", "[0, inf)", "[-inf, inf]"
_EFFORT, _POSITION = "force (linear), torque (angular)", "distance (linear), radian (angular)"
_VELOCITY = "distance / time (linear), radian / time (angular)"

TABLE: tuple[RowSpec, ...] = (
    # --- state ------------------------------------------------------------------------------------------------------
    RowSpec("q", DOF, STATE, "Joint position; for a spherical joint, components of the rotation vector.", _POSITION),
    RowSpec("v", VELOCITY, STATE, "Velocity of a floating root (linear velocity of the centre of mass, then angular "
            "velocity), followed by the joint velocities.", _VELOCITY),
    RowSpec("root_position", ROOT, STATE, "Position of the root's frame F in the world.", "distance", components=XYZ),
    RowSpec("root_rotation", ROOT, STATE, "Rotation of the root's frame F in the world.", components=XYZW),
    RowSpec("locked", LOCKED_DOF, STATE, "Rotation about a locked axis of a spherical joint; it drifts in PhysX.",
            "radian",
            when=lambda t: t.locked),
    RowSpec("diverged", WORLD, PERSISTENT, "1 after the state becomes NaN or infinite, until you reset the world."),
    RowSpec("asleep", WORLD, PERSISTENT, "1 while the world sleeps.", when=lambda t: t.sleeping),
    RowSpec("wake_request", WORLD, PERSISTENT, "Request to wake since the last step: 0 none, 1 wake, 2 reset.",
            when=lambda t: t.sleeping),
    RowSpec("wake_counter", MOVING_LINK, PERSISTENT, "Time until the link may fall asleep.", "time",
            when=lambda t: t.sleeping),
    RowSpec("sleep_linear", MOVING_LINK, PERSISTENT, "Sum of the link's linear velocities for the sleep test, in the "
            "axes of the link's frame F.", "distance / time", components=XYZ, when=lambda t: t.sleeping),
    RowSpec("sleep_angular", MOVING_LINK, PERSISTENT, "Sum of the link's angular velocities for the sleep test, in the "
            "axes of the link's frame F.", "radian / time", components=XYZ, when=lambda t: t.sleeping),
    # --- the world and what acts on it ------------------------------------------------------------------------------
    RowSpec("dt", WORLD, TIME, "Time step.", "time"),
    RowSpec("h", WORLD, TIME, "Duration of a position iteration: dt / N with TGS, dt with PGS.", "time"),
    RowSpec("erp", WORLD, TIME, "Fraction of a position error that one iteration corrects.", actor=ARTICULATION),
    RowSpec("gravity", WORLD, PARAMETER, "Gravitational acceleration, in world axes.", "distance / time^2", ANY, XYZ),
    RowSpec("length_scale", WORLD, DERIVED, "Length units per metre.", "distance / metre", actor=ARTICULATION),
    RowSpec("min_response", WORLD, DERIVED,
            "Performance envelopes treat a joint response below this value as 0.",
            "1 / mass (linear), 1 / (mass * distance^2) (angular)", actor=ARTICULATION),
    RowSpec("joint_effort", DOF, CONTROL, "Effort at the joint.", _EFFORT),
    # --- links ------------------------------------------------------------------------------------------------------
    RowSpec("mass", LINK, PARAMETER, "Mass. A change of the mass does not change the inertia.", "mass", POSITIVE),
    RowSpec("center_of_mass", LINK, PARAMETER, "Centre of mass in the link's frame. If the centre of mass "
            "moves, tendon attachments on the link move too.", "distance", ANY, XYZ, derived=True),
    RowSpec("diagonal_inertia", LINK, PARAMETER, "Principal moments of inertia about the centre of mass.",
            "mass * distance^2", POSITIVE, XYZ, derived=True),
    RowSpec("principal_axes", LINK, PARAMETER, "Principal axes of inertia in the link's frame, as a quaternion "
            "x y z w. If the axes rotate, tendon attachments on the link rotate too.",
            "quaternion x y z w, normalised when set", ANY, XYZW, derived=True),
    RowSpec("com", LINK, DERIVED, "Centre of mass in the link's internal frame F.", "distance",
            components=XYZ, actor=ARTICULATION),
    RowSpec("inertia", LINK, DERIVED, "Inertia about the centre of mass, in the axes of the link's frame F.",
            "mass * distance^2",
            components=SYMMETRIC),
    RowSpec("tree_position", LINK, DERIVED, "Position of the link's F in the parent's F at q = 0.", "distance",
            components=XYZ, actor=ARTICULATION),
    RowSpec("tree_rotation", LINK, DERIVED, "Rotation of the link's F in the parent's F at q = 0.", components=XYZW,
            actor=ARTICULATION),
    RowSpec("gravity_enabled", LINK, PARAMETER, "Whether gravity acts on the link.", "", "0 or 1"),
    *_of_schema(LINK, "PhysxRigidBodyAPI",
                "linear_damping angular_damping max_linear_velocity max_angular_velocity"),
    *_of_schema(LINK, "PhysxRigidBodyAPI", "cfm_scale", actor=ARTICULATION),
    # --- degrees of freedom -----------------------------------------------------------------------------------------
    *_of_schema(DOF, "PhysxJointAxisAPI", "armature"),
    RowSpec("velocity_clamp", DOF, DERIVED, "Maximum joint speed at the start of the step; PhysX reads it from another "
            "joint axis than max_velocity.", _VELOCITY),
    # 0 would be divided by at the step's start
    RowSpec("max_velocity", DOF, PARAMETER, range="(0, inf]", schema="PhysxJointAxisAPI", attribute="maxJointVelocity",
            feature="max_velocity", neutral=math.inf, clipped=True),
    RowSpec("lower_limit", DOF, PARAMETER, "Lower limit. A lower limit above upper_limit locks the joint.", _POSITION,
            BOUND, feature="limit", neutral=-math.inf, fact="lower"),
    RowSpec("upper_limit", DOF, PARAMETER, "Upper limit. An upper limit below lower_limit locks the joint.", _POSITION,
            BOUND, feature="limit", neutral=math.inf, fact="upper"),
    RowSpec("static_friction", DOF, PARAMETER, schema="PhysxJointAxisAPI", attribute="staticFrictionEffort",
            feature="friction"),
    RowSpec("dynamic_friction", DOF, PARAMETER, "Friction effort of a moving joint; at most static_friction.",
            schema="PhysxJointAxisAPI", attribute="dynamicFrictionEffort", feature="friction"),
    RowSpec("viscous_friction", DOF, PARAMETER, schema="PhysxJointAxisAPI", attribute="viscousFrictionCoefficient",
            feature="friction"),
    RowSpec("load_friction", DOF, PARAMETER,
            "Friction coefficient, multiplied by the joint's load (force and torque about the child's centre of mass). "
            "Only solver=\"sapien-3.0\" uses this parameter; no USD property sets it.", "", NON_NEGATIVE,
            feature="load_friction"),
    RowSpec("stiffness", DOF, PARAMETER, "Stiffness of the drive.",
            "force / distance (linear), torque / radian (angular); "
            "1 / time^2 (acceleration drives)", NON_NEGATIVE, feature="drive"),
    RowSpec("damping", DOF, PARAMETER, "Damping of the drive.",
            "force * time / distance (linear), torque * time / radian (angular); "
            "1 / time (acceleration drives)", NON_NEGATIVE, feature="drive"),
    RowSpec("target_position", DOF, PARAMETER, "Target position of the drive.", _POSITION, ANY, feature="drive"),
    RowSpec("target_velocity", DOF, PARAMETER, "Target velocity of the drive.", _VELOCITY, ANY, feature="drive"),
    RowSpec("max_force", DOF, PARAMETER, "Limit of the sum of drive effort and joint effort; 0 disables the "
            "drive.", _EFFORT, "[0, inf]", feature="drive", neutral=math.inf, clipped=True),
    *_of_schema(DOF, "PhysxDrivePerformanceEnvelopeAPI", "max_actuator_velocity velocity_dependent_resistance "
                "speed_effort_gradient", feature="envelope", unlimited="max_actuator_velocity"),
    # --- what only some structures have -----------------------------------------------------------------------------
    RowSpec("root_axes", ROOT, DERIVED, "Principal axes of a floating root, in its internal frame F.", components=XYZW,
            actor=ARTICULATION, when=_floating),
    RowSpec("root_center", ROOT, DERIVED, "Authored centre of mass of a floating root, in its frame F; poses of the "
            "root's colliders are computed from it.", "distance", components=XYZ,
            actor=ARTICULATION, when=_floating),
    RowSpec("single_rotation", WORLD, DERIVED, "1 if the root's rotation in a substep is rounded to float32, as in "
            "PhysX.", actor=ARTICULATION, when=_floating),
    RowSpec("min_rotation", WORLD, DERIVED, "Rotations of a spherical joint up to this angle are ignored in a "
            "substep, as in PhysX.", "radian", when=lambda t: t.spherical_links),
    *_of_schema(FIXED_TENDON, "PhysxTendonAxisRootAPI"),
    *_of_schema(TENDON_AXIS, "PhysxTendonAxisAPI", "gearing force_coefficient"),
    *_of_schema(SPATIAL_TENDON, "PhysxTendonAttachmentRootAPI"),
    # a rest length below 0 is measured when a stage is read; here the length itself is given
    *_of_schema(LEAF, "PhysxTendonAttachmentLeafAPI", "rest_length lower_limit upper_limit",
                ranges={"rest_length": NON_NEGATIVE}),
    *_of_schema(ATTACHMENT, "PhysxTendonAttachmentAPI", "gearing"),
    RowSpec("local_position", ATTACHMENT, PARAMETER, "Position of the attachment in the link's mass frame, as in "
            "PhysX.", "distance", ANY, XYZ, derived=True),
    RowSpec("position", ATTACHMENT, DERIVED, "Position of the attachment in the link's frame F.", "distance",
            components=XYZ),
    # PhysX makes no mimic joint with gearing 0
    *_of_schema(MIMIC, "PhysxMimicJointAPI", "gearing offset natural_frequency damping_ratio",
                ranges={"gearing": "(-inf, inf) but 0"}),
    RowSpec("link_force", LINK, CONTROL, "Force on the link at its centre of mass, in world axes.", "force",
            components=XYZ, when=lambda t: t.link_forces),
    RowSpec("link_torque", LINK, CONTROL, "Torque on the link, in world axes.", "torque", components=XYZ,
            when=lambda t: t.link_forces),
    RowSpec("force", EXTERNAL_FORCE, DERIVED, "Authored force, in the axes of the world or of the link's frame F; "
            "0 if disabled.",
            "force, or distance / time^2",
            components=XYZ),
    RowSpec("torque", EXTERNAL_FORCE, DERIVED, "Authored torque, in the axes of the world or of the link's frame F; "
            "0 if disabled.",
            "torque, or radian / time^2",
            components=XYZ),
    RowSpec("point", EXTERNAL_FORCE, DERIVED, "Point at which the authored force acts, in the link's frame F.",
            "distance", components=XYZ),
    RowSpec("gyroscopic", WORLD, DERIVED, "0 disables gyroscopic forces.", actor=BODY),
    RowSpec("sleep_threshold", WORLD, DERIVED, "Kinetic energy per mass below which links may sleep.",
            "distance^2 / time^2", when=lambda t: t.sleeping),
    # --- made within a step -----------------------------------------------------------------------------------------
    RowSpec("soft", DOF, PREPARED, "1 / (r + cfm), where r is the joint's response to a unit impulse."),
    RowSpec("bias", DOF, PREPARED, "Joint velocity inside the solver minus v: the part dt (Jdot v) along the axis.",
            _VELOCITY),
    RowSpec("displacement_axis", DOF, PREPARED, "Joint axis at the start of the step.", components=XYZ),
    RowSpec("displacement_moment", DOF, PREPARED, "Change of a slider's displacement per rotation of its parent.",
            components=XYZ),
    RowSpec("displacement_offset", DOF, PREPARED, "Distance from the parent's to the child's centre of mass "
            "along a slider's axis, at the start of the step.", "distance"),
    RowSpec("displacement_spin", DOF, PREPARED, "Part dt (Jdot v) of the parent's angular velocity in the solver.",
            components=XYZ),
    RowSpec("lower_start", DOF, PREPARED, "Distance from the joint position to lower_limit at the start of the step.",
            _POSITION),
    RowSpec("upper_start", DOF, PREPARED, "Distance from the joint position to upper_limit at the start of the step.",
            _POSITION),
    RowSpec("load_friction_impulse", DOF, PREPARED, "Largest impulse of load friction in one iteration."),
    RowSpec("drive_damping_impulse", DOF, PREPARED, "Drive impulse per joint velocity."),
    RowSpec("drive_spring", DOF, PREPARED, "Drive impulse per position error."),
    RowSpec("drive_speed", DOF, PREPARED, "Drive impulse for the target velocity."),
    RowSpec("drive_start", DOF, PREPARED, "Position error of the drive at the start of the step.", _POSITION),
    RowSpec("drive_decay", DOF, PREPARED, "With PGS: fraction of the accumulated drive impulse that an iteration "
            "removes."),
    RowSpec("drive_total", DOF, ACCUMULATED_IMPULSE),
    RowSpec("friction_total", DOF, ACCUMULATED_IMPULSE),
    RowSpec("lower_total", DOF, ACCUMULATED_IMPULSE),
    RowSpec("upper_total", DOF, ACCUMULATED_IMPULSE),
    *(RowSpec("impulse", owner, STEP_IMPULSE, "Impulse in the last step, stored if joint forces are reported.",
              when=lambda t: t.tendon_impulses) for owner in (SPATIAL_TENDON, TENDON_AXIS)),
    *(RowSpec(name, owner, ACCUMULATED_IMPULSE, when=lambda t: t.pgs) for owner in (SPATIAL_TENDON, TENDON_AXIS)
      for name in ("total", "limit_total")),
)


def groups(t: Topology, owner: str) -> list[tuple[str, int]]:
    """(prefix of row names, number of owners) of every row group of one kind of owner."""
    if owner in (FIXED_TENDON, TENDON_AXIS):
        counts = [len(tendon.dofs) if owner == TENDON_AXIS else 1 for tendon in t.fixed_tendons]
    elif owner in (SPATIAL_TENDON, LEAF, ATTACHMENT):
        counts = [len(path.links) if owner == ATTACHMENT else 1 for path in t.spatial_tendons]
    elif owner in (MIMIC, EXTERNAL_FORCE):
        counts = [1] * len(t.mimics if owner == MIMIC else t.external_forces)
    elif owner in (MOVING_LINK, LOCKED_DOF):
        return [("", len(t.moving_links if owner == MOVING_LINK else t.locked))]
    else:
        return [("", {LINK: len(t.links), DOF: len(t.dofs), VELOCITY: t.nv}.get(owner, 1))]
    return [(owner_prefix(GROUPS[owner], i), count) for i, count in enumerate(counts)]


def rows_by_maker(topology: ActorTopology, *makers: str) -> dict[str, int]:
    """Size of every row of a topology by its makers; of a body's dofs only the state's rows, which are empty."""
    return dict(_rows_by_maker(topology, makers))


@lru_cache(maxsize=256)
def _rows_by_maker(topology: ActorTopology, makers: tuple[str, ...]) -> Mapping[str, int]:
    t, is_body = topology.tree, isinstance(topology, BodyTopology)
    owner_groups: dict[str, list[tuple[str, int]]] = {}
    sizes: dict[str, int] = {}
    for row in TABLE:
        if row.maker not in makers or row.derived or row.actor == (ARTICULATION if is_body else BODY):
            continue
        if (row.when is None or row.when(t)) and not (is_body and row.owner == DOF and row.maker != STATE):
            if row.owner not in owner_groups:
                owner_groups[row.owner] = groups(t, row.owner)
            for prefix, count in owner_groups[row.owner]:
                sizes[prefix + row.name] = count * row.width
    return sizes


def state_rows(t: ActorTopology) -> dict[str, int]:
    """Rows of the state."""
    return rows_by_maker(t, STATE)


def output_rows(t: ActorTopology) -> dict[str, int]:
    """Rows that persist after a step: state, divergence, sleep and reported impulses."""
    return rows_by_maker(t, STATE, PERSISTENT, STEP_IMPULSE)


def input_rows(t: ActorTopology) -> dict[str, int]:
    """Rows that a step reads: settings, efforts and parameters."""
    return rows_by_maker(t, TIME, CONTROL, PARAMETER, DERIVED)


def tree_rows(t: ActorTopology) -> dict[str, int]:
    """Rows of the tree in an actor's equations of motion that the actor does not have: 0 for a body,
    whose frame F is at its centre of mass."""
    actor_rows, tree = state_rows(t) | input_rows(t), state_rows(t.tree) | input_rows(t.tree)
    return {name: size for name, size in tree.items() if name not in actor_rows}


@lru_cache(maxsize=64)
def settable_rows(t: ActorTopology) -> Mapping[str, int]:
    """Rows that can be set: the state and the inputs of a step, always with link forces."""
    return MappingProxyType(state_rows(t) | input_rows(replace(t, link_forces=True)))


def accumulated_impulse_rows(t: Topology) -> dict[str, int]:
    """Accumulated impulses of constraints since the start of the step; with PGS also those of tendon springs."""
    return rows_by_maker(t, ACCUMULATED_IMPULSE, STEP_IMPULSE)


@cache
def rows_of(owner: str, *makers: str) -> tuple[RowSpec, ...]:
    """The table's rows of one kind of owner by these makers, or by any maker."""
    return tuple(row for row in TABLE
                 if row.owner == owner and not row.derived and (not makers or row.maker in makers))


@cache
def names_of(owner: str, *makers: str) -> tuple[str, ...]:
    """Names of `rows_of`."""
    return tuple(row.name for row in rows_of(owner, *makers))


def widths_of(owner: str, *makers: str) -> dict[str, int]:
    """Row name -> numbers of one owner, of `rows_of`."""
    return {row.name: row.width for row in rows_of(owner, *makers)}


def step_impulse_rows(t: ActorTopology) -> dict[str, int]:
    """Impulses that a step keeps for reports."""
    return rows_by_maker(t, STEP_IMPULSE)


FORCE_ROWS = tuple(row.name for row in TABLE if row.maker == CONTROL)
LINK_FORCE_ROWS = tuple(row.name for row in TABLE if row.maker == CONTROL and row.owner == LINK)


def external_force_rows(t: ActorTopology) -> tuple[str, ...]:
    """Rows with the authored forces and torques on an actor."""
    return tuple(str(RowKey(GROUPS[EXTERNAL_FORCE], i, field))
                 for i in range(len(t.external_forces)) for field in ("force", "torque"))


def control_rows(t: ActorTopology) -> tuple[str, ...]:
    """Rows of the time step, efforts and link forces, which hold for the steps they are set for."""
    return ("dt", *rows_by_maker(t, CONTROL))
