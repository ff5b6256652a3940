"""Articulations of components: their order, frames, forces, tendons and copies."""

from __future__ import annotations

import math

import numpy as np
import physx_runtime.components as sapien
import physx_runtime.components.physx as px
import pytest
from support.components.drive_scenes import siblings
from support.components.sapien_scenes import arm
from support.places import DATA

from physx_schema import describe

ALONG_Y = sapien.Pose(q=(math.sqrt(0.5), 0, 0, math.sqrt(0.5)))
SINGLE = 1e-5
LOAD_ROUNDING = 1e-4    # N or N m, of 160 N in single precision
STEP = 0.01             # s


def tree(kinds: tuple[str, ...] = ("revolute", "prismatic", "revolute_unwrapped"), fixed: bool = True,
         profile: str = "sapien-3.0") -> tuple[sapien.Scene, px.PhysxArticulation]:
    """A root with a and c on it, and b on a; every link 1 kg at 0.2 m along x."""
    scene = sapien.Scene([px.PhysxCpuSystem()], profile=profile)
    builder = scene.create_articulation_builder()
    links = [builder.create_link_builder()]
    for parent, kind in zip((0, 1, 0), kinds, strict=True):
        link = builder.create_link_builder(links[parent])
        link.set_joint_properties(kind, [[-3, 3]], sapien.Pose([0.5, 0, 0]) * ALONG_Y, ALONG_Y)
        links.append(link)
    for link, name in zip(links, ("root", "a", "b", "c"), strict=True):
        link.set_name(name)
        link.set_joint_name(f"{name}_joint")
        link.set_mass_and_inertia(1.0, sapien.Pose([0.2, 0, 0]), [0.01, 0.02, 0.03])
    made = builder.build(fix_root_link=fixed)
    for joint in made.active_joints:
        joint.friction = 0.0
    for link in made.links:
        link.linear_damping = link.angular_damping = 0.0
    return scene, made


def test_links_and_coordinates_are_in_the_order_of_sapien() -> None:
    _, made = tree()
    assert [link.name for link in made.links] == ["root", "a", "c", "b"]
    assert [joint.name for joint in made.active_joints] == ["a_joint", "c_joint", "b_joint"]
    assert [link.index for link in made.links] == [0, 1, 2, 3]


def test_links_stand_where_the_frames_of_their_joints_put_them_before_and_after_a_step() -> None:
    scene, made = tree()
    made.qpos = [0.5, -0.3, 0.2]
    link = made.find_link_by_name("b")
    assert link is not None
    turned = sapien.Pose([0.5, 0, 0]) * sapien.Pose(q=(math.cos(0.25), 0, math.sin(0.25), 0))
    expected = turned * sapien.Pose([0.5, 0.2, 0])
    assert link.entity_pose.p == pytest.approx(expected.p, abs=1e-6)
    scene.begin()
    assert link.entity_pose.p == pytest.approx(expected.p, abs=1e-6)
    assert abs(link.entity_pose.q) == pytest.approx(abs(expected.q), abs=1e-6)


def test_an_effort_acts_in_every_step_until_it_is_set_anew() -> None:
    scene, made = tree()
    for link in made.links:
        link.disable_gravity = True
    made.qf = [0.0, 0.1, 0.0]
    inertia = 0.02 + 0.04
    for _ in range(3):
        scene.step()
    assert made.qvel[1] == pytest.approx(3 * 0.1 * STEP / inertia, rel=1e-4)
    assert made.qacc[1] == pytest.approx(0.1 / inertia, rel=1e-3)
    made.qf = [0.0, 0.0, 0.0]
    scene.step()
    assert made.qvel[1] == pytest.approx(3 * 0.1 * STEP / inertia, rel=1e-4)


def test_passive_force_holds_an_arm_against_gravity() -> None:
    scene, made = tree()
    scene.begin()
    # 1 kg at 0.2 m on c; on a its own and that of b, which is 0.5 m further out; about +y weight turns positively
    assert made.compute_passive_force() == pytest.approx([-9.81 * (0.2 + 0.7), -9.81 * 0.2, 0.0], abs=1e-4)
    made.qf = made.compute_passive_force()
    for _ in range(20):
        scene.step()
    assert made.qpos == pytest.approx(np.zeros(3), abs=1e-5)


