"""Measure in real PhysX what colliders, materials, collision groups and filtered pairs do, and misplaced schemas.

Needs the environment that `oracle.py` describes. A cube of size 1 and mass 1 is let go above the ground, where
it comes to rest at 0.5, or slides over it from 3 m/s for 18 steps of 1/60 s.
"""

from __future__ import annotations

from typing import Any

from rule_stages import (
    MASS,
    ROOT,
    Attributes,
    Fact,
    at,
    body,
    box,
    collider,
    ground,
    joint,
    physics_scene,
    places,
    prim,
    print_facts,
    robot,
    world,
)

BIND = "MaterialBindingAPI"
PAIRS = "PhysicsFilteredPairsAPI"
HIGH = 0.7


def resting(of_shape: Attributes | None = None, *schemas: str, under: str = "", steps: int = 90) -> Fact:
    """Where a cube with schemas on its collider ends."""
    return Fact(world(box(HIGH, {}, of_shape, *schemas), under or ground()), places, steps)


def offsets() -> dict[str, Fact]:
    """Contact and rest offsets."""
    pairs = ((None, None), (0.05, 0.02), (0.05, 0.05), (0.05, 0.1), (None, 0.1), (-1.0, 0.02))
    found = {}
    for contact, rest in pairs:
        values = {f"float physxCollision:{name}Offset": str(value)
                  for name, value in (("contact", contact), ("rest", rest)) if value is not None}
        found[f"contactOffset {contact}, restOffset {rest}"] = resting(values, "PhysxCollisionAPI")
    return found


def material(name: str, static: str, dynamic: str, restitution: str = "0", mode: str = "average") -> str:
    """A physics material."""
    return prim("Material", name, {
        "float physics:staticFriction": static, "float physics:dynamicFriction": dynamic,
        "float physics:restitution": restitution, "token physxMaterial:frictionCombineMode": f'"{mode}"',
        "token physxMaterial:restitutionCombineMode": '"max"'}, "PhysicsMaterialAPI", "PhysxMaterialAPI")


def bound(name: str) -> Attributes:
    """A binding of a material for physics."""
    return {"rel material:binding:physics": f"</{name}>"} if name else {}


def sliding(of_cube: str, of_ground: str = "") -> Fact:
    """How fast a cube of a material is after sliding over the ground, which may have another."""
    cube = box(0.5, {"vector3f physics:velocity": "(3, 0, 0)"}, bound("m" if of_cube else ""), BIND)
    return Fact(world(cube, ground(bound("g" if of_ground else ""), BIND), of_cube, of_ground),
                lambda result: f"{float(result['rigid_vel'][-1][0][0]):.3f} m/s", 18)


def materials() -> dict[str, Fact]:
    """Frictions, restitutions and combine modes."""
    def bouncing(restitution: str) -> Fact:
        rubber = material("m", "0.5", "0.5", restitution)
        return Fact(world(box(1.5, {}, bound("m"), BIND), ground(), rubber), _bounce, 80)

    frictions = (("0.1", "0.1"), ("-1", "0.1"), ("0.1", "-1"), ("nan", "0.1"), ("inf", "inf"))
    return {
        "no material": sliding(""),
        **{f"friction {static}, {dynamic}": sliding(material("m", static, dynamic)) for static, dynamic in frictions},
        "friction 0.1, restitution 1.5": sliding(material("m", "0.1", "0.1", "1.5")),
        **{f"friction 0.1 {mode}, 0.3 average": sliding(
            material("m", "0.1", "0.1", mode=mode), material("g", "0.3", "0.3"))
           for mode in ("average", "min", "multiply", "max", "maximum", "Max")},
        **{f"restitution {value}, from 1.5": bouncing(value) for value in ("0", "0.5", "1.5", "-0.5", "nan")},
    }


def _bounce(result: Any) -> str:
    heights = result["rigid_pose"][:, 0, 2]
    return f"lowest {float(heights.min()):.3f}, then up to {float(heights[30:].max()):.3f}"


def group(name: str, member: str, filtered: str = "") -> str:
    """A collision group of one member."""
    more = {"rel physics:filteredGroups": filtered} if filtered else {}
    return prim("PhysicsCollisionGroup", name, {"rel collection:colliders:includes": f"<{member}>", **more},
                "CollectionAPI:colliders")


