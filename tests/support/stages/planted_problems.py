"""Mistakes that PhysX ignores in silence, each beside a sound twin that it obeys.

Planned from PhysX's behaviour, not from the rules that are to find them: `rules/test_unused` proves with the engine
that what is planted changes nothing and that its twin does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pxr import Sdf

from support.stages.parts import Attributes, axis_values, drive, envelope, frames, scene, state
from support.stages.robots import HEAD, joint, link, placed, prim, usda

# prim path -> applied schemas and attributes
Opinions = Mapping[str, tuple[tuple[str, ...], Attributes]]

BODY, MASS, RIGID = "PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI"
SLIDE, SWING, ARM, BALL, WELD = (f"/Robot/{name}" for name in ("slide", "swing", "arm", "ball", "weld"))
CRATE, POLE, SCENE, ROBOT, HOOK = "/Crate", "/Robot/pole", "/scene", "/Robot", "/hook"


@dataclass(frozen=True, slots=True)
class Planted:
    """A mistake, its sound twin, and what the stage has in all cases."""

    faulty: Opinions
    sound: Opinions
    given: Opinions | None = None
    sound_given: Opinions | None = None     # where the twin needs other surroundings: what is beside the value there


def at(path: str, values: Attributes | None = None, *schemas: str) -> Opinions:
    """Opinions on one prim."""
    return {path: (schemas, values or {})}


def renamed(path: str, wrong: str, right: str, value: object, *schemas: str) -> Planted:
    """A property by a wrong name and by its own; names have their type before them."""
    kind = right.rpartition(" ")[0]
    return Planted(at(path, {f"{kind} {wrong}": value}, *schemas), at(path, {right: value}, *schemas))


def unapplied(path: str, values: Attributes, *schemas: str) -> Planted:
    """Values without and with the schemas that they need."""
    return Planted(at(path, values), at(path, values, *schemas))


def elsewhere(wrong: str, right: str, values: Attributes, *schemas: str) -> Planted:
    """The same opinions on a prim where they do nothing, and on one where they do."""
    return Planted(at(wrong, values, *schemas), at(right, values, *schemas))


def base() -> str:
    """A robot with a slider, two hinges, a ball joint and a weld; free bodies; a body hung up outside articulations."""
    parts = [
        link("base"), joint("Fixed", "anchor", "", "base"),
        link("cart", schemas=(RIGID,)), joint("Prismatic", "slide", "base", "cart", (
            "PhysicsDriveAPI:linear", "PhysicsJointStateAPI:linear", "PhysxJointAxisAPI:linear"), {
            **drive("linear", stiffness=20.0, damping=1.0, targetPosition=0.2), **state("linear", 0.05, 0.3)}),
        link("pole", (0, 0, -0.5), (RIGID,)), joint("Revolute", "swing", "cart", "pole", (
            "PhysicsJointStateAPI:angular", "PhysxJointAxisAPI:angular"), {
            **frames(pos1=(0, 0, 0.5), axis="Y"), **state("angular", 0.0, 60.0)}),
        link("tip", (-0.2, 0, -1.3), (RIGID,)), joint("Revolute", "arm", "pole", "tip", (), {
            **frames((0, 0, -0.5), (0.2, 0, 0.3), axis="Y")}),
        link("knob", (-0.1, 0.4, -0.2), (RIGID,)), joint("Spherical", "ball", "cart", "knob", (), frames(
            (0, 0.4, 0), (0.1, 0, 0.2))),
        link("plate", (0, -0.4, 0), (RIGID,)), joint("Fixed", "weld", "cart", "plate", (), frames((0, -0.4, 0))),
    ]
    crate = prim("Xform", "Crate", (BODY, RIGID), {
        **placed((3, 0, 2)), "vector3f physics:velocity": (0.4, 0, 0.3),
        "vector3f physics:angularVelocity": (90, 140, -50)}, prim("Cube", "solid", ("PhysicsCollisionAPI",), {
            **placed((0.1, 0.05, 0)), "double size": 0.4, "bool physics:collisionEnabled": False}))
    ball = prim("Xform", "Ball", (BODY, MASS), {
        **placed((4, 0, 2)), "float physics:mass": 1.0, "vector3f physics:angularVelocity": (0, 90, 0)})
    hung = prim("Xform", "Hung", (BODY, MASS), {**placed((-3, 0, 2)), "float physics:mass": 1.0})
    hook = prim("PhysicsFixedJoint", "hook", (), {"rel physics:body1": "</Hung>", **frames((-3, 0, 2))})
    plain = prim("Xform", "Group", (), {}, prim("Xform", "Plain", (), placed((6, 0, 2))))
    root = ("PhysicsArticulationRootAPI", "PhysxArticulationAPI")
    return HEAD.format(meters=1.0, kilograms=1.0) + scene(9.81) + prim(
        "Xform", "Robot", root, {}, "".join(parts)) + crate + ball + hung + hook + plain


def tendon(name: str = "t", **values: object) -> Attributes:
    """Properties of a fixed tendon's axis."""
    return {f"{'float[]' if isinstance(value, list) else 'float'} physxTendon:{name}:{key}": value
            for key, value in values.items()}


