"""Small stages of rigid bodies for the scripts that measure what rules claim, and the table that those print.

The unit of length is the metre, of mass the kilogram, gravity points down z. A body of mass 1 without colliders that
falls from rest under gravity 10 falls by 5.15 in 60 steps of 1/60 s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from measure_tendon_enabled import load_oracle

from physx_schema.checking.catalogue.snippets import prim

STEP = 1 / 60
MASS = {"float physics:mass": "1", "float3 physics:diagonalInertia": "(1, 1, 1)"}
BODY = ("PhysicsRigidBodyAPI", "PhysicsMassAPI")
ROOT = "PhysicsArticulationRootAPI"
CUBE = {"double size": "1"}
Attributes = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Fact:
    """A stage, for how many steps it runs, and what of the result is printed; no steps: the state at the start."""

    usda: str
    shown: Callable[[Any], str]
    steps: int = 60


def world(*prims: str, gravity: str = "10", scene: Attributes | None = None, meters: str = "1", kilograms: str = "1",
          scenes: str | None = None) -> str:
    """A stage with one scene that is solved on the CPU, or with other scenes."""
    return (f'#usda 1.0\n(\n    metersPerUnit = {meters}\n    kilogramsPerUnit = {kilograms}\n    upAxis = "Z"\n)\n'
            + (physics_scene(gravity, more=scene) if scenes is None else scenes) + "".join(prims))


def physics_scene(gravity: str = "10", name: str = "scene", more: Attributes | None = None, *schemas: str) -> str:
    """A scene that is solved on the CPU."""
    return prim("PhysicsScene", name, {
        "vector3f physics:gravityDirection": "(0, 0, -1)", "float physics:gravityMagnitude": gravity,
        "bool physxScene:enableGPUDynamics": "0", "uniform token physxScene:broadphaseType": '"MBP"', **(more or {}),
    }, "PhysxSceneAPI", *schemas)


def at(z: float = 0.0, x: float = 0.0, y: float = 0.0, scale: str = "", turn: str = "") -> dict[str, str]:
    """Transform operations: where, then turned by angles about x, y, z, then scaled."""
    values = {"double3 xformOp:translate": f"({x}, {y}, {z})"}
    if turn:
        values["float3 xformOp:rotateXYZ"] = turn
    if scale:
        values["float3 xformOp:scale"] = scale
    order = ", ".join(f'"{name.split()[1]}"' for name in values)
    return {**values, "uniform token[] xformOpOrder": f"[{order}]"}


def body(name: str = "thing", more: Attributes | None = None, *schemas: str, children: str = "",
         place: Attributes | None = None) -> str:
    """A body of mass 1 and moments 1, 10 above the origin unless placed elsewhere."""
    return prim("Xform", name, {**MASS, **(at(10.0) if place is None else place), **(more or {})}, *BODY, *schemas,
                children=children)


def collider(kind: str = "Cube", name: str = "shape", more: Attributes | None = None, *schemas: str) -> str:
    """A collider without a body; a cube of size 1."""
    return prim(kind, name, {**(CUBE if kind == "Cube" else {}), **(more or {})}, "PhysicsCollisionAPI", *schemas)


def ground(more: Attributes | None = None, *schemas: str) -> str:
    """A static box whose top is at height 0."""
    return collider("Cube", "ground", {**at(-5.0, scale="(100, 100, 10)"), **(more or {})}, *schemas)


def joint(kind: str, name: str, first: str, second: str, more: Attributes | None = None, *schemas: str) -> str:
    """A joint between two prims given by path, "" for the world."""
    sides = {f"rel physics:body{i}": f"<{path}>" for i, path in enumerate((first, second)) if path}
    return prim(f"Physics{kind}Joint", name, {**sides, **(more or {})}, *schemas)


def robot(*prims: str, schemas: tuple[str, ...] = (ROOT,), name: str = "robot") -> str:
    """Prims under one, which has the root API."""
    return prim("Xform", name, {}, *schemas, children="".join(prims))


def places(result: Any) -> str:
    """Where bodies and links are at the end."""
    found = {str(path): pose[:3] for path, pose in zip(result["rigid_paths"], result["rigid_pose"][-1], strict=False)
             } if "rigid_pose" in result else {}
    for one in (result, *result.get("others", {}).values()):
        found |= {f"{path} (link)": one["link_pose"][-1][i][:3] for i, path in enumerate(one.get("link_paths", ()))}
    return ", ".join(f"{path} {_numbers(place)}" for path, place in sorted(found.items())) or "no body"


def made(result: Any) -> str:
    """Which objects PhysX has made."""
    kinds = (("articulations", "articulations"), ("links", "all_link_paths"), ("moving joints", "all_joint_paths"),
             ("bodies", "rigid_paths"))
    return "; ".join(f"{kind} {' '.join(sorted(result[key]))}" for kind, key in kinds if len(result[key])) or "nothing"


def turned(result: Any) -> str:
    """Place and rotation (x, y, z, w) of the first body at the end."""
    return _numbers(result["rigid_pose"][-1][0]) if len(result["rigid_paths"]) else "no body"


def _numbers(values: Iterable[float]) -> str:
    return "(" + ", ".join(f"{float(value):.4g}" for value in np.round(np.asarray(values, dtype=float), 4) + 0.0) + ")"


def print_facts(title: str, facts: Mapping[str, Fact]) -> None:
    """Run every stage in one engine process; print a line for each, then what the engine said."""
    engine = load_oracle().engine
    results = engine.run_jobs([
        engine.sim_job(fact.usda, STEP, fact.steps) if fact.steps else engine.dyn_job(fact.usda)
        for fact in facts.values()])
    print(f"--- {title}")
    for (label, fact), result in zip(facts.items(), results, strict=True):
        print(f"{label:70} {fact.shown(result)}")
    print("\n".join(dict.fromkeys(line for line in results[0]["log"].splitlines() if "warmup" not in line)))


def print_refused(title: str, stages: Mapping[str, str]) -> None:
    """Stages that PhysX refuses, each in an engine process of its own; print what it said."""
    engine = load_oracle().engine
    print(f"--- {title}")
    for label, usda in stages.items():
        try:
            engine.run_jobs([engine.sim_job(usda, STEP, 1)])
            said = "taken"
        except engine.OracleError as error:
            said = "refused: " + "; ".join(line for line in str(error).splitlines() if line.startswith("[Error]"))
        print(f"{label:70} {said}")
