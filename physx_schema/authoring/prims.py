"""What helpers that write have in common: prims, properties of joint axes, numbers and vectors.

What every helper asks of a prim before it writes: that it exists, that it may be edited, what is there already.

What moves and brakes one joint axis: its drive, and its armature, friction and speed limit.

Numbers and vectors as callers give them: Python's, NumPy's or Gf's.

Several schemas applied to several prims as one change: all of them, or none.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias, TypeGuard

from physx_generated import PhysxJointAxisAPI
from pxr import Sdf, Usd, UsdPhysics

from physx_schema.arguments import display, items_of, label
from physx_schema.description.records import Vec3
from physx_schema.errors import AuthoringError
from physx_schema.files import representable

PrimLike: TypeAlias = Usd.Prim | Usd.SchemaBase | Sdf.Path | str
# Of two paths, as difflib counts it, for one to be taken for a misspelling of the other.
MIN_SIMILARITY = 0.75
LONGEST_PATH = 1000         # characters


def refuse(problems: Iterable[str]) -> None:
    """Raise AuthoringError with one line for each problem, sorted; do nothing where there is none."""
    lines = sorted(set(problems))
    if lines:
        raise AuthoringError("\n".join(lines))


def path_of(prim: PrimLike) -> str:
    """The prim's path as a string; for what has none a text that names it."""
    if isinstance(prim, str):
        return label(prim)
    if isinstance(prim, Usd.SchemaBase):
        prim = prim.GetPrim()
    if not isinstance(prim, Sdf.Path | Usd.Prim):
        return display(prim)
    path = prim if isinstance(prim, Sdf.Path) else prim.GetPath()
    return str(path) if path else "an invalid prim"


def is_prim_path(path: str) -> bool:
    """Whether a string is the absolute path of a prim."""
    if not path.startswith("/") or len(path) > LONGEST_PATH or not representable(path):
        return False
    return bool(Sdf.Path.IsValidPathString(path)) and bool(Sdf.Path(path).IsPrimPath())


def find_prim(stage: Usd.Stage, prim: PrimLike) -> Usd.Prim:
    """The prim of `stage` that is meant. Raises AuthoringError where there is none."""
    if not isinstance(stage, Usd.Stage):
        raise AuthoringError(f"{display(stage)} is not a stage; give an open Usd.Stage")
    path = path_of(prim)
    if not is_prim_path(path):
        raise AuthoringError(f"{path}: not a prim path; give a prim or an absolute path such as /World/link")
    result = stage.GetPrimAtPath(path)
    if not result:
        raise AuthoringError(f"{path}: no such prim on the stage; {_suggestion(stage, path)}")
    return result


def _suggestion(stage: Usd.Stage, path: str) -> str:
    """The path on the stage that was probably meant, else what to do."""
    paths = {str(prim.GetPath()).lower(): str(prim.GetPath()) for prim in stage.Traverse(Usd.TraverseInstanceProxies())}
    close = get_close_matches(path.lower(), paths, n=1, cutoff=MIN_SIMILARITY)
    return f"did you mean {paths[close[0]]}?" if close else "create it first"


def find_prims(stage: Usd.Stage, prims: Iterable[PrimLike]) -> list[Usd.Prim]:
    """The prims of `stage` that are meant. Raises AuthoringError with a line for each that does not exist."""
    result, lines = [], []
    for prim in prims:
        try:
            result.append(find_prim(stage, prim))
        except AuthoringError as error:
            lines.append(str(error))
    refuse(lines)
    return result


def require_name(name: object, what: str) -> None:
    """Raise AuthoringError for a name that is not a string."""
    if not isinstance(name, str):
        raise AuthoringError(f"the name of the {what} is {display(name)}; give a string")


def stage_of(prim: Usd.Prim | Usd.SchemaBase) -> Usd.Stage:
    """The stage a prim or schema object lives on. Raises AuthoringError where it is invalid."""
    usd_prim = prim.GetPrim() if isinstance(prim, Usd.SchemaBase) else prim
    if not isinstance(usd_prim, Usd.Prim) or not usd_prim:
        example = (f"stage.GetPrimAtPath({display(str(prim))})" if isinstance(prim, str | Sdf.Path) else
                   "a prim of an open stage")
        raise AuthoringError(f"{display(prim)} is not a prim on a stage; give a valid Usd.Prim or a schema object on "
                             f"it, such as {example}")
    return usd_prim.GetStage()


