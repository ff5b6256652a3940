"""Articulations."""

from __future__ import annotations

from dataclasses import dataclass

from physx_schema.description.model.body import Link
from physx_schema.description.model.joint import Dof, Joint
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
    loose_links: tuple[Link, ...] = ()  # of one that is not enabled: its links as the bodies that PhysX makes of them

    @property
    def dofs(self) -> tuple[Dof, ...]:
        """Every degree of freedom, in link order."""
        return tuple(dof for link in self.links if link.joint for dof in link.joint.dofs)
