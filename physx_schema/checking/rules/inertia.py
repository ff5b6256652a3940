"""Moments of inertia that do not fit the mass and the colliders of a body, or that PhysX invents."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import PROFILES, Finding
from physx_schema.checking.engine.rule import Rule, finder, flatten
from physx_schema.description import Description, Link, Scene
from physx_schema.description.collision.body_bounds import box_corners
from physx_schema.description.records import Vec3
from physx_schema.description.units import POINT_RADIUS

_TOO_LARGE = 10.0       # times what the whole mass at the farthest corner of the colliders would have
_TOO_SMALL = 0.01       # times what a solid box around the colliders would have
_OSMIUM = 25e3          # kg / m^3: a box that were denser does not stand for the body
_MOMENTS = "physics:diagonalInertia"
_UNITS = {"kg m^2": 1.0, "kg cm^2": 1e-4, "kg mm^2": 1e-6, "g cm^2": 1e-7, "g mm^2": 1e-9}     # in kg m^2
_DECADE = 0.5           # how far the logarithm of a ratio may be from that of a unit
_BOX = usda.cube()
_BARE = {"float physics:mass": "1"}

INERTIA_SIZE = Rule("body/inertia-size", "warning", """
    Moments of inertia too large or too small

    The rule reports a moment of inertia above ten times the largest moment that the body's mass can have within its
    colliders. The rule also reports a moment below a hundredth of the moment of a solid box around the colliders. With
    too large moments forces hardly turn the body; with too small moments contacts make the body spin. Often the moments
    of inertia are in a wrong unit.

    Measured: A horizontal rod on a revolute joint turns by 182 degrees in half a second. With 100 times larger moments
    of inertia the same rod turns by 20 degrees. (`experiments/measure_plausibility.py`)
    """,
    profiles=PROFILES,
    example=usda.body({f"float3 {_MOMENTS}": "(1e5, 1e5, 1e5)"}, children=_BOX),
    remedy=usda.body({f"float3 {_MOMENTS}": "(0.17, 0.17, 0.17)"}, children=_BOX),
)

POINT_INERTIA = Rule("body/point-inertia", "warning", """
    Mass without moments of inertia and colliders

    The body has a mass, but no authored moments of inertia and no collider to compute the moments from. PhysX then uses
    the moments of inertia of a solid sphere of radius 0.1 m, even for large bodies. If all colliders of the body are
    triggers, PhysX uses moments of inertia of 1.

    Measured: A body of mass 0.01 gets moments of inertia of 4e-05 on a stage in metres, and 0.4 on a stage in
    centimetres. (`experiments/measure_plausibility.py`)
    """,
    profiles=PROFILES,
    example=usda.prim("Xform", "thing", _BARE, "PhysicsRigidBodyAPI", "PhysicsMassAPI"),
    remedy=usda.body(),
)


class _Allowed(NamedTuple):
    """The moments that the mass and the colliders of a body allow."""

    largest: float          # moment, of the whole mass at the corner farthest from the centre of mass
    solid: Vec3             # moments of a solid box around the colliders, along the axes of the body
    density: float          # mass over volume of the box, in units of the stage


@finder("inertia", INERTIA_SIZE, POINT_INERTIA)
def inertia(description: Description) -> Iterator[Finding]:
    """Moments of bodies that turn by forces."""
    authored: dict[str, dict[str, tuple[float, ...]]] = {}
    for item in description.authored:
        if item.schema == "PhysicsMassAPI" and item.base in ("mass", "diagonalInertia"):
            authored.setdefault(item.path, {})[item.base] = flatten(item.value)
    for link in _turning(description):
        values = authored.get(link.path, {})
        moments = values.get("diagonalInertia", ())
        if not any(moment > 0.0 for moment in moments):
            if any(mass > 0.0 for mass in values.get("mass", ())):
                yield from _point(link, description.scene_of(link))
        elif len(moments) == 3 and all(0.0 < moment < math.inf for moment in moments) and not _is_welded(link):
            yield from _size(link, moments, description.scene_of(link))


def _turning(description: Description) -> Iterator[Link]:
    """The bodies that move by forces: all but kinematic ones and the roots of fixed bases."""
    for item in description.articulations:
        yield from (link for link in item.links if not (item.fixed_base and link.parent < 0))
    yield from (body for body in description.bodies if not body.kinematic)


def _is_welded(link: Link) -> bool:
    return link.joint is not None and not link.joint.dofs


def _point(link: Link, scene: Scene) -> Iterator[Finding]:
    """Find moments that PhysX invents."""
    if not link.colliders:
        radius = f"{POINT_RADIUS:g} m" if scene.meters_per_unit == 1.0 else (
            f"{POINT_RADIUS:g} m, {POINT_RADIUS / scene.meters_per_unit:g} length units")
        colliders = "no collider"
        moments = f"the moments of a solid sphere of radius {radius}, {link.inertia[0][0]:.3g}"
    elif all(collider.trigger for collider in link.colliders):
        colliders, moments = "only trigger colliders", "1"
    else:
        return
    yield POINT_INERTIA.at(
        link.path, "physics:mass", f"the body has mass {link.mass:g}, no diagonalInertia and {colliders}",
        why=f"PhysX uses moments unrelated to the body's size: {moments}", fix=f"author {_MOMENTS}, or add a collider",
    )


def _size(link: Link, moments: tuple[float, ...], scene: Scene) -> Iterator[Finding]:
    """Moments that are too large or too small for the body."""
    allowed = _allowed(link)
    if allowed is None:
        return
    top, box = max(moments), max(allowed.solid)
    density = allowed.density * scene.kilograms_per_unit / scene.meters_per_unit**3
    if top > _TOO_LARGE * allowed.largest and not ("metersPerUnit" in scene.stage_metadata and density > _OSMIUM):
        message = (f"the moment of inertia {top:.3g} is above ten times {allowed.largest:.3g}, the maximum for mass "
                   f"{link.mass:.3g} inside these colliders")
        why = "forces hardly turn the body"
    elif top < _TOO_SMALL * box:
        message = (f"the largest moment of inertia {top:.3g} is below a hundredth of {box:.3g}, the moment of a solid "
                   "box around these colliders")
        why = "small forces turn the body fast, and contacts sometimes do not hold it"
    elif min(moments) < _TOO_SMALL * min(allowed.solid):
        message = (f"the smallest moment of inertia {min(moments):.3g} is below a hundredth of "
                   f"{min(allowed.solid):.3g}, the moment of a solid box around these colliders")
        why = "contacts make the body spin about the axis of this moment"
    else:
        return
    solid = ", ".join(f"{moment:.3g}" for moment in allowed.solid)
    yield INERTIA_SIZE.at(
        link.path, _MOMENTS, message, why=why,
        fix=f"author the body's moments, about ({solid}) for a solid box, or remove {_MOMENTS} and "
            "physics:principalAxes to use the moments of the colliders" + _unit_hint(top / box, scene),
    )


def _allowed(link: Link) -> _Allowed | None:
    """The moments that mass and colliders allow; None without colliders or a mass to compare with."""
    corners = box_corners(link.colliders)
    if corners is None or not 0.0 < link.mass < math.inf:
        return None
    x, y, z = map(float, np.ptp(corners, axis=0))
    extent = float(((corners - np.asarray(link.center_of_mass)) ** 2).sum(axis=1).max())
    share = link.mass / 12.0
    solid = share * (y * y + z * z), share * (z * z + x * x), share * (x * x + y * y)
    volume = x * y * z
    if not (max(solid) > 0.0 and math.isfinite(extent)):
        return None
    return _Allowed(link.mass * extent, solid, link.mass / volume if volume > 0.0 else math.inf)


def _unit_hint(ratio: float, scene: Scene) -> str:
    """The unit that the moments may be in: with moments in a unit u and the stage's own U the ratio is U / u."""
    own = scene.kilograms_per_unit * scene.meters_per_unit**2
    distances = {name: abs(math.log10(ratio * unit / own)) for name, unit in _UNITS.items()}
    name = min(distances, key=lambda item: distances[item])
    if distances[name] > _DECADE or math.isclose(_UNITS[name], own, rel_tol=1e-3):
        return ""
    return f"; if the moments are in {name}, multiply them by {_UNITS[name] / own:g}"
