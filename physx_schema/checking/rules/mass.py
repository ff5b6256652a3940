"""Mass properties that contradict each other or that no solid has, and quaternions of a length other than 1."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import PROFILES, Finding, SetValue, safe
from physx_schema.checking.engine.rule import ReaderRule, Rule, finder, flatten
from physx_schema.description import Authored, Description, Link
from physx_schema.description.collision.body_bounds import box_corners

_TOLERANCE = 1e-4       # relative, of single floats that tools have rounded
_ROTATION_TOLERANCE = 0.5           # degrees by which axes are turned, above the rounding of meshes
_FAR = 1.0              # diagonals of the box around the colliders by which a centre of mass is outside it
_Values = Mapping[str, tuple[float, ...]]       # base name to the numbers authored
_MASS = {"float physics:mass": "1", "float3 physics:diagonalInertia": "(1, 1, 1)"}
_BODY = ("PhysicsRigidBodyAPI", "PhysicsMassAPI")
_MOMENTS, _AXES = "float3 physics:diagonalInertia", "quatf physics:principalAxes"
_CENTER = "point3f physics:centerOfMass"

MASS_COMPUTED = Rule("body/mass-computed", "info", """
    Mass of 0

    PhysX treats a mass of 0 as a mass that is not authored. PhysX then computes the mass from the body's colliders and
    their densities.

    Measured: A body with mass 0 and a cube collider of size 1 gets mass 1000. (`experiments/measure_mass_rules.py`)
    """,
    why="PhysX computes the mass from the colliders and their densities",
    fix="author a mass above 0",
    example=usda.body({"float physics:mass": "0"}, children=usda.cube()),
    remedy=usda.body(children=usda.cube()),
)

INERTIA_TRIANGLE = Rule("body/inertia-triangle", "error", """
    Moments of inertia that no solid has

    Each principal moment of inertia of a solid is at most the sum of its other two moments. PhysX also accepts moments
    that no solid has, but the body then turns unlike a real body.

    Measured: PhysX accepts a body with the moments of inertia 1, 1 and 5. Under equal torques, this body turns five
    times slower about z than about x. (`experiments/measure_mass_rules.py`)
    """,
    why="PhysX accepts these moments, but the body turns unlike a real body",
    fix="author moments of inertia of a solid: each is at most the sum of the other two",
    profiles=PROFILES,
    example=usda.prim("Xform", "thing", {**_MASS, "float3 physics:diagonalInertia": "(1, 1, 5)"}, *_BODY),
    remedy=usda.prim("Xform", "thing", _MASS, *_BODY),
)


def _inertia(path: str, values: _Values) -> Iterator[Finding]:
    """Check that the largest moment is at most the sum of the others, as in a solid."""
    fault = moments_fault(values.get("diagonalInertia", ()))
    if fault:
        yield INERTIA_TRIANGLE.at(path, "physics:diagonalInertia", fault)


def moments_fault(moments: Sequence[float]) -> str:
    """Return why no solid has three positive moments of inertia; empty if one has."""
    if len(moments) != 3 or not all(math.isfinite(moment) and moment > 0.0 for moment in moments):
        return ""
    largest = max(moments)
    if largest <= (sum(moments) - largest) * (1.0 + _TOLERANCE):
        return ""
    text = ", ".join(f"{moment:g}" for moment in moments)
    return f"no solid has the moments {text}: the largest is above the sum of the other two"


INERTIA_INCOMPLETE = Rule("body/inertia-incomplete", "warning", """
    Moments of inertia or principal axes alone

    If only principalAxes is authored, PhysX computes the moments of inertia and applies these axes to them. If only
    diagonalInertia is authored, PhysX uses the principal axes of the colliders, unless mass and centerOfMass are
    authored too.

    Measured: On a box collider tilted by 30 degrees, diagonalInertia (1, 2, 3) gives an inertia matrix with the
    elements 1.25, 1.75 and -0.433.
    (`experiments/measure_mass_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body({_MOMENTS: None, _AXES: "(0, 1, 0, 0)"}),
    remedy=usda.body({_AXES: "(0, 1, 0, 0)"}),
)


def _pair(path: str, values: _Values, link: Link | None) -> Iterator[Finding]:
    """Find moments without the axes they are about, and axes without moments."""
    moments, axes = any(values.get("diagonalInertia", ())), any(values.get("principalAxes", ()))
    if axes and not moments:
        yield INERTIA_INCOMPLETE.at(
            path, "physics:principalAxes", "principalAxes is authored without diagonalInertia",
            why="PhysX computes the moments of inertia and applies these axes to them",
            fix="author physics:diagonalInertia too",
        )
    angle = 2.0 * math.degrees(math.acos(min(abs(link.principal_axes[3]), 1.0))) if link is not None else 0.0
    if moments and not axes and angle > _ROTATION_TOLERANCE:
        yield INERTIA_INCOMPLETE.at(
            path, "physics:diagonalInertia",
            f"diagonalInertia is authored without principalAxes, and the colliders' axes are turned by {angle:.3g} "
            "degrees",
            why="PhysX applies the moments about the axes of the colliders, not about the axes of the body",
            fix="author physics:principalAxes; the value (1, 0, 0, 0) means the axes of the body",
        )


CENTER_FAR = Rule("body/center-far", "warning", """
    Centre of mass far from the colliders

    The centre of mass is outside the bounding box of the colliders, further away than the box's diagonal. The body then
    swings about a distant point. Often centerOfMass was authored in a wrong length unit or in a wrong frame.

    Measured: With the centre of mass 5 away from a cube of size 1, the computed moments of inertia increase from 0.17
    to 25.17. (`experiments/measure_mass_rules.py`)
    """,
    why="the body swings about a point outside itself",
    fix="author the centre in the body's frame and length units",
    profiles=PROFILES,
    example=usda.body({_CENTER: "(99, 0, 0)"}, children=usda.cube()),
    remedy=usda.body({_CENTER: "(0.1, 0, 0)"}, children=usda.cube()),
)


def _center(link: Link) -> Iterator[Finding]:
    """Find a centre of mass far outside the body's shapes."""
    corners = box_corners(link.colliders)
    if corners is None:
        return
    low, high = corners.min(axis=0), corners.max(axis=0)
    center = np.asarray(link.center_of_mass)
    size = float(np.linalg.norm(high - low))
    outside = float(np.linalg.norm(np.maximum(np.maximum(low - center, center - high), 0.0)))
    if size > 0.0 and outside > _FAR * size:
        yield CENTER_FAR.at(
            link.path, "physics:centerOfMass",
            f"the centre of mass is {outside:.3g} outside the colliders, {outside / size:.3g} times the diagonal of "
            "their bounding box",
        )


@finder("mass-properties", INERTIA_TRIANGLE, INERTIA_INCOMPLETE, CENTER_FAR, MASS_COMPUTED)
def mass_properties(description: Description) -> Iterator[Finding]:
    """Judge the authored mass properties of each prim."""
    authored: dict[str, dict[str, tuple[float, ...]]] = {}
    for item in description.authored:
        if item.schema == "PhysicsMassAPI":
            authored.setdefault(item.path, {})[item.base] = flatten(item.value)
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
            yield MASS_COMPUTED.at(
                path, "physics:mass", f"the mass is 0, and PhysX computes mass {link.mass:g} from the colliders")


NO_MASS = ReaderRule("body/no-mass", "warning", """
    Body without mass and colliders

    The body has neither a mass nor a collider. For such a body PhysX uses a mass of 1 and the inertia of a small
    sphere.

    Measured: For such a body PhysX logs a warning about a negative mass. (`experiments/measure_body_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.prim("Xform", "thing", {}, "PhysicsRigidBodyAPI"),
    remedy=usda.prim("Xform", "thing", _MASS, *_BODY),
)