def why_not_editable(prim: Usd.Prim) -> list[str]:
    """Why nothing can be written on a prim, one line or none."""
    layer = prim.GetStage().GetEditTarget().GetLayer()
    if prim.IsInstanceProxy() or prim.IsInPrototype():
        return [f"{prim.GetPath()}: the prim is inside an instance; author on the instanced asset instead"]
    if not layer.permissionToEdit:
        return [f"{prim.GetPath()}: layer {layer.identifier} is not editable; choose another edit target"]
    return []


def conflicts(prim: Usd.Prim, namespace: str, schemas: Iterable[str], instance: str) -> list[str]:
    """What is on a prim already under the instance name a helper is about to use, a line each."""
    applied = prim.GetAppliedSchemas()
    for schema in schemas:
        if f"{schema}:{instance}" in applied:
            return [f"{prim.GetPath()}: {schema}:{instance} is applied already; remove {schema}:{instance}, or choose "
                    "another name"]
    authored = prim.GetAuthoredPropertiesInNamespace(f"{namespace}:{instance}")
    return [f"{prim.GetPath()}.{prop.GetName()}: the property is authored already, without its schema; remove the "
            "property first"
            for prop in authored]


def joint_axis_of(prim: Usd.Prim) -> str | None:
    """"angular" for a revolute joint, "linear" for a prismatic one, None for anything else."""
    if prim.IsA(UsdPhysics.RevoluteJoint):
        return "angular"
    return "linear" if prim.IsA(UsdPhysics.PrismaticJoint) else None


def require_axis(prim: Usd.Prim) -> str:
    """The instance name of a one-axis joint's properties. Raises AuthoringError for any other prim."""
    axis = joint_axis_of(prim)
    if axis is None:
        raise AuthoringError(not_one_axis(prim))
    return axis


def not_one_axis(prim: Usd.Prim) -> str:
    """The line for a prim that is no revolute or prismatic joint."""
    kind = prim.GetTypeName() or "a prim without a type"
    return f"{prim.GetPath()}: {kind} is not a revolute or prismatic joint; give a joint of one of these types"


