"""Moments of inertia that do not fit the mass and the colliders of a body, or that PhysX makes up."""

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
    Moments of inertia far from what mass and colliders allow

    No mass inside the colliders has moments above its mass times the square of the farthest distance from its centre.
    The rule reports moments above ten times that. It also reports a largest or a least moment below a hundredth of that
    of a solid box around the colliders. Often they are in another unit: a CAD program writes kg mm^2 or g cm^2, USD has
    mass units times squared length units of the stage. Bodies on fixed joints, and fixed bases, are left out: there the
    moments hardly count.

    Measured: A rod of 1 kg and 0.2 m that is let go level from a hinge at its end is at 182 degrees after half a
    second. With moments times 10 it is at 131 degrees, times 100 at 20, times 1e6 at 0.00. Dropped on the ground it
    comes to rest with moments times 0.01 and falls through it with times 0.001. With the moment about its length alone
    times 0.01 it turns at up to 122 rad/s and comes to rest. With that moment times 0.001 it turns at up to 1071 rad/s
    and does not. (`experiments/measure_plausibility.py`)
    """,
    profiles=PROFILES,
    example=usda.body({f"float3 {_MOMENTS}": "(1e5, 1e5, 1e5)"}, children=_BOX),
    remedy=usda.body({f"float3 {_MOMENTS}": "(0.17, 0.17, 0.17)"}, children=_BOX),
)

POINT_INERTIA = Rule("body/point-inertia", "warning", """
    Mass without moments of inertia and without a collider

    PhysX works out moments that are not authored from the colliders. A body without a collider gets those of a solid
    sphere of radius 0.1 m, however large it is. A body whose colliders are triggers gets moments of 1.

    Measured: Mass 0.01 gets moments of 4e-05 in metres, 0.4 in centimetres and 40 in millimetres. A cube without
    PhysicsCollisionAPI and a centre of mass change nothing. With a trigger the moments are 1, with a cube of size 1
    whose collision is switched off 0.00167. (`experiments/measure_plausibility.py`)
    """,
    why="the moments have nothing to do with the body: it turns faster or slower than it should",
    profiles=PROFILES,
    example=usda.prim("Xform", "thing", _BARE, "PhysicsRigidBodyAPI", "PhysicsMassAPI"),
    remedy=usda.body(),
)


class _Allowed(NamedTuple):
    """What the mass and the colliders of a body allow."""

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
    """Moments that PhysX makes up."""
    if not link.colliders:
        radius = f"{POINT_RADIUS:g} m" if scene.meters_per_unit == 1.0 else (
            f"{POINT_RADIUS:g} m, {POINT_RADIUS / scene.meters_per_unit:g} length units")
        computed = f"the inertia of a solid sphere of radius {radius}: {link.inertia[0][0]:.3g}"
    elif all(collider.trigger for collider in link.colliders):
        computed = "moments of inertia of 1, as its colliders are triggers"
    else:
        return
    yield POINT_INERTIA.at(
        link.path, "physics:mass",
        f"mass {link.mass:g} without diagonalInertia and without a collider: PhysX takes {computed}",
        fix=f"author {_MOMENTS}, or give the body a collider",
    )


def _size(link: Link, moments: tuple[float, ...], scene: Scene) -> Iterator[Finding]:
    """Moments that are too large or too small for the body."""
    allowed = _allowed(link)
    if allowed is None:
        return
    top, box = max(moments), max(allowed.solid)
    density = allowed.density * scene.kilograms_per_unit / scene.meters_per_unit**3
    if top > _TOO_LARGE * allowed.largest and not ("metersPerUnit" in scene.stage_metadata and density > _OSMIUM):
        message = (f"a moment of {top:.3g}, where a mass of {link.mass:.3g} inside these colliders has at most "
                   f"{allowed.largest:.3g}")
        why = "forces hardly turn the body"
    elif top < _TOO_SMALL * box:
        message = f"a largest moment of {top:.3g}, where a solid box around these colliders has {box:.3g}"
        why = "forces turn the body at a touch, and contacts may not hold it"
    elif min(moments) < _TOO_SMALL * min(allowed.solid):
        message = (f"a least moment of {min(moments):.3g}, where a solid box around these colliders has "
                   f"{min(allowed.solid):.3g}")
        why = "contacts make the body spin about that axis"
    else:
        return
    solid = ", ".join(f"{moment:.3g}" for moment in allowed.solid)
    yield INERTIA_SIZE.at(
        link.path, _MOMENTS, message, why=why,
        fix=f"author the body's own moments, about ({solid}) for a solid box, or remove {_MOMENTS} and "
            "physics:principalAxes: PhysX then takes those of the colliders" + _unit_hint(top / box, scene),
    )


def _allowed(link: Link) -> _Allowed | None:
    """What mass and colliders allow; None where there is nothing to compare with."""
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
    return f"; if they are in {name}, multiply them by {_UNITS[name] / own:g}"
