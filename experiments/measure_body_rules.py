"""Measure in real PhysX what doubtful rigid bodies, colliders and scenes do.

Needs the environment that `oracle.py` describes. Bodies of mass 1 fall from rest for 60 steps of 1/60 s under
gravity 10 (a free body falls by 5.005), or come to rest on the ground z = 0; the position of each is printed.
"""

from __future__ import annotations

from rule_stages import (
    BODY,
    MASS,
    Attributes,
    Fact,
    at,
    body,
    ground,
    joint,
    physics_scene,
    places,
    prim,
    print_facts,
    world,
)


def nested(more: Attributes | None = None, joined: str = "") -> Fact:
    """A body 2 above another that it is inside of."""
    return Fact(world(body("outer", children=body("inner", more, place=at(2.0))), joined), places)


def bodies() -> dict[str, Fact]:
    """Bodies inside others and on prims without a transform."""
    weld = joint("Fixed", "weld", "/outer", "/outer/inner", {"point3f physics:localPos0": "(0, 0, 2)"})
    reset = {"uniform token[] xformOpOrder": '["!resetXformStack!", "xformOp:translate"]'}
    return {
        "nested body": nested(), "nested body, !resetXformStack!": nested(reset),
        "nested body, joined to the outer one": nested(joined=weld),
        "nested body, disabled": nested({"bool physics:rigidBodyEnabled": "0"}),
        "body on a Scope": Fact(world(prim("Scope", "thing", MASS, *BODY)), places),
        "body on an untyped prim": Fact(world(prim("", "thing", MASS, *BODY)), places),
    }


def resting(kind: str, scale: str, **sizes: float) -> Fact:
    """A collider of mass 1 let go a little above the ground."""
    own = {**MASS, **at(2.5, scale=scale), **{f"double {name}": str(value) for name, value in sizes.items()}}
    return Fact(world(ground(), prim(kind, "shape", own, *BODY, "PhysicsCollisionAPI")), places)


def colliders() -> dict[str, Fact]:
    """Round shapes under uneven scales, and a collider without a shape."""
    bare = prim("Xform", "shape", at(2.5), "PhysicsRigidBodyAPI", "PhysicsCollisionAPI")
    return {
        "sphere of radius 0.5": resting("Sphere", "(1, 1, 1)", radius=0.5),
        "sphere of radius 0.5, scaled by (1, 1, 2)": resting("Sphere", "(1, 1, 2)", radius=0.5),
        "sphere of radius 0.5, scaled by (2, 1, 1)": resting("Sphere", "(2, 1, 1)", radius=0.5),
        "capsule 0.5, 1, scaled by (2, 1, 1)": resting("Capsule", "(2, 1, 1)", radius=0.5, height=1.0),
        "cube of size 1, scaled by (1, 1, 2)": resting("Cube", "(1, 1, 2)", size=1.0),
        "collider on an Xform": Fact(world(bare, ground()), places),
    }


def scenes() -> dict[str, Fact]:
    """Scenes with schemas beside, and gravity directions of other lengths."""
    def seen(schema: str) -> Fact:
        return Fact(world(body(), scenes=physics_scene("1").replace('"PhysxSceneAPI"', f'"{schema}"')), places)

    def along(direction: str) -> Fact:
        return Fact(world(body(), scenes=physics_scene(more={"vector3f physics:gravityDirection": direction})), places)

    return {
        "scene with NewtonSceneAPI, not PhysxSceneAPI, gravity 1": seen("NewtonSceneAPI"),
        "scene with NewtonKaminoSceneAPI, not PhysxSceneAPI, gravity 1": seen("NewtonKaminoSceneAPI"),
        "scene with a schema no one knows, gravity 1": seen("FooSceneAPI"),
        "gravityDirection (0, 0, 0), gravity 10": along("(0, 0, 0)"),
        "gravityDirection (0, 0, -2), gravity 10": along("(0, 0, -2)"),
    }


def main() -> None:
    """Print the tables."""
    print_facts("bodies", bodies())
    print_facts("colliders", colliders())
    print_facts("scenes", scenes())


if __name__ == "__main__":
    main()
