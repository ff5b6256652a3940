"""Measure in real PhysX which limits of joints outside articulations act, and as which.

Needs the environment that `oracle.py` describes. A body beside its joint falls about the joint's y axis, by
positive angles, or down along z. The y of its rotation (x, y, z, w) is 0.2588 at 30 deg, 0.7071 at 90 deg.
"""

from __future__ import annotations

from measure_broken_joints import turned
from rule_stages import Attributes, Fact, at, body, joint, print_facts, world

Limit = tuple[object, object]
LOCKED = (1, -1)
BESIDE = {"point3f physics:localPos0": "(0, 0, 10)", "point3f physics:localPos1": "(-0.5, 0, 0)"}
X_ALONG_Y = "(0.70710678, 0, 0, 0.70710678)"        # of joint frames whose x axis is to be the world's y


def held(kind: str, more: Attributes, *schemas: str, steps: int = 120) -> Fact:
    """A body held beside its centre of mass."""
    return Fact(world(body("thing", at(10.0, 0.5)) + joint(kind, "j", "", "/thing", {**BESIDE, **more}, *schemas)),
                turned, steps)


def generic(limits: dict[str, Limit], more: Attributes | None = None, steps: int = 120) -> Fact:
    """A generic joint with locked axes but for these limits."""
    axes: dict[str, Limit] = dict.fromkeys(("transX", "transY", "transZ", "rotX", "rotY", "rotZ"), LOCKED) | limits
    authored = {f"float limit:{axis}:physics:{name}": str(value) for axis, limit in axes.items()
                for name, value in zip(("low", "high"), limit, strict=True)}
    return held("", {**authored, **(more or {})}, *(f"PhysicsLimitAPI:{axis}" for axis in axes), steps=steps)


def cones() -> dict[str, Fact]:
    """Of spherical joints."""
    return {f"{first} and {second}": held("Spherical", {
        "uniform token physics:axis": '"X"', "float physics:coneAngle0Limit": str(first),
        "float physics:coneAngle1Limit": str(second)}) for first, second in (
            (30, 30), (1e-4, 30), (0, 30), (30, 0), (0, 0), (170, 20), (180, 180), (200, 30), (30, -1))}


def soft_cones() -> dict[str, Fact]:
    """Of a body that its joint holds at its centre of mass, at rest and unturned: nothing but the cone turns it."""
    held_at_center = {"point3f physics:localPos0": "(0, 0, 10)", "uniform token physics:axis": '"X"',
                      "float physics:coneAngle0Limit": "30", "float physics:coneAngle1Limit": "30"}
    return {f"stiffness {stiffness}": Fact(world(body("thing", place=at(10.0)) + joint("Spherical", "j", "", "/thing", {
        **held_at_center, "float physxLimit:cone:stiffness": stiffness}, "PhysxLimitAPI:cone")), turned, 30)
        for stiffness in ("0", "5", "50")}


def swings() -> dict[str, Fact]:
    """Of generic joints: rotY, with rotZ locked or limited."""
    alone = {f"rotY {limit}, rotZ locked": generic({"rotY": limit}) for limit in (
        (-30, 30), (-179.9, 30), (-180, 30), (-200, 30), (-30, 200), (-400, -300), ("-inf", 30), ("-inf", "inf"))}
    both = {f"rotY {y}, rotZ {z}": generic({"rotY": y, "rotZ": z}) for y, z in (
        ((-30, 30), (-30, 30)), ((-30, 30), (-200, 200)), ((-200, 200), (-30, 30)), ((-30, 30), ("-inf", "inf")))}
    return alone | both


def twists() -> dict[str, Fact]:
    """Of generic joints: rotX, falling to the upper limit, then to the lower."""
    ways = {"": X_ALONG_Y, "falling the other way, ": X_ALONG_Y.replace(", 0.7", ", -0.7")}
    limits = ((-30, 30), ("-inf", 30), (-30, "inf"), (-200, 200))
    return {f"{said}rotX {limit}": generic({"rotX": limit}, {
        f"quatf physics:localRot{side}": turn for side in (0, 1)}) for said, turn in ways.items() for limit in limits}


def slides() -> dict[str, Fact]:
    """Of prismatic and generic joints, which fall to the lower limit."""
    found = {}
    for limit in ((-0.1, 0.1), (-0.1, 1e30), (-0.1, "inf")):
        found[f"transZ {limit}"] = generic({"transZ": limit}, steps=30)
        found[f"prismatic {limit}"] = held("Prismatic", {
            "uniform token physics:axis": '"Z"', "float physics:lowerLimit": str(limit[0]),
            "float physics:upperLimit": str(limit[1])}, steps=30)
    return found


def distances() -> dict[str, Fact]:
    """Of generic joints that hold a body at its centre of mass with locked rotations and a distance limit alone."""
    found = {}
    turns = {f"float limit:rot{axis}:physics:{name}": value for axis in "XYZ"
             for name, value in (("low", "1"), ("high", "-1"))}
    upright = {"float limit:transZ:physics:low": "1", "float limit:transZ:physics:high": "-1"}
    for low, high, more in ((0, 0.1, {}), (0, 0, {}), (0, -1, {}), (0, "inf", {}), (0.05, 0.1, {}), (0.2, 0.1, {}),
                            (0, 0.1, {"float physxLimit:distance:stiffness": "50"}),
                            (0, 0.1, {"float physxLimit:distance:restitution": "1"}), (0, 0.1, upright)):
        schemas = [f"PhysicsLimitAPI:rot{axis}" for axis in "XYZ"] + ["PhysicsLimitAPI:distance"]
        schemas += ["PhysxLimitAPI:distance"] if more and more is not upright else []
        schemas += ["PhysicsLimitAPI:transZ"] if more is upright else []
        said = f" {' '.join(f'{key.rpartition(chr(58))[2]} {value}' for key, value in more.items())}"
        found[f"{low} to {high}{said}"] = Fact(world(body("thing", place=at(10.0)) + joint("", "j", "", "/thing", {
            "point3f physics:localPos0": "(0, 0, 10)", **turns, "float limit:distance:physics:low": str(low),
            "float limit:distance:physics:high": str(high), **more}, *schemas)), turned, 30)
    return found


if __name__ == "__main__":
    print_facts("cones of spherical joints", cones())
    print_facts("soft cones of spherical joints", soft_cones())
    print_facts("swings of generic joints", swings())
    print_facts("twists of generic joints", twists())
    print_facts("distances: 9.9 is held, 8.747 is free fall", distances())
    print_facts("translations: 9.9 is held, 8.747 is free fall", slides())
