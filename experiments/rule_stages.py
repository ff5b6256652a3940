"""Small stages for the scripts that measure what rules claim, and the table that those print.

Lengths are metres, masses kilograms, gravity points down z. A body that falls from rest under gravity 10 falls by 5.005
in 60 steps of 1/60 s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from oracle import load_oracle

from physx_schema.checking.engine.usda import prim

STEP = 1 / 60
MASS = {"float physics:mass": "1", "float3 physics:diagonalInertia": "(1, 1, 1)"}
BODY = ("PhysicsRigidBodyAPI", "PhysicsMassAPI")
ROOT = "PhysicsArticulationRootAPI"
CUBE = {"double size": "1"}
KINEMATIC = {"bool physics:kinematicEnabled": "1"}
DISABLED = {"bool physics:rigidBodyEnabled": "0"}
Attributes = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Fact:
    """A stage, for how many steps it runs, and what of the result is printed; no steps: the state at the start."""

    usda: str
    shown: Callable[[Any], str]
    steps: int = 60


# --- stages ---------------------------------------------------------------------------------------------------------

def world(*prims: str, gravity: str = "10", scenes: str | None = None, meters: str = "1", kilograms: str = "1",
          up: str = "Z") -> str:
    """A stage with one scene, or with other scenes."""
    head = (f'#usda 1.0\n(\n    metersPerUnit = {meters}\n    kilogramsPerUnit = {kilograms}\n    upAxis = "{up}"\n)\n')
    return head + (physics_scene(gravity) if scenes is None else scenes) + "".join(prims)


def physics_scene(gravity: str = "10", name: str = "scene", more: Attributes | None = None, *schemas: str) -> str:
    """A scene that is solved on the CPU; an empty value of `more` takes an attribute away."""
    values = {"vector3f physics:gravityDirection": "(0, 0, -1)", "float physics:gravityMagnitude": gravity,
              "bool physxScene:enableGPUDynamics": "0", "uniform token physxScene:broadphaseType": '"MBP"',
              **(more or {})}
    return prim("PhysicsScene", name, {key: value for key, value in values.items() if value}, "PhysxSceneAPI", *schemas)


def at(z: float | str = 0.0, x: float = 0.0, scale: str = "", turn: str = "") -> dict[str, str]:
    """Transform operations: where, then turned by angles about x, y, z, then scaled."""
    values = {"double3 xformOp:translate": f"({x}, 0, {z})"}
    if turn:
        values["float3 xformOp:rotateXYZ"] = turn
    if scale:
        values["float3 xformOp:scale"] = scale
    return {**values, "uniform token[] xformOpOrder": ordered(*(name.split()[1] for name in values))}


def ordered(*names: str) -> str:
    """An array of tokens."""
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def body(name: str = "thing", more: Attributes | None = None, *schemas: str, children: str = "",
         place: Attributes | None = None) -> str:
    """A body of mass 1 and moments 1, 10 above the origin unless placed elsewhere."""
    return prim("Xform", name, {**MASS, **(at(10.0) if place is None else place), **(more or {})}, *BODY, *schemas,
                children=children)


def collider(kind: str = "Cube", name: str = "shape", more: Attributes | None = None, *schemas: str) -> str:
    """A collider without a body; a cube has size 1 unless the attributes say something of its size."""
    sized = kind != "Cube" or any(key.startswith("double size") for key in more or {})
    return prim(kind, name, {**({} if sized else CUBE), **(more or {})}, "PhysicsCollisionAPI", *schemas)


def box(z: float, more: Attributes | None = None, of_shape: Attributes | None = None, *schemas: str, name: str = "a",
        x: float = 0.0, on_body: tuple[str, ...] = ()) -> str:
    """A body with a cube of size 1 and schemas on the cube."""
    return body(name, {**at(z, x), **(more or {})}, *on_body, children=collider("Cube", "shape", of_shape, *schemas))


def ground(more: Attributes | None = None, *schemas: str) -> str:
    """A static box whose top is at height 0."""
    return collider("Cube", "ground", {**at(-5.0, scale="(100, 100, 10)"), **(more or {})}, *schemas)


def joint(kind: str, name: str, first: str, second: str, more: Attributes | None = None, *schemas: str) -> str:
    """A joint between two prims given by path, "" for the world."""
    sides = {f"rel physics:body{i}": f"<{path}>" for i, path in enumerate((first, second)) if path}
    return prim(f"Physics{kind}Joint", name, {**sides, **(more or {})}, *schemas)


def robot(*prims: str, schemas: tuple[str, ...] = (ROOT,), more: Attributes | None = None) -> str:
    """Prims under /robot, which has the root API."""
    return prim("Xform", "robot", more or {}, *schemas, children="".join(prims))


def base(name: str = "base") -> str:
    """A link at the origin that is fixed to the world."""
    return body(name, place=at()) + joint("Fixed", "anchor", "", f"/robot/{name}")


def arm(more: Attributes | None = None, *schemas: str, kind: str = "Prismatic", link: str = "",
        rooted: tuple[str, ...] = (), of_root: Attributes | None = None, gravity: str = "0") -> str:
    """A base and a link l on a slider along x, or on another joint j."""
    inbound = {"uniform token physics:axis": '"X"', **(more or {})}
    held = joint(kind, "j", "/robot/base", "/robot/l", inbound, *schemas)
    return world(robot(base(), link or body("l", place=at()), held, schemas=(ROOT, *rooted), more=of_root),
                 gravity=gravity)


def instanced(children: str, *schemas: str, instanceable: bool = True) -> str:
    """A class of prims and one instance of it, which has schemas."""
    kept = "true" if instanceable else "false"
    applied = f"    prepend apiSchemas = {ordered(*schemas)}\n" if schemas else ""
    return prim("Xform", "kind", {}, children=children).replace("def Xform", "class Xform", 1) + (
        f'def Xform "copy" (\n    instanceable = {kept}\n    prepend inherits = </kind>\n{applied})\n{{\n}}\n')


# --- what is printed ------------------------------------------------------------------------------------------------

def places(result: Any) -> str:
    """Where bodies and links are at the end."""
    found = {str(path): pose[:3] for path, pose in zip(result["rigid_paths"], result["rigid_pose"][-1], strict=False)
             } if "rigid_pose" in result else {}
    for one in (result, *result.get("others", {}).values()):
        poses = one["link_pose"][-1] if "link_pose" in one else ()
        found |= {f"{path}": pose[:3] for path, pose in zip(one.get("link_paths", ()), poses, strict=False)}
    return ", ".join(f"{path} {numbers(place)}" for path, place in sorted(found.items())) or "no body"


def made(result: Any) -> str:
    """Which objects PhysX has made."""
    kinds = (("articulations", "articulations"), ("links", "all_link_paths"), ("bodies", "rigid_paths"))
    return "; ".join(f"{kind} {' '.join(sorted(result[key]))}" for kind, key in kinds if len(result[key])) or "nothing"


def made_and_placed(result: Any) -> str:
    """Both, and whether the base is fixed."""
    kind = f" ({'fixed' if result['fixed_base'] else 'floating'})" if "fixed_base" in result else ""
    return f"{made(result)}{kind} | {places(result)}"


def pose(result: Any) -> str:
    """Place and rotation (x, y, z, w) of the first body at the end."""
    return numbers(result["rigid_pose"][-1][0]) if len(result["rigid_paths"]) else "no body"


def weight(result: Any) -> str:
    """Mass, centre of mass and inertia of the link l."""
    i = list(result["link_names"]).index("l")
    return (f"mass {result['body_mass'][i]:.5g} centre {numbers(result['body_com_pose'][i][:3])} "
            f"inertia {numbers(result['body_inertia'][i])}")


def of_dof(*names: str) -> Callable[[Any], str]:
    """Properties of the only degree of freedom."""
    return lambda result: ", ".join(f"{name.removeprefix('dof_')} {numbers(np.ravel(result[name]))}" for name in names)


def numbers(values: Iterable[float]) -> str:
    """Numbers, rounded."""
    return "(" + ", ".join(f"{float(value):.4g}" for value in np.round(np.asarray(values, dtype=float), 4) + 0.0) + ")"


# --- tables ---------------------------------------------------------------------------------------------------------

def print_facts(title: str, facts: Mapping[str, Fact]) -> None:
    """Run every stage in one engine process; print a line for each, then what the engine said."""
    engine = load_oracle().engine
    results = engine.run_jobs([
        engine.sim_job(fact.usda, STEP, fact.steps) if fact.steps else engine.dyn_job(fact.usda)
        for fact in facts.values()])
    print(f"--- {title}")
    for (label, fact), result in zip(facts.items(), results, strict=True):
        print(f"{label:64} {fact.shown(result)}")
    print("\n".join(dict.fromkeys(line for line in results[0]["log"].splitlines() if "warmup" not in line)))


def print_refused(title: str, stages: Mapping[str, str]) -> None:
    """Stages that PhysX may refuse, each in an engine process of its own; print what it said."""
    engine = load_oracle().engine
    print(f"--- {title}")
    for label, usda in stages.items():
        try:
            engine.run_jobs([engine.sim_job(usda, STEP, 1)])
            said = "taken"
        except engine.OracleError as error:
            said = "refused: " + next((line for line in str(error).splitlines() if line.startswith("[Error]")), "")
        print(f"{label:64} {said}")
