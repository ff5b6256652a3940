"""Arms of one driven joint in any unit and axis: a link of 5 kg on a lever or a slider."""

from __future__ import annotations

from pxr import Sdf, Usd

from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.layer_editor import LayerEditor
from support.stages.robots import base, link, prim, robot

MASS, LEVER, GRAVITY = 5.0, 0.5, 9.81           # kg, m, m / s^2
WEIGHT, TORQUE = MASS * GRAVITY, MASS * GRAVITY * LEVER         # N, N m
JOINT = "/Robot/j"
_AXIS = ("staticFrictionEffort", "dynamicFrictionEffort", "maxJointVelocity", "armature")


def arm(kind: str = "Revolute", axis: str = "Y", up: str = "Z", meters: float = 1.0, state: float | None = None,
        limits: tuple[float, float] = (-90.0, 90.0), **values: float) -> str:
    """An arm on a fixed base; values by the base names of drive and joint axis, in degrees or the stage's lengths.

    A hinge about an axis across gravity bears TORQUE, a slider along the up axis bears WEIGHT; in other units of
    length both are larger by the unit or its square.
    """
    name = "angular" if kind == "Revolute" else "linear"
    lever = LEVER / meters if kind == "Revolute" else 0.0
    given = {f"float physxJointAxis:{name}:{key}" if key in _AXIS else f"float drive:{name}:physics:{key}": value
             for key, value in values.items()}
    state_of = {} if state is None else {f"float state:{name}:physics:position": state}
    schemas = (f"PhysicsDriveAPI:{name}", f"PhysxJointAxisAPI:{name}",
               *(() if state is None else (f"PhysicsJointStateAPI:{name}",)))
    joint = prim(f"Physics{kind}Joint", "j", schemas, {
        "rel physics:body0": "</Robot/base>", "rel physics:body1": "</Robot/fore>",
        "uniform token physics:axis": axis, "point3f physics:localPos1": (-lever, 0.0, 0.0),
        "float physics:lowerLimit": limits[0], "float physics:upperLimit": limits[1], **given, **state_of})
    inertia = {"float3 physics:diagonalInertia": (0.1 / meters ** 2,) * 3}
    scene = prim("PhysicsScene", "scene", ("PhysxSceneAPI",), {
        "float physics:gravityMagnitude": GRAVITY / meters, "bool physxScene:enableGPUDynamics": False,
        "uniform token physxScene:broadphaseType": "MBP"})
    text = robot(base(), link("fore", (lever, 0.0, 0.0), mass=MASS, more=inertia), joint, meters=meters, outside=scene)
    return text.replace('upAxis = "Z"', f'upAxis = "{up}"')


def repaired(stage: Usd.Stage, findings: list[Finding]) -> str:
    """The text of the stage's own layer with the repairs of findings."""
    editor = LayerEditor(stage)
    for step in editor.steps([edit for item in findings if item.repair for edit in item.repair.edits]):
        step(editor.layer)
    return str(editor.layer.ExportToString())


def layered(text: str, over: str) -> Usd.Stage:
    """A stage of a layer of opinions over the layer of a text."""
    weak, strong = (Sdf.Layer.CreateAnonymous(".usda") for _ in range(2))
    weak.ImportFromString(text)
    strong.ImportFromString(text.partition("def Xform")[0] + over)
    strong.subLayerPaths.append(weak.identifier)
    return Usd.Stage.Open(strong)       # which holds the weak layer from now on