TENDON = tendon(stiffness=80.0, damping=2.0, gearing=[1.0], forceCoefficient=[1.0])
TENDON_API = "PhysxTendonAxisRootAPI:t"
SPRUNG = drive("angular", stiffness=5.0, damping=0.5, targetPosition=60.0)
DRIVE = "PhysicsDriveAPI:angular"
PUSHED: Attributes = {"vector3f physxForce:force": (0, 50, 0), "uniform token physxForce:mode": "force"}
FRAMED: Attributes = {"float3 physics:diagonalInertia": (1.0, 2.0, 2.5), "quatf physics:principalAxes": (1, 0, 0, 0),
                      "point3f physics:centerOfMass": (0, 0, 0)}
LIMITED: Attributes = {"float physics:lowerLimit": -200.0, "float physics:upperLimit": 200.0}


def mimic(instance: str = "rotX", reference: str = SWING, **values: float) -> Attributes:
    """Properties of a mimic joint."""
    return {f"rel physxMimicJoint:{instance}:referenceJoint": f"<{reference}>",
            **{f"float physxMimicJoint:{instance}:{key}": value for key, value in {
                "naturalFrequency": 10.0, "dampingRatio": 1.0, **values}.items()}}


def attachments(parent: str) -> Opinions:
    """A spatial tendon from the cart to the pole whose leaf names its parent."""
    return {
        "/Robot/cart": (("PhysxTendonAttachmentRootAPI:r",), {"float physxTendon:r:stiffness": 60.0,
                                                              "point3f physxTendon:r:localPos": (0.5, 0, 0)}),
        POLE: (("PhysxTendonAttachmentLeafAPI:e",), {
            "rel physxTendon:e:parentLink": "</Robot/cart>", "token physxTendon:e:parentAttachment": parent,
            "float physxTendon:e:restLength": 0.2}),
    }


