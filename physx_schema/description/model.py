"""What a stage's physics says, read once: frozen facts that rules and runtime share.

Units: radians, seconds, and the stage's own length and mass units (the ones PhysX computes in); multiply lengths by
`Scene.meters_per_unit` for metres. Quaternions are (x, y, z, w). Poses are (position, quaternion).

Every fact names the prim it comes from, and `prefix` where a USD property belongs to it: the authored value of a
drive's stiffness is the property ``prefix + "stiffness"`` of the prim at `path`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from physx_schema.description.collision.model import Collider, CollisionGroup, FilteredPair, PhysicsMaterial
from physx_schema.description.opinions.authored import AppliedSchema, Authored, MimicDeclaration, Opinion, Problem
from physx_schema.description.poses import Pose, Quat, Vec3
from physx_schema.description.records import record


@dataclass(frozen=True, slots=True)
class IterationBounds:
    """A scene's bounds on the solver iterations of what it steps, least and most as authored."""

    position: tuple[int, int]
    velocity: tuple[int, int]

    def position_count(self, wanted: int) -> int:
        """The position iterations that an object gets."""
        return _within(wanted, self.position)

    def velocity_count(self, wanted: int) -> int:
        """The velocity iterations that an object gets."""
        return _within(wanted, self.velocity)


def _within(wanted: int, bounds: tuple[int, int]) -> int:
    """A count in its bounds; PhysX lowers the least to the most where they are in the wrong order."""
    least, most = bounds
    return min(max(wanted, min(least, most)), most)


@dataclass(frozen=True, slots=True)
class Scene:
    """The physics scene, PhysX's defaults filled in."""

    path: str                           # "" where the stage has no PhysicsScene
    gravity: Vec3                       # length / s^2
    meters_per_unit: float              # m / length
    kilograms_per_unit: float           # kg / mass
    up_axis: str                        # "X" | "Y" | "Z"; PhysX takes X for Z
    solver_type: str                    # "TGS" | "PGS"
    forces_every_iteration: bool        # physxScene:enableExternalForcesEveryIteration; never with PGS
    sleeping: bool                      # whether anything falls asleep
    gravity_source: str                 # the property of another engine that decided about gravity, as newton:...
    iterations: IterationBounds


@dataclass(frozen=True, slots=True)
class Envelope:
    """Performance envelope of a drive (PhysxDrivePerformanceEnvelopeAPI)."""

    path: str
    prefix: str
    max_actuator_velocity: float        # rad/s or length/s
    velocity_dependent_resistance: float    # force s / rad or length
    speed_effort_gradient: float        # (rad or length) / s / force


@record
@dataclass(frozen=True, slots=True)
class Drive:
    """Implicit spring-damper of one degree of freedom (PhysicsDriveAPI)."""

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


@dataclass(frozen=True, slots=True)
class DistanceRange:
    """What a distance joint holds the distance between its two frames' origins to."""

    minimum: float                      # length, 0 where there is none
    maximum: float                      # length, inf where there is none
    stiffness: float                    # force / length beyond the range; 0 with no damping: hard
    damping: float                      # force s / length
    spring: bool                        # physxPhysicsDistanceJoint:springEnabled: the two are the spring's


@dataclass(frozen=True, slots=True)
class Coupling:
    """What a gear or a rack-and-pinion joint couples: two revolute joints, or a revolute and a prismatic one."""

    first: str                          # prim path of the first hinge
    second: str                         # prim path of the second hinge, or of the prismatic joint
    ratio: float                        # as authored: of angular velocities, or of angular velocity to velocity


@record
@dataclass(frozen=True, slots=True)
class Joint:
    """The inbound joint of a link, from parent link to child link whatever body0 and body1 are.

    A joint coordinate q keeps the sign of the authored joint (body0 to body1), as do its limits, drive and state.
    With q, X(p) the pose of the child frame in the parent frame displaced by p along or about the joint axis, the
    child link sits at parent_frame * X(p) * inverse(child_frame), where p = q, or p = -q where `reversed` is set.
    Where a joint turns about several axes, X(p) turns by the rotation vector that is the sum of p * Dof.axis.
    """

    path: str
    kind: str                           # "revolute" | "prismatic" | "fixed" | "spherical" | "d6"; outside
                                        # articulations "distance" | "gear" | "rack" as well
    axis: int                           # 0, 1, 2: the joint frame's x, y or z; 0 for fixed joints
    parent: int                         # link index
    child: int                          # link index
    reversed: bool                      # the child link is the authored body0: q keeps the authored sign
    parent_frame: Pose                  # joint frame in the parent link's frame, lengths scaled
    child_frame: Pose                   # joint frame in the child link's frame, lengths scaled
    dofs: tuple[Dof, ...]               # empty for fixed joints
    body0: str = ""                     # the rigid bodies it holds, in authored order; "" for the world
    body1: str = ""
    break_force: float = math.inf       # mass length / s^2; what breaks a joint outside articulations
    break_torque: float = math.inf      # mass length^2 / s^2
    collision_enabled: bool = False     # whether the two bodies of a joint outside articulations collide
    distance: DistanceRange | None = None
    coupling: Coupling | None = None


