"""Who is stepped with contacts on a stage, and what touches nevertheless without being heard of."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from physx_runtime.collision.generation import supported
from physx_runtime.collision.shape import BOX, CAPSULE, CONE, CONVEX, CYLINDER, MESH, PLANE, SPHERE
from physx_runtime.model.scene import SceneModel
from physx_schema.description.collision_filter import CollisionFilter
from physx_schema.description.model import Collider, Description, Scene

# What PhysX's narrow phase makes of kinds of colliders.
KINDS: Mapping[str, int] = {
    "sphere": SPHERE, "bounding-sphere": SPHERE, "plane": PLANE, "capsule": CAPSULE, "box": BOX, "bounding-box": BOX,
    "cylinder": CYLINDER, "cone": CONE, "convex-hull": CONVEX, "triangle-mesh": MESH,
}

NO_KIND = -1        # of colliders that no contacts are made with


class Touching:
    """The contacts of a scene's actors: those that are stepped, as worlds of bodies, and those left out.

    A world is all rigid bodies and articulations of one PhysicsScene that can meet something of it or themselves,
    kinematic and static colliders included. `worlds` are their names, in the order of the scene; what can meet nothing
    is in none. Contacts of kinds that `generate` does not know are not stepped.
    """

    def __init__(self, description: Description, model: SceneModel) -> None:
        self.filter = CollisionFilter(description)
        self._kind = [KINDS.get(side.collider.kind, NO_KIND) for side in self.filter.sides]
        names = {link.path: name for name, actor in model.actors.items() for link in actor.links}
        stepped = names.keys() | {body.path for body in model.kinematic}
        self._heard = [not side.body or side.body in stepped for side in self.filter.sides]
        found: dict[str, dict[str, None]] = {}
        for body in self._meeting(names.keys()):
            name = names[body]
            found.setdefault(description.scene_of(model.actors[name]).path, {})[name] = None
        self.worlds = tuple(tuple(name for name in model.actors if name in own) for own in found.values())

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

    def _meeting(self, bodies: Collection[str]) -> list[str]:
        """Those of some links and bodies that can meet something."""
        sides, found = self.filter.sides, dict[str, None]()
        for i, partners in self._partners(heard=True):
            body = sides[i].body
            if body in bodies and body not in found and any(self.filter.meet(i, j) for j in partners):
                found[body] = None
        return list(found)

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