def misspelt() -> dict[str, Planted]:
    """Properties by names that PhysX does not know."""
    return {
        "stifness of a drive": renamed(SLIDE, "drive:linear:physics:stifness", "float drive:linear:physics:stiffness",
                                       90.0),
        "maxforce in lower case": renamed(SLIDE, "drive:linear:physics:maxforce", "float drive:linear:physics:maxForce",
                                          0.5),
        "targetPostion": renamed(SLIDE, "drive:linear:physics:targetPostion",
                                 "float drive:linear:physics:targetPosition", 0.9),
        "drive without physics in the name": renamed(
            SLIDE, "drive:linear:damping", "float drive:linear:physics:damping", 7.0),
        "amature": renamed(SWING, "physxJointAxis:angular:amature", "float physxJointAxis:angular:armature", 3.0),
        "maxJointVelocty": renamed(SWING, "physxJointAxis:angular:maxJointVelocty",
                                   "float physxJointAxis:angular:maxJointVelocity", 20.0),
        "frictions without Effort": Planted(
            at(SWING, {"float physxJointAxis:angular:staticFriction": 4.0,
                       "float physxJointAxis:angular:dynamicFriction": 3.0}),
            at(SWING, axis_values("angular", staticFrictionEffort=4.0, dynamicFrictionEffort=3.0))),
        "linearDampening": renamed(CRATE, "physxRigidBody:linearDampening", "float physxRigidBody:linearDamping", 3.0),
        "centreOfMass": renamed(CRATE, "physics:centreOfMass", "point3f physics:centerOfMass", (0.3, 0, 0), MASS),
        "diagonalInerta": renamed(CRATE, "physics:diagonalInerta", "float3 physics:diagonalInertia", (1.0, 2.0, 2.5),
                                  MASS),
        "solverPositionIterations": renamed(
            ROBOT, "physxArticulation:solverPositionIterations",
            "int physxArticulation:solverPositionIterationCount", 60),
        "gravityMagnitud": renamed(SCENE, "physics:gravityMagnitud", "float physics:gravityMagnitude", 3.0),
        "velocty of a state": renamed(SWING, "state:angular:physics:velocty", "float state:angular:physics:velocity",
                                      200.0),
        "linearVelocity of a body": renamed(CRATE, "physics:linearVelocity", "vector3f physics:velocity", (0, 2, 0)),
        "lowerLimits of a hinge": Planted(
            at(SWING, {"float physics:lowerLimits": -5.0, "float physics:upperLimits": 12.0}),
            at(SWING, {"float physics:lowerLimit": -5.0, "float physics:upperLimit": 12.0})),
    }


def instances() -> dict[str, Planted]:
    """Schemas under instance names that mean nothing on their joint."""
    turned = drive("rotY", stiffness=5.0, damping=0.5, targetPosition=60.0)
    straight = drive("linear", stiffness=5.0, damping=0.5, targetPosition=60.0)
    sound = at(SWING, SPRUNG, DRIVE)
    armature = {"float physxJointAxis:{}:armature": 3.0}

    def arms(token: str) -> Opinions:
        return at(ARM, {key.format(token): value for key, value in armature.items()}, f"PhysxJointAxisAPI:{token}")

    return {
        "a linear drive on a hinge": Planted(at(SWING, straight, "PhysicsDriveAPI:linear"), sound),
        "a rotY drive on a hinge": Planted(at(SWING, turned, "PhysicsDriveAPI:rotY"), sound),
        "a rotY axis on a hinge": Planted(arms("rotY"), arms("angular")),
        "a linear state on a hinge": Planted(at(ARM, state("linear", 0.0, 30.0), "PhysicsJointStateAPI:linear"),
                                             at(ARM, state("angular", 0.0, 30.0), "PhysicsJointStateAPI:angular")),
        "limits of a generic joint on a hinge": Planted(
            at(SWING, {"float limit:rotY:physics:low": -5.0, "float limit:rotY:physics:high": 12.0},
               "PhysicsLimitAPI:rotY"),
            at(SWING, {"float physics:lowerLimit": -5.0, "float physics:upperLimit": 12.0})),
        "an angular envelope on a slider": Planted(
            at(SLIDE, envelope("angular", maxActuatorVelocity=0.1), "PhysxDrivePerformanceEnvelopeAPI:angular"),
            at(SLIDE, envelope("linear", maxActuatorVelocity=0.1), "PhysxDrivePerformanceEnvelopeAPI:linear"),
            at(SLIDE, {"float drive:linear:physics:maxForce": 3.0})),
        "a mimic joint by the name angular": Planted(
            at(ARM, mimic("angular", gearing=1.0), "PhysxMimicJointAPI:angular"),
            at(ARM, mimic(gearing=1.0), "PhysxMimicJointAPI:rotX"), {ARM: ((), LIMITED), SWING: ((), LIMITED)}),
        "a tendon's stiffness under another name": Planted(
            at(SWING, tendon("u", stiffness=200.0)), at(SWING, tendon("t", stiffness=200.0)),
            at(SWING, TENDON, TENDON_API)),
        "a drive applied without a name": Planted(at(SWING, SPRUNG, "PhysicsDriveAPI"), sound),
        "an axis schema misspelt": Planted(
            at(ARM, axis_values("angular", armature=3.0), "PhysxJointAxesAPI:angular"), arms("angular")),
    }


