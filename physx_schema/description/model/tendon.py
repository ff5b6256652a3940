"""Tendons: fixed ones through joint positions, spatial ones through distances between points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from physx_schema.definitions import float_fields
from physx_schema.description.records import Vec3, record

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
    """What follows from the gains of a tendon, fixed or spatial."""

    __slots__ = ()
    stiffness: float
    damping: float
    limit_stiffness: float
    enabled: bool

    @property
    def has_gains(self) -> bool:
        """Whether stiffness, damping or limit stiffness is other than 0: without them a tendon exerts no force."""
        return not self.stiffness == self.damping == self.limit_stiffness == 0.0

    @property
    def exerts_force(self) -> bool:
        """Whether the tendon is switched on and has gains."""
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

    def leaf_paths(self) -> Iterator[tuple[int, ...]]:
        """Every leaf's way from the root, as indices of attachments: each leaf is a tendon of its own."""
        for i, attachment in enumerate(self.attachments):
            if attachment.leaf:
                path = [i]
                while self.attachments[path[-1]].parent >= 0:
                    path.append(self.attachments[path[-1]].parent)
                yield tuple(reversed(path))
