"""`Topology` is the structure of an articulation that code is traced for: tree, joint kinds and active features.
`BodyTopology` is that of a rigid body. Both are cache keys; parameter values never enter them.

Every link has an internal frame F at its joint's anchor, x along the joint axis. For a spherical joint x, y, z are
along twist and swings. A floating root's F is at its centre of mass. Parameters are given in F, so algorithms need not
know the axis of the joint frame. Notation: Featherstone 2008.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

ROOT, FIXED, REVOLUTE, PRISMATIC, SPHERICAL = "root", "fixed", "revolute", "prismatic", "spherical"
ROTARY_JOINTS = (REVOLUTE, SPHERICAL)
TGS, PGS = "tgs", "pgs"
SAPIEN = "sapien-3.0"          # TGS as SAPIEN 3.0 has it, whose PhysX is older


@dataclass(frozen=True, slots=True)
class LinkTopology:
    """One link: its parent (-1 for the root) and the kind of its inbound joint."""

    parent: int
    kind: str
    flipped: bool = False           # a spherical joint whose coordinates count against the axes of F


@dataclass(frozen=True, slots=True)
class DofTopology:
    """What acts on one degree of freedom."""

    link: int                       # the child link of its joint
    drive: str | None = None        # "force" | "acceleration"
    envelope: bool = False
    friction: bool = False
    load_friction: bool = False     # friction in proportion to the joint's load, as in SAPIEN
    limit: bool = False
    max_velocity: bool = False
    axis: int = 0                   # the axis of F it turns about or slides along

    @property
    def softened(self) -> bool:
        """Whether a constraint acts that cfm softens."""
        return (self.friction or self.load_friction or self.limit or self.max_velocity
                or self.drive == "acceleration")


@dataclass(frozen=True, slots=True)
class FixedTendonTopology:
    """The degrees of freedom of a fixed tendon's axes, the root axis first."""

    dofs: tuple[int, ...]
    opposed: tuple[bool, ...] = ()      # per axis: one of its and the root axis' positions counts from child to parent

    def is_opposed(self, axis: int) -> bool:
        """Whether the reaction of an axis has the direction of its pull."""
        return bool(self.opposed) and self.opposed[axis]


@dataclass(frozen=True, slots=True)
class SpatialTendonTopology:
    """The links of a sub-tendon's attachments from root to leaf."""

    links: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ExternalForceTopology:
    """An authored force on a link (PhysxForceAPI)."""

    link: int
    world: bool                     # in the world's frame; else it turns with the link
    acceleration: bool              # times mass and inertia
    central: bool                   # at the centre of mass


class _Actor:
    """Properties of the structure of any actor."""

    __slots__ = ()
    solver: str                     # TGS, SAPIEN, or PGS, which applies forces once a step
    link_forces: bool               # the rows link_force and link_torque act
    external_forces: tuple[ExternalForceTopology, ...]

    @property
    def pgs(self) -> bool:
        """Whether an iteration repeats the whole step (PGS) instead of taking its N-th part (TGS)."""
        return self.solver == PGS

    @property
    def sapien(self) -> bool:
        """Whether contacts are solved as in SAPIEN 3.0."""
        return self.solver == SAPIEN

    @property
    def has_external_forces(self) -> bool:
        """Whether external forces may act on links."""
        return self.link_forces or bool(self.external_forces)


@dataclass(frozen=True, slots=True)
class BodyTopology(_Actor):
    """The structure of one rigid body's step."""

    forces_every_iteration: bool
    solver: str = TGS
    link_forces: bool = False
    external_forces: tuple[ExternalForceTopology, ...] = ()           # of link 0, itself
    sleeping: bool = False                          # worlds fall asleep
    locked_position: tuple[int, ...] = ()           # world axes along which it does not move
    locked_rotation: tuple[int, ...] = ()           # world axes about which it has no angular momentum

    @property
    def tree(self) -> Topology:
        """The tree of its equations of motion: one free link."""
        return Topology(False, self.forces_every_iteration, (LinkTopology(-1, ROOT),), (), solver=self.solver,
                        link_forces=self.link_forces, external_forces=self.external_forces, sleeping=self.sleeping)

    @property
    def root_size(self) -> int:
        """Generalised velocities: linear at its centre of mass, angular; world axes."""
        return 6

    @property
    def nv(self) -> int:
        """Number of generalised velocities: those of the root."""
        return 6


