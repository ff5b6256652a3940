"""Measure in real PhysX which contact settings do nothing, or something else than they say.

They need the environment that `oracle.py` describes. Prints tables; writes nothing. Cubes of size 1 and mass 1
under gravity 10; steps of 1/60 s.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from measure_contact_rules import BIND, bound, material
from rule_stages import STEP, Attributes, Fact, at, body, box, collider, ground, physics_scene, prim, print_facts, world

SHAPE = ("PhysxCollisionAPI",)
BODY = ("PhysxRigidBodyAPI",)
PIT = {
    "point3f[] points": "[(-5, -5, 0), (5, -5, 0), (5, 5, 0), (-5, 5, 0)]",
    "int[] faceVertexCounts": "[3, 3]", "int[] faceVertexIndices": "[0, 1, 2, 0, 2, 3]"}


def plane(more: Attributes | None = None, *schemas: str) -> str:
    """The ground as a plane."""
    return collider("Plane", "ground", {"uniform token axis": '"Z"', **(more or {})}, *schemas)


def spin(result: Any) -> str:
    """How fast the first body turns about z at the end."""
    return f"{float(result['rigid_vel'][-1][0][5]):.4f} rad/s"


def speed(result: Any) -> str:
    """How fast the first body is along x at the end."""
    return f"{float(result['rigid_vel'][-1][0][0]):.4f} m/s"


def heights(result: Any) -> str:
    """The lowest and last height of the first body, and its fastest rise."""
    z = result["rigid_pose"][:, 0, 2].astype(float)
    return f"lowest {z.min():.4f}, last {z[-1]:.4f}, fastest up {((z[1:] - z[:-1]) / STEP).max():.3f} m/s"


def torsion() -> dict[str, Fact]:
    """A ball that spins on the ground at 10 rad/s for 30 steps."""
    def of(*radii: str) -> Fact:
        names = ("torsionalPatchRadius", "minTorsionalPatchRadius")
        more = {f"float physxCollision:{name}": value for name, value in zip(names, radii, strict=True)}
        shape = collider("Sphere", "shape", {"double radius": "0.5", **more}, *SHAPE)
        ball = body("a", {**at(0.4999), "vector3f physics:angularVelocity": "(0, 0, 572.9578)",
                          "float physxRigidBody:angularDamping": "0"}, *BODY, children=shape)
        return Fact(world(ball, plane()), spin, 30)

    return {f"torsionalPatchRadius {a}, minTorsionalPatchRadius {b}": of(a, b)
            for a, b in (("0", "0"), ("0", "0.1"), ("0.1", "0"), ("0.1", "0.1"))}


def materials() -> dict[str, Fact]:
    """Numbers of materials that others leave without effect."""
    def sliding(static: str, dynamic: str, start: str) -> Fact:
        cube = box(0.5, {"vector3f physics:velocity": f"({start}, 0, 0)",
                         "vector3f physxForce:force": "(2, 0, 0)"}, bound("m"), BIND, on_body=("PhysxForceAPI",))
        return Fact(world(cube, ground(bound("m"), BIND), material("m", static, dynamic)), speed, 30)

    def dropped(more: Attributes, restitution: str = "0") -> Fact:
        made = prim("Material", "m", {"float physics:restitution": restitution, **more}, "PhysicsMaterialAPI",
                    "PhysxMaterialAPI")
        return Fact(world(box(1.5, {}, bound("m"), BIND), ground(bound("m"), BIND), made), heights, 90)

    def compliant(stiffness: str, damping: str) -> Attributes:
        return {"float physxMaterial:compliantContactStiffness": stiffness,
                "float physxMaterial:compliantContactDamping": damping}

    unbound = material("m", "0", "0")
    slider = {"vector3f physics:velocity": "(3, 0, 0)"}
    return {
        **{f"friction {s}, {d}, pushed by 2 from {v} m/s": sliding(s, d, v) for s, d, v in (
            ("0.1", "0.3", "0"), ("0.3", "0.3", "0"), ("0.1", "0.1", "0"), ("0.3", "0.1", "0"), ("0.1", "0.3", "1"))},
        **{f"stiffness {s}, damping {d}, restitution {e}": dropped(compliant(s, d), e) for s, d, e in (
            ("0", "0", "0"), ("0", "100", "0"), ("1000", "0", "0"), ("1000", "0", "0.9"), ("1000", "100", "0"),
            ("0", "0", "0.9"), ("0", "100", "0.9"))},
        "friction 0 bound to nothing": Fact(world(box(0.5, slider), ground(), unbound), speed, 18),
        "no material": Fact(world(box(0.5, slider), ground()), speed, 18),
    }


def bodies() -> dict[str, Fact]:
    """What takes contacts away, and how fast bodies leave what they start in."""
    def limited(value: str) -> Fact:
        return Fact(world(box(0.7, {"float physxRigidBody:maxContactImpulse": value}, on_body=BODY), ground()), heights)

    def deep(depth: float, size: float = 1.0) -> Fact:
        shape = collider("Cube", "shape", {"double size": f"{size}"})
        return Fact(world(body("a", at(0.5 * size - depth), children=shape), plane()), heights, 30)

    return {
        **{f"maxContactImpulse {value}": limited(value) for value in ("0", "0.1", "1")},
        **{f"starts {depth:g} deep, size {size:g}": deep(depth, size) for depth, size in (
            (0.001, 1.0), (0.01, 1.0), (0.05, 1.0), (0.2, 1.0), (0.4, 1.0), (0.02, 0.1))},
    }


def through() -> dict[str, Fact]:
    """A ball of radius 0.05 that is shot at a wall."""
    def shot(v: float, thick: float, offset: str = "", of_body: Attributes | None = None,
             of_scene: Attributes | None = None) -> Fact:
        more = {"vector3f physics:velocity": f"({v:g}, 0, 0)", **(of_body or {})}
        shape = collider("Sphere", "shape", {"double radius": "0.05", **(
            {"float physxCollision:contactOffset": offset} if offset else {})}, *SHAPE)
        ball = body("a", {**at(0.0, -1.013), **more}, *BODY, children=shape)
        wall = collider("Cube", "wall", at(0.0, scale=f"({thick:g}, 4, 4)"))
        return Fact(world(ball, wall, scenes=physics_scene("0", more=of_scene)),
                    lambda r: f"ends at x {float(r['rigid_pose'][-1][0][0]):.3f}", 60)

    found = {f"at {v:g} m/s, wall {thick:g}": shot(v, thick) for thick in (0.01, 0.1)
             for v in (3, 5, 6, 8, 10, 12, 15, 20, 30)}
    found |= {f"at {v:g} m/s, wall 0.01, contactOffset {o}": shot(v, 0.01, offset=o) for v in (5, 8, 20)
              for o in ("0.001", "0.5")}
    swept, sweeps = {"bool physxRigidBody:enableCCD": "1"}, {"bool physxScene:enableCCD": "1"}
    on = {"neither": ({}, {}), "the body": (swept, {}), "the scene": ({}, sweeps), "both": (swept, sweeps)}
    return found | {f"at {v:g} m/s, wall 0.01, enableCCD of {who}": shot(v, 0.01, of_body=of_body, of_scene=of_scene)
                    for v in (8, 33) for who, (of_body, of_scene) in on.items()}


def stacks() -> dict[str, Fact]:
    """How far a cube of mass 1 is pressed into the ground by a heavier one on it, or into a heavier one below it."""
    def of(below: float, above: float, iterations: int) -> Fact:
        count = {"int physxRigidBody:solverPositionIterationCount": str(iterations)}
        cubes = (body(name, {**at(z), **count, "float physics:mass": f"{mass:g}"}, *BODY, children=collider())
                 for name, z, mass in (("a", 0.501, below), ("b", 1.502, above)))
        return Fact(world(*cubes, plane()), sunk, 120)

    return {f"masses {below:g} under {above:g}, {n} iterations": of(below, above, n)
            for below, above in ((1, 1), (10, 1), (1000, 1), (1, 3), (1, 10), (1, 30), (1, 100), (1, 1000))
            for n in (4, 16, 64)}


def sunk(result: Any) -> str:
    """How far the lower of two stacked cubes is in the ground and the upper one in it, at the end and at most."""
    places = {str(path): result["rigid_pose"][:, i, 2].astype(float) for i, path in enumerate(result["rigid_paths"])}
    depths = 1000.0 * np.stack([0.5 - places["/a"], 1.0 - (places["/b"] - places["/a"])])
    (last, last_upper), (most, most_upper) = depths[:, -1], depths.max(axis=1)
    return f"in the ground {last:.2f} mm, at most {most:.2f}; in each other {last_upper:.2f}, at most {most_upper:.2f}"


def bounces() -> dict[str, Fact]:
    """How fast a ball of restitution 0.5 rises after a drop, under gravity 9.81 and a scene's bounce threshold."""
    def dropped(threshold: float, height: float) -> Fact:
        shape = collider("Sphere", "shape", {"double radius": "0.1", **bound("m")}, BIND)
        scene = physics_scene("9.81", "scene", {"float physxScene:bounceThreshold": f"{threshold:g}"})
        return Fact(world(body("a", at(0.1 + height), children=shape), plane(bound("m"), BIND),
                          material("m", "0.5", "0.5", "0.5"), scenes=scene), rise)

    return {f"threshold {threshold:g}, from {height:g}": dropped(threshold, height)
            for threshold in (0, 2, 3) for height in (0.05, 0.2, 0.3, 0.5)}


