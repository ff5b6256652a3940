"""Joints whose limits, drives and states leave no motion, or contradict each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from physx_schema.checking.finding import Finding
from physx_schema.checking.rule import Rule
from physx_schema.description import Articulation, Description, Dof, unlimited

LARGEST_SPEED = 100.0   # length units per second, of prismatic joints at the start of a step
_SLOW = 2.0             # m/s: a clamp that ordinary machines reach
_BOUNDS = frozenset({"lowerLimit", "upperLimit", "low", "high"})
_HINGES = {"gear": ("hinge0", "hinge1"), "rack": ("hinge", "prismatic")}    # in the order of body0 and body1
_TOLERANCE = 1e-4       # rad or length, relative to the limit, at least of 1: degrees and lengths are float32


def degrees_of_freedom(description: Description) -> Iterator[Finding]:
    """What each degree of freedom shows by itself."""
    states = {item.path for item in description.authored if item.schema == "PhysicsJointStateAPI"}
    outside = (dof for joint in description.joints for dof in joint.dofs)
    inside = (dof for articulation in description.articulations for dof in articulation.dofs)
    dofs = (*inside, *outside)
    for dof in dofs:
        yield from _speed(dof)
        yield from _drive(dof)
        if dof.path in states:
            yield from _state(dof)
    yield from _slippery(description, [dof for dof in dofs if dof.static_friction > 0.0 == dof.dynamic_friction])
    yield from _locked(description, [dof for dof in dofs if dof.lower == dof.upper])
    for articulation in description.articulations:
        yield from _clamped(articulation, description.scene_of(articulation).meters_per_unit, states)


def _slippery(description: Description, dofs: Sequence[Dof]) -> Iterator[Finding]:
    """Static friction alone; a dynamic friction of 0 that is authored is meant."""
    paths = {dof.path for dof in dofs}
    meant = {(item.path, item.property) for item in description.authored
             if item.path in paths and item.base == "dynamicFrictionEffort"}
    for dof in dofs:
        prefix = dof.axis_prefix or ""
        if (dof.path, prefix + "dynamicFrictionEffort") not in meant:
            yield Finding(
                "joint/no-dynamic-friction", "warning", dof.path, prefix + "staticFrictionEffort",
                f"a static friction of {dof.static_friction:g} without dynamic friction",
                "it holds the joint at rest; once the joint moves nothing brakes it",
                "author dynamicFrictionEffort, 0 if none is meant",
            )


def _locked(description: Description, dofs: Sequence[Dof]) -> Iterator[Finding]:
    """Degrees of freedom that are meant to have one position: limits that PhysX refuses leave them 0 as well."""
    paths = {dof.path for dof in dofs}
    bounds = [item for item in description.authored if item.path in paths and item.base in _BOUNDS]
    generic = {item.path for item in bounds if item.schema == "PhysicsLimitAPI"}
    zero = {(item.path, item.property) for item in bounds if item.value == 0.0}
    for dof in dofs:
        prefix = f"limit:{_axis(dof)}:" if dof.path in generic else ""
        names = ("low", "high") if prefix else ("lowerLimit", "upperLimit")
        if dof.lower != 0.0 or all((dof.path, f"{prefix}physics:{name}") in zero for name in names):
            yield Finding(
                "joint/locked", "info", dof.path, f"{prefix}physics:{names[0]}",
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
        if dof.max_velocity > LARGEST_SPEED and not unlimited(dof.max_velocity) and dof.axis_prefix is not None:
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


def couplings(description: Description) -> Iterator[Finding]:
    """Gear and rack joints whose hinges hold other bodies than theirs."""
    inside = (link.joint for item in description.articulations for link in item.links if link.joint is not None)
    bases = (item.base_joint for item in description.articulations if item.base_joint is not None)
    held = {joint.path: {joint.body0, joint.body1} for joint in (*inside, *bases, *description.joints)}
    for joint in description.joints:
        if joint.coupling is None:
            continue
        hinges, bodies = (joint.coupling.first, joint.coupling.second), (joint.body0, joint.body1)
        swapped = all(body in held.get(hinge, ()) for hinge, body in zip(reversed(hinges), bodies, strict=True))
        if swapped and joint.kind == "gear" and joint.coupling.ratio == 1.0:
            continue            # alike in both directions
        for base, hinge, body in zip(_HINGES[joint.kind], hinges, bodies, strict=True):
            if body and body not in held.get(hinge, {body}):
                yield Finding(
                    "joint/no-hinge", "error", joint.path, f"physics:{base}", f"{hinge} does not hold {body}",
                    "PhysX takes its position for that of the body's hinge, and the bodies turn at other speeds",
                    f"point {base} at the joint that holds {body}",
                )


RULES = (
    Rule("degrees-of-freedom", degrees_of_freedom, (
        "joint/locked", "joint/no-dynamic-friction", "joint/no-velocity", "joint/drive-powerless",
        "joint/state-outside-limits", "joint/velocity-clamp",
    )),
    Rule("couplings", couplings, ("joint/no-hinge",)),
)