def turned(axis: tuple[float, float, float], angle: float) -> list[float]:
    return [math.cos(angle / 2.0), *(math.sin(angle / 2.0) * x for x in axis)]


def crooked(fixed: bool) -> tuple[sapien.Scene, px.PhysxArticulation]:
    """Three boxes in a row, their hinges and the root askew."""
    scene = sapien.Scene([px.PhysxCpuSystem()])
    builder = scene.create_articulation_builder()
    links = [builder.create_link_builder()]
    frames = ((sapien.Pose([0.2, 0, 0], turned((0, 0, 1), math.pi / 2)),
               sapien.Pose([-0.2, 0, 0], turned((0, 0, 1), math.pi / 2))),
              (sapien.Pose([0.2, 0.1, 0], turned((0, 1, 0), 0.5)), sapien.Pose([-0.2, 0, 0], turned((1, 0, 0), 0.7))))
    for place in frames:
        links.append(builder.create_link_builder(links[-1]))
        links[-1].set_joint_properties("revolute", [[-3, 3]], *place)
    for link, half in zip(links, ([0.1, 0.15, 0.05], [0.2, 0.05, 0.08], [0.1, 0.02, 0.03]), strict=True):
        link.add_box_collision(half_size=half)
    builder.set_initial_pose(sapien.Pose([0, 0, 2], turned((0, 0.6, 0.8), 0.5)))
    return scene, builder.build(fix_root_link=fixed)


# Of a floating robot in SAPIEN 3.0.3: rates of root and joints, link that does not fall; efforts against gravity, both.
PASSIVE = {
    "turning root": ((1, 2, -0.5), (0, 0), None, (-0.023061, 4.4e-5), (0.022702, 3.08e-4)),
    "turning joints": ((0, 0, 0), (1, -2), None, (0.0, 0.0), (0.029181, -3.9e-5)),
    "turning root and joints": ((1, 2, -0.5), (1, -2), None, (-0.023061, 4.4e-5), (0.131943, 1.05e-4)),
    "a link without gravity": ((0, 0, 0), (0, 0), 1, (1.789329, 1.346e-3), (1.789329, 1.346e-3)),
}


@pytest.mark.parametrize("name", PASSIVE)
def test_passive_force_of_a_floating_robot_is_that_of_sapien(name: str) -> None:
    root_rate, rates, weightless, against_gravity, both = PASSIVE[name]
    _, made = crooked(fixed=False)
    if weightless is not None:
        made.links[weightless].disable_gravity = True
    made.qpos, made.qvel, made.root_angular_velocity = [0.3, -0.4], rates, root_rate
    assert made.compute_passive_force(True, False) == pytest.approx(against_gravity, abs=SINGLE)
    assert made.compute_passive_force() == pytest.approx(both, abs=SINGLE)


# N and N m of the joints of a fixed robot's three links after two steps in SAPIEN 3.0.3.
INCOMING = [[0.0] * 6, [3.9639359, 34.676, 135.51476, -38.933617, -1.8211293, 0.9279442],
            [-8.851034, -4.780716, 14.914864, -0.00709474, -3.0649848, -0.98139423]]


def test_what_joints_give_their_links_is_what_they_give_in_sapien() -> None:
    scene, made = crooked(fixed=True)
    for joint in made.active_joints:
        joint.friction = 0.0
        joint.set_drive_properties(200.0, 20.0)
    made.qpos = [0.3, -0.4]
    scene.step()
    with pytest.raises(RuntimeError, match=r"call step\(\) once more"):
        made.link_incoming_joint_forces  # noqa: B018
    scene.step()
    assert made.link_incoming_joint_forces == pytest.approx(np.array(INCOMING), abs=LOAD_ROUNDING)


