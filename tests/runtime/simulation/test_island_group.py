"""Joints outside articulations in a scene: islands alike share a buffer, and every world has parameters of its own."""

from __future__ import annotations

from math import inf, radians
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray
from physx_runtime import Scene, simulate
from support.stages.iteration_stages import DT, free, opened, prim, slider, stage

WORLDS = 3
DRIVE = {"float drive:angular:physics:stiffness": "30", "float drive:angular:physics:damping": "0.5",
         "float drive:angular:physics:targetPosition": "20"}
LIMIT = {"float physics:lowerLimit": "-40", "float physics:upperLimit": "60"}


def hinge(name: str, body: str, x: float = 0.0, **attributes: str) -> str:
    """A driven hinge about y, a metre beside a body at x, to the world."""
    more = {key.replace("__", ":"): value for key, value in attributes.items()}
    return prim("PhysicsRevoluteJoint", name, "PhysicsDriveAPI:angular", {
        "rel physics:body1": f"</{body}>", "uniform token physics:axis": '"Y"',
        "point3f physics:localPos0": f"({x - 1}, 0, 0)", "point3f physics:localPos1": "(-1, 0, 0)",
        **DRIVE, **LIMIT, **more})


def pendulums(count: int, **attributes: str) -> str:
    """A stage of pendulums beside a robot and a free body."""
    parts = [text for i in range(count) for text in (free(f"B{i}", x=5.0 * i),
                                                     hinge(f"J{i}", f"B{i}", 5.0 * i, **attributes))]
    return stage(*parts, slider("S", x=-20.0), free("Free", x=-30.0))


def scene(text: str, worlds: int = 1, **options: Any) -> Scene:
    """A scene of a stage."""
    return Scene(opened(text), worlds, dt=DT, **options)


def own(found: Scene, body: str) -> NDArray[Any]:
    """Pose and velocity of a body in every world."""
    i = found.body_names.index(body)
    return np.concatenate([found.body_pose[:, i], found.body_velocity[:, i]], axis=1)


def test_joints_are_called_by_their_prims_and_islands_alike_share_a_buffer() -> None:
    found = scene(pendulums(4), WORLDS)
    assert found.joints == ("/J0", "/J1", "/J2", "/J3")
    assert len({found[f"/B{i}"].group for i in range(4)}) == 1
    assert found["/B0"].group is not found["/Free"].group


def test_a_joint_has_the_parameters_of_its_axes_in_radians() -> None:
    joint = scene(pendulums(1), WORLDS).joint("/J0")
    assert sorted(joint.parameters) == ["damping", "lower_limit", "max_force", "stiffness", "target_position",
                                        "target_velocity", "upper_limit"]
    assert joint.parameters["upper_limit"].elements == ("/J0:rotX",)
    assert joint.parameter("upper_limit").tolist() == [[np.float32(radians(60))]] * WORLDS


def test_islands_alike_move_bit_for_bit_as_each_in_a_scene_of_its_own() -> None:
    many, alone = scene(pendulums(9), WORLDS), [scene(pendulums(9), WORLDS) for _ in range(2)]
    speeds = np.linspace(-1.0, 1.0, WORLDS * 6).reshape(WORLDS, 6)
    for found, bodies in ((many, ("/B2", "/B7")), (alone[0], ("/B2",)), (alone[1], ("/B7",))):
        for body in bodies:
            found[body].set("v", speeds * (1.0 if body == "/B2" else -0.5))
        found.step(20)
    assert np.array_equal(own(many, "/B2"), own(alone[0], "/B2"))
    assert np.array_equal(own(many, "/B7"), own(alone[1], "/B7"))
    assert np.array_equal(own(many, "/B4"), own(alone[0], "/B4"))
    assert not np.array_equal(own(many, "/B2"), own(alone[1], "/B2"))


def test_a_world_with_parameters_of_its_own_moves_as_a_stage_that_authors_them() -> None:
    many, plain = scene(pendulums(2), WORLDS), scene(pendulums(2))
    stiff = scene(pendulums(2, **{"float drive:angular:physics:stiffness": "90"}))
    many.joint("/J1").set_parameter("stiffness", 90.0 * np.degrees(1.0), [2])
    for found in (many, stiff, plain):
        found.step(30)
    assert np.array_equal(own(many, "/B1")[[0, 1]], np.repeat(own(plain, "/B1"), 2, axis=0))
    assert np.array_equal(own(many, "/B1")[2], own(stiff, "/B1")[0])
    assert not np.array_equal(own(many, "/B1")[2], own(many, "/B1")[1])
    assert np.array_equal(own(many, "/B0"), np.repeat(own(plain, "/B0"), WORLDS, axis=0))


def test_reset_puts_islands_of_the_chosen_worlds_back_and_no_other() -> None:
    many, fresh, untouched = scene(pendulums(2), WORLDS), scene(pendulums(2)), scene(pendulums(2))
    many.step(20)
    untouched.step(20)
    many.reset([1])
    for _ in range(10):
        for found in (many, fresh, untouched):
            found.step()
        assert np.array_equal(own(many, "/B1")[1], own(fresh, "/B1")[0])
        assert np.array_equal(own(many, "/B1")[[0, 2]], np.repeat(own(untouched, "/B1"), 2, axis=0))


def test_members_of_islands_answer_as_actors_do() -> None:
    found = scene(pendulums(2), WORLDS)
    body = found["/B1"]
    body.set_parameter("mass", [[1.0], [2.0], [3.0]])
    body.set("link_force", [0.0, 0.0, 50.0], [2])
    found.step(5)
    assert np.array_equal(body.link_pose[:, 0], found.body_pose[:, found.body_names.index("/B1")])
    assert body.link_pose[2, 0, 2] > body.link_pose[1, 0, 2]
    assert np.array_equal(body.parameter("mass")[:, 0], [1.0, 2.0, 3.0])
    assert not body.asleep.any()
    body.reset([2])
    assert body.link_pose[2, 0, :3].tolist() == [5.0, 0.0, 0.0]


