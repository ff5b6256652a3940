"""`SceneModel` names the actors that are stepped together on a stage, the kinematic bodies, and the joints outside
articulations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from physx_schema.description.model import ActorDescription, Link, MaximalJoint


@dataclass(frozen=True, repr=False)
class SceneModel:
    """The actors of a stage, the kinematic bodies among them, and the joints outside articulations."""

    actors: Mapping[str, ActorDescription]      # by name: articulations, and free bodies as such of a single link
    kinematic: tuple[Link, ...] = ()        # bodies that no force moves
    joints: tuple[MaximalJoint, ...] = ()          # at links and bodies, of actors and of others

    def __repr__(self) -> str:
        return f"SceneModel(actors={len(self.actors)}, joints={len(self.joints)}, kinematic={len(self.kinematic)})"

    @cached_property
    def owners(self) -> Mapping[str, ActorDescription]:
        """The actor of every link or body, by the link's path."""
        return {link.path: actor for actor in self.actors.values() for link in actor.links}

    def ends(self, joint: MaximalJoint) -> tuple[ActorDescription | None, ActorDescription | None]:
        """The actors that a joint connects; None for the world, a kinematic body and a body that is not stepped."""
        return self.owners.get(joint.body0), self.owners.get(joint.body1)


def actors_by_name(actors: Iterable[ActorDescription]) -> dict[str, ActorDescription]:
    """Actors by name: the prim path, or the root link's where a root prim has several."""
    actors = tuple(actors)
    counts = Counter(item.path for item in actors)
    return {item.path if counts[item.path] == 1 else item.links[0].path: item for item in actors}
