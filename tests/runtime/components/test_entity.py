"""What SAPIEN lets pass, logs or drops is refused in one line, and nothing is half made."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import physx_runtime.components as sapien
import physx_runtime.components.physx as px
import pytest

RUBBER = px.PhysxMaterial(0.5, 0.5, 0.0)
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def dynamic() -> px.PhysxRigidDynamicComponent:
    """A body of no entity."""
    return px.PhysxRigidDynamicComponent()


def plane() -> px.PhysxCollisionShapePlane:
    """A plane."""
    return px.PhysxCollisionShapePlane(RUBBER)


def ball() -> px.PhysxCollisionShapeSphere:
    """A ball."""
    return px.PhysxCollisionShapeSphere(0.1, RUBBER)


def mesh(sdf: bool = False) -> px.PhysxCollisionShapeTriangleMesh:
    """A tetrahedron's triangles."""
    return px.PhysxCollisionShapeTriangleMesh(vertices=CORNERS, triangles=FACES, scale=[1, 1, 1], material=RUBBER,
                                              sdf=sdf)


def kinematic() -> px.PhysxRigidDynamicComponent:
    """A kinematic body in a scene."""
    builder = sapien.Scene([px.PhysxCpuSystem()]).create_actor_builder().add_sphere_collision(radius=0.1)
    found = builder.build_kinematic("pusher").find_component_by_type(px.PhysxRigidDynamicComponent)
    assert found is not None
    return found


def arm() -> px.PhysxArticulation:
    """A hinge on a fixed base in a scene."""
    builder = sapien.Scene([px.PhysxCpuSystem()]).create_articulation_builder()
    base = builder.create_link_builder()
    link = builder.create_link_builder(base)
    link.set_joint_properties("revolute", [[-1, 1]], sapien.Pose(), sapien.Pose())
    for part, name in ((base, "base"), (link, "link")):
        part.add_sphere_collision(radius=0.1)
        part.set_name(name)
    return builder.build(fix_root_link=True)


def put(owner: Any, name: str, value: Any) -> Callable[[], None]:
    """Set a property, later."""
    return lambda: setattr(owner(), name, value)


REFUSED: dict[str, tuple[type[Exception], Callable[[], Any]]] = {
    "negative radius": (ValueError, lambda: px.PhysxCollisionShapeSphere(-1, RUBBER)),
    "zero box": (ValueError, lambda: px.PhysxCollisionShapeBox([0, 0, 0], RUBBER)),
    "zero half length": (ValueError, lambda: px.PhysxCollisionShapeCapsule(0.1, 0, RUBBER)),
    "negative mass": (ValueError, put(dynamic, "mass", -1.0)),
    "negative inertia": (ValueError, put(dynamic, "inertia", [1, -1, 1])),
    "negative damping": (ValueError, put(dynamic, "linear_damping", -1.0)),
    "damping that is not a number": (ValueError, put(dynamic, "linear_damping", math.nan)),
    "negative friction": (ValueError, lambda: px.PhysxMaterial(-0.1, 0.3, 0.0)),
    "restitution above 1": (ValueError, lambda: px.PhysxMaterial(0.3, 0.3, 2.0)),
    "no material": (TypeError, lambda: px.PhysxCollisionShapeSphere(1.0, None)),      # type: ignore[arg-type]
    "plane on a dynamic body": (ValueError, lambda: dynamic().attach(plane())),
    "mesh on a dynamic body": (ValueError, lambda: dynamic().attach(mesh())),
    "plane on a link": (ValueError, lambda: px.PhysxArticulationLinkComponent().attach(plane())),
    "mesh on a link": (ValueError, lambda: px.PhysxArticulationLinkComponent().attach(mesh())),
    "limit reversed": (ValueError, lambda: setattr(arm().active_joints[0], "limit", [[1, -1]])),
    "rest offset above contact offset": (ValueError, put(ball, "rest_offset", 0.02)),
    "contact offset below rest offset": (ValueError, put(ball, "contact_offset", -0.01)),
    "coordinate beyond its limit": (ValueError, put(arm, "qpos", [1.5])),
    "time step 0": (ValueError, put(px.PhysxCpuSystem, "timestep", 0.0)),
    "bounce threshold 0": (ValueError, lambda: px.set_scene_config(bounce_threshold=0.0)),
    "swept bodies": (ValueError, lambda: px.set_scene_config(enable_ccd=True)),
    "velocity of a kinematic body": (RuntimeError, put(kinematic, "linear_velocity", [1, 0, 0])),
    "push of a kinematic body": (RuntimeError, lambda: kinematic().add_force_torque([1, 0, 0], [0, 0, 0])),
    "pose of an inner link": (RuntimeError, lambda: setattr(arm().links[1].entity, "pose", sapien.Pose())),
    "velocity of a fixed root": (RuntimeError, put(arm, "root_linear_velocity", [1, 0, 0])),
    "kinematic target of another body": (RuntimeError, put(dynamic, "kinematic_target", sapien.Pose())),
    "kinematic target before one is set": (RuntimeError, lambda: kinematic().kinematic_target),
    "qpos of another size": (RuntimeError, put(arm, "qpos", [0.0, 0.0])),
    "armature of another size": (RuntimeError, lambda: setattr(arm().active_joints[0], "armature", [0.0, 0.0])),
    "joint type of a scene": (RuntimeError, lambda: setattr(arm().active_joints[0], "type", "prismatic")),
    "unknown joint type": (RuntimeError, lambda: setattr(px.PhysxArticulationLinkComponent(
        px.PhysxArticulationLinkComponent()).joint, "type", "spherical")),
    "drive of a joint that is fixed": (RuntimeError, lambda: arm().joints[0].set_drive_properties(1, 1)),
    "hull of three points": (RuntimeError, lambda: px.PhysxCollisionShapeConvexMesh(CORNERS[:3], [1, 1, 1], RUBBER)),
    "drive mode that is set": (AttributeError, lambda: setattr(arm().active_joints[0], "drive_mode", "force")),
    "stiffness that is set": (AttributeError, lambda: setattr(arm().active_joints[0], "stiffness", 1.0)),
    "pose whose rotation has no length": (ValueError, lambda: sapien.Pose(q=[0, 0, 0, 0])),
    "pose that is not finite": (ValueError, lambda: sapien.Pose([math.inf, 0, 0])),
    "collision groups of three": (ValueError, lambda: ball().set_collision_groups([1, 1, 0])),
    "iterations 0": (ValueError, put(dynamic, "solver_position_iterations", 0)),
    "push in another mode": (ValueError, lambda: dynamic().add_force_torque([1, 0, 0], [0, 0, 0], "shove")),
    "push of a body in no scene": (RuntimeError, lambda: dynamic().add_force_torque([1, 0, 0], [0, 0, 0])),
    "a GPU system": (RuntimeError, px.PhysxGpuSystem),
    "no worlds": (ValueError, lambda: sapien.Scene(worlds=0)),
    "another profile": (ValueError, lambda: sapien.Scene(profile="sapien-2")),
    "shape that a builder cannot make": (
        ValueError, lambda: sapien.ActorBuilder().add_box_collision(half_size=[0, 0, 0])),
    "joint held elsewhere than at 0": (ValueError, lambda: px.PhysxDriveComponent(dynamic()).set_limit_x(1, 1)),
    "joint of a body with itself": (ValueError, lambda: (lambda body: setattr(
        px.PhysxDriveComponent(body), "parent", body))(dynamic())),
}


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused_in_one_line(case: str) -> None:
    error, act = REFUSED[case]
    with pytest.raises(error) as found:
        act()
    assert type(found.value) is error
    assert "\n" not in str(found.value)


