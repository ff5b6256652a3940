"""Numbers that look like another unit: radians instead of degrees, metres instead of centimetres."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import PROFILES, Finding, SetValue, unsafe
from physx_schema.checking.engine.rule import Rule, every_axis, finder, flatten
from physx_schema.description import Articulation, Authored, Collider, Description, Link, Scene, unlimited
from physx_schema.description.units import default_gravity

_FRACTIONS = (1 / 6, 1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4, 5 / 6, 1.0, 3 / 2, 2.0)     # of pi
_CLOSE = 6e-4               # relative: 3.14, 1.57 and 0.785 count as fractions of pi, 5.5 and 1.6 do not
_TWO_PI = 2.0 * math.pi * (1.0 + _CLOSE)
_FEWEST = 3                 # hinges, and different limits, that must all be small for a finding
_GRAVITY = (0.2, 200.0)     # m / s^2: from small moons to 20 times Earth
_DENSITY = (0.5, 1e5)       # kg / m^3: from foam in a large box to four times osmium in a small one
_ANGLES = frozenset({"lowerLimit", "upperLimit", "low", "high", "targetPosition", "position", "offset"})
_LIMITS = frozenset({"lowerLimit", "upperLimit", "low", "high"})
_MOON = {"vector3f physics:gravityDirection": "(0, 0, -1)", "float physics:gravityMagnitude": "981"}
_RADIANS = {"float physics:lowerLimit": "-1.5708", "float physics:upperLimit": "1.5708"}
_BOX = usda.prim("Cube", "box", {"double size": "1"}, "PhysicsCollisionAPI")


def _hinges(*upper: str) -> str:
    """Hinges j1, j2 and j3 with these upper limits."""
    first, second, third = ({"float physics:lowerLimit": "0", "float physics:upperLimit": limit} for limit in upper)
    end = usda.prim("Xform", "d", {"float physics:mass": "1"}, "PhysicsRigidBodyAPI", "PhysicsMassAPI")
    chain = usda.sliding_link("c") + usda.joint("j3", third, parent="c", child="d") + end
    return usda.joint("j1", first) + usda.joint("j2", second) + chain


RADIANS = Rule("unit/radians", "warning", """
    Joint angle that looks like radians

    A limit, drive target, joint state or mimic offset is pi, 2 pi or a common fraction of pi. PhysX reads joint angles
    in degrees. The rule reports limits only if every bound of the joint looks like radians.

    Measured: A hinge with limits of 1.5708 and a target of 90 stops at 1.5708 degrees.
    (`experiments/measure_joint_rules.py`)
    """,
    why="PhysX reads joint angles in degrees, 57.3 times less than the same number in radians",
    profiles=PROFILES,
    example=usda.joint("j2", _RADIANS),
    remedy=usda.joint("j2", {"float physics:lowerLimit": "-90", "float physics:upperLimit": "90"}),
)


def _suspects(items: list[Authored]) -> Iterator[Finding]:
    """Limits if every bound of the joint looks like radians; targets and states one by one."""
    bounds = [value for item in items if item.base in _LIMITS for value in flatten(item.value)
              if value and math.isfinite(value) and not unlimited(value)]
    limits = bool(bounds) and all(map(_is_fraction, bounds))
    for item in items:
        value = next(iter(flatten(item.value)), 0.0)
        if _is_fraction(value) and (limits or item.base not in _LIMITS):
            degrees = math.degrees(value)
            yield RADIANS.at(
                item.path, item.property, f"{value:g} degrees; in radians this number is {degrees:.4g} degrees",
                fix=f"author {degrees:.4g} if the value is in radians",
                repair=unsafe(*(_in_degrees(other) for other in (items if item.base in _LIMITS else [item])
                                if other.base in _LIMITS or other is item)),
            )


def _in_degrees(item: Authored) -> SetValue:
    return SetValue(item.path, item.property, math.degrees(next(iter(flatten(item.value)), 0.0)))


def _is_fraction(value: float) -> bool:
    """Whether a number is pi, two pi, or a common part of pi."""
    size = abs(value)
    return 0.0 < size < math.inf and any(abs(size - part * math.pi) <= _CLOSE * size for part in _FRACTIONS)


SMALL_LIMITS = Rule("unit/small-limits", "warning", """
    Articulation with tiny hinge limits

    At least three hinges have limits, and no hinge turns further than 6.3 degrees, about 2 pi. Possibly the limits were
    authored in radians instead of degrees.

    Measured: A hinge with limits of 1.5708 and a target of 90 stops at 1.5708 degrees.
    (`experiments/measure_joint_rules.py`)
    """,
    why="if the limits are in radians, the joints can make only 1/57 of the intended motion",
    fix="author the limits in degrees",
    profiles=PROFILES,
    example=_hinges("0.9", "1.2", "1.8"),
    remedy=_hinges("52", "69", "103"),
)


def _hardly_turns(articulation: Articulation) -> Iterator[Finding]:
    """Articulations in which no limited hinge turns further than 6.3 degrees."""
    bounds = [math.degrees(abs(bound)) for dof in articulation.dofs if dof.angular
              and not unlimited(dof.lower) and not unlimited(dof.upper) and dof.lower < dof.upper
              for bound in (dof.lower, dof.upper)]
    sizes = {round(bound, 2) for bound in bounds}      # a chain of like hinges may well have small limits
    if len(bounds) >= 2 * _FEWEST and len(sizes) >= _FEWEST and 1.0 < max(bounds) <= _TWO_PI:
        yield SMALL_LIMITS.at(
            articulation.path, "",
            f"none of the {len(bounds) // 2} hinges with limits turns further than {max(bounds):.3g} degrees",
        )


@finder("radians", RADIANS, SMALL_LIMITS)
def radians_for_degrees(description: Description) -> Iterator[Finding]:
    """Joint angles that are fractions of pi, and articulations with tiny hinge limits."""
    by_joint: dict[str, list[Authored]] = {}
    for item in description.authored:
        if _is_angle(item):
            by_joint.setdefault(item.path, []).append(item)
    turning = _turning(description)
    for path, items in by_joint.items():
        if path in turning:
            yield from _suspects(items)
    for articulation in description.articulations:
        yield from _hardly_turns(articulation)


def _is_angle(item: Authored) -> bool:
    """Whether a property is a joint angle, in degrees by UsdPhysics."""
    if item.base not in _ANGLES:
        return False
    if item.base in ("lowerLimit", "upperLimit"):
        return item.schema == "PhysicsRevoluteJoint"
    instance = item.property.split(":")[1] if item.property.count(":") > 1 else ""
    if item.base in ("low", "high"):
        return item.schema == "PhysicsLimitAPI" and instance.startswith("rot")
    angular = instance == "angular" or instance.startswith("rot")
    if item.base == "targetPosition":
        return item.schema == "PhysicsDriveAPI" and angular
    if item.base == "position":
        return item.schema == "PhysicsJointStateAPI" and angular
    return item.base == "offset" and item.schema == "PhysxMimicJointAPI"


def _turning(description: Description) -> set[str]:
    """Joints with an angular degree of freedom."""
    return {axis.path for axis in every_axis(description) if axis.angular}


UNIT_GRAVITY = Rule("unit/gravity", "warning", """
    Gravity in the wrong length unit

    gravityMagnitude is in length units of the stage per second squared. The rule reports a gravity below 0.2 or above
    200 m/s^2. For example, 9.81 in a centimetre stage is 1/100 of Earth's gravity.

    Measured: With gravityMagnitude 9.81 a body falls by 4.91 length units in one second, for every metersPerUnit.
    (`experiments/measure_unused.py`)
    """,
    why="bodies fall far slower or faster than on Earth",
    profiles=PROFILES,
    example=usda.prim("PhysicsScene", "scene", _MOON, "PhysxSceneAPI"),
    remedy=usda.prim("PhysicsScene", "scene", {**_MOON, "float physics:gravityMagnitude": "9.81"}, "PhysxSceneAPI"),
)


@finder("gravity-units", UNIT_GRAVITY)
def gravity(description: Description) -> Iterator[Finding]:
    """Authored gravity that fits another length unit than the stage's."""
    authored = {item.path for item in description.authored if item.base == "gravityMagnitude"}
    for scene in {scene.path: scene for scene in (description.scene, *description.scenes)}.values():
        if scene.path in authored:
            yield from _gravity(scene)


