"""The rows that a step's numbers live in: the one table of what each is, what it belongs to and what makes it.

Sizes and layouts, parameters and their ranges, what packing reads of a description, labels of refused numbers and
docs/rows.md follow from `TABLE`. A number has one name, in a row as where it is set; a row called otherwise holds
something else, and `text` says what.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

from physx_runtime.model.shared_schemas import numbers_of
from physx_runtime.model.topology import ActorTopology, BodyTopology, Topology

# What one element of a row belongs to.
WORLD, ROOT, LINK, MOVING_LINK, DOF, VELOCITY, LOCKED = (
    "world", "root", "link", "moving link", "degree of freedom", "generalised velocity", "locked axis")
FIXED_TENDON, TENDON_AXIS = "fixed tendon", "axis of a fixed tendon"
SPATIAL_TENDON, LEAF, ATTACHMENT = "spatial tendon", "leaf of a spatial tendon", "attachment of a spatial tendon"
MIMIC, PUSH = "mimic joint", "authored force"
OUTSIDE, KINEMATIC_BODY = "joint outside articulations", "kinematic body"      # rows of islands, model.island_rows
# Owners with row groups of their own, numbered: fixed_tendon0_stiffness. Every leaf of a spatial tendon has one.
GROUPS = {FIXED_TENDON: "fixed_tendon", TENDON_AXIS: "fixed_tendon", SPATIAL_TENDON: "spatial_tendon",
          LEAF: "spatial_tendon", ATTACHMENT: "spatial_tendon", MIMIC: "mimic", PUSH: "push", OUTSIDE: "joint",
          KINEMATIC_BODY: "kinematic"}

# Whom alone a row is of, where not of both.
ARTICULATION, BODY = "articulation", "rigid body"

# What makes a row.
STATE = "state"                 # what a step goes on from
KEPT = "kept"                   # what a step keeps besides
TIME = "time step"              # follows from the time step of all worlds
ACTING = "acting"               # set from outside, for the steps it is set for
PARAMETER = "parameter"         # as authored; every world may have its own
DERIVED = "derived"             # from parameters and the structure, by packing
START = "start of the step"     # the constraints' coefficients
TOTAL = "iterations"            # impulses since the step began
GIVEN = "whole step"            # the same, left for answers

XYZ, XYZW = ("x", "y", "z"), ("x", "y", "z", "w")
SYMMETRIC = ("xx", "yy", "zz", "xy", "xz", "yz")


@dataclass(frozen=True, slots=True)
class Row:
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
    feature: str = ""                   # of DofTopology, without which nothing heeds the row
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
        """What a parameter is set by."""
        return f"{GROUPS[self.owner]}_{self.name}" if self.owner in GROUPS else self.name


def _of_schema(owner: str, schema: str, names: str = "", *, ranges: Mapping[str, str] = MappingProxyType({}),
               feature: str = "", unlimited: str = "", actor: str = "") -> Iterator[Row]:
    """Parameters called as a schema's attributes are, all of its numbers where none is named.

    `unlimited` is the one that is infinite where nothing acts.
    """
    attributes = numbers_of(schema)
    for name in names.split() or attributes:
        yield Row(name, owner, PARAMETER, range=ranges.get(name, ""), schema=schema, feature=feature, actor=actor,
                  attribute=attributes[name], neutral=math.inf if name == unlimited else 0.0, clipped=name == unlimited)


def _floating(t: Topology) -> bool:
    return not t.fixed_base


ANY, POSITIVE, NON_NEGATIVE, BOUND = "(-inf, inf)", "(0, inf)", "[0, inf)", "[-inf, inf]"
_EFFORT, _POSITION = "force (linear), torque (angular)", "distance (linear), radian (angular)"
_VELOCITY = "distance / time (linear), radian / time (angular)"

TABLE: tuple[Row, ...] = (
    # --- state ------------------------------------------------------------------------------------------------------
    Row("q", DOF, STATE, "Generalised position, by the field's symbol: of a spherical joint parts of its rotation "
        "vector.", _POSITION),
    Row("v", VELOCITY, STATE, "Generalised velocity, by the field's symbol: a floating root's linear velocity at its "
        "centre of mass and angular velocity, then the joints'.", _VELOCITY),
    Row("root_position", ROOT, STATE, "Of the root's internal frame F, no prim's frame.", "distance", components=XYZ),
    Row("root_rotation", ROOT, STATE, "Of the root's internal frame F, no prim's frame.", components=XYZW),
    Row("locked", LOCKED, STATE, "Part of a rotation vector without a coordinate; PhysX lets it drift.", "radian",
        when=lambda t: t.locked),
    Row("diverged", WORLD, KEPT, "1 for good once the state was not finite."),
    Row("asleep", WORLD, KEPT, "1 while the world rests.", when=lambda t: t.sleeping),
    Row("stirred", WORLD, KEPT, "What was done to the world since the last step.", when=lambda t: t.sleeping),
    Row("wake_counter", MOVING_LINK, KEPT, "What is left until the link may sleep.", "time",
        when=lambda t: t.sleeping),
    Row("sleep_linear", MOVING_LINK, KEPT, "Velocities added up, axes of F.", "distance / time", components=XYZ,
        when=lambda t: t.sleeping),
    Row("sleep_angular", MOVING_LINK, KEPT, "Velocities added up, axes of F.", "radian / time", components=XYZ,
        when=lambda t: t.sleeping),
    # --- the world and what acts on it ------------------------------------------------------------------------------
    Row("dt", WORLD, TIME, "Time of a step.", "time"),
    Row("h", WORLD, TIME, "What one iteration counts for: dt / N, with PGS dt.", "time"),
    Row("erp", WORLD, TIME, "Part of a position error that an iteration takes back.", actor=ARTICULATION),
    Row("gravity", WORLD, PARAMETER, "Acceleration of free fall, world axes.", "distance / time^2", ANY, XYZ),
    Row("length_scale", WORLD, DERIVED, "Length units a metre.", "distance / metre", actor=ARTICULATION),
    Row("least_response", WORLD, DERIVED, "Response of a joint to an impulse below which envelopes take it for none.",
        "1 / mass (linear), 1 / (mass * distance^2) (angular)", actor=ARTICULATION),
    Row("joint_effort", DOF, ACTING, "Effort at the joint.", _EFFORT),
    # --- links ------------------------------------------------------------------------------------------------------
    Row("mass", LINK, PARAMETER, "Inertia does not change with it.", "mass", POSITIVE),
    Row("center_of_mass", LINK, PARAMETER, "In the link's frame; attachments of tendons move with it.", "distance", ANY,
        XYZ, derived=True),
    Row("diagonal_inertia", LINK, PARAMETER, "Principal moments about the centre of mass.", "mass * distance^2",
        POSITIVE, XYZ, derived=True),
    Row("principal_axes", LINK, PARAMETER, "Of the inertia, in the link's frame; attachments of tendons turn with "
        "them.", "quaternion x y z w, normalised here", ANY, XYZW, derived=True),
    Row("com", LINK, DERIVED, "Centre of mass in F, which center_of_mass gives in the link's frame.", "distance",
        components=XYZ, actor=ARTICULATION),
    Row("inertia", LINK, DERIVED, "About the centre of mass, axes of F.", "mass * distance^2", components=SYMMETRIC),
    Row("tree_position", LINK, DERIVED, "F where q is 0, in the parent's F.", "distance", components=XYZ,
        actor=ARTICULATION),
    Row("tree_rotation", LINK, DERIVED, "F where q is 0, in the parent's F.", components=XYZW, actor=ARTICULATION),
    Row("gravity_enabled", LINK, PARAMETER, "Whether the link falls.", "", "0 or 1"),
    *_of_schema(LINK, "PhysxRigidBodyAPI",
                "linear_damping angular_damping max_linear_velocity max_angular_velocity"),
    *_of_schema(LINK, "PhysxRigidBodyAPI", "cfm_scale", actor=ARTICULATION),
    # --- degrees of freedom -----------------------------------------------------------------------------------------
    *_of_schema(DOF, "PhysxJointAxisAPI", "armature"),
    Row("velocity_clamp", DOF, DERIVED, "Maximum at the step's start; PhysX looks at another axis than for "
        "max_velocity.", _VELOCITY),
    # 0 would be divided by at the step's start
    Row("max_velocity", DOF, PARAMETER, range="(0, inf]", schema="PhysxJointAxisAPI", attribute="maxJointVelocity",
        feature="max_velocity", neutral=math.inf, clipped=True),
    Row("lower_limit", DOF, PARAMETER, "Above upper_limit it locks the joint.", _POSITION, BOUND, feature="limit",
        neutral=-math.inf, fact="lower"),
    Row("upper_limit", DOF, PARAMETER, "Below lower_limit it locks the joint.", _POSITION, BOUND, feature="limit",
        neutral=math.inf, fact="upper"),
    Row("static_friction", DOF, PARAMETER, schema="PhysxJointAxisAPI", attribute="staticFrictionEffort",
        feature="friction"),
    Row("dynamic_friction", DOF, PARAMETER, "At most static_friction.", schema="PhysxJointAxisAPI",
        attribute="dynamicFrictionEffort", feature="friction"),
    Row("viscous_friction", DOF, PARAMETER, schema="PhysxJointAxisAPI", attribute="viscousFrictionCoefficient",
        feature="friction"),
    Row("load_friction", DOF, PARAMETER, "Friction by what the joint carries, its force and torque about the child's "
        "centre of mass, with solver=\"sapien-3.0\"; a stage authors none.", "", NON_NEGATIVE,
        feature="load_friction"),
    Row("stiffness", DOF, PARAMETER, "Of the drive.", "force / distance (linear), torque / radian (angular); "
        "1 / time^2 (acceleration drives)", NON_NEGATIVE, feature="drive"),
    Row("damping", DOF, PARAMETER, "Of the drive.", "force * time / distance (linear), torque * time / radian "
        "(angular); 1 / time (acceleration drives)", NON_NEGATIVE, feature="drive"),
    Row("target_position", DOF, PARAMETER, "Of the drive.", _POSITION, ANY, feature="drive"),
    Row("target_velocity", DOF, PARAMETER, "Of the drive.", _VELOCITY, ANY, feature="drive"),
    Row("max_force", DOF, PARAMETER, "Of the drive and the joint effort together; 0 takes the drive away.", _EFFORT,
        "[0, inf]", feature="drive", neutral=math.inf, clipped=True),
    *_of_schema(DOF, "PhysxDrivePerformanceEnvelopeAPI", "max_actuator_velocity velocity_dependent_resistance "
                "speed_effort_gradient", feature="envelope", unlimited="max_actuator_velocity"),
    # --- what only some structures have -----------------------------------------------------------------------------
    Row("root_axes", ROOT, DERIVED, "Of a floating root's moments of inertia, in F.", components=XYZW,
        actor=ARTICULATION, when=_floating),
    Row("root_center", ROOT, DERIVED, "Authored centre of mass of a floating root, in F, which moves with "
        "center_of_mass: poses for collision are carried on from there.", "distance", components=XYZ,
        actor=ARTICULATION, when=_floating),
    Row("single_turn", WORLD, DERIVED, "1 where a substep's rotation of the root is rounded as PhysX's.",
        actor=ARTICULATION, when=_floating),
    Row("least_turn", WORLD, DERIVED, "What a substep leaves out of a spherical joint's rotation.", "radian",
        when=lambda t: t.balls),
    *_of_schema(FIXED_TENDON, "PhysxTendonAxisRootAPI"),
    *_of_schema(TENDON_AXIS, "PhysxTendonAxisAPI", "gearing force_coefficient"),
    *_of_schema(SPATIAL_TENDON, "PhysxTendonAttachmentRootAPI"),
    # a rest length below 0 is measured when a stage is read; here the length itself is given
    *_of_schema(LEAF, "PhysxTendonAttachmentLeafAPI", "rest_length lower_limit upper_limit",
                ranges={"rest_length": NON_NEGATIVE}),
    *_of_schema(ATTACHMENT, "PhysxTendonAttachmentAPI", "gearing"),
    Row("local_position", ATTACHMENT, PARAMETER, "In the link's mass frame, as PhysX takes it.", "distance", ANY, XYZ,
        derived=True),
    Row("position", ATTACHMENT, DERIVED, "In F, which local_position gives in the link's mass frame.", "distance",
        components=XYZ),
    # PhysX makes no mimic joint with gearing 0
    *_of_schema(MIMIC, "PhysxMimicJointAPI", "gearing offset natural_frequency damping_ratio",
                ranges={"gearing": "(-inf, inf) but 0"}),
    Row("link_force", LINK, ACTING, "At the centre of mass, world axes.", "force", components=XYZ,
        when=lambda t: t.link_forces),
    Row("link_torque", LINK, ACTING, "World axes.", "torque", components=XYZ, when=lambda t: t.link_forces),
    Row("force", PUSH, DERIVED, "World axes or those of F; 0 where it is disabled.", "force, or distance / time^2",
        components=XYZ),
    Row("torque", PUSH, DERIVED, "World axes or those of F; 0 where it is disabled.", "torque, or radian / time^2",
        components=XYZ),
    Row("point", PUSH, DERIVED, "Where it acts, in F.", "distance", components=XYZ),
    Row("gyroscopic", WORLD, DERIVED, "0 without gyroscopic forces.", actor=BODY),
    Row("sleep_threshold", WORLD, DERIVED, "Kinetic energy per mass below which links come to rest.",
        "distance^2 / time^2", when=lambda t: t.sleeping),
    # --- made within a step -----------------------------------------------------------------------------------------
    Row("soft", DOF, START, "1 / (r + cfm)."),
    Row("bias", DOF, START, "What link velocities inside the solver add to the joint's.", _VELOCITY),
    Row("travel_axis", DOF, START, "Axis at the step's start.", components=XYZ),
    Row("travel_moment", DOF, START, "What the parent's turning adds to a slider's travel.", components=XYZ),
    Row("travel_offset", DOF, START, "A slider's offset at the step's start.", "distance"),
    Row("travel_spin", DOF, START, "Turning of the parent that its velocity does not show.", components=XYZ),
    Row("lower_start", DOF, START, "From the position at the step's start to lower_limit.", _POSITION),
    Row("upper_start", DOF, START, "From the position at the step's start to upper_limit.", _POSITION),
    Row("load_brake", DOF, START, "The most that the friction of its load gives in an iteration."),
    Row("drive_rate", DOF, START, "Impulse of the drive per velocity."),
    Row("drive_spring", DOF, START, "Impulse of the drive per distance."),
    Row("drive_speed", DOF, START, "Impulse of the drive for its target velocity."),
    Row("drive_start", DOF, START, "How far the drive has to go at the step's start.", _POSITION),
    Row("drive_again", DOF, START, "With PGS: impulse taken back per impulse given."),
    Row("drive_total", DOF, TOTAL),
    Row("friction_total", DOF, TOTAL),
    Row("lower_total", DOF, TOTAL),
    Row("upper_total", DOF, TOTAL),
    *(Row("given", owner, GIVEN, "Impulse in the last step, kept where joint forces are reported.",
          when=lambda t: t.tendon_impulses) for owner in (SPATIAL_TENDON, TENDON_AXIS)),
    *(Row(name, owner, TOTAL, when=lambda t: t.pgs) for owner in (SPATIAL_TENDON, TENDON_AXIS)
      for name in ("total", "limit_total")),
)


def groups(t: Topology, owner: str) -> list[tuple[str, int]]:
    """(what row names begin with, how many owners) of every row group that belongs to owners of a kind."""
    if owner in (FIXED_TENDON, TENDON_AXIS):
        counts = [len(tendon.dofs) if owner == TENDON_AXIS else 1 for tendon in t.fixed_tendons]
    elif owner in (SPATIAL_TENDON, LEAF, ATTACHMENT):
        counts = [len(path.links) if owner == ATTACHMENT else 1 for path in t.spatial_tendons]
    elif owner in (MIMIC, PUSH):
        counts = [1] * len(t.mimics if owner == MIMIC else t.pushes)
    elif owner in (MOVING_LINK, LOCKED):
        return [("", len(t.moving_links if owner == MOVING_LINK else t.locked))]
    else:
        return [("", {LINK: len(t.links), DOF: len(t.dofs), VELOCITY: t.nv}.get(owner, 1))]
    return [(f"{GROUPS[owner]}{i}_", count) for i, count in enumerate(counts)]


def rows_made(topology: ActorTopology, *makers: str) -> dict[str, int]:
    """Size of every row of a topology that one of these makes; of dofs a body has but the state's rows, empty."""
    return dict(_rows_made(topology, makers))