def is_finite(value: object) -> TypeGuard[float]:
    """Whether a value is a number, and neither infinite nor NaN; bools are none."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:       # a whole number beyond the largest double
        return False


def not_finite(where: str, value: object) -> list[str]:
    """The line for what is not a finite number."""
    return [] if is_finite(value) else [f"{where}: {display(value)} is not a finite number; give a finite number"]


def as_vector(value: object) -> Vec3 | None:
    """Three finite numbers as floats, None for anything else."""
    items = items_of(value) or ()
    if len(items) != 3 or not all(map(is_finite, items)):
        return None
    return float(items[0]), float(items[1]), float(items[2])


def not_vector(where: str, value: object) -> list[str]:
    """The line for what is not three finite numbers."""
    return [] if as_vector(value) else [f"{where}: {display(value)} is not three finite numbers; give (x, y, z)"]


def not_none(**values: object) -> dict[str, object]:
    """The values that are not None: what is left out keeps its default and is not written."""
    return {name: value for name, value in values.items() if value is not None}


NOT_NEGATIVE = ("stiffness", "damping", "maxForce")


def drive(
    joint: Usd.Prim | Usd.SchemaBase, *, stiffness: float | None = None, damping: float | None = None,
    target: float | None = None, target_velocity: float | None = None, max_force: float | None = None,
    type: Literal["force", "acceleration"] | None = None,
) -> UsdPhysics.DriveAPI:
    """Author the drive of a revolute or prismatic joint, or change an existing drive.

    ``effort = stiffness * (target - q) + damping * (target_velocity - qd)``, at most max_force

    - `stiffness`: in torque / degree (revolute joint) or force / length (prismatic joint)
    - `damping`: in torque time / degree (revolute joint) or force time / length (prismatic joint)
    - `target`: joint position in degrees or lengths
    - `target_velocity`: joint velocity in degree / time or length / time
    - `max_force`: limit of a torque or force; math.inf means no limit. `max_force` limits the sum of drive effort and
      joint effort.
    - `type`: with "acceleration", PhysX multiplies the effort by the joint's inertia

    Omitted values are not written. Writes PhysicsDriveAPI:angular or PhysicsDriveAPI:linear, and returns it.

    Raises AuthoringError and writes nothing if the prim is not a revolute or prismatic joint. It also
    raises AuthoringError if a gain or max_force is negative, or if a value other than max_force is not finite.

    Example::

        drive(stage.GetPrimAtPath("/Robot/knee"), stiffness=2.0, damping=0.05, target=20.0, max_force=50.0)
    """
    stage_of(joint)
    prim = joint.GetPrim()
    instance = require_axis(prim)
    values = not_none(
        type=type, stiffness=stiffness, damping=damping, targetPosition=target, targetVelocity=target_velocity,
        maxForce=max_force,
    )
    refuse([*why_not_editable(prim), *_drive_problems(f"{prim.GetPath()}.drive:{instance}:physics", values)])
    api = UsdPhysics.DriveAPI.Apply(prim, instance)
    for name, value in values.items():
        getattr(api, f"Create{name[0].upper()}{name[1:]}Attr")(value if name == "type" else float(value))  # type: ignore[arg-type]
    return api


def _drive_problems(prefix: str, values: dict[str, object]) -> list[str]:
    lines = []
    for name, value in values.items():
        where = f"{prefix}:{name}"
        if name == "type":
            if not isinstance(value, str) or value not in ("force", "acceleration"):
                lines.append(f"{where}: token {display(value)} is not one of force, acceleration; give one of them")
        elif not (name == "maxForce" and isinstance(value, float) and value == math.inf):
            lines += not_finite(where, value)
        if name in NOT_NEGATIVE and is_finite(value) and value < 0:
            lines.append(f"{where}: {value:g} is negative; give a value of at least 0")
    return lines


def joint_axis(
    joint: Usd.Prim | Usd.SchemaBase, *, armature: float | None = None, static_friction: float | None = None,
    dynamic_friction: float | None = None, viscous_friction: float | None = None, max_velocity: float | None = None,
) -> PhysxJointAxisAPI:
    """Author armature, friction and maximum speed of a revolute or prismatic joint, or change existing values.

    - `armature`: in mass length^2 (revolute joint) or mass (prismatic joint)
    - `static_friction`, `dynamic_friction`: a torque (revolute joint) or a force (prismatic joint)
    - `viscous_friction`: in torque time / degree (revolute joint) or force time / length (prismatic joint)
    - `max_velocity`: in degree / time (revolute joint) or length / time (prismatic joint)

    Omitted values are not written. Writes PhysxJointAxisAPI:angular or PhysxJointAxisAPI:linear, and returns it.

    Raises AuthoringError and writes nothing:

    - if the prim is not a revolute or prismatic joint, or the joint is excluded from the articulation
    - if a value is outside the range of its property
    - if the dynamic friction is above the static friction, because PhysX then refuses both values

    Example::

        joint_axis(stage.GetPrimAtPath("/Robot/knee"), armature=0.01, static_friction=0.2, dynamic_friction=0.1)
    """
    stage_of(joint)
    prim = joint.GetPrim()
    instance = require_axis(prim)
    refuse([*why_not_editable(prim), *_excluded(prim)])
    values = not_none(
        armature=armature, staticFrictionEffort=static_friction, dynamicFrictionEffort=dynamic_friction,
        viscousFrictionCoefficient=viscous_friction, maxJointVelocity=max_velocity,
    )
    return PhysxJointAxisAPI.Apply(prim, instance, **values)        # type: ignore[arg-type]


def _excluded(prim: Usd.Prim) -> list[str]:
    if not UsdPhysics.Joint(prim).GetExcludeFromArticulationAttr().Get():
        return []
    return [f"{prim.GetPath()}: physics:excludeFromArticulation is true, and PhysX reads PhysxJointAxisAPI only in "
            "articulations; set it to false"]


@dataclass(frozen=True, slots=True)
class Application:
    """A generated multiple-apply class to apply to a prim under an instance name, with values by keyword."""

    schema: Any
    prim: Usd.Prim
    instance: str
    values: Mapping[str, object]


def apply_all(applications: Sequence[Application], problems: Iterable[str]) -> list[Any]:
    """Apply every schema and return the schema objects, in order.

    Raises AuthoringError with `problems` and with whatever the applications themselves would be refused for; then
    nothing has been written.
    """
    refuse([*problems, *(line for item in applications for line in (*why_not_editable(item.prim), *_rehearse(item)))])
    return [item.schema.Apply(item.prim, item.instance, **item.values) for item in applications]


def _rehearse(item: Application) -> list[str]:
    """What an application would be refused for, found by applying it to a prim of the same path on an empty stage."""
    if not item.instance:
        return [f"{item.prim.GetPath()}: the name is empty; give an identifier such as flexor"]
    stage = Usd.Stage.CreateInMemory()
    prim = stage.DefinePrim(item.prim.GetPath(), item.prim.GetTypeName())
    try:
        item.schema.Apply(prim, item.instance, **item.values)
    except AuthoringError as error:
        return str(error).splitlines()
    return []
