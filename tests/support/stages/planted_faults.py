"""A sound finger and 55 kinds of faults that people's files have, each planted in it by itself.

A fault is a few edits of text: of the prim of this name, the first text that reads so is replaced.
"""

from __future__ import annotations

from dataclasses import dataclass

from support.places import DATA

SOUND = DATA / "planted" / "finger.usda"

Edit = tuple[str, str, str]     # prim, what stands there ("" for the beginning of the prim), what is to stand there


@dataclass(frozen=True)
class Fault:
    """One kind of fault, planted."""

    name: str
    title: str
    edits: tuple[Edit, ...]
    basis: tuple[Edit, ...] = ()        # what the sound finger needs before, for the fault to have a place

    @property
    def sound(self) -> str:
        """The stage without the fault."""
        return edited(SOUND.read_text(encoding="utf-8"), self.basis)

    @property
    def text(self) -> str:
        """The stage with the fault."""
        return edited(self.sound, self.edits)


def edited(text: str, edits: tuple[Edit, ...]) -> str:
    """A stage with edits made one by one."""
    for prim, old, new in edits:
        opened = old or "{\n"
        place = text.index(opened, text.index(f'"{prim}"'))
        text = text[:place] + (new if old else f"{opened}{new}\n") + text[place + len(opened):]
    return text


def fault(name: str, title: str, *edits: Edit, basis: tuple[Edit, ...] = ()) -> Fault:
    """A fault of some edits."""
    return Fault(name, title, edits, basis)


def changed(name: str, title: str, prim: str, prop: str, old: str, new: str) -> Fault:
    """A fault of one value."""
    return fault(name, title, (prim, f"{prop} = {old}", f"{prop} = {new}"))


DRIVE = "float drive:angular:physics:"
MIMIC = "physxMimicJoint:rotY:"
ELBOW_SCHEMAS = '"PhysicsDriveAPI:angular", "PhysicsJointStateAPI:angular", "PhysxJointAxisAPI:angular"'
POINTS = ", ".join(f"({x}, {y}, {z})" for z in (-0.02, 0.02) for x, y in (
    (-0.05, -0.02), (0.05, -0.02), (0.05, 0.02), (-0.05, 0.02)))


MESH = f"""def Mesh "collider" (
            prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", "MaterialBindingAPI"])
        {{
            uniform token physics:approximation = "convexHull"
            int[] faceVertexCounts = [4, 4, 4, 4, 4]
            int[] faceVertexIndices = [0, 3, 2, 1, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7]
            point3f[] points = [{POINTS}]
            float3[] extent = [(-0.05, -0.02, -0.02), (0.05, 0.02, 0.02)]
            normal3f[] normals = [(0, 0, -1), (0, -1, 0), (1, 0, 0), (0, 1, 0), (-1, 0, 0)] (
                interpolation = "uniform"
            )
            uniform token subdivisionScheme = "none"
            rel material:binding:physics = </Robot/Looks/rubber>
        }}
        def Cube "casing" ("""


def with_mesh(link: str) -> tuple[Edit, ...]:
    """A link whose only collider is a mesh, a tray."""
    return (link, '"PhysicsCollisionAPI", ', ""), (link, 'def Cube "collider" (', MESH)


JOINT = """
    def Physics{kind}Joint "{name}"
    {{
        rel physics:body0 = </Robot/{first}>
        rel physics:body1 = </Robot/{second}>
        point3f physics:localPos0 = ({x0}, 0, 0)
        point3f physics:localPos1 = ({x1}, 0, 0)
    }}
"""


def extra_joint(kind: str, first: str, second: str, x0: float, x1: float) -> Edit:
    """One more joint of the robot."""
    text = JOINT.format(kind=kind, name="brace", first=first, second=second, x0=x0, x1=x1)
    return "Robot", "    def PhysicsFixedJoint \"root\"", text + "    def PhysicsFixedJoint \"root\""


TENDON_ROOT = "PhysxTendonAxisRootAPI:flexor"
TENDON_AXIS = "PhysxTendonAxisAPI:flexor"
TENDON = (("shoulder", ELBOW_SCHEMAS, f'{ELBOW_SCHEMAS}, "{TENDON_ROOT}"'),
          ("shoulder", "", "        float physxTendon:flexor:stiffness = 20\n"
           "        float physxTendon:flexor:damping = 1\n"
           "        float[] physxTendon:flexor:gearing = [0.01]\n"
           "        float[] physxTendon:flexor:forceCoefficient = [0.01]\n"
           '        uniform token[] physxTendon:flexor:jointAxis = ["rotY"]'))


