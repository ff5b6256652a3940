"""Numbers in the wrong unit, and numbers that two engines are told differently."""

from __future__ import annotations

from physx_schema.checking.catalogue.snippets import driven, joint, prim, sliding_link
from physx_schema.checking.finding import PROFILES
from physx_schema.checking.rule import Code

_GRAVITY = {"vector3f physics:gravityDirection": "(0, 0, -1)", "float physics:gravityMagnitude": "981"}
_LIMITS = {"float physics:lowerLimit": "-1.5708", "float physics:upperLimit": "1.5708"}

_BOX = prim("Cube", "box", {"double size": "1"}, "PhysicsCollisionAPI")


def _hinges(*upper: str) -> str:
    """Hinges j1, j2 and j3 with these upper limits."""
    first, second, third = ({"float physics:lowerLimit": "0", "float physics:upperLimit": limit} for limit in upper)
    return joint("j1", first) + joint("j2", second) + sliding_link("c") + joint("j3", third, parent="c", child="d") \
        + prim("Xform", "d", {"float physics:mass": "1"}, "PhysicsRigidBodyAPI", "PhysicsMassAPI")


CODES = (
    Code(
        "unit/radians", "warning", "Angle that looks like radians",
        "A limit, drive target, joint state or mimic offset of a joint is pi, two pi or a common part of pi. Angles of "
        "joints are in degrees. Limits count where every bound of the joint looks so.", PROFILES,
        measured="A hinge driven to 90 with limits of 1.5708 stops at 1.5708 degrees; one driven to 1.5708 settles "
                 "there. (`benchmarks/measure_joint_rules.py`)",
        example=joint("j2", _LIMITS),
        remedy=joint("j2", {"float physics:lowerLimit": "-90", "float physics:upperLimit": "90"}),
    ),
    Code(
        "unit/small-limits", "warning", "Articulation whose hinges hardly turn",
        "Three or more hinges have limits, and none of them gets further than 6.3 degrees: two pi, had radians been "
        "meant.", PROFILES,
        measured="A hinge driven to 90 with limits of 1.5708 stops at 1.5708 degrees. "
                 "(`benchmarks/measure_joint_rules.py`)",
        example=_hinges("0.9", "1.2", "1.8"),
        remedy=_hinges("52", "69", "103"),
    ),
    Code(
        "unit/gravity", "warning", "Gravity for another length unit",
        "gravityMagnitude is in length units of the stage. What is authored is below 0.2 or above 200 m/s^2: 9.81 in a "
        "centimetre stage is a hundredth of Earth's gravity.", PROFILES,
        measured="gravityMagnitude 9.81 gives a body 4.91 length units in a second whatever metersPerUnit is. Left "
                 "out, it is 981 in a centimetre stage. (`benchmarks/measure_unused.py`)",
        example=prim("PhysicsScene", "scene", _GRAVITY, "PhysxSceneAPI"),
        remedy=prim("PhysicsScene", "scene", {**_GRAVITY, "float physics:gravityMagnitude": "9.81"}, "PhysxSceneAPI"),
    ),
    Code(
        "unit/density", "info", "Mass that no material gives the colliders",
        "The authored mass of a body over the volume of its simple colliders is below 0.5 or above 100 000 kg/m^3.",
        PROFILES,
        example=sliding_link("c", {"float physics:mass": "1e6"}, children=_BOX),
        remedy=sliding_link("c", {"float physics:mass": "500"}, children=_BOX),
    ),
    Code(
        "engine/disagree", "warning", "Two engines told different things",
        "Properties of PhysX, Newton and MuJoCo that say the same thing have different values, after conversion of "
        "their units: PhysX and Newton count per degree, MuJoCo per radian. Each engine simulates another robot.",
        PROFILES,
        measured="PhysX takes its own armature 3 beside newton:armature 1 and does not read mjc:armature: a driven "
                 "slider gets 0.416 in a step, 1.658 beside mjc:armature 5 alone. Where its own is 0 it takes "
                 "Newton's, and the two agree. (`benchmarks/measure_unused.py`)",
        example=driven({"float physxJointAxis:angular:armature": "0.1", "float mjc:armature": "0.2"}),
        remedy=driven({"float physxJointAxis:angular:armature": "0.1", "float mjc:armature": "0.1"}),
    ),
)
