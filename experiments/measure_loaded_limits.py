"""Measure in real PhysX what limits of speed hold to while gravity and drives act, and what makes them hold.

Needs the environment that `oracle.py` describes. A hinge on a fixed base carries a link of 1 kg and 0.1 kg m^2 whose
centre is 0.25 m away; its drive pulls to a target, and gravity is 9.81 m/s^2. Speeds are the greatest of 2 s, as PhysX
reports them after a step, and as the way of a step over its time. Then a body that falls, two hinges that fall, one of
which may not move, and the targets of two swings.
"""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
from oracle import Part, load_oracle

STEP, TIME = 1 / 60, 2.0
LINEAR, ANGULAR = "float physxRigidBody:maxLinearVelocity", "float physxRigidBody:maxAngularVelocity"
CFM_SCALE, MAX_VELOCITY = "float physxRigidBody:cfmScale", "maxJointVelocity"
NOTHING: Part = ([], {})


@dataclass(frozen=True)
class Case:
    """A drive, limits of the link and of the joint, and how it is stepped."""

    drive: dict[str, float]
    link: dict[str, Any] = field(default_factory=dict)
    axis: dict[str, float] = field(default_factory=dict)
    step: float = STEP
    iterations: tuple[int, int] | None = None
    meters: float = 1.0         # in a unit of length


SOFT = {"stiffness": 10.0, "damping": 1.0, "targetPosition": 60.0}
STIFF = {"stiffness": 80.0, "damping": 4.0, "targetPosition": 45.0}
SLOW = {MAX_VELOCITY: 0.0057}
CASES = {
    "link of 0.01 m/s": Case(SOFT, {LINEAR: 0.01}),
    "link of 0.01 m/s, no drive": Case({}, {LINEAR: 0.01}),
    "link of 0.01 m/s, steps of 1/240 s": Case(SOFT, {LINEAR: 0.01}, step=STEP / 4),
    "link of 0.01 m/s, joint of 2.2918 deg/s, cfmScale 0": Case(SOFT, {LINEAR: 0.01, CFM_SCALE: 0.0},
                                                               {MAX_VELOCITY: 2.2918}),
    "link of 12 deg/s": Case(SOFT, {ANGULAR: 12.0}),
    "link of 100 m/s, 5700 deg/s": Case(SOFT, {LINEAR: 100.0, ANGULAR: 5700.0}),
    "joint of 0.0057 deg/s": Case(STIFF, axis=SLOW),
    "joint of 0.0057 deg/s, 4/0 iterations": Case(STIFF, axis=SLOW, iterations=(4, 0)),
    "joint of 0.0057 deg/s, steps of 1/240 s": Case(STIFF, axis=SLOW, step=STEP / 4),
    "joint of 0.0057 deg/s, cfmScale 0": Case(STIFF, {CFM_SCALE: 0.0}, SLOW),
    "joint of 0.0057 deg/s, in centimetres": Case({name: value * (1.0 if name == "targetPosition" else 1e4)
                                                   for name, value in STIFF.items()}, axis=SLOW, meters=0.01),
    "joint of 30 deg/s": Case(STIFF, axis={MAX_VELOCITY: 30.0}),
    "joint of 30 deg/s, 29.43 authored": Case(STIFF, axis={MAX_VELOCITY: 29.43}),
    "joint of 300 deg/s": Case(STIFF, axis={MAX_VELOCITY: 300.0}),
}
TARGETS = ((30.0, 40.0), (44.0, 100.0), (45.0, 174.0), (45.0, 179.0), (-45.0, 179.0), (20.0, -179.5))


def hinge(text: ModuleType, name: str, part: Part, link: dict[str, Any], side: float = 0.0,
          meters: float = 1.0) -> str:
    """A link on a hinge about Y of the base."""
    reach = 0.25 / meters
    joint = text.joint("Revolute", f"j{name}", "base", f"l{name}", "Y", (0, side, 0), (-reach, 0, 0),
                       text.both(text.limits(-90, 90), part))
    moments = (0.1 / meters ** 2,) * 3
    return str(text.link(f"l{name}", (reach, side, 0), inertia=moments, part=([], link)) + joint)


