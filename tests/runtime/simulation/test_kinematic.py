"""Kinematic bodies go where they are told, by a target with a velocity or by a pose without one, in each world."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray
from physx_runtime import Scene, simulate
from support.stages.iteration_stages import DT, KINEMATIC, free, opened, prim, stage

ROUNDING = 1e-5     # m/s of a difference over DT of positions near 1 m in float32
RESTED = 90         # steps after which what a standing body holds sleeps
AWAY = [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0]
CENTER = (0.5, 0.0, 0.0)
MOVED = free("K", x=0.0, more={**KINEMATIC, "point3f physics:centerOfMass": str(CENTER)})
LONELY = stage(MOVED, free("B"))
WELD = prim("PhysicsFixedJoint", "weld", "", {"rel physics:body0": "</K>", "rel physics:body1": "</B>"})
HELD = stage(MOVED, free("B", x=0.0), WELD)


def scene(text: str = LONELY, worlds: int = 1) -> Scene:
    """A scene of a kinematic body beside another, or one that holds it."""
    return Scene(opened(text), worlds, dt=DT)


def turned(angle: float, position: ArrayLike = (0.0, 0.0, 0.0)) -> NDArray[Any]:
    """A pose turned about z."""
    return np.array([*np.asarray(position), 0.0, 0.0, sin(angle / 2), cos(angle / 2)])


def own(found: Scene) -> int:
    """Which of the bodies is the kinematic one."""
    return found.body_names.index("/K")


def test_a_body_is_at_its_target_after_the_step_and_stands_there() -> None:
    found = scene()
    found.set_kinematic_target("/K", AWAY)
    assert not found.body_pose[0, own(found), :3].any()
    found.step()
    assert found.body_pose[0, own(found)].tolist() == AWAY
    found.step(3)
    assert found.body_pose[0, own(found)].tolist() == AWAY


def test_a_body_moves_to_its_target_by_the_velocity_of_its_centre_of_mass_and_the_rotation_vector() -> None:
    found, angle = scene(), 0.3
    found.set_kinematic_target("/K", turned(angle, (0.0, 0.1, 0.0)))
    found.step()
    center = np.array([0.5 * cos(angle), 0.1 + 0.5 * sin(angle), 0.0])
    linear = (center - CENTER) / DT
    assert np.abs(found.body_velocity[0, own(found)] - [*linear, 0.0, 0.0, angle / DT]).max() < ROUNDING
    found.step()
    assert not found.body_velocity[0, own(found)].any()


def test_a_body_turns_the_shorter_way_to_its_target() -> None:
    found = scene()
    found.set_kinematic_target("/K", turned(2.0 * pi - 0.2))
    found.step()
    assert found.body_velocity[0, own(found), 5] == pytest.approx(-0.2 / DT)


def test_a_body_that_is_put_somewhere_is_there_at_once_without_a_velocity() -> None:
    found = scene()
    found.set_kinematic_pose("/K", AWAY)
    assert found.body_pose[0, own(found)].tolist() == AWAY
    found.step()
    assert found.body_pose[0, own(found)].tolist() == AWAY
    assert not found.body_velocity[0, own(found)].any()


def test_a_pose_takes_back_a_target() -> None:
    found = scene()
    found.set_kinematic_target("/K", turned(1.0))
    found.set_kinematic_pose("/K", AWAY)
    found.step()
    assert found.body_pose[0, own(found)].tolist() == AWAY


def test_many_steps_at_once_are_as_many_one_by_one_when_a_target_is_set() -> None:
    at_once, one_by_one = scene(HELD, 2), scene(HELD, 2)
    for found in (at_once, one_by_one):
        found.set_kinematic_target("/K", turned(0.1), [1])
    at_once.step(5)
    for _ in range(5):
        one_by_one.step()
    assert np.array_equal(at_once.body_pose, one_by_one.body_pose)
    assert np.array_equal(at_once.body_velocity, one_by_one.body_velocity)


def test_every_world_has_targets_of_its_own_and_what_it_holds_moves_bit_for_bit_as_by_itself() -> None:
    angles = [0.1, -0.2, 0.0]
    many = scene(HELD, 3)
    alone = [scene(HELD) for _ in angles]
    for step in range(10):
        many.set_kinematic_target("/K", [turned(angle * step) for angle in angles])
        many.step()
        for world, (single, angle) in enumerate(zip(alone, angles, strict=True)):
            single.set_kinematic_target("/K", turned(angle * step))
            single.step()
            assert np.array_equal(many.body_pose[world], single.body_pose[0])
            assert np.array_equal(many.body_velocity[world], single.body_velocity[0])
    assert np.abs(many.body_velocity[0] - many.body_velocity[1]).max() > 1.0


def test_what_a_body_holds_goes_with_it() -> None:
    found = scene(HELD)
    for step in range(1, 61):
        found.set_kinematic_target("/K", [0.005 * step, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
        found.step()
    assert found.body_pose[0, found.body_names.index("/B"), 0] == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize(("how", "wakes"), [("set_kinematic_target", True), ("set_kinematic_pose", False)])
def test_what_a_body_holds_wakes_with_its_way_to_a_target_and_sleeps_on_when_it_is_put_elsewhere(how: str,
                                                                                                 wakes: bool) -> None:
    found = scene(HELD, 3)
    found.step(RESTED)
    assert found["/B"].asleep.all()
    getattr(found, how)("/K", turned(0.0, (0.0, 0.0, 0.1)), [1])
    found.step()
    assert found["/B"].asleep.tolist() == [True, not wakes, True]


def test_reset_puts_the_body_back_in_the_chosen_worlds() -> None:
    found = scene(HELD, 2)
    found.set_kinematic_target("/K", AWAY)
    found.step()
    found.set_kinematic_target("/K", turned(1.0))
    found.reset([0])
    found.step()
    assert found.body_pose[0, own(found)].tolist() == [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    assert np.abs(found.body_pose[1, own(found)] - turned(1.0)).max() < 1e-6


@pytest.mark.parametrize("how", ["target", "pose"])
def test_one_call_moves_bodies_as_a_scene_does(how: str) -> None:
    poses = np.stack([[turned(0.01 * (step + world)) for world in range(2)] for step in range(6)])
    found = scene(HELD, 2)
    given: dict[str, Any] = {f"kinematic_{how}": {"/K": poses}}
    recording = simulate(opened(HELD), DT, 6, worlds=2, every=2, **given)
    for step in range(6):
        getattr(found, f"set_kinematic_{how}")("/K", poses[step])
        found.step()
        if step % 2:
            assert np.array_equal(recording.body_pose[(step + 1) // 2], found.body_pose)
            assert np.array_equal(recording.body_velocity[(step + 1) // 2], found.body_velocity)


@pytest.mark.parametrize(("body", "poses", "message"), [
    ("/B", AWAY, "no kinematic body /B is on the stage; give one of /K"),
    ("/K", AWAY[:3], r"kinematic_target of /K has shape \(3,\); give \(7,\) or \(1, 7\)"),
    ("/K", [0.0] * 7, "kinematic_target of /K has a rotation without length"),
    ("/K", [np.nan, *AWAY[1:]], "kinematic_target of /K holds a number that is not finite")])
def test_what_is_no_pose_of_a_kinematic_body_is_refused(body: str, poses: ArrayLike, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        scene().set_kinematic_target(body, poses)


@pytest.mark.parametrize(("given", "message"), [
    ({"kinematic_target": {"/B": [AWAY]}}, "kinematic_target names /B; allowed are the stage's kinematic bodies, /K"),
    ({"kinematic_pose": {"/K": [AWAY] * 3}}, r"kinematic_pose of /K has shape \(3, 7\); give \(2, 7\) or \(2, 1, 7\)"),
    ({"kinematic_pose": {"/K": [AWAY] * 2}, "articulation": "/B"}, "kinematic_pose names /K; allowed are")])
def test_one_call_refuses_what_is_no_motion_of_kinematic_bodies(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        simulate(opened(LONELY), DT, 2, **given)