def schemas() -> dict[str, Planted]:
    """Values on prims to which their schema is not applied."""
    return {
        "a drive not applied": unapplied(SWING, SPRUNG, DRIVE),
        "an axis not applied": unapplied(ARM, axis_values("angular", armature=3.0), "PhysxJointAxisAPI:angular"),
        "a state not applied": unapplied(ARM, state("angular", 0.0, 30.0), "PhysicsJointStateAPI:angular"),
        "an envelope not applied": Planted(
            at(SLIDE, envelope("linear", maxActuatorVelocity=0.1)),
            at(SLIDE, envelope("linear", maxActuatorVelocity=0.1), "PhysxDrivePerformanceEnvelopeAPI:linear"),
            at(SLIDE, {"float drive:linear:physics:maxForce": 3.0})),
        "a tendon not applied": unapplied(SWING, TENDON, TENDON_API),
        "a mimic joint not applied": Planted(
            at(ARM, mimic(gearing=1.0)), at(ARM, mimic(gearing=1.0), "PhysxMimicJointAPI:rotX"),
            {ARM: ((), LIMITED), SWING: ((), LIMITED)}),
        "a force not applied": unapplied(CRATE, PUSHED, "PhysxForceAPI"),
        "a mass not applied": unapplied(CRATE, {"point3f physics:centerOfMass": (0.3, 0, 0)}, MASS),
        "damping of a body not applied": unapplied("/Ball", {"float physxRigidBody:angularDamping": 3.0}, RIGID),
        "a velocity of what is no body": elsewhere("/Group/Plain", CRATE, {"vector3f physics:velocity": (0, 2, 0)}),
    }


def places() -> dict[str, Planted]:
    """Values on prims where PhysX does not look for them."""
    tight = axis_values("angular", armature=3.0)
    heavy = {"float physics:mass": 30.0, "point3f physics:centerOfMass": (0.3, 0, 0)}
    return {
        "a drive on a link": elsewhere(POLE, SWING, SPRUNG, DRIVE),
        "an axis on a link": elsewhere(POLE, ARM, tight, "PhysxJointAxisAPI:angular"),
        "an axis on a weld": elsewhere(WELD, ARM, tight, "PhysxJointAxisAPI:angular"),
        "a state on a weld": elsewhere(WELD, ARM, state("angular", 0.0, 30.0), "PhysicsJointStateAPI:angular"),
        "a drive on a ball joint": elsewhere(BALL, SWING, SPRUNG, DRIVE),
        "a tendon on a weld": elsewhere(WELD, SWING, TENDON, TENDON_API),
        "a mass above the body": elsewhere("/Group", CRATE, heavy, MASS),
        "damping below the body": elsewhere("/Crate/solid", CRATE, {"float physxRigidBody:linearDamping": 3.0}, RIGID),
        "iteration counts on an inner link": elsewhere(
            POLE, ROBOT, {"int physxArticulation:solverPositionIterationCount": 60}, "PhysxArticulationAPI"),
        "gravity on a prim that is no scene": elsewhere("/Group", SCENE, {"float physics:gravityMagnitude": 3.0}),
        "a force on what is no body": elsewhere(
            "/Group/Plain", CRATE, PUSHED, "PhysxForceAPI"),
        "a mimic joint on a weld": Planted(
            at(WELD, mimic(gearing=1.0), "PhysxMimicJointAPI:rotX"),
            at(ARM, mimic(gearing=1.0), "PhysxMimicJointAPI:rotX"), {ARM: ((), LIMITED), SWING: ((), LIMITED)}),
        "break forces in an articulation": elsewhere(
            WELD, HOOK, {"float physics:breakForce": 0.01, "float physics:breakTorque": 0.01}),
    }


