"""The base of a converted robot, fixed or floating: inferred, and authored so that PhysX makes it so.

Converters put the articulation root on a body and hold that body to the world by a joint. PhysX makes a floating base
of this, and a separate joint, which is softer than the joints of an articulation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from physx_runtime.conversion.limbs import Stance
from physx_schema.description.model import Articulation, Description, FreeBody, MaximalJoint
from physx_schema.description.robot_sources import RobotText

Base = Literal["auto", "fixed", "floating"]
BASES: tuple[Base, ...] = ("auto", "fixed", "floating")
_ROOT = "PhysicsArticulationRootAPI"
_ROOT_SCHEMAS = (_ROOT, "NewtonArticulationRootAPI", "PhysxArticulationAPI")
_ROOT_PROPERTIES = ("newton:selfCollisionEnabled", "newton:jointsAddMobility", "physxArticulation:")
_WORLD_NAMES = ("world", "map", "ground", "odom")        # names of root links that stand for where a robot is
_MOBILE_NAMES = ("footprint", "floating")                 # in names of root links of what moves about


@dataclass(frozen=True, slots=True)
class BaseChoice:
    """Whether a base is fixed, and why."""

    fixed: bool
    reason: str


def world_joints(description: Description, robot: Articulation | FreeBody) -> list[MaximalJoint]:
    """The joints outside articulations that hold links to the world."""
    links = {link.path for link in robot.links}
    return [joint for joint in description.separate_joints
            if {joint.body0, joint.body1} & links and "" in (joint.body0, joint.body1)]


def infer_base(joints: list[MaximalJoint], stance: Stance, text: RobotText) -> BaseChoice:
    """Whether a robot is fixed by what its file says and, in a URDF, by its shape: URDF has no word for it.

    joints: as `world_joints` gives them.
    """
    if text.root != "robot":
        return BaseChoice(bool(joints), "the MJCF gives its base no free joint" if joints else
                          "the MJCF gives its base a free joint")
    if not joints:
        return BaseChoice(False, "the URDF gives it a joint of type floating")
    root = text.root_link
    if root.lower() in _WORLD_NAMES:
        return BaseChoice(True, f"its root link {root} stands for the world")
    if any(word in root.lower() for word in _MOBILE_NAMES):
        return BaseChoice(False, f"its root link {root} stands for where a mobile robot is")
    if stance.wheels:
        return BaseChoice(False, f"it has {len(stance.wheels)} wheels or rotors")
    if stance.legs:
        return BaseChoice(False, f"{len(stance.legs)} legs reach lower than its root link {root}")
    return BaseChoice(True, f"it has neither wheels nor pairs of legs that reach the ground below its root link {root}")


def set_base(stage: Usd.Stage, robot: Articulation | FreeBody, joints: list[MaximalJoint],
             fixed: bool) -> Iterator[str]:
    """Author a fixed or floating base; what was done, in words. joints: as `world_joints` gives them."""
    root = robot.links[0].path
    if not fixed:
        for joint in joints:
            if joint.kind == "fixed":
                stage.RemovePrim(joint.path)
            else:       # actuators name it
                UsdPhysics.Joint(stage.GetPrimAtPath(joint.path)).CreateJointEnabledAttr(False)
            yield f"{_name(joint.path)} is {'removed' if joint.kind == 'fixed' else 'disabled'}"
        return
    if len(joints) > 1:
        yield f"{len(joints)} joints hold it to the world, and PhysX fixes a base by one; they are unchanged"
        return
    if not joints:
        joint_path = _weld(stage, root, "root_joint")
    elif joints[0].kind == "fixed":
        joint_path = joints[0].path
    else:
        mount = _mount(stage, joints[0])
        yield f"{_name(joints[0].path)} moves on the new body {_name(mount)}, because PhysX lets no joint move a base"
        joint_path = _weld(stage, mount, "mount_joint")
    if isinstance(robot, FreeBody):
        yield f"{_name(joint_path)} holds it"
        return
    move_root(stage.GetPrimAtPath(robot.path), stage.GetPrimAtPath(joint_path))
    yield f"{_ROOT} is on {_name(joint_path)}"


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def move_root(old: Usd.Prim, new: Usd.Prim) -> None:
    """Move what makes an articulation root from one prim to another, Newton's and PhysX's settings too."""
    listed = old.GetMetadata("apiSchemas")
    applied = listed.GetAppliedItems() if listed else []
    for schema in _ROOT_SCHEMAS:
        if schema in applied:
            old.RemoveAppliedSchema(schema)
            new.AddAppliedSchema(schema)
    layer = old.GetStage().GetEditTarget().GetLayer()
    for prop in old.GetAuthoredProperties():
        if prop.GetName().startswith(_ROOT_PROPERTIES):
            Sdf.CopySpec(layer, prop.GetPath(), layer, new.GetPath().AppendProperty(prop.GetName()))
            old.RemoveProperty(prop.GetName())


def _mount(stage: Usd.Stage, joint: MaximalJoint) -> str:
    """The path of a new body, to which a joint to the world now leads; it stands where the joint's other prim is."""
    prim = stage.GetPrimAtPath(joint.path)
    relation = prim.GetRelationship("physics:body0" if not joint.body0 else "physics:body1")
    cache, targets = UsdGeom.XformCache(), [stage.GetPrimAtPath(path) for path in relation.GetTargets()]
    transform = cache.GetLocalToWorldTransform(targets[0]) if targets else Gf.Matrix4d(1)
    path = _free_path(stage, "mount")
    mount = UsdGeom.Xform.Define(stage, path)
    mount.AddTransformOp().Set(transform * cache.GetParentToWorldTransform(mount.GetPrim()).GetInverse())
    UsdPhysics.RigidBodyAPI.Apply(mount.GetPrim())
    mass = UsdPhysics.MassAPI.Apply(mount.GetPrim())        # of no effect on a body that is fixed to the world
    mass.CreateMassAttr(1.0)
    mass.CreateDiagonalInertiaAttr(Gf.Vec3f(1.0))
    relation.SetTargets([path])
    return str(path)


def _weld(stage: Usd.Stage, body: str, name: str) -> str:
    """The path of a new fixed joint that holds a body to the world where it is."""
    joint = UsdPhysics.FixedJoint.Define(stage, _free_path(stage, name))
    transform = Gf.Transform(UsdGeom.XformCache().GetLocalToWorldTransform(stage.GetPrimAtPath(body)))
    joint.CreateBody1Rel().SetTargets([body])
    joint.CreateLocalPos0Attr(Gf.Vec3f(transform.GetTranslation()))
    joint.CreateLocalRot0Attr(Gf.Quatf(transform.GetRotation().GetQuat()))
    joint.CreateLocalPos1Attr(Gf.Vec3f(0.0))
    joint.CreateLocalRot1Attr(Gf.Quatf(1.0))
    return str(joint.GetPath())


def _free_path(stage: Usd.Stage, name: str) -> Sdf.Path:
    """A path below the robot that no prim has."""
    parent = stage.GetDefaultPrim().GetPath()
    scope = parent.AppendChild("Physics")
    parent = scope if stage.GetPrimAtPath(scope) else parent
    candidates = (parent.AppendChild(name if not count else f"{name}_{count}") for count in range(1 << 16))
    return next(path for path in candidates if not stage.GetPrimAtPath(path))