@dataclass(frozen=True, slots=True)
class Push:
    """A constant force on a body (PhysxForceAPI)."""

    path: str                           # the prim that carries the API: the body or a prim below it
    enabled: bool
    world: bool                         # in the world's axes; else in the body's, with which it turns
    acceleration: bool                  # times mass, the torque times inertia
    force: Vec3                         # force, or length / s^2
    torque: Vec3                        # torque, or rad / s^2
    point: Vec3 | None                  # where the force acts in the body's frame, None for its centre of mass


@record
@dataclass(frozen=True, slots=True)
class BodySettings:
    """What PhysX reads of a rigid body outside articulations and of no link."""

    position_iterations: int
    velocity_iterations: int
    sleep_threshold: float              # length^2 / s^2, kinetic energy per mass
    gyroscopic: bool                    # whether its rotation precesses
    starts_asleep: bool
    locked_position: int                # bit set of world axes: 1 x, 2 y, 4 z
    locked_rotation: int


@record
@dataclass(frozen=True, slots=True)
class Link:
    """A rigid body of an articulation."""

    path: str
    parent: int                         # link index, -1 for the root; parents come before children
    joint: Joint | None                 # None for the root
    pose: Pose                          # authored world pose of the link frame, without scale
    mass: float                         # mass units
    center_of_mass: Vec3                # in the link frame, lengths scaled
    inertia: tuple[Vec3, Vec3, Vec3]    # about the centre of mass, in link axes
    linear_damping: float               # 1/s
    angular_damping: float              # 1/s
    max_linear_velocity: float          # length/s
    max_angular_velocity: float         # rad/s
    cfm_scale: float                    # physxRigidBody:cfmScale
    gravity_enabled: bool
    linear_velocity: Vec3 = (0.0, 0.0, 0.0)     # authored, world; of interest for a floating root
    angular_velocity: Vec3 = (0.0, 0.0, 0.0)    # rad/s, world
    principal_axes: Quat = (0.0, 0.0, 0.0, 1.0)     # of the inertia, in link axes
    scene: str = ""                     # path of the PhysicsScene that steps the body, "" for the one PhysX makes
    kinematic: bool = False             # physics:kinematicEnabled; without effect on a link
    colliders: tuple[Collider, ...] = ()        # in traversal order
    pushes: tuple[Push, ...] = ()       # in traversal order
    body: BodySettings | None = None    # of a body outside articulations


@record
@dataclass(frozen=True, slots=True)
class TendonAxis:
    """One joint axis of a fixed tendon (PhysxTendonAxisAPI)."""

    path: str                           # joint prim
    dof: int                            # index into Articulation.dofs
    gearing: float                      # length / rad or length (converted from per degree)
    force_coefficient: float            # not converted; both with the opposite sign where body0 is the child: PhysX
                                        # counts lengths and forces from parent to child, and positions as authored


@dataclass(frozen=True, slots=True)
class FixedTendon:
    """A fixed tendon; axes[0] is the root axis (PhysxTendonAxisRootAPI)."""

    path: str                           # joint prim of the root axis
    name: str                           # instance name
    prefix: str                         # "physxTendon:<name>:"
    axes: tuple[TendonAxis, ...]
    stiffness: float                    # force / length
    damping: float                      # force s / length
    limit_stiffness: float              # force / length
    offset: float                       # length
    rest_length: float                  # length
    lower_limit: float                  # length, -inf where free
    upper_limit: float                  # length, inf where free
    enabled: bool


@record
@dataclass(frozen=True, slots=True)
class Attachment:
    """One attachment of a spatial tendon; parents come before children, the root first."""

    path: str                           # link prim
    name: str                           # instance name
    prefix: str                         # "physxTendon:<name>:"
    link: int                           # index into Articulation.links
    local_position: Vec3                # in the link frame, lengths scaled
    gearing: float                      # dimensionless
    parent: int                         # index into SpatialTendon.attachments, -1 for the root
    leaf: bool
    rest_length: float                  # leaf only: where the spring is slack
    lower_limit: float                  # leaf only
    upper_limit: float                  # leaf only
    rest_from_poses: bool = False       # restLength is below 0: rest_length is the geared length without the offset
                                        # between the authored link poses, localPos in the links' own frames


