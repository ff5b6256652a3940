"""Scenes of components by the names of SAPIEN: drives, soft limits, and slides on one link.

A box on a joint with drives or soft limits, by the names of SAPIEN: where it is after half a second.

Two slides on one link that a tendon couples, by the names of SAPIEN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
STEPS = 50
AXES = "xyz"


def simulated(name: str, sapien: Any, px: Any) -> Array:
    """(7,) position and rotation w x y z of a scene of these."""
    scene = sapien.Scene([px.PhysxCpuSystem()])
    scene.set_timestep(0.01)
    moved, advance = SCENES[name](scene, sapien, px)
    for step in range(STEPS):
        advance(step)
        scene.step()
    return np.array([*moved.pose.p, *moved.pose.q])


def turned(axis: Sequence[float], angle: float) -> list[float]:
    """A quaternion w x y z about a unit axis."""
    return [math.cos(angle / 2.0), *(math.sin(angle / 2.0) * x for x in axis)]


def _box(scene: Any, at: Any) -> Any:
    return scene.create_actor_builder().add_box_collision(half_size=[0.1, 0.15, 0.2]).set_initial_pose(at).build("box")


def _stay(step: int) -> None:
    """Nothing is sent anywhere."""


def _pulled(scene: Any, sapien: Any, px: Any, damping: float, target: float, speed: float, mode: str) -> Any:
    """Three linear drives to a target beside the start, under gravity."""
    box = _box(scene, sapien.Pose([0, 0, 1]))
    drive = scene.create_drive(None, sapien.Pose([0, 0, 1]), box, sapien.Pose())
    for axis in AXES:
        getattr(drive, f"set_drive_property_{axis}")(500.0, damping, 1e6, mode)
    drive.set_drive_target(sapien.Pose([target, 0, 0]))
    drive.set_drive_velocity_target([speed, 0, 0], [0, 0, 0])
    return box, _stay


def _turned(scene: Any, sapien: Any, px: Any, axis: Sequence[float], speeds: Sequence[float]) -> Any:
    """Twist and swing drives of a ball joint, from a turn about another axis than the target's."""
    box = _box(scene, sapien.Pose([0, 0, 1], turned([0, 0.6, 0.8], 0.4)))
    drive = scene.create_drive(None, sapien.Pose([0, 0, 1]), box, sapien.Pose())
    for held in AXES:
        getattr(drive, f"set_limit_{held}")(0, 0)
    drive.set_drive_property_twist(50.0, 2.0, 1e6, "force")
    drive.set_drive_property_swing(40.0, 1.0, 1e6, "force")
    drive.set_drive_target(sapien.Pose([0, 0, 0], turned(axis, 0.5)))
    drive.set_drive_velocity_target([0, 0, 0], speeds)
    return box, _stay


def _caught(scene: Any, sapien: Any, px: Any) -> Any:
    """A soft limit."""
    box = _box(scene, sapien.Pose([0, 0, 1]))
    drive = scene.create_drive(None, sapien.Pose([0, 0, 1]), box, sapien.Pose())
    drive.set_limit_x(0, 0)
    drive.set_limit_y(0, 0)
    drive.set_limit_z(-0.05, 0.05, 2000.0, 10.0)
    return box, _stay


def _dragged(scene: Any, sapien: Any, px: Any) -> Any:
    """Drives from a kinematic body that goes along x."""
    hand = scene.create_actor_builder().add_box_collision(half_size=[0.05] * 3).set_initial_pose(
        sapien.Pose([1, 0, 1])).build_kinematic("hand")
    box = _box(scene, sapien.Pose([0, 0, 1]))
    drive = scene.create_drive(hand, sapien.Pose([-1, 0, 0]), box, sapien.Pose())
    for axis in AXES:
        getattr(drive, f"set_drive_property_{axis}")(500.0, 20.0, 1e6, "force")
    body = hand.find_component_by_type(px.PhysxRigidDynamicComponent)
    return box, lambda step: body.set_kinematic_target(sapien.Pose([1 + 0.01 * step, 0, 1]))


def _at_a_link(scene: Any, sapien: Any, px: Any) -> Any:
    """A drive that holds a link of an articulation."""
    builder = scene.create_articulation_builder()
    root = builder.create_link_builder()
    link = builder.create_link_builder(root)
    for one in (root, link):
        one.add_box_collision(half_size=[0.1] * 3)
    along = turned([0, 0, 1], math.pi / 2.0)
    link.set_joint_properties("revolute", [[-3, 3]], sapien.Pose([0.2, 0, 0], along), sapien.Pose([-0.2, 0, 0], along))
    builder.set_initial_pose(sapien.Pose([0, 0, 2]))
    made = builder.build(fix_root_link=True)
    made.active_joints[0].set_friction(0.0)
    moved = made.links[1].entity
    drive = scene.create_drive(None, sapien.Pose([0.4, 0, 2]), moved, sapien.Pose())
    drive.set_drive_property_z(500.0, 30.0, 1e6, "force")
    drive.set_drive_velocity_target([0, 0, 0.3], [0, 0, 0])
    return moved, _stay


SCENES: Mapping[str, Callable[[Any, Any, Any], Any]] = {
    "spring": lambda *with_: _pulled(*with_, 5.0, 0.0, 0.0, "force"),
    "damped": lambda *with_: _pulled(*with_, 50.0, 0.2, 0.5, "force"),
    "acceleration": lambda *with_: _pulled(*with_, 20.0, 0.2, 0.3, "acceleration"),
    "twist": lambda *with_: _turned(*with_, [1, 0, 0], [0, 0, 0]),
    "swing": lambda *with_: _turned(*with_, [0, 0, 1], [0.3, 0.5, -0.2]),
    "soft_limit": _caught, "dragged": _dragged, "at_a_link": _at_a_link,
}


# --- sibling scenes --------------------------------------------------------------------------------------------------

UP = [math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0]


def siblings(scene: Any, sapien: Any, above: bool) -> Any:
    """The articulation, the second slide away from the first; above: whether their link slides itself."""
    builder = scene.create_articulation_builder()
    names, parents = (["base", "top", "a", "b"], [0, 0, 1, 1]) if above else (["base", "a", "b"], [0, 0, 0])
    links: list[Any] = []
    for number, (name, parent) in enumerate(zip(names, parents, strict=True)):
        links.append(builder.create_link_builder(links[parent] if links else None))
        links[-1].set_name(name)
        links[-1].add_box_collision(half_size=[0.05] * 3)
        if number:
            frame = sapien.Pose([0, 0, 0.5], UP) if name == "top" else sapien.Pose([0.3, 0.3 * number, 0])
            links[-1].set_joint_properties("prismatic", [[-1, 1]], frame, sapien.Pose(q=frame.q))
            links[-1].set_joint_name(f"j{name}")
    made = builder.build(fix_root_link=True)
    for link in made.links:
        link.disable_gravity = True
    for joint in made.active_joints:
        joint.set_friction(0.0)
    chain = made.links[-3:]
    made.create_fixed_tendon(chain, [0.0, -1.0, 1.0], [0.0, -1.0, 1.0], stiffness=400.0, damping=1.0)
    made.qpos = [0.0] * (made.dof - 1) + [0.2]
    return made
