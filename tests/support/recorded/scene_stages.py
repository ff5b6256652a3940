"""Stages about physics scenes: gravity, units, and which scene steps which body."""

from __future__ import annotations

import math

from support.stages.robots import joint, link, prim, robot

ROOT = ("PhysicsArticulationRootAPI",)


def scene(name: str, magnitude: float | None = None, direction: tuple[float, ...] | None = None,
          more: dict[str, object] | None = None, schemas: tuple[str, ...] = ("PhysxSceneAPI",)) -> str:
    values: dict[str, object] = {"bool physxScene:enableGPUDynamics": False,
                                 "uniform token physxScene:broadphaseType": "MBP"}
    if magnitude is not None:
        values["float physics:gravityMagnitude"] = magnitude
    if direction is not None:
        values["vector3f physics:gravityDirection"] = direction
    return prim("PhysicsScene", name, schemas, {**values, **(more or {})})


def owner(*paths: str) -> dict[str, object]:
    targets = [f"<{path}>" for path in paths]
    return {"rel physics:simulationOwner": targets if len(targets) > 1 else targets[0]}


def still(*parts: str, schemas: tuple[str, ...] = ROOT) -> str:
    """A robot without gravity."""
    return robot(*parts, schemas=schemas, outside=scene("scene", 0.0))


def falling(*scenes: str, more: dict[str, object] | None = None) -> str:
    """One free body beside the scenes."""
    return robot(link("x", more=more or {}), schemas=(), outside="".join(scenes))


def owned(a: dict[str, object], b: dict[str, object], schemas: tuple[str, ...] = ROOT) -> str:
    """Two joined bodies with owners, beside scenes /A and /B."""
    return robot(link("a", more=a), link("b", (1, 0, 0), more=b), joint("Revolute", "j", "a", "b"), schemas=schemas,
                 outside=scene("A", 3.0) + scene("B", 5.0))


def metadata(text: str, **values: str) -> str:
    """Other metadata in the head of the stage."""
    for name, value in values.items():
        lines = [line for line in text.splitlines() if not line.strip().startswith(name + " =")]
        text = "\n".join([*lines[:2], f"    {name} = {value}", *lines[2:]]) if value else "\n".join(lines)
    return text + "\n"


STAGES = {
    "the first scene by path steps bodies without owner": falling(scene("B", 5.0), scene("A", 3.0)),
    "paths of scenes are compared by characters": falling(scene("b", 2.0), scene("B", 3.0), scene("_a", 4.0)),
    "a scene in a prim that comes first": falling(prim("Xform", "a", (), {}, scene("z", 2.0)), scene("aa", 3.0)),
    "an owner": robot(link("x", more=owner("/B")), link("y"), schemas=(), outside=scene("A", 3.0) + scene("B", 5.0)),
    "an owner that does not exist": falling(scene("A", 3.0), more=owner("/Nope")),
    "an owner that is no scene": falling(scene("A", 3.0), more=owner("/Robot")),
    "the first owner that is a scene": falling(scene("A", 3.0), scene("B", 5.0), more=owner("/Nope", "/B", "/A")),
    "an articulation in one scene": owned(owner("/B"), owner("/B")),
    "an articulation in two scenes": owned(owner("/A"), owner("/B")),
    "an articulation with one owner": owned(owner("/B"), {}),
    "an owner on the root prim alone": owned({}, {}).replace(
        'def Xform "a"', 'rel physics:simulationOwner = </B>\ndef Xform "a"'),
    "a free joint between two scenes": owned(owner("/A"), owner("/B"), ()),
    "a joint to a body without a scene": robot(
        link("a"), link("b"), link("c", more=owner("/Nope")), joint("Revolute", "j", "a", "b"),
        joint("Revolute", "k", "b", "c"), outside=scene("A", 3.0)),
    "gravity nowhere authored": falling(scene("A")),
    "gravity without a direction": falling(scene("A", 2.0)),
    "gravity without a magnitude": falling(scene("A", None, (1, 0, 0))),
    "a direction of 0": falling(scene("A", 4.0, (0, 0, 0))),
    "a direction of length 2": falling(scene("A", 4.0, (0, 0, -2))),
    "a negative magnitude": falling(scene("A", -4.0, (0, 0, -1))),
    "a magnitude of -4e37": falling(scene("A", -4e37, (0, 0, -1))),
    "Y up, in centimetres": metadata(falling(scene("A")), metersPerUnit="0.01", upAxis='"Y"'),
    "X up": metadata(falling(scene("A")), upAxis='"X"'),
    "no metadata": metadata(falling(scene("A")), metersPerUnit="", upAxis="", kilogramsPerUnit=""),
    "no scene": falling(),
    "no scene, Y up": metadata(falling(), metersPerUnit="0.5", upAxis='"Y"'),
    "a class, an over and an inactive scene": falling(
        'class PhysicsScene "a"\n{\n}\nover PhysicsScene "b"\n{\n}\ndef PhysicsScene "c" (active = false)\n{\n}\n',
        scene("d", 4.0)),
    "Newton's gravity switched off": falling(scene("A", 4.0, None, {"bool newton:gravityEnabled": False},
                                                   ("PhysxSceneAPI", "NewtonSceneAPI"))),
    "Newton's gravity switched off without its API": falling(scene("A", 4.0, None, {
        "bool newton:gravityEnabled": False})),
}
CUBE = prim("Xform", "x", ("PhysicsRigidBodyAPI",), {}, prim("Cube", "c", ("PhysicsCollisionAPI",)))
STAGES |= {f"a cube where a unit is {meters} m": metadata(robot(CUBE, schemas=(), outside=scene("A")),
                                                         metersPerUnit=meters)
           for meters in ("1e-12", "1e10", "6e11", "1e15")}
REFUSED = {     # PhysX attaches nothing of these
    f"{name} of {value}": metadata(falling(scene("A")), **{name: value})
    for name, values in (("metersPerUnit", ("2.9e-38", "3.5e38", "1e-300")),
                         ("kilogramsPerUnit", ("6e-46", "3.41e38", "1e308")))
    for value in ("0", "-1", "nan", "inf", *values)
}
BROKEN = {      # a body that goes nowhere finite after the first step
    f"a {what} that is {value}": falling(scene("A", *(
        (value, (0, 0, -1)) if what == "magnitude" else (4.0, (value, 0, 0)))))
    for what, value in (("magnitude", -math.inf), ("magnitude", math.inf), ("magnitude", math.nan),
                        ("direction", math.nan))
}
