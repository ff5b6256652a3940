"""Stacked joints of an MJCF become a chain that moves as in MuJoCo."""

from __future__ import annotations

import physx_runtime
import pytest
from support.converted_robots import converted, only_robot, repaired, robot_file

from physx_schema.description import describe

ANGLES = {"rail": 0.3, "lift": -0.2, "tilt": 0.4, "hip_x": 0.5, "hip_z": -0.7, "hip_y": 0.6, "knee": -0.8}
SINGLE = 2e-6           # rounding of float32 over seven joints, m and components of quaternions


@pytest.mark.filterwarnings("ignore::physx_runtime.NotSimulatedWarning")
def test_bodies_are_where_mujoco_puts_them() -> None:
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_path(str(robot_file("stacked")))
    data = mujoco.MjData(model)
    for name, value in ANGLES.items():
        data.joint(name).qpos = value
    mujoco.mj_kinematics(model, data)
    stage, _ = repaired("stacked")
    paths = {dof.path.rpartition("/")[2]: dof.path for dof in only_robot(stage)[1].dofs}
    start = {paths[name]: value for name, value in ANGLES.items()}
    motion = physx_runtime.simulate(stage, steps=1, joint_position=start)
    names = [path.rpartition("/")[2] for path in motion.link_names]
    poses = dict(zip(names, motion.link_pose[0, 0], strict=True))
    for name in ("pelvis", "thigh", "shin"):
        body = data.body(name)
        assert poses[name][:3] == pytest.approx(body.xpos, abs=SINGLE)
        w, x, y, z = body.xquat
        same = abs(poses[name][3:] @ [x, y, z, w])
        assert same == pytest.approx(1.0, abs=SINGLE)


def test_every_joint_is_in_the_articulation_in_the_order_of_the_file() -> None:
    before, (stage, lines) = only_robot(converted("stacked"))[1], repaired("stacked")
    description, robot = only_robot(stage)
    assert len(before.dofs) < len(ANGLES)
    assert [dof.path.rpartition("/")[2] for dof in robot.dofs] == list(ANGLES)
    assert description.separate_joints == ()
    assert "joints: joint hip_x, joint hip_z, joint hip_y lead to body thigh: " in lines


def test_bodies_between_the_joints_weigh_next_to_nothing() -> None:
    links = only_robot(repaired("stacked")[0])[1].links
    mass = sum(link.mass for link in links if not link.path.endswith("/mount"))
    # a trunk of 4 kg, a thigh of 2 and a shin of 1, with two bodies of a thousandth before each of the first two
    assert mass == pytest.approx(7.0 + 2 * 0.004 + 2 * 0.002, rel=1e-5)


def test_bodies_that_the_joints_connected_still_do_not_collide() -> None:
    pairs = {(pair.first.rpartition("/")[2], pair.second.rpartition("/")[2])
             for pair in describe(repaired("stacked")[0]).filtered_pairs}
    assert ("pelvis", "thigh") in pairs


def test_joints_between_different_bodies_are_left_alone() -> None:
    assert "joints:" not in repaired("cart")[1]
