"""Measure in real PhysX what malformed mesh colliders do; some of them end the engine.

Needs the environment that `oracle.py` describes. Every stage has an engine process of its own: a tetrahedron
on a link, of which the mass is printed, or a static pit of depth 4 below z = 2 and where a ball comes to rest in it.
"""

from __future__ import annotations

from oracle import load_oracle
from rule_stages import BODY, STEP, Fact, arm, at, body, collider, places, prim, weight, world

SCHEMAS = ("PhysicsCollisionAPI", "PhysicsMeshCollisionAPI")
POINTS, COUNTS, INDICES = "point3f[] points", "int[] faceVertexCounts", "int[] faceVertexIndices"
TETRAHEDRON = {POINTS: "[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]", COUNTS: "[3, 3, 3, 3]",
               INDICES: "[0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]"}
PIT = {POINTS: "[(-5, -5, 2), (5, -5, 2), (5, 5, 2), (-5, 5, 2), (0, 0, -2)]", COUNTS: "[3, 3, 3, 3]",
       INDICES: "[0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4]"}


def weighed(**changes: str) -> Fact:
    """The tetrahedron on a link, arrays changed by name."""
    mesh = prim("Mesh", "shape", _changed(TETRAHEDRON, changes), *SCHEMAS)
    return Fact(arm(link=prim("Xform", "l", at(), *BODY, children=mesh)), weight, 0)


def fallen_into(**changes: str) -> Fact:
    """A ball over the pit."""
    ball = body("a", at(4.0), children=collider("Sphere", "ball", {"double radius": "0.5"}))
    return Fact(world(prim("Mesh", "pit", _changed(PIT, changes), *SCHEMAS), ball), places, 120)


def _changed(mesh: dict[str, str], changes: dict[str, str]) -> dict[str, str]:
    return {name: changes.get(name.split()[1], value) for name, value in mesh.items()}


def meshes() -> dict[str, Fact]:
    """Sound meshes and malformed ones."""
    def third(index: int) -> dict[str, str]:
        return {"faceVertexIndices": f"[0, 2, 1, 0, 1, {index}, 1, 2, 3, 0, 3, 2]"}

    def corner(index: int) -> dict[str, str]:
        return {"faceVertexIndices": f"[0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, {index}]"}

    negative = {"faceVertexCounts": "[3, 3, 3, -3]"}
    return {
        "tetrahedron": weighed(),
        **{f"tetrahedron, index {index}": weighed(**third(index)) for index in (4, -1, 1000000)},
        "tetrahedron, face of -3 corners": weighed(**negative),
        "tetrahedron, five faces": weighed(faceVertexCounts="[3, 3, 3, 3, 3]"),
        "tetrahedron, point of NaN": weighed(points="[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, nan)]"),
        "static pit": fallen_into(),
        **{f"static pit, index {index}": fallen_into(**corner(index)) for index in (-1, 1000000)},
        "static pit, face of -3 corners": fallen_into(**negative),
        "static pit, point of NaN": fallen_into(points="[(-5, -5, 2), (5, -5, 2), (5, 5, 2), (-5, 5, 2), (0, 0, nan)]"),
    }


def main() -> None:
    """Run every stage by itself; print what it gave, or how the engine ended."""
    engine = load_oracle().engine
    for label, fact in meshes().items():
        job = engine.sim_job(fact.usda, STEP, fact.steps) if fact.steps else engine.dyn_job(fact.usda)
        try:
            found = fact.shown(engine.run_jobs([job])[0])
        except engine.OracleError as error:
            found = f"the engine ended: {str(error).splitlines()[0]}"
        print(f"{label:40} {found}")


if __name__ == "__main__":
    main()
