"""Bodies of scenes: what they weigh, what pushes them, what touches them, and where they are sent."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import physx_runtime.components as sapien
import physx_runtime.components.physx as px
import pytest
from support.components.sapien_scenes import cases, hull_points

RUBBER = px.PhysxMaterial(0.5, 0.5, 0.0)
RECORDED = 1e-5         # relative: recordings have six digits
STEP = 0.01             # s
SINGLE = 1e-5           # relative, of a few steps in single precision


def empty(gravity: bool = False, worlds: int = 1) -> sapien.Scene:
    """A scene without gravity."""
    px.set_scene_config(gravity=np.array([0, 0, -9.81 if gravity else 0.0], np.float32))
    try:
        system = px.PhysxCpuSystem()
    finally:
        px.set_scene_config()
    return sapien.Scene([system], worlds=worlds)


def ball(scene: sapien.Scene, at: Any = (0, 0, 0), name: str = "ball") -> px.PhysxRigidDynamicComponent:
    """A ball of 0.1 m without damping."""
    builder = scene.create_actor_builder().add_sphere_collision(radius=0.1, material=RUBBER)
    found = builder.set_initial_pose(sapien.Pose(at)).build(name).find_component_by_type(px.PhysxRigidDynamicComponent)
    assert found is not None
    found.angular_damping = 0.0
    return found


# --- mass ------------------------------------------------------------------------------------------------------------

def weighed(*shapes: px.PhysxCollisionShape) -> px.PhysxRigidDynamicComponent:
    """A body with shapes."""
    body = px.PhysxRigidDynamicComponent()
    for shape in shapes:
        body.attach(shape)
    return body


def test_a_box_weighs_what_its_volume_does() -> None:
    body = weighed(px.PhysxCollisionShapeBox([0.1, 0.2, 0.3], RUBBER))
    mass = 8 * 0.1 * 0.2 * 0.3 * 1000
    assert body.mass == pytest.approx(mass, rel=SINGLE)
    assert body.inertia == pytest.approx([mass / 3 * 0.13, mass / 3 * 0.1, mass / 3 * 0.05], rel=SINGLE)


@pytest.mark.parametrize(("name", "shape"), [
    ("capsule_on_ground", lambda: px.PhysxCollisionShapeCapsule(0.1, 0.2, RUBBER)),
    ("cylinder_on_ground", lambda: px.PhysxCollisionShapeCylinder(0.1, 0.2, RUBBER)),
    ("convex_on_ground", lambda: px.PhysxCollisionShapeConvexMesh(hull_points(), [1, 1, 1], RUBBER)),
])
@pytest.mark.usefixtures("shared_cases")
def test_a_shape_weighs_what_it_does_in_sapien(name: str, shape: Any) -> None:
    body, expected = weighed(shape()), cases()[name]["result"]
    assert body.mass == pytest.approx(expected["mass"], rel=RECORDED)
    assert body.inertia == pytest.approx(expected["inertia"], rel=3e-5)
    assert body.cmass_local_pose.p == pytest.approx(expected["cm"], abs=1e-5)


def test_two_balls_weigh_twice_as_much_about_the_middle() -> None:
    shapes = [px.PhysxCollisionShapeSphere(0.1, RUBBER) for _ in range(2)]
    for shape, x in zip(shapes, (-0.5, 1.5), strict=True):
        shape.local_pose = sapien.Pose([x, 0, 0])
    body, mass = weighed(*shapes), 4 / 3 * math.pi * 1e-3 * 1000
    assert body.mass == pytest.approx(2 * mass, rel=SINGLE)
    assert body.cmass_local_pose.p == pytest.approx([0.5, 0, 0], abs=1e-6)
    own = 0.4 * mass * 0.01
    assert body.inertia == pytest.approx([2 * own, 2 * (own + mass), 2 * (own + mass)], rel=SINGLE)


def test_a_first_mass_ends_that_shapes_say_what_a_body_weighs() -> None:
    body = weighed(px.PhysxCollisionShapeSphere(0.1, RUBBER))
    body.mass = 3.0
    body.attach(px.PhysxCollisionShapeSphere(0.2, RUBBER))
    assert body.mass == 3.0 and not body.auto_compute_mass


# --- pushes ----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("mode", "gain"), [
    ("force", lambda mass: STEP / mass), ("acceleration", lambda mass: STEP), ("impulse", lambda mass: 1.0 / mass),
    ("velocity_change", lambda mass: 1.0)])
def test_a_push_changes_the_velocity_as_its_mode_says(mode: str, gain: Any) -> None:
    body = ball(empty())
    body.add_force_torque([2, 0, 0], [0, 0, 0], mode)
    body.entity.scene.step()            # type: ignore[union-attr]
    assert body.linear_velocity == pytest.approx([2 * gain(body.mass), 0, 0], rel=SINGLE)
    body.entity.scene.step()            # type: ignore[union-attr]
    assert body.linear_velocity[0] == pytest.approx(2 * gain(body.mass), rel=SINGLE)


def test_a_push_beside_the_centre_turns() -> None:
    body = ball(empty())
    body.add_force_at_point([0, 0, 1], [0.1, 0, 0], "impulse")
    body.entity.scene.step()            # type: ignore[union-attr]
    assert body.angular_velocity == pytest.approx([0, -0.1 / body.inertia[1], 0], rel=SINGLE)


# --- contacts --------------------------------------------------------------------------------------------------------

def test_contacts_name_bodies_and_shapes_and_carry_the_weight() -> None:
    scene = empty(gravity=True)
    scene.add_ground(0.0, material=RUBBER)
    body = ball(scene, [0, 0, 0.1])
    for _ in range(5):
        scene.step()
    (contact,) = scene.get_contacts()
    assert {found.entity.name for found in contact.bodies} == {"ball", "ground"}
    assert body.collision_shapes[0] in contact.shapes
    side = 1.0 if contact.bodies[0] is body else -1.0
    weight = body.mass * 9.81 * STEP
    assert sum(side * point.impulse[2] for point in contact.points) == pytest.approx(weight, rel=1e-4)
    assert scene.physx_system.get_net_contact_impulse(body)[2] == pytest.approx(weight, rel=1e-4)


def test_shapes_of_one_id_that_share_an_ignore_bit_pass_each_other() -> None:
    scene = empty()
    first, second = ball(scene, [0, 0, 0], "a"), ball(scene, [0.5, 0, 0], "b")
    for body in (first, second):
        body.collision_shapes[0].set_collision_groups([1, 1, 2, 7])
    first.linear_velocity = [1, 0, 0]
    for _ in range(60):
        scene.step()
    assert first.linear_velocity == pytest.approx([1, 0, 0])
    second.collision_shapes[0].set_collision_groups([1, 1, 2, 8])
    first.entity_pose = sapien.Pose()
    for _ in range(60):
        scene.step()
    assert second.linear_velocity[0] > 0.4


# --- kinematic bodies, sleep, locks ----------------------------------------------------------------------------------

def test_a_kinematic_body_that_is_sent_pushes_what_is_in_its_way() -> None:
    scene = empty()
    box = scene.create_actor_builder().add_box_collision(half_size=[0.1] * 3, material=RUBBER)
    pusher = box.build_kinematic("pusher").find_component_by_type(px.PhysxRigidDynamicComponent)
    body = ball(scene, [0.25, 0, 0])
    for step in range(50):
        pusher.kinematic_target = sapien.Pose([0.005 * (step + 1), 0, 0])       # type: ignore[union-attr]
        scene.step()
    assert pusher.linear_velocity == pytest.approx([0.5, 0, 0], rel=1e-4)       # type: ignore[union-attr]
    assert body.linear_velocity[0] >= 0.5 - 1e-4


def test_a_locked_axis_stays_where_it_is() -> None:
    scene = empty(gravity=True)
    body = ball(scene)
    body.set_locked_motion_axes([False, False, True, False, False, False])
    body.linear_velocity = [1, 0, 0]
    for _ in range(10):
        scene.step()
    assert body.entity_pose.p == pytest.approx([0.1, 0, 0], abs=1e-6)


def test_a_body_sleeps_until_it_is_woken() -> None:
    scene = empty()
    body = ball(scene)
    for _ in range(60):
        scene.step()
    assert body.is_sleeping
    body.wake_up()
    assert not body.is_sleeping
    body.put_to_sleep()
    assert body.is_sleeping


def test_gravity_can_be_switched_off_while_a_scene_runs() -> None:
    scene = empty(gravity=True)
    body = ball(scene)
    scene.step()
    body.disable_gravity = True
    scene.step()
    assert body.linear_velocity[2] == pytest.approx(-9.81 * STEP, rel=SINGLE)


def test_a_removed_entity_keeps_its_state_and_is_stepped_no_more() -> None:
    scene = empty()
    first, second = ball(scene), ball(scene, [5, 0, 0], "other")
    first.linear_velocity = second.linear_velocity = [1, 0, 0]
    scene.step()
    scene.remove_entity(first.require_entity())
    scene.step()
    assert first.entity_pose.p == pytest.approx([0.01, 0, 0]) and first.linear_velocity[0] == pytest.approx(1.0)
    assert second.entity_pose.p == pytest.approx([5.02, 0, 0])


# --- joints between bodies -------------------------------------------------------------------------------------------

def test_a_drive_turns_a_body_to_its_target() -> None:
    scene = empty()
    body = ball(scene)
    body.inertia, body.sleep_threshold = [0.1, 0.1, 0.1], 0.0
    joint = scene.create_drive(None, sapien.Pose(), body, sapien.Pose())
    for axis in "xyz":
        getattr(joint, f"set_limit_{axis}")(0, 0)
    joint.set_limit_cone(0, 0)
    joint.set_drive_property_twist(100.0, 20.0)
    joint.drive_target = sapien.Pose(q=[math.cos(0.2), math.sin(0.2), 0, 0])
    for _ in range(200):
        scene.step()
    assert body.entity_pose.rpy == pytest.approx([0.4, 0, 0], abs=1e-3)
    joint.drive_target = sapien.Pose()
    for _ in range(200):
        scene.step()
    assert joint.relative_pose.rpy == pytest.approx([0, 0, 0], abs=1e-3)


def test_a_limit_with_an_open_end_holds_at_the_other() -> None:
    scene = empty(gravity=True)
    body = ball(scene, (0, 0, 1))
    drive = scene.create_drive(None, sapien.Pose([0, 0, 1]), body, sapien.Pose())
    drive.set_limit_z(-0.1, math.inf)
    for _ in range(50):
        scene.step()
    assert body.entity_pose.p[2] == pytest.approx(0.9, abs=1e-3)


def test_a_distance_joint_holds_a_body_near() -> None:
    scene = empty(gravity=True)
    body = ball(scene, [0, 0, -0.5])
    rope = scene.create_connection(None, sapien.Pose(), body, sapien.Pose())
    rope.set_limit(0.0, 1.0)
    for _ in range(200):
        scene.step()
    assert rope.distance == pytest.approx(1.0, abs=0.01)


# --- many worlds -----------------------------------------------------------------------------------------------------

def test_worlds_differ_by_their_states_alone() -> None:
    scene = empty(worlds=3)
    body = ball(scene)
    body.linear_velocity = [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
    for _ in range(10):
        scene.step()
    assert body.entity_pose.p == pytest.approx(np.array([[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0]]), abs=1e-6)
    body.entity_pose = sapien.Pose([0, 0, 1])
    assert body.entity_pose.p.tolist() == [[0, 0, 1]] * 3
    assert body.linear_velocity[:, 0] == pytest.approx([0, 1, 2])


def test_a_world_moves_as_a_scene_of_its_own() -> None:
    alone, many = empty(gravity=True), empty(gravity=True, worlds=2)
    for scene in (alone, many):
        scene.add_ground(0.0, material=RUBBER)
        ball(scene, [0, 0, 0.4]).linear_velocity = [1, 0, 0]
    many.physx_system.rigid_dynamic_components[0].linear_velocity = [[0, 0, 0], [1, 0, 0]]
    for _ in range(60):
        alone.step()
        many.step()
    first, second = (scene.physx_system.rigid_dynamic_components[0] for scene in (alone, many))
    assert second.entity_pose.p[1].tolist() == first.entity_pose.p.tolist()
