"""Checks of the prims and stages that calls are given."""

from __future__ import annotations

from pxr import Sdf, Usd

from ._definition import AuthoringError, Definition
from ._display import display

NO_PRIM = Usd.Prim()


def only(prim: Usd.Prim | Usd.SchemaBase, schema: Usd.SchemaBase) -> Usd.SchemaBase:
    """The schema object that a constructor was given. Raises TypeError where it was given a prim as well."""
    if prim is not NO_PRIM:
        raise TypeError(f"prim {display(prim)} and schemaObj {display(schema)} exclude each other; give one of them")
    return schema


def prim_at(stage: Usd.Stage, path: Sdf.Path | str) -> Usd.Prim:
    """The prim at `path`, invalid where there is none. Raises RuntimeError for None, TypeError for other non-stages."""
    if stage is None:
        raise RuntimeError("the stage is None; give an open Usd.Stage")
    if not isinstance(stage, Usd.Stage):
        raise TypeError(f"{display(stage)} is not a stage; give an open Usd.Stage")
    if not isinstance(path, str | Sdf.Path):
        raise TypeError(f"{display(path)} is not a path; give a str or Sdf.Path")
    return stage.GetPrimAtPath(path)


def type_problems(definition: Definition, prim: Usd.Prim) -> tuple[str, ...]:
    """Why a prim that exists should not become another type."""
    kind = prim.GetTypeName() if prim else ""
    if kind in ("", definition.identifier):
        return ()
    return (f"{prim.GetPath()}: the prim is a {kind}, which {definition.identifier} would replace; choose another "
            "path",)


def check_prim(prim: Usd.Prim) -> None:
    """Raise TypeError for anything but a prim, such as a schema object."""
    if not isinstance(prim, Usd.Prim):
        raise TypeError(f"{display(prim)} is not a Usd.Prim; give a prim, such as schema.GetPrim()")


def check_name(name: str) -> None:
    """Raise TypeError for an instance name that is no string."""
    if not isinstance(name, str):
        raise TypeError(f"instance name {display(name)} is not a str; give a str")


def check_definable(path: Sdf.Path | str) -> None:
    """Raise AuthoringError where no prim can be defined at a path; TypeError for anything but a path."""
    if not isinstance(path, str | Sdf.Path):
        raise TypeError(f"{display(path)} is not a path; give a str or Sdf.Path")
    parsed = parsed_path(path)
    if not parsed.IsAbsolutePath() or not parsed.IsPrimPath() or parsed.ContainsPrimVariantSelection():
        raise AuthoringError(f"{display(str(path))} is not an absolute prim path; give a path such as /World/link")


def parsed_path(text: Sdf.Path | str) -> Sdf.Path:
    """A path from its text, empty where the text is no path."""
    if isinstance(text, Sdf.Path):
        return text
    try:
        return Sdf.Path(text) if Sdf.Path.IsValidPathString(text) else Sdf.Path()
    except UnicodeEncodeError:      # surrogates
        return Sdf.Path()
