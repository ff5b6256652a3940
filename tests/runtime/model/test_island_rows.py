"""The rows of an island: those of its actors as they are, and those of joints and kinematic bodies beside them."""

from __future__ import annotations

from dataclasses import replace

from physx_runtime.model import island, topology
from physx_runtime.model.body_kind import BODY, STATIC
from physx_runtime.model.island import (
    D6,
    DISTANCE,
    FREE,
    GEAR,
    LIMITED,
    LOCKED,
    RACK,
    AxisTopology,
    IslandTopology,
    JointTopology,
    SolverBody,
)
from physx_runtime.model.island_rows import (
    ISLAND_TABLE,
    island_input_rows,
    island_output_rows,
    joint_rows,
    kinematic_rows,
)
from physx_runtime.model.row_specs import CONTROL, DERIVED, PARAMETER, PERSISTENT, TABLE, input_rows, output_rows
from physx_runtime.model.topology import BodyTopology

from physx_schema.description.model import joint

SIDES = (SolverBody(STATIC), SolverBody(BODY))
FRAMES = {"frame0_position": 3, "frame0_rotation": 4, "frame1_position": 3, "frame1_rotation": 4,
          "length_scale": 1}
FIXED = JointTopology(D6, SIDES, (AxisTopology(LOCKED),) * 6)


def test_names_of_axes_and_kinds_of_joints_are_those_of_descriptions() -> None:
    assert island.AXES == joint.AXES                            # written again: machines with a GPU have no USD
    assert {topology.FIXED, topology.REVOLUTE, topology.PRISMATIC, topology.SPHERICAL} < set(joint.TREE_KINDS)
    assert {D6, DISTANCE, GEAR, RACK} < set(joint.KINDS)


def test_a_joint_that_locks_everything_has_its_frames_alone() -> None:
    assert joint_rows(FIXED, PERSISTENT, PARAMETER, DERIVED) == FRAMES


def test_a_joint_has_the_numbers_of_what_acts_on_it() -> None:
    axes = (AxisTopology(LOCKED),) * 5
    limited = replace(FIXED, axes=(*axes, AxisTopology(LIMITED)))
    assert joint_rows(limited, PARAMETER) == dict.fromkeys(
        ("lower_limit", "upper_limit", "limit_stiffness", "limit_damping"), 6)
    driven = replace(FIXED, axes=(*axes, AxisTopology(FREE, drive="force")))
    assert joint_rows(driven, PARAMETER) == dict.fromkeys(
        ("stiffness", "damping", "max_force", "target_position", "target_velocity"), 6)
    assert joint_rows(replace(FIXED, cone="soft"), PARAMETER) == {
        "cone_angle": 2, "cone_stiffness": 1, "cone_damping": 1}
    rope = JointTopology(DISTANCE, SIDES, range="max")
    assert joint_rows(rope, PARAMETER) == {"minimum_distance": 1, "maximum_distance": 1}
    assert set(joint_rows(replace(rope, spring=True), PARAMETER)) == {
        "minimum_distance", "maximum_distance", "spring_stiffness", "spring_damping"}
    assert joint_rows(JointTopology(GEAR, SIDES), PERSISTENT, PARAMETER) == {"turns": 2, "last_angle": 2, "ratio": 1}


def test_only_a_joint_that_breaks_keeps_whether_it_broke() -> None:
    assert joint_rows(FIXED, PERSISTENT) == {}
    assert joint_rows(replace(FIXED, breaks=True), PERSISTENT, PARAMETER) == {
        "broken": 1, "break_force": 1, "break_torque": 1}


def test_an_islands_rows_are_its_actors_joints_and_kinematic_bodies_side_by_side() -> None:
    body, sleeper = BodyTopology(True), BodyTopology(True, sleeping=True)
    island = IslandTopology((body, sleeper), (FIXED, replace(FIXED, breaks=True)), kinematic=1)
    assert island_output_rows(island) == {
        **{f"actor0_{name}": size for name, size in output_rows(body).items()},
        **{f"actor1_{name}": size for name, size in output_rows(sleeper).items()}, "joint1_broken": 1}
    assert island_input_rows(island) == {
        **{f"actor0_{name}": size for name, size in input_rows(body).items()},
        **{f"actor1_{name}": size for name, size in input_rows(sleeper).items()},
        **{f"joint0_{name}": size for name, size in FRAMES.items()},
        "joint1_break_force": 1, "joint1_break_torque": 1,
        **{f"joint1_{name}": size for name, size in FRAMES.items()},
        "kinematic0_position": 3, "kinematic0_rotation": 4, "kinematic0_velocity": 6,
        "kinematic0_active": 1}
    assert kinematic_rows(CONTROL) == {"position": 3, "rotation": 4, "velocity": 6, "active": 1}


def test_no_two_numbers_of_a_scene_are_set_by_one_name() -> None:
    names = [row.public_name for row in (*TABLE, *ISLAND_TABLE) if row.maker == PARAMETER and not row.derived]
    assert len(set(names)) == len(names)
