"""A scene of components and its USD stage are one: read back it is the same scene, and it moves as it did."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import physx_runtime
import physx_runtime.components as sapien
import physx_runtime.components.physx as px
import pytest
from pxr import UsdPhysics
from support.components.drive_scenes import SCENES, siblings
from support.components.sapien_scenes import arm, hull_points

from physx_schema import check, describe
from physx_schema.errors import UnsupportedError

ROUNDING = 2e-6         # m or rad over 60 steps: a stage holds angles in degrees of single precision
STEPS = 60
NUMBER = re.compile(r"(?<![\w.])(-?\d+\.?\d*(?:e[-+]?\d+)?)")


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


# --- joints, tendons, filters ----------------------------------------------------------------------------------------

def coupled(scene: sapien.Scene, fixed: bool = True) -> None:
    """A slide above two others that a tendon couples, one of which another tendon pulls."""
    builder = scene.create_articulation_builder()
    links = [builder.create_link_builder()]
    for number, parent in enumerate((0, 1, 2)):
        link = builder.create_link_builder(links[parent])
        link.set_joint_properties("revolute" if number else "prismatic", [[-1, 1]], sapien.Pose([0.3, 0, 0]),
                                  sapien.Pose([-0.1, 0, 0]))
        links.append(link)
    for number, link in enumerate(links):
        link.set_name(f"link{number}")
        link.set_joint_name(f"joint{number}" if number else "")
        link.add_box_collision(sapien.Pose([0, 0.05, 0]), half_size=[0.05, 0.1, 0.02])
    made = builder.build(fix_root_link=fixed)
    made.name = "arm"
    for joint in made.active_joints:
        joint.friction = 0.0
    made.create_fixed_tendon(made.links[:3], [0, 0.5, 2.0], [0, 0.5, 1.0], stiffness=300.0, damping=3.0, offset=0.1)
    made.create_fixed_tendon(made.links[1:], [0, 1.0, -1.0], [0, 1.0, -1.0], rest_length=0.2, stiffness=200.0,
                             low=-0.1, high=0.1, limit_stiffness=500.0)


def hanging(scene: sapien.Scene) -> None:
    """Two balls on a springy and on a stiff cord, one of them from a static body."""
    post = scene.create_actor_builder().add_box_collision(sapien.Pose([0, 0, 2]), half_size=[0.1] * 3)
    post.add_sphere_collision(sapien.Pose([1, 0, 2]), radius=0.1)
    hooks = [post.build_static("post"), None]
    for i, hook in enumerate(hooks):
        ball = scene.create_actor_builder().add_sphere_collision(radius=0.1).set_initial_pose(
            sapien.Pose([i, 0, 1])).build(f"ball{i}")
        cord = scene.create_connection(hook, sapien.Pose([i, 0.2, 1.8]), ball, sapien.Pose([0, 0, 0.1]))
        cord.name = f"cord{i}"
        cord.set_limit(0.0, 0.6, *((300.0, 5.0) if i else ()))


def many_groups(scene: sapien.Scene) -> None:
    """Forty balls of two layers, each of four numbers of its own, falling through each other or not."""
    scene.add_ground(0.0)
    for i in range(40):
        ball = scene.create_actor_builder().add_sphere_collision(radius=0.1)
        ball.collision_groups = [1 if i % 3 else 2, 1, 0, i]
        ball.set_initial_pose(sapien.Pose([i % 8, i // 16, 0.3 + 0.25 * (i // 8 % 2)])).build(f"ball{i}")


def driven(name: str) -> Callable[[sapien.Scene], None]:
    return lambda scene: (SCENES[name](scene, sapien, px), None)[1]


WRITTEN: dict[str, Callable[[sapien.Scene], None]] = {
    "tendons": coupled, "floating": lambda scene: coupled(scene, fixed=False),
    "siblings": lambda scene: siblings(scene, sapien, above=True), "cords": hanging, "groups": many_groups,
    **{name: driven(name) for name in ("damped", "swing", "soft_limit", "at_a_link")}}


# Of these a stage says less than the scene: numbers of groups that meet alike, and the entity of a static body.
WRITTEN_OTHERWISE = ("groups", "cords")


@pytest.mark.parametrize("name", WRITTEN)
def test_what_a_scene_writes_is_read_back_says_the_same_and_moves_alike(name: str) -> None:
    first = sapien.Scene([px.PhysxCpuSystem()])
    WRITTEN[name](first)
    for number, entity in enumerate(first.entities):
        entity.name = entity.name or f"entity{number}"
    stage = first.to_stage()
    second = sapien.Scene.from_stage(stage, profile="sapien-3.0")
    second.set_timestep(first.timestep)
    if name in WRITTEN_OTHERWISE:
        stage = second.to_stage()
        again = sapien.Scene.from_stage(stage, profile="sapien-3.0").to_stage()
    else:
        again = second.to_stage()
    said, said_again = (NUMBER.split(found.ExportToString()) for found in (stage, again))
    assert said_again[::2] == said[::2]
    assert [float(x) for x in said_again[1::2]] == pytest.approx([float(x) for x in said[1::2]], abs=ROUNDING)
    start = moved_to(first)
    for _ in range(STEPS):
        first.step()
        second.step()
    assert abs(moved_to(first) - start).max() > 0.01
    assert abs(moved_to(first) - moved_to(second)).max() < ROUNDING


def moved_to(scene: sapien.Scene) -> np.ndarray:
    """(n, 7) of all bodies that move."""
    bodies = [*scene.physx_system.rigid_dynamic_components, *scene.physx_system.articulation_link_components]
    return np.array([[*body.entity_pose.p, *body.entity_pose.q] for body in bodies])


def test_filtered_pairs_of_a_stage_become_collision_groups() -> None:
    first = sapien.Scene([px.PhysxCpuSystem()])
    first.add_ground(0.0)
    for i, name in enumerate(("a", "b", "c")):
        first.create_actor_builder().add_sphere_collision(radius=0.1).set_initial_pose(
            sapien.Pose([0, 0, 0.1 + 0.3 * i])).build(name)
    stage = first.to_stage()
    UsdPhysics.FilteredPairsAPI.Apply(stage.GetPrimAtPath("/World/a")).CreateFilteredPairsRel().SetTargets(["/World/b"])
    second = sapien.Scene.from_stage(stage)
    second.set_timestep(0.01)
    for _ in range(STEPS):
        second.step()
    a, b, c = (entity.pose.p[2] for entity in second.entities[1:])
    assert a < 0.11 and b < 0.11        # b is in a
    assert c > 0.25                     # and c lies on both


def test_what_no_component_can_be_is_named_and_nothing_is_made() -> None:
    stage = mixed().to_stage()
    joint = UsdPhysics.SphericalJoint.Define(stage, "/World/hook")
    joint.CreateBody0Rel().SetTargets(["/World/hull"])
    joint.CreateConeAngle0LimitAttr(30.0)
    joint.CreateConeAngle1LimitAttr(30.0)
    joint.CreateBreakForceAttr(10.0)
    joint.CreateCollisionEnabledAttr(True)
    with pytest.raises(UnsupportedError) as raised:
        sapien.Scene.from_stage(stage)
    lines = str(raised.value).splitlines()
    assert all(line.startswith("/World/hook: ") for line in lines)
    said = ("with a cone", "body1", "breakForce", "collisionEnabled")
    assert [word in line for word, line in zip(said, lines, strict=True)] == [True] * 4


def test_more_classes_of_colliders_than_bits_are_refused() -> None:
    scene = sapien.Scene([px.PhysxCpuSystem()])
    for i in range(34):
        scene.create_actor_builder().add_sphere_collision(radius=0.1).set_initial_pose(
            sapien.Pose([i, 0, 0])).build(f"ball{i}")
    stage = scene.to_stage()
    for i in range(33):
        UsdPhysics.FilteredPairsAPI.Apply(stage.GetPrimAtPath(f"/World/ball{i}")).CreateFilteredPairsRel().SetTargets(
            [f"/World/ball{i + 1}"])
    with pytest.raises(UnsupportedError, match=r"need 34 collision classes; components support at most 32"):
        sapien.Scene.from_stage(stage)