BREAKING = {"float physics:breakForce": "5"}        # half the weight that hangs at the joint


def test_a_joint_that_breaks_says_so_in_its_world_and_a_reset_restores_it() -> None:
    found = scene(pendulums(1, **BREAKING), WORLDS)
    joint = found.joint("/J0")
    joint.set_parameter("break_force", [[inf], [5.0], [inf]])
    assert not joint.broken.any()
    found.step(30)
    assert joint.broken.tolist() == [False, True, False]
    assert own(found, "/B0")[1, 2] < own(found, "/B0")[0, 2] - 0.01
    found.reset([1])
    assert not joint.broken.any()
    found.step()
    assert own(found, "/B0")[1, 2] == pytest.approx(own(found, "/B0")[0, 2], abs=0.5)


def test_a_recording_tells_when_joints_break() -> None:
    recording = simulate(opened(pendulums(2, **BREAKING)), DT, 20, worlds=2)
    assert recording.breakable_names == ("/J0", "/J1")
    assert recording.broken.shape == (21, 2, 2)
    assert not recording.broken[0].any()
    assert recording.broken[-1].all()
    assert simulate(opened(pendulums(1)), DT, 2).broken.shape == (3, 1, 0)


@pytest.mark.parametrize(("name", "values", "message"), [
    ("strength", 1.0, "'strength' is not a parameter of /J0; choose from damping, lower_limit"),
    ("stiffness", [1.0, 2.0], r"stiffness of /J0 has shape \(2,\); give one number, \(1,\) or \(3, 1\)"),
    ("stiffness", [[1.0], [-1.0], [1.0]], "stiffness of world 1 at /J0:rotX is -1; give values in"),
    ("lower_limit", 2.0, "lower_limit of world 0 at /J0:rotX is 2 .and 2 more.; lower_limit may not exceed upper"),
    ("target_position", np.nan, "target_position of world 0 at /J0:rotX is nan")])
def test_values_that_a_joint_cannot_take_are_refused(name: str, values: ArrayLike, message: str) -> None:
    joint = scene(pendulums(1), WORLDS).joint("/J0")
    with pytest.raises(ValueError, match=message):
        joint.set_parameter(name, values)


def test_a_path_that_is_no_joint_is_refused() -> None:
    with pytest.raises(ValueError, match="/B0 is not a simulated joint outside articulations; give one of /J0"):
        scene(pendulums(1)).joint("/B0")


RESTED = 90         # steps after which weightless bodies at their drives' targets sleep


@pytest.mark.parametrize(("name", "value", "wakes"), [
    ("target_position", 0.5, True), ("target_velocity", 0.5, True), ("target_position", 0.0, True),
    ("stiffness", 3.0, True), ("upper_limit", 1.0, False)])
def test_numbers_of_drives_wake_what_a_joint_holds_in_their_world_and_others_do_not(name: str, value: float,
                                                                                  wakes: bool) -> None:
    still = {"float drive:angular:physics:targetPosition": "0", "float drive:angular:physics:damping": "30"}
    found = scene(stage(free("B0"), hinge("J0", "B0", **still), scene={"float physics:gravityMagnitude": "0"}), WORLDS)
    found.step(RESTED)
    assert found["/B0"].asleep.all()
    found.joint("/J0").set_parameter(name, value, [1])
    found.step()
    assert found["/B0"].asleep.tolist() == [True, not wakes, True]


# --- centres of mass of single worlds ---------------------------------------------------------------------------------

ASKEW = {"center_of_mass": (0.2, -0.1, 0.3), "principal_axes": (0.3826834, 0.0, 0.0, 0.9238795),
         "diagonal_inertia": (0.5, 1.0, 1.5)}
SINGLE = 5e-6           # positions of 5 after 30 steps in float32, frames rounded in another order


@pytest.mark.parametrize("names", [("center_of_mass",), ("principal_axes", "diagonal_inertia"), tuple(ASKEW)])
def test_joints_stay_where_they_are_in_bodies_whose_centre_of_mass_is_set(names: tuple[str, ...]) -> None:
    authored = {"point3f physics:centerOfMass": "(0.2, -0.1, 0.3)", "float3 physics:diagonalInertia": "(0.5, 1, 1.5)",
                "quatf physics:principalAxes": "(0.9238795, 0.3826834, 0, 0)"}
    kept = {"center_of_mass": 0, "diagonal_inertia": 1, "principal_axes": 2}
    more = dict(list(authored.items())[kept[name]] for name in names)
    own_stage = scene(stage(free("B0", x=0.0, more=more), hinge("J0", "B0")))
    many = scene(stage(free("B0", x=0.0), hinge("J0", "B0")), WORLDS)
    plain = scene(stage(free("B0", x=0.0), hinge("J0", "B0")))
    many["/B0"].set_parameters({name: [ASKEW[name]] for name in names}, [1])
    for found in (own_stage, many, plain):
        found.step(30)
    np.testing.assert_allclose(own(many, "/B0")[1], own(own_stage, "/B0")[0], atol=SINGLE)
    assert np.array_equal(own(many, "/B0")[[0, 2]], np.repeat(own(plain, "/B0"), 2, axis=0))
    assert np.abs(own(plain, "/B0")[0] - own(own_stage, "/B0")[0]).max() > 1e-3
