"""Measure in real PhysX what decides about a contact beside where it is: materials, limits, switches, thresholds.

They need the environment that `oracle.py` describes. Prints a table; writes nothing. Cubes of size 1 and mass
1 under gravity 10; steps of 1/60 s.
"""

from __future__ import annotations

import importlib
from typing import Any

from measure_contact_rules import BIND, bound, material
from oracle import load_oracle
from rule_stages import STEP, Attributes, Fact, at, body, box, collider, ground, physics_scene, prim, world

MODES = ("average", "min", "multiply", "max")
BODY = "physxRigidBody:"
PHYSX = ("PhysxRigidBodyAPI",)


def plane(more: Attributes | None = None, *schemas: str) -> str:
    """The ground as a plane."""
    return collider("Plane", "ground", {"uniform token axis": '"Z"', **(more or {})}, *schemas)


def end(result: Any) -> str:
    """The heights of all bodies at the end."""
    return " ".join(f"{float(z):.6f}" for z in result["pos"][-1][:, 2])


def first(result: Any) -> str:
    """How fast the first body rises in the first step, and how high it ends."""
    heights = result["pos"][:, 0, 2].astype(float)
    return f"first {(heights[1] - heights[0]) / STEP:.5g}, ends at {heights[-1]:.6g}"


def speed(result: Any) -> str:
    """How fast the first body is along x."""
    return f"{float(result['vel'][-1][0][0]):.5f} m/s"


def deep(more: Attributes | None = None, meters: str = "1", size: float = 1.0) -> Fact:
    """A cube that starts a fifth of its size deep in the ground."""
    shape = collider("Cube", "shape", at(scale=f"({size}, {size}, {size})"))
    cube = body("a", {**at(0.3 * size), **(more or {})}, *PHYSX, children=shape)
    return Fact(world(cube, plane(), meters=meters, gravity=str(10 * size)), first, 60)


def body_settings() -> dict[str, Fact]:
    """What a body says of its contacts."""
    def of(name: str, values: tuple[str, ...], kind: str = "float") -> dict[str, Fact]:
        return {f"{name} {value}": deep({f"{kind} {BODY}{name}": value}) for value in values}

    lengths = {f"{name}, {meters} m per unit": deep(more, meters, 1 / float(meters))
               for name, more in (("unauthored", {}), ("0.5", {f"float {BODY}maxDepenetrationVelocity": "0.5"}))
               for meters in ("1", "100")}
    return {**lengths, **of("maxDepenetrationVelocity", ("0", "inf", "-1")), **of("maxContactImpulse", ("0.05", "0")),
            **of("solveContact", ("0",), "bool"), **of("contactSlopCoefficient", ("0.5",))}


def pairs_of_bodies() -> dict[str, Fact]:
    """What two bodies say of their contact, a on the ground, b on a."""
    def of(first_body: Attributes, second: Attributes, high: float = 1.6, *, floating: bool = False) -> Fact:
        cubes = (box(0.5, first_body, name="a", on_body=PHYSX), box(high, second, name="b", on_body=PHYSX))
        return Fact(world(*cubes, gravity="0") if floating else world(*cubes, plane()), end, 2 if floating else 10)

    def said(name: str, values: tuple[tuple[str, str], ...], high: float, *, floating: bool) -> dict[str, Fact]:
        return {f"{name} {a} and {b}": of({f"float {BODY}{name}": a}, {f"float {BODY}{name}": b}, high,
                                          floating=floating) for a, b in values}

    return {"solved": of({}, {}), "solveContact 0 of b": of({}, {f"bool {BODY}solveContact": "0"}),
            **said("maxContactImpulse", (("0.1", "inf"), ("inf", "0.1"), ("0.1", "0.05")), 1.6, floating=False),
            **said("maxDepenetrationVelocity", (("0.1", "0.5"), ("0.5", "0.1"), ("0", "0.1")), 1.3, floating=True)}


def sliding(materials: str) -> Fact:
    """A cube of material m that slides at 3 over ground of material g, for 18 steps."""
    cube = box(0.5, {"vector3f physics:velocity": "(3, 0, 0)"}, bound("m"), BIND)
    return Fact(world(cube, ground(bound("g"), BIND), materials), speed, 18)


def frictions() -> dict[str, Fact]:
    """Every pair of combine modes, and a dynamic friction above the static one."""
    found = {f"friction 0.1 {a}, 0.3 {b}": sliding(material("m", "0.1", "0.1", mode=a) + material(
        "g", "0.3", "0.3", mode=b)) for a in MODES for b in MODES}
    return found | {f"static {static}, dynamic 0.2, of both": sliding(
        material("m", static, "0.2") + material("g", static, "0.2")) for static in ("0.05", "0.2")}


