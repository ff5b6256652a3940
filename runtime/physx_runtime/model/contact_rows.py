"""Rows of contact patches, and the numbers that a scene gives to all of them.

The structure of a patch: contacts of one pair of colliders that share a normal, and its friction anchors.

It is a cache key: what a patch does with its numbers follows from it, parameter values never enter it. Places that a
patch does not fill have multipliers of 0 and give nothing.

Who is stepped together on a stage, by name, and what ties them together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from physx_runtime.model.island import LINK, Side
from physx_schema.description.model import ActorDescription, Link, OutsideJoint

# Of the pair, in the order of `SURFACE`: how its two surfaces answer each other.
SURFACE = ("static_friction", "dynamic_friction", "restitution", "bounce_threshold", "stiffness", "damping",
           "acceleration_spring", "max_depenetration", "max_impulse", "torsion_radius", "min_torsion_radius")


@dataclass(frozen=True, slots=True)
class ContactTopology:
    """One patch; its normal points to side 0."""

    sides: tuple[Side, Side]
    points: int                 # places for contacts
    anchors: int = 2            # places for friction anchors
    torsional: bool = False     # friction about the normal, where it has one anchor
    pgs: bool = False           # every iteration repeats the whole step
    sapien: bool = False        # friction and bounces are those of SAPIEN 3.0

    @property
    def alone(self) -> ContactTopology:
        """The same patch whatever it touches of that kind: what its equations depend on."""
        first, second = (Side(side.kind) for side in self.sides)
        return replace(self, sides=(first, second))

    @property
    def linked(self) -> bool:
        """Whether a side is a link."""
        return any(side.kind == LINK for side in self.sides)


def patch_rows(t: ContactTopology) -> dict[str, int]:
    """Size of every row group that a patch is given at the step's start, in their order.

    normal: of the surface at side 1. point: world. separation: without the rest distance. anchor0, anchor1: arms from
    the centres of mass of the sides, from the world's origin of what does not move; world axes. used: 1, or 0 for a
    place that is not filled. Of a pair's `SURFACE`, stiffness is 0 of rigid surfaces and acceleration_spring 1 where a
    compliant one does not feel masses.
    """
    return {"normal": 3, **dict.fromkeys(SURFACE, 1), "point": 3 * t.points, "separation": t.points,
            "point_used": t.points, "anchor0": 3 * t.anchors, "anchor1": 3 * t.anchors, "anchor_used": t.anchors}


@dataclass(frozen=True, repr=False)
class SceneModel:
    """The actors of a stage, the kinematic bodies among them, and the joints outside articulations."""

    actors: Mapping[str, ActorDescription]      # by name: articulations, and free bodies as such of a single link
    kinematic: tuple[Link, ...] = ()        # bodies that no force moves
    joints: tuple[OutsideJoint, ...] = ()          # at links and bodies, of actors and of others

    def __repr__(self) -> str:
        return f"SceneModel(actors={len(self.actors)}, joints={len(self.joints)}, kinematic={len(self.kinematic)})"

    @cached_property
    def owners(self) -> Mapping[str, ActorDescription]:
        """The actor that a link or a body is of, by the link's path."""
        return {link.path: actor for actor in self.actors.values() for link in actor.links}

    def ends(self, joint: OutsideJoint) -> tuple[ActorDescription | None, ActorDescription | None]:
        """The actors that a joint holds; None for the world, a kinematic body and what is not stepped."""
        return self.owners.get(joint.body0), self.owners.get(joint.body1)


def named(moved: Iterable[ActorDescription]) -> dict[str, ActorDescription]:
    """Actors by name: the prim path, or the root link's where a root prim has several."""
    moved = tuple(moved)
    several = Counter(item.path for item in moved)
    return {item.path if several[item.path] == 1 else item.links[0].path: item for item in moved}
