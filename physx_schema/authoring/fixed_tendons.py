"""Fixed tendons from joints and numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from physx_generated import PhysxTendonAxisAPI, PhysxTendonAxisRootAPI
from pxr import Usd

from physx_schema.arguments import display
from physx_schema.authoring.articulations import Topology, TreeNode
from physx_schema.authoring.prims import (
    Application,
    PrimLike,
    apply_all,
    conflicts,
    find_prims,
    is_finite,
    not_none,
    refuse,
    require_name,
)
from physx_schema.definitions import default_number
from physx_schema.description.model.joint import SINGLE_AXIS_KINDS
from physx_schema.errors import AuthoringError

NAMESPACE = "physxTendon"
AXIS_SCHEMAS = ("PhysxTendonAxisRootAPI", "PhysxTendonAxisAPI")
ATTACHMENTS = ("PhysxTendonAttachmentRootAPI", "PhysxTendonAttachmentAPI", "PhysxTendonAttachmentLeafAPI")


class Axis(NamedTuple):
    """One joint of a fixed tendon. You can also give a plain tuple in the order of these fields.

    - `gearing`: in length / degree (revolute joint) or length / length (prismatic joint)
    - `force_coefficient`: joint effort divided by tendon force, in length (revolute joint) or without a unit (prismatic
      joint)
    """

    joint: PrimLike
    gearing: float = default_number("PhysxTendonAxisAPI", "gearing")    # length per degree (revolute) or per length
    force_coefficient: float = default_number("PhysxTendonAxisAPI", "forceCoefficient")     # effort per tendon force:
                                        # length (revolute) or 1 (prismatic), never converted


def fixed_tendon(
    stage: Usd.Stage, name: str, axes: Sequence[Axis | tuple[PrimLike, float, float]], *,
    stiffness: float | None = None, damping: float | None = None, rest_length: float | None = None,
    offset: float | None = None, limit_stiffness: float | None = None, lower: float | None = None,
    upper: float | None = None,
) -> PhysxTendonAxisRootAPI:
    """Author a fixed tendon: a spring and damper on a weighted sum of joint positions.

    ``length = offset + sum(gearing[k] * q[k])``
    ``effort[k] = -force_coefficient[k] / len(axes) * (stiffness * (length - rest_length) + damping * d(length)/dt
    + limit_stiffness * excess)``

    q is in degrees or lengths. `excess` is length minus the exceeded limit, and 0 if length is in [lower, upper].

    - `axes`: the first axis is on the root joint of the tendon. The other axes are on joints below the root joint.
      Each joint on the path up to the root joint must also have an axis. An axis with gearing and force coefficient 0
      only connects other axes; len(axes) includes it.
    - `stiffness`, `limit_stiffness`: in force / length
    - `damping`: in force time / length
    - `rest_length`, `offset`, `lower`, `upper`: lengths

    Omitted values are not written and keep their defaults: gains of 0 and no limits. Writes
    PhysxTendonAxisRootAPI:<name> on the first joint and PhysxTendonAxisAPI:<name> on the other joints. Returns the root
    schema; its `set` changes values later.

    Raises AuthoringError and writes nothing for values that PhysX drops or ignores, with one line per problem.

    Example::

        fixed_tendon(stage, "flexor", [("/Finger/knuckle", 1.4e-4, 0.002), ("/Finger/middle_joint", 1.05e-4, 0.006)],
                     stiffness=300.0)
    """
    tendon_axes = _axes(name, axes)
    prims = find_prims(stage, [axis.joint for axis in tendon_axes])
    where = f"{prims[0].GetPath()}.{NAMESPACE}:{name}"
    problems = gain_problems(where, stiffness, damping, limit_stiffness)
    problems += limit_problems(where, limit_stiffness, lower, upper) + _value_problems(where, tendon_axes)
    problems += _topology_problems(Topology(stage), prims, name)
    values = not_none(
        stiffness=stiffness, damping=damping, restLength=rest_length, offset=offset, limitStiffness=limit_stiffness,
        lowerLimit=lower, upperLimit=upper,
    )
    applications = [
        Application(
            PhysxTendonAxisRootAPI if index == 0 else PhysxTendonAxisAPI, prim, name,
            {"gearing": [axis.gearing], "forceCoefficient": [axis.force_coefficient], **(values if index == 0 else {})},
        )
        for index, (prim, axis) in enumerate(zip(prims, tendon_axes, strict=True))
    ]
    root: PhysxTendonAxisRootAPI = apply_all(applications, problems)[0]
    return root


def _axes(name: str, axes: Sequence[Axis | tuple[PrimLike, float, float]]) -> list[Axis]:
    """The axes by name. Raises AuthoringError where there are none, or something else than axes."""
    require_name(name, "fixed tendon")
    where = f"fixed tendon {display(name)}"
    if not isinstance(axes, list | tuple):
        raise AuthoringError(f"{where}: axes {display(axes)} are not a list; give [(joint, gearing, "
                             "force_coefficient), ...]")
    refuse(f"{where}: {display(axis)} is not an axis; give (joint, gearing, force_coefficient)"
           for axis in axes if not (isinstance(axis, tuple) and 1 <= len(axis) <= 3))
    if not axes:
        raise AuthoringError(f"{where}: there are no axes; give at least one (joint, gearing, "
                             "force_coefficient)")
    return [Axis(*axis) for axis in axes]


def gain_problems(prefix: str, *gains: float | None) -> list[str]:
    """The line for a tendon whose stiffness, damping and limit stiffness are all 0."""
    if any(is_nonzero(gain) for gain in gains):
        return []
    return [f"{prefix}:stiffness: stiffness, damping and limitStiffness are all 0, and the tendon has no effect; give "
            "one of the three"]


def is_nonzero(value: object) -> bool:
    """Whether a value is not the number 0 and not None; whether it is a number at all is checked when it is written."""
    return value is not None and not (is_finite(value) and value == 0)


def limit_problems(prefix: str, limit_stiffness: float | None, lower: float | None, upper: float | None) -> list[str]:
    """Lines for tendon limits without a stiffness behind them, and for a stiffness without limits."""
    limited = any(map(is_finite, (lower, upper)))
    if limited and not is_nonzero(limit_stiffness):
        return [f"{prefix}:limitStiffness: the limit stiffness is 0, and PhysX ignores the limits; give "
                "limit_stiffness, or omit the limits"]
    if is_finite(limit_stiffness) and limit_stiffness and not limited:
        return [f"{prefix}:limitStiffness: {limit_stiffness:g} has no effect without a finite limit; give lower or "
                "upper, or omit limit_stiffness"]
    return []


def _value_problems(where: str, axes: Sequence[Axis]) -> list[str]:
    """Lines for weights with which the tendon could not pull on anything or would never change its length."""
    lines = []
    if not any(is_nonzero(axis.gearing) for axis in axes):
        lines.append(f"{where}:gearing: gearing is 0 on every axis, and the tendon's length never changes; give "
                     "another gearing for one axis")
    if not any(is_nonzero(axis.force_coefficient) for axis in axes):
        lines.append(f"{where}:forceCoefficient: the force coefficient is 0 on every axis, and no joint gets a force; "
                     "give another coefficient for one axis")
    return lines


def _topology_problems(topology: Topology, prims: Sequence[Usd.Prim], name: str) -> list[str]:
    """Lines for axes that PhysX would drop because of where they are or what is there already."""
    paths = [str(prim.GetPath()) for prim in prims]
    lines = [f"{path}: the joint is passed for {count} axes; PhysX has one axis per joint and tendon; give "
             "the joint once"
             for path, count in Counter(paths).items() if count > 1]
    for prim in prims:
        lines += conflicts(prim, NAMESPACE, AXIS_SCHEMAS + ATTACHMENTS, name)
        lines += filter(None, [topology.joint_problem(prim)])
    root = topology.of_joint(paths[0])
    if root is not None:
        lines += _same_name(root, paths, name)
        lines += [line for path in dict.fromkeys(paths[1:]) if (line := _dropped(topology, root, path, paths))]
    return lines


def _same_name(root: TreeNode, paths: Sequence[str], name: str) -> list[str]:
    """Lines for axes of the same tendon name on other joints of the articulation, which would join in or be dropped."""
    joints = [link.joint for link in root.tree.links if link.joint is not None and link.joint.path not in paths]
    return [f"{joint.path}: the joint has {schema}:{name} already, and axes with the same name form one tendon; choose "
            "another name"
            for joint in joints for schema in AXIS_SCHEMAS if joint.opinions.has(schema, name)]


def _dropped(topology: Topology, root: TreeNode, path: str, paths: Sequence[str]) -> str:
    """Why PhysX would drop an axis that is not joined to the root axis by joints that take part; else empty."""
    node = topology.of_joint(path)
    if node is None or path == paths[0]:
        return ""
    if node.tree is not root.tree:
        return (f"{path}: the joint is in another articulation than {paths[0]}; a tendon needs joints of one "
                "articulation")
    joints_between = node.joints_up_to(root)
    if joints_between is None:
        return (f"{path}: the joint is not below {paths[0]}, the joint of the first axis, and PhysX drops this axis; "
                "start with the joint that is above all other joints of the tendon")
    missing = [joint for joint in joints_between if joint.path not in paths]
    if not missing:
        return ""
    if missing[0].kind in SINGLE_AXIS_KINDS:
        return (f"{path}: no axis is on {missing[0].path}, which is between this joint and {paths[0]}, and PhysX drops "
                f"the axis of this joint; add ({missing[0].path}, 0, 0) to connect the axes")
    return (f"{path}: the {missing[0].kind} joint {missing[0].path} is between this joint and {paths[0]}, and PhysX "
            f"drops all axes below {missing[0].path}; start the tendon below {missing[0].path}")
