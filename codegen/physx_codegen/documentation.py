"""documentation.json: what the definitions say about every class and property in prose, and how each is read."""

from __future__ import annotations

import json
from typing import Any

from . import docstrings, naming
from .model import Library, Property, SchemaClass
from .scope import Scope


def text(scope: Scope, library: Library, note: str) -> str:
    """The whole file, in the order of the definitions; `note` says what it is made from."""
    classes = {cls.name: class_entry(scope, cls) for cls in library.classes if naming.is_public(cls)}
    return json.dumps({"note": note, "classes": classes}, indent=1, ensure_ascii=False) + "\n"


def class_entry(scope: Scope, cls: SchemaClass) -> dict[str, Any]:
    """Documentation of a class, and of the properties it has methods for besides those that come along."""
    properties = [(home, prop) for home in (cls, *scope.holders.get(cls.name, ())) for prop in home.properties]
    return {"doc": docstrings.class_doc(cls), "properties": {
        naming.local_name(home, prop): property_entry(prop) for home, prop in properties if naming.api_name(prop)}}


def property_entry(prop: Property) -> dict[str, str]:
    """Documentation of a property, and the name of its Get method."""
    return {"getter": f"Get{naming.api_name(prop)}{naming.suffix(prop)}", "doc": docstrings.property_doc(prop)}
