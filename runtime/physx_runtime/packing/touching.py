"""Who is stepped with contacts on a stage, and what touches nevertheless without being heard of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from physx_runtime.collision.filtering import CollisionFilter
from physx_runtime.collision.generation import supported
from physx_runtime.collision.shape import BOX, CAPSULE, CONE, CONVEX, CYLINDER, MESH, PLANE, SPHERE
from physx_runtime.model.scene import SceneModel
from physx_runtime.model.topology import PGS
from physx_runtime.packing.model import stepping
from physx_schema.description.model import Collider, Description, FreeBody, Scene

# What PhysX's narrow phase makes of kinds of colliders.
KINDS: Mapping[str, int] = {
    "sphere": SPHERE, "bounding-sphere": SPHERE, "plane": PLANE, "capsule": CAPSULE, "box": BOX, "bounding-box": BOX,
    "cylinder": CYLINDER, "cone": CONE, "convex-hull": CONVEX,
}


class Touching:
    """The contacts of a scene's actors: those that are stepped, as worlds of bodies, and those left out.

    A world is all rigid bodies of one PhysicsScene that can meet something of it, kinematic and static colliders
    included. `worlds` are their names, in the order of the scene; a body that can meet nothing is in none, nor is an
    articulation. Contacts of PGS scenes are not stepped, nor those of kinds that `generate` does not know.
    `falling_asleep` is the path of the first body in them that rests in PhysX, "" for none.
    """

    def __init__(self, description: Description, model: SceneModel, solver: str) -> None:
        self.filter = CollisionFilter(description)
        self._kind = [KINDS.get(side.collider.kind, MESH) for side in self.filter.sides]
        stepped = {body.path for body in model.kinematic}
        names = {}
        for name, actor in model.actors.items():
            if isinstance(actor, FreeBody) and stepping(description.scene_of(actor), solver)[0] != PGS:
                names[actor.path] = name
        stepped |= names.keys()
        self._heard = [not side.owner and (not side.body or side.body in stepped) for side in self.filter.sides]
        meeting = self._meeting()
        found: dict[str, list[str]] = {}
        for path, name in names.items():
            if path in meeting:
                found.setdefault(meeting[path], []).append(name)
        self.worlds = tuple(tuple(names) for names in found.values())
        together = {model.actors[name].path: model.actors[name] for names in self.worlds for name in names}
        self.falling_asleep = next((path for path, actor in together.items() if description.scene_of(actor).sleeping
                                    and actor.links[0].body and actor.links[0].body.sleep_threshold > 0.0), "")

    def can_be_heard(self, i: int) -> bool:
        """Whether contacts of a side with anything are stepped."""
        return self._heard[i] and any(supported(self._kind[i], kind) for kind in range(MESH + 1))

    def kinematic(self, scene: Scene) -> frozenset[str]:
        """The kinematic bodies of a scene whose contacts are stepped."""
        return frozenset(side.body for i, side in enumerate(self.filter.sides)
                         if side.body and not side.moves and side.scene == scene.path and self.can_be_heard(i))

    def kind(self, i: int) -> int:
        """What a side is to the narrow phase."""
        return self._kind[i]

    def _meeting(self) -> dict[str, str]:
        """The bodies that forces move and that can meet something, each with its scene."""
        sides, found = self.filter.sides, dict[str, str]()
        for i, partners in self._partners(heard=True):
            side = sides[i]
            if side.body not in found and side.moves and any(self.filter.meet(i, j) for j in partners):
                found[side.body] = side.scene or ""
        return found

    def unheard(self, bodies: frozenset[str]) -> tuple[Collider, Collider] | None:
        """The first collider of these links or bodies whose contacts with another are not stepped, and that other."""
        sides = self.filter.sides
        for i, partners in self._partners(heard=False):
            for j in partners if sides[i].body in bodies else ():
                if self.filter.meet(i, j):
                    return sides[i].collider, sides[j].collider
        return None

    def _partners(self, heard: bool) -> Iterator[tuple[int, Iterator[int]]]:
        """Every side, and the sides of classes that meet its own and whose contacts with it are stepped, or are not."""
        classes: dict[tuple[int, int, bool], list[int]] = {}
        of_side = []
        for i, (number, kind, is_heard) in enumerate(zip(self.filter.classes, self._kind, self._heard, strict=True)):
            key = (int(number), kind, is_heard)
            classes.setdefault(key, []).append(i)
            of_side.append(key)
        meeting = {(a, b) for a in classes for b in classes if self.filter.meets[a[0], b[0]]
                   and (a[2] and b[2] and supported(a[1], b[1])) == heard}
        for i, key in enumerate(of_side):
            yield i, (j for other, members in classes.items() if (key, other) in meeting for j in members)
