"""Measure in real PhysX what the PGS solver does, beside TGS: one step of sliders, and a pendulum's energy.

Needs the environment that `oracle.py` describes. Sliders take one step of 0.01 s, without gravity and damping.
Prints velocities and positions for several iteration counts; writes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from oracle import ITERATIONS, STEP, Oracle, Part, load_oracle

SCENE = "bool physxScene:enableGPUDynamics = 0\n"
SOLVERS = ("TGS", "PGS")
NOTHING: Part = ([], {})


@dataclass(frozen=True, slots=True)
class Experiment:
    """Sliders on one base and their start; `parts` as stage_text.sliders takes them."""

    label: str
    parts: list[Part]
    position: list[float]
    velocity: list[float]
    more: dict[str, Any]


def with_solver(usda: str, solver: str, forces_every_iteration: bool | None = None) -> str:
    """The stage with a solver type, and with enableExternalForcesEveryIteration unless None."""
    added = f'        uniform token physxScene:solverType = "{solver}"\n'
    if forces_every_iteration is not None:
        added += f"        bool physxScene:enableExternalForcesEveryIteration = {int(forces_every_iteration)}\n"
    return usda.replace(SCENE, SCENE + added)


def experiments(oracle: Oracle) -> list[Experiment]:
    """One constraint each."""
    text = oracle.text

    def drive(**values: Any) -> Part:
        part: Part = text.drive("linear", **values)
        return part

    spatial = {"base": text.attachment("r", (0, 0, 0), stiffness=10.0),
               "links": {0: text.attachment("f", (0, 0, 0), ("base", "r"), leaf=True, restLength=0.0)}}
    friction = text.joint_axis("linear", staticFrictionEffort=5.0, dynamicFrictionEffort=3.0)
    fastest = text.joint_axis("linear", maxJointVelocity=0.1)
    limits = text.limits(-1.0, 0.02)
    soft = text.mimic("j0", gearing=1.0, naturalFrequency=10.0, dampingRatio=1.0)
    two = {"masses": [2.0]}
    return [
        Experiment("free fall from rest, g = 10", [NOTHING], [0.0], [0.0], {"axis": "Z", "gravity": 10.0}),
        Experiment("force drive 20/1 to 0.3, mass 2", [drive(stiffness=20, damping=1, targetPosition=0.3)],
                   [0.0], [0.2], two),
        Experiment("acceleration drive 2000/100 to 0.3, mass 2",
                   [drive(type="acceleration", stiffness=2000, damping=100, targetPosition=0.3)], [0.0], [0.2], two),
        Experiment("maximum velocity 0.1, mass 2", [fastest], [0.0], [0.2], two),
        Experiment("friction that sticks", [friction], [0.0], [0.02], {}),
        Experiment("limit 0.02, reached", [limits], [0.0], [3.0], {}),
        Experiment("limit 0.02, started 0.08 beyond", [limits], [0.1], [0.0], {}),
        Experiment("fixed tendon of stiffness 10, 1 long", [text.tendon_axis("t", root=True, stiffness=10.0)],
                   [1.0], [0.0], {}),
        Experiment("spatial tendon of stiffness 10, 1 long", [NOTHING], [1.0], [0.0], spatial),
        Experiment("hard mimic joint off by 0.1", [NOTHING, text.mimic("j0", gearing=1.0)], [0.0, 0.1], [0.0, 0.0], {}),
        Experiment("mimic joint of w 10, z 1 off by 1", [NOTHING, soft], [0.0, 1.0], [0.0, 0.0], {}),
    ]


def print_steps(oracle: Oracle) -> None:
    """Velocity and position after one step, by solver and iteration counts."""
    jobs, labels = [], []
    for e in experiments(oracle):
        for solver in SOLVERS:
            for n, v in ITERATIONS:
                stage = oracle.text.sliders(e.parts, iterations=(n, v), **e.more)
                jobs.append(oracle.engine.sim_job(with_solver(stage, solver), STEP, 1, e.position, e.velocity))
                labels.append(f"{e.label:44} {solver} {n}/{v}")
    for label, result in zip(labels, oracle.engine.run_jobs(jobs), strict=True):
        print(f"{label:56} v {_row(result['qd'][1])}  q {_row(result['q'][1])}")


def print_tokens(oracle: Oracle) -> None:
    """What other tokens mean, and what forces once a step do to PGS: a falling, driven slider."""
    part = oracle.text.drive("linear", stiffness=20, damping=1, targetPosition=0.3)
    stage = str(oracle.text.sliders([part], masses=[2.0], iterations=(4, 1), axis="Z", gravity=10.0))
    cases = [(token, flag) for token in ("PGS", "TGS", "TSG", "pgs", "") for flag in (None, False, True)]
    jobs = [oracle.engine.sim_job(with_solver(stage, *case), STEP, 1, [0.0], [0.2]) for case in cases]
    for (token, flag), result in zip(cases, oracle.engine.run_jobs(jobs), strict=True):
        print(f"solverType {token!r:6} forces every iteration {flag!s:6} v {_row(result['qd'][1])}")


def print_energy(oracle: Oracle) -> None:
    """Largest swing within 20 s of an undamped pendulum released at 1 rad, 60 Hz."""
    jobs, labels = [], []
    for solver in SOLVERS:
        for n, v in ITERATIONS:
            stage = with_solver(str(oracle.text.hanging_chain([NOTHING], iterations=(n, v))), solver)
            jobs.append(oracle.engine.sim_job(stage, 1 / 60, 1200, [1.0], [0.0]))
            labels.append(f"pendulum, {solver} {n}/{v}")
    for label, result in zip(labels, oracle.engine.run_jobs(jobs), strict=True):
        print(f"{label:40} largest |q| {np.abs(result['q']).max():.4f}")


def print_longer(oracle: Oracle) -> None:
    """Where a geared tendon comes to rest under gravity, and a compliant mimic joint's error after five steps."""
    text, jobs, labels = oracle.text, [], []
    hanging = [text.tendon_axis("t", gearing=2.0, root=True, stiffness=1000.0, damping=60.0)]
    soft = [NOTHING, text.mimic("j0", gearing=1.0, naturalFrequency=10.0, dampingRatio=1.0)]
    for solver in SOLVERS:
        for n, v in ITERATIONS:
            tendon = text.sliders(hanging, axis="Z", gravity=10.0, iterations=(n, v))
            mimic = text.sliders(soft, iterations=(n, v))
            jobs.append(oracle.engine.sim_job(with_solver(str(tendon), solver), 1 / 60, 600, [0.0], [0.0]))
            jobs.append(oracle.engine.sim_job(with_solver(str(mimic), solver), STEP, 5, [0.0, 1.0], [0.0, 0.0]))
            labels += [f"geared tendon at rest, {solver} {n}/{v}", f"mimic joint after 5 steps, {solver} {n}/{v}"]
    for label, result in zip(labels, oracle.engine.run_jobs(jobs), strict=True):
        print(f"{label:40} sum of q {float(np.sum(result['q'][-1])):.6f}")


def _row(values: Any) -> str:
    return " ".join(f"{float(x):12.7f}" for x in values)


def main() -> None:
    """Run every experiment."""
    oracle = load_oracle()
    print_steps(oracle)
    print_tokens(oracle)
    print_energy(oracle)
    print_longer(oracle)


if __name__ == "__main__":
    main()