def links() -> dict[str, Planted]:
    """What free bodies obey and links do not."""
    def inner(values: Attributes, *applied: str) -> Planted:
        return elsewhere(POLE, CRATE, values, *applied)

    return {
        "a velocity of an inner link": inner({"vector3f physics:velocity": (0, 2, 0)}),
        "a turning of an inner link": inner({"vector3f physics:angularVelocity": (0, 200, 0)}),
        "locked axes of a link": inner({"int physxRigidBody:lockedPosAxis": 4}),
        "locked rotations of a link": inner({"int physxRigidBody:lockedRotAxis": 7}),
        "a link that starts asleep": inner({"bool physics:startsAsleep": True}),
        "iteration counts of a link": inner({"int physxRigidBody:solverPositionIterationCount": 60}),
        "gyroscopic forces of a link": Planted(
            at(POLE, {"bool physxRigidBody:enableGyroscopicForces": False}),
            at(CRATE, {"bool physxRigidBody:enableGyroscopicForces": False}),
            at(CRATE, {"float3 physics:diagonalInertia": (1.0, 2.0, 2.5)}, MASS)),
    }


def values() -> dict[str, Planted]:
    """Values that PhysX does not take, or that another one overrides."""
    return {
        "a drive type in capitals": renamed_value(SLIDE, "uniform token drive:linear:physics:type", "Acceleration",
                                                  "acceleration"),
        "an axis in lower case": renamed_value(ARM, "uniform token physics:axis", "y", "Y", "X"),
        "a solver in lower case": renamed_value(SCENE, "uniform token physxScene:solverType", "pgs", "PGS"),
        "a negative mass": Planted(
            at(CRATE, {"float physics:mass": -2.0}, MASS), at(CRATE, {"float physics:mass": 2.0}, MASS),
            at(CRATE, PUSHED, "PhysxForceAPI")),
        "negative moments": renamed_value(CRATE, "float3 physics:diagonalInertia", (-1.0, -2.0, -2.5), (1.0, 2.0, 2.5),
                                          None, MASS),
        # unauthored principal axes come from the collider by rounding, which a density changes
        "density beside a mass": Planted(
            at(CRATE, {"float physics:density": 200.0}), at(CRATE, {"float physics:density": 200.0}),
            at(CRATE, PUSHED | FRAMED | {"float physics:mass": 2.0}, MASS, "PhysxForceAPI"),
            at(CRATE, PUSHED | FRAMED, MASS, "PhysxForceAPI")),
        "a target velocity without gains": Planted(
            at(SWING, {"float drive:angular:physics:targetVelocity": 90.0}),
            at(SWING, {"float drive:angular:physics:targetVelocity": 90.0}),
            at(SWING, drive("angular", stiffness=0.0), DRIVE), at(SWING, drive("angular", damping=5.0), DRIVE)),
        "a target without stiffness": Planted(
            at(SWING, {"float drive:angular:physics:targetPosition": 90.0}),
            at(SWING, {"float drive:angular:physics:targetPosition": 90.0}),
            at(SWING, drive("angular", damping=5.0), DRIVE), at(SWING, drive("angular", stiffness=5.0), DRIVE)),
        "an envelope without a drive": Planted(
            at(SWING, envelope("angular", maxActuatorVelocity=20.0), "PhysxDrivePerformanceEnvelopeAPI:angular"),
            at(SWING, envelope("angular", maxActuatorVelocity=20.0), "PhysxDrivePerformanceEnvelopeAPI:angular"), {},
            at(SWING, SPRUNG | {"float drive:angular:physics:maxForce": 9.0}, DRIVE)),
        "Newton's armature beside PhysX's": Planted(
            at(SWING, {"float newton:armature": 9.0}, "NewtonJointAPI"),
            at(SWING, {"float newton:armature": 9.0}, "NewtonJointAPI"),
            at(SWING, axis_values("angular", armature=1.0)), {}),
        "counts above the scene's most": Planted(
            at(ROBOT, {"int physxArticulation:solverPositionIterationCount": 60}),
            at(ROBOT, {"int physxArticulation:solverPositionIterationCount": 60}),
            at(SCENE, {"uint physxScene:maxPositionIterationCount": 20}), {}),
        "tendon limits without stiffness": Planted(
            at(SWING, tendon(lowerLimit=-0.01, upperLimit=0.01)),
            at(SWING, tendon(lowerLimit=-0.01, upperLimit=0.01)),
            at(SWING, TENDON, TENDON_API), at(SWING, TENDON | tendon(limitStiffness=90.0), TENDON_API)),
        "a mimic joint geared 0": Planted(
            at(ARM, mimic(gearing=0.0), "PhysxMimicJointAPI:rotX"),
            at(ARM, mimic(gearing=1.0), "PhysxMimicJointAPI:rotX"), {ARM: ((), LIMITED), SWING: ((), LIMITED)}),
        "a mimic joint of a missing reference": Planted(
            at(ARM, mimic(reference="/Robot/swin", gearing=1.0), "PhysxMimicJointAPI:rotX"),
            at(ARM, mimic(gearing=1.0), "PhysxMimicJointAPI:rotX"), {ARM: ((), LIMITED), SWING: ((), LIMITED)}),
        "an attachment of a missing parent": Planted(attachments("root"), attachments("r")),
        "stiffness by time samples alone": Planted(
            at(ARM, {"float drive:angular:physics:stiffness.timeSamples": "{0: 9}"}, DRIVE),
            at(ARM, {"float drive:angular:physics:stiffness": 9.0}, DRIVE),
            at(ARM, {"float drive:angular:physics:targetPosition": 60.0})),
        "a drive that may not push": Planted(
            at(SWING, {"float drive:angular:physics:stiffness": 90.0}),
            at(SWING, {"float drive:angular:physics:stiffness": 90.0}),
            at(SWING, SPRUNG | {"float drive:angular:physics:maxForce": 0.0}, DRIVE), at(SWING, SPRUNG, DRIVE)),
    }


