"""Performance envelopes in any unit of torque: PhysX compares responses with a number that has none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import simulate
from support.stages.robots import base, joint, link, opened, prim, robot

DT, STEPS, ITERATIONS, START = 0.01, 20, 4, 0.2
# Of the largest velocity, over 20 steps in float32.
ENVELOPE_ROUNDING = 2e-6
# Velocities of the case "all, backwards" after steps 1 and 2 in ovphysx 0.7.0, by torque units a newton metre.
ENVELOPE_MEASURED = {1.0: (0.029089294, -0.13148096), 1e9: (-3.7253501, -7.5167494)}
# Torque units a newton metre; 1e9 is that of millimetres and grams, where a moment of 1 kg m^2 answers by 1e-9.
TORQUES = (1e-3, 1.0, 1e6, 8e6, 1e7, 1e8, 1e9, 1e12)
# Maximum velocity, resistance and gradient in rad, newton metres and seconds; target of a spring; effort.
ENVELOPES = {
    "velocity alone": ((0.6, 0.0, 0.0), 2.0, 0.0),
    "already too fast": ((0.1, 0.0, 0.0), 2.0, 0.0),
    "gradient": ((1.0, 0.0, 0.05), 2.0, 0.0),
    "steep gradient": ((1.0, 0.0, 2.0), -1.0, 1.0),
    "resistance": ((10.0, 30.0, 0.0), 2.0, 0.0),
    "all, against an effort": ((0.6, 30.0, 0.01), 2.0, -8.0),
    "all, backwards": ((0.6, 30.0, 0.01), -2.0, 3.0),
}
SCENES = {
    "TGS": "", "forces once a step": "bool physxScene:enableExternalForcesEveryIteration = 0",
    "PGS": 'uniform token physxScene:solverType = "PGS"',
}
API = ("PhysicsDriveAPI:angular", "PhysicsJointStateAPI:angular", "PhysxDrivePerformanceEnvelopeAPI:angular")


def stage(name: str, torque: float, solver: str) -> str:
    """The stage of a case."""
    envelope, target, _ = ENVELOPES[name]
    return hinge(torque, envelope, target, SCENES[solver])


def effort(name: str, torque: float) -> float:
    """The effort of a case in its unit."""
    return ENVELOPES[name][2] * torque


def moved(name: str, torque: float, scene: str, **how: Any) -> NDArray[Any]:
    """Joint velocities of a case, (steps + 1,)."""
    ours = simulate(opened(stage(name, torque, scene)), DT, STEPS, joint_velocity=[START],
                    joint_effort=[effort(name, torque)], **how)
    return ours.joint_velocity[:, 0, 0]


def hinge(torque: float, envelope: tuple[float, float, float], target: float, scene: str = "") -> str:
    """A hinge with a moment of 1 kg m^2 and a drive of 20 N m, in a unit of torque."""
    speed, resistance, gradient = envelope
    drive = "float drive:angular:physics"
    bounds = "float physxDrivePerformanceEnvelope:angular"
    moved = joint("Revolute", "j", "base", "l", API, {
        "uniform token physics:axis": "X",
        f"{drive}:stiffness": float(np.radians(200.0 * torque)), f"{drive}:damping": float(np.radians(torque)),
        f"{drive}:targetPosition": float(np.degrees(target)), f"{drive}:maxForce": 20.0 * torque,
        "float state:angular:physics:velocity": float(np.degrees(START)),
        f"{bounds}:maxActuatorVelocity": float(np.degrees(speed)),
        f"{bounds}:velocityDependentResistance": float(np.radians(resistance * torque)),
        f"{bounds}:speedEffortGradient": float(np.degrees(gradient / torque))})
    turned = link("l", mass=1.0, more={"float3 physics:diagonalInertia": (torque, torque, torque)})
    counts = {"int physxArticulation:solverPositionIterationCount": ITERATIONS,
              "int physxArticulation:solverVelocityIterationCount": 1}
    text = robot(base(), turned, moved, schemas=("PhysicsArticulationRootAPI", "PhysxArticulationAPI"),
                 outside=prim("PhysicsScene", "scene", ("PhysxSceneAPI",),
                              {"float physics:gravityMagnitude": 0.0}, f"        {scene}\n"))
    first = 'def Xform "Robot" (prepend apiSchemas = ["PhysicsArticulationRootAPI", "PhysxArticulationAPI"])\n{\n'
    assert first in text
    return text.replace(first, first + "".join(f"{name} = {value}\n" for name, value in counts.items()))


@pytest.mark.parametrize("solver", SCENES)
def test_envelopes_bound_as_in_physx_in_every_unit(solver: str, oracle_folder: Path) -> None:
    from physx_oracle import run_jobs, sim_job

    cases, jobs = [(name, torque) for name in ENVELOPES for torque in TORQUES], []
    for name, torque in cases:
        jobs.append(sim_job(stage(name, torque, solver), DT, STEPS, [0.0], [START], effort=[effort(name, torque)]))
    wrong = []
    for (name, torque), real in zip(cases, run_jobs(jobs), strict=True):
        for path in ("specialised", "generic"):
            ours = moved(name, torque, solver, path=path)
            error = np.abs(ours - real["qd"][:, 0]).max() / max(1.0, np.abs(real["qd"]).max())
            if not error < ENVELOPE_ROUNDING:
                wrong.append(f"{name} at {torque:g}, {path}: {error:.1e}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("torque", ENVELOPE_MEASURED)
@pytest.mark.parametrize("path", ["specialised", "generic"])
def test_an_envelope_of_millimetres_and_grams_does_not_bound(torque: float, path: str) -> None:
    ours = moved("all, backwards", torque, "TGS", path=path)
    assert np.abs(ours[1:3] - ENVELOPE_MEASURED[torque]).max() < ENVELOPE_ROUNDING * max(1.0, np.abs(ours[2]))


def test_the_ideal_envelope_bounds_in_every_unit() -> None:
    metres, millimetres = (moved("all, backwards", torque, "TGS", solver="ideal") for torque in ENVELOPE_MEASURED)
    assert np.abs(metres[1:] - millimetres[1:]).max() < 1e-4
    assert metres.min() > -0.6
