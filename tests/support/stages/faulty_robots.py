"""Robots whose values alone decide what rules say: gears, mimic joints of Newton, attachments off their joints."""

from __future__ import annotations

from support.stages.robots import base, joint, link, placed, prim, robot

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
