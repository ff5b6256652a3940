"""Mimic joints from two joints and numbers."""

from __future__ import annotations

from physx_generated import PhysxMimicJointAPI
from pxr import Sdf, Usd, UsdPhysics

from physx_schema.authoring.articulations import Topology, TreeNode
from physx_schema.authoring.prims import (
    Application,
    PrimLike,
    apply_all,
    conflicts,
    find_prim,
    is_finite,
    joint_axis_of,
    not_none,
    require_name,
    stage_of,
)
from physx_schema.checking.engine.finding import location
from physx_schema.checking.rules.mimic_values import clip_findings, limits_fault
from physx_schema.description.model.joint import ROTATIONS

MIMIC_SCHEMA = "PhysxMimicJointAPI"
_NAMESPACE = "physxMimicJoint"
INSTANCES = {"X": "rotX", "Y": "rotY", "Z": "rotZ"}
NEWTON_SCHEMA = "NewtonMimicAPI"
# How a hard coupling is spelt: no damping ratio, and a frequency that nothing reads but SimReady's rule asks for.
HARD = {"naturalFrequency": 60.0, "dampingRatio": 0.0}      # rad / s


def mimic(
    joint: Usd.Prim | Usd.SchemaBase, reference: PrimLike, *, gearing: float, offset: float | None = None,
    natural_frequency: float | None = None, damping_ratio: float | None = None, instance: str | None = None,
) -> PhysxMimicJointAPI:
    """Author a mimic joint: `joint` follows `reference`. The mimic joint acts on both joints.

    ``q + gearing * q_reference + offset = 0``

    `joint` is the follower joint, and `reference` is the reference joint. With a positive gearing, the two joints move
    in opposite directions. q is in degrees (revolute joint) or lengths (prismatic joint).

    - `gearing`: in units of the follower joint / units of the reference joint
    - `offset`: in units of the follower joint
    - `natural_frequency`, `damping_ratio`: natural frequency (rad / time) and damping ratio of the coupling as a
      spring; both above 0. Without natural frequency and damping ratio, the coupling is hard, and the authored
      damping ratio is 0.
    - `instance`: instance name: rotX, rotY or rotZ. None means the axis of the follower joint: rotX for axis X, also
      for prismatic joints.

    Writes PhysxMimicJointAPI:<instance> on `joint`. Returns the schema object; its `set` changes values later.

    Raises AuthoringError and writes nothing for values that PhysX refuses or ignores, with one line per problem. Faults
    that `check` reports as errors also raise AuthoringError, such as a joint without two limits or a chain of mimic
    joints.

    Example::

        mimic(stage.GetPrimAtPath("/Finger/tip_joint"), "/Finger/middle_joint", gearing=-0.6)
    """
    stage = stage_of(joint)
    prim, leader = find_prim(stage, joint), find_prim(stage, reference)
    if instance is not None:
        require_name(instance, "instance")
    name = instance or _instance_of(prim)
    where = f"{prim.GetPath()}.{_NAMESPACE}:{name}"
    problems = _value_problems(where, gearing, natural_frequency, damping_ratio)
    problems += _topology_problems(Topology(stage), prim, leader, name)
    if not problems:
        problems += _limit_problems(prim, leader, gearing, 0.0 if offset is None else offset)
    spring = not_none(naturalFrequency=natural_frequency, dampingRatio=damping_ratio) or HARD
    values = {"referenceJoint": leader, "gearing": gearing, **not_none(offset=offset), **spring}
    application = Application(PhysxMimicJointAPI, prim, name, values)
    authored: PhysxMimicJointAPI = apply_all([application], problems)[0]
    return authored


def _instance_of(prim: Usd.Prim) -> str:
    """The instance name of the joint's axis; PhysX reads no names but rotX, rotY, rotZ, on prismatic joints too."""
    axis = prim.GetAttribute("physics:axis")
    return INSTANCES.get(axis.Get() if axis else "X", "rotX")


def _value_problems(
    where: str, gearing: float, natural_frequency: float | None, damping_ratio: float | None,
) -> list[str]:
    lines = []
    if is_finite(gearing) and gearing == 0:
        lines.append(f"{where}:gearing: gearing is 0, and PhysX does not create the mimic joint; give another value")
    for base, value, other in (
        ("naturalFrequency", natural_frequency, damping_ratio), ("dampingRatio", damping_ratio, natural_frequency),
    ):
        if is_finite(value) and not (value > 0 and is_finite(other) and other > 0):
            lines.append(f"{where}:{base}: {value:g} is ignored, because the coupling is hard unless naturalFrequency "
                         "and dampingRatio are both above 0; give both, or omit both")
    return lines