@lru_cache(maxsize=256)
def _rows_made(topology: ActorTopology, makers: tuple[str, ...]) -> Mapping[str, int]:
    t, is_body = topology.tree, isinstance(topology, BodyTopology)
    known: dict[str, list[tuple[str, int]]] = {}
    found: dict[str, int] = {}
    for row in TABLE:
        if row.maker not in makers or row.derived or row.actor == (ARTICULATION if is_body else BODY):
            continue
        if (row.when is None or row.when(t)) and not (is_body and row.owner == DOF and row.maker != STATE):
            if row.owner not in known:
                known[row.owner] = groups(t, row.owner)
            for prefix, count in known[row.owner]:
                found[prefix + row.name] = count * row.width
    return found


def state_rows(t: ActorTopology) -> dict[str, int]:
    """Rows that a step goes on from."""
    return rows_made(t, STATE)


def lasting_rows(t: ActorTopology) -> dict[str, int]:
    """Rows that a step changes for good: the state, whether it diverged, what it keeps about sleeping, what it gave."""
    return rows_made(t, STATE, KEPT, GIVEN)


def input_rows(t: ActorTopology) -> dict[str, int]:
    """Rows that a step reads: settings, efforts and parameters."""
    return rows_made(t, TIME, ACTING, PARAMETER, DERIVED)


