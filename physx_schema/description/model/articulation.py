"""Articulations, their tendons, and bodies.

The length of a fixed tendon depends on joint positions, that of a spatial tendon on distances between points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from physx_schema.definitions import float_fields
from physx_schema.description.model.collision import Collider
from physx_schema.description.model.joint import Dof, Joint, MaximalJoint, Mimic
from physx_schema.description.records import Pose, Quat, Vec3, record
from physx_schema.former_names import JSON_KEY

T = TypeVar("T")


@record
@dataclass(frozen=True, slots=True)
class TendonAxis:
    """One joint axis of a fixed tendon (PhysxTendonAxisAPI)."""

    path: str                           # joint prim
    dof: int                            # index into Articulation.dofs
    gearing: float                      # length / rad or length (converted from per degree)
    force_coefficient: float            # not converted; both with the opposite sign where body0 is the child: PhysX


class TendonGains:
    """Properties that follow from the gains of a tendon."""

    __slots__ = ()
    stiffness: float
    damping: float
    limit_stiffness: float
    enabled: bool

    @property
    def has_gains(self) -> bool:
        """Whether stiffness, damping or limit stiffness is not 0. A tendon with none of them exerts no force."""
        return not self.stiffness == self.damping == self.limit_stiffness == 0.0

    @property
    def exerts_force(self) -> bool:
        """Whether the tendon is enabled and has gains."""
        return self.enabled and self.has_gains

    @property
    def is_spring(self) -> bool:
        """Whether the force depends on the length."""
        return self.stiffness > 0.0 or self.limit_stiffness > 0.0


def with_float_fields(schema: str) -> Callable[[type[T]], type[T]]:
    """Give a dataclass fields for numbers of a schema that it does not declare: those that an edit of the YAML adds."""
    def extended(cls: type[T]) -> type[T]:
        for fact in float_fields(schema):
            cls.__annotations__.setdefault(fact, "float")
        return cls
    return extended


@dataclass(frozen=True, slots=True)
@with_float_fields("PhysxTendonAxisRootAPI")
class FixedTendon(TendonGains):
    """A fixed tendon. axes[0] is the root axis (PhysxTendonAxisRootAPI)."""

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

    @property
    def has_force_coefficients(self) -> bool:
        """Whether some axis has a force coefficient other than 0: without one no joint feels the tendon."""
        return any(axis.force_coefficient != 0.0 for axis in self.axes)


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


@dataclass(frozen=True, slots=True)
@with_float_fields("PhysxTendonAttachmentRootAPI")
class SpatialTendon(TendonGains):
    """A spatial tendon: a tree of attachments. PhysX treats each leaf as a separate tendon."""

    path: str                           # link prim of the root attachment
    name: str                           # root's instance name
    prefix: str                         # "physxTendon:<name>:"
    attachments: tuple[Attachment, ...]
    stiffness: float                    # force / length
    damping: float                      # force s / length
    limit_stiffness: float              # force / length
    offset: float                       # length
    enabled: bool

    def leaf_paths(self) -> Iterator[tuple[int, ...]]:
        """Yield the path from the root to each leaf, as indices of attachments."""
        for i, attachment in enumerate(self.attachments):
            if attachment.leaf:
                path = [i]
                while self.attachments[path[-1]].parent >= 0:
                    path.append(self.attachments[path[-1]].parent)
                yield tuple(reversed(path))


@dataclass(frozen=True, slots=True)
class ExternalForce:
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
class BodyContact:
    """What PhysX reads of a body about its contacts, of a link too."""

    max_depenetration_velocity: float   # length/s, how fast contacts push apart what overlaps; inf for any speed
    max_impulse: float                  # mass length/s, of a contact point in a step
    solved: bool                        # physxRigidBody:solveContact; without it nothing that touches is pushed


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


@dataclass(frozen=True, slots=True)
class PoseSample:
    """Where time samples put a body at one time."""

    time: float                         # s since the stage's startTimeCode, by its timeCodesPerSecond
    pose: Pose                          # in the world, as `Link.pose`


@record
@dataclass(frozen=True, slots=True)
class Link:
    """A rigid body: a link of an articulation, or a body outside articulations."""

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
    external_forces: tuple[ExternalForce, ...] = field(default=(), metadata={JSON_KEY: "pushes"})  # in traversal order
    body: BodySettings | None = None    # of a body outside articulations
    contact: BodyContact = BodyContact(math.inf, math.inf, True)
    samples: tuple[PoseSample, ...] = ()        # of a kinematic body along time samples, in the order of time
    # principal_axes as authored, of any length: PhysX normalises them in single precision
    authored_axes: Quat | None = field(default=None, repr=False)
    has_collider: bool = field(default=True, repr=False)        # whether a prim of the body asks for one
    shows_geometry: bool = field(default=False, repr=False)     # whether a body without one is rendered


@record
@dataclass(frozen=True, slots=True)
class Articulation:
    """A tree of links. Link 0 is the root."""

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
    loose_links: tuple[Link, ...] = ()  # of one that is not enabled: its links as the bodies that PhysX makes of them,
    loose_joints: tuple[MaximalJoint, ...] = ()     # and its joints as those between them

    def __repr__(self) -> str:
        return (f"Articulation({self.path!r}, links={len(self.links)}, dofs={len(self.dofs)}, "
                f"fixed_base={self.fixed_base})")

    @property
    def dofs(self) -> tuple[Dof, ...]:
        """All degrees of freedom, in link order."""
        return tuple(dof for link in self.links if link.joint for dof in link.joint.dofs)


@dataclass(frozen=True, slots=True)
class FreeBody:
    """A rigid body outside articulations, as an actor with one link and no joints.

    It has the same attributes as an articulation.
    """

    body: Link                          # with what PhysX reads of no link
    position_iterations: int
    velocity_iterations: int

    @property
    def path(self) -> str:
        """The path of the body's prim."""
        return self.body.path

    @property
    def links(self) -> tuple[Link, ...]:
        """The body as the only link."""
        return (self.body,)

    @property
    def fixed_base(self) -> bool:
        """Always false."""
        return False

    @property
    def dofs(self) -> tuple[Dof, ...]:
        """Always empty."""
        return ()

    @property
    def fixed_tendons(self) -> tuple[FixedTendon, ...]:
        """Always empty."""
        return ()

    @property
    def spatial_tendons(self) -> tuple[SpatialTendon, ...]:
        """Always empty."""
        return ()

    @property
    def mimics(self) -> tuple[Mimic, ...]:
        """Always empty."""
        return ()


ActorDescription = Articulation | FreeBody      # what is stepped by itself