def _topology_problems(topology: Topology, prim: Usd.Prim, leader: Usd.Prim, instance: str) -> list[str]:
    """Lines for joints that PhysX does not couple, and for what is on the joint already."""
    path, reference = str(prim.GetPath()), str(leader.GetPath())
    lines = conflicts(prim, _NAMESPACE, [MIMIC_SCHEMA], instance)
    lines += [f"{path}: the joint has {MIMIC_SCHEMA}:{other} already, and PhysX accepts one mimic joint per joint; "
              f"remove {MIMIC_SCHEMA}:{other} first"
              for other in ROTATIONS if other != instance and prim.HasAPI(MIMIC_SCHEMA, other)]
    if _has_newtons(prim):
        lines.append(f"{path}: the joint has {NEWTON_SCHEMA} already, and PhysX would apply both mimic joints; remove "
                     f"{NEWTON_SCHEMA} first")
    if path == reference:
        return [*lines, f"{path}: the joint refers to itself; give another joint as reference"]
    for part in (prim, leader):
        lines += filter(None, [topology.joint_problem(part)])
        lines += _unlimited(part)
    node, other = topology.of_joint(path), topology.of_joint(reference)
    if node is not None and other is not None and node.tree is not other.tree:
        lines.append(f"{path}: {reference} is in another articulation; a mimic joint needs joints of one articulation")
    return [*lines, *_chain_problems(node, prim, leader)]


def _chain_problems(node: TreeNode | None, prim: Usd.Prim, leader: Usd.Prim) -> list[str]:
    """Lines for a reference that follows another joint, and for joints that follow the new follower."""
    path, stage = prim.GetPath(), prim.GetStage()
    remedy = ("SimReady and Newton allow no chain of mimic joints; refer to the first joint of the chain, "
              "with the negated product of the two gearings")
    head = _reference_of(leader)
    lines = [f"{path}: {leader.GetPath()} itself follows {head}; {remedy}"] if head else []
    joints = (link.joint.path for link in node.tree.links if link.joint is not None) if node else ()
    return lines + [f"{path}: {joint} follows this joint; {remedy}" for joint in joints
                    if _reference_of(stage.GetPrimAtPath(joint)) == path]


def _reference_of(prim: Usd.Prim) -> Sdf.Path | None:
    """The joint that a joint follows by a mimic joint; None where it follows none."""
    rels = [mimic.GetReferenceJointRel() for mimic in PhysxMimicJointAPI.GetAll(prim)]
    if _has_newtons(prim):
        rels.append(prim.GetRelationship("newton:mimicJoint"))
    return next((target for rel in rels if rel for target in rel.GetTargets()), None)


def _has_newtons(prim: Usd.Prim) -> bool:
    """Whether Newton's mimic joint is applied, which USD need not know."""
    return NEWTON_SCHEMA in prim.GetPrimTypeInfo().GetAppliedAPISchemas()


def _unlimited(prim: Usd.Prim) -> list[str]:
    """The line for a joint without two finite limits and room between them."""
    fault = limits_fault(_limits(prim)) if joint_axis_of(prim) else ""
    return [f"{prim.GetPath()}.physics:lowerLimit: the joint has {fault}, and PhysX or SimReady refuses the mimic "
            "joint; author two finite limits with lower < upper"] if fault else []


def _limits(prim: Usd.Prim) -> tuple[float, float]:
    """The joint's limits in degrees or lengths."""
    joint = (UsdPhysics.RevoluteJoint if joint_axis_of(prim) == "angular" else UsdPhysics.PrismaticJoint)(prim)
    return joint.GetLowerLimitAttr().Get(), joint.GetUpperLimitAttr().Get()


def _limit_problems(prim: Usd.Prim, leader: Usd.Prim, gearing: float, offset: float) -> list[str]:
    """The line for a coupling of which the limits of the two joints cut something off."""
    if not (is_finite(gearing) and is_finite(offset)):
        return []
    findings = clip_findings(str(prim.GetPath()), _limits(prim), _limits(leader), gearing, offset)
    return [f"{location(item.path, item.property)}: {item.message}; {item.fix}, or change gearing and offset"
            for item in findings]
