"""What is advised for limits under load was tried on the motion, and holds in real PhysX."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from physx_runtime.verification import verify
from physx_runtime.verification.remedies.findings import findings_of
from physx_runtime.verification.text import verification_lines
from pxr import Sdf, Usd
from support.stages.loaded_robots import SOFT, STIFF, arm, slow
from support.stages.robots import opened
from support.stages.verified_robots import both, row_of, verified

LINEAR = "physxRigidBody:maxLinearVelocity"
MAX_VELOCITY, CFM_SCALE = "physxJointAxis:angular:maxJointVelocity", "physxRigidBody:cfmScale"
LINK, JOINT = "/Robot/l0", "/Robot/j0"
SLOW = 0.0057           # deg/s
STEPS, DT = 120, 1 / 60


def test_number_below_the_intended_one_is_tried_first() -> None:
    remedy = verified(opened(arm(both(STIFF, slow("angular", 30.0)))), MAX_VELOCITY).remedy
    assert remedy is not None
    assert (remedy.feasible, remedy.settings) == (True, ())
    assert remedy.reached == pytest.approx(30.0, rel=1e-3)


def test_joint_that_no_number_holds_is_held_by_a_link_without_softness() -> None:
    remedy = verified(opened(arm(both(STIFF, slow("angular", SLOW)))), MAX_VELOCITY).remedy
    assert remedy is not None
    assert [(change.path, change.property, change.value) for change in remedy.settings] == [(LINK, CFM_SCALE, 0.0)]
    assert remedy.reached == pytest.approx(SLOW, rel=0.01)


def test_link_that_no_number_holds_is_said_to_be_held_by_its_joints() -> None:
    stage = opened(arm(SOFT, {f"float {LINEAR}": 0.01}))
    row = verified(stage, LINEAR, LINK)
    assert row.remedy is not None
    assert not row.remedy.feasible
    assert "limit the joints above the link by maxJointVelocity" in row.remedy.reason


def test_repair_authors_the_softness_and_verifies_as_authored() -> None:
    stage = opened(arm(both(STIFF, slow("angular", SLOW))))
    (finding,) = (item for item in findings_of(stage, verify(stage)).findings if item.property == MAX_VELOCITY)
    assert finding.repair is not None
    assert not finding.repair.safe
    stage.GetPrimAtPath(LINK).CreateAttribute(CFM_SCALE, Sdf.ValueTypeNames.Float).Set(0.0)
    assert verified(stage, MAX_VELOCITY).verdict == "as authored"


def test_many_links_of_one_setting_are_counted() -> None:
    stage = opened(arm(both(STIFF, slow("angular", SLOW))))
    lines = "\n".join(verification_lines(verify(stage)))
    assert f"author 0.0057 with {CFM_SCALE} 0 on {LINK} to get 0.0057" in lines
    assert "as authored, also under the stage's loads: physics:lowerLimit, physics:upperLimit on /Robot/j0" in lines


@pytest.mark.sweep
def test_remedies_hold_in_real_physx(oracle_folder: Path) -> None:
    from physx_oracle import run_jobs, sim_job  # type: ignore[import-not-found]

    cases = [(SLOW, STIFF, SLOW, {f"float {CFM_SCALE}": 0.0}), (30.0, STIFF, 29.43, {}),
             (2.2918, SOFT, 2.2918, {f"float {CFM_SCALE}": 0.0, f"float {LINEAR}": 0.01})]
    jobs = [sim_job(arm(both(drive, slow("angular", value)), on_link), DT, STEPS) for _, drive, value, on_link in cases]
    for (intended, *_), result in zip(cases, run_jobs(jobs), strict=True):
        position = np.degrees(np.array(result["q"], dtype=np.float64)[:, 0])
        speed = max(np.degrees(np.abs(result["qd"]).max()), np.abs(np.diff(position)).max() / DT)
        assert speed == pytest.approx(intended, rel=0.01)


def test_row_of_a_layered_stage_is_repaired_in_the_stage(tmp_path: Path) -> None:
    (tmp_path / "robot.usda").write_text(arm(both(STIFF, slow("angular", SLOW))), encoding="utf-8")
    stage = Usd.Stage.CreateNew(str(tmp_path / "over.usda"))
    stage.GetRootLayer().subLayerPaths.append("./robot.usda")
    row = row_of(verify(stage), MAX_VELOCITY)
    assert row.remedy is not None
    assert row.remedy.settings
