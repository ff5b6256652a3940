"""A drive whose maxForce is 0 is none: neither its gains nor its envelope count, and an effort passes whole."""

from __future__ import annotations

import pytest
from physx_runtime import simulate
from support.stages.robots import finger, opened

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