def test_a_fixed_tendon_is_written_as_sapien_takes_it() -> None:
    scene, made = tree(("prismatic", "prismatic", "prismatic"))
    root, first, _, last = made.links
    made.create_fixed_tendon([root, first, last], [0, -2, 1], [0, -0.5, 1], rest_length=0.3, stiffness=100.0,
                             damping=5.0)
    stage = scene.to_stage()
    (tendon,) = describe(stage).articulations[0].fixed_tendons
    assert [axis.gearing for axis in tendon.axes] == [-2.0, 1.0]
    assert [axis.force_coefficient for axis in tendon.axes] == [-0.5, 1.0]
    assert (tendon.stiffness, tendon.damping, tendon.rest_length) == (100.0, 5.0, pytest.approx(0.3))


def test_slides_on_one_link_are_coupled_as_in_sapien() -> None:
    scene = sapien.Scene([px.PhysxCpuSystem()])
    made = siblings(scene, sapien, above=True)
    for _ in range(10):
        scene.step()
    assert made.qpos == pytest.approx([0.0, 0.14323816, 0.05676188], abs=1e-6)      # of SAPIEN 3.0.3


def test_slides_on_a_link_without_axis_are_not_coupled() -> None:
    scene = sapien.Scene([px.PhysxCpuSystem()])
    siblings(scene, sapien, above=False)
    with pytest.raises(RuntimeError, match=r"links 'a', 'b', which branch at link 'base'; .* no axis; .*$") as raised:
        scene.begin()
    assert "\n" not in str(raised.value)


def test_a_tendon_of_links_that_are_no_tree_is_refused() -> None:
    _, made = tree()
    with pytest.raises(ValueError, match="is not earlier in the list"):
        made.create_fixed_tendon([made.links[1], made.links[2]], [0, 1], [0, 1])
    assert made.tendons == []


def test_cloned_links_are_an_articulation_of_their_own_that_moves_alike() -> None:
    scene, made = arm(sapien, px, 0.5, True, STEP)
    copies = made.clone_links()
    for link, joint in zip(copies, made.joints, strict=True):
        assert link.joint.type == joint.type
        entity = sapien.Entity().add_component(link)
        entity.name = f"copy of {link.name}"
        if link.is_root:
            entity.pose = sapien.Pose([0, 5, 0])
        scene.add_entity(entity)
    copy = copies[0].articulation
    copy.sleep_threshold = 0.0
    for _ in range(20):
        scene.step()
    assert abs(made.qpos).max() > 0.1
    assert copy.qpos == pytest.approx(made.qpos, abs=SINGLE)


def test_a_fixed_root_can_be_put_elsewhere_while_the_scene_runs() -> None:
    scene, made = tree()
    made.qvel = [0.0, 1.0, 0.0]
    scene.step()
    before = made.qpos
    made.root_pose = sapien.Pose([0, 0, 2])
    assert made.qpos == pytest.approx(before)
    scene.step()
    assert made.root_pose.p.tolist() == [0, 0, 2]
    assert made.qpos[1] > before[1]


def test_a_floating_root_takes_pose_and_velocity() -> None:
    scene, made = tree(fixed=False)
    for link in made.links:
        link.disable_gravity = True
    made.root_pose = sapien.Pose([1, 2, 3])
    made.root_linear_velocity = [1, 0, 0]
    scene.step()
    assert made.root_pose.p == pytest.approx([1.01, 2, 3], abs=1e-3)
    assert made.joints[0].type == "free"


def test_friction_of_joints_is_told_not_to_be_simulated_with_the_profile_that_has_none() -> None:
    scene, made = tree(profile="physx")
    made.active_joints[0].friction = 0.05
    with pytest.warns(UserWarning, match="a_joint"):
        scene.step()