@dataclass(frozen=True)
class Topology(_Actor):
    """The structure of one articulation's step."""

    fixed_base: bool
    forces_every_iteration: bool
    links: tuple[LinkTopology, ...]
    dofs: tuple[DofTopology, ...]
    fixed_tendons: tuple[FixedTendonTopology, ...] = ()
    spatial_tendons: tuple[SpatialTendonTopology, ...] = ()
    mimics: tuple[tuple[int, int], ...] = ()        # (follower dof, reference dof)
    solver: str = TGS
    link_forces: bool = False
    tendon_impulses: bool = False                   # a step keeps what tendons gave in it
    external_forces: tuple[ExternalForceTopology, ...] = ()
    sleeping: bool = False                          # worlds fall asleep

    @property
    def tree(self) -> Topology:
        """The tree of its equations of motion."""
        return self

    @property
    def has_load_friction(self) -> bool:
        """Whether any joint has load-dependent friction."""
        return any(dof.load_friction for dof in self.dofs)

    @property
    def root_size(self) -> int:
        """Generalised velocities of the root: 6 (linear at its centre of mass, angular; world axes) or 0."""
        return 0 if self.fixed_base else 6

    @property
    def nv(self) -> int:
        """Number of generalised velocities: root first, then one per dof."""
        return self.root_size + len(self.dofs)

    @property
    def spherical_links(self) -> list[int]:
        """Links whose inbound joint is spherical."""
        return [i for i, link in enumerate(self.links) if link.kind == SPHERICAL]

    @property
    def locked(self) -> list[tuple[int, int]]:
        """Axes (link, axis of F) about which a spherical joint has no coordinate."""
        free = {(dof.link, dof.axis) for dof in self.dofs}
        return [(link, axis) for link in self.spherical_links for axis in range(3) if (link, axis) not in free]

    @property
    def moving_links(self) -> list[int]:
        """The links that can move."""
        jointed, moves = {dof.link for dof in self.dofs}, [not self.fixed_base]
        for i, link in enumerate(self.links[1:], 1):
            moves.append(moves[link.parent] or i in jointed)
        return [i for i, move in enumerate(moves) if move]

    def dofs_of(self, link: int) -> list[int]:
        """The dofs of a link's inbound joint."""
        return self._dofs_by_link[link]

    @cached_property
    def _dofs_by_link(self) -> list[list[int]]:
        """`dofs_of` of every link, gathered once: trees have thousands of links."""
        dofs_by_link: list[list[int]] = [[] for _ in self.links]
        for i, dof in enumerate(self.dofs):
            dofs_by_link[dof.link].append(i)
        return dofs_by_link

    def kind_of(self, dof: int) -> str:
        """The kind of a dof's joint."""
        return self.links[self.dofs[dof].link].kind

    def path(self, link: int) -> list[int]:
        """The links from the root's child down to `link`, inclusive."""
        links: list[int] = []
        while self.links[link].parent >= 0:
            links.append(link)
            link = self.links[link].parent
        return links[::-1]

    def children(self, link: int) -> list[int]:
        """The links whose parent `link` is."""
        return [i for i, other in enumerate(self.links) if other.parent == link]

    def depth_first(self) -> list[int]:
        """Dofs in the order PhysX solves their constraints."""
        order: list[int] = []
        stack = [0]
        while stack:
            top = stack.pop()
            order += self.dofs_of(top)
            stack += reversed(self.children(top))
        return order


ActorTopology = Topology | BodyTopology
