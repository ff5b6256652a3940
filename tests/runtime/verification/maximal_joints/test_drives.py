"""Verification measures drives of joints outside articulations, as a load and a displacement in real PhysX do."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from physx_runtime.verification import Verification, verify
from physx_runtime.verification.text import verification_lines
from support.stages.iteration_stages import free, opened, prim, stage
from support.stages.verified_robots import row_of

DT, STEPS = 1 / 60, 600
STIFFNESS, DAMPING = 60.0, 30.0
MASS, GRAVITY = 1.0, 10.0
# PhysX has the body's place in float32, 1e-7 of what it sags.
ROUNDING = 1e-4
JOINT, SPRING = "/J", "drive:linear:physics:stiffness"
# A body that falls asleep stops before it is at rest.
AWAKE = {"float physxRigidBody:sleepThreshold": "0"}
COUNTS = ((1, 0), (4, 1), (32, 4))


def held(kind: str, more: Mapping[str, str], counts: tuple[int, int] = (4, 1), first: bool = False) -> str:
    """A body on a joint about or along z to the world, at either side of it."""
    instance = "angular" if kind == "Revolute" else "linear"
    joint = prim(f"Physics{kind}Joint", JOINT[1:], f"PhysicsDriveAPI:{instance}", {
        f"rel physics:body{0 if first else 1}": "</B>", "uniform token physics:axis": '"Z"',
        **{f"float drive:{instance}:physics:{name}": value for name, value in more.items()}})
    return stage(free("B", counts, x=0.0, more=AWAKE), joint)


def gains(stiffness: float = STIFFNESS, damping: float = DAMPING) -> dict[str, str]:
    return {"stiffness": str(stiffness), "damping": str(damping)}


def verified(text: str) -> Verification:
    return verify(opened(text), dt=DT)


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize(("kind", "instance"), [("Revolute", "angular"), ("Prismatic", "linear")])
def test_gains_of_a_drive_to_the_world_are_measured(kind: str, instance: str, first: bool) -> None:
    found = verified(held(kind, gains(), first=first))
    for name, value in (("stiffness", STIFFNESS), ("damping", DAMPING)):
        row = row_of(found, f"drive:{instance}:physics:{name}", JOINT)
        assert (row.authored, row.verdict, row.articulation) == (value, "as authored", "/B")
        assert (row.effective, row.ideal) == pytest.approx((value, value), rel=1e-3)


def test_gains_of_an_acceleration_drive_are_measured_as_accelerations() -> None:
    text = held("Prismatic", gains()).replace("float drive:linear:physics:stiffness",
                                              'uniform token drive:linear:physics:type = "acceleration"\n'
                                              "float drive:linear:physics:stiffness")
    text = text.replace("physics:mass = 1", "physics:mass = 7")
    assert row_of(verified(text), SPRING, JOINT).effective == pytest.approx(60.0, rel=1e-3)


@pytest.mark.parametrize("stiffness", [0.0, 1e-6])
def test_soft_springs_are_measured_too(stiffness: float) -> None:
    row = row_of(verified(held("Prismatic", gains(stiffness))), SPRING, JOINT)
    assert row.effective == pytest.approx(stiffness, rel=1e-3, abs=1e-12)
    assert row.verdict == "as authored"


def test_the_stiffness_of_a_drive_that_is_refused_for_its_damping_says_so() -> None:
    row = row_of(verified(held("Prismatic", gains(damping=-30.0))), SPRING, JOINT)
    assert (row.effective, row.verdict) == (None, "ignored")
    assert row.reason == "PhysX refuses the whole drive: damping -30 is negative or not finite"


def test_a_body_that_may_not_move_along_the_joint_is_not_evaluated() -> None:
    text = held("Prismatic", gains()).replace(
        "float physics:mass = 1", "float physics:mass = 1\nint physxRigidBody:lockedPosAxis = 4")
    row = row_of(verified(text), SPRING, JOINT)
    assert (row.effective, row.verdict) == (None, "not evaluated")
    assert "moves neither body" in row.reason


def test_a_drive_that_is_not_stepped_says_why() -> None:
    text = held("Prismatic", gains()).replace("float3 physics:diagonalInertia = (1, 1, 1)",
                                              "float3 physics:diagonalInertia = (0, 1, 1)")
    row = row_of(verified(text), SPRING, JOINT)
    assert (row.effective, row.verdict) == (None, "not evaluated")
    assert "PhysX treats as infinite" in row.reason


def test_the_text_shows_the_gains() -> None:
    lines = list(verification_lines(verified(held("Revolute", gains())), show_all=True))
    line, = (line for line in lines if line.startswith(f"{JOINT} ") and "stiffness" in line)
    assert line.split() == [JOINT, "drive:angular:physics:stiffness", "60", "60", "60", "as", "authored"]


@pytest.mark.sweep
@pytest.mark.parametrize("counts", COUNTS)
def test_weight_over_sag_is_that_of_physx(oracle_folder: Path, counts: tuple[int, int]) -> None:
    from scene_recorder import record

    text = held("Prismatic", gains(), counts)
    result, = record([{"usd": text, "dt": DT, "steps": STEPS}])
    sag = -float(result["pos"][-1, 0, 2])
    row = row_of(verified(text), SPRING, JOINT)
    assert row.effective == pytest.approx(MASS * GRAVITY / sag, rel=ROUNDING)


@pytest.mark.parametrize(("targets", "verdict"), [((30.0, 40.0), "not evaluated"), ((30.0, 0.0), "as authored")])
def test_angular_targets_that_act_together_are_not_judged_one_by_one(targets: tuple[float, float],
                                                                     verdict: str) -> None:
    """Real PhysX rests turned by (24.8, 41.6) degrees about y and z where 30 and 40 are authored."""
    schemas, values = [], {}
    for name in ("transX", "transY", "transZ", "rotX"):
        schemas.append(f"PhysicsLimitAPI:{name}")
        values |= {f"float limit:{name}:physics:low": "1", f"float limit:{name}:physics:high": "-1"}
    for name, target in zip(("rotY", "rotZ"), targets, strict=True):
        schemas.append(f"PhysicsDriveAPI:{name}")
        values |= {f"float drive:{name}:physics:{key}": value for key, value in (
            *gains().items(), ("targetPosition", str(target)))}
    joint = prim("PhysicsJoint", JOINT[1:], " ".join(schemas), {"rel physics:body1": "</B>", **values})
    found = verified(stage(free("B", (4, 1), x=0.0, more=AWAKE), joint))
    assert row_of(found, "drive:rotY:physics:targetPosition", JOINT).verdict == verdict
