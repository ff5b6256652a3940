"""Measure in real PhysX what doubtful joint settings do: drives, limits, frictions, clamps and envelopes.

Needs the environment that `oracle.py` describes. One slider or hinge on a fixed base, unit mass, moment 0.1,
no gravity, the default 32/1 iterations, steps of 1/60 s. Degrees and lengths are printed as authored.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import ModuleType

from oracle import Part, load_oracle

STEP = 1 / 60
NOTHING: Part = ([], {})


@dataclass(frozen=True)
class Case:
    """One joint, where it starts and for how long it moves."""

    kind: str                   # "Revolute" | "Prismatic"
    part: Part
    position: float = 0.0       # rad or length
    velocity: float = 0.0       # rad/s or length/s
    steps: int = 240
    meters: float = 1.0
    turned: float = 0.0         # degrees about x by which the link is posed
    effort: float = 0.0         # force, beside a drive
    start: bool = True          # whether position and velocity are written before the first step


def stage(text: ModuleType, case: Case) -> str:
    """A base and one link."""
    order = "uniform token[] xformOpOrder = ["
    link = str(text.link("l0"))
    if case.turned:
        link = link.replace(order + '"xformOp:translate"', f"float xformOp:rotateX = {case.turned}\n    " + order
                            + '"xformOp:translate", "xformOp:rotateX"')
    body = text.fixed_base() + link
    body += text.joint(case.kind, "j0", "base", "l0", "X", part=case.part)
    return str(text.stage(body, text.scene(0.0), mpu=case.meters))


def drives(text: ModuleType) -> dict[str, Case]:
    """Drives that are refused, powerless, or aim at what the joint cannot reach."""
    def pull(**values: float) -> Part:
        return text.drive("linear", **{"stiffness": 100.0, "damping": 20.0, "targetPosition": 1.0, **values})

    bounded = text.both(pull(), text.limits(-0.5, 0.5))
    return {
        "drive to 1": Case("Prismatic", pull()),
        "maxForce 0": Case("Prismatic", pull(maxForce=0.0)),
        **{f"maxForce {most:g}, effort 3, 30 steps": Case("Prismatic", pull(maxForce=most), steps=30, effort=3.0)
           for most in (0.0, 2.0)},
        "maxForce 0, effort 3, envelope, 30 steps": Case("Prismatic", text.both(pull(maxForce=0.0), text.envelope(
            "linear", maxActuatorVelocity=0.2)), steps=30, effort=3.0),
        "maxForce -5": Case("Prismatic", pull(maxForce=-5.0)),
        "maxForce inf": Case("Prismatic", pull(maxForce=math.inf)),
        "maxForce NaN": Case("Prismatic", pull(maxForce=math.nan)),
        "stiffness -100, from 0.1": Case("Prismatic", pull(stiffness=-100.0), 0.1, steps=30),
        "stiffness NaN": Case("Prismatic", pull(stiffness=math.nan)),
        "stiffness inf": Case("Prismatic", pull(stiffness=math.inf)),
        "damping NaN": Case("Prismatic", pull(damping=math.nan)),
        "targetPosition NaN": Case("Prismatic", pull(targetPosition=math.nan)),
        "stiffness 1e8": Case("Prismatic", pull(stiffness=1e8)),
        "target 1, limits 0.5": Case("Prismatic", bounded),
        "target 1, stiffness 0, damping 0": Case("Prismatic", pull(stiffness=0.0, damping=0.0)),
        "target velocity 1, damping 0": Case("Prismatic", text.drive("linear", stiffness=0.0, targetVelocity=1.0)),
        **{f"target velocity {v:g}, damping 0, stiffness 100, one step": Case(
            "Prismatic", text.drive("linear", stiffness=100.0, targetVelocity=v), steps=1) for v in (0.0, 1.0)},
        "target velocity 300, damping 1e4, metres": Case(
            "Prismatic", text.drive("linear", damping=1e4, targetVelocity=300.0), steps=60),
        "target velocity 300, damping 1e4, centimetres": Case(
            "Prismatic", text.drive("linear", damping=1e4, targetVelocity=300.0), steps=60, meters=0.01),
    }


def axes(text: ModuleType) -> dict[str, Case]:
    """PhysxJointAxisAPI, its retired predecessor, and envelopes."""
    def sliding(part: Part, velocity: float = 1.0, steps: int = 1) -> Case:
        return Case("Prismatic", part, 0.0, velocity, steps)

    def axis(**values: float) -> Part:
        return text.joint_axis("linear", **values)

    retired: Part = (["PhysxJointAPI"], {
        "float physxJoint:maxJointVelocity": 0.5, "float physxJoint:armature": 9.0,
        "float physxJoint:jointFriction": 5.0})
    envelope = text.envelope("linear", maxActuatorVelocity=0.2, velocityDependentResistance=10.0,
                             speedEffortGradient=0.01)
    push = text.drive("linear", stiffness=100.0, targetPosition=1.0)
    return {
        "free, v 1": sliding(NOTHING),
        "static 5, dynamic 2": sliding(axis(staticFrictionEffort=5.0, dynamicFrictionEffort=2.0)),
        "static 5, dynamic 5": sliding(axis(staticFrictionEffort=5.0, dynamicFrictionEffort=5.0)),
        "static 5, dynamic 5, 60 steps": sliding(axis(staticFrictionEffort=5.0, dynamicFrictionEffort=5.0), 1.0, 60),
        "static 5 alone, 60 steps": sliding(axis(staticFrictionEffort=5.0), 1.0, 60),
        "static 5 alone, v 0.05": sliding(axis(staticFrictionEffort=5.0), 0.05, 60),
        "static 2, dynamic 5": sliding(axis(staticFrictionEffort=2.0, dynamicFrictionEffort=5.0)),
        "dynamic 5 alone": sliding(axis(dynamicFrictionEffort=5.0)),
        "static 5, dynamic -2": sliding(axis(staticFrictionEffort=5.0, dynamicFrictionEffort=-2.0)),
        "viscous -10": sliding(axis(viscousFrictionCoefficient=-10.0)),
        "static 2, dynamic 5, viscous 10": sliding(
            axis(staticFrictionEffort=2.0, dynamicFrictionEffort=5.0, viscousFrictionCoefficient=10.0)),
        "maxJointVelocity 0.5": sliding(axis(maxJointVelocity=0.5)),
        "maxJointVelocity 0": sliding(axis(maxJointVelocity=0.0)),
        "maxJointVelocity -1": sliding(axis(maxJointVelocity=-1.0)),
        "maxJointVelocity NaN": sliding(axis(maxJointVelocity=math.nan)),
        "maxJointVelocity 300, v 250": sliding(axis(maxJointVelocity=300.0), 250.0),
        "v 250": sliding(NOTHING, 250.0),
        "armature -0.5, drive": Case("Prismatic", text.both(push, axis(armature=-0.5)), steps=1),
        "armature NaN, drive": Case("Prismatic", text.both(push, axis(armature=math.nan)), steps=1),
        "retired PhysxJointAPI: velocity 0.5, friction 5": sliding(retired),
        "drive to 1, one step": Case("Prismatic", push, steps=1),
        "drive to 1, envelope": Case("Prismatic", text.both(push, envelope), steps=1),
        "drive to 1, maxForce 50, envelope": Case(
            "Prismatic", text.both(text.drive("linear", stiffness=100.0, targetPosition=1.0, maxForce=50.0), envelope),
            steps=1),
        "drive to 1, envelope of velocity -1": Case("Prismatic", text.both(push, text.envelope(
            "linear", maxActuatorVelocity=-1.0, velocityDependentResistance=10.0, speedEffortGradient=0.01)), steps=1),
        "envelope without drive, v 1": sliding(envelope),
    }


def limits(text: ModuleType) -> dict[str, Case]:
    """Limits: soft ones, one-sided, crossed, in radians."""
    soft: Part = (["PhysxLimitAPI:linear"], {
        "float physxLimit:linear:stiffness": 10.0, "float physxLimit:linear:damping": 1.0,
        "float physxLimit:linear:restitution": 1.0})
    turn = text.drive("angular", stiffness=100.0, damping=10.0, targetPosition=90.0)

    def flying(*parts: Part) -> Case:
        return Case("Prismatic", text.both(*parts), 0.0, 1.0, 60)

    return {
        "limits 0.5, v 1": flying(text.limits(-0.5, 0.5)),
        "limits 0.5, PhysxLimitAPI, v 1": flying(text.limits(-0.5, 0.5), soft),
        "limits [-inf, 0.5], v 1": flying(text.limits(-math.inf, 0.5)),
        "limits [0.5, -0.5], v 1": flying(text.limits(0.5, -0.5)),
        "limits [NaN, 0.5], v 1": flying(text.limits(math.nan, 0.5)),
        "hinge to 90 degrees, limits 1.5708": Case("Revolute", text.both(turn, text.limits(-1.5708, 1.5708))),
        "hinge to 90 degrees, target 1.5708": Case(
            "Revolute", text.drive("angular", stiffness=100.0, damping=10.0, targetPosition=1.5708)),
        "state 1 outside limits 0.5": Case(
            "Prismatic", text.both(text.limits(-0.5, 0.5), text.joint_state("linear", position=1.0)), 1.0, steps=1),
    }


def starts(text: ModuleType) -> dict[str, Case]:
    """A hinge whose link is posed 30 degrees on, with and without a joint state; its position before the first step."""
    state = text.joint_state("angular", position=10.0)
    return {
        "posed at 30 degrees, no joint state": Case("Revolute", NOTHING, steps=0, turned=30.0, start=False),
        "posed at 30 degrees, state without position": Case(
            "Revolute", text.joint_state("angular"), steps=0, turned=30.0, start=False),
        "posed at 30 degrees, state 10": Case("Revolute", state, steps=0, turned=30.0, start=False),
    }


def main() -> None:
    """Run every case in one engine process; print where it ends and what the engine said."""
    oracle = load_oracle()
    text = oracle.text
    for cases in (drives(text), axes(text), limits(text), starts(text)):
        jobs = [oracle.engine.sim_job(
            stage(text, case), STEP, case.steps, joint_pos0=[case.position] if case.start else None,
            joint_vel0=[case.velocity] if case.start else None, effort=[case.effort] if case.effort else None)
            for case in cases.values()]
        results = oracle.engine.run_jobs(jobs)
        print(f"{'case':50} {'position':>12} {'velocity':>12}")
        for (label, case), result in zip(cases.items(), results, strict=True):
            unit = 180.0 / math.pi if case.kind == "Revolute" else 1.0
            last = unit * float(result["q"][-1, 0]), unit * float(result["qd"][-1, 0])
            print(f"{label:50} {last[0]:12.6g} {last[1]:12.6g}")
        print("\n".join(dict.fromkeys(line for line in results[0]["log"].splitlines() if "warmup" not in line)))


if __name__ == "__main__":
    main()
