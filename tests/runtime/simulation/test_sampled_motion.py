"""Kinematic bodies follow the time samples of their transforms: USD's own evaluation says where they have to be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import Scene, Session, simulate
from pxr import Usd, UsdGeom
from support.stages.iteration_stages import DT, KINEMATIC, free, opened, prim, stage

WAY = 2e-5          # m and quaternion components by which neighbouring poses and USD may differ, with float32
STEPS = 120         # the samples end after 100, or 200 by a rate of their own
ORDER = "uniform token[] xformOpOrder"
PLACE = "double3 xformOp:translate"
SLIDING = {f"{PLACE}.timeSamples": "{ 0: (1, 0, 0), 10: (1, 0.5, 0), 24: (0, 0.5, 2) }"}
TURNING = {"float xformOp:rotateZ.timeSamples": "{ 0: 0, 12: 720, 24: 90 }",
           ORDER: '["xformOp:translate", "xformOp:rotateZ"]'}
PENDULUM = prim("PhysicsRevoluteJoint", "hinge", "", {
    "rel physics:body0": "</K>", "rel physics:body1": "</B>", "uniform token physics:axis": '"Y"',
    "point3f physics:localPos0": "(0.5, 0, 0)", "point3f physics:localPos1": "(0, 0, 1)"})


def driven(more: dict[str, str]) -> str:
    """A kinematic body with more of its own."""
    return free("K", x=0.0, more={**KINEMATIC, **more})


STAGES = {
    "a sampled translation": stage(driven(SLIDING), free("B")),
    "a sampled rotation": stage(driven(TURNING), free("B")),
    "both": stage(driven({**SLIDING, **TURNING}), free("B")),
    "a turning parent": stage(prim("Xform", "P", "", {**TURNING, "double3 xformOp:translate": "(0, 0, 1)"},
                                   free("K", x=1.0, more=KINEMATIC)), free("B")),
    "samples after the start": stage(driven({f"{PLACE}.timeSamples": "{ 6: (1, 0, 0), 18: (2, 0, 0) }"}), free("B")),
    "a start and rate of its own": stage(driven(SLIDING), free("B")).replace(
        "(\n", "(\n    startTimeCode = 5\n    timeCodesPerSecond = 12\n", 1),
}


def by_usd(usd: Usd.Stage, path: str, steps: int) -> NDArray[Any]:
    """Where USD puts a prim at the end of each step, (n_step, 7)."""
    found = []
    for step in range(1, steps + 1):
        code = usd.GetStartTimeCode() + step * DT * usd.GetTimeCodesPerSecond()
        matrix = UsdGeom.XformCache(Usd.TimeCode(code)).GetLocalToWorldTransform(usd.GetPrimAtPath(path))
        turn = matrix.ExtractRotationQuat()
        found.append([*matrix.ExtractTranslation(), *turn.GetImaginary(), turn.GetReal()])
    return np.array(found)


def differences(poses: NDArray[Any], others: NDArray[Any]) -> float:
    """The largest difference of two rows of poses, quaternions of either sign."""
    side = np.sign((poses[:, 3:] * others[:, 3:]).sum(axis=1, keepdims=True))
    return float(max(np.abs(poses[:, :3] - others[:, :3]).max(), np.abs(poses[:, 3:] - side * others[:, 3:]).max()))


@pytest.mark.parametrize("name", STAGES)
def test_a_body_is_where_usd_puts_it_after_each_step(name: str) -> None:
    usd = opened(STAGES[name])
    path = "/P/K" if "parent" in name else "/K"
    recording = simulate(usd, DT, STEPS)
    poses = recording.body_pose[1:, 0, recording.body_names.index(path)]
    assert differences(poses, by_usd(usd, path, STEPS)) < WAY


def test_a_body_starts_at_its_first_sample() -> None:
    found = Scene(opened(STAGES["both"]), 2, dt=DT)
    assert found.body_pose[:, found.body_names.index("/K"), :3].tolist() == [[1.0, 0.0, 0.0]] * 2
    found.step(3)
    found.reset()
    assert found.body_pose[:, found.body_names.index("/K"), :3].tolist() == [[1.0, 0.0, 0.0]] * 2


def test_a_body_has_the_velocity_of_its_way_and_none_after_the_last_sample() -> None:
    found = Scene(opened(STAGES["a sampled translation"]), dt=DT)
    found.step(20)
    at = found.body_names.index("/K")
    assert found.body_velocity[0, at] == pytest.approx([0.0, 1.2, 0.0, 0.0, 0.0, 0.0], abs=1e-4)
    found.step(100)
    assert not found.body_velocity[0, at].any()
    assert found.body_pose[0, at, :3].tolist() == [0.0, 0.5, 2.0]


def test_many_steps_are_as_one_after_another() -> None:
    one, many = (Scene(opened(STAGES["both"]), dt=DT) for _ in range(2))
    for _ in range(STEPS):
        one.step()
    many.step(STEPS)
    assert np.array_equal(one.body_pose, many.body_pose)


def test_each_world_follows_from_its_own_reset() -> None:
    found, fresh = (Scene(opened(STAGES["both"]), 2, dt=DT) for _ in range(2))
    found.step(105)
    found.reset([1])
    found.step(7)
    fresh.step(7)
    assert np.array_equal(found.body_pose[1], fresh.body_pose[1])
    assert found.body_pose[0, found.body_names.index("/K"), :3].tolist() == [0.0, 0.5, 2.0]


def test_a_body_that_is_put_somewhere_stands_until_a_reset() -> None:
    found = Scene(opened(STAGES["both"]), 2, dt=DT)
    at = found.body_names.index("/K")
    found.set_kinematic_pose("/K", [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [0])
    found.step(5)
    assert not found.body_pose[0, at, :6].any()
    assert found.body_pose[1, at, :3].any()
    found.reset()
    found.step(5)
    assert np.array_equal(found.body_pose[0, at], found.body_pose[1, at])


def test_a_pendulum_below_a_sampled_body_swings_as_below_one_that_is_sent_along_the_same_poses() -> None:
    sampled = opened(stage(driven({**SLIDING, **TURNING}), free("B", x=0.0), PENDULUM))
    plain = opened(stage(free("K", x=1.0, more=KINEMATIC), free("B", x=0.0), PENDULUM))
    played = simulate(sampled, DT, STEPS, dtype="float64")
    poses = played.body_pose[1:, 0, played.body_names.index("/K")]
    sent = simulate(plain, DT, STEPS, dtype="float64", kinematic_target={"/K": poses})
    assert np.abs(played.body_pose - sent.body_pose).max() < 1e-9
    assert np.ptp(played.body_pose[:, 0, 0, :3], axis=0).min() > 0.01


def test_a_single_sample_moves_nothing() -> None:
    found = Scene(opened(stage(driven({f"{PLACE}.timeSamples": "{ 3: (1, 0, 0) }"}), free("B"))), dt=DT)
    found.step(10)
    assert not found.body_pose[0, found.body_names.index("/K"), :3].any()


def test_a_session_follows_samples_as_a_scene_does_also_over_a_reading_of_the_stage() -> None:
    text = stage(driven(SLIDING), free("B", x=0.0), PENDULUM)
    usd, found = opened(text), Scene(opened(text), dt=DT)
    with Session(usd) as session:
        for step in range(40):
            if step == 20:
                usd.GetPrimAtPath("/K").GetAttribute("physics:mass").Set(7.0)
            session.step(DT)
            found.step()
            assert np.abs(session.simulation("/B").link_pose[0, 0] - found.body_pose[0, 0]).max() < 1e-5
        session.reset()
        found.reset()
        session.step(DT)
        found.step()
        assert np.abs(session.simulation("/B").link_pose[0, 0] - found.body_pose[0, 0]).max() < 1e-5
