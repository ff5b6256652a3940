"""What users do with articulations works where their links touch: parameters, forces, resets, worlds of their own."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from physx_runtime import Scene, simulate
from physx_runtime.worlds.cpu import CompiledWorlds
from support.stages.robots import base, joint, link, opened, prim, robot

STEPS = 30
CUBE = prim("Cube", "shape", ("PhysicsCollisionAPI",), {"double size": 0.2})
GROUND = prim("Plane", "ground", ("PhysicsCollisionAPI",), {"uniform token axis": "Z"})


@pytest.fixture
def ant(shared_cases: Path) -> Path:
    return shared_cases / "scenes" / "ant_on_plane" / "stage.usda"


def stepped(stage: Path, worlds: int = 1, dtype: str = "float32") -> Scene:
    """A scene whose ant has come down."""
    scene = Scene(stage, worlds, dtype=dtype)
    scene.step(STEPS)
    assert len(scene.contacts)
    return scene


def test_a_reset_ant_repeats_bit_for_bit_in_every_world(ant: Path) -> None:
    scene = stepped(ant, 3)
    first = scene.body_pose.copy()
    scene.reset([0, 2])
    np.testing.assert_array_equal(scene.body_pose[1], first[1])
    scene.step(STEPS)
    np.testing.assert_array_equal(scene.body_pose[[0, 2]], first[[0, 2]])


def test_a_push_of_nothing_changes_no_bit_of_what_touches(ant: Path) -> None:
    """The code that heeds link forces remembers what touched before it."""
    pushed, other = stepped(ant), stepped(ant)
    [name] = pushed.actors
    pushed[name].apply_force((0.0, 0.0, 0.0), link=pushed[name].model.link_names[0])
    for scene in (pushed, other):
        scene.step(STEPS)
    np.testing.assert_array_equal(pushed.body_pose, other.body_pose)


def test_a_push_acts_on_what_touches_in_its_world_alone(ant: Path) -> None:
    scene = stepped(ant, 2)
    [name] = scene.actors
    scene[name].apply_force((0.0, 0.0, 500.0), link=scene[name].model.link_names[0], worlds=[1])
    scene.step(3)
    assert scene.body_pose[1, 0, 2] - scene.body_pose[0, 0, 2] > 0.01


def test_targets_and_parameters_are_each_worlds_own(ant: Path) -> None:
    scene = stepped(ant, 2)
    [name] = scene.actors
    mass = scene[name].parameter("mass").copy()
    scene[name].set_parameter("mass", 3.0 * mass[1:], worlds=[1])
    scene.step(2)
    gravity, weight = 9.81, [0.0, 0.0]
    scene.step(400)
    for world in range(2):
        own = scene.contacts.worlds == world
        weight[world] = float((scene.contacts.impulses * scene.contacts.normals[:, 2])[own].sum() / scene.dt)
    assert weight == pytest.approx([gravity * mass[0].sum(), gravity * 3.0 * mass[1].sum()], rel=0.01)


def test_colliders_stay_where_they_are_when_a_center_of_mass_is_moved() -> None:
    """A floating root's own frame goes with its centre of mass, and its colliders do not."""
    place = {"double3 xformOp:translate": (0, 0, 0.1), "uniform token[] xformOpOrder": ["xformOp:translate"]}
    stage = opened("#usda 1.0\n" + prim("Xform", "ball", ("PhysicsRigidBodyAPI",), place, CUBE) + GROUND)
    scene = Scene(stage, 2)
    scene["/ball"].set_parameter("center_of_mass", [[[0.0, 0.0, -0.05]]], worlds=[1])
    scene.step(120)
    assert scene.body_pose[:, 0, 2] == pytest.approx([0.1, 0.1], abs=1e-3)


def test_forces_of_joints_are_kept_where_there_are_none_outside(ant: Path) -> None:
    assert simulate(ant, steps=2, joint_forces=True).maximal_joint_names == ()


@pytest.mark.parametrize("solver", ["physx", "ideal"])
@pytest.mark.parametrize("dtype", ["float32", pytest.param("float64", marks=pytest.mark.sweep)])
def test_an_ant_comes_to_rest_on_the_ground(ant: Path, solver: str, dtype: str) -> None:
    found = simulate(ant, steps=240, dtype=dtype, solver=solver)
    assert np.abs(found.body_velocity[-1]).max() < 0.05
    assert found.body_pose[-1, 0, :, 2].min() > 0.0
    assert len(found.contacts[-1]) == 4


def test_an_articulation_that_can_meet_nothing_keeps_its_own_path() -> None:
    """Neighbours alone have colliders: nothing of it meets anything."""
    text = robot(base(), link("tip", (1, 0, 0), children=CUBE), link("end", (2, 0, 0), children=CUBE),
                 joint("Revolute", "j", "base", "tip", (), {"point3f physics:localPos0": (1, 0, 0)}),
                 joint("Revolute", "k", "tip", "end", (), {"point3f physics:localPos0": (1, 0, 0)}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scene = Scene(opened(text), path="specialised")
    assert isinstance(scene["/Robot"].store, CompiledWorlds)


def test_links_at_rest_on_the_ground_have_no_accelerations(ant: Path) -> None:
    """What the Direct API makes of a step counts what contacts gave."""
    scene = stepped(ant)
    [name] = scene.actors
    direct = scene[name].direct
    scene.step(300)
    found = np.zeros((1, direct.block_size("eLINK_LINEAR_ACCELERATION")), np.float32)
    direct.get("eLINK_LINEAR_ACCELERATION", found, np.array([0]))
    assert len(scene.contacts)
    assert np.abs(found).max() < 0.2      # of gravity's 9.81
