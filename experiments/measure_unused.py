"""Measure in real PhysX that opinions which the checks call unused do nothing, and whose value counts of two engines.

Needs the environment that `oracle.py` describes. One slider on a fixed base, unit mass, no gravity, steps of
1/60 s; driven to 1 with stiffness 100 and damping 20 for 240 steps, or moving at speed 1 for one step.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import ModuleType

from oracle import Oracle, Part, load_oracle
from oracle_tables import Case, loose, place, print_joints, print_messages, run

STEP = 1 / 60
NOTHING: Part = ([], {})


def stage(text: ModuleType, part: Part, kind: str = "Prismatic", gravity: float = 0.0) -> str:
    """A base and a link."""
    body = text.fixed_base() + text.link("l0") + text.joint(kind, "j0", "base", "l0", "X", part=part)
    return str(text.stage(body, text.scene(gravity)))


def driven(text: ModuleType, part: Part, kind: str = "Prismatic", steps: int = 240) -> Case:
    """From rest at 0."""
    return Case(stage(text, part, kind), steps, (0.0,), (0.0,))


def moving(text: ModuleType, part: Part) -> Case:
    """One step at speed 1."""
    return Case(stage(text, part), 1, (0.0,), (1.0,))


def renamed(part: Part, old: str, new: str, schemas: bool = True) -> Part:
    """A part with a word replaced in its properties, and in its schemas too."""
    names = [name.replace(old, new) if schemas else name for name in part[0]]
    return names, {key.replace(old, new): value for key, value in part[1].items()}


def spelling(text: ModuleType) -> dict[str, Case]:
    """Names, instances and schemas that are not the ones PhysX reads."""
    drive = text.drive("linear", stiffness=100.0, damping=20.0, targetPosition=1.0)
    axis = text.joint_axis("linear", maxJointVelocity=0.5)
    bare = [name.partition(":")[0] for name in drive[0]]
    return {
        "drive to 1": driven(text, drive),
        "stifness": driven(text, renamed(drive, "stiffness", "stifness")),
        "PhysicsDriverAPI": driven(text, (["PhysicsDriverAPI:linear"], drive[1])),
        "drive angular": driven(text, renamed(drive, "linear", "angular")),
        "drive transX": driven(text, renamed(drive, "linear", "transX")),
        "hinge with drive linear": driven(text, drive, "Revolute"),
        "PhysicsDriveAPI without instance": driven(text, (bare, drive[1])),
        "drive not applied": driven(text, ([], drive[1])),
        "maxJointVelocity 0.5, v 1": moving(text, axis),
        "maxJointVelocty 0.5, v 1": moving(text, renamed(axis, "maxJointVelocity", "maxJointVelocty")),
        "PhysxJointAxesAPI, v 1": moving(text, (["PhysxJointAxesAPI:linear"], axis[1])),
        "PhysxJointAxisAPI:transX, v 1": moving(text, renamed(axis, "linear", "transX")),
        "PhysxJointAxisAPI not applied, v 1": moving(text, ([], axis[1])),
        "physxJointAxis:linear:wobble, v 1": moving(text, (axis[0], {"float physxJointAxis:linear:wobble": 5.0})),
    }


def newton(text: ModuleType) -> dict[str, Case]:
    """Newton's and MuJoCo's words on what PhysX has a property for."""
    def beside(values: Mapping[str, float], **own: float) -> Part:
        part: Part = ["NewtonJointAPI"], {f"float newton:{key}": value for key, value in values.items()}
        return text.both(part, text.joint_axis("linear", **own)) if own else part       # type: ignore[no-any-return]

    def pushed(part: Part) -> Case:
        return driven(text, text.both(part, text.drive("linear", stiffness=100.0, targetPosition=1.0)), steps=1)

    mujoco: Part = ["MjcJointAPI"], {"double mjc:damping": 50.0, "double mjc:frictionloss": 20.0}
    friction, most = {"friction": 2.0}, {"velocityLimit": 0.5}
    return {
        "free": moving(text, NOTHING), "newton:friction 2": moving(text, beside(friction)),
        "newton:friction 2, static friction 0": moving(text, beside(friction, staticFrictionEffort=0.0)),
        "newton:friction 2, frictions 5": moving(
            text, beside(friction, staticFrictionEffort=5.0, dynamicFrictionEffort=5.0)),
        "frictions 5": moving(text, text.joint_axis("linear", staticFrictionEffort=5.0, dynamicFrictionEffort=5.0)),
        "newton:damping 10, viscous 0": moving(text, beside({"damping": 10.0}, viscousFrictionCoefficient=0.0)),
        "newton:damping 10, viscous 5": moving(text, beside({"damping": 10.0}, viscousFrictionCoefficient=5.0)),
        "newton:velocityLimit 0.5, max inf": moving(text, beside(most, maxJointVelocity=math.inf)),
        "newton:velocityLimit 0.5, max 0.8": moving(text, beside(most, maxJointVelocity=0.8)),
        "newton:velocityLimit 0.5, max 1e38": moving(text, beside(most, maxJointVelocity=1e38)),
        "mjc:damping 50, mjc:frictionloss 20": moving(text, mujoco),
        "driven, armature 0": pushed(NOTHING), "driven, armature 3": pushed(text.joint_axis("linear", armature=3.0)),
        "driven, newton:armature 1, own 0": pushed(beside({"armature": 1.0}, armature=0.0)),
        "driven, newton:armature 1, own 3": pushed(beside({"armature": 1.0}, armature=3.0)),
        "driven, mjc:armature 5": pushed((["MjcJointAPI"], {"double mjc:armature": 5.0})),
    }


def breaking(text: ModuleType) -> dict[str, Case]:
    """Properties of joints that hold nothing inside an articulation: a weight of 1 welded to the base."""
    values: dict[str, object] = {"float physics:breakForce": 0.001, "float physics:breakTorque": 0.001}
    weld = text.joint("Fixed", "j0", None, "l0", part=([], values))
    return {
        "welded": Case(stage(text, NOTHING, "Fixed", 1.0), 60),
        "welded, breakForce 0.001": Case(stage(text, ([], values), "Fixed", 1.0), 60),
        "outside an articulation, breakForce 0.001": Case(loose(text, text.link("l0") + weld, text.scene(1.0)), 60),
        "jointEnabled false, driven up": Case(stage(text, text.both(
            text.drive("linear", stiffness=100.0, damping=20.0, targetPosition=1.0),
            ([], {"bool physics:jointEnabled": False}))), 60),
    }


def gravities(text: ModuleType) -> dict[str, Case]:
    """A free body after 60 steps, by the length unit and gravityMagnitude; None leaves it unauthored."""
    def falling(meters: float, magnitude: float | None) -> Case:
        scene = text.scene(magnitude or 0.0)
        if magnitude is None:
            scene = scene.replace("float physics:gravityMagnitude = 0.0", "")
        usda = loose(text, text.link("l0"), scene)
        return Case(usda.replace("metersPerUnit = 1.0", f"metersPerUnit = {meters}"), 60)

    return {f"metersPerUnit {meters:g}, gravityMagnitude {magnitude}": falling(meters, magnitude)
            for meters in (1.0, 0.01) for magnitude in (9.81, 981.0, None)}


def main() -> None:
    """Every table."""
    oracle: Oracle = load_oracle()
    for title, cases in (("spelling", spelling), ("engines", newton)):
        print_joints(title, run(oracle, cases(oracle.text), STEP))
    for cases in (breaking, gravities):
        results = run(oracle, cases(oracle.text), STEP)
        for label, result in results.items():
            x, _, z = place(result, "l0")[:3]
            print(f"{label:46} l0 at x {x:9.4f}, z {z:10.4f} after 60 steps")
        print_messages(results.values())


if __name__ == "__main__":
    main()
