"""What every helper asks of a prim before it writes: that it exists, that it may be edited, what is there already."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TypeAlias

from pxr import Sdf, Usd, UsdPhysics

from physx_schema.errors import AuthoringError

PrimLike: TypeAlias = Usd.Prim | Usd.SchemaBase | Sdf.Path | str
# Of two paths, as difflib counts it, for one to be taken for a misspelling of the other.
LEAST_LIKENESS = 0.75


def refuse(problems: Iterable[str]) -> None:
    """Raise AuthoringError with one line for each problem, sorted; do nothing where there is none."""
    lines = sorted(set(problems))
    if lines:
        raise AuthoringError("\n".join(lines))


def path_of(prim: PrimLike) -> str:
    """The prim's path as a string; for what has none a text that names it."""
    if isinstance(prim, str):
        return prim
    if isinstance(prim, Usd.SchemaBase):
        prim = prim.GetPrim()
    if not isinstance(prim, Sdf.Path | Usd.Prim):
        return repr(prim)
    path = prim if isinstance(prim, Sdf.Path) else prim.GetPath()
    return str(path) if path else "an invalid prim"


def is_prim_path(path: str) -> bool:
    """Whether a string is the absolute path of a prim."""
    return path.startswith("/") and bool(Sdf.Path.IsValidPathString(path)) and bool(Sdf.Path(path).IsPrimPath())


def find_prim(stage: Usd.Stage, prim: PrimLike) -> Usd.Prim:
    """The prim of `stage` that is meant. Raises AuthoringError where there is none."""
    if not isinstance(stage, Usd.Stage):
        raise AuthoringError(f"{stage!r} is not a stage; give an open Usd.Stage")
    path = path_of(prim)
    if not is_prim_path(path):
        raise AuthoringError(f"{path}: not the path of a prim; give a prim or an absolute path such as /World/link")
    found = stage.GetPrimAtPath(path)
    if not found:
        raise AuthoringError(f"{path}: there is no such prim on the stage; {_suggestion(stage, path)}")
    return found


def _suggestion(stage: Usd.Stage, path: str) -> str:
    """The path on the stage that was probably meant, else what to do."""
    paths = {str(prim.GetPath()).lower(): str(prim.GetPath()) for prim in stage.Traverse(Usd.TraverseInstanceProxies())}
    near = get_close_matches(path.lower(), paths, n=1, cutoff=LEAST_LIKENESS)
    return f"did you mean {paths[near[0]]}?" if near else "create it first"


def find_prims(stage: Usd.Stage, prims: Iterable[PrimLike]) -> list[Usd.Prim]:
    """The prims of `stage` that are meant. Raises AuthoringError with a line for each that does not exist."""
    found, lines = [], []
    for prim in prims:
        try:
            found.append(find_prim(stage, prim))
        except AuthoringError as error:
            lines.append(str(error))
    refuse(lines)
    return found


def stage_of(prim: Usd.Prim | Usd.SchemaBase) -> Usd.Stage:
    """The stage a prim or schema object lives on. Raises AuthoringError where it is invalid."""
    found = prim.GetPrim() if isinstance(prim, Usd.SchemaBase) else prim
    if not isinstance(found, Usd.Prim) or not found:
        example = f"stage.GetPrimAtPath({str(prim)!r})" if isinstance(prim, str | Sdf.Path) else "one of an open stage"
        raise AuthoringError(f"{prim!r} is not a prim on a stage; give a valid Usd.Prim or a schema object of it, "
                             f"such as {example}")
    return found.GetStage()


def why_not_editable(prim: Usd.Prim) -> list[str]:
    """Why nothing can be written on a prim, one line or none."""
    layer = prim.GetStage().GetEditTarget().GetLayer()
    if prim.IsInstanceProxy() or prim.IsInPrototype():
        return [f"{prim.GetPath()}: the prim is inside an instance; author on the instanced asset instead"]
    if not layer.permissionToEdit:
        return [f"{prim.GetPath()}: layer {layer.identifier} may not be edited; choose another edit target"]
    return []


def leftovers(prim: Usd.Prim, namespace: str, schemas: Iterable[str], instance: str) -> list[str]:
    """What is on a prim already under the instance name a helper is about to use, a line each."""
    applied = prim.GetAppliedSchemas()
    for schema in schemas:
        if f"{schema}:{instance}" in applied:
            return [f"{prim.GetPath()}: has {schema}:{instance} already; remove it first or choose another name"]
    authored = prim.GetAuthoredPropertiesInNamespace(f"{namespace}:{instance}")
    return [f"{prim.GetPath()}.{prop.GetName()}: authored already, though no schema on the prim has it; remove it first"
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
    return f"{prim.GetPath()}: {kind} is not a revolute or prismatic joint; give one that is"
