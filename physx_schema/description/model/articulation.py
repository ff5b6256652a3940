"""Articulations."""

from __future__ import annotations

from dataclasses import dataclass

from physx_schema.description.model.body import Link
from physx_schema.description.model.joint import Dof, Joint, OutsideJoint
from physx_schema.description.model.mimic import Mimic
from physx_schema.description.model.tendon import FixedTendon, SpatialTendon
from physx_schema.description.records import record


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
    loose_links: tuple[Link, ...] = ()  # of one that is not enabled: its links as the bodies that PhysX makes of them,
    loose_joints: tuple[OutsideJoint, ...] = ()     # and its joints as those between them

    @property
    def dofs(self) -> tuple[Dof, ...]:
        """Every degree of freedom, in link order."""
        return tuple(dof for link in self.links if link.joint for dof in link.joint.dofs)


@dataclass(frozen=True, slots=True)
class FreeBody:
    """A rigid body outside articulations as what is stepped by itself: one link, that nothing joins to others.

    What an articulation also answers it answers as such a link does.
    """

    body: Link                          # with what PhysX reads of no link
    position_iterations: int
    velocity_iterations: int

    @property
    def path(self) -> str:
        """The body's prim."""
        return self.body.path

    @property
    def links(self) -> tuple[Link, ...]:
        """Itself."""
        return (self.body,)

    @property
    def fixed_base(self) -> bool:
        """Nothing holds it."""
        return False

    @property
    def dofs(self) -> tuple[Dof, ...]:
        """None: it has no joint."""
        return ()

    @property
    def fixed_tendons(self) -> tuple[FixedTendon, ...]:
        """None."""
        return ()

    @property
    def spatial_tendons(self) -> tuple[SpatialTendon, ...]:
        """None."""
        return ()

    @property
    def mimics(self) -> tuple[Mimic, ...]:
        """None."""
        return ()


ActorDescription = Articulation | FreeBody      # what is stepped by itself
