"""Mass properties that contradict one another, or that no solid has."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from physx_schema.checking.finding import Finding
from physx_schema.checking.rule import Rule
from physx_schema.checking.values import flat
from physx_schema.description import Description, Link

_TOLERANCE = 1e-4       # relative, of single floats that tools have rounded
_TURNED = 0.5           # degrees by which axes are turned, above the rounding of meshes
_FAR = 3.0              # sizes of the colliders' bounds from which a centre of mass is far off

Values = Mapping[str, tuple[float, ...]]       # base name to the numbers authored


def mass_properties(description: Description) -> Iterator[Finding]:
    """What each prim with mass properties authors."""
    authored: dict[str, dict[str, tuple[float, ...]]] = {}
    for item in description.authored:
        if item.schema == "PhysicsMassAPI":
            authored.setdefault(item.path, {})[item.base] = flat(item.value)
    if not authored:
        return
    links = {link.path: link for item in description.articulations for link in item.links}
    links.update((body.path, body) for body in description.bodies)
    for path, values in authored.items():
        yield from _inertia(path, values)
        yield from _pair(path, values, links.get(path))
        if path in links and "centerOfMass" in values:
            yield from _center(links[path])
    for path, link in links.items():
        if link.colliders and authored.get(path, {}).get("mass") == (0.0,):
            yield Finding(
                "body/mass-computed", "info", path, "physics:mass", f"mass 0 stands for the colliders' {link.mass:g}",
                "PhysX works out the mass from the colliders and their densities", "author the mass to fix it",
            )


def _inertia(path: str, values: Values) -> Iterator[Finding]:
    """The largest moment of a solid is at most the sum of the others."""
    fault = moments_fault(values.get("diagonalInertia", ()))
    if fault:
        yield Finding(
            "body/inertia-triangle", "error", path, "physics:diagonalInertia", fault,
            "PhysX takes them, and the body turns as nothing real does",
            "author the moments of the body, each at most the sum of the others",
        )


def moments_fault(moments: Sequence[float]) -> str:
    """Why no solid has three positive moments of inertia; empty where one has."""
    if len(moments) != 3 or not all(math.isfinite(moment) and moment > 0.0 for moment in moments):
        return ""
    largest = max(moments)
    if largest <= (sum(moments) - largest) * (1.0 + _TOLERANCE):
        return ""
    named = ", ".join(f"{moment:g}" for moment in moments)
    return f"no solid has the moments {named}: the largest is above the sum of the others"


def _pair(path: str, values: Values, link: Link | None) -> Iterator[Finding]:
    """Moments mean little without the axes they are about."""
    moments, axes = any(values.get("diagonalInertia", ())), any(values.get("principalAxes", ()))
    if axes and not moments:
        yield Finding(
            "body/inertia-incomplete", "warning", path, "physics:principalAxes",
            "principalAxes without diagonalInertia", "PhysX turns moments that it works out itself",
            "author physics:diagonalInertia too",
        )
    turn = 2.0 * math.degrees(math.acos(min(abs(link.principal_axes[3]), 1.0))) if link is not None else 0.0
    if moments and not axes and turn > _TURNED:
        yield Finding(
            "body/inertia-incomplete", "warning", path, "physics:diagonalInertia",
            f"diagonalInertia without principalAxes, and colliders whose own axes are turned by {turn:.3g} degrees",
            "PhysX takes the moments about the colliders' axes, not the body's",
            "author physics:principalAxes, (1, 0, 0, 0) for the axes of the body",
        )


def _center(link: Link) -> Iterator[Finding]:
    """A centre of mass belongs somewhere near the body's shapes."""
    spans = [_reach(collider.half_extents, collider.radius, collider.half_height) for collider in link.colliders]
    if not spans or not all(span > 0.0 for span in spans):
        return      # sizes of meshes are not at hand
    near = min(
        math.dist(link.center_of_mass, collider.pose[0]) / span
        for collider, span in zip(link.colliders, spans, strict=True)
    )
    if near > _FAR:
        yield Finding(
            "body/center-far", "warning", link.path, "physics:centerOfMass",
            f"the centre of mass is {near:.3g} times the size of the nearest collider away from it",
            "the body swings about a point outside itself", "author the centre in the body's frame and length units",
        )


def _reach(half_extents: tuple[float, float, float], radius: float, half_height: float) -> float:
    """How far a shape reaches from its middle, at most."""
    return max(math.hypot(*half_extents), math.hypot(radius, half_height + radius))


RULES = (Rule("mass-properties", mass_properties, (
    "body/inertia-triangle", "body/inertia-incomplete", "body/center-far", "body/mass-computed",
)),)