def groups() -> dict[str, Fact]:
    """Collision groups; B holds the ground."""
    def of(*found: str) -> Fact:
        return Fact(world(box(HIGH), ground(), group("B", "/ground"), *found), places)

    return {
        "A of the cube": of(group("A", "/a")), "A of the cube filters B": of(group("A", "/a", "</B>")),
        "A filters B, C of the cube too": of(group("A", "/a", "</B>"), group("C", "/a")),
        "A of the cube, C filters B": of(group("A", "/a"), group("C", "/a", "</B>")),
        "the same, C authored first": of(group("C", "/a", "</B>"), group("A", "/a")),
        "A filters a prim that does not exist": of(group("A", "/a", "</missing>")),
        "A filters the ground itself": of(group("A", "/a", "</ground>")),
        "A filters that and B": of(group("A", "/a", "[</missing>, </B>]")),
        "A of a prim that does not exist filters B": of(group("A", "/missing", "</B>")),
    }


def pairs() -> dict[str, Fact]:
    """Filtered pairs."""
    def to(target: str, *more: str, under: str = "") -> Fact:
        cube = box(HIGH, {"rel physics:filteredPairs": target}, on_body=(PAIRS,))
        return Fact(world(cube, under or ground(), *more), places)

    above = prim("Xform", "x", {}, children=prim("Scope", "y", {}, children=ground()))
    host = prim("Xform", "up", {"rel physics:filteredPairs": "</ground>"}, PAIRS, children=box(HIGH))
    slider = joint("Prismatic", "j", "/robot/a", "/robot/b", {
        "uniform token physics:axis": '"Z"', "point3f physics:localPos0": "(0, 0, 1.2)"})
    art = robot(box(HIGH), box(HIGH + 1.2, name="b"), slider, schemas=(ROOT, PAIRS),
                more={"rel physics:filteredPairs": "</ground>"})
    return {
        "cube to the ground": to("</ground>"), "cube to a prim above the ground": to("</x>", under=above),
        "cube to a prim that does not exist": to("</missing>"),
        "cube to that and the ground": to("[</missing>, </ground>]"),
        "cube to an empty Xform": to("</x>", prim("Xform", "x", {})), "cube to the scene": to("</scene>"),
        "cube to a collision group of the ground": to("</B>", group("B", "/ground")),
        "Xform above the cube to the ground": Fact(world(host, ground()), places),
        "articulation to the ground": Fact(world(art, ground()), places),
    }


def trough(approximation: str) -> Fact:
    """Where a ball of radius 0.5 rests in a static pit of depth 4 below z = 2."""
    pit = prim("Mesh", "pit", {
        "point3f[] points": "[(-5, -5, 2), (5, -5, 2), (5, 5, 2), (-5, 5, 2), (0, 0, -2)]",
        "int[] faceVertexCounts": "[3, 3, 3, 3]", "int[] faceVertexIndices": "[0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4]",
        "uniform token physics:approximation": f'"{approximation}"'}, "PhysicsCollisionAPI", "PhysicsMeshCollisionAPI")
    ball = body("a", at(4.0), children=collider("Sphere", "ball", {"double radius": "0.5"}))
    return Fact(world(pit, ball), places, 120)


def misplaced() -> dict[str, Fact]:
    """Schemas where they belong, and where they do not."""
    moving = {"vector3f physxSurfaceVelocity:surfaceVelocity": "(0.01, 0, 0)"}
    kinematic = {**moving, "bool physics:kinematicEnabled": "1"}
    quasi = "PhysxSceneQuasistaticAPI"
    spring = {"bool physxPhysicsDistanceJoint:springEnabled": "1"}
    return {
        "PhysxTriggerAPI on the ground": resting(under=ground({}, "PhysxTriggerAPI")),
        "PhysxTriggerAPI above the ground": resting(under=prim("Xform", "x", {}, "PhysxTriggerAPI", children=ground())),
        "PhysxSurfaceVelocityAPI on a kinematic ground": resting(
            under=ground(kinematic, "PhysicsRigidBodyAPI", "PhysxSurfaceVelocityAPI")),
        "PhysxSurfaceVelocityAPI on a static ground": resting(under=ground(moving, "PhysxSurfaceVelocityAPI")),
        f"{quasi} on the scene": Fact(world(body(), scenes=physics_scene("10", "scene", None, quasi)), places),
        f"{quasi} on an Xform": Fact(world(body(), prim("Xform", "x", {}, quasi)), places),
        "PhysxPhysicsDistanceJointAPI on a fixed joint": Fact(world(body("a", MASS, place=at()), joint(
            "Fixed", "j", "", "/a", spring, "PhysxPhysicsDistanceJointAPI")), places),
        **{f"pit of approximation {name!r}": trough(name) for name in ("none", "convexHull", "convexhull", "")},
    }


def main() -> None:
    """Print the tables."""
    print_facts("offsets", offsets())
    print_facts("materials", materials())
    print_facts("collision groups", groups())
    print_facts("filtered pairs", pairs())
    print_facts("schemas and approximations", misplaced())


if __name__ == "__main__":
    main()
