"""API schemas applied together with values: to one prim, or to many as one change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pxr import Sdf, Tf, Usd

from . import _plugin
from ._definition import AuthoringError, Definition
from ._target import Target
from ._values import prepare


def apply(definition: Definition, prim: Usd.Prim, instance: tuple[str, ...], values: Mapping[str, object]) -> bool:
    """Apply an API schema and author keyword values, all or none; `instance` is its name, or empty."""
    if not values:
        check_instance_name(definition, prim, instance, strict=False)
        return apply_schema(definition, prim, instance)
    target = Target.of(prim.GetStage())
    ready = checked(definition, prim, instance, values, target)
    with target.change():
        return write_applied(definition, prim, instance, ready, target)


def apply_all(
    definition: Definition, stage: Usd.Stage, prims: Sequence[Usd.Prim], instance: tuple[str, ...],
    rows: Iterable[Mapping[str, object]],
) -> None:
    """As :func:`apply` for each prim with its row of values, as one change: on all prims, or none."""
    target = Target.of(stage)
    ready, problems = [], []
    for prim, values in zip(prims, rows, strict=True):
        try:
            ready.append(checked(definition, prim, instance, values, target))
        except AuthoringError as error:
            problems += str(error).splitlines()
    if problems:
        raise AuthoringError("\n".join(sorted(problems)))
    with target.change():
        for prim, values in zip(prims, ready, strict=True):
            write_applied(definition, prim, instance, values, target)


def checked(
    definition: Definition, prim: Usd.Prim, instance: tuple[str, ...], values: Mapping[str, object], target: Target
) -> dict[str, Any]:
    """Instance name and keyword values as :func:`prepare` gives them. Raises AuthoringError."""
    check_instance_name(definition, prim, instance, strict=True)
    return prepare(definition, prim, definition.start(*instance), values, target)


def write_applied(
    definition: Definition, prim: Usd.Prim, instance: tuple[str, ...], ready: Mapping[str, Any], target: Target
) -> bool:
    """Apply an API schema and author prepared values."""
    applied = apply_schema(definition, prim, instance)
    if applied:
        target.write(prim, definition.start(*instance), definition, ready)
    return applied


def apply_schema(definition: Definition, prim: Usd.Prim, instance: tuple[str, ...]) -> bool:
    """Apply an API schema. Raises RegistrationError where USD does not know it, else what USD raises."""
    try:
        return prim.ApplyAPI(definition.identifier, *instance)      # type: ignore[no-any-return]
    except Tf.ErrorException:
        _plugin.require(definition.identifier)
        raise


def check_instance_name(definition: Definition, prim: Usd.Prim, instance: tuple[str, ...], strict: bool) -> None:
    """Refuse names that USD cannot represent and, where `strict`, those that PhysX ignores. Raises AuthoringError."""
    if not instance:
        return
    (name,), problem = instance, ""
    if name and not name.isidentifier() and not Sdf.Path.IsValidNamespacedIdentifier(name):
        problem = "is not an identifier; use letters, digits and underscores"
    elif name in definition.by_name or name.rpartition(":")[2] in definition.by_name:
        problem = "is also the name of one of its properties; choose another"
    elif strict and definition.instances and name not in definition.instances:
        problem = f"is not one of {', '.join(definition.instances)}; PhysX reads only these"
    elif strict:
        taken = next((other for other in definition.conflicts if prim.HasAPI(other, name)), None)
        problem = f"is taken by {taken}, whose properties have other types; choose another name" if taken else ""
    if problem:
        raise AuthoringError(f"{prim.GetPath()}: {definition.identifier} instance name {name!r} {problem}")
