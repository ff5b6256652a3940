"""Measure in real PhysX which kinds of joints outside articulations break, and which of their rows count for it.

Needs the environment that `oracle.py` describes. A body of 1 kg hangs on a joint that gives 10 N: with
breakForce 5 it falls if what the joint gives counts, with 20 it never does. Gears and racks stand between drives of
1 N m or 1 N: with thresholds of 0.2 each side moves by itself.
"""

from __future__ import annotations

from typing import Any

from rule_stages import Attributes, Fact, at, body, joint, numbers, places, print_facts, world

from physx_schema.checking.engine.usda import prim

LESS, MORE = "5", "20"
PLACE = {"point3f physics:localPos0": "(0, 0, 10)"}


def force(threshold: str) -> dict[str, str]:
    """Breaks at this force."""
    return {"float physics:breakForce": threshold}


def hanging(kind: str, more: Attributes, *schemas: str, low: float = 0.0) -> Fact:
    """A body that hangs on the world by a joint, `low` below the joint's place."""
    held = joint(kind, "j", "", "/thing", {**PLACE, **more}, *schemas)
    return Fact(world(body("thing", place=at(10.0 - low)), held), places)


def hung() -> dict[str, Fact]:
    """Joints that give 10 N."""
    distance = {"float physics:minDistance": "-1", "float physics:maxDistance": "1"}
    spring = {"bool physxPhysicsDistanceJoint:springEnabled": "1",
              "float physxPhysicsDistanceJoint:springStiffness": "100",
              "float physxPhysicsDistanceJoint:springDamping": "20"}
    drive = {"float drive:transZ:physics:stiffness": "1000", "float drive:transZ:physics:damping": "100"}
    bound = {"float limit:transZ:physics:low": "0", "float limit:transZ:physics:high": "1"}
    soft = {"float physxLimit:transZ:stiffness": "1000", "float physxLimit:transZ:damping": "100"}
    found: dict[str, Fact] = {}
    for threshold in (LESS, MORE):
        own = force(threshold)
        found |= {
            f"fixed, breakForce {threshold}": hanging("Fixed", own),
            f"distance, breakForce {threshold}": hanging("Distance", distance | own, low=1.025),
            f"distance with a spring, breakForce {threshold}": hanging(
                "Distance", distance | spring | own, "PhysxPhysicsDistanceJointAPI", low=1.125),
            f"generic with a drive, breakForce {threshold}": hanging("", drive | own, "PhysicsDriveAPI:transZ"),
            f"generic with a limit, breakForce {threshold}": hanging("", bound | own, "PhysicsLimitAPI:transZ"),
            f"generic with a soft limit, breakForce {threshold}": hanging(
                "", bound | soft | own, "PhysicsLimitAPI:transZ", "PhysxLimitAPI:transZ"),
        }
    return found


def driven(name: str, kind: str, axis: str, y: float, target: str) -> str:
    """A body on a hinge or a slider at the world, driven to a target velocity by 1 N m or 1 N at most."""
    drive = "angular" if kind == "Revolute" else "linear"
    more = {"uniform token physics:axis": f'"{axis}"', "point3f physics:localPos0": f"(0, {y}, 0)",
            f"float drive:{drive}:physics:damping": "1000", f"float drive:{drive}:physics:maxForce": "1",
            f"float drive:{drive}:physics:targetVelocity": target}
    place = {"double3 xformOp:translate": f"(0, {y}, 0)", "uniform token[] xformOpOrder": '["xformOp:translate"]'}
    return body(name, place=place) + joint(kind, f"{name}_joint", "", f"/{name}", more, f"PhysicsDriveAPI:{drive}")


def coupled() -> dict[str, Fact]:
    """A gear whose wheels are driven the same way, and a rack that its pinion moves against a drive."""
    sides = {"rel physics:body0": "</a>", "rel physics:body1": "</b>"}
    hinges = {"rel physics:hinge0": "</a_joint>", "rel physics:hinge1": "</b_joint>"}
    parts = {"rel physics:hinge": "</a_joint>", "rel physics:prismatic": "</b_joint>"}
    found: dict[str, Fact] = {}
    for threshold in ("0.2", "5"):
        own = {"float physics:breakForce": threshold, "float physics:breakTorque": threshold}
        gear = prim("PhysxPhysicsGearJoint", "g", {**sides, **hinges, "float physics:gearRatio": "1", **own})
        rack = prim("PhysxPhysicsRackAndPinionJoint", "g", {**sides, **parts, "float physics:ratio": "57.29578", **own})
        pinion = driven("a", "Revolute", "X", 0.0, "1000")
        found |= {
            f"gear, thresholds {threshold}": Fact(
                world(pinion, driven("b", "Revolute", "X", 2.0, "1000"), gear, gravity="0"), turned),
            f"rack, thresholds {threshold}": Fact(
                world(pinion, driven("b", "Prismatic", "Y", 2.0, "0"), rack, gravity="0"), turned)}
    return found


def turned(result: Any) -> str:
    """Places and rotations (x, y, z, w) at the end."""
    poses = zip(result["rigid_paths"], result["rigid_pose"][-1], strict=True)
    return ", ".join(f"{path} {numbers(pose)}" for path, pose in sorted(poses))


if __name__ == "__main__":
    print_facts("hanging bodies: 5 lower once the joint is gone", hung())
    print_facts("coupled bodies", coupled())
