"""Forces once a step (enableExternalForcesEveryIteration off): drives, efforts and envelopes as PhysX bounds them.

A drive whose maxForce is 0 is none: neither its gains nor its envelope count, and an effort passes whole.

Performance envelopes in any unit of torque: PhysX compares responses with a number that has none.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import Simulation, simulate
from support.chance.articulations import Features, random_articulation
from support.places import SLIDER
from support.stages.robots import base, finger, joint, link, opened, prim, robot

from physx_schema.description import describe
from physx_schema.description.model import Description, Drive, Envelope

ROUNDING = 2e-7
GPU_OFF = "bool physxScene:enableGPUDynamics = 0"
ONCE = "bool physxScene:enableExternalForcesEveryIteration = 0"
# Drive of a slider of mass 2 to 0.3: stiffness, damping, maxForce; envelope: maximum velocity, resistance, gradient;
# effort; v after steps 1 and 2 of 0.01 s from q = 0, v = 0.2 in ovphysx 0.7.0, the same for N/V = 4/0 and 4/2.
MEASURED = [
    ((200.0, 1.0, 10.0), None, 0.0, (0.25, 0.3)),
    ((200.0, 1.0, 10.0), None, 5.0, (0.25, 0.3)),
    ((200.0, 1.0, 10.0), None, -5.0, (0.25, 0.3)),
    ((0.0, 0.0, 10.0), None, 30.0, (0.25, 0.3)),
    ((20.0, 1.0, math.inf), None, 1.0, (0.23374788, 0.26708433)),
    ((200.0, 1.0, 20.0), (0.5, 0.0, 0.0), 8.0, (0.3, 0.4)),
    ((200.0, 1.0, 20.0), (1.0, 0.0, 0.05), 8.0, (0.27272728, 0.338843)),
    ((200.0, 1.0, 20.0), (math.inf, 10.0, 0.0), 8.0, (0.28571427, 0.3673469)),
    ((200.0, 1.0, 20.0), (0.6, 30.0, 0.01), 3.0, (0.26086956, 0.31379962)),
]


def slider(drive: Drive) -> Description:
    """One slider of mass 2 without gravity, N/V = 4/2."""
    description = describe(SLIDER)
    articulation = description.articulations[0]
    base, link = articulation.links
    assert link.joint is not None
    joint = replace(link.joint, dofs=(replace(link.joint.dofs[0], drive=drive),))
    links = (base, replace(link, mass=2.0, linear_damping=0.0, joint=joint))
    driven = replace(articulation, links=links, position_iterations=4, velocity_iterations=2)
    scene = replace(description.scene, gravity=(0.0, 0.0, 0.0), forces_every_iteration=False)
    return replace(description, articulations=(driven,), scene=scene, scenes=())


@pytest.mark.parametrize(("gains", "bounds", "effort", "expected"), MEASURED)
def test_drive_and_effort_of_a_step_are_bounded_together(
        gains: tuple[float, float, float], bounds: tuple[float, float, float] | None, effort: float,
        expected: tuple[float, float]) -> None:
    path, prefix = "/World/art/j", "drive:linear:physics:"
    envelope = Envelope(path, prefix, *bounds) if bounds else None
    stiffness, damping, most = gains
    drive = Drive(path, prefix, stiffness, damping, 0.3, 0.0, most, False, envelope)
    sim = Simulation(slider(drive), dt=0.01)
    sim.reset(joint_position=[0.0], joint_velocity=[0.2])
    sim.set("joint_effort", [effort])
    for v in expected:
        sim.step()
        assert sim.joint_velocity[0, 0] == pytest.approx(v, abs=ROUNDING)


def test_random_articulations_move_as_in_physx_with_forces_once_a_step(tmp_path: Path, oracle_folder: Path) -> None:
    """Every feature at once, fixed and floating, within rounding or ten times PhysX's spread of neighbouring starts."""
    from physx_oracle import run_jobs, sim_job

    dt, steps, jobs, motions = 1 / 60, 30, [], []
    for seed in range(4):
        text = random_articulation(seed, Features(floating=seed % 2 == 1, drive=0.8)).text
        path = tmp_path / f"seed{seed}.usda"
        path.write_text(text.replace(GPU_OFF, GPU_OFF + "\n        " + ONCE))
        sim = Simulation(path, dt=dt)
        assert not sim.topology.forces_every_iteration
        random, size = np.random.default_rng(seed), len(sim.topology.dofs)
        q, qd, effort = (random.uniform(-x, x, size).astype(np.float32) for x in (0.3, 0.5, 1.0))
        sim.reset(joint_position=q, joint_velocity=qd)
        sim.set("joint_effort", effort)
        motion = []
        for _ in range(steps):
            sim.step()
            motion.append(sim.joint_position[0])
        motions.append(np.array(motion))
        starts = [q, *(np.nextafter(q, np.float32(side)) for side in (-np.inf, 0.0, np.inf))]
        jobs += [sim_job(path, dt, steps, start, qd, effort=effort) for start in starts]
    results = iter(run_jobs(jobs))
    for seed, motion in enumerate(motions):
        real, *others = [next(results)["q"][1:] for _ in range(4)]
        bar = max(5e-6, 10.0 * max(float(np.abs(other - real).max()) for other in others))
        assert np.abs(motion - real).max() < bar, f"seed {seed}"


# --- drive without force ---------------------------------------------------------------------------------------------

STEPS, STEP, EFFORT = 20, 1.0 / 60.0, 3.0
ENVELOPE = {"float physxDrivePerformanceEnvelope:linear:maxActuatorVelocity": 0.5}


def speed(most: float, envelope: bool) -> float:
    """Of a unit mass under an effort, with a drive to 1 and gravity across its slider."""
    values: dict[str, object] = {
        "uniform token physics:axis": "X", "float drive:linear:physics:stiffness": 50.0,
        "float drive:linear:physics:targetPosition": 1.0, "float drive:linear:physics:maxForce": most}
    schemas = ("PhysicsDriveAPI:linear", *(("PhysxDrivePerformanceEnvelopeAPI:linear",) if envelope else ()))
    stage = opened(finger({**values, **(ENVELOPE if envelope else {})}, schemas, "Prismatic"))
    found = simulate(stage, dt=STEP, steps=STEPS, joint_effort=[EFFORT])
    return float(found.joint_velocity[-1, 0, 0])


@pytest.mark.parametrize("envelope", [False, True])
def test_effort_beside_a_drive_without_force_accelerates_freely(envelope: bool) -> None:
    """PhysX reaches 0.999994 after 20 steps, F t / m = 1."""
    assert speed(0.0, envelope) == pytest.approx(EFFORT * STEPS * STEP, abs=1e-5)


def test_small_force_bounds_the_effort_too() -> None:
    assert speed(0.3, False) == pytest.approx(0.3 * STEPS * STEP, abs=1e-5)


# --- envelope units in PhysX -----------------------------------------------------------------------------------------

DT, ITERATIONS, START = 0.01, 4, 0.2
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
