"""Measure in real PhysX how bodies that start inside each other leave, and how heavy one may be on a lighter one.

It needs the environment that `oracle.py` describes. Prints tables; writes nothing. Cubes of size 1 and mass 1
under gravity 10; steps of 1/60 s.
"""

from __future__ import annotations

from measure_contact_settings import BODY, SHAPE, heights, plane, sunk
from rule_stages import Fact, at, body, collider, ground, places, prim, print_facts, world

LIMIT, ITERATIONS = "float physxRigidBody:maxDepenetrationVelocity", "int physxRigidBody:solverPositionIterationCount"


def inside() -> dict[str, Fact]:
    """A cube that starts in the ground, a plane unless it is a box."""
    def of(depth: float, size: float = 1.0, limit: str = "", under: str = "") -> Fact:
        more = {LIMIT: limit} if limit else {}
        shape = collider("Cube", "shape", {"double size": f"{size}"})
        return Fact(world(body("a", {**at(0.5 * size - depth), **more}, *BODY, children=shape), under or plane()),
                    heights)

    return {
        **{f"{depth:g} deep, size {size:g}": of(depth, size) for depth, size in (
            (0.001, 1.0), (0.01, 1.0), (0.05, 1.0), (0.2, 1.0), (0.6, 1.0), (0.02, 0.1), (0.05, 0.1))},
        "0.2 deep in a box": of(0.2, under=ground()),
        **{f"0.2 deep, maxDepenetrationVelocity {limit}": of(0.2, limit=limit)
           for limit in ("0.5", "3", "10", "inf", "0")},
    }


def stacked() -> dict[str, Fact]:
    """A heavy cube on one of mass 1 on the ground."""
    def of(mass: float, iterations: int) -> Fact:
        cubes = (body(name, {**at(z), ITERATIONS: f"{iterations}", "float physics:mass": f"{weight:g}"}, *BODY,
                      children=collider()) for name, z, weight in (("a", 0.501, 1.0), ("b", 1.502, mass)))
        return Fact(world(*cubes, plane()), sunk, 240)

    tried = {1: (5, 10, 20), 4: (40, 50, 60, 80), 8: (50, 100, 150, 200), 16: (150, 200, 300, 400),
             32: (300, 600, 1000), 64: (1000, 2000)}
    return {f"{mass} on 1, {count} iterations": of(mass, count) for count, masses in tried.items() for mass in masses}


def offsets() -> dict[str, Fact]:
    """A cube of size 0.1 that is dropped from 1 m, by its contact offset."""
    def of(offset: str) -> Fact:
        shape = collider("Cube", "shape", {"double size": "0.1", "float physxCollision:contactOffset": offset}, *SHAPE)
        return Fact(world(body("a", at(1.0), children=shape), plane()), heights, 120)

    return {f"contactOffset {offset}": of(offset) for offset in ("0", "0.0001", "0.1", "1", "10", "100")}


def instanced() -> dict[str, Fact]:
    """Balls over a cube at the origin that is a prototype, and over its instances at x 3 and 6."""
    balls = "".join(body(name, at(1.5, x), children=collider("Sphere", "shape", {"double radius": "0.2"}))
                    for name, x in (("a", 0.1), ("b", 3.1), ("c", 6.1)))
    cube = collider("Cube", "p")

    def of(path: str) -> str:
        return prim("PointInstancer", "many", {
            "rel prototypes": f"<{path}>", "int[] protoIndices": "[0, 0]",
            "point3f[] positions": "[(3, 0, 0), (6, 0, 0)]"}, children=cube if path != "/p" else "")

    return {"prototype below the instancer": Fact(world(of("/many/p"), balls, plane()), places, 90),
            "prototype elsewhere": Fact(world(of("/p"), cube, balls, plane()), places, 90)}


def main() -> None:
    for title, facts in (("inside", inside()), ("stacked", stacked()), ("contact offsets", offsets()),
                         ("point instancers", instanced())):
        print_facts(title, facts)


if __name__ == "__main__":
    main()
