"""Measure in real PhysX what it reads of values of other types, of time samples, and of unknown tokens and names.

Needs the environment that `oracle.py` describes. Most stages have a link on a slider along x; printed is what
PhysX says of it. The last table opens stages at a time, as `ovstage.population.open_usd` lets a program do.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from oracle import load_oracle
from rule_stages import (
    BODY,
    KINEMATIC,
    STEP,
    Attributes,
    Fact,
    arm,
    at,
    base,
    body,
    box,
    ground,
    joint,
    made,
    numbers,
    of_dof,
    physics_scene,
    places,
    prim,
    print_facts,
    robot,
    weight,
    world,
)

DRIVE = "PhysicsDriveAPI:linear"
STIFFNESS = "drive:linear:physics:stiffness"
LIMITS = of_dof("dof_limit")
SCALARS = ("float", "double", "half", "int", "uint", "int64", "uint64", "uchar", "bool")
TURNED = "(0.70710678, 0, 0, 0.70710678)"


def driven(type_name: str, value: str) -> Fact:
    """A drive with its stiffness as a type."""
    return Fact(arm({f"{type_name} {STIFFNESS}": value}, DRIVE), of_dof("dof_stiffness"), 0)


def weighed(line: str, value: str) -> Fact:
    """A link of mass 1 with moments as a type."""
    link = prim("Xform", "l", {**at(), "float physics:mass": "1", line: value}, *BODY)
    return Fact(arm(link=link), weight, 0)


def turned(result: Any) -> str:
    """The pose of the link l at the start."""
    return numbers(np.asarray(result["link_pose"]).reshape(-1, 7)[1])


def kind(type_name: str, value: str) -> Fact:
    """A drive with its kind as a type: 1 is force, 2 acceleration."""
    return Fact(arm({f"float {STIFFNESS}": "5", f"uniform {type_name} drive:linear:physics:type": value}, DRIVE),
                of_dof("dof_drive_type"), 0)


def types() -> dict[str, Fact]:
    """Values of other types than declared."""
    found = {f"stiffness 5 as {name}": driven(name, "1" if name == "bool" else "5") for name in SCALARS}
    found |= {f"stiffness as {name}": driven(name, value)
              for name, value in (("string", '"5"'), ("token", '"5"'), ("float[]", "[5]"), ("timecode", "5"))}
    found |= {f"moments as {name}": weighed(f"{name} physics:diagonalInertia", value) for name, value in (
        ("float3", "(1, 2, 3)"), ("double3", "(1, 2, 3)"), ("half3", "(1, 2, 3)"), ("int3", "(1, 2, 3)"),
        ("float[]", "[1, 2, 3]"), ("float4", "(1, 2, 3, 4)"))}
    found |= {f"localRot0 by 90 degrees as {name}": Fact(arm({f"{name} physics:localRot0": TURNED}), turned, 0)
              for name in ("quatf", "quatd", "quath", "float4")}
    found |= {f"localRot0 of length {length}": Fact(arm({
        "quatf physics:localRot0": f"({0.70710678 * length}, 0, 0, {0.70710678 * length})"}), turned, 0)
        for length in (1.02, 2.0, 0.5)}
    found |= {f"drive type acceleration as {name}": kind(name, '"acceleration"') for name in ("token", "string")}
    found |= {f"jointEnabled 0 as {name}": Fact(arm({f"{name} physics:jointEnabled": value}), made, 0)
              for name, value in (("bool", "0"), ("int", "0"), ("float", "0"), ("token", '"0"'))}
    return found


def unreadable() -> dict[str, Fact]:
    """What PhysX takes for values that it cannot read."""
    text = '"x"'
    return {
        "lowerLimit as string, upperLimit 9": Fact(arm({
            "string physics:lowerLimit": text, "float physics:upperLimit": "9"}), LIMITS, 0),
        "lowerLimit -3, upperLimit as string": Fact(arm({
            "float physics:lowerLimit": "-3", "string physics:upperLimit": text}), LIMITS, 0),
        "coneAngle0Limit as string, coneAngle1Limit 30": Fact(arm({
            "string physics:coneAngle0Limit": text, "float physics:coneAngle1Limit": "30"}, kind="Spherical"), LIMITS,
            0),
        "maxForce as string": Fact(arm({f"float {STIFFNESS}": "5", "string drive:linear:physics:maxForce": text},
                                       DRIVE), of_dof("dof_max_force"), 0),
        "mass as string": Fact(arm(link=prim("Xform", "l", {**at(), "string physics:mass": text}, *BODY)), weight, 0),
        "gravityMagnitude as string": Fact(world(body(), scenes=physics_scene("10", more={
            "float physics:gravityMagnitude": "", "string physics:gravityMagnitude": text})), places),
    }


def connected() -> dict[str, Fact]:
    """Stiffness 5 with a connection to an attribute of 9, with a value of its own and without."""
    own = {f"float {STIFFNESS}.connect": "</robot/j.given>", "float given": "9"}
    return {
        "stiffness 5 connected to 9": Fact(arm({f"float {STIFFNESS}": "5", **own}, DRIVE), of_dof("dof_stiffness"), 0),
        "stiffness connected to 9": Fact(arm(own, DRIVE), of_dof("dof_stiffness"), 0),
        "gearing -2 connected to 9": mimic("rotX", {
            "float physxMimicJoint:rotX:gearing.connect": "</robot/k.given>", "float given": "9"}),
    }


def tendon(name: str) -> Fact:
    """A slider at 1 with a fixed tendon of stiffness 10 and gearing 2 under an instance name."""
    values = {f"float physxTendon:{name}:stiffness": "10", f"float[] physxTendon:{name}:gearing": "[2]",
              "float state:linear:physics:position": "1"}
    return Fact(arm(values, f"PhysxTendonAxisRootAPI:{name}", "PhysicsJointStateAPI:linear"), lambda result: (
        f"{int(result['fixed_tendons'])} tendon, velocity {float(result['qd'][-1][0]):.4f}"), 1)


def mimic(name: str, more: Attributes | None = None) -> Fact:
    """Two sliders, the first at 1 m/s, the second to follow it twice as fast."""
    moving = joint("Prismatic", "j", "/robot/base", "/robot/l", {"float state:linear:physics:velocity": "1"},
                   "PhysicsJointStateAPI:linear")
    following = joint("Prismatic", "k", "/robot/base", "/robot/m", {
        f"rel physxMimicJoint:{name}:referenceJoint": "</robot/j>", f"float physxMimicJoint:{name}:gearing": "-2",
        **(more or {}),
    }, f"PhysxMimicJointAPI:{name}")
    links = body("l", place=at()) + body("m", place=at())
    return Fact(world(robot(base(), links, moving, following), gravity="0"),
                lambda result: f"velocities {numbers(result['qd'][-1])}", 1)


def names() -> dict[str, Fact]:
    """Tokens that do not exist and instance names that are no plain names."""
    found = {f"drive type {token!r}": kind("token", f'"{token}"')
             for token in ("force", "acceleration", "acelleration", "Acceleration", "")}
    found |= {f"axis {axis!r}": Fact(arm({"uniform token physics:axis": f'"{axis}"'}), lambda result: (
        f"moves along {numbers(np.ravel(result['jacobian'])[:3])}"), 0) for axis in ("Y", "Z", "W", "y")}
    found |= {f"tendon {name}": tendon(name) for name in ("t", "a:b")}
    found |= {f"mimic joint {name}": mimic(name) for name in ("rotX", "rotX:a")}
    found["drive linear:x"] = Fact(arm({"float drive:linear:x:physics:stiffness": "5"}, "PhysicsDriveAPI:linear:x"),
                                   of_dof("dof_stiffness", "dof_drive_type"), 0)
    return found


def sampled() -> dict[str, Fact]:
    """Time samples: alone, and beside a default value of 5, 3 kg, 10 m or 1 m."""
    stiff, mass, place, size = (f"float {STIFFNESS}", "float physics:mass", "double3 xformOp:translate", "double size")
    samples = {stiff: "{ 0: 7, 24: 8 }", mass: "{ 0: 4, 24: 6 }", place: "{ 0: (0, 0, 5), 24: (0, 0, 7) }",
               size: "{ 0: 3 }"}
    found = {}
    for label in ("beside a default value", "alone"):
        def authored(name: str, default: str, alone: bool = label == "alone") -> dict[str, str]:
            return {f"{name}.timeSamples": samples[name], **({} if alone else {name: default})}

        link = prim("Xform", "l", {**at(), **authored(mass, "3")}, *BODY)
        order = {"uniform token[] xformOpOrder": '["xformOp:translate"]', **authored(place, "(0, 0, 10)")}
        found |= {
            f"stiffness, samples {label}": Fact(arm(authored(stiff, "5"), DRIVE), of_dof("dof_stiffness"), 0),
            f"mass, samples {label}": Fact(arm(link=link), weight, 0),
            f"translate of a body, samples {label}": Fact(world(body(place=order), gravity="0"), places),
            f"translate of a kinematic body, samples {label}": Fact(world(body(more=KINEMATIC, place=order)), places),
            f"size of a collider, samples {label}": Fact(world(
                box(7.0, {}, authored(size, "1")), ground()), places, 120),
        }
    return found


AT_A_TIME = """
import sys
sys.path.insert(0, sys.argv[2])
import ovphysx, ovstage, physx_oracle
plain, time = ovstage.population.open_usd, float(sys.argv[3])
ovstage.population.open_usd = lambda stage, path, ordinal, domains: plain(stage, path, ordinal, time, domains)
physx_oracle._worker(sys.argv[1])
"""


def print_opened_at(time: float, facts: Mapping[str, Fact]) -> None:
    """The stages as PhysX has them where they are opened at a time in seconds."""
    engine = load_oracle().engine
    with tempfile.TemporaryDirectory() as folder:
        jobs = []
        for index, fact in enumerate(facts.values()):
            path = Path(folder, f"stage{index}.usda")
            path.write_text(fact.usda, encoding="utf-8")
            jobs.append(engine.sim_job(str(path), STEP, fact.steps) if fact.steps else engine.dyn_job(str(path)))
        Path(folder, "jobs.json").write_text(json.dumps({"cpu": True, "jobs": jobs}), encoding="utf-8")
        subprocess.run([engine.PYTHON, "-c", AT_A_TIME, folder, os.environ["PHYSX_ORACLE"], str(time)], check=True,
                       capture_output=True)
        print(f"--- opened at {time:g} s")
        for index, (label, fact) in enumerate(facts.items()):
            print(f"{label:64} {fact.shown(np.load(Path(folder, f'out{index}.npz')))}")


def main() -> None:
    """Print the tables."""
    print_facts("types", types())
    print_facts("values that PhysX cannot read", unreadable())
    print_facts("tokens and instance names", names())
    print_facts("connections", connected())
    print_facts("time samples", sampled())
    for time in (0.0, 1.0):
        print_opened_at(time, sampled())


if __name__ == "__main__":
    main()
