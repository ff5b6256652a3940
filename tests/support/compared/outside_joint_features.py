"""What every property of joints and of their schemas does in PhysX on a joint outside articulations.

A row is one property on one kind of joint: the stage without and with another value of it differ in nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# What PhysX makes of a property here. What acts is a fact of the description.
ACTS, NOTHING, REFUSED = "acts", "no effect", "acts, refused here"

_HEADER = """#usda 1.0
(
    defaultPrim = "World"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "World"
{
    def PhysicsScene "scene"
    {
        vector3f physics:gravityDirection = (0, 0, -1)
        float physics:gravityMagnitude = 9.81
    }
"""
Values = Mapping[str, str]      # "type name" -> value in USDA; None as a value leaves it out


def _body(name: str, position: str) -> str:
    return f"""    def Xform "{name}" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {{
        double3 xformOp:translate = {position}
        uniform token[] xformOpOrder = ["xformOp:translate"]
        float physics:mass = 1
        float3 physics:diagonalInertia = (0.1, 0.2, 0.3)
    }}
"""


def _joint(name: str, kind: str, schemas: tuple[str, ...], values: Values) -> str:
    applied = ", ".join(f'"{schema}"' for schema in schemas)
    metadata = f" (\n        prepend apiSchemas = [{applied}]\n    )" if schemas else ""
    lines = "".join(f"        {name} = {value}\n" for name, value in values.items())
    return f'    def {kind} "{name}"{metadata}\n    {{\n{lines}    }}\n'


def _at(body: str, world: str = "(0, 0, 0)", local: str = "(-1, 0, 0)") -> dict[str, str]:
    """A body on the world."""
    return {"rel physics:body1": f"</World/{body}>", "point3f physics:localPos0": world,
            "point3f physics:localPos1": local}


_Y = {"uniform token physics:axis": '"Y"'}
_Z = {"uniform token physics:axis": '"Z"'}
_LOCKED = tuple(f"PhysicsLimitAPI:{axis}" for axis in ("transX", "transY", "transZ", "rotX", "rotZ"))
_GENERIC = {f"float limit:{schema.partition(':')[2]}:physics:{bound}": value for schema in _LOCKED
            for bound, value in (("low", "1"), ("high", "-1"))}
# Stages by kind: joints but the one looked at, its type, schemas and values, and where b is.
_WHEELS = (_body("a", "(0, 0, 0)")
           + _joint("h0", "PhysicsRevoluteJoint", ("PhysicsDriveAPI:angular",), _Y | _at("a", local="(0, 0, 0)") | {
               "float drive:angular:physics:damping": "1", "float drive:angular:physics:targetVelocity": "90",
               "float physics:lowerLimit": "-80", "float physics:upperLimit": "80"}))
_BARS = {"rel physics:body0": "</World/a>", "rel physics:body1": "</World/b>"} | _Y
KINDS: Mapping[str, tuple[str, str, tuple[str, ...], Values]] = {
    "fixed": ("", "PhysicsFixedJoint", (), _at("b")),
    "revolute": ("", "PhysicsRevoluteJoint", (), _at("b") | _Y),
    "follower": (_WHEELS, "PhysicsRevoluteJoint", (), _at("b") | _Y | {
        "float physics:lowerLimit": "-50", "float physics:upperLimit": "50"}),
    "prismatic": ("", "PhysicsPrismaticJoint", (), _at("b") | _Z),
    "spherical": ("", "PhysicsSphericalJoint", (), _at("b")),
    "distance": ("", "PhysicsDistanceJoint", (), _at("b", world="(0, 0, 0)", local="(0, 0, 0)")
                 | {"float physics:maxDistance": "1"}),
    "generic": ("", "PhysicsJoint", _LOCKED, _at("b") | _GENERIC),
    # y and z are free, and start apart
    "sliding": ("", "PhysicsJoint", _LOCKED[:1], _at("b", "(0, 0.1, 0)") | {
        name: value for name, value in _GENERIC.items() if ":transX:" in name}),
    "gear": (_WHEELS + _joint("h1", "PhysicsRevoluteJoint", (), _Y | _at("b", "(1, 0, 0)", "(0, 0, 0)")),
             "PhysxPhysicsGearJoint", (), _BARS | {
                 "float physics:gearRatio": "2", "rel physics:hinge0": "</World/h0>",
                 "rel physics:hinge1": "</World/h1>"}),
    "rack": (_WHEELS + _joint("h1", "PhysicsPrismaticJoint", (), {"uniform token physics:axis": '"X"'}
                              | _at("b", "(1, 0, 0)", "(0, 0, 0)")),
             "PhysxPhysicsRackAndPinionJoint", (), _BARS | {
                 "float physics:ratio": "90", "rel physics:hinge": "</World/h0>",
                 "rel physics:prismatic": "</World/h1>"}),
}


@dataclass(frozen=True)
class Feature:
    """One property on one kind of joint: `name` with its type, its value, and what is there besides."""

    kind: str
    name: str
    value: str
    effect: str = ACTS
    schemas: tuple[str, ...] = ()
    besides: tuple[tuple[str, str], ...] = ()
    before: str = ""                # its value in the stage to compare with; left out where empty

    @property
    def property(self) -> str:
        """Without the type."""
        return self.name.rpartition(" ")[2]

    def stage(self, value: str) -> str:
        """The stage with a value of the property, without it where empty."""
        others, kind, schemas, values = KINDS[self.kind]
        own = {**values, **dict(self.besides), **({self.name: value} if value else {})}
        return f"{_HEADER}{_body('b', '(1, 0, 0)')}{others}{_joint('j', kind, schemas + self.schemas, own)}}}\n"


def _spring(instance: str, *more: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    found = {f"float drive:{instance}:physics:{name}": value
             for name, value in (("stiffness", "2"), ("damping", "0.5"), ("targetPosition", "20"))}
    return (*found.items(), *more)


def _of_api(kind: str, schema: str, instance: str, values: Values, effect: str = ACTS,
            besides: tuple[tuple[str, str], ...] = (), schemas: tuple[str, ...] = ()) -> list[Feature]:
    applied = f"{schema}:{instance}" if instance else schema
    rest = dict(besides)
    return [Feature(kind, name, value, effect, (applied, *schemas),
                    tuple((n, x) for n, x in rest.items() if n != name), rest.get(name, ""))
            for name, value in values.items()]


_TILT = "(0.9950042, 0.09983342, 0, 0)"
_OTHER_SIDE = (("point3f physics:localPos0", "(2, 0, 0)"), ("point3f physics:localPos1", "(1, 0, 0)"))
COMMON = (
    Feature("revolute", "rel physics:body1", "</World/scene>", before="</World/b>"),
    Feature("generic", "rel physics:body0", "</World/b>", besides=(("rel physics:body1", "None"),
                                                                  ("point3f physics:localPos0", "(-1, 0, 0)"),
                                                                  ("point3f physics:localPos1", "(0, 0, 0)"))),
    # the frames agree where the property has its value
    Feature("revolute", "point3f physics:localPos0", "(0, 0, 0.1)", before="(0, 0, 0)",
            besides=(("point3f physics:localPos1", "(-1, 0, 0.1)"),)),
    Feature("revolute", "point3f physics:localPos1", "(-1, 0, 0.1)", before="(-1, 0, 0)",
            besides=(("point3f physics:localPos0", "(0, 0, 0.1)"),)),
    Feature("revolute", "quatf physics:localRot0", _TILT, besides=(("quatf physics:localRot1", _TILT),)),
    Feature("revolute", "quatf physics:localRot1", _TILT, besides=(("quatf physics:localRot0", _TILT),)),
    *(Feature("revolute", name, value) for name, value in (
        ("bool physics:jointEnabled", "false"),
        ("uniform token physics:axis", '"Z"'), )),
    # what the swing exceeds, and not the weight alone, under which the engine's warm-up would break the joint
    *(Feature(kind, "float physics:breakForce", "5") for kind in ("revolute", "generic", "distance")),
    Feature("revolute", "float physics:breakTorque", "1.5", besides=(
        ("point3f physics:localPos0", "(0, 0.3, 0)"), ("point3f physics:localPos1", "(-1, 0.3, 0)"))),
    Feature("revolute", "bool physics:excludeFromArticulation", "true", NOTHING),
    Feature("revolute", "bool physics:collisionEnabled", "true", NOTHING),
)
_LIMITED = (("float physics:lowerLimit", "-5"), ("float physics:upperLimit", "5"))
_SLIDING = (("float physics:lowerLimit", "-0.05"), ("float physics:upperLimit", "0.05"))
_AWAY = (("float limit:distance:physics:high", "0.2"),)
_CONE = (("float physics:coneAngle0Limit", "10"), ("float physics:coneAngle1Limit", "20"))
_ROT_Y = (("float limit:rotY:physics:low", "-5"), ("float limit:rotY:physics:high", "5"))
_WHEEL_SPRING = (("bool physxPhysicsDistanceJoint:springEnabled", "true"),
                 ("float physxPhysicsDistanceJoint:springStiffness", "50"),
                 ("float physxPhysicsDistanceJoint:springDamping", "1"))
OF_KINDS = (
    Feature("revolute", "float physics:lowerLimit", "-5", before="-15",
            besides=(("float physics:upperLimit", "30"), *_OTHER_SIDE)),
    Feature("revolute", "float physics:upperLimit", "5", besides=(("float physics:lowerLimit", "-5"),)),
    Feature("prismatic", "uniform token physics:axis", '"Y"', before='"Z"'),
    Feature("prismatic", "float physics:lowerLimit", "-0.05", besides=(("float physics:upperLimit", "0.05"),)),
    Feature("prismatic", "float physics:upperLimit", "0.05", besides=(("float physics:lowerLimit", "-0.05"),)),
    Feature("spherical", "uniform token physics:axis", '"Y"', besides=_CONE),
    Feature("spherical", "float physics:coneAngle0Limit", "10", besides=_CONE[1:]),
    Feature("spherical", "float physics:coneAngle1Limit", "10", besides=_CONE[:1]),
    Feature("distance", "float physics:minDistance", "1.01", besides=(
        ("float physics:maxDistance", "1.5"), ("point3f physics:localPos0", "(0.9, 0, -1)"))),
    Feature("distance", "float physics:maxDistance", "0.99"),
    Feature("gear", "float physics:gearRatio", "3", before="2"),
    Feature("gear", "rel physics:hinge1", "</World/none>", before="</World/h1>"),
    Feature("gear", "float physics:gearRatio", "0", before="2"),
    Feature("gear", "rel physics:hinge0", "</World/h1>", REFUSED, before="</World/h0>"),
    Feature("gear", "rel physics:hinge1", "</World/h0>", REFUSED, before="</World/h1>"),
    Feature("rack", "float physics:ratio", "30", before="90"),
    Feature("rack", "rel physics:hinge", "</World/h1>", REFUSED, before="</World/h0>"),
    Feature("rack", "rel physics:prismatic", "</World/h0>", REFUSED, before="</World/h1>"),
)


def _instances(values: Values, instance: str) -> dict[str, str]:
    return {name.replace("@", instance): value for name, value in values.items()}


_DRIVE = {"float drive:@:physics:stiffness": "3", "float drive:@:physics:damping": "2",
          "float drive:@:physics:maxForce": "0.5", "float drive:@:physics:targetPosition": "0.3",
          "float drive:@:physics:targetVelocity": "10", "uniform token drive:@:physics:type": '"acceleration"'}
_LIMIT = {"float physxLimit:@:stiffness": "3", "float physxLimit:@:damping": "2"}
_BOUNCE = {"float physxLimit:@:restitution": "0.2", "float physxLimit:@:bounceThreshold": "100"}
_AXIS = {"float physxJointAxis:@:armature": "3", "float physxJointAxis:@:maxJointVelocity": "5",
         "float physxJointAxis:@:staticFrictionEffort": "20", "float physxJointAxis:@:dynamicFrictionEffort": "20",
         "float physxJointAxis:@:viscousFrictionCoefficient": "20"}
_ENVELOPE = {"float physxDrivePerformanceEnvelope:@:maxActuatorVelocity": "1",
             "float physxDrivePerformanceEnvelope:@:speedEffortGradient": "10",
             "float physxDrivePerformanceEnvelope:@:velocityDependentResistance": "10"}
_STATE = {"float state:@:physics:position": "10", "float state:@:physics:velocity": "50"}


def _bounce(instance: str, threshold: str = "0.01") -> tuple[tuple[str, str], ...]:
    """A limit that bodies bounce off."""
    return ((f"float physxLimit:{instance}:restitution", "0.5"),
            (f"float physxLimit:{instance}:bounceThreshold", threshold))


_SIDES = (("revolute", "angular", _LIMITED), ("prismatic", "linear", _SLIDING), ("generic", "rotY", _ROT_Y))
_AT_HEIGHT = ("sliding", "transZ", (("float limit:transZ:physics:low", "-0.1"),
                                    ("float limit:transZ:physics:high", "0.1")))
_BY_SIDE = [
    feature for kind, instance, limits in _SIDES for feature in (
        *_of_api(kind, "PhysicsDriveAPI", instance, _instances(_DRIVE, instance), besides=_spring(instance)),
        *_of_api(kind, "PhysxLimitAPI", instance, _instances(_LIMIT, instance), besides=limits,
                 schemas=("PhysicsLimitAPI:rotY",) if kind == "generic" else ()),
        # PhysX refuses the limits whole, a slider's too, which without turning comes to rest at them and never beyond
        Feature(kind, f"float physxLimit:{instance}:restitution", "1.5", ACTS,
                (f"PhysxLimitAPI:{instance}", *(("PhysicsLimitAPI:rotY",) if kind == "generic" else ())), limits),
        *_of_api(kind, "PhysxJointAxisAPI", instance, _instances(_AXIS, instance), NOTHING),
        *_of_api(kind, "PhysxDrivePerformanceEnvelopeAPI", instance, _instances(_ENVELOPE, instance), NOTHING,
                 _spring(instance), (f"PhysicsDriveAPI:{instance}",)),
        *_of_api(kind, "PhysicsJointStateAPI", instance, _instances(_STATE, instance), NOTHING),
    )]
OF_SCHEMAS = (
    *_BY_SIDE,
    *(feature for kind, instance, limits in (*_SIDES[::2], _AT_HEIGHT)
      for feature in _of_api(kind, "PhysxLimitAPI", instance, _instances(_BOUNCE, instance), ACTS,
                             (*limits, *_bounce(instance, "0" if instance == "transZ" else "0.01")),
                             (f"PhysicsLimitAPI:{instance}",) if instance in ("rotY", "transZ") else ())),
    # rotX is locked
    Feature("generic", "float drive:rotX:physics:targetPosition", "50", ACTS,
            ("PhysicsDriveAPI:rotX", "PhysicsDriveAPI:rotY"), _spring("rotY")),
    *_of_api("sliding", "PhysicsLimitAPI", "distance", {"float limit:distance:physics:high": "0.2"}),
    *_of_api("sliding", "PhysicsLimitAPI", "distance", {"float limit:distance:physics:low": "0.1"}, NOTHING,
             besides=_AWAY),
    *_of_api("sliding", "PhysxLimitAPI", "distance", _instances(_LIMIT, "distance"), besides=_AWAY,
             schemas=("PhysicsLimitAPI:distance",)),
    *_of_api("sliding", "PhysxLimitAPI", "distance", _instances(_BOUNCE, "distance"), NOTHING,
             (*_AWAY, *_bounce("distance")), ("PhysicsLimitAPI:distance",)),
    *_of_api("generic", "PhysicsLimitAPI", "rotY", {"float limit:rotY:physics:low": "-9"},
             besides=(*_ROT_Y, *_OTHER_SIDE)),
    *_of_api("generic", "PhysicsLimitAPI", "rotY", {"float limit:rotY:physics:high": "9"}, besides=_ROT_Y),
    *_of_api("spherical", "PhysxLimitAPI", "cone", _instances(_LIMIT, "cone"), besides=_CONE),
    *_of_api("spherical", "PhysxLimitAPI", "cone", _instances(_BOUNCE, "cone"),
             besides=(*_CONE, *_bounce("cone"))),
    *(Feature("spherical", f"float physxLimit:cone:{name}", value, ACTS, ("PhysxLimitAPI:cone",), _CONE)
      for name, value in (("restitution", "1.5"), ("bounceThreshold", "nan"))),
    Feature("sliding", "float physxLimit:distance:damping", "nan", ACTS,
            ("PhysxLimitAPI:distance", "PhysicsLimitAPI:distance"), _AWAY),
    *_of_api("revolute", "PhysxLimitAPI", "angular", _instances(_BOUNCE, "angular"), NOTHING,
             (*_LIMITED, *_bounce("angular"), ("float physxLimit:angular:stiffness", "50"))),
    *_of_api("spherical", "PhysicsDriveAPI", "rotY", _instances(_DRIVE, "rotY"), NOTHING, _spring("rotY")),
    *_of_api("distance", "PhysxPhysicsDistanceJointAPI", "", {
        "bool physxPhysicsDistanceJoint:springEnabled": "false",
        "float physxPhysicsDistanceJoint:springStiffness": "90",
        "float physxPhysicsDistanceJoint:springDamping": "9"}, besides=_WHEEL_SPRING),
    *_of_api("revolute", "PhysxJointAPI", "", {
        "float physxJoint:armature": "3", "float physxJoint:jointFriction": "3",
        "float physxJoint:maxJointVelocity": "5"}, NOTHING),
    *_of_api("follower", "PhysxMimicJointAPI", "rotY", {
        "float physxMimicJoint:rotY:gearing": "2", "float physxMimicJoint:rotY:offset": "5",
        "float physxMimicJoint:rotY:naturalFrequency": "5", "float physxMimicJoint:rotY:dampingRatio": "1",
        "rel physxMimicJoint:rotY:referenceJoint": "</World/h0>",
        "uniform token physxMimicJoint:rotY:referenceJointAxis": '"rotZ"'}, NOTHING,
        (("rel physxMimicJoint:rotY:referenceJoint", "</World/h0>"),)),
    *_of_api("revolute", "PhysxTendonAxisAPI", "t", {
        "float[] physxTendon:t:gearing": "[2]", "float[] physxTendon:t:forceCoefficient": "[2]",
        "uniform token[] physxTendon:t:jointAxis": '["rotY"]'}, NOTHING),
    *_of_api("revolute", "PhysxTendonAxisRootAPI", "t", {
        "float[] physxTendon:t:gearing": "[2]", "float[] physxTendon:t:forceCoefficient": "[2]",
        "uniform token[] physxTendon:t:jointAxis": '["rotY"]', "float physxTendon:t:stiffness": "50",
        "float physxTendon:t:damping": "5", "float physxTendon:t:limitStiffness": "50",
        "float physxTendon:t:lowerLimit": "-1", "float physxTendon:t:upperLimit": "1",
        "float physxTendon:t:offset": "1", "float physxTendon:t:restLength": "1",
        "bool physxTendon:t:tendonEnabled": "false"}, NOTHING),
)
FEATURES = (*COMMON, *OF_KINDS, *OF_SCHEMAS)
