"""Small stages as USDA text: a robot is a fixed base with links and joints under /Robot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pxr import Sdf, Usd

from physx_schema.description import Description, describe

HEAD = '#usda 1.0\n(\n    defaultPrim = "Robot"\n    metersPerUnit = {meters}\n    kilogramsPerUnit = {kilograms}\n' \
       '    upAxis = "Z"\n)\n'


def usda(value: object) -> str:
    """A Python value as USDA text; strings that begin with < are paths."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, str):
        return value if value.startswith("<") else f'"{value}"'
    if isinstance(value, list):
        return "[" + ", ".join(map(usda, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(usda, value)) + ")"
    return repr(value)


def prim(kind: str, name: str, schemas: Iterable[str] = (), attributes: Mapping[str, object] | None = None,
         children: str = "") -> str:
    """A prim; attributes map "type name" to a value."""
    applied = ", ".join(f'"{schema}"' for schema in schemas)
    metadata = f" (prepend apiSchemas = [{applied}])" if applied else ""
    body = "".join(f"{key} = {usda(value)}\n" for key, value in (attributes or {}).items())
    return f'def {kind} "{name}"{metadata}\n{{\n{body}{children}}}\n'


def placed(position: tuple[float, ...], scale: tuple[float, ...] = (1, 1, 1),
           orient: tuple[float, ...] = (1, 0, 0, 0)) -> dict[str, object]:
    """Transform attributes."""
    return {
        "double3 xformOp:translate": position, "quatf xformOp:orient": orient, "float3 xformOp:scale": scale,
        "uniform token[] xformOpOrder": ["xformOp:translate", "xformOp:orient", "xformOp:scale"],
    }


def link(name: str, position: tuple[float, ...] = (0, 0, 0), schemas: Iterable[str] = (), mass: float = 1.0,
         children: str = "", **attributes: Any) -> str:
    """A rigid body with a mass and unit inertia; further attributes under keyword `more`."""
    more: Mapping[str, object] = attributes.pop("more", {})
    own: dict[str, object] = {
        "float physics:mass": float(mass), "float3 physics:diagonalInertia": (1.0, 1.0, 1.0),
        "point3f physics:centerOfMass": (0, 0, 0),
    }
    return prim("Xform", name, ("PhysicsRigidBodyAPI", "PhysicsMassAPI", *schemas),
                {**own, **placed(position), **more}, children)


def joint(kind: str, name: str, body0: str, body1: str, schemas: Iterable[str] = (),
          attributes: Mapping[str, object] | None = None) -> str:
    """A joint between two links; an empty name is the world."""
    bodies = {f"rel physics:body{i}": f"</Robot/{body}>" for i, body in enumerate((body0, body1)) if body}
    return prim(f"Physics{kind}Joint", name, schemas, {**bodies, **(attributes or {})})


def base() -> str:
    """The base link and its joint to the world."""
    return link("base") + joint("Fixed", "anchor", "", "base")


def robot(*parts: str, schemas: Iterable[str] = ("PhysicsArticulationRootAPI",), meters: float = 1.0,
          kilograms: float = 1.0, outside: str = "") -> str:
    """The text of a stage with the parts under /Robot."""
    head = HEAD.format(meters=meters, kilograms=kilograms)
    return head + prim("Xform", "Robot", schemas, {}, "".join(parts)) + outside


def finger(attributes: Mapping[str, object] | None = None, schemas: Iterable[str] = (), kind: str = "Revolute") -> str:
    """A base and one link, joined by /Robot/j where the link is."""
    at_tip = {"point3f physics:localPos0": (1, 0, 0), **(attributes or {})}
    return robot(base(), link("tip", (1, 0, 0)), joint(kind, "j", "base", "tip", schemas, at_tip))


def opened(text: str) -> Usd.Stage:
    """The stage of a text."""
    layer = Sdf.Layer.CreateAnonymous("robot.usda")
    layer.ImportFromString(text)
    return Usd.Stage.Open(layer)


def described(text: str) -> Description:
    """What the reader makes of a stage given as text."""
    return describe(opened(text))
