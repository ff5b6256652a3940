"""Reading and authoring single properties, as fast as compiled accessors do.

Every look-up of a method on a USD object runs a guard that takes as long as the call itself, so USD's functions are
called unbound here, and what the guard would have refused is checked where it costs least.
"""

from __future__ import annotations

import warnings
from typing import Any

from pxr import Tf, Usd

from ._definition import Attribute, fate
from ._strict import is_strict, refuse_unapplied, strict_value
from ._target import VARIABILITY, sdf_type
from ._values import same

find_attribute = Usd.Prim.GetAttribute
author_attribute = Usd.Prim.CreateAttribute
find_relationship = Usd.Prim.GetRelationship
write = Usd.Attribute.Set
is_alive = Usd.SchemaBase.__bool__
look_up = object.__getattribute__           # does not run the guard
REFUSED = (Tf.ErrorException, Tf.CppException)


def get_attribute(schema: Any, name: str) -> Usd.Attribute:
    """An attribute of an API schema by its name without prefix. Raises RuntimeError on an invalid prim."""
    if is_alive(schema):
        return find_attribute(schema._prim, schema._prefix + name)
    raise RuntimeError(f"{schema!r} has no prim; it was made from an invalid prim, or its prim was removed")


def get_relationship(schema: Any, name: str) -> Usd.Relationship:
    """As :func:`get_attribute` for a relationship."""
    if is_alive(schema):
        return find_relationship(schema._prim, schema._prefix + name)
    raise RuntimeError(f"{schema!r} has no prim; it was made from an invalid prim, or its prim was removed")


def create_attribute(schema: Any, name: str, value: object, sparsely: bool) -> Usd.Attribute:
    """Author an attribute as compiled schemas do: unchecked; nothing where sparse and equal to the fallback.

    Within ``strict()`` raises AuthoringError for what PhysX would refuse or ignore.
    """
    attribute = type(schema).definition.accessible[name]
    if sparsely or attribute.retired or is_strict():
        return create_with_care(schema, attribute, value, sparsely)
    prim, full = look_up(schema, "_prim"), look_up(schema, "_prefix") + name
    try:
        if value is None:
            return author_attribute(prim, full, sdf_type(attribute.type), False, VARIABILITY[attribute.uniform])
        existing = find_attribute(prim, full)
        write(existing, value)         # makes the spec that CreateAttribute would make where the prim has the schema
        return existing
    except REFUSED:
        return create_with_care(schema, attribute, value, sparsely)


def create_with_care(schema: Any, attribute: Attribute, value: object, sparsely: bool) -> Usd.Attribute:
    """The same where more than a value is at stake."""
    prim, full = look_up(schema, "_prim"), look_up(schema, "_prefix") + attribute.name
    if not prim:
        raise RuntimeError(f"{schema!r} has no prim; it was made from an invalid prim, or its prim was removed")
    if attribute.retired:
        warnings.warn(fate(full, attribute.retired, attribute.deprecated), DeprecationWarning, stacklevel=4)
    if is_strict():
        value = strict_value(schema, attribute, value)
    if sparsely:
        existing = find_attribute(prim, full)
        if value is None or (existing and not existing.HasAuthoredValue() and same(attribute, existing.Get(), value)):
            return existing
    created = author_attribute(prim, full, sdf_type(attribute.type), False, VARIABILITY[attribute.uniform])
    if value is not None:
        write(created, value)
    return created


def create_relationship(schema: Any, name: str) -> Usd.Relationship:
    """Author a relationship as compiled schemas do."""
    prim, full = look_up(schema, "_prim"), look_up(schema, "_prefix") + name
    if not prim:
        raise RuntimeError(f"{schema!r} has no prim; it was made from an invalid prim, or its prim was removed")
    relationship = type(schema).definition.accessible[name]
    if relationship.retired:
        warnings.warn(fate(full, relationship.retired, relationship.deprecated), DeprecationWarning, stacklevel=3)
    if is_strict():
        refuse_unapplied(schema)
    return prim.CreateRelationship(full, False)
