"""Measure in real PhysX what it refuses, changes or locks: limits, cones, translations, joint states, drive targets.

Needs the environment that `oracle.py` describes. One link on a fixed base, unit mass, moment 0.1, no gravity.
Angles are printed in degrees.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import ModuleType

from oracle import Oracle, Part, load_oracle
from oracle_tables import Case, print_joints, run

STEP = 1 / 60
DEGREES = 180.0 / math.pi
NOTHING: Part = ([], {})
TRANSLATIONS, ROTATIONS = ("transX", "transY", "transZ"), ("rotX", "rotY", "rotZ")
Bounds = Mapping[str, tuple[float, float]]


def stage(text: ModuleType, kind: str, part: Part) -> str:
    """A base and a link at one place, with the joint under test."""
    body = text.fixed_base() + text.link("l0") + text.joint(kind, "j0", "base", "l0", "X", part=part)
    return str(text.stage(body, text.scene(0.0)))


def bounded(bounds: Bounds) -> Part:
    """Limits of a generic joint's axes."""
    values: dict[str, object] = {}
    for name, (low, high) in bounds.items():
        values |= {f"float limit:{name}:physics:low": low, f"float limit:{name}:physics:high": high}
    return [f"PhysicsLimitAPI:{name}" for name in bounds], values


def locked(*free: str) -> Bounds:
    """Limits that lock all axes of a generic joint but some."""
    return {name: (1.0, -1.0) for name in (*TRANSLATIONS, *ROTATIONS) if name not in free}


def turning(text: ModuleType) -> dict[str, Case]:
    """Joints of several axes that start with 1 rad/s about each, and run for a second."""
    def generic(bounds: Bounds, axes: int = 3) -> Case:
        return Case(stage(text, "", bounded(bounds)), 60, (0.0,) * axes, (1.0,) * axes)

    def ball(first: float, second: float) -> Case:
        cone: Part = [], {"float physics:coneAngle0Limit": first, "float physics:coneAngle1Limit": second}
        return Case(stage(text, "Spherical", cone), 60, (0.0,) * 3, (1.0,) * 3)

    def about_x(low: float, high: float) -> Case:
        return generic({**locked(*ROTATIONS), "rotX": (low, high)})

    hinge = stage(text, "Revolute", text.limits(-400.0, 400.0))
    return {
        "rotations free": generic(locked(*ROTATIONS)), "rotX [-20, 20]": about_x(-20.0, 20.0),
        "rotX [-180, 180]": about_x(-180.0, 180.0), "rotX [-200, 100]": about_x(-200.0, 100.0),
        "a hinge [-400, 400]": Case(hinge, 60, (0.0,), (1.0,)),
        "cone 20 and 30": ball(20.0, 30.0), "cone 20 alone": ball(20.0, -1.0), "cone 200 and 30": ball(200.0, 30.0),
        "cone 0 and 0": ball(0.0, 0.0),
        "nothing locked": generic({}), "transX and rotX free": generic(locked("transX", "rotX"), 1),
        "transX [-1, 1], rotX free": generic({**locked("rotX"), "transX": (-1.0, 1.0)}, 1),
    }


def states(text: ModuleType) -> dict[str, Case]:
    """Joint states, one step on."""
    def started(kind: str, axis: str, position: float, velocity: float = 0.0, more: Part = NOTHING) -> Case:
        return Case(stage(text, kind, text.both(text.joint_state(axis, position=position, velocity=velocity), more)))

    generic = bounded(locked("rotX"))
    return {
        **{f"hinge at {angle:g}": started("Revolute", "angular", angle, 10.0) for angle in (360.0, 361.0, math.nan)},
        "hinge at 400, limits of 500": started("Revolute", "angular", 400.0, 0.0, text.limits(-500.0, 500.0)),
        "hinge at 10 with velocity NaN": started("Revolute", "angular", 10.0, math.nan),
        "hinge at 10 with infinite velocity": started("Revolute", "angular", 10.0, math.inf),
        "generic joint at 170": started("", "rotX", 170.0, 0.0, generic),
        "generic joint at 200": started("", "rotX", 200.0, 0.0, generic),
    }


def sliding(text: ModuleType) -> dict[str, Case]:
    """Infinite joint states of sliders, one step on."""
    def started(position: float, velocity: float) -> Case:
        return Case(stage(text, "Prismatic", text.joint_state("linear", position=position, velocity=velocity)))

    return {"slider at infinity": started(math.inf, 0.0), "slider of infinite velocity": started(0.0, math.inf)}


def targets(text: ModuleType) -> dict[str, Case]:
    """Drives after four seconds."""
    def driven(target: float, more: Part = NOTHING, kind: str = "Revolute", axis: str = "angular") -> Case:
        drive = text.drive(axis, stiffness=1000.0, damping=100.0, targetPosition=target)
        return Case(stage(text, kind, text.both(drive, more)), 240)

    return {
        **{f"hinge to {target:g}": driven(target) for target in (350.0, 360.0, 500.0, -500.0, math.inf)},
        "hinge to 500, limits of 600": driven(500.0, text.limits(-600.0, 600.0)),
        "generic joint to 170": driven(170.0, bounded(locked("rotX")), "", "rotX"),
        "generic joint to 200": driven(200.0, bounded(locked("rotX")), "", "rotX"),
    }


def main() -> None:
    """Every table."""
    oracle: Oracle = load_oracle()
    for title, cases in (("turning", turning), ("states", states), ("targets", targets)):
        print_joints(title, run(oracle, cases(oracle.text), STEP), DEGREES)
    print_joints("sliders, in lengths", run(oracle, sliding(oracle.text), STEP))


if __name__ == "__main__":
    main()
