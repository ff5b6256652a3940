"""The finder of the family: it steps the stage once, and each file of rules judges the motion."""

from __future__ import annotations

from collections.abc import Iterator

from physx_runtime.behaviour.rules import drives, extremes, starts
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.rule import Unevaluated, finder, instance_names
from physx_schema.description import Description
from physx_schema.errors import UnsupportedError

FAMILIES = {"behaviour": "Robot behaviour in simulation"}
_FAMILY = "behaviour"
# Largest number of robots and bodies on a stage that is stepped: hundreds of bodies take too long.
MAX_ACTORS = 300


@finder("behaviour", *drives.RULES, *starts.RULES, *extremes.RULES)
def find_behaviour(description: Description) -> Iterator[Finding | Unevaluated]:
    """Step the stage and judge its motion; report parts that cannot be judged."""
    if not any(item.enabled for item in description.articulations) and all(
            body.kinematic for body in description.separate_bodies):
        return      # nothing moves
    count = len(description.articulations) + len(description.separate_bodies)
    if count > MAX_ACTORS:
        yield Unevaluated(_FAMILY, "/", "", f"the stage has {count} robots and bodies; at most {MAX_ACTORS} are "
                          "stepped", "check a stage that contains only the robot")
        return
    from physx_runtime.behaviour.behaviour import measure_behaviour  # imports the compiler

    try:
        behaviour = measure_behaviour(description)
    except UnsupportedError as error:
        yield Unevaluated(_FAMILY, "/", "", f"the stage cannot be simulated: {'; '.join(str(error).splitlines())}")
        return
    instances = instance_names(description)
    yield from drives.judge(description, behaviour, instances)
    yield from starts.judge(description, behaviour, instances)
    yield from extremes.judge(description, behaviour)
    if behaviour.motion.diverged or behaviour.absurd:
        yield Unevaluated(_FAMILY, "/", "", "the motion is not realistic; the check used only the start of the motion")
    for item in behaviour.motion.not_simulated:
        yield Unevaluated(_FAMILY, item.path, item.property, f"not simulated: {item.text}")
    for joint in description.separate_joints:
        for axis in joint.axes:
            if axis.drive is not None and axis.drive.stiffness:
                yield Unevaluated(_FAMILY, axis.path, axis.drive.prefix + "targetPosition",
                                  "drive targets of joints outside articulations are not checked")