VALUES = (
    changed("gearing-nan", "Gearing of a mimic joint is NaN", "fingertip", f"float {MIMIC}gearing", "1", "nan"),
    changed("stiffness-infinite", "Stiffness of a drive is infinite", "elbow", f"{DRIVE}stiffness", "2", "inf"),
    changed("stiffness-negative", "Stiffness of a drive is negative", "elbow", f"{DRIVE}stiffness", "2", "-2"),
    changed("force-zero", "Force limit of a drive is 0", "elbow", f"{DRIVE}maxForce", "20", "0"),
    changed("armature-negative", "Armature is negative", "elbow", "float physxJointAxis:angular:armature", "0.01",
            "-0.01"),
    changed("velocity-zero", "Velocity limit is 0", "elbow", "float physxJointAxis:angular:maxJointVelocity", "300",
            "0"),
    changed("axis-unknown", "Axis of a joint is no axis", "elbow", "uniform token physics:axis", '"Y"', '"W"'),
    fault("gearing-text", "Gearing is text", ("fingertip", f"float {MIMIC}gearing = 1",
                                              f'custom string {MIMIC}gearing = "1"')),
    fault("limits-sampled", "Limit has time samples only", ("elbow", "float physics:lowerLimit = -90", (
        "float physics:lowerLimit.timeSamples = { 0: -90, 10: -45 }"))),
    changed("limits-swapped", "Lower limit is above the upper one", "elbow", "float physics:lowerLimit", "-90", "120"),
    fault("limit-one-sided", "Joint has a limit on one side", ("shoulder", "float physics:upperLimit = 90", "")),
    fault("limits-radians", "Limits are in radians", ("shoulder", "lowerLimit = -90", "lowerLimit = -1.5708"),
          ("shoulder", "upperLimit = 90", "upperLimit = 1.5708"),
          ("shoulder", "targetPosition = 30", "targetPosition = 0.5236")),
    changed("state-outside-limits", "Joint state is outside the limits", "shoulder",
            "float state:angular:physics:position", "0", "120"),
    changed("target-outside-limits", "Target of a drive is outside the limits", "shoulder", f"{DRIVE}targetPosition",
            "30", "120"),
    changed("friction-order", "Dynamic friction is above static friction", "rubber", "float physics:dynamicFriction",
            "0.6", "0.9"),
)
MASSES = (
    changed("mass-negative", "Mass is negative", "upper", "float physics:mass", "0.5", "-0.5"),
    changed("mass-absurd", "Mass is in grams", "upper", "float physics:mass", "0.5", "500"),
    changed("inertia-triangle", "Moments of inertia that no solid has", "upper", "float3 physics:diagonalInertia",
            "(0.0007, 0.0007, 0.0004)", "(0.0001, 0.0001, 0.004)"),
    changed("inertia-negative", "Moment of inertia is negative", "upper", "float3 physics:diagonalInertia",
            "(0.0007, 0.0007, 0.0004)", "(0.0007, -0.0007, 0.0004)"),
    changed("inertia-unit", "Moments of inertia are in kg mm²", "upper", "float3 physics:diagonalInertia",
            "(0.0007, 0.0007, 0.0004)", "(700, 700, 400)"),
    changed("axes-not-unit", "Principal axes are no rotation", "upper", "quatf physics:principalAxes", "(1, 0, 0, 0)",
            "(1, 1, 0, 0)"),
    changed("center-far", "Centre of mass is in millimetres", "upper", "point3f physics:centerOfMass", "(0, 0, 0)",
            "(50, 0, 0)"),
    fault("body-bare", "Body has neither mass nor colliders",
          ("slide", '"PhysicsRigidBodyAPI", "PhysicsMassAPI"', '"PhysicsRigidBodyAPI"'),
          ("slide", "float physics:mass = 0.5", ""),
          ("slide", "float3 physics:diagonalInertia = (0.0007, 0.0007, 0.0004)", ""),
          ("slide", "point3f physics:centerOfMass = (0, 0, 0)", ""),
          ("slide", "quatf physics:principalAxes = (1, 0, 0, 0)", ""), ("slide", '"PhysicsCollisionAPI", ', "")),
)
JOINTS = (
    fault("loop", "Joints close a loop", extra_joint("Fixed", "pedestal", "lower", 0.225, -0.075)),
    fault("joint-twice", "Two links have two joints", extra_joint("Revolute", "upper", "lower", 0.075, -0.075)),
    fault("bodies-none", "Joint has no bodies", ("rail", "rel physics:body0 = </Robot/pedestal>", ""),
          ("rail", "rel physics:body1 = </Robot/slide>", "")),
    changed("body-missing", "Joint names a body that is not there", "rail", "rel physics:body1", "</Robot/slide>",
            "</Robot/slider>"),
    changed("body-twice", "Joint joins a body to itself", "rail", "rel physics:body1", "</Robot/slide>",
            "</Robot/pedestal>"),
    changed("frame-zero", "Frame of a joint is no rotation", "elbow", "quatf physics:localRot1", "(1, 0, 0, 0)",
            "(0, 0, 0, 0)"),
    changed("frames-apart", "Frames of a joint do not meet", "elbow", "point3f physics:localPos1", "(-0.075, 0, 0)",
            "(-0.075, 0.3, 0)"),
    changed("world-frame-apart", "Frame of the joint to the world is not at the robot", "root",
            "point3f physics:localPos0", "(0, 0, 1)", "(0, 0, 0.03)"),
    fault("drive-instance", "Hinge has a linear drive", (
        "shoulder", '"PhysicsDriveAPI:angular"', '"PhysicsDriveAPI:linear"')),
    fault("schema-missing", "Drive has values and no schema", ("shoulder", '"PhysicsDriveAPI:angular", ', "")),
    fault("mimic-self", "Mimic joint follows itself", ("fingertip", "referenceJoint = </Robot/elbow>",
                                                       "referenceJoint = </Robot/fingertip>")),
    fault("mimic-missing", "Mimic joint follows a joint that is not there",
          ("fingertip", "referenceJoint = </Robot/elbow>", "referenceJoint = </Robot/elbo>")),
    fault("mimic-sign", "Gearing has the wrong sign for the limits", ("elbow", "lowerLimit = -90", "lowerLimit = 0"),
          ("fingertip", "lowerLimit = -90", "lowerLimit = 0")),
)
TREES = (
    fault("tendon-misspelt", "Property of a tendon is misspelt", *TENDON,
          ("shoulder", "flexor:stiffness", "flexor:stifness")),
    fault("tendon-rootless", "Tendon has no root", ("elbow", ELBOW_SCHEMAS, f'{ELBOW_SCHEMAS}, "{TENDON_AXIS}"'),
          ("elbow", "", "        float[] physxTendon:flexor:gearing = [0.01]")),
    fault("schema-misspelt", "Schema is misspelt", (
        "elbow", '"PhysxJointAxisAPI:angular"', '"PhysxJointAxesAPI:angular"')),
    fault("root-nested", "Articulation root inside another",
          ("upper", '"PhysicsRigidBodyAPI"', '"PhysicsArticulationRootAPI", "PhysicsRigidBodyAPI"')),
    fault("root-missing", "Joined bodies without an articulation root",
          ("Robot", '"PhysicsArticulationRootAPI", ', "")),
    fault("pair-missing", "Filtered pair names a prim that is not there",
          ("upper", '"PhysicsMassAPI"', '"PhysicsMassAPI", "PhysicsFilteredPairsAPI"'),
          ("upper", "", "        rel physics:filteredPairs = </Robot/lowr>")),
    fault("transform-mirrored", "Body has a negative scale", (
        "slide", 'xformOpOrder = ["xformOp:translate"]', 'xformOpOrder = ["xformOp:translate", "xformOp:scale"]\n'
        "        double3 xformOp:scale = (-1, 1, 1)")),
    changed("transform-operation", "Order of transforms names one that is not there", "slide",
            "uniform token[] xformOpOrder", '["xformOp:translate"]', '["xformOp:translate", "xformOp:orient"]'),
    changed("units-nan", "Length unit is NaN", "Robot", "metersPerUnit", "1", "nan"),
)
BEHAVIOUR = (
    changed("drive-weak", "Drive cannot lift its load", "shoulder", f"{DRIVE}maxForce", "20", "0.2"),
    changed("gains-tiny", "Gains of a drive are far too small", "shoulder", f"{DRIVE}stiffness", "2", "0.01"),
    changed("velocity-radians", "Velocity limit is in rad/s", "shoulder",
            "float physxJointAxis:angular:maxJointVelocity", "300", "3.14"),
    fault("hulls-overlap", "Hulls of two links start inside each other",
          ("slide", "double3 xformOp:translate = (0, 0.2, 1)", "double3 xformOp:translate = (0.15, 0.02, 1)"),
          ("rail", "point3f physics:localPos0 = (0, 0.2, 0)", "point3f physics:localPos0 = (0.15, 0.02, 0)"),
          basis=(("Robot", "enabledSelfCollisions = 0", "enabledSelfCollisions = 1"), *with_mesh("upper"),
                 *with_mesh("slide"))),
)
PLAUSIBILITY = (
    changed("gravity-sign", "Gravity pulls upwards", "Scene", "float physics:gravityMagnitude", "9.81", "-9.81"),
    fault("tray-none", "Moving mesh without an approximation", ("upper", '"convexHull"', '"none"'),
          basis=with_mesh("upper")),
    fault("mesh-invisible", "Invisible collision mesh is no guide (RB.010)", (
        "upper", "int[] faceVertexCounts", 'token visibility = "invisible"\n            int[] faceVertexCounts'),
          basis=with_mesh("upper")),
    fault("collider-missing", "Body has no collider (RB.013)", ("lower", '"PhysicsCollisionAPI", ', "")),
    fault("material-missing", "Collider has no physics material (PMT.001)",
          ("lower", "rel material:binding:physics = </Robot/Looks/rubber>", "")),
    fault("kilograms-missing", "Stage does not give its unit of mass (UN.003)", ("Robot", "kilogramsPerUnit = 1", "")),
)

FAULTS: tuple[Fault, ...] = (*VALUES, *MASSES, *JOINTS, *TREES, *BEHAVIOUR, *PLAUSIBILITY)
