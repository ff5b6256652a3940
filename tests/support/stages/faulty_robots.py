"""Robots that rules find something on.

Robots whose values alone decide what rules say: gears, mimic joints of Newton, attachments off their joints.

An arm whose joints have armature and speed limit as releases before 25.11.2 had them.

Whole stages around the examples of the rules: one that gets the finding, and the same one without it.

A robot of two hinges at which something else is authored, and what a simulation of it leaves out.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

from physx_runtime import NotSimulatedWarning, Simulation
from physx_runtime.worlds.store import SCHEDULED
from pxr import Usd

from physx_schema.checking import RULES, Rule
from support.stages.robots import base, joint, link, opened, placed, prim, robot

Values = dict[str, object]


def limits(lower: float, upper: float) -> Values:
    """The limits of a joint."""
    return {"float physics:lowerLimit": lower, "float physics:upperLimit": upper}


def gear(first: str, second: str, ratio: float = 2.0) -> str:
    """Wheels a, b, c on hinges ja, jb, jc of the world, with a gear joint from a to b."""
    hinges = "".join(joint("Revolute", f"j{name}", "", name) for name in "abc")
    relations = {f"rel physics:hinge{i}": f"</Robot/{name}>" for i, name in enumerate((first, second)) if name}
    coupled = prim("PhysxPhysicsGearJoint", "g", (), {
        "rel physics:body0": "</Robot/a>", "rel physics:body1": "</Robot/b>", "float physics:gearRatio": ratio,
        **relations})
    return robot(link("a"), link("b"), link("c"), hinges, coupled, schemas=())


def newton(follower: Values | None = None, leader: Values | None = None, leads: bool = False,
           kinds: tuple[str, str] = ("Revolute", "Revolute")) -> str:
    """A leader j1 with limits of 45 and a follower j2 with limits of 80; `leads`: j1 follows j2 as well."""
    back: Values = {"rel newton:mimicJoint": "</Robot/j2>", "float newton:mimicCoef1": 2.0} if leads else {}
    own: Values = {**limits(-80.0, 80.0), "rel newton:mimicJoint": "</Robot/j1>", **(follower or {})}
    schemas = ("NewtonMimicAPI",)
    return robot(base(), link("a"), link("b"), joint(kinds[0], "j1", "base", "a", schemas if leads else (), {
        **limits(-45.0, 45.0), **back, **(leader or {})}), joint(kinds[1], "j2", "base", "b", schemas, own))


def pulled(posed: float, state: float, more: dict[str, object] | None = None) -> str:
    """A slider with an attachment in its origin, posed and with a joint state, tied to the base's origin."""
    leaf = {"rel physxTendon:f:parentLink": "</Robot/stand>", "token physxTendon:f:parentAttachment": "r"}
    return "".join((
        link("stand", schemas=("PhysxTendonAttachmentRootAPI:r",), more={"float physxTendon:r:stiffness": 5.0}),
        joint("Fixed", "weld", "base", "stand"),
        link("tip", schemas=("PhysxTendonAttachmentLeafAPI:f",), more={
            **placed((posed, 0, 0)), **leaf, **(more or {})}),
        joint("Prismatic", "j", "stand", "tip", ("PhysicsJointStateAPI:linear",), {
            "uniform token physics:axis": "X", "float state:linear:physics:position": state}),
    ))


SCENE = """
def PhysicsScene "scene" (prepend apiSchemas = ["PhysxSceneAPI"])
{
    float physics:gravityMagnitude = 0
    bool physxScene:enableGPUDynamics = 0
    uniform token physxScene:broadphaseType = "MBP"
}
"""


# --- retired arm -----------------------------------------------------------------------------------------------------

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


# --- rule examples ---------------------------------------------------------------------------------------------------

LEADER = joint("Revolute", "j1", "base", "a", (), {
    "float physics:lowerLimit": -45.0, "float physics:upperLimit": 45.0})


def stage(prims: str) -> str:
    """A fixed base with links a and b, a joint j1 where the prims have none, and the prims, all under /Robot."""
    leader = "" if '"j1"' in prims else LEADER
    return robot(base(), link("a"), link("b"), leader, prims)


def examples() -> Iterator[Rule]:
    """The rules with an example."""
    return (rule for rule in RULES.values() if rule.example)


# --- sliding robots --------------------------------------------------------------------------------------------------

PATH: dict[str, Any] = {"path": SCHEDULED}
EXCLUDED = {"bool physics:excludeFromArticulation": True}
CUBE = prim("Cube", "shape", ("PhysicsCollisionAPI",), {"double size": 0.1})
GROUND = prim("Plane", "ground", ("PhysicsCollisionAPI",), {"uniform token axis": "Z"})
CRATE = prim("Xform", "crate", ("PhysicsRigidBodyAPI",), {}, CUBE)
BOND = prim("PhysicsFixedJoint", "bond", (), {
    "rel physics:body0": "</Robot/tip>", "rel physics:body1": "</crate>", **EXCLUDED})
TWO_LINKS = (joint("Revolute", "j", "base", "tip"), joint("Revolute", "k", "tip", "end"))


def sliding(*parts: str, base_link: str = "", outside: str = "", of_tip: str = "", of_end: str = "") -> str:
    """A base fixed to the world, a tip and an end, each hinged to the one before."""
    return robot(base_link or base(), link("tip", (1, 0, 0), children=of_tip), link("end", (2, 0, 0), children=of_end),
                 *TWO_LINKS, *parts, outside=outside)


def said(text: str) -> list[tuple[str, str]]:
    """Code and prim of what a simulation of a stage leaves out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotSimulatedWarning)
        return [(item.code, item.path) for item in Simulation(opened(text), **PATH).not_simulated]