def test_a_builder_refuses_reversed_limits_and_the_friction_that_sapien_drops() -> None:
    builder = sapien.ArticulationBuilder()
    link = builder.create_link_builder(builder.create_link_builder())
    with pytest.raises(ValueError, match="low, high"):
        link.set_joint_properties("revolute", [[1, -1]], sapien.Pose(), sapien.Pose())
    with pytest.raises(ValueError, match="friction"):
        link.set_joint_properties("revolute", [[-1, 1]], sapien.Pose(), sapien.Pose(), friction=0.1)


def test_a_refused_shape_is_attached_to_nothing() -> None:
    body, shape = dynamic(), plane()
    with pytest.raises(ValueError):
        body.attach(shape)
    assert body.collision_shapes == [] and shape.body is None and body.mass == pytest.approx(1e-6)


def test_a_body_with_a_plane_stays_kinematic() -> None:
    body = dynamic()
    body.kinematic = True
    body.attach(plane())
    with pytest.raises(ValueError, match="plane"):
        body.kinematic = False
    assert body.kinematic


def test_a_shape_keeps_density_and_place_once_it_is_attached() -> None:
    shape = ball()
    dynamic().attach(shape)
    for name, value in (("density", 1.0), ("local_pose", sapien.Pose())):
        with pytest.raises(RuntimeError, match=name):
            setattr(shape, name, value)


def test_a_component_is_of_one_entity() -> None:
    body = dynamic()
    sapien.Entity().add_component(body)
    with pytest.raises(RuntimeError):
        sapien.Entity().add_component(body)


def test_a_kinematic_target_is_gone_once_the_step_reached_it() -> None:
    scene = sapien.Scene([px.PhysxCpuSystem()])
    scene.create_actor_builder().add_sphere_collision(radius=0.1).build("falling")
    builder = scene.create_actor_builder().add_sphere_collision(radius=0.1).set_initial_pose(sapien.Pose([5, 0, 0]))
    pusher = builder.build_kinematic("pusher").find_component_by_type(px.PhysxRigidDynamicComponent)
    assert pusher is not None
    pusher.kinematic_target = sapien.Pose([5.1, 0, 0])
    assert pusher.kinematic_target == sapien.Pose([5.1, 0, 0])
    scene.step()
    assert pusher.entity_pose.p == pytest.approx([5.1, 0, 0])
    with pytest.raises(RuntimeError, match="was given no kinematic_target since the last step"):
        _ = pusher.kinematic_target
