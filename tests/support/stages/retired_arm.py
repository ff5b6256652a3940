"""An arm whose joints have armature and speed limit as releases before 25.11.2 had them."""

from __future__ import annotations

from pxr import Usd

from support.stages.robots import base, link, opened, robot

ARMATURE, REVOLUTE_SPEED, PRISMATIC_SPEED = 0.25, 90.0, 0.5


def retired_joint(kind: str, name: str, body0: str, body1: str, speed: float) -> str:
    """A joint with armature and speed limit as older releases had them."""
    bodies = f"rel physics:body0 = </Robot/{body0}>\nrel physics:body1 = </Robot/{body1}>\n"
    axis = "" if kind == "Spherical" else 'uniform token physics:axis = "Y"\n'
    return (f'def Physics{kind}Joint "{name}" (prepend apiSchemas = ["PhysxJointAPI"])\n{{\n{bodies}{axis}'
            f"float physxJoint:armature = {ARMATURE}\nfloat physxJoint:maxJointVelocity = {speed}\n}}\n")


def arm() -> Usd.Stage:
    """A fixed base, a revolute, a prismatic and a spherical joint in a row."""
    return opened(robot(
        base(), link("near"), link("far"), link("tip"),
        retired_joint("Revolute", "turn", "base", "near", REVOLUTE_SPEED),
        retired_joint("Prismatic", "slide", "near", "far", PRISMATIC_SPEED),
        retired_joint("Spherical", "ball", "far", "tip", REVOLUTE_SPEED)))
