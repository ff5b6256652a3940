"""attributes.json: the type of every attribute by class, for programs that read it where there is no USD."""

from __future__ import annotations

import json

from .model import Attribute, Library


def text(library: Library, note: str) -> str:
    """The whole file, in the order of the definitions; `note` says what it is made from."""
    classes = {cls.name: {item.name: item.type for item in cls.properties
                          if isinstance(item, Attribute) and not item.retired} for cls in library.classes}
    return json.dumps({"note": note, "classes": classes}, indent=1) + "\n"
