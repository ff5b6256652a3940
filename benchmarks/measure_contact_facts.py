"""Measure in real PhysX what decides about a contact beside where it is: materials, offsets, limits, switches, units.

They need the same environment as `measure_tendon_enabled.py`. Prints a table; writes nothing. A cube of size 1 and
mass 1 under gravity 10; steps of 1/60 s.
"""

from __future__ import annotations

import importlib
from typing import Any

from measure_contact_rules import BIND, bound, material
from measure_tendon_enabled import load_oracle
from rule_stages import STEP, Attributes, Fact, box, ground, physics_scene, world

MODES = ("average", "min", "multiply", "max")
Shown = Any


def end(result: Any) -> str:
    """Where the first body is, and how fast, at the end."""
    numbers = (*result["pos"][-1][0], *result["vel"][-1][0])
    return " ".join(f"{float(x):.6g}" for x in numbers)


def speeds(result: Any) -> str:
    """The way up in the first step by its time, the largest upward speed, and the last height."""
    heights = result["pos"][:, 0, 2].astype(float)
    return (f"first {(heights[1] - heights[0]) / STEP:.6g}, then up to {float(result['vel'][:, 0, 2].max()):.6g}, "
            f"ends at {heights[-1]:.6g}")


def deep(more: Attributes | None = None, meters: str = "1", size: float = 1.0, *schemas: str) -> Fact:
    """A cube that starts deep in the ground."""
    scale = f"({size}, {size}, {size})"
    cube = box(0.3 * size, more, None, name="a", on_body=("PhysxRigidBodyAPI", *schemas)) if size == 1.0 else None
    if cube is None:
        cube = box(0.3 * size, {"double3 xformOp:scale": scale, "uniform token[] xformOpOrder":
                                '["xformOp:translate", "xformOp:scale"]', **(more or {})},
                   on_body=("PhysxRigidBodyAPI",))
    return Fact(world(cube, ground(), meters=meters), speeds, 60)


def body_settings() -> dict[str, Fact]:
    """What a body says of its contacts."""
    name = "physxRigidBody:"
    depenetration = {f"depenetration {value}": deep({f"float {name}maxDepenetrationVelocity": value})
                     for value in ("0", "0.5", "inf", "-1")}
    impulse = {f"impulse at most {value}": deep({f"float {name}maxContactImpulse": value}) for value in ("0.05", "0", "-1")}
    switches = {f"{key} {value}": deep({f"bool {name}{key}": value})
                for key in ("solveContact", "enableCCD", "enableSpeculativeCCD") for value in ("0", "1")}
    slop = {f"slop {value}": Fact(world(box(0.51, {f"float {name}contactSlopCoefficient": value},
                                           on_body=("PhysxRigidBodyAPI",)), ground()), end, 60) for value in ("0", "0.5")}
    return {"unauthored": deep(), "without the schema": Fact(world(box(0.3), ground()), speeds, 60),
            "unauthored, centimetres": deep(None, "0.01"), "cube of 100, centimetres": deep(None, "0.01", 100.0),
            **depenetration, **impulse, **switches, **slop}


def _two(a: str, b: str, attribute: str, mode_a: str, mode_b: str) -> str:
    """Two materials with a mode each."""
    values = {"frictionCombineMode": (a, b)}
    del values, attribute
    return material("m", a, a, mode=mode_a) + material("g", b, b, mode=mode_b)


def sliding(materials: str, *, rubbed: bool = True) -> Fact:
    """A cube that slides at 3 from rest height, for 18 steps."""
    cube = box(0.5, {"vector3f physics:velocity": "(3, 0, 0)"}, bound("m"), BIND)
    return Fact(world(cube, ground(bound("g") if rubbed else {}, BIND), materials),
                lambda r: f"{float(r['vel'][-1][0][0]):.5f} m/s", 18)


def modes() -> dict[str, Fact]:
    """Every pair of combine modes, frictions 0.1 and 0.3; a dynamic friction above the static one."""
    found = {f"friction 0.1 {a}, 0.3 {b}": sliding(_two("0.1", "0.3", "", a, b)) for a in MODES for b in MODES}
    found["static 0.05, dynamic 0.2, of both"] = sliding(material("m", "0.05", "0.2") + material("g", "0.05", "0.2"))
    found["friction 0.2 of both"] = sliding(material("m", "0.2", "0.2") + material("g", "0.2", "0.2"))
    return found


def scenes() -> dict[str, Fact]:
    """Settings of a scene."""
    def of(more: Attributes, z: float = 1.5) -> Fact:
        rubber = material("m", "0.5", "0.5", "0.8")
        return Fact(world(box(z, {}, bound("m"), BIND), ground(), rubber, scenes=physics_scene("10", more=more)),
                    speeds, 60)

    return {"bounce, no threshold": of({}), **{f"bounce threshold {value}": of(
        {"float physxScene:bounceThreshold": value}) for value in ("1", "5", "-1")}}


def main() -> None:
    """Run all of them and print a line each."""
    load_oracle()
    recorder = importlib.import_module("scene_recorder")
    for title, facts in (("settings of a body", body_settings()),):
        print(f"--- {title}")
        results = recorder.record([{"usd": fact.usda, "dt": STEP, "steps": fact.steps} for fact in facts.values()])
        for (label, fact), result in zip(facts.items(), results, strict=True):
            print(f"{label:40} {fact.shown(result)}")


if __name__ == "__main__":
    main()
