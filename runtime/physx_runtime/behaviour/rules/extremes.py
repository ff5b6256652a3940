"""Rules on unrealistic motions: divergence, absurd speeds, growing motions, and endless falls."""

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
_CALM = "use smaller gains, more damping or heavier links, and check inertias and limits"



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
    Motion that becomes NaN or infinite

    A position or velocity becomes NaN or infinite. The behaviour rules use only the motion before the first NaN or
    infinite value.

    Measured: With an infinite stiffness, the state of an articulation becomes NaN.
    (`experiments/measure_joint_rules.py`)
    """,
    why="the simulation cannot continue with NaN or infinite numbers",
    profiles=(BEHAVIOUR,),
    example=usda.driven_joint({"float drive:angular:physics:stiffness": "inf"}),
    remedy=usda.driven_joint(),
)

ABSURD = Rule("behaviour/absurd-speed", "error", f"""
    Speed that no machine reaches

    A joint turns faster than 10 000 rad/s, or an object moves faster than 1000 m/s. All positions and velocities are
    still finite, so the simulation reports no error.

    Measured: After one step under a force of 1e6, a sled of 1 kg moves at 16 670 m/s. {_SCRIPT}
    """,
    why="the motion has no physical meaning",
    fix=_CALM,
    profiles=(BEHAVIOUR,),
    example=_thrust("1000000"),
    remedy=_thrust("1"),
)

GROWS = Rule("behaviour/grows", "error", f"""
    Unstable motion that grows

    A joint without a target velocity gets faster by a third or more each second. A negative friction or damping, or an
    unstable coupling, adds energy.

    Measured: With stiffness -1, a prismatic joint moves at 0.117 m/s after 1 s, and at 7.41 m/s after 5 s. {_SCRIPT}
    """,
    why="the motion gains energy without a source",
    fix=_CALM,
    profiles=(BEHAVIOUR,),
    example=_spring_example("-1"),
    remedy=_spring_example("1"),
)

FALLS = Rule("behaviour/falls", "info", f"""
    Body that falls without end

    A body or a robot without a fixed base falls, and nothing is below it. The behaviour rules cannot measure the loads
    on the joints of a falling robot.

    Measured: After 5 s a body with nothing below it falls at 49.05 m/s. {_SCRIPT}
    """,
    why="nothing supports the body or robot, and the check cannot measure the loads on its joints",
    fix="add a ground with a collider, or fix the body or robot to the world with a joint",
    profiles=(BEHAVIOUR,),
    example=_crate(),
    remedy=_crate() + usda.cube(usda.transform(translate="(0, 0, -1.1)"), name="slab"),
)

RULES = (DIVERGES, ABSURD, GROWS, FALLS)


def judge(description: Description, behaviour: Behaviour) -> Iterator[Finding]:
    """Findings on whole motions."""
    for path, quantity in behaviour.motion.diverged:
        yield DIVERGES.at(path, "", f"{quantity} becomes NaN or infinite within {DURATION_TEXT}", fix=_CALM)
    for item in behaviour.absurd:
        yield ABSURD.at(item.path, "", f"{item.name} reaches {item.speed:.3g} {_unit(item.angular)}"
                        + (f" and {item.other:.3g} {'rad' if item.angular else 'm'}" if item.other else ""))
    for item in behaviour.growing:
        yield GROWS.at(item.path, "", f"{item.name} moves at {item.other:.3g} {_unit(item.angular)}, and "
                       f"{GROWING_SECONDS} s later at {item.speed:.3g} {_unit(item.angular)}")
    if behaviour.falling:
        names = [name for name, _ in behaviour.falling]
        others = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield FALLS.at(names[0], "", f"{names[0]}{others} fall{'' if others else 's'} at "
                       f"{behaviour.falling[0][1]:.3g} m/s after {DURATION_TEXT}")


def _unit(angular: bool) -> str:
    return "rad/s" if angular else "m/s"
