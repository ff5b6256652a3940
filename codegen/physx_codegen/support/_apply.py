"""API schemas applied together with values: to one prim, or to many as one change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pxr import Sdf, Tf, Usd

from . import _plugin
from ._definition import AuthoringError, Definition
from ._strict import is_strict, name_problems, prim_problems, retired_problems
from ._target import Target
from ._values import Prepared, prepare

Instance = tuple[str, ...]              # the instance name, or empty
author_schema = Usd.Prim.ApplyAPI
stage_of = Usd.Prim.GetStage
has_api = Usd.Prim.HasAPI


def apply(
    definition: Definition, prim: Usd.Prim, instance: Instance, values: Mapping[str, object], strict: bool
) -> None:
    """Apply an API schema and author keyword values, all or none. Raises AuthoringError."""
    try:
        target = Target.of(stage_of(prim))
    except Tf.CppException:
        raise AuthoringError("the prim is invalid; give a prim of an open stage") from None
    ready = checked(definition, prim, instance, values, target, strict)
    with target.change():
        write_applied(definition, prim, instance, ready, target)
    confirm(definition, prim, instance)


def apply_all(
    definition: Definition, stage: Usd.Stage, prims: Sequence[Usd.Prim], instance: Instance,
    rows: Iterable[Mapping[str, object]],
) -> None:
    """As :func:`apply` for each prim with its row of values, as one change: on all prims, or none."""
    target, strict = Target.of(stage), is_strict()
    ready, problems = [], []
    for prim, values in zip(prims, rows, strict=True):
        try:
            ready.append(checked(definition, prim, instance, values, target, strict))
        except AuthoringError as error:
            problems += str(error).splitlines()
    if problems:
        raise AuthoringError("\n".join(sorted(problems)))
    with target.change():
        for prim, prepared in zip(prims, ready, strict=True):
            write_applied(definition, prim, instance, prepared, target)
    for prim in prims:
        confirm(definition, prim, instance)


def checked(
    definition: Definition, prim: Usd.Prim, instance: Instance, values: Mapping[str, object], target: Target,
    strict: bool,
) -> Prepared:
    """Instance name and keyword values as :func:`prepare` gives them. Raises AuthoringError."""
    problems = name_problems(definition, prim, *instance) if instance else []
    if strict:
        problems += [*prim_problems(definition, prim), *retired_problems(definition, prim.GetPath(), values)]
    if target.stronger:
        overruled = target.overruled(prim, definition, instance)
        problems += [overruled] if overruled else []
    return prepare(definition, prim, definition.start(*instance), values, target, known_problems=problems)


def write_applied(
    definition: Definition, prim: Usd.Prim, instance: Instance, ready: Prepared, target: Target
) -> None:
    """Apply an API schema and author prepared values. Raises AuthoringError where other opinions win."""
    if target.is_direct:
        apply_schema(definition, prim, instance)
    else:
        apply_across(definition, prim, instance, target)
    target.write(prim, definition.start(*instance), definition, *ready)


def apply_schema(definition: Definition, prim: Usd.Prim, instance: Instance) -> bool:
    """Apply an API schema; raises as :func:`with_schema`."""
    return bool(with_schema(author_schema, definition, prim, instance))


def with_schema(call: Callable[..., Any], definition: Definition, prim: Usd.Prim, instance: Instance) -> Any:
    """Call USD with a schema. Raises RegistrationError where USD does not know it, else what USD raises."""
    try:
        return call(prim, definition.identifier, *instance)
    except Tf.ErrorException:
        _plugin.require(definition.identifier)
        raise


def apply_across(definition: Definition, prim: Usd.Prim, instance: Instance, target: Target) -> None:
    """Apply at an edit target behind a reference or variant, where stronger opinions can be anywhere.

    Raises AuthoringError, with the layer as it was, where they win.
    """
    undo = undoing(target.layer, target.path_in_layer(prim.GetPath()), "apiSchemas")
    apply_schema(definition, prim, instance)
    if prim.HasAPI(definition.identifier, *instance):
        return
    undo()
    raise AuthoringError(f"{prim.GetPath()}: {no_effect(definition, prim, instance)}")


def define_prim(definition: Definition, stage: Usd.Stage, path: Sdf.Path | str, target: Target) -> Usd.Prim:
    """Define a prim of a type. Raises AuthoringError, with the layer as before, where none comes of it."""
    undo = undoing(target.layer, target.path_in_layer(Sdf.Path(path)), "specifier", "typeName")
    try:
        prim = stage.DefinePrim(path, definition.identifier)
        if prim.IsA(definition.identifier):
            return prim
        reason = (f"the prim is still a {prim.GetTypeName()}, because a stronger layer has an opinion; change that "
                  "layer, or choose another edit target")
    except Tf.ErrorException as error:
        reason = str(error).rpartition(" : ")[2].strip("\n '")
    undo()
    raise AuthoringError(f"{path}: the authored {definition.identifier} has no effect: {reason}")


def undoing(layer: Sdf.Layer, path: Sdf.Path, *fields: str) -> Callable[[], None]:
    """What puts these fields of a prim spec and its parents back to what they are, and removes specs yet to come."""
    specs = [layer.GetPrimAtPath(prefix) for prefix in path.GetPrefixes()]
    missing = next((prefix for prefix, spec in zip(path.GetPrefixes(), specs, strict=True) if not spec), None)
    before = [(spec, field, spec.GetInfo(field) if spec.HasInfo(field) else None)
              for spec in specs if spec for field in fields]

    def undo() -> None:
        if missing and layer.GetPrimAtPath(missing):
            edit = Sdf.BatchNamespaceEdit()
            edit.Add(missing, Sdf.Path.emptyPath)
            layer.Apply(edit)
        for spec, field, value in before:
            if value is None:
                spec.ClearInfo(field)
            else:
                spec.SetInfo(field, value)

    return undo


def confirm(definition: Definition, prim: Usd.Prim, instance: Instance) -> None:
    """Raise AuthoringError where a prim does not have a schema that was applied."""
    if not has_api(prim, definition.identifier, *instance):
        raise AuthoringError(f"{prim.GetPath()}: {no_effect(definition, prim, instance)}")


def no_effect(definition: Definition, prim: Usd.Prim, instance: Instance) -> str:
    """Which opinion keeps a schema off a prim."""
    entry = ":".join((definition.identifier, *instance))
    for spec in prim.GetPrimStack():
        entries = spec.GetInfo("apiSchemas") if spec.HasInfo("apiSchemas") else None
        if entries is not None and (entries.isExplicit or entry in entries.deletedItems):
            what = "sets another list of API schemas" if entries.isExplicit else "removes this schema"
            return (f"{entry} has no effect where it was authored, because the stronger layer {spec.layer.identifier} "
                    f"{what} at <{spec.path}>; change that layer, or make it the edit target")
    return f"{entry} has no effect on this prim; apply the schema at the edit target that defines the prim"