def stage(text: ModuleType, case: Case) -> str:
    """The hinge of a case."""
    part = text.both(text.drive("angular", **case.drive) if case.drive else NOTHING,
                     text.joint_axis("angular", **case.axis) if case.axis else NOTHING)
    links = text.fixed_base() + hinge(text, "0", part, case.link, meters=case.meters)
    return str(text.stage(links, text.scene(9.81 / case.meters), case.iterations, mpu=case.meters))


def pair(text: ModuleType, first: Part) -> str:
    """Two hinges on one base that fall."""
    links = hinge(text, "0", first, {}, -0.3) + hinge(text, "1", NOTHING, {}, 0.3)
    return str(text.stage(text.fixed_base() + links, text.scene()))


def falling(text: ModuleType, maximum: float) -> str:
    """A body outside articulations that falls."""
    body = text.link("body", (0, 0, 5), part=([], {LINEAR: maximum}))
    return str(text.HEAD.format(mpu=1.0, kpu=1.0) + text.prim("Xform", "World", children=text.scene() + body))


def swings(text: ModuleType, targets: tuple[float, float]) -> str:
    """A generic joint with two free swings and a drive on each."""
    schemas, attrs = [], {}
    for name in ("transX", "transY", "transZ", "rotX"):
        schemas.append(f"PhysicsLimitAPI:{name}")
        attrs |= {f"float limit:{name}:physics:low": 1.0, f"float limit:{name}:physics:high": -1.0}
    part = text.both((schemas, attrs), *(text.drive(name, stiffness=20.0, damping=2.0, targetPosition=target)
                                         for name, target in zip(("rotY", "rotZ"), targets, strict=True)))
    body = text.fixed_base() + text.link("l0") + text.joint("", "gimbal", "base", "l0", part=part)
    return str(text.stage(body, text.scene(0.0)))


def main() -> None:
    """Run everything in one engine process and print it."""
    oracle = load_oracle()
    text, job = oracle.text, oracle.engine.sim_job
    pairs = {"maxJointVelocity 0": text.joint_axis("angular", maxJointVelocity=0.0), "no maximum": NOTHING}
    jobs = [job(stage(text, case), case.step, round(TIME / case.step)) for case in CASES.values()]
    jobs += [job(pair(text, first), STEP, round(TIME / STEP)) for first in pairs.values()]
    jobs += [job(swings(text, targets), STEP, 600) for targets in TARGETS]
    results = iter(oracle.engine.run_jobs(jobs))
    print(f"{'case':52} {'deg/s read':>12} {'deg/s moved':>12} {'m/s read':>12} {'m/s moved':>12}")
    for label, case in CASES.items():
        result = next(results)
        read, way = np.abs(result["qd"]).max(), np.abs(np.diff(result["q"], axis=0)).max() / case.step
        linear = np.linalg.norm(result["link_vel"][..., :3], axis=-1).max()
        moved = np.linalg.norm(np.diff(result["link_pose"][..., :3], axis=0), axis=-1).max() / case.step
        print(f"{label:52} {math.degrees(read):12.6g} {math.degrees(way):12.6g} {linear:12.6g} {moved:12.6g}")
    recorder = importlib.import_module("scene_recorder")
    for maximum in (0.5, 5.0):
        [result] = recorder.record([{"usd": falling(text, maximum), "dt": STEP, "steps": round(TIME / STEP)}])
        speed = np.linalg.norm(result["vel"], axis=-1).max()
        print(f"body of {maximum} m/s that falls: {speed:.6g} m/s")
    for label in pairs:
        result = next(results)
        turn = result["q"][-1, result["dof_names"].index("j1")]
        print(f"second hinge, first with {label}: {math.degrees(turn):.6g} deg")
    for targets in TARGETS:
        print(f"targets {targets}: {np.degrees(next(results)['q'][-1])}")


if __name__ == "__main__":
    main()