def rise(result: Any) -> str:
    """The fastest that the first body rises."""
    return f"{float(result['rigid_vel'][:, 0, 2].max()):.4f} m/s"


def triggers() -> dict[str, Fact]:
    """What triggers let through."""
    def on(ground_of: str) -> Fact:
        return Fact(world(box(0.7), ground_of), heights)

    return {
        "a box": on(ground({}, "PhysxTriggerAPI")),
        "a mesh": on(prim("Mesh", "pit", PIT, "PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", "PhysxTriggerAPI")),
        "a mesh's hull": on(prim("Mesh", "pit", {
            **PIT, "point3f[] points": "[(-5, -5, 0), (5, -5, 0), (5, 5, 0), (-5, 5, -1)]",
            "uniform token physics:approximation": '"convexHull"'}, "PhysicsCollisionAPI", "PhysicsMeshCollisionAPI",
            "PhysxTriggerAPI")),
        "a box that is switched off": on(ground({"bool physics:collisionEnabled": "0"})),
        "the cube itself": Fact(world(box(0.7, {}, {}, "PhysxTriggerAPI"), ground()), heights),
    }


def main() -> None:
    for title, facts in (("torsional friction", torsion()), ("materials", materials()), ("bodies", bodies()),
                         ("through walls", through()), ("stacks", stacks()), ("bounces", bounces()),
                         ("triggers", triggers())):
        print_facts(title, facts)


if __name__ == "__main__":
    main()
