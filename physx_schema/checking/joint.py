"""Joints whose limits, drives and states leave no motion, or contradict each other."""

from __future__ import annotations

import math
from collections.abc import Iterator

from physx_schema.checking.finding import Finding
from physx_schema.checking.rule import Rule
from physx_schema.description import Articulation, Description, Dof

LARGEST_SPEED = 100.0   # length units per second, of prismatic joints at the start of a step
_SLOW = 2.0             # m/s: a clamp that ordinary machines reach
_TOLERANCE = 1e-4       # rad or length, relative to the limit, at least of 1: degrees and lengths are float32


def degrees_of_freedom(description: Description) -> Iterator[Finding]:
    """What each degree of freedom shows by itself."""
    states = {item.path for item in description.authored if item.schema == "PhysicsJointStateAPI"}
    generic = {item.path for item in description.authored if item.schema == "PhysicsLimitAPI"}
    outside = (dof for joint in description.joints for dof in joint.dofs)
    inside = (dof for articulation in description.articulations for dof in articulation.dofs)
    for dof in (*inside, *outside):
        yield from _locked(dof, f"limit:{_axis(dof)}:physics:low" if dof.path in generic else "physics:lowerLimit")
        yield from _speed(dof)
        yield from _drive(dof)
        if dof.path in states:
            yield from _state(dof)
    for articulation in description.articulations:
        yield from _clamped(articulation, description.scene_of(articulation).meters_per_unit, states)


def _locked(dof: Dof, name: str) -> Iterator[Finding]:
    if dof.lower == dof.upper and dof.lower != 0.0:
        yield Finding(
            "joint/locked", "info", dof.path, name,
            f"both limits of {dof.name} are {_spelt(dof, dof.lower)}", "the joint is held there",
            "use a fixed joint, or author lower < upper",
        )


def _axis(dof: Dof) -> str:
    """The axis of a generic joint by its instance name."""
    return ("rot" if dof.angular else "trans") + "XYZ"[max(range(3), key=lambda i: abs(dof.axis[i]))]


def _clamped(articulation: Articulation, meters: float, states: set[str]) -> Iterator[Finding]:
    """Prismatic joints that are meant to be faster than PhysX lets any start a step, whatever the length unit."""
    sliders = [dof for dof in articulation.dofs if not dof.angular]
    if not sliders:
        return
    most = f"{LARGEST_SPEED:g} length units per second, here {LARGEST_SPEED * meters:g} m/s"
    why = f"PhysX slows prismatic joints to {most}, at each step's start, and all joints of the articulation with them"
    for dof in sliders:
        if LARGEST_SPEED < dof.max_velocity < math.inf and dof.axis_prefix is not None:
            yield Finding(
                "joint/velocity-clamp", "warning", dof.path, dof.axis_prefix + "maxJointVelocity",
                f"a greatest velocity of {dof.max_velocity:g}", why, "author stages in metres, or a lower velocity",
            )
        if abs(dof.velocity) > LARGEST_SPEED and dof.path in states:
            yield Finding(
                "joint/velocity-clamp", "warning", dof.path, "state:linear:physics:velocity",
                f"a velocity of {dof.velocity:g}", why, "author stages in metres, or a lower velocity",
            )
    if LARGEST_SPEED * meters <= _SLOW:
        yield Finding(
            "joint/velocity-clamp", "info", articulation.path, "",
            f"{len(sliders)} prismatic joints in a stage with metersPerUnit {meters:g}", why,
            "author stages in metres where joints have to be faster",
        )


def _speed(dof: Dof) -> Iterator[Finding]:
    if dof.max_velocity == 0.0 and dof.axis_prefix is not None:
        yield Finding(
            "joint/no-velocity", "error", dof.path, dof.axis_prefix + "maxJointVelocity",
            "the joint's greatest velocity is 0", "the joint does not move",
            "author a velocity above 0, or a fixed joint",
        )


def _drive(dof: Dof) -> Iterator[Finding]:
    drive = dof.drive
    if drive is not None and drive.max_force == 0.0 and (drive.stiffness or drive.damping):
        yield Finding(
            "joint/drive-powerless", "error", drive.path, drive.prefix + "maxForce",
            "maxForce is 0 on a drive with gains", "the drive exerts nothing",
            "author a force above 0, or inf for no bound",
        )


def _state(dof: Dof) -> Iterator[Finding]:
    slack = _TOLERANCE * max(1.0, abs(dof.position))
    if math.isnan(dof.position) or dof.lower - slack <= dof.position <= dof.upper + slack:
        return
    name = "angular" if dof.angular else "linear"
    axis = dof.name.rpartition(":")[2] if ":" in dof.name else name
    yield Finding(
        "joint/state-outside-limits", "warning", dof.path, f"state:{axis}:physics:position",
        f"{_spelt(dof, dof.position)} is outside the limits [{_spelt(dof, dof.lower)}, {_spelt(dof, dof.upper)}]",
        "the first steps push the joint back inside", "author a position within the limits",
    )


def _spelt(dof: Dof, value: float) -> str:
    """A coordinate as authored: in degrees or lengths."""
    return f"{math.degrees(value):g}" if dof.angular else f"{value:g}"


RULES = (Rule("degrees-of-freedom", degrees_of_freedom, (
    "joint/locked", "joint/no-velocity", "joint/drive-powerless", "joint/state-outside-limits",
    "joint/velocity-clamp",
)),)
