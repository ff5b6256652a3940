"""Kinematic bodies go where they are told, by a target with a velocity or by a pose without one, in each world.

Kinematic bodies follow the time samples of their transforms: USD's own evaluation says where they have to be.

What kinematic bodies hold moves as in real PhysX, where time samples or edits of the running stage move these.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, pi, sin
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray
from physx_runtime import Scene, Session, simulate
from physx_runtime.worlds.store import SCHEDULED
from pxr import Gf, Usd, UsdGeom
from support.physx.live import STAGE, TIME, Recorded, Write, record_live
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
    ("/B", AWAY, "the stage has no kinematic body /B; give one of /K"),
    ("/K", AWAY[:3], r"kinematic_target of /K has shape \(3,\); give \(7,\) or \(1, 7\)"),
    ("/K", [0.0] * 7, "kinematic_target of /K has a zero quaternion"),
    ("/K", [np.nan, *AWAY[1:]], "kinematic_target of /K contains a number that is not finite")])
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


# --- sampled motion --------------------------------------------------------------------------------------------------

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


# --- kinematic in PhysX ----------------------------------------------------------------------------------------------

Array = NDArray[np.float64]
PHYSX_DT, PHYSX_STEPS, START, RATE = 1 / 60, 150, 5, 24
TURN = "float xformOp:rotateY"
# The way of what hangs there: m, rad/s. float32, and a limit that is seen by a cosine in float32.
PHYSX_ROUNDING = 3e-5
SAMPLES = {PLACE: "(0, 0, 0)", f"{PLACE}.timeSamples": "{ 5: (0, 0, 0), 20: (0.4, 0, 0.2), 41: (0.1, 0, 0) }",
           TURN: "0", f"{TURN}.timeSamples": "{ 5: 0, 30: 60, 41: 20 }",
           "uniform token[] xformOpOrder": '["xformOp:translate", "xformOp:rotateY"]'}
LAZY = {"float physxRigidBody:linearDamping": "1", "float physxRigidBody:angularDamping": "1"}


def pendulum(*of_body: str, limits: Mapping[str, str], schemas: str = "") -> str:
    """A body on a hinge at a kinematic one."""
    return stage(*of_body, free("B", (8, 1), 0.5, LAZY), prim("PhysicsRevoluteJoint", "hinge", schemas, {
        "rel physics:body0": "</K>", "rel physics:body1": "</B>", "uniform token physics:axis": '"Y"',
        "point3f physics:localPos1": "(-0.5, 0, 0)", **limits}))


LIMITS = {"float physics:lowerLimit": "-20", "float physics:upperLimit": "30"}
HARD = ({**LIMITS, "float physxLimit:angular:restitution": "0.6", "float physxLimit:angular:bounceThreshold": "0.05"},
        "PhysxLimitAPI:angular")
SOFT = ({**LIMITS, "float physxLimit:angular:stiffness": "50", "float physxLimit:angular:damping": "2"},
        "PhysxLimitAPI:angular")
KINDS: dict[str, tuple[Mapping[str, str], str]] = {
    "free": ({}, ""), "hard limits": (LIMITS, ""), "bouncing limits": HARD, "soft limits": SOFT}
SAMPLED = {name: pendulum(free("K", None, 0.0, {**KINEMATIC, **SAMPLES}), limits=limits, schemas=schemas).replace(
    "(\n", f"(\n    startTimeCode = {START}\n    timeCodesPerSecond = {RATE}\n", 1)
    for name, (limits, schemas) in KINDS.items()}
EDITED = {name: pendulum(free("K", None, 0.0, KINEMATIC), limits=limits, schemas=schemas)
          for name, (limits, schemas) in KINDS.items()}
# step -> where the body is put on the stage before it; before the first step an edit would move the start of a session
EDITS = {**{step: (0.004 * step, 0.0, 0.001 * step) for step in range(2, 40)}, 60: (0.2, 0.0, 0.3), 90: (0.2, 0.0, 0.0)}


def matrix(place: tuple[float, ...]) -> list[float]:
    return [float(x) for row in Gf.Matrix4d().SetTranslate(Gf.Vec3d(*place)) for x in row]


def edit(place: tuple[float, ...]) -> list[Write]:
    """An edit of the transform, as ovphysx's own users write it."""
    return [(STAGE, "/K", name, matrix(place)) for name in ("omni:xform", "omni:fabric:worldMatrix")]


@pytest.fixture(scope="module")
def recorded(oracle_folder: Path) -> Mapping[tuple[str, str], Recorded]:
    played = {step: [(TIME, "", "", START / RATE + step * PHYSX_DT)] for step in range(1, PHYSX_STEPS + 1)}
    jobs = [(text, PHYSX_DT, 1, PHYSX_STEPS, played) for text in SAMPLED.values()]
    jobs += [(text, PHYSX_DT, 1, PHYSX_STEPS, {step: edit(place) for step, place in EDITS.items()})
             for text in EDITED.values()]
    keys = [(how, name) for how in ("sampled", "edited") for name in KINDS]
    return dict(zip(keys, record_live(jobs), strict=True))


def compare(theirs: Recorded, step: int, path: str, position: Any, velocity: Any) -> None:
    for what, ours in (("position", position), ("linearVelocity", velocity[:3]), ("angularVelocity", velocity[3:])):
        bar = PHYSX_ROUNDING * (1 if what == "position" else 30)
        assert np.abs(ours - theirs.of(what, path)[step - 1]).max() < bar, (
            what, step, ours, theirs.of(what, path)[step - 1])


@pytest.mark.parametrize("name", KINDS)
def test_what_a_sampled_body_holds_moves_as_in_physx(name: str,
                                                     recorded: Mapping[tuple[str, str], Recorded]) -> None:
    scene = Scene(opened(SAMPLED[name]), dt=PHYSX_DT, path=SCHEDULED)
    for step in range(1, PHYSX_STEPS + 1):
        scene.step()
        for path in ("/B", "/K"):
            at = scene.body_names.index(path)
            compare(recorded["sampled", name], step, path, scene.body_pose[0, at, :3], scene.body_velocity[0, at])


@pytest.mark.parametrize("name", KINDS)
def test_what_an_edited_kinematic_body_holds_moves_as_in_physx(name: str,
                                                               recorded: Mapping[tuple[str, str], Recorded]) -> None:
    live: Usd.Stage = opened(EDITED[name])
    place = live.GetPrimAtPath("/K").GetAttribute("xformOp:translate")
    with Session(live) as session:
        for step in range(1, PHYSX_STEPS + 1):
            if step in EDITS:
                place.Set(Gf.Vec3d(*EDITS[step]))
            session.step(PHYSX_DT)
            body = session.simulation("/B")
            compare(recorded["edited", name], step, "/B", body.link_pose[0, 0, :3], body.link_velocity[0, 0])
