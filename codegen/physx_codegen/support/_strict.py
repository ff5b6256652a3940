"""Strictness on request: what PhysX would refuse or ignore is refused when it is authored."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from pxr import Sdf, Usd

from ._definition import PLACEHOLDER, Attribute, AuthoringError, Definition
from ._display import display
from ._target import Target
from ._values import prepare

STRICT: ContextVar[bool] = ContextVar("physx_schema_strict", default=False)
APPLIED = (Usd.SchemaKind.SingleApplyAPI, Usd.SchemaKind.MultipleApplyAPI)
is_strict = STRICT.get


@contextmanager
def strict(enabled: bool = True) -> Iterator[None]:
    """Raise AuthoringError within the ``with`` block or decorated function for values that PhysX refuses or ignores.

    Apply, Define, set and all Create methods then author nothing for:

    - values out of range
    - tokens and instance names that are not allowed
    - an instance name that is the name of a property, or that a schema with the same prefix uses
    - prims on which the schema has no effect
    - properties of schemas that are not applied
    - classes and properties that a release has dropped

    Blocks can be nested. `enabled` false makes an exception inside a block. The body of a coroutine or generator runs
    after its call; put the block inside such a function instead of decorating it.

    Example::

        with strict():
            PhysxJointAxisAPI.Apply(prim, "angular", armature=0.01)
    """
    token = STRICT.set(enabled)
    try:
        yield
    finally:
        STRICT.reset(token)


def strictness(strict: bool) -> bool:
    """Whether a call is strict: as it says, or within a block of :func:`strict`. Raises TypeError but for a bool."""
    if strict is True or strict is False:
        return strict or is_strict()
    raise TypeError(f"strict is {display(strict)}; give True or False")


def name_problems(definition: Definition, prim: Usd.Prim, name: str) -> list[str]:
    """What is wrong with an instance name, one line each."""
    problem = name_problem(definition, name)
    conflicts = [other for other in definition.conflicts if prim.HasAPI(other, name)]
    if not problem and not conflicts:
        return []
    start = f"{prim.GetPath()}: {definition.identifier} instance name {display(name)}"
    problems = [f"{start} {problem}"] if problem else []
    if conflicts:
        problems.append(f"{start} is already used by {conflicts[0]} for properties with other types; choose another "
                        "name")
    return problems


def require_identifier(definition: Definition, prim: Usd.Prim, name: str) -> None:
    """Raise AuthoringError for an instance name with which no property can be authored; USD refuses the empty one."""
    problem = identifier_problem(name)
    if name and problem:
        raise AuthoringError(f"{prim.GetPath()}: {definition.identifier} instance name {display(name)} {problem}")


def identifier_problem(name: str) -> str:
    """Why a name cannot be part of a property's name; empty where it can."""
    if name.isidentifier() or Sdf.Path.IsValidNamespacedIdentifier(name):
        return ""
    words = re.sub(r"\W+", "_", name).strip("_")
    usable = words if words.isidentifier() else f"_{words}" if words else "flexor"
    return f"is not an identifier; use letters, digits and underscores, such as {usable!r}"


@lru_cache(maxsize=1024)
def name_problem(definition: Definition, name: str) -> str:
    """What is wrong with an instance name on any prim; empty where nothing is."""
    problem = identifier_problem(name)
    if problem:
        return problem
    if name in definition.by_name or name.rpartition(":")[2] in definition.by_name:
        return "is also the name of a property of this schema; choose another name"
    if PLACEHOLDER in name:
        return "is the placeholder that USD writes for an instance name; choose another name"
    if definition.instances and name not in definition.instances:
        return f"is not one of {', '.join(definition.instances)}; PhysX reads only these names"
    return ""


def retired_problems(definition: Definition, path: Sdf.Path | str, values: Iterable[str]) -> Iterator[str]:
    """What of a class and the properties given by keyword is no longer read, one line each."""
    if definition.retired:
        instead = f": {definition.deprecated}" if definition.deprecated else ""
        yield f"{path}: {definition.identifier} was dropped in release {definition.retired}{instead}"
        return
    for keyword in values:
        if keyword in definition.retired_keywords:
            yield f"{path}: {definition.retired_keywords[keyword]}"


def prim_problems(definition: Definition, prim: Usd.Prim) -> Iterator[str]:
    """Why the schema has no effect on the prim, as far as the schema says."""
    if definition.applies_to and not any(has_schema(prim, name) for name in definition.applies_to):
        kind = prim.GetTypeName() or "an untyped prim"
        yield (f"{prim.GetPath()}: {definition.identifier} has no effect on {kind}; "
               f"apply it to a prim with {' or '.join(definition.applies_to)}")


def has_schema(prim: Usd.Prim, identifier: str) -> bool:
    """Whether a prim is of a type or has an API schema."""
    if Usd.SchemaRegistry.GetSchemaKind(identifier) in APPLIED:
        return bool(prim.HasAPI(identifier))
    return bool(prim.IsA(identifier))


def refuse_unapplied(schema: Any) -> None:
    """Raise AuthoringError where a schema object is on a prim without the schema."""
    if not schema:
        path = object.__getattribute__(schema, "_prim").GetPath()
        raise AuthoringError(f"{path}: {schema!r} is not on this prim; apply or define this schema first")


def strict_value(schema: Any, attribute: Attribute, value: object) -> object:
    """A value of a Create method, converted and checked as Apply does. Raises AuthoringError."""
    refuse_unapplied(schema)
    if attribute.retired:
        path = object.__getattribute__(schema, "_prim").GetPath()
        raise AuthoringError(f"{path}: {type(schema).__name__} has no {attribute.name} since release "
                             f"{attribute.retired}: {attribute.deprecated}")
    if value is None:
        return None
    prim, prefix = object.__getattribute__(schema, "_prim"), object.__getattribute__(schema, "_prefix")
    definition = type(schema).definition
    ready = prepare(definition, prim, prefix, {attribute.keyword_name: value}, Target.of(prim.GetStage()))
    return ready.values[attribute.name]
