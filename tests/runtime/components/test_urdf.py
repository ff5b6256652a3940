"""URDF files become articulations and bodies, and what is not read is told."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import physx_runtime.components as sapien
import physx_runtime.components.physx as px
import pytest
from physx_runtime.components.urdf import NotLoadedWarning

ROBOT = """<robot name="gripper">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="arm">
    <inertial><origin xyz="0 0 0.2"/><mass value="2"/>
      <inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 0.2"/><geometry><cylinder radius="0.05" length="0.4"/></geometry></collision>
  </link>
  <link name="slider"><inertial><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="follower"><inertial><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <origin xyz="0 0 0.05"/></joint>
  <joint name="slide" type="prismatic"><parent link="arm"/><child link="slider"/><axis xyz="1 0 0"/>
    <origin xyz="0 0 0.4"/><limit lower="0" upper="0.5" effort="10" velocity="1"/><dynamics damping="3"/></joint>
  <joint name="follow" type="prismatic"><parent link="slider"/><child link="follower"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/><mimic joint="slide" multiplier="2"/></joint>
</robot>"""


# Coordinates of the same file, drive and steps in SAPIEN 3.0.3.
IN_SAPIEN = [-2.0598388, 0.20408, 0.40892017]


def loaded(tmp_path: Path, text: str = ROBOT, **options: object) -> tuple[sapien.Scene, px.PhysxArticulation]:
    """A scene with the robot of a file."""
    path = tmp_path / "robot.urdf"
    path.write_text(text, encoding="utf-8")
    scene = sapien.Scene([px.PhysxCpuSystem()])
    loader = scene.create_urdf_loader()
    for name, value in options.items():
        setattr(loader, name, value)
    return scene, loader.load(str(path))


def test_links_and_joints_have_the_names_limits_and_frames_of_the_file(tmp_path: Path) -> None:
    _, robot = loaded(tmp_path)
    assert [link.name for link in robot.links] == ["base", "arm", "slider", "follower"]
    assert [(joint.name, joint.type) for joint in robot.active_joints] == [
        ("turn", "revolute"), ("slide", "prismatic"), ("follow", "prismatic")]
    assert robot.qlimit.tolist() == [[-math.inf, math.inf], [0.0, 0.5], [-1.0, 1.0]]
    assert robot.active_joints[1].damping == 3.0
    robot.qpos = [math.pi / 2, 0.25, 0.5]
    assert robot.find_link_by_name("slider").entity_pose.p == pytest.approx([0, 0.25, 0.45], abs=1e-6)
    assert robot.find_link_by_name("arm").mass == 2.0


def test_a_joint_that_mimics_is_coupled_as_in_sapien(tmp_path: Path) -> None:
    scene, robot = loaded(tmp_path)
    for joint in robot.active_joints:
        joint.friction = 0.0
    robot.find_joint_by_name("slide").set_drive_properties(2000.0, 200.0)
    robot.find_joint_by_name("slide").drive_target = 0.2
    for _ in range(101):
        scene.step()
    assert robot.qpos == pytest.approx(IN_SAPIEN, abs=5e-6)
    assert robot.qpos[2] == pytest.approx(2 * robot.qpos[1], abs=1e-3)


def test_lengths_masses_and_inertias_grow_with_the_scale(tmp_path: Path) -> None:
    _, robot = loaded(tmp_path, scale=2.0)
    arm = robot.find_link_by_name("arm")
    assert arm.mass == pytest.approx(16.0)
    assert arm.inertia == pytest.approx([0.64, 0.64, 0.32])
    assert arm.cmass_local_pose.p == pytest.approx([0, 0, 0.4])
    assert robot.qlimit[1].tolist() == [0.0, 1.0]


def test_friction_of_a_file_is_told_and_not_taken(tmp_path: Path) -> None:
    with pytest.warns(NotLoadedWarning, match="friction"):
        loaded(tmp_path, ROBOT.replace('damping="3"', 'damping="3" friction="0.5"'))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded(tmp_path)


@pytest.mark.parametrize(("right", "wrong", "said"), [
    ("</robot>", "", "invalid XML"), ('type="continuous"', 'type="planar"', "planar"),
    ('size="0.2 0.2 0.1"', 'size="0.2 0.2"', "size"), ('child link="follower"', 'child link="nobody"', "nobody"),
    ('joint="slide" multiplier', 'joint="none" multiplier', "none"), ("<box", "<pyramid", "pyramid"),
    ('<limit lower="0" upper="0.5" effort="10" velocity="1"/>', "", "limit")])
def test_a_malformed_file_is_refused_in_one_line(tmp_path: Path, right: str, wrong: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as found:
        loaded(tmp_path, ROBOT.replace(right, wrong))
    assert "\n" not in str(found.value)


def test_links_that_an_srdf_file_names_pass_each_other(tmp_path: Path) -> None:
    (tmp_path / "robot.srdf").write_text(
        '<robot><disable_collisions link1="base" link2="slider" reason="Default"/></robot>', encoding="utf-8")
    text = ROBOT.replace('<link name="slider">', '<link name="slider"><collision><geometry><sphere radius="0.1"/>'
                         '</geometry></collision>')
    _, robot = loaded(tmp_path, text)
    ignored = [link.collision_shapes[0].collision_groups[2] for link in (robot.links[0], robot.links[2])]
    assert ignored == [1, 1]