def soft(name: str, stiffness: str, damping: str, mode: str = "average", *, acceleration: bool = False,
         restitution: str = "0") -> str:
    """A compliant material."""
    return prim("Material", name, {
        "float physics:restitution": restitution, "float physxMaterial:compliantContactStiffness": stiffness,
        "float physxMaterial:compliantContactDamping": damping,
        "bool physxMaterial:compliantContactAccelerationSpring": str(int(acceleration)),
        "token physxMaterial:restitutionCombineMode": f'"{mode}"',
        "token physxMaterial:dampingCombineMode": f'"{mode}"'}, "PhysicsMaterialAPI", "PhysxMaterialAPI")


def springs() -> dict[str, Fact]:
    """How deep a cube of a soft material sinks into ground of another."""
    def of(cube: str, under: str) -> Fact:
        return Fact(world(box(0.5, {}, bound("m"), BIND), plane(bound("g"), BIND), cube, under), end, 240)

    hard = material("g", "0.5", "0.5")
    return {
        "1000 on hard": of(soft("m", "1000", "50"), hard),
        "restitution -1000 on hard": of(soft("m", "0", "50", restitution="-1000"), hard),
        "restitution -1000, 500 on hard": of(soft("m", "500", "50", restitution="-1000"), hard),
        "1000 of acceleration on hard": of(soft("m", "1000", "50", acceleration=True), hard),
        **{f"1000 on 200, {mode}": of(soft("m", "1000", "50"), soft("g", "200", "10", mode)) for mode in MODES},
        "1000 of acceleration on 200 of force": of(soft("m", "1000", "50", acceleration=True), soft("g", "200", "10")),
    }


def scenes() -> dict[str, Fact]:
    """Settings of a scene: a cube that bounces, and one that lands turning and slides."""
    rubber = material("m", "0.5", "0.5", "0.8")
    turning = {"vector3f physics:velocity": "(1, 0.3, 0)", "vector3f physics:angularVelocity": "(5, 2, 10)"}

    def of(kind: str, name: str, value: str) -> Fact:
        scene = physics_scene("10", more={f"{kind} physxScene:{name}": value} if value else {})
        if name == "bounceThreshold":
            return Fact(world(box(1.5, {}, bound("m"), BIND), ground(), rubber, scenes=scene), end, 60)
        return Fact(world(box(0.52, turning), plane(), scenes=scene), lambda r: str(r["pos"][-1][0]), 60)

    values = {("float", "bounceThreshold"): ("", "1", "5", "0"),
              ("float", "frictionOffsetThreshold"): ("", "0.04", "0.0001", "0"),
              ("float", "frictionCorrelationDistance"): ("", "0.025", "0"),
              ("uniform token", "collisionSystem"): ('"PCM"', '"SAT"'),
              ("uniform token", "frictionType"): ('"patch"', '"oneDirectional"', '"twoDirectional"')}
    return {f"{name} {value or 'unauthored'}": of(kind, name, value)
            for (kind, name), several in values.items() for value in several}


def sweeping() -> dict[str, Fact]:
    """A fast ball before a thin wall, where it ends along x."""
    wall = collider("Cube", "wall", at(0, x=10, scale="(0.02, 5, 5)"))

    def of(name: str, of_scene: str) -> Fact:
        ball = body("a", {**at(0, x=9.0), "vector3f physics:velocity": "(200, 0, 0)", f"bool {BODY}{name}": "1"},
                    *PHYSX, children=collider("Sphere", "s", {"double radius": "0.05"}))
        scene = physics_scene("0", more={"bool physxScene:enableCCD": of_scene})
        return Fact(world(ball, wall, scenes=scene), lambda r: f"{float(r['pos'][-1][0][0]):.5f}", 4)

    return {f"{name}, enableCCD {of_scene} of the scene": of(name, of_scene)
            for name in ("enableCCD", "enableSpeculativeCCD") for of_scene in ("0", "1")}


def main() -> None:
    """Run all of them and print a line each."""
    load_oracle()
    recorder = importlib.import_module("scene_recorder")
    for title, facts in (
            ("settings of a body", body_settings()), ("two bodies", pairs_of_bodies()), ("friction", frictions()),
            ("compliance", springs()), ("settings of a scene", scenes()), ("sweeping", sweeping())):
        print(f"--- {title}")
        results = recorder.record([{"usd": fact.usda, "dt": STEP, "steps": fact.steps} for fact in facts.values()])
        for (label, fact), result in zip(facts.items(), results, strict=True):
            print(f"{label:48} {fact.shown(result)}")


if __name__ == "__main__":
    main()
