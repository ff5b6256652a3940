"""The elements of a robot's file that the prims of its converted stage were made of: their kinds, names and lines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any
from xml.parsers import expat

from pxr import Usd, UsdPhysics

from physx_schema.description.robot_files import converted_stage

# Elements with a name that become prims, by the root element of the file.
_BODIES, _JOINTS, _SHAPES = ("link", "body"), ("joint", "freejoint"), ("geom", "site")
_KINDS = {"robot": ("link", "joint"), "mujoco": ("body", *_JOINTS, *_SHAPES)}
# The elements inside a link, body or joint that give a property, the first one first, by the last word of the property.
_PARTS = {
    "mass": ("mass", "inertial"), "axis": ("axis",),
    **dict.fromkeys(("diagonalInertia", "principalAxes", "centerOfMass", "inertia"), ("inertial",)),
    **dict.fromkeys(("lowerLimit", "upperLimit", "effort", "velocityLimit"), ("limit",)),
    **dict.fromkeys(("localPos0", "localRot0", "localPos1", "localRot1"), ("origin",)),
    **dict.fromkeys(("damping", "friction"), ("dynamics",)),
    **dict.fromkeys(("mimicCoef0", "mimicCoef1", "mimicJoint", "mimicEnabled"), ("mimic",))}
Position = tuple[int, int]      # line and column of the sign < before a tag, each counted from 1


@dataclass(slots=True)
class Element:
    """An element with a name."""

    kind: str                   # its tag, such as "link"
    name: str
    position: Position
    parts: dict[str, Position] = field(default_factory=dict)    # the first position of each element inside, by tag


@dataclass(slots=True)
class RobotText:
    """What the text of a URDF or MJCF says by itself."""

    root: str = ""                                      # its root element, "robot" or "mujoco"
    position: Position = (1, 1)                         # of the root element
    elements: dict[tuple[str, str], Element] = field(default_factory=dict)      # by kind and name
    children: set[str] = field(default_factory=set)     # links of a URDF that are the child of a joint
    floating: bool = False                              # whether a URDF has a joint of type floating

    @property
    def root_link(self) -> str:
        """The link of a URDF that is no joint's child, "" in other files."""
        links = (name for kind, name in self.elements if kind == "link")
        return next((name for name in links if name not in self.children), "")


def read_robot_text(path: Path) -> RobotText:
    """Read the elements of a robot's file; none where it is no XML."""
    reader = _Reader()
    try:
        reader.parser.Parse(path.read_bytes(), True)
    except (expat.ExpatError, OSError):
        return RobotText()
    return reader.text


class _Reader:
    """Collects elements while an XML file is parsed."""

    def __init__(self) -> None:
        self.text = RobotText()
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self._open: list[Element | None] = []

    def _start(self, tag: str, attributes: Mapping[str, str]) -> None:
        position, text = (self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1), self.text
        if not self._open:
            text.root, text.position = tag, position
        for element in self._open:
            if element is not None:
                element.parts.setdefault(tag, position)
        # in a URDF, elements deeper than this name joints that stand elsewhere
        named = tag in _KINDS.get(text.root, ()) and "name" in attributes and (
            text.root != "robot" or len(self._open) == 1)
        element = Element(tag, attributes["name"], position) if named else None
        if element is not None:
            element = text.elements.setdefault((tag, element.name), element)
        text.floating |= tag == "joint" and attributes.get("type") == "floating"
        if tag == "child" and "link" in attributes:
            text.children.add(attributes["link"])
        self._open.append(element)

    def _end(self, _: str) -> None:
        self._open.pop()


def name_of(prim: Any) -> str:
    """The name that a prim has in the file that it was converted from: USD's own may be escaped."""
    return str(prim.GetDisplayName() or prim.GetName())


class Origins:
    """The elements that the prims of a stage were made of, by the paths of the prims and by their own names."""

    def __init__(self, stage: Any, text: RobotText) -> None:
        self._stage, self._text = stage, text
        root = stage.GetDefaultPrim()
        self._root = str(root.GetPath()) if root else "/"
        self._pattern = re.compile(rf"(?<![\w./-]){re.escape(self._root)}(?:/\w+)*(?!\w)")

    def renamed(self, text: str) -> str:
        """A text with elements in the place of the paths of their prims: "link base" for /robot/Geometry/base."""
        return self._pattern.sub(lambda match: self.name(match[0]), text)

    def name(self, path: str) -> str:
        """The element of a prim, such as "link base", or the prim's own name and the element that it is part of.

        Returns the path if it has no prim.
        """
        element, prim = self._element(path), self._stage.GetPrimAtPath(path)
        if not prim:
            return path
        if element is None:
            return f"robot {name_of(prim)}" if path == self._root else name_of(prim)
        own = f"{element.kind} {element.name}"
        return own if element.name == name_of(prim) else f"{name_of(prim)} of {own}"

    def position(self, name: str, property_name: str) -> Position | None:
        """Where a property's element begins, else the element with a name as `name` gives it; None for no element."""
        kind, _, own = name.rpartition(" of ")[2].partition(" ")
        element = self._text.elements.get((kind, own))
        if element is None:
            return self._text.position if kind == "robot" else None
        parts = _PARTS.get(property_name.rpartition(":")[2], ())
        return next((element.parts[part] for part in parts if part in element.parts), element.position)

    def _element(self, path: str) -> Element | None:
        """The element of a prim, or of the nearest prim above it with one."""
        prim = self._stage.GetPrimAtPath(path)
        while prim and prim.GetPath() not in (self._root, "/"):
            name = name_of(prim)
            bodies = _BODIES if prim.GetTypeName() == "Xform" else ()
            kinds = _JOINTS if prim.IsA(UsdPhysics.Joint) else (*bodies, *_SHAPES)
            element = next((self._text.elements[kind, name] for kind in kinds if (kind, name) in self._text.elements),
                           None)
            if element is not None:
                return element
            prim = prim.GetParent()
        return None


def origins_of(file: str) -> Origins | None:
    """The elements of a robot's file that this process has converted; None for any other file."""
    stage = converted_stage(Path(file))
    return _origins(stage, file) if stage else None


@lru_cache(8)
def _origins(stage: str, file: str) -> Origins:
    return Origins(Usd.Stage.Open(stage), read_robot_text(Path(file)))
