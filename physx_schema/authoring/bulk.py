"""One schema on many prims, as one change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat
from typing import Any

import numpy as np
from physx_generated._apply import apply_all
from physx_generated._definition import Definition, Property, Relationship
from pxr import Gf, Sdf, Usd

from physx_schema.authoring.prims import PrimLike, find_prims, path_of, refuse

QUATERNIONS = (Gf.Quath, Gf.Quatf, Gf.Quatd)


def author(
    stage: Usd.Stage, prims: Iterable[PrimLike] | PrimLike, schema: type[Any], instance: str | None = None, /,
    **values: object,
) -> None:
    """Apply an API schema to many prims and author its properties by keyword: on all prims, or on none.

    The stage ends as if ``schema.Apply(prim, instance, **values)`` had been called prim by prim, at its edit target.

    prims: prims of `stage`, schema objects or paths, each once; or a single one. schema: a generated API class.
    instance: the name it is applied under; left out for a single-apply class. values: for each keyword one value for
    all prims, or a list, tuple or NumPy array of one per prim in their order, which has one dimension more than a
    value:

    - number, bool, token, single target: a value, or n of them
    - vector of length k, quaternion, matrix: a value, or n of them, such as an array of shape (n, k)
    - array or list of targets: a list for all prims, or n lists, which may differ in length

    Raises AuthoringError with one line for each problem of any prim, sorted, and TypeError for other classes.
    """
    definition = _definition(schema)
    found = _prims(stage, prims)
    if not found:
        return
    refuse([*_call_problems(definition, found, instance), *_length_problems(definition, found, instance, values)])
    apply_all(definition, stage, found, (instance,) if instance else (), _rows(definition, values, len(found)))


def _definition(schema: type[Any]) -> Definition:
    definition = getattr(schema, "definition", None)
    if not isinstance(definition, Definition) or definition.kind == "typed":
        raise TypeError(f"{schema!r} is not an API class of this package; give one such as PhysxJointAxisAPI")
    return definition


def _prims(stage: Usd.Stage, prims: Iterable[PrimLike] | PrimLike) -> list[Usd.Prim]:
    items = [prims] if isinstance(prims, PrimLike) else list(prims)
    # Looking a prim up by its path takes as long as authoring two of its values, so only where that is needed.
    if all(isinstance(item, Usd.Prim) and item and item.GetStage() == stage for item in items):
        return items
    return find_prims(stage, items)


def _call_problems(definition: Definition, prims: list[Usd.Prim], instance: str | None) -> Iterator[str]:
    """Lines for prims that are given twice and for an instance name that is missing or too much."""
    if definition.kind == "multiple-apply" and not instance:
        yield f"{path_of(prims[0])}: {definition.identifier} is applied under an instance name; give one"
    if definition.kind == "single-apply" and instance is not None:
        yield f"{path_of(prims[0])}: {definition.identifier} has no instances, found {instance!r}; leave the name out"
    for prim, count in Counter(prims).items():
        if count > 1:
            yield f"{path_of(prim)}: given {count} times; give each prim once"


def _length_problems(
    definition: Definition, prims: list[Usd.Prim], instance: str | None, values: Mapping[str, object]
) -> Iterator[str]:
    """Lines for values meant one per prim that are more or fewer."""
    for keyword, value in values.items():
        prop = definition.by_keyword.get(keyword)
        if prop and _is_per_prim(prop, value) and len(value) != len(prims):     # type: ignore[arg-type]
            yield (f"{path_of(prims[0])}.{definition.start(instance or '')}{prop.name}: {len(value)} values for "    # type: ignore[arg-type]
                   f"{len(prims)} prims; give one for all, or one per prim")


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