def _gravity(scene: Scene) -> Iterator[Finding]:
    units = math.hypot(*scene.gravity)
    meters = units * scene.meters_per_unit
    if not math.isfinite(meters) or meters == 0.0 or _GRAVITY[0] <= meters <= _GRAVITY[1]:
        return
    usual = default_gravity(scene.meters_per_unit)
    yield UNIT_GRAVITY.at(
        scene.path, "physics:gravityMagnitude",
        f"{units:g} length units/s^2 are {meters:.3g} m/s^2 with metersPerUnit {scene.meters_per_unit:g}",
        fix=f"author {usual:g}, or remove gravityMagnitude to use Earth's gravity",
        repair=unsafe(SetValue(scene.path, "physics:gravityMagnitude", usual)),
    )


DENSITY = Rule("unit/density", "info", """
    Mass that does not match the colliders

    The authored mass divided by the volume of the simple colliders is below 0.5 or above 100 000 kg/m^3. No real
    material has a density outside this range.
    """,
    why="the mass, the lengths or the units of the stage are possibly wrong",
    fix="check metersPerUnit, kilogramsPerUnit and physics:mass",
    profiles=PROFILES,
    example=usda.sliding_link("c", {"float physics:mass": "1e6"}, children=_BOX),
    remedy=usda.sliding_link("c", {"float physics:mass": "500"}, children=_BOX),
)


@finder("densities", DENSITY)
def densities(description: Description) -> Iterator[Finding]:
    """Bodies with an authored mass that does not match their colliders."""
    masses = {item.path for item in description.authored if item.base == "mass" and item.schema == "PhysicsMassAPI"}
    if not masses:
        return
    bodies = [(link, description.scene_of(item)) for item in description.articulations for link in item.links]
    bodies += [(body, description.scene_of(body)) for body in description.bodies]
    for link, scene in bodies:
        volumes = tuple(map(_volume, link.colliders)) if link.path in masses else ()
        if not volumes or not all(volumes):
            continue
        density = link.mass * scene.kilograms_per_unit / (sum(volumes) * scene.meters_per_unit**3)
        if math.isfinite(density) and density > 0.0 and not _DENSITY[0] <= density <= _DENSITY[1]:
            yield _density(link, density)


def _density(link: Link, density: float) -> Finding:
    message = f"mass {link.mass:g} in the volume of the colliders is {density:.3g} kg/m^3"
    return DENSITY.at(link.path, "physics:mass", message)


def _volume(collider: Collider) -> float:
    """The volume of a simple shape, 0 for any other."""
    radius, height = collider.radius, 2.0 * collider.half_height
    volumes: Mapping[str, float] = {
        "box": 8.0 * math.prod(collider.half_extents), "sphere": 4.0 / 3.0 * math.pi * radius**3,
        "capsule": math.pi * radius**2 * (height + 4.0 / 3.0 * radius), "cylinder": math.pi * radius**2 * height,
        "cone": math.pi * radius**2 * height / 3.0,
    }
    return volumes.get(collider.kind, 0.0)