def test_friction_of_joints_brakes_by_what_they_carry() -> None:
    """As `experiments/record_sapien_friction.py` recorded an arm in SAPIEN."""
    scene = sapien.Scene([px.PhysxCpuSystem()])
    scene.set_timestep(0.01)
    builder, along = scene.create_articulation_builder(), (0.5**0.5, 0.0, 0.0, 0.5**0.5)
    parent = builder.create_link_builder()
    parent.set_mass_and_inertia(1.0, sapien.Pose(), [0.1] * 3)
    for i in range(2):
        link = builder.create_link_builder(parent)
        link.set_mass_and_inertia(1.0, sapien.Pose([0.25, 0, 0]), [0.002, 0.02, 0.02])
        link.set_joint_properties("revolute", [[-np.inf, np.inf]], sapien.Pose([0.5 * i, 0, 0], along),
                                  sapien.Pose(q=along))
        parent = link
    arm = builder.build(fix_root_link=True)
    for link in arm.links:
        link.linear_damping = link.angular_damping = 0.0
    arm.qpos, found = [0.3, 0.6], []        # friction is 0.05 by default
    with np.load(DATA / "sapien_friction.npz") as recordings:
        expected = recordings["0.05_2_0"][1:41, :2]
    for _ in expected:
        scene.step()
        found.append(arm.qpos)
    np.testing.assert_allclose(found, expected, atol=3e-6, rtol=0)     # rad: as tests/.../solver/test_settings.py


def test_worlds_have_coordinates_of_their_own() -> None:
    scene = sapien.Scene([px.PhysxCpuSystem()], worlds=2)
    single, made = tree()
    for entity in single.entities:
        single.remove_entity(entity)
        scene.add_entity(entity)
    made.qvel = [[0, 1, 0], [0, 2, 0]]
    made.active_joints[0].drive_target = [[0.1], [0.2]]
    scene.step()
    assert made.qpos.shape == (2, 3)
    assert made.qpos[1, 1] > made.qpos[0, 1] > 0
    assert made.links[1].entity_pose.p.shape == (2, 3)


def test_a_scene_of_kinematic_bodies_alone_takes_them_where_they_are_sent() -> None:
    scene = sapien.Scene([px.PhysxCpuSystem()])
    pusher = scene.create_actor_builder().add_sphere_collision(radius=0.1).build_kinematic("pusher")
    body = pusher.find_component_by_type(px.PhysxRigidDynamicComponent)
    assert body is not None
    body.kinematic_target = sapien.Pose([1, 0, 0])
    scene.step()
    assert pusher.pose.p.tolist() == [1, 0, 0]
    scene.create_actor_builder().add_sphere_collision(radius=0.1).build("ball")
    scene.step()
    assert pusher.pose.p.tolist() == [1, 0, 0]


# Of a floating robot that falls half a metre onto a plane, in SAPIEN 3.0.3: step, root position, coordinates.
LANDING = [(21, [0.0, 0.0, 0.274256], [0.0, 0.0, 0.0]),
           (31, [0.000213, -0.000007, 0.049998], [0.099861, -0.100119, 0.000063]),
           (150, [0.000202, -0.000006, 0.05], [0.100177, -0.100181, 0.000024])]


def test_a_floating_robot_lands_as_in_sapien() -> None:
    scene, rubber = sapien.Scene([px.PhysxCpuSystem()]), px.PhysxMaterial(0.5, 0.5, 0.0)
    scene.add_ground(0.0, material=rubber)
    builder = scene.create_articulation_builder()
    parent = builder.create_link_builder()
    parent.set_name("root")
    parent.add_box_collision(half_size=[0.1, 0.1, 0.05], material=rubber)
    for i in range(3):
        link = builder.create_link_builder(parent)
        link.set_name(f"link_{i}")
        link.set_joint_name(f"joint_{i}")
        link.add_capsule_collision(sapien.Pose([0.1, 0, 0]), radius=0.03, half_length=0.05, material=rubber)
        at = sapien.Pose([0.2 if i else 0.12, 0, 0])
        link.set_joint_properties("revolute", [[-1, 1]], at * ALONG_Y, ALONG_Y, damping=0.1)
        parent = link
    builder.set_initial_pose(sapien.Pose([0, 0, 0.5]))
    made = builder.build()
    for joint in made.active_joints:
        joint.friction = 0.0
    taken = 0
    for steps, root, coordinates in LANDING:
        while taken < steps:
            scene.step()
            taken += 1
        assert made.root_pose.p == pytest.approx(root, abs=5e-6)
        assert made.qpos == pytest.approx(coordinates, abs=5e-6)
