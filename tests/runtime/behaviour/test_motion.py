"""Figures of behaviour against real PhysX: where joints end, which remedies bring them there, the force of contacts."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from physx_runtime.behaviour.motion import step_motion
from physx_runtime.behaviour.window import DURATION, STEP
from support.stages.driven_arms import MASS, arm, repaired
from support.stages.robots import described, opened, placed, prim, robot

from physx_schema.checking import check

# Stages whose joints don't arrive, each for another reason.
FAILING = {
    "sag": arm(stiffness=1.0, damping=1.0, maxForce=1000.0),
    "sag in centimetres about z": arm("Revolute", "Z", "Y", 0.01, stiffness=1e4, damping=1e4, maxForce=1e7),
    "too weak": arm(stiffness=1000.0, damping=100.0, maxForce=10.0),
    "too weak slider": arm("Prismatic", "Z", stiffness=1e5, damping=1e4, maxForce=20.0, limits=(-0.5, 0.5)),
    "friction": arm("Prismatic", "X", stiffness=1000.0, damping=200.0, targetPosition=0.3, maxForce=2.0,
                    staticFrictionEffort=5.0, dynamicFrictionEffort=4.0, limits=(-1.0, 1.0)),
    "speed limit": arm("Revolute", "Z", stiffness=1000.0, damping=100.0, maxForce=1000.0, targetPosition=60.0,
                       maxJointVelocity=3.14),
    "swings": arm("Revolute", "Z", stiffness=10.0, damping=0.0, targetPosition=40.0),
    "slow": arm("Revolute", "Z", stiffness=1.0, damping=20.0, targetPosition=40.0),
}
STEPS = 1 + round(DURATION / STEP)
# Of a joint after 5 s, degrees or lengths: rounding grows while something still swings or falls.
TOLERANCE, SWINGING_TOLERANCE = 1e-2, 5.0


@pytest.fixture(scope="module")
def ends(oracle_folder: Path) -> dict[tuple[str, bool], float]:
    """Where each joint is after 5 s in PhysX, as authored and with the repairs of its findings; degrees or lengths."""
    from physx_oracle import run_jobs, sim_job

    stages: dict[tuple[str, bool], str] = {}
    for name, text in FAILING.items():
        stage = opened(text)
        stages[name, False] = text
        stages[name, True] = repaired(stage, list(check(stage, "behaviour").findings))
    results = run_jobs([sim_job(text, STEP, STEPS) for text in stages.values()])
    return {key: float(result["q"][-1, 0]) * scale_of(stages[key])
            for key, result in zip(stages, results, strict=True)}


def scale_of(text: str) -> float:
    return 180.0 / math.pi if "PhysicsRevoluteJoint" in text else 1.0


@pytest.mark.parametrize("name", FAILING)
def test_joint_ends_where_it_does_in_physx(name: str, ends: dict[tuple[str, bool], float]) -> None:
    ours = float(step_motion(described(FAILING[name])).position[-1, 0]) * scale_of(FAILING[name])
    swings = name == "swings" or name.startswith("too weak")
    assert ours == pytest.approx(ends[name, False], abs=SWINGING_TOLERANCE if swings else TOLERANCE)


@pytest.mark.parametrize("name", FAILING)
def test_joint_arrives_in_physx_with_the_proposed_repair_and_not_without(
        name: str, ends: dict[tuple[str, bool], float]) -> None:
    dof = described(FAILING[name]).articulations[0].dofs[0]
    assert dof.drive is not None
    target, width = (value * scale_of(FAILING[name]) for value in (dof.drive.target_position, dof.upper - dof.lower))
    assert abs(ends[name, True] - target) < 0.01 * width < abs(ends[name, False] - target)


CRATE = robot(
    prim("Xform", "crate", ("PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxContactReportAPI"), {
        "float physics:mass": MASS, "float3 physics:diagonalInertia": (1.0, 1.0, 1.0), **placed((0.0, 0.0, 0.45))},
        prim("Cube", "shape", ("PhysicsCollisionAPI",), {"double size": 1.0})),
    prim("Cube", "slab", ("PhysicsCollisionAPI",), {"double size": 10.0, **placed((0.0, 0.0, -5.0))}), schemas=(),
    outside=prim("PhysicsScene", "scene", ("PhysxSceneAPI",), {
        "bool physxScene:enableGPUDynamics": False, "uniform token physxScene:broadphaseType": "MBP"}))
FORCE_TOLERANCE = 1e-3      # relative, of float32


def test_force_of_a_body_in_the_ground_is_that_of_physx(oracle_folder: Path, tmp_path: Path) -> None:
    from scene_recorder import record

    path = tmp_path / "crate.usda"
    path.write_text(CRATE, encoding="utf-8")
    (real,) = record([{"usd": str(path), "dt": STEP, "steps": 9, "contacts": ["/Robot/crate"]}])
    motion = step_motion(described(CRATE))
    for step, contacts in zip((0, 4, 8), motion.contacts, strict=False):
        ours = float(np.abs(contacts.impulses).sum()) / contacts.dt
        assert ours == pytest.approx(sum(row[2] for row in real["contacts"][step]), rel=FORCE_TOLERANCE)