ZERO_INERTIA = ReaderRule("body/zero-inertia", "error", """
    Moment of inertia of 0

    If a link has a moment of inertia of 0, PhysX refuses all its moments and uses 1 about every axis. Outside
    articulations a moment of 0 means an infinite moment of inertia; the runtime of this project does not simulate such
    a body.

    Measured: A link with the moments of inertia 2, 0 and 3 gets the moments 1, 1 and 1.
    (`experiments/measure_mass_rules.py`)
    """,
    example=usda.body({_MOMENTS: "(0, 1, 1)"}, name="c") + usda.joint("j2", child="c"),
    remedy=usda.body(name="c") + usda.joint("j2", child="c"),
)

COLLIDER_MASS = ReaderRule("body/collider-mass", "warning", """
    Collider with an estimated mass

    physx-schema only estimates the mass of colliders that are convex decompositions, sphere fillings, or SDFs of open
    meshes.

    Measured: For an L-shaped mesh of mass 3000, PhysX computes a mass of 3216 from the convex decomposition. The
    estimate of physx-schema is 3000. (`experiments/measure_mass_rules.py`)
    """,
)


_UNIT = 1e-3            # a quaternion's length may differ from 1 by rounding
_SANE = 1e-2            # and by that much before PhysX refuses principal axes
_QUATERNIONS = frozenset({"localRot0", "localRot1", "principalAxes"})
_PRINCIPAL_AXES = "quatf physics:principalAxes"

NOT_UNIT = ReaderRule("value/not-unit", "error", """
    Quaternion with a length other than 1

    PhysX normalises quaternions of joint frames. If the length of principalAxes differs from 1 by more than 0.01, PhysX
    ignores principalAxes and centerOfMass. A transform with a quaternion of another length than 1 rotates by a wrong
    angle.

    Measured: PhysX accepts principalAxes of length 1.009. With principalAxes of length 1.011, PhysX moves the centre of
    mass to the origin. (`experiments/measure_mass_rules.py`)
    """,
    fix="author a quaternion of length 1",
    profiles=PROFILES,
    example=usda.body({_PRINCIPAL_AXES: "(2, 0, 0, 0)"}),
    remedy=usda.body({_PRINCIPAL_AXES: "(1, 0, 0, 0)"}),
)


@finder("quaternions", NOT_UNIT)
def quaternions(description: Description) -> Iterator[Finding]:
    """Find quaternions of a length other than 1."""
    for item in description.authored:
        if item.base in _QUATERNIONS and item.schema.startswith("Physics"):
            yield from _unit(item)


def _unit(item: Authored) -> Iterator[Finding]:
    parts = flatten(item.value)
    length = math.hypot(*parts)
    if len(parts) == 4 and math.isfinite(length) and length > 0.0 and abs(length - 1.0) > _UNIT:
        refused = item.base == "principalAxes" and not abs(length - 1.0) < _SANE
        yield NOT_UNIT.at(
            item.path, item.property, f"the quaternion has length {length:g}",
            why="PhysX ignores principalAxes and centerOfMass; the moments are about the body's axes and origin"
            if refused else "PhysX normalises it", severity="error" if refused else "warning",
            repair=safe(SetValue(item.path, item.property, tuple(part / length for part in parts))),
        )