def renamed_value(path: str, name: str, wrong: object, right: object, given: object | None = None,
                  *schemas: str) -> Planted:
    """One property with a value that PhysX does not know, and with one that it does."""
    return Planted(at(path, {name: wrong}, *schemas), at(path, {name: right}, *schemas),
                   at(path, {name: given}) if given is not None else at(path, {}, *schemas))


PLANTED: dict[str, Planted] = {
    **misspelt(), **instances(), **schemas(), **places(), **links(), **values()}


def stages(case: Planted) -> dict[str, str]:
    """Texts: the faulty and the sound stage, each also without what is planted."""
    given = case.given or {}
    beside = given if case.sound_given is None else case.sound_given
    return {"without": planted(given), "faulty": planted(given, case.faulty),
            "sound without": planted(beside), "sound": planted(beside, case.sound)}


def planted(*opinions: Opinions) -> str:
    """The text of the base stage with opinions on it, the later ones stronger."""
    stage = _layer(base())
    for given in opinions:
        for path, (schemas, values) in given.items():
            layer = _layer("#usda 1.0\n" + _over(path, values))
            prim = stage.GetPrimAtPath(path)
            applied = prim.GetInfo("apiSchemas").prependedItems if prim.HasInfo("apiSchemas") else []
            if schemas:
                prim.SetInfo("apiSchemas", Sdf.TokenListOp.Create(
                    prependedItems=[*applied, *(schema for schema in schemas if schema not in applied)]))
            for spec in layer.GetPrimAtPath(path).properties:
                Sdf.CopySpec(layer, spec.path, stage, spec.path)
    return str(stage.ExportToString())


def _layer(text: str) -> Sdf.Layer:
    layer = Sdf.Layer.CreateAnonymous("planted.usda")
    layer.ImportFromString(text)
    return layer


def _over(path: str, values: Attributes) -> str:
    text = "".join(f"{name} = {value if name.endswith('.timeSamples') else usda(value)}\n"
                   for name, value in values.items())
    for name in reversed(path.strip("/").split("/")):
        text = f'over "{name}"\n{{\n{text}}}\n'
    return text