def tree_rows(t: ActorTopology) -> dict[str, int]:
    """Rows of the tree that an actor's equations of motion are those of, and that it has not itself: 0 for a body,
    whose frame F is at its centre of mass."""
    own, tree = state_rows(t) | input_rows(t), state_rows(t.tree) | input_rows(t.tree)
    return {name: size for name, size in tree.items() if name not in own}


@lru_cache(maxsize=64)
def settable_rows(t: ActorTopology) -> Mapping[str, int]:
    """Rows that have a name from outside: the state and what a step reads, link forces always among it."""
    return MappingProxyType(state_rows(t) | input_rows(replace(t, link_forces=True)))


def total_rows(t: Topology) -> dict[str, int]:
    """Impulses that constraints have given since the step began; a PGS tendon's springs count theirs too."""
    return rows_made(t, TOTAL, GIVEN)


@cache
def rows_of(owner: str, *makers: str) -> tuple[Row, ...]:
    """The table's rows of one kind of owner that one of these makes, any maker where none is named."""
    return tuple(row for row in TABLE
                 if row.owner == owner and not row.derived and (not makers or row.maker in makers))


@cache
def names_of(owner: str, *makers: str) -> tuple[str, ...]:
    """Names of `rows_of`."""
    return tuple(row.name for row in rows_of(owner, *makers))


def widths_of(owner: str, *makers: str) -> dict[str, int]:
    """Name to numbers of one owner, of `rows_of`."""
    return {row.name: row.width for row in rows_of(owner, *makers)}


def given_rows(t: ActorTopology) -> dict[str, int]:
    """Impulses that a step leaves for answers."""
    return rows_made(t, GIVEN)


FORCE_ROWS = tuple(row.name for row in TABLE if row.maker == ACTING)
LINK_FORCE_ROWS = tuple(row.name for row in TABLE if row.maker == ACTING and row.owner == LINK)


def acting_rows(t: ActorTopology) -> tuple[str, ...]:
    """Rows of the time step, efforts and link forces, which hold for the steps they are set for."""
    return ("dt", *rows_made(t, ACTING))
