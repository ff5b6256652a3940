"""A scene of components and its USD stage are one: read back it is the same scene, and it moves as it did."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import physx_runtime
import physx_runtime.components as sapien
import physx_runtime.components.physx as px
import pytest
from support.components.sapien_scenes import arm, hull_points
from support.places import FINGER

from physx_schema import check, describe
from physx_schema.errors import UnsupportedError

ROUNDING = 2e-6         # m or rad over 60 steps: a stage holds angles in degrees of single precision
STEPS = 60


def mixed() -> sapien.Scene:
    """All shapes on the ground, with two materials and shapes that pass each other."""
    scene = sapien.Scene([px.PhysxCpuSystem()])
    scene.set_timestep(0.01)
    ice, rubber = px.PhysxMaterial(0.1, 0.05, 0.2), px.PhysxMaterial(0.7, 0.6, 0.0)
    scene.add_ground(0.0, material=rubber)
    sizes = {"box": {"half_size": [0.1, 0.15, 0.05]}, "sphere": {"radius": 0.1},
             "capsule": {"radius": 0.05, "half_length": 0.1}}
    for i, (shape, given) in enumerate(sizes.items()):
        builder = scene.create_actor_builder()
        getattr(builder, f"add_{shape}_collision")(material=ice if i else rubber, **given)
        builder.set_initial_pose(sapien.Pose([i, 0, 0.3], [math.cos(0.2), math.sin(0.2), 0, 0])).build(f"{shape} {i}")
    hull = sapien.Entity().add_component(px.PhysxRigidDynamicComponent().attach(
        px.PhysxCollisionShapeConvexMesh(hull_points(), [1, 1, 1.5], rubber)))
    hull.name, hull.pose = "hull", sapien.Pose([3, 0, 0.4])
    scene.add_entity(hull)
    ghost = scene.create_actor_builder().add_sphere_collision(radius=0.1, material=ice)
    ghost.collision_groups = [2, 2, 0, 0]
    ghost.set_initial_pose(sapien.Pose([0, 0, 1])).build("ghost")
    bodies = [entity.find_component_by_type(px.PhysxRigidDynamicComponent) for entity in scene.entities[1:]]
    bodies[1].linear_velocity, bodies[2].angular_velocity = [1, 0, 0], [0, 3, 1]        # type: ignore[union-attr]
    return scene


def poses(scene: sapien.Scene, names: list[str]) -> np.ndarray:
    """(n, 7) of entities."""
    found = {entity.name: entity.pose for entity in scene.entities}
    return np.array([np.concatenate([found[name].p, found[name].q]) for name in names])


def test_the_stage_of_a_scene_has_nothing_unused_and_no_findings() -> None:
    report = check(mixed().to_stage())
    assert [finding for finding in report.findings if finding.severity == "error"] == []
    assert report.unused == ()


def test_a_scene_read_back_moves_as_the_first_one() -> None:
    first = mixed()
    second = sapien.Scene.from_stage(first.to_stage(), profile="sapien-3.0")
    second.set_timestep(0.01)
    names = ["box_0", "sphere_1", "capsule_2", "hull", "ghost"]
    for _ in range(STEPS):
        first.step()
        second.step()
    moved = poses(first, [name.replace("_", " ") for name in names])
    assert abs(moved - poses(second, names)).max() < ROUNDING
    assert moved[0, 2] < 0.2 and moved[-1, 2] < 0.0        # one rests, the other falls through


def test_the_stage_itself_is_what_was_stepped() -> None:
    scene = mixed()
    stage = scene.to_stage()
    engine = physx_runtime.Scene(stage, dt=0.01, solver="sapien-3.0")
    for _ in range(STEPS):
        scene.step()
    engine.step(STEPS)
    place = engine.body_names.index("/World/hull")
    hull = next(entity for entity in scene.entities if entity.name == "hull")
    assert abs(engine.body_pose[0, place, :3] - hull.pose.p).max() < ROUNDING


def test_an_arm_is_read_back_with_its_drives_and_its_state() -> None:
    scene, made = arm(sapien, px, 0.5, True, 0.01)
    made.qpos, made.qvel = [0.3, -0.2], [0.5, 0.1]
    made.active_joints[0].set_drive_properties(100.0, 20.0, 1e6, "acceleration")
    made.active_joints[0].drive_target = 0.8
    again = sapien.Scene.from_stage(scene.to_stage(), profile="sapien-3.0")
    again.set_timestep(0.01)
    copy = again.all_articulations[0]
    assert copy.qpos == pytest.approx(made.qpos, abs=1e-6)
    assert copy.active_joints[0].drive_mode == "acceleration"
    for _ in range(STEPS):
        scene.step()
        again.step()
    assert copy.qpos == pytest.approx(made.qpos, abs=ROUNDING)
    assert copy.links[2].entity_pose.p == pytest.approx(made.links[2].entity_pose.p, abs=ROUNDING)


def test_a_running_scene_exports_where_it_is_now() -> None:
    scene = mixed()
    for _ in range(10):
        scene.step()
    found = {body.path: body for body in describe(scene.to_stage()).bodies}["/World/sphere_1"]
    ball = next(entity for entity in scene.entities if entity.name == "sphere 1")
    body = ball.find_component_by_type(px.PhysxRigidDynamicComponent)
    assert body is not None
    assert found.pose[0] == pytest.approx(ball.pose.p)
    assert found.linear_velocity == pytest.approx(body.linear_velocity)


def test_a_change_of_structure_goes_on_from_the_state() -> None:
    plain, changed = mixed(), mixed()
    for step in range(STEPS):
        if step == 20:
            changed.create_actor_builder().add_sphere_collision(radius=0.1).set_initial_pose(
                sapien.Pose([9, 9, 5])).build("late")
        plain.step()
        changed.step()
    names = ["box 0", "sphere 1", "capsule 2", "hull"]
    assert abs(poses(plain, names) - poses(changed, names)).max() < 1e-4    # m; friction begins anew
    assert next(entity for entity in changed.entities if entity.name == "late").pose.p[2] < 5.0


def test_what_no_component_can_be_is_named_and_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="fixed tendons"):
        sapien.Scene.from_stage(FINGER)
