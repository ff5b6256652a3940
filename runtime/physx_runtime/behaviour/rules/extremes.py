"""Rules on motions that no robot makes: what diverges, is absurdly fast, grows, or falls for ever."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from physx_runtime.behaviour.window import GROWING_SECONDS
from physx_runtime.behaviour.wording import DURATION_TEXT
from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import BEHAVIOUR, Finding
from physx_schema.checking.engine.rule import Rule
from physx_schema.description import Description

if TYPE_CHECKING:
    from physx_runtime.behaviour.behaviour import Behaviour

_SCRIPT = "(`experiments/measure_behaviour.py`)"
_CALM = "take smaller gains, more damping or heavier links, and look at inertias and limits"



def _spring_example(stiffness: str) -> str:
    """A slider that starts at 0.1 with a drive of a weak stiffness."""
    return usda.driven_joint({**dict.fromkeys(usda.LIMITS), "float state:linear:physics:position": "0.1",
                              "float drive:linear:physics:stiffness": stiffness,
                              "float drive:linear:physics:damping": "0.001",
                              "float physxJointAxis:linear:maxJointVelocity": None}, kind="Prismatic")


def _thrust(newtons: str) -> str:
    """A link of 1 kg on a slider with a constant force along it."""
    return usda.sliding_link("sled", {"vector3f physxForce:force": f"({newtons}, 0, 0)"}, "PhysxForceAPI")


def _crate() -> str:
    """A body with a collider next to the robot, whose links are all held."""
    return usda.body(name="crate", children=usda.cube()) + usda.joint("j2", usda.LIMITS)


DIVERGES = Rule("behaviour/diverges", "error", """
    Motion that doesn't stay finite

    A position or velocity becomes NaN or infinite. Only the start of the motion can be judged.

    Measured: An infinite stiffness makes an articulation NaN. (`experiments/measure_joint_rules.py`)
    """,
    why="nothing simulates from there on",
    profiles=(BEHAVIOUR,),
    example=usda.driven_joint({"float drive:angular:physics:stiffness": "inf"}),
    remedy=usda.driven_joint(),
)

ABSURD = Rule("behaviour/absurd-speed", "error", f"""
    Speed that no machine has

    A joint turns with more than 10 000 rad/s, or something moves with more than 1000 m/s. The numbers are finite, so
    nothing else complains.

    Measured: A force of 1e6 on a sled of 1 kg moves it with 16 670 m/s in the first step and by 43 467 m in 5 s;
    with 1 N by 12.5 m. {_SCRIPT}
    """,
    why="the motion means nothing",
    fix=_CALM,
    profiles=(BEHAVIOUR,),
    example=_thrust("1000000"),
    remedy=_thrust("1"),
)

GROWS = Rule("behaviour/grows", "error", f"""
    Motion that grows

    A joint without a target velocity moves faster each second, by a third and more. Energy comes from nowhere: from a
    friction or damping below 0, or an unstable coupling.

    Measured: A slider that starts at 0.1 with stiffness -1 and damping 0.001 moves with 0.117 m/s after 1 s and
    7.41 m/s after 5 s. {_SCRIPT}
    """,
    why="energy comes from nowhere, and the motion ends in nonsense",
    fix=_CALM,
    profiles=(BEHAVIOUR,),
    example=_spring_example("-1"),
    remedy=_spring_example("1"),
)

FALLS = Rule("behaviour/falls", "info", f"""
    Body that falls for ever

    A robot without a fixed base, or a body, falls and nothing is under it. What its weight does to its joints was
    therefore not seen.

    Measured: A body without anything under it falls with 49.05 m/s after 5 s, and one above a slab rests on it.
    {_SCRIPT}
    """,
    why="nothing is under it, so its joints carried no weight",
    fix="simulate it on a ground with a collider, or fix its base with a joint to the world",
    profiles=(BEHAVIOUR,),
    example=_crate(),
    remedy=_crate() + usda.cube(usda.transform(translate="(0, 0, -1.1)"), name="slab"),
)

RULES = (DIVERGES, ABSURD, GROWS, FALLS)


def judge(description: Description, behaviour: Behaviour) -> Iterator[Finding]:
    """Findings on whole motions."""
    for path, quantity in behaviour.motion.diverged:
        yield DIVERGES.at(path, "", f"{quantity} is no longer finite within {DURATION_TEXT}", fix=_CALM)
    for item in behaviour.absurd:
        yield ABSURD.at(item.path, "", f"{item.name} gets as fast as {item.speed:.3g} {_unit(item.angular)}"
                        + (f", and to {item.other:.3g} {'rad' if item.angular else 'm'}" if item.other else ""))
    for item in behaviour.growing:
        yield GROWS.at(item.path, "", f"{item.name} moves with {item.other:.3g} {_unit(item.angular)}, and "
                       f"{GROWING_SECONDS} s later with {item.speed:.3g}")
    if behaviour.falling:
        names = [name for name, _ in behaviour.falling]
        others = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield FALLS.at(names[0], "", f"{names[0]}{others} falls with {behaviour.falling[0][1]:.3g} m/s after "
                       f"{DURATION_TEXT}, and nothing is under it")


def _unit(angular: bool) -> str:
    return "rad/s" if angular else "m/s"
