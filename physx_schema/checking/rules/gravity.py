"""Gravity that points up or sideways."""

from __future__ import annotations

import math
from collections.abc import Iterator

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import PROFILES, Finding, SetValue, unsafe
from physx_schema.checking.engine.rule import Rule, finder, flatten
from physx_schema.description import Description, Scene
from physx_schema.description.units import default_gravity

_LEVEL = 0.1            # of its length: how much of gravity may be along the up axis before it points up or down
_LIKELY = (2.0, 50.0)   # m / s^2, sizes of a negative magnitude that are meant as they are
_AXES = "XYZ"
_MAGNITUDE, _DIRECTION = "physics:gravityMagnitude", "physics:gravityDirection"
_DOWN = {"vector3f physics:gravityDirection": "(0, 0, -1)", "float physics:gravityMagnitude": "9.81"}


def _scene(magnitude: str = "9.81", direction: str = "(0, 0, -1)") -> str:
    """A scene with gravity."""
    return usda.prim("PhysicsScene", "scene", {**_DOWN, f"float {_MAGNITUDE}": magnitude,
                                               f"vector3f {_DIRECTION}": direction})


GRAVITY_UP = Rule("scene/gravity-up", "error", """
    Gravity that points up

    PhysX multiplies gravityMagnitude and gravityDirection. A negative magnitude, or a direction along the up axis,
    makes bodies fall upwards. USD reads a negative magnitude as Earth's gravity.

    Measured: With magnitude -10 and direction (0, 0, -1), a body moves by +5.005 along z in one second.
    (`experiments/measure_plausibility.py`)
    """,
    why="bodies fall upwards",
    profiles=PROFILES,
    example=_scene("-9.81"),
    remedy=_scene(),
)

GRAVITY_NEGATIVE = Rule("scene/gravity-negative", "warning", """
    Negative gravity magnitude with an upward direction

    gravityMagnitude is negative and gravityDirection points up. In PhysX such a gravity points down. USD reads a
    negative magnitude as Earth's gravity along gravityDirection, so in USD gravity points up.

    Measured: With magnitude -10 and direction (0, 0, 1), a body moves by -5.005 along z in one second.
    (`experiments/measure_plausibility.py`)
    """,
    why="bodies fall down in PhysX, and up in programs that follow USD",
    profiles=PROFILES,
    example=_scene("-9.81", "(0, 0, 1)"),
    remedy=_scene(),
)

GRAVITY_SIDEWAYS = Rule("scene/gravity-sideways", "info", """
    Gravity across the up axis

    Gravity is at right angles to the stage's up axis. PhysX reads upAxis only if no gravityDirection is authored. With
    such a gravity bodies fall sideways in viewers.

    Measured: With direction (0, 0, -1) and upAxis Y, a body moves by -5.005 along z in one second.
    (`experiments/measure_plausibility.py`)
    """,
    why="PhysX ignores upAxis if a gravityDirection is authored, and bodies fall sideways in viewers",
    profiles=PROFILES,
    example=_scene(direction="(0, -1, 0)"),
    remedy=_scene(),
)


@finder("gravity-direction", GRAVITY_UP, GRAVITY_NEGATIVE, GRAVITY_SIDEWAYS)
def gravity_direction(description: Description) -> Iterator[Finding]:
    """Find authored gravity that does not point down."""
    numbers = {(item.path, item.property): flatten(item.value) for item in description.authored
               if item.property in (_MAGNITUDE, _DIRECTION)}
    for scene in description.scenes:
        magnitude = next(iter(numbers.get((scene.path, _MAGNITUDE), ())), 1.0)
        if (scene.path, _MAGNITUDE) in numbers or (scene.path, _DIRECTION) in numbers:
            yield from _direction(scene, magnitude)


def _direction(scene: Scene, magnitude: float) -> Iterator[Finding]:
    size = math.hypot(*scene.gravity)
    if not 0.0 < size < math.inf:
        return
    known = "upAxis" in scene.stage_metadata
    axes = [1 if scene.up_axis == "Y" else 2] if known else [1, 2]
    axis = max(axes, key=lambda index: scene.gravity[index])
    up = scene.gravity[axis] / size
    if up > _LEVEL:
        yield _upwards(scene, magnitude, f"+{_AXES[axis]}")
    elif magnitude < 0.0:
        yield GRAVITY_NEGATIVE.at(
            scene.path, _MAGNITUDE, f"gravityMagnitude is {magnitude:g}, and gravityDirection points up",
            fix=f"author {abs(magnitude):g} and the opposite direction",
        )
    elif known and up > -_LEVEL:
        main = max(range(3), key=lambda index: abs(scene.gravity[index]))
        sign = "-" if scene.gravity[main] < 0.0 else "+"
        yield GRAVITY_SIDEWAYS.at(
            scene.path, _DIRECTION, f"gravity points along {sign}{_AXES[main]}, and upAxis is {scene.up_axis}",
            fix=f"author a gravityDirection along -{_AXES[axis]}, or correct the upAxis of the stage",
        )


def _upwards(scene: Scene, magnitude: float, towards: str) -> Finding:
    if magnitude >= 0.0:
        return GRAVITY_UP.at(
            scene.path, _DIRECTION, f"gravityDirection makes gravity point up, along {towards}", severity="warning",
            fix="author the opposite direction, or remove the direction; gravity then points down along the up axis",
        )
    usual = default_gravity(scene.meters_per_unit)
    likely = _LIKELY[0] <= abs(magnitude) * scene.meters_per_unit <= _LIKELY[1]
    meant = abs(magnitude) if likely else usual
    return GRAVITY_UP.at(
        scene.path, _MAGNITUDE, f"gravityMagnitude {magnitude:g} makes gravity point up, along {towards}",
        why="bodies fall upwards; USD reads a negative magnitude as Earth's gravity, and PhysX does not",
        fix=f"author {meant:g}" + ("" if likely else ", Earth's gravity in the stage's units, or remove the magnitude"),
        repair=unsafe(SetValue(scene.path, _MAGNITUDE, meant)),
    )
