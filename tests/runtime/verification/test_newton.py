"""Newton's values that PhysX takes are measured like PhysX's own, under the names they are authored with."""

from __future__ import annotations

import pytest
from physx_runtime.verification import verify
from support.stages.verified_robots import both, chain, drive, limits, part, row_of, verified

JOINT = part("NewtonJointAPI", "newton", armature=0.25, friction=2.0, damping=0.5, velocityLimit=3.0)


@pytest.mark.parametrize(("name", "authored"), [("armature", 0.25), ("damping", 0.5), ("velocityLimit", 3.0)])
def test_value_that_physx_takes_from_newton_is_measured(name: str, authored: float) -> None:
    row = verified(chain(JOINT, iterations=(32, 0)), f"newton:{name}")
    assert (row.authored, row.verdict) == (authored, "as authored")
    assert row.effective == pytest.approx(authored, rel=1e-2)


def test_newtons_friction_is_measured_as_static_and_as_dynamic_friction() -> None:
    rows = [row for row in verify(chain(JOINT, iterations=(32, 0))).rows if row.property == "newton:friction"]
    assert [row.effective for row in rows] == [pytest.approx(2.0, rel=1e-2)] * 2
    assert {row.verdict for row in rows} == {"as authored"}


def test_newtons_value_beside_one_of_physx_is_ignored() -> None:
    own = part("PhysxJointAxisAPI:linear", "physxJointAxis:linear", armature=1.0)
    verification = verify(chain(both(JOINT, own)))
    assert row_of(verification, "physxJointAxis:linear:armature").verdict == "as authored"
    assert row_of(verification, "newton:armature").verdict == "ignored"


def test_coefficients_of_newtons_mimic_joint_are_measured() -> None:
    schemas, values = part("NewtonMimicAPI", "newton", mimicCoef0=5.0, mimicCoef1=0.5)
    follower = schemas, {**values, "rel newton:mimicJoint": "</Robot/j0>"}
    stage = chain(limits(-40, 40), both(follower, limits(-90, 90)), kind="Revolute", serial=False)
    verification = verify(stage)
    for name, value in (("newton:mimicCoef0", 5.0), ("newton:mimicCoef1", 0.5)):
        row = row_of(verification, name, "/Robot/j1")
        assert (row.authored, row.verdict) == (value, "as authored")
        assert row.effective == pytest.approx(value, rel=1e-3)


def test_value_of_newton_that_physx_does_not_read_is_ignored() -> None:
    row = verified(chain(both(drive("linear", stiffness=1.0), ((), {"float newton:kp": 3.0}))), "newton:kp")
    assert (row.authored, row.verdict) == (3.0, "ignored")
    assert "drive:linear:physics:stiffness" in row.reason
