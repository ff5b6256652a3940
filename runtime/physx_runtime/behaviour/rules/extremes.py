"""Rules on motions that no robot makes: what diverges, is absurdly fast, grows, or falls for ever."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from physx_runtime.behaviour.wording import DURATION_TEXT
from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import BEHAVIOUR, Finding
from physx_schema.checking.engine.rule import Rule
from physx_schema.description import Description

if TYPE_CHECKING:
    from physx_runtime.behaviour.behaviour import Behaviour

_SCRIPT = "(`experiments/measure_behaviour.py`)"
_SPEED = "float state:angular:physics:velocity"
_CALM = "take smaller gains, more damping or heavier links, and look at inertias and limits"

DIVERGES = Rule("behaviour/diverges", "error", f"""
    Motion that doesn't stay finite

    A position or velocity becomes NaN or infinite. Nothing can be said of the motion but how it starts.

    Measured: MEASURED_DIVERGES {_SCRIPT}
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

    Measured: MEASURED_ABSURD {_SCRIPT}
    """,
    why="the motion means nothing",
    fix=_CALM,
    profiles=(BEHAVIOUR,),
    example=usda.joint("j2", {_SPEED: "1000000"}, "PhysicsJointStateAPI:angular"),
    remedy=usda.joint("j2", {_SPEED: "100"}, "PhysicsJointStateAPI:angular"),
)

GROWS = Rule("behaviour/grows", "error", f"""
    Motion that grows

    A joint without a target velocity moves faster each second, by a third and more. Energy comes from nowhere: from a
    friction or damping below 0, or an unstable coupling.

    Measured: MEASURED_GROWS {_SCRIPT}
    """,
    why="energy comes from nowhere, and the motion ends in nonsense",
    fix=_CALM,
    profiles=(BEHAVIOUR,),
    example=usda.joint("j2", {_SPEED: "100", "float physxJointAxis:angular:viscousFrictionCoefficient": "-1"},
                       "PhysicsJointStateAPI:angular", "PhysxJointAxisAPI:angular"),
    remedy=usda.joint("j2", {_SPEED: "100", "float physxJointAxis:angular:viscousFrictionCoefficient": "1"},
                      "PhysicsJointStateAPI:angular", "PhysxJointAxisAPI:angular"),
)

FALLS = Rule("behaviour/falls", "info", f"""
    Body that falls for ever

    A robot without a fixed base, or a body, falls and nothing is under it. What its weight does to its joints was
    therefore not seen.

    Measured: MEASURED_FALLS {_SCRIPT}
    """,
    why="nothing is under it, so its joints carried no weight",
    fix="simulate it on a ground with a collider, or fix its base with a joint to the world",
    profiles=(BEHAVIOUR,),
    example=usda.body(),
    remedy=usda.body(name="crate", children=usda.cube()) + usda.cube(
        usda.transform(translate="(0, 0, -1.1)"), name="slab"),
)

RULES = (DIVERGES, ABSURD, GROWS, FALLS)


def judge(description: Description, behaviour: Behaviour) -> Iterator[Finding]:
    """Findings on whole motions."""
    for line in behaviour.motion.diverged:
        path, _, what = line.partition(": ")
        yield DIVERGES.at(path.partition(" ")[0], "", what or line, fix=_CALM)
    for item in behaviour.absurd:
        yield ABSURD.at(item.path, "", f"{item.name} gets as fast as {item.speed:.3g} {_unit(item.angular)}")
    for item in behaviour.growing:
        yield GROWS.at(item.path, "", f"{item.name} moves with {item.before:.3g} {_unit(item.angular)}, and three "
                       f"seconds later with {item.speed:.3g}")
    if behaviour.falling:
        names = [name for name, _ in behaviour.falling]
        others = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield FALLS.at(names[0], "", f"{names[0]}{others} falls with {behaviour.falling[0][1]:.3g} m/s after {DURATION_TEXT}, "
                       "and nothing is under it")


def _unit(angular: bool) -> str:
    return "rad/s" if angular else "m/s"
