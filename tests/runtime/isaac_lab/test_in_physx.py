"""Real PhysX moves a stage with our values as it moves the stage with what Isaac Lab writes through PhysX's tensors.

Isaac Lab writes gains, limits and resistance of joints after PhysX read the stage, in radians. The oracle's worker does
the same here, and the motion is the same to the bit.
"""

from __future__ import annotations

from math import degrees, radians
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.isaac_lab import JOINTS, configured, implicit, robot
from support.stages.named_robots import star

from physx_schema.authoring import drive, joint_axis

pytestmark = pytest.mark.sweep

DT, STEPS = 1 / 200, 100
START, TARGET, EFFORT = (0.3, 0.4, 0.5), (0.8, -0.2, 0.9), (4.0, 3.0, 2.0)
# What the configuration gives every joint, as Isaac Lab's tensors hold it.
TENSORS = {"dof_stiffness": 40.0, "dof_damping": 2.0, "dof_max_force": 9.0, "dof_max_velocity": 3.0,
           "dof_armature": 0.05}
FRICTION = (0.4, 0.3, 0.2)
FIELDS = ("effort_limit_sim=9.0, velocity_limit_sim=3.0, stiffness=40.0, damping=2.0, armature=0.05, friction=0.4, "
          "dynamic_friction=0.3, viscous_friction=0.2")


@pytest.fixture
def oracle(oracle_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The oracle with a worker that also writes properties of joints through tensors."""
    import physx_oracle

    monkeypatch.setenv("PHYSX_ORACLE", str(oracle_folder))
    driver = Path(__file__).parents[2] / "support" / "physx" / "tensor_driver.py"
    monkeypatch.setattr(physx_oracle, "__file__", str(driver))
    return physx_oracle


def job(oracle: Any, stage: Any, tensors: dict[str, Any] | None = None, **options: Any) -> Any:
    """A job that writes tensors as Isaac Lab does, and then begins to move."""
    made = oracle.sim_job(stage, DT, STEPS, joint_pos0=START, extra=[*TENSORS, "dof_friction"], **options)
    made["write"] = {**(tensors or {}), **made["write"]}
    return made


def isaac_lab_tensors() -> dict[str, Any]:
    return {name: [value] * len(JOINTS) for name, value in (*TENSORS.items(), ("dof_friction", FRICTION))}


def test_our_stage_moves_as_tensors_move_the_stage(oracle: Any, tmp_path: Path) -> None:
    stage = star(JOINTS)
    ours, _ = configured(tmp_path, robot(implicit(FIELDS)), stage)
    theirs, written = oracle.run_jobs([job(oracle, stage, isaac_lab_tensors(), target=TARGET),
                                       job(oracle, ours, target=TARGET)])
    assert np.ptp(theirs["q"], axis=0).min() > 0.3
    for name in ("q", "qd", *TENSORS, "dof_friction"):
        np.testing.assert_array_equal(written[name], theirs[name], err_msg=name)
    np.testing.assert_allclose(written["dof_stiffness"][0], 40.0, rtol=1e-6)


def test_our_stage_moves_as_one_that_is_authored_by_hand(oracle: Any, tmp_path: Path) -> None:
    ours, _ = configured(tmp_path, robot(implicit(FIELDS)))
    by_hand = star(JOINTS)
    for name in JOINTS:
        joint = by_hand.GetPrimAtPath(f"/Robot/{name}")
        drive(joint, stiffness=radians(40.0), damping=radians(2.0), max_force=9.0)
        joint_axis(joint, armature=0.05, static_friction=0.4, dynamic_friction=0.3, viscous_friction=radians(0.2),
                   max_velocity=degrees(3.0))
    theirs, written = oracle.run_jobs([job(oracle, by_hand, target=TARGET), job(oracle, ours, target=TARGET)])
    np.testing.assert_array_equal(written["q"], theirs["q"])


def test_gains_for_a_joint_without_a_drive_move_nothing(oracle: Any) -> None:
    stage = star(JOINTS, driven=False)
    tensors = isaac_lab_tensors()
    [found] = oracle.run_jobs([job(oracle, stage, tensors, target=TARGET)])
    np.testing.assert_allclose(found["dof_stiffness"][0], 40.0)      # the tensor holds what is written
    np.testing.assert_array_equal(found["q"][-1], found["q"][0])


def test_a_drive_without_values_takes_gains(oracle: Any, tmp_path: Path) -> None:
    spawn = "joint_drive_props=sim_utils.JointDrivePropertiesCfg(drive_type='force')"
    stage = star(JOINTS, driven=False)
    for name in JOINTS:
        stage.GetPrimAtPath(f"/Robot/{name}").AddAppliedSchema("PhysicsDriveAPI:angular")
    ours, report = configured(tmp_path, robot(implicit(FIELDS), spawn), star(JOINTS, driven=False))
    assert not report.failed
    theirs, written = oracle.run_jobs([job(oracle, stage, isaac_lab_tensors(), target=TARGET),
                                       job(oracle, ours, target=TARGET)])
    np.testing.assert_array_equal(written["q"], theirs["q"])


@pytest.mark.parametrize(("limit", "bounded"), [("effort_limit=80.0", False), ("actuator_effort_limit=80.0", True)])
def test_the_limit_of_the_stage_bounds_explicit_efforts_in_the_third_release(limit: str, bounded: bool, oracle: Any,
                                                                             tmp_path: Path) -> None:
    motor = f"'all': IdealPDActuatorCfg(joint_names_expr=['.*'], stiffness=40.0, damping=5.0, {limit})"
    stage = star(JOINTS)
    for name in JOINTS:
        stage.GetPrimAtPath(f"/Robot/{name}").GetAttribute("drive:angular:physics:maxForce").Set(0.5)
    ours, _ = configured(tmp_path, robot(motor), stage)
    free = {"dof_stiffness": [0.0] * 3, "dof_damping": [0.0] * 3, "dof_max_force": [0.5 if bounded else 1e9] * 3}
    theirs, written = oracle.run_jobs([job(oracle, stage, free, effort=EFFORT), job(oracle, ours, effort=EFFORT)])
    np.testing.assert_array_equal(written["q"], theirs["q"])
    share = (written["q"][10] - written["q"][0]) / (0.5 * (10 * DT) ** 2 * np.asarray(EFFORT))    # inverse inertia
    assert (np.ptp(share) > 0.3 * share.max()) == bounded       # bounded, all joints get the same effort


def test_the_robot_begins_at_its_initial_state(oracle: Any, tmp_path: Path) -> None:
    state = ("init_state=ArticulationCfg.InitialStateCfg(joint_pos={'hip': 0.4, 'knee': -0.8}, "
             "joint_vel={'ankle': 0.5}),")
    ours, _ = configured(tmp_path, robot(implicit("stiffness=0.0, damping=0.0"), rest=state))
    [found] = oracle.run_jobs([oracle.sim_job(ours, DT, 1)])
    order = [path.rpartition("/")[2] for path in found["dof_paths"]]
    np.testing.assert_allclose(found["q"][0], [{"hip": 0.4, "knee": -0.8}.get(name, 0.0) for name in order], atol=1e-6)
    np.testing.assert_allclose(found["qd"][0], [{"ankle": 0.5}.get(name, 0.0) for name in order], atol=1e-6)
