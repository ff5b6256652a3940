"""Mimic joints from two joints and numbers."""

from __future__ import annotations

from physx_generated import PhysxMimicJointAPI
from pxr import Usd, UsdPhysics

from physx_schema.authoring.edits import Edit, author
from physx_schema.authoring.prims import PrimLike, find_prim, joint_axis_of, leftovers, stage_of
from physx_schema.authoring.quantities import given, is_finite
from physx_schema.authoring.topology import Topology
from physx_schema.description.model import unlimited
from physx_schema.description.schemas import ROTATIONS

SCHEMA = "PhysxMimicJointAPI"
NAMESPACE = "physxMimicJoint"
INSTANCES = {"X": "rotX", "Y": "rotY", "Z": "rotZ"}


def mimic(
    joint: Usd.Prim | Usd.SchemaBase, reference: PrimLike, *, gearing: float, offset: float | None = None,
    natural_frequency: float | None = None, damping_ratio: float | None = None, instance: str | None = None,
) -> PhysxMimicJointAPI:
    """Author a mimic joint: `joint` follows `reference`, and drags it in turn.

    ``q + gearing * q_reference + offset = 0``, so a positive gearing turns the joint the opposite way.

    q in degrees (revolute) or lengths (prismatic). gearing: unit of the joint / unit of the reference. offset: unit of
    the joint. natural_frequency [rad / time] and damping_ratio, both above 0, make the coupling a spring; left out it
    is hard. instance: rotX, rotY or rotZ; the joint's own axis where None, for prismatic joints too.

    Writes PhysxMimicJointAPI:<instance> on `joint` with referenceJoint and the values given. Returns it; `set` changes
    its values later.

    Raises AuthoringError, one line per problem and nothing written, for everything PhysX would refuse or ignore.
    """
    stage = stage_of(joint)
    prim, leader = find_prim(stage, joint), find_prim(stage, reference)
    name = instance or _instance_of(prim)
    where = f"{prim.GetPath()}.{NAMESPACE}:{name}"
    problems = _value_problems(where, gearing, natural_frequency, damping_ratio)
    problems += _place_problems(Topology(stage), prim, leader, name)
    if not problems:
        problems += _limit_problems(where, prim, leader, gearing, offset or 0.0)
    values = given(offset=offset, naturalFrequency=natural_frequency, dampingRatio=damping_ratio)
    edit = Edit(PhysxMimicJointAPI, prim, name, {"referenceJoint": leader, "gearing": gearing, **values})
    authored: PhysxMimicJointAPI = author([edit], problems)[0]
    return authored


def _instance_of(prim: Usd.Prim) -> str:
    """The instance name of the joint's axis; PhysX reads no names but rotX, rotY, rotZ, on prismatic joints too."""
    axis = prim.GetAttribute("physics:axis")
    return INSTANCES.get(axis.Get() if axis else "X", "rotX")


def _value_problems(
    where: str, gearing: float, natural_frequency: float | None, damping_ratio: float | None,
) -> list[str]:
    lines = []
    if gearing == 0:
        lines.append(f"{where}:gearing: 0, and PhysX makes no mimic joint of it; give another value")
    for base, value, other in (
        ("naturalFrequency", natural_frequency, damping_ratio), ("dampingRatio", damping_ratio, natural_frequency),
    ):
        if is_finite(value) and not (value > 0 and is_finite(other) and other > 0):
            lines.append(f"{where}:{base}: {value:g}, and PhysX makes the coupling hard unless natural frequency and "
                         f"damping ratio are both above 0; give both, or leave both out")
    return lines


def _place_problems(topology: Topology, prim: Usd.Prim, leader: Usd.Prim, instance: str) -> list[str]:
    """Lines for joints that PhysX does not couple, and for what is on the joint already."""
    path, reference = str(prim.GetPath()), str(leader.GetPath())
    lines = leftovers(prim, NAMESPACE, [SCHEMA], instance)
    lines += [f"{path}: already a mimic joint, {SCHEMA}:{other}, and PhysX takes one per joint; remove it first"
              for other in ROTATIONS if other != instance and prim.HasAPI(SCHEMA, other)]
    if path == reference:
        return [*lines, f"{path}: refers to itself; give another joint as reference"]
    for part in (prim, leader):
        lines += filter(None, [topology.joint_problem(part)])
        lines += _open_ended(part)
    place, other = topology.of_joint(path), topology.of_joint(reference)
    if place is not None and other is not None and place.tree is not other.tree:
        lines.append(f"{path}: {reference} is in another articulation; a mimic joint stays within one")
    way = _leaders(prim.GetStage(), reference)
    if path in way:
        lines.append(f"{path}: {' -> '.join([path, *way[:way.index(path) + 1]])} is a circle of mimic joints; let the "
                     f"first joint follow none of them")
    return lines


def _leaders(stage: Usd.Stage, path: str) -> list[str]:
    """A joint, the joint it follows, and so on."""
    way = [path]
    while (prim := stage.GetPrimAtPath(way[-1])) and (mimics := PhysxMimicJointAPI.GetAll(prim)):
        targets = mimics[0].GetReferenceJointRel().GetTargets()
        if not targets or str(targets[0]) in way:
            break
        way.append(str(targets[0]))
    return way


def _open_ended(prim: Usd.Prim) -> list[str]:
    """The line for a revolute joint without two finite limits."""
    if joint_axis_of(prim) != "angular" or not any(map(unlimited, _limits(prim))):
        return []
    lower, upper = _limits(prim)
    return [f"{prim.GetPath()}.physics:{'lowerLimit' if unlimited(lower) else 'upperLimit'}: limits [{lower:g}, "
            f"{upper:g}], and PhysX couples no revolute joint without two finite limits; author both"]


def _limits(prim: Usd.Prim) -> tuple[float, float]:
    """The joint's limits in degrees or lengths."""
    joint = (UsdPhysics.RevoluteJoint if joint_axis_of(prim) == "angular" else UsdPhysics.PrismaticJoint)(prim)
    return joint.GetLowerLimitAttr().Get(), joint.GetUpperLimitAttr().Get()


def _limit_problems(where: str, prim: Usd.Prim, leader: Usd.Prim, gearing: float, offset: float) -> list[str]:
    """The line for a coupling that the limits of the two joints leave no position for."""
    if not (is_finite(gearing) and is_finite(offset)):
        return []
    lower, upper = _limits(prim)
    ends = sorted(-gearing * end - offset for end in _limits(leader))
    if ends[0] <= upper and lower <= ends[1]:
        return []
    return [f"{where}:gearing: the limits of {leader.GetPath()} put this joint between {ends[0]:g} and {ends[1]:g}, "
            f"outside its own limits [{lower:g}, {upper:g}]; change gearing, offset or limits"]