@dataclass(frozen=True, slots=True)
class SpatialTendon:
    """A spatial tendon: a tree of attachments; every leaf is a tendon of its own."""

    path: str                           # link prim of the root attachment
    name: str                           # root's instance name
    prefix: str                         # "physxTendon:<name>:"
    attachments: tuple[Attachment, ...]
    stiffness: float                    # force / length
    damping: float                      # force s / length
    limit_stiffness: float              # force / length
    offset: float                       # length
    enabled: bool


@record
@dataclass(frozen=True, slots=True)
class Mimic:
    """A mimic joint PhysX accepts: q[follower] + gearing * q[reference] + offset = 0."""

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
class Articulation:
    """A tree of links; link 0 is the root."""

    path: str                           # prim with PhysicsArticulationRootAPI
    fixed_base: bool
    base_joint: Joint | None            # the joint to the world of a fixed base
    links: tuple[Link, ...]             # breadth first, as PhysX orders them
    position_iterations: int
    velocity_iterations: int
    enabled: bool                       # physxArticulation:articulationEnabled
    sleep_threshold: float              # length^2 / s^2, kinetic energy per mass
    fixed_tendons: tuple[FixedTendon, ...] = ()
    spatial_tendons: tuple[SpatialTendon, ...] = ()
    mimics: tuple[Mimic, ...] = ()
    loose_links: tuple[Link, ...] = ()  # of one that is not enabled: its links as the bodies that PhysX makes of them

    @property
    def dofs(self) -> tuple[Dof, ...]:
        """Every degree of freedom, in link order."""
        return tuple(dof for link in self.links if link.joint for dof in link.joint.dofs)


@dataclass(frozen=True, slots=True)
class Description:
    """Everything physical on a stage."""

    source: str                         # file name or layer identifier
    scene: Scene                        # the one that steps bodies without an owner
    articulations: tuple[Articulation, ...]
    bodies: tuple[Link, ...] = ()       # rigid bodies outside articulations
    body_paths: tuple[str, ...] = ()    # of every rigid body that PhysX makes, links too, in traversal order
    joints: tuple[Joint, ...] = ()      # joints between them (link indices are -1)
    mimic_declarations: tuple[MimicDeclaration, ...] = ()
    problems: tuple[Problem, ...] = ()
    unused: tuple[Opinion, ...] = ()
    not_evaluated: tuple[Opinion, ...] = ()     # physics that PhysX reads but this library does not
    consumed: frozenset[str] = field(default_factory=frozenset)     # property paths that became facts or need none
    authored: tuple[Authored, ...] = ()         # every physics property with an opinion
    applied: tuple[AppliedSchema, ...] = ()     # the schemas whose definitions say where they belong
    scenes: tuple[Scene, ...] = ()      # every PhysicsScene by path; `scene` is the first where there is any
    static_colliders: tuple[Collider, ...] = ()     # without a rigid body, or with a disabled one
    materials: tuple[PhysicsMaterial, ...] = ()     # every prim with PhysicsMaterialAPI
    collision_groups: tuple[CollisionGroup, ...] = ()
    filtered_pairs: tuple[FilteredPair, ...] = ()

    @property
    def loose_bodies(self) -> tuple[Link, ...]:
        """Bodies outside articulations that move by themselves: not kinematic, and no joint holds them."""
        held = {path for joint in self.joints for path in (joint.body0, joint.body1)}
        return tuple(body for body in self.bodies if not body.kinematic and body.path not in held)

    def only(self, articulation: Articulation) -> Description:
        """The same stage with nothing on it but one articulation, which may be another than it describes."""
        return replace(self, articulations=(articulation,), bodies=(), body_paths=(), joints=(), problems=(),
                       not_evaluated=(), static_colliders=())

    def scene_of(self, body: Articulation | Link) -> Scene:
        """The scene that steps an articulation or a body."""
        path = body.links[0].scene if isinstance(body, Articulation) else body.scene
        return next((scene for scene in (self.scene, *self.scenes) if scene.path == path), self.scene)


def unlimited(value: float) -> bool:
    """Whether PhysX treats a limit of this size as none (magnitude from 0.5e38 on)."""
    return math.isinf(value) or abs(value) >= UNLIMITED


UNLIMITED = 0.5e38
