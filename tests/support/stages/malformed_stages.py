"""Stages with one fault each, by the group of faults they stand for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from support.stages.robots import base, finger, joint, link, placed, prim, robot

TIP, J, FOLLOW = "/Robot/tip", "/Robot/j", "/Robot/follow"
ROOT = ("PhysicsArticulationRootAPI",)
DRIVE, AXIS = "PhysicsDriveAPI:angular", "PhysxJointAxisAPI:angular"
ENVELOPE = "PhysxDrivePerformanceEnvelopeAPI:angular"
STIFFNESS = "drive:angular:physics:stiffness"
LIMITS = {"float physics:lowerLimit": -45.0, "float physics:upperLimit": 45.0}
NONE = ("", "", "")         # no finding: a fact, which a test of its own looks at
BOX = prim("Cube", "shape", ("PhysicsCollisionAPI",), {"double size": 1.0})
AXES = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")


@dataclass(frozen=True)
class Case:
    """A stage and the finding that it must lead to."""

    group: int
    name: str
    text: str
    code: str
    path: str
    property: str
    severity: str = "error"


def driven(value: str, kind: str = "float", base_name: str = "stiffness") -> str:
    """A finger whose drive has a value spelt as in USDA."""
    text = finger({f"{kind} drive:angular:physics:{base_name}": "VALUE"}, (DRIVE,))
    return text.replace('"VALUE"', value)


def mimic(value: str = "-1.0", base_name: str = "gearing", target: str = "</Robot/lead>", kind: str = "float") -> str:
    """Two joints, the second following the first, with one value spelt as in USDA."""
    values = {"gearing": "-1.0", base_name: value}
    attributes: dict[str, object] = {
        **LIMITS, "rel physxMimicJoint:rotX:referenceJoint": target,
        **{f"{kind if name == base_name else 'float'} physxMimicJoint:rotX:{name}": f"@{name}@" for name in values},
    }
    text = robot(base(), link("a"), link("b"), joint("Revolute", "lead", "base", "a", (), LIMITS),
                 joint("Revolute", "follow", "a", "b", ("PhysxMimicJointAPI:rotX",), attributes))
    for name, spelt in values.items():
        text = text.replace(f'"@{name}@"', spelt)
    return text


def weighed(attributes: dict[str, object], children: str = BOX) -> str:
    """A finger whose tip has these mass properties and a box."""
    tip = prim("Xform", "tip", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"), {**placed((1, 0, 0)), **attributes}, children)
    return robot(base(), tip, joint("Revolute", "j", "base", "tip"))


def chain(*joints: str, links: tuple[str, ...] = ("a", "b", "c"), **options: object) -> str:
    """A robot of links with joints written out."""
    return robot(base(), *map(link, links), *joints, **options)     # type: ignore[arg-type]


def tendon(root: str = "PhysxTendonAxisRootAPI:t", middle: str = "PhysxTendonAxisAPI:t",
           attributes: dict[str, object] | None = None) -> str:
    """Three joints in a row with the axes of a fixed tendon."""
    gains = {"float physxTendon:t:stiffness": 1.0} if root else {}
    return chain(
        joint("Revolute", "j1", "base", "a", (root,) if root else (), gains),
        joint("Revolute", "j2", "a", "b", (middle,) if middle else (), attributes),
        joint("Revolute", "j3", "b", "c", ("PhysxTendonAxisAPI:t",)),
    )


def attached(way: tuple[str, str], leaf: tuple[str, str] | None) -> str:
    """A spatial tendon over three links: where the attachment between and the leaf name their parents."""
    def parent(name: str, of: tuple[str, str]) -> dict[str, object]:
        return {f"rel physxTendon:{name}:parentLink": f"</Robot/{of[0]}>",
                f"token physxTendon:{name}:parentAttachment": of[1]}

    return robot(
        base(),
        link("a", schemas=("PhysxTendonAttachmentRootAPI:r",), more={"float physxTendon:r:stiffness": 1.0}),
        link("b", (0, 1, 0), ("PhysxTendonAttachmentAPI:v",), more=parent("v", way)),
        link("c", (0, 2, 0), ("PhysxTendonAttachmentLeafAPI:l",), more=parent("l", leaf) if leaf else {}),
        joint("Revolute", "j1", "base", "a"), joint("Revolute", "j2", "a", "b"), joint("Revolute", "j3", "b", "c"),
    )


def values() -> Iterator[Case]:
    """Groups 1 to 11, 18, 19 and 39, 40: numbers, types and tokens."""
    for group, spelt in ((1, "nan"), (2, "inf"), (3, "-inf"), (4, "1e400")):
        yield Case(group, "gain", driven(spelt), "value/not-finite", J, STIFFNESS)
        yield Case(group, "target", driven(spelt, base_name="targetPosition"), "value/not-finite", J,
                   "drive:angular:physics:targetPosition")
        yield Case(group, "gearing", mimic(spelt), "DJ.007/gearing", FOLLOW, "physxMimicJoint:rotX:gearing")
        yield Case(group, "offset", mimic(spelt, "offset"), "DJ.007/offset", FOLLOW, "physxMimicJoint:rotX:offset")
    mass, inertia, axes = "physics:mass", "physics:diagonalInertia", "physics:principalAxes"
    yield Case(5, "zero", weighed({"float physics:mass": 0.0}), "body/mass-computed", TIP, mass, "info")
    yield Case(5, "nothing", weighed({}, ""), "body/no-mass", TIP, mass, "warning")
    yield Case(6, "negative", weighed({"float physics:mass": -1.0}), "value/range", TIP, mass)
    yield Case(6, "density", weighed({"float physics:density": -1.0}), "value/range", TIP, "physics:density")
    yield Case(7, "negative", weighed({f"float3 {inertia}": (-1.0, 1.0, 1.0)}), "value/range", TIP, inertia)
    yield Case(7, "zero", weighed({f"float3 {inertia}": (0.0, 1.0, 1.0)}), "body/zero-inertia", TIP, inertia)
    yield Case(8, "triangle", weighed({f"float3 {inertia}": (1.0, 1.0, 5.0)}), "body/inertia-triangle", TIP, inertia)
    yield Case(9, "length", weighed({f"quatf {axes}": (2.0, 0.0, 0.0, 0.0)}), "value/not-unit", TIP, axes)
    yield Case(10, "axes alone", weighed({f"quatf {axes}": (1.0, 0.0, 0.0, 0.0)}), "body/inertia-incomplete", TIP, axes,
               "warning")
    yield Case(11, "far", weighed({"point3f physics:centerOfMass": (99.0, 0.0, 0.0)}), "body/center-far", TIP,
               "physics:centerOfMass", "warning")
    for kind in ("double", "half", "int"):
        yield Case(18, kind, driven("1", kind), "value/type", J, STIFFNESS, "warning")
    yield Case(18, "text", driven('"stiff"', "string"), "value/wrong-type", J, STIFFNESS)
    yield Case(18, "gearing", mimic('"one"', kind="string"), "DJ.007/gearing", FOLLOW, "physxMimicJoint:rotX:gearing")
    yield Case(19, "axis", finger({"uniform token physics:axis": "W"}), "value/token", J, "physics:axis")
    yield Case(39, "negative force", driven("-1", base_name="maxForce"), "joint/drive-refused", J,
               "drive:angular:physics:maxForce")
    weak = {f"float {STIFFNESS}": 1.0, "float drive:angular:physics:maxForce": 0.0}
    yield Case(39, "no force", finger(weak, (DRIVE,)), "joint/drive-powerless", J, "drive:angular:physics:maxForce")
    yield Case(39, "negative gain", driven("-1"), "value/range", J, STIFFNESS)
    rough = {"float physxJointAxis:angular:staticFrictionEffort": 1.0,
             "float physxJointAxis:angular:dynamicFrictionEffort": 2.0}
    yield Case(40, "friction", finger(rough, (AXIS,)), "joint/friction-order", J,
               "physxJointAxis:angular:dynamicFrictionEffort")
    for name, code in (("armature", "value/range"), ("maxJointVelocity", "joint/no-velocity")):
        value = -1.0 if name == "armature" else 0.0
        yield Case(40, name, finger({f"float physxJointAxis:angular:{name}": value}, (AXIS,)), code, J,
                   f"physxJointAxis:angular:{name}")
    gradient = "physxDrivePerformanceEnvelope:angular:speedEffortGradient"
    yield Case(40, "gradient", finger({f"float {gradient}": -1.0}, (DRIVE, ENVELOPE)), "value/range", J, gradient)


def names() -> Iterator[Case]:
    """Groups 20 to 26, 32, 33 and 38: schemas, instances, relationships and tendons."""
    yield Case(20, "unknown schema", finger({}, ("PhysxTendonAxesAPI:t",)), "unused/misspelt-schema", J, "apiSchemas")
    yield Case(21, "no schema", finger({f"float {STIFFNESS}": 1.0}), "unused/not-applied", J, STIFFNESS, "warning")
    yield Case(22, "mimic", mimic(target="</Robot/laed>"), "DJ.007/reference-missing", FOLLOW,
               "physxMimicJoint:rotX:referenceJoint")
    part, leaf = "physxTendon:v:parentAttachment", "physxTendon:l:parentAttachment"
    yield Case(22, "tendon", attached(("a", "r"), ("bb", "v")), "tendon/no-parent", "/Robot/c", leaf)
    yield Case(23, "own parent", attached(("b", "v"), ("b", "v")), "tendon/cycle", "/Robot/b", part)
    yield Case(23, "ring", attached(("c", "l"), ("b", "v")).replace("LeafAPI:l", "API:l"), "tendon/cycle", "/Robot/b",
               part)
    yield Case(24, "no root", tendon(root=""), "tendon/no-root", "/Robot/j2", "physxTendon:t:gearing")
    yield Case(24, "two roots", tendon(middle="PhysxTendonAxisRootAPI:t"), "tendon/second-root", "/Robot/j2",
               "physxTendon:t:stiffness", "warning")
    yield Case(24, "no parent", attached(("a", "r"), None), "tendon/no-parent", "/Robot/c", "physxTendon:l:parentLink")
    yield Case(24, "typo", attached(("a", "r"), ("b", "vv")), "tendon/no-parent", "/Robot/c", leaf)
    uneven: dict[str, object] = {
        "float[] physxTendon:t:gearing": [1.0, 2.0], "float[] physxTendon:t:forceCoefficient": [1.0],
    }
    yield Case(25, "uneven", tendon(attributes=uneven), "tendon/array-length", "/Robot/j2", "physxTendon:t:gearing")
    yield Case(26, "gap", tendon(middle=""), "tendon/axis-dropped", "/Robot/j3", "physxTendon:t:gearing")
    yield Case(33, "empty", finger({}, ("PhysxTendonAxisRootAPI:",)), "unused/no-instance", J, "apiSchemas")
    for name in ("a:b", "a b", "1a", "a-b", "a\\tb"):
        yield Case(33, name, finger({}, (f"PhysxTendonAxisRootAPI:{name}",)), "schema/instance-name", J, "apiSchemas")
    yield Case(33, "transX", mimic().replace("rotX", "transX"), "DJ.007/instance", FOLLOW, "apiSchemas")
    linear = {"float drive:linear:physics:stiffness": 1.0}
    yield Case(38, "linear", finger(linear, ("PhysicsDriveAPI:linear",)), "unused/wrong-instance", J,
               "drive:linear:physics:stiffness")


def joints() -> Iterator[Case]:
    """Groups 12 to 17, 27 to 31, 35 to 37 and 58 to 62: what joins what."""
    excluded, body1 = "physics:excludeFromArticulation", "physics:body1"
    ring = [joint("Revolute", "j1", "base", "a"), joint("Revolute", "j2", "a", "b")]
    yield Case(12, "revolute", chain(*ring, joint("Revolute", "j3", "b", "base")), "DJ.011/loop", "/Robot/j3",
               excluded)
    yield Case(12, "fixed", chain(*ring, joint("Fixed", "j3", "b", "base")), "DJ.011/loop", "/Robot/j1", excluded)
    yield Case(13, "twice", chain(ring[0], joint("Revolute", "j2", "base", "a")), "DJ.011/loop", "/Robot/j2",
               excluded)
    yield Case(14, "no bodies", chain(joint("Revolute", "j", "", "")), "joint/no-bodies", J, body1)
    yield Case(15, "dangling", chain(joint("Revolute", "j", "base", "zz")), "joint/missing-body", J, body1)
    still = robot(base(), prim("Xform", "x"), joint("Revolute", "j", "base", "x"))
    yield Case(15, "no body", still, "joint/no-body", J, body1, "warning")
    yield Case(16, "itself", chain(joint("Revolute", "j", "base", "base")), "joint/same-body", J, body1)
    several = chain(joint("Revolute", "j", "base", "a")).replace("1 = </Robot/a>", "1 = [</Robot/a>, </Robot/b>]")
    yield Case(17, "several", several, "joint/several-bodies", J, body1)
    other = mimic().replace("rel physics:body0 = </Robot/a>", "rel physics:body0 = </Robot/c>")
    other = other.replace('def PhysicsRevoluteJoint "lead"', link("c") + 'def PhysicsRevoluteJoint "lead"')
    yield Case(27, "two trees", other, "DJ.007/same-articulation", FOLLOW, "physxMimicJoint:rotX:referenceJoint")
    inner = prim("Xform", "in", ROOT, {}, link("a"))
    yield Case(28, "nested", robot(base(), inner, joint("Revolute", "j", "base", "in/a")), "articulation/nested-root",
               "/Robot/in", "apiSchemas")
    for name, fault in (("kinematic", {"bool physics:kinematicEnabled": True}),
                        ("disabled", {"bool physics:rigidBodyEnabled": False})):
        text = robot(link("base", schemas=ROOT, more=fault), link("a"), joint("Revolute", "j", "base", "a"), schemas=())
        yield Case(28, name, text, "articulation/static-root", "/Robot/base", "apiSchemas")
    loose = (link("base"), link("a"), joint("Revolute", "j", "base", "a"))
    yield Case(28, "no body", robot(*loose, prim("Xform", "x", ROOT), schemas=()), "articulation/no-bodies", "/Robot/x",
               "apiSchemas")
    roots = robot(link("base", schemas=ROOT), link("a", schemas=ROOT), loose[2], schemas=())
    yield Case(28, "two", roots, "articulation/shared-bodies", "/Robot/a", "apiSchemas")
    yield Case(29, "none", robot(*loose, schemas=()), "articulation/no-root", J, "", "warning")
    trees = robot(*loose, link("c"), link("d"), joint("Revolute", "k", "c", "d"))
    yield Case(29, "two trees", trees, "articulation/several-trees", "/Robot", "apiSchemas", "warning")
    yield Case(30, "int", finger({f"int {excluded}": 1}), "value/type", J, excluded, "warning")
    yield Case(30, "text", finger({f"string {excluded}": "yes"}), "value/wrong-type", J, excluded)
    yield Case(31, "off", finger({"bool physics:jointEnabled": False}), "joint/disabled", J, "physics:jointEnabled",
               "info")
    yield from _limits()
    apart = {"float state:angular:physics:position": 0.0, "point3f physics:localPos0": (0, 0, 0)}
    yield Case(58, "apart", finger(apart, ("PhysicsJointStateAPI:angular",)), "DJ.003/frames-apart", J,
               "physics:localPos0")
    for spelt, code, severity in ((0.0, "joint/frame-refused", "error"), (2.0, "value/not-unit", "warning")):
        yield Case(58, f"length {spelt:g}", finger({"quatf physics:localRot0": (spelt, 0.0, 0.0, 0.0)}), code, J,
                   "physics:localRot0", severity)
    outside = {**LIMITS, "float state:angular:physics:position": 60.0}
    yield Case(59, "outside", finger(outside, ("PhysicsJointStateAPI:angular",)), "joint/state-outside-limits", J,
               "state:angular:physics:position", "warning")
    state = mimic().replace('MimicJointAPI:rotX"', 'MimicJointAPI:rotX", "PhysicsJointStateAPI:angular"').replace(
        "rel physxMimic", "float state:angular:physics:position = 20\nrel physxMimic")
    yield Case(59, "mimic", state, "DJ.007/initial-violation", FOLLOW, "physxMimicJoint:rotX:gearing", "warning")


def _limits() -> Iterator[Case]:
    lower, upper = "physics:lowerLimit", "physics:upperLimit"
    for name, bounds, code, fault, severity in (
        ("order", (1.0, -1.0), "joint/limit-order", lower, "error"),
        ("equal", (5.0, 5.0), "joint/locked", lower, "info"),
        ("one side", (1.0, float("inf")), "joint/one-sided-limit", upper, "error"),
    ):
        text = finger({f"float {lower}": bounds[0], f"float {upper}": bounds[1]})
        yield Case(35, name, text, code, J, fault, severity)
    yield Case(36, "free", finger({}, (), ""), "joint/free-translation", J, "limit:transX:physics:low", "warning")
    yield Case(37, "half", finger({"float physics:coneAngle0Limit": 30.0}, (), "Spherical"), "joint/half-cone", J,
               "physics:coneAngle1Limit", "warning")


def places() -> Iterator[Case]:
    """Groups 49, 54 to 57 and 60 to 62: units, transforms, instances, groups, scenes and other engines."""
    proto = prim("Xform", "Proto", (), {}, prim("Cube", "b", ("PhysicsRigidBodyAPI", "PhysicsCollisionAPI")))
    instance = 'def Xform "I" (\ninstanceable = true\nprepend references = </Proto>\n)\n{\n}\n'
    yield Case(49, "body", robot(base(), outside=proto + instance), "body/in-instance", "/I/b", "apiSchemas")
    for unit, spelt in (("meters", "0"), ("meters", "-1"), ("meters", "nan"), ("kilograms", "0")):
        name = f"{unit}PerUnit"
        text = robot(base()).replace(f"{name} = 1.0", f"{name} = {spelt}")
        yield Case(54, f"{name} {spelt}", text, "stage/units", "/", name)
    still = prim("PhysicsScene", "scene", (), {"vector3f physics:gravityDirection": (0.0, 0.0, 0.0)})
    yield Case(55, "direction", robot(base(), outside=still), "scene/gravity-direction", "/scene",
               "physics:gravityDirection", "warning")
    for name, scale, severity in (("mirrored", (-1, 1, 1), "warning"), ("singular", (0, 1, 1), "error")):
        tip = link("tip", more=placed((1, 0, 0), scale))
        yield Case(56, name, robot(base(), tip, joint("Revolute", "j", "base", "tip")), f"body/transform-{name}", TIP,
                   "xformOpOrder", severity)
    operations = finger().replace('"xformOp:orient", "xformOp:scale"]', '"xformOp:nope"]')
    yield Case(57, "missing", operations, "body/transform-operation", TIP, "xformOpOrder")
    group = 'def PhysicsCollisionGroup "g"\n{\nrel physics:filteredGroups = </nope>\n}\n'
    yield Case(60, "group", robot(base(), outside=group), "group/missing-group", "/g", "physics:filteredGroups")
    pair = link("a", schemas=("PhysicsFilteredPairsAPI",), more={"rel physics:filteredPairs": "</nope>"})
    yield Case(60, "pair", robot(base(), pair), "pair/missing-target", "/Robot/a", "physics:filteredPairs")
    owned = link("a", more={"rel physics:simulationOwner": "</nope>"})
    yield Case(60, "owner", robot(base(), owned), "body/no-scene", "/Robot/a", "physics:simulationOwner")
    scenes = prim("PhysicsScene", "s1") + prim("PhysicsScene", "s2")
    yield Case(61, "two", robot(base(), outside=scenes), "scene/several", "/s2", "", "info")
    double = {"float newton:armature": 2.0, "float physxJointAxis:angular:armature": 1.0}
    yield Case(62, "newton", finger(double, ("NewtonJointAPI", AXIS)), "engine/disagree", J,
               "physxJointAxis:angular:armature", "warning")
    other = {"float mjc:armature": 2.0}
    yield Case(62, "mujoco", finger(other, ("MjcJointAPI",)), "unused/other-engine", J, "mjc:armature", "info")


CASES = (*values(), *names(), *joints(), *places())
