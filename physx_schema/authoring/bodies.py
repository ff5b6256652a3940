"""Rigid bodies and joints with explicit numbers, on prims of their own.

One schema on many prims, as one change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat
from typing import Any, Literal, TypeVar

import numpy as np
from physx_generated._apply import apply_all
from physx_generated._definition import Definition, Property, Relationship
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from physx_schema.arguments import display, items_of, label
from physx_schema.authoring.articulations import fixes_base_of
from physx_schema.authoring.prims import (
    PrimLike,
    as_vector,
    find_prim,
    find_prims,
    is_finite,
    is_prim_path,
    not_finite,
    not_vector,
    path_of,
    refuse,
    require_name,
    why_not_editable,
)
from physx_schema.checking.rules.mass import moments_fault
from physx_schema.description.records import Vec3
from physx_schema.errors import AuthoringError

ORIGIN: Vec3 = (0.0, 0.0, 0.0)

JointT = TypeVar("JointT", UsdPhysics.RevoluteJoint, UsdPhysics.PrismaticJoint, UsdPhysics.FixedJoint)


def rigid_body(
    stage: Usd.Stage, path: str | Sdf.Path, *, mass: float, inertia: Vec3, center_of_mass: Vec3 = ORIGIN,
    position: Vec3 = ORIGIN,
) -> UsdPhysics.RigidBodyAPI:
    """Define a rigid body: an Xform at `path` with these mass properties.

    - `mass`: above 0
    - `inertia`: moments about the centre of mass along the body's axes, in mass length^2. Each moment is above 0 and at
      most the sum of the other two.
    - `center_of_mass`: in the body's frame
    - `position`: origin of the body's frame in the frame of the parent prim

    Writes a translate op, PhysicsRigidBodyAPI, and PhysicsMassAPI with mass, diagonalInertia, principalAxes and
    centerOfMass.

    Raises AuthoringError and writes nothing if a value is out of range, or if a prim exists at `path`.

    Example::

        rigid_body(stage, "/Robot/link", mass=1.0, inertia=(0.01, 0.01, 0.002), position=(0.0, 0.0, 0.1))
    """
    problems = _new_prim_problems(stage, path)
    for name, vector in (("inertia", inertia), ("center_of_mass", center_of_mass), ("position", position)):
        problems += not_vector(f"{path}: {name}", vector)
    problems += not_finite(f"{path}: mass", mass)
    problems += [f"{path}: {name}: {value} is not above 0, and PhysX would replace the value; give a value above 0"
                 for name, values in (("mass", (mass,)), ("inertia", as_vector(inertia) or ()))
                 for value in values if is_finite(value) and value <= 0.0]
    fault = moments_fault(as_vector(inertia) or ())
    problems += [f"{path}: inertia: {fault}; give the moments of a solid body"] if fault else []
    refuse(problems)
    frame = UsdGeom.Xform.Define(stage, path)
    frame.AddTranslateOp().Set(Gf.Vec3d(*map(float, position)))
    api = UsdPhysics.MassAPI.Apply(frame.GetPrim())
    api.CreateMassAttr(float(mass))
    api.CreateDiagonalInertiaAttr(Gf.Vec3f(*map(float, inertia)))
    api.CreatePrincipalAxesAttr(Gf.Quatf(1.0))
    api.CreateCenterOfMassAttr(Gf.Vec3f(*map(float, center_of_mass)))
    return UsdPhysics.RigidBodyAPI.Apply(frame.GetPrim())


def revolute_joint(
    stage: Usd.Stage, path: str | Sdf.Path, parent: PrimLike | None, child: PrimLike, *,
    axis: Literal["X", "Y", "Z"] = "X", anchor: Vec3 | None = None, lower: float | None = None,
    upper: float | None = None,
) -> UsdPhysics.RevoluteJoint:
    """Define a joint that rotates about an axis of the parent's frame through `anchor`.

    - `parent`: body0; None means the world
    - `axis`: axis of the parent's frame
    - `anchor`: a point in world coordinates; None means the child's origin
    - `lower`, `upper`: limits in degrees; give both limits or neither

    The joint position is 0 in the authored poses. Writes a PhysicsRevoluteJoint with bodies, local frames, axis and
    limits.

    Raises AuthoringError and writes nothing:

    - if `child` or `parent` is not a rigid body, or a prim exists at `path`
    - if only one limit is given, or `lower` is above `upper`
    - if the joint connects the world to the base of an articulation, because PhysX would fix the base
    """
    return _axis_joint(UsdPhysics.RevoluteJoint, stage, path, (parent, child), axis, anchor, (lower, upper))


def prismatic_joint(
    stage: Usd.Stage, path: str | Sdf.Path, parent: PrimLike | None, child: PrimLike, *,
    axis: Literal["X", "Y", "Z"] = "X", anchor: Vec3 | None = None, lower: float | None = None,
    upper: float | None = None,
) -> UsdPhysics.PrismaticJoint:
    """Define a joint that slides along an axis of the parent's frame.

    The parameters and errors are the same as for `revolute_joint`, but limits are lengths.
    Writes a PhysicsPrismaticJoint.
    """
    return _axis_joint(UsdPhysics.PrismaticJoint, stage, path, (parent, child), axis, anchor, (lower, upper))


def fixed_joint(
    stage: Usd.Stage, path: str | Sdf.Path, parent: PrimLike | None, child: PrimLike,
) -> UsdPhysics.FixedJoint:
    """Define a joint that fixes the child to the parent in the authored poses, or to the world if `parent` is None.

    Writes a PhysicsFixedJoint with body0, body1 and both local frames. Raises the same errors as
    `revolute_joint`.
    """
    return _define(UsdPhysics.FixedJoint, stage, path, (parent, child), None, [])


def _axis_joint(
    schema: type[JointT], stage: Usd.Stage, path: str | Sdf.Path, bodies: tuple[PrimLike | None, PrimLike],
    axis: str, anchor: Vec3 | None, limits: tuple[float | None, float | None],
) -> JointT:
    problems = [*_new_prim_problems(stage, path), *_limit_problems(path, limits)]
    if not isinstance(axis, str) or axis not in ("X", "Y", "Z"):
        problems.append(f"{path}.physics:axis: token {display(axis)} is not one of X, Y, Z; give one of them")
    if bodies[0] is None:
        kind = "revolute" if schema is UsdPhysics.RevoluteJoint else "prismatic"
        problems += fixes_base_of(str(path), kind, find_prim(stage, bodies[1]))
    joint = _define(schema, stage, path, bodies, anchor, problems)
    joint.CreateAxisAttr(axis)
    lower, upper = limits
    if lower is not None and upper is not None:
        joint.CreateLowerLimitAttr(float(lower))
        joint.CreateUpperLimitAttr(float(upper))
    return joint


def _limit_problems(path: object, limits: tuple[float | None, float | None]) -> list[str]:
    lower, upper = limits
    if lower is None and upper is None:
        return []
    if lower is None or upper is None:
        return [f"{path}: only one limit is set, and PhysX locks such a joint at 0; give both limits"]
    lines = not_finite(f"{path}: lower", lower) + not_finite(f"{path}: upper", upper)
    if not lines and lower > upper:
        lines.append(f"{path}: lower limit {lower:g} is above upper limit {upper:g}; give lower <= upper")
    return lines


def _define(
    schema: type[JointT], stage: Usd.Stage, path: str | Sdf.Path, bodies: tuple[PrimLike | None, PrimLike],
    anchor: Vec3 | None, problems: list[str],
) -> JointT:
    """Define a joint between two bodies, or the world and a body, with frames that meet at `anchor`."""
    problems = problems + _new_prim_problems(stage, path)
    parent = None if bodies[0] is None else find_prim(stage, bodies[0])
    child = find_prim(stage, bodies[1])
    problems += [f"{body.GetPath()}: the prim has no PhysicsRigidBodyAPI; apply PhysicsRigidBodyAPI, or give None as "
                 "parent for the world"
                 for body in (parent, child) if body and not body.HasAPI(UsdPhysics.RigidBodyAPI)]
    if parent == child:
        problems.append(f"{path}: {child.GetPath()} is both parent and child; give two bodies")
    problems += [] if anchor is None else not_vector(f"{path}: anchor", anchor)
    refuse(problems)
    joint = schema.Define(stage, path)
    point = _matrix(child).ExtractTranslation() if anchor is None else Gf.Vec3d(*map(float, anchor))
    parent_rotation = _rotation(parent)
    for index, body in (("0", parent), ("1", child)):
        if body:
            getattr(joint, f"CreateBody{index}Rel")().SetTargets([body.GetPath()])
        local = _matrix(body).GetInverse().Transform(point)
        rotation = Gf.Quatf((parent_rotation * _rotation(body).GetInverse()).GetQuat())
        getattr(joint, f"CreateLocalPos{index}Attr")(Gf.Vec3f(local))
        getattr(joint, f"CreateLocalRot{index}Attr")(rotation)
    return joint


def _matrix(body: Usd.Prim | None) -> Gf.Matrix4d:
    """Local-to-world matrix of a body, the identity for the world."""
    if body is None:
        return Gf.Matrix4d(1.0)
    return UsdGeom.Xformable(body).ComputeLocalToWorldTransform(Usd.TimeCode.Default())


def _rotation(body: Usd.Prim | None) -> Gf.Rotation:
    return _matrix(body).RemoveScaleShear().ExtractRotation()


def _new_prim_problems(stage: Usd.Stage, path: str | Sdf.Path) -> list[str]:
    """Lines for a path at which no new prim can be defined. Raises AuthoringError for what is no prim path."""
    if not isinstance(stage, Usd.Stage):
        raise AuthoringError(f"{display(stage)} is not a stage; give an open Usd.Stage")
    if not isinstance(path, str | Sdf.Path) or not is_prim_path(str(path)):
        text = label(str(path)) if isinstance(path, str | Sdf.Path) else display(path)
        raise AuthoringError(f"{text}: not an absolute prim path; give a path such as /World/link")
    prim = stage.GetPrimAtPath(path)
    if prim and prim.HasAuthoredTypeName():
        return [f"{path}: a prim of type {prim.GetTypeName()} exists already; choose another path"]
    if prim:
        return why_not_editable(prim)
    layer = stage.GetEditTarget().GetLayer()
    if not layer.permissionToEdit:
        return [f"{path}: layer {layer.identifier} is not editable; choose another edit target"]
    return []


QUATERNIONS = (Gf.Quath, Gf.Quatf, Gf.Quatd)


def author(
    stage: Usd.Stage, prims: Iterable[PrimLike] | PrimLike, schema: type[Any], instance: str | None = None, /,
    **values: object,
) -> None:
    """Apply an API schema to many prims and author its properties. If one prim has a problem, no prim is changed.

    Writes the same opinions as ``schema.Apply(prim, instance, **values)`` for each prim, at the stage's edit target.

    - `prims`: n prims of `stage`, schema objects or paths, each once; or a single prim
    - `schema`: a generated API class
    - `instance`: the instance name of a multiple-apply class; omit it for a single-apply class
    - `values`: for each keyword one value for all prims, or a sequence or NumPy array with one value per prim

    A sequence with one value for each of the n prims has this form:

    - property of type number, bool, token or single target: n values
    - property of type vector (k components), quaternion or matrix: n vectors, such as an array of shape (n, k)
    - property of type array or list of targets: n lists, which may differ in length

    Raises AuthoringError with one sorted line per problem, and TypeError if `schema` is not an API class.

    Example::

        author(stage, ["/Robot/hip", "/Robot/knee"], PhysxJointAxisAPI, "angular", armature=[0.02, 0.01])
    """
    definition = _definition(schema)
    if instance is not None:
        require_name(instance, "instance")
    targets = _prims(stage, prims)
    if not targets:
        return
    refuse([*_call_problems(definition, targets, instance), *_length_problems(definition, targets, instance, values)])
    apply_all(definition, stage, targets, (instance,) if instance else (), _rows(definition, values, len(targets)))


def _definition(schema: type[Any]) -> Definition:
    definition = getattr(schema, "definition", None) if isinstance(schema, type) else None
    if not isinstance(definition, Definition) or definition.kind == "typed":
        raise TypeError(f"{display(schema)} is not an API class of this package; give a class such as "
                        "PhysxJointAxisAPI")
    return definition


def _prims(stage: Usd.Stage, prims: Iterable[PrimLike] | PrimLike) -> list[Usd.Prim]:
    items = (prims,) if isinstance(prims, PrimLike) else items_of(prims)
    if items is None:
        raise AuthoringError(f"{display(prims)} is not a prim; give prims or their paths")
    # Looking a prim up by its path takes as long as authoring two of its values, so only where that is needed.
    if all(isinstance(item, Usd.Prim) and item and item.GetStage() == stage for item in items):
        return list(items)
    return find_prims(stage, items)


def _call_problems(definition: Definition, prims: list[Usd.Prim], instance: str | None) -> Iterator[str]:
    """Lines for prims that are given twice and for an instance name that is missing or too much."""
    if definition.kind == "multiple-apply" and not instance:
        yield f"{path_of(prims[0])}: {definition.identifier} is a multiple-apply schema; give an instance name"
    if definition.kind == "single-apply" and instance is not None:
        yield (f"{path_of(prims[0])}: {definition.identifier} has no instances, found {display(instance)}; omit the "
               "instance name")
    for prim, count in Counter(prims).items():
        if count > 1:
            yield f"{path_of(prim)}: the prim is passed {count} times; give each prim once"


def _length_problems(
    definition: Definition, prims: list[Usd.Prim], instance: str | None, values: Mapping[str, object]
) -> Iterator[str]:
    """Lines for values meant one per prim that are more or fewer."""
    for keyword, value in values.items():
        prop = definition.by_keyword.get(keyword)
        if not prop or not _is_per_prim(prop, value):
            continue
        count = len(value)      # type: ignore[arg-type]
        if count != len(prims):
            yield (f"{path_of(prims[0])}.{definition.start(instance or '')}{prop.name}: {count} values for "
                   f"{len(prims)} prims; give one value for all, or one per prim")


def _rows(definition: Definition, values: Mapping[str, object], count: int) -> Iterator[dict[str, object]]:
    """The keyword values of each prim."""
    columns = [_column(definition.by_keyword.get(keyword), value, count) for keyword, value in values.items()]
    return (dict(zip(values, row, strict=True)) for row in zip(*columns, strict=True)) if columns else repeat({}, count)


def _column(prop: Property | None, value: object, count: int) -> Iterable[object]:
    if prop is None or not _is_per_prim(prop, value):
        return repeat(value, count)
    return value.tolist() if isinstance(value, np.ndarray) else value       # type: ignore[return-value]


def _is_per_prim(prop: Property, value: object) -> bool:
    """Whether `value` has one dimension more than a value of the property."""
    if isinstance(prop, Relationship):
        return _dimensions(value) > int(prop.many)
    kind = Sdf.ValueTypeNames.Find(prop.type)
    return _dimensions(value) > _dimensions(kind.scalarType.defaultValue) + int(kind.isArray)


def _dimensions(value: object) -> int:
    """How deep `value` is nested, going by its first element: 0 for a number, string, path or prim."""
    if isinstance(value, QUATERNIONS):
        return 1
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.ndim
    if isinstance(value, str | bytes | Mapping) or not (hasattr(value, "__len__") and hasattr(value, "__getitem__")):
        return 0
    return 1 + (_dimensions(value[0]) if len(value) else 0)
