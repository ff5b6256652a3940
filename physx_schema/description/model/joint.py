"""Joints in and outside articulations, and mimic joints."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, get_args

from physx_schema.description.records import Pose, Quat, Vec3, record
from physx_schema.former_names import JSON_KEY

UNLIMITED = 0.5e38
JointKind = Literal["fixed", "revolute", "prismatic", "spherical", "distance", "d6", "gear", "rack"]
JointAxisName = Literal["transX", "transY", "transZ", "rotX", "rotY", "rotZ"]
KINDS: tuple[JointKind, ...] = get_args(JointKind)              # in the order in which PhysX makes joints
TREE_KINDS: tuple[JointKind, ...] = ("fixed", "revolute", "prismatic", "spherical", "d6")      # those of articulations
SINGLE_AXIS_KINDS: tuple[JointKind, ...] = ("revolute", "prismatic")
AXES: tuple[JointAxisName, ...] = get_args(JointAxisName)       # of PhysX's generic joint, in the order of its enum
TRANSLATIONS, ROTATIONS = AXES[:3], AXES[3:]


def unlimited(value: float) -> bool:
    """Return whether PhysX treats a limit of this size as no limit (magnitudes from 0.5e38)."""
    return math.isinf(value) or abs(value) >= UNLIMITED


@dataclass(frozen=True, slots=True)
class Envelope:
    """The performance envelope of a drive (PhysxDrivePerformanceEnvelopeAPI)."""

    path: str
    prefix: str
    max_actuator_velocity: float        # rad/s or length/s
    velocity_dependent_resistance: float    # force s / rad or length
    speed_effort_gradient: float        # (rad or length) / s / force


@record
@dataclass(frozen=True, slots=True)
class Drive:
    """The implicit spring and damper of one degree of freedom (PhysicsDriveAPI)."""

    path: str
    prefix: str                         # "drive:angular:physics:"
    stiffness: float                    # force / length, torque / rad (or 1/s^2 for an acceleration drive)
    damping: float                      # force s / length, torque s / rad (or 1/s)
    target_position: float              # rad or length
    target_velocity: float              # rad/s or length/s
    max_force: float                    # force or torque, inf where unlimited
    acceleration: bool                  # type token "acceleration"
    envelope: Envelope | None = None


@record
@dataclass(frozen=True, slots=True)
class Dof:
    """One degree of freedom of an articulation joint."""

    name: str                           # joint prim path, or "path:axis" for a joint with several
    path: str                           # joint prim path
    angular: bool
    lower: float                        # rad or length, -inf where free
    upper: float                        # rad or length, inf where free
    position: float                     # authored joint state, rad or length
    velocity: float                     # authored joint state, rad/s or length/s
    armature: float                     # kg length^2 (angular) or kg
    static_friction: float              # effort
    dynamic_friction: float             # effort
    viscous_friction: float             # effort s / rad or length
    max_velocity: float                 # rad/s or length/s, inf where free
    axis_prefix: str | None = None      # "physxJointAxis:angular:" where PhysxJointAxisAPI is applied
    drive: Drive | None = None
    axis: Vec3 = (1.0, 0.0, 0.0)        # in the joint frame: along or about which the coordinate counts
    sources: tuple[tuple[str, str], ...] = ()   # fields with a value of another engine's property: ("armature", ...)


@record
@dataclass(frozen=True, slots=True)
class JointAxis:
    """One free axis of a joint outside articulations.

    Axes have the names of PhysX's generic joint, "transX" to "rotZ". They are along or about the axes of the joint
    frame. PhysX rotates this frame: the axis of a revolute, prismatic or spherical joint is its x axis.
    """

    name: str                           # joint prim path, or "path:instance" for a joint with several
    path: str                           # joint prim path
    axis: JointAxisName
    instance: str                       # of its limit, soft limit and drive on the prim: "angular", "rotY", ...
    lower: float                        # rad or length, -inf where free
    upper: float                        # rad or length, inf where free
    limit_stiffness: float              # force / length, torque / rad; 0 with no damping: hard
    limit_damping: float                # force s / length, torque s / rad
    restitution: float                  # share of the speed with which a hard limit sends back
    bounce_threshold: float             # rad / s or length / s, no slower it does
    drive: Drive | None = None

    @property
    def angular(self) -> bool:
        """Whether the axis is a rotation."""
        return self.axis in ROTATIONS


@dataclass(frozen=True, slots=True)
class Cone:
    """The common limit of both swings of a spherical joint outside articulations."""

    angle0: float                       # rad, half angle about the joint frame's y once its axis is x
    angle1: float                       # rad, about its z
    stiffness: float                    # torque / rad; 0 with no damping: hard
    damping: float                      # torque s / rad
    restitution: float                  # share of the speed with which a hard cone sends back
    bounce_threshold: float             # rad / s, no slower it does


@dataclass(frozen=True, slots=True)
class DistanceRange:
    """The range of the distance between the frame origins of a distance joint, or of the limit of a generic joint."""

    minimum: float                      # length, -inf where there is none
    maximum: float                      # length, inf where there is none
    stiffness: float                    # force / length beyond the range; 0 with no damping: hard
    damping: float                      # force s / length
    spring: bool                        # physxPhysicsDistanceJoint:springEnabled: the two are the spring's


@dataclass(frozen=True, slots=True)
class Coupling:
    """The two joints of a gear or a rack-and-pinion joint: two revolute joints, or a revolute and a prismatic one."""

    first: str                          # prim path of the first hinge
    second: str                         # prim path of the second hinge, or of the prismatic joint
    ratio: float                        # as authored: of angular velocities, or of angular velocity to velocity


@record
@dataclass(frozen=True, slots=True)
class Joint:
    """The inbound joint of a link, from parent link to child link in any order of body0 and body1.

    The coordinate q has the sign of the authored joint, from body0 to body1. Limits, drive and state have the same
    sign. X(p) is the pose of the child frame in the parent frame, displaced by p along or about the joint axis. The
    pose of the child link is parent_frame * X(p) * inverse(child_frame), with p = q, or p = -q if `reversed` is set. If
    a joint has several rotation axes, X(p) rotates by the rotation vector sum(p * Dof.axis).
    """

    path: str
    kind: JointKind                     # one of TREE_KINDS
    axis: int                           # 0, 1, 2: the joint frame's x, y or z; 0 for fixed joints
    parent: int                         # link index
    child: int                          # link index
    reversed: bool                      # the child link is the authored body0: q keeps the authored sign
    parent_frame: Pose                  # joint frame in the parent link's frame, lengths scaled
    child_frame: Pose                   # joint frame in the child link's frame, lengths scaled
    dofs: tuple[Dof, ...]               # empty for fixed joints
    body0: str = ""                     # the rigid bodies it holds, in authored order; "" for the world
    body1: str = ""
    # of parent_frame and child_frame as authored, of any length: PhysX normalises them in single precision
    authored_rotations: tuple[Quat, Quat] | None = field(default=None, repr=False)


@record
@dataclass(frozen=True, slots=True)
class MaximalJoint:
    """A joint outside articulations: between two rigid bodies or links, or one of them and the world."""

    path: str
    kind: JointKind
    axis: int                           # 0, 1, 2: the joint frame's x, y or z; 0 for kinds without an axis
    body0: str                          # the rigid bodies it holds; "" for the world
    body1: str
    frame0: Pose                        # joint frame in the frame of body0, lengths scaled; where no rigid body is
    frame1: Pose                        # made of it in the world
    axes: tuple[JointAxis, ...] = ()    # those that it does not lock, translations first
    cone: Cone | None = None
    # rad about x, y, z of the frame as turned: what its drives turn to together, drives of locked axes and those that
    # PhysX refuses among them
    drive_rotation: Vec3 = field(default=(0.0, 0.0, 0.0), metadata={JSON_KEY: "aim"})
    distance: DistanceRange | None = None
    coupling: Coupling | None = None
    break_force: float = math.inf       # mass length / s^2 that takes the joint away
    break_torque: float = math.inf      # mass length^2 / s^2
    collision_enabled: bool = False     # whether its two bodies collide, or its body and the collider
    collider: str = ""                  # the static collider that it names in the place of a body


@record
@dataclass(frozen=True, slots=True)
class Mimic:
    """A mimic joint that PhysX creates: q[follower] + gearing * q[reference] + offset = 0."""

    path: str                           # follower joint prim
    instance: str                       # "rotX" | "rotY" | "rotZ"; "" for a NewtonMimicAPI, which PhysX obeys as well
    prefix: str                         # "physxMimicJoint:rotX:"; "newton:" with minus mimicCoef1 as gearing
    follower: int                       # index into Articulation.dofs
    reference: int
    gearing: float                      # follower unit / reference unit (rad or length)
    offset: float                       # rad or length
    natural_frequency: float            # rad/s; <= 0: hard
    damping_ratio: float                # <= 0: hard


@record
@dataclass(frozen=True, slots=True)
class MimicDeclaration:
    """A mimic joint as authored, accepted by PhysX or not. The mimic rule judges it."""

    path: str                           # the prim that carries the API
    instance: str
    joint_kind: str | None              # as Joint.kind, None where the prim is no joint
    references: tuple[str, ...]         # composed targets of referenceJoint
    reference_kind: str | None          # kind of the joint referred to, None where missing or no joint
    authored: frozenset[str]            # base names with an authored value, such as "gearing"
    values: tuple[tuple[str, object], ...]      # base name -> value (degrees, as authored), fallbacks filled in
    limits: tuple[float, float]         # the follower's, degrees or length
    reference_limits: tuple[float, float]       # degrees or length
    excluded: bool                      # excludeFromArticulation
    reference_excluded: bool
    refusal: str = ""                   # why PhysX makes no mimic joint of it; empty where it does
    refusal_code: str = ""              # the check that refuses it: "host", "instance", "limits", "joint-type" ...
    newton: tuple[float, float] | None = None   # constant and factor of a NewtonMimicAPI on the same joint

    def value(self, name: str) -> object:
        """Return the value of the property with this base name."""
        return dict(self.values)[name]
