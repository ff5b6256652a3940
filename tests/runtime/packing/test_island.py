"""Islands as packed: who is held together, what at which side, in which order, and the numbers of joints."""

from __future__ import annotations

import math

import numpy as np
import pytest
from physx_runtime.model.body_kind import BODY, KINEMATIC, LINK, STATIC
from physx_runtime.model.island import DISTANCE, FREE, GEAR, LIMITED, LOCKED, HingeTopology, SolverBody
from physx_runtime.model.island_rows import island_input_rows, island_output_rows
from physx_runtime.model.topology import BodyTopology
from physx_runtime.packing.island import PackedIsland, islands_of
from physx_runtime.packing.maximal_joint import creation_order
from physx_runtime.packing.scene import pack_scene, scene_model
from support.stages.robots import base, described, joint, link, robot

from physx_schema.description import Description
from physx_schema.errors import UnsupportedError


def loose(*parts: str, outside: str = "", meters: float = 1.0) -> Description:
    return described(robot(*parts, schemas=(), outside=outside, meters=meters))


def islands(description: Description, solver: str = "physx") -> tuple[PackedIsland, ...]:
    bodies = [body for body in description.bodies if not body.kinematic]
    return islands_of(description, scene_model(description, bodies), solver)


def named(joints: tuple[str, ...]) -> list[str]:
    return [path.rpartition("/")[2] for path in joints]


def test_joints_are_made_by_kind_and_then_by_path_as_a_plain_string() -> None:
    parts = [joint(kind, name, "a", "b") for name, kind in (
        ("d", ""), ("s", "Spherical"), ("j2", "Revolute"), ("j10", "Revolute"), ("p", "Prismatic"), ("f", "Fixed"),
        ("c", "Distance"))]
    made = creation_order(loose(link("a"), link("b"), *parts).joints)
    assert named(tuple(item.path for item in made)) == ["f", "j10", "j2", "p", "s", "c", "d"]


def test_gears_and_racks_are_made_last() -> None:
    hinges = {"rel physics:hinge0": "</Robot/h>", "rel physics:hinge1": "</Robot/k>"}
    gear = joint("Gear", "g", "a", "b", (), hinges).replace("PhysicsGearJoint", "PhysxPhysicsGearJoint")
    made = creation_order(loose(link("a"), link("b"), gear, joint("", "z", "a", "b"), joint("Revolute", "h", "", "a"),
                                joint("Revolute", "k", "", "b")).joints)
    assert named(tuple(item.path for item in made)) == ["h", "k", "z", "g"]


def test_actors_that_joints_join_are_one_island_and_others_none() -> None:
    found = islands(loose(link("a"), link("b"), link("c"), link("d"), link("e"), joint("Fixed", "ad", "a", "d"),
                          joint("Fixed", "w", "", "c"), joint("Fixed", "bd", "b", "d")))
    assert [list(item.actors) for item in found] == [["/Robot/a", "/Robot/b", "/Robot/d"], ["/Robot/c"]]
    assert [named(item.joints) for item in found] == [["ad", "bd"], ["w"]]


def test_the_world_and_a_kinematic_body_join_nothing() -> None:
    kinematic = link("k", more={"bool physics:kinematicEnabled": True})
    found = islands(loose(kinematic, link("a"), link("b"), joint("Fixed", "j", "k", "a"), joint("Fixed", "l", "b", "k"),
                          joint("Fixed", "w", "", "b")))
    assert [list(item.actors) for item in found] == [["/Robot/a"], ["/Robot/b"]]
    assert [item.kinematic for item in found] == [("/Robot/k",), ("/Robot/k",)]
    assert found[1].topology.joints[0].solver_bodies == (SolverBody(BODY, 0), SolverBody(KINEMATIC, 0))
    assert found[1].topology.joints[1].solver_bodies == (SolverBody(STATIC), SolverBody(BODY, 0))


def test_a_loop_of_an_articulation_holds_two_of_its_links() -> None:
    text = robot(base(), link("a", (1, 0, 0)), link("b", (2, 0, 0)), joint("Revolute", "j", "base", "a"),
                 joint("Revolute", "k", "a", "b"),
                 joint("Revolute", "loop", "b", "base", (), {"bool physics:excludeFromArticulation": True}))
    found, = islands(described(text))
    assert found.topology.joints[0].solver_bodies == (SolverBody(LINK, 0, 2), SolverBody(LINK, 0, 0))
    assert not found.topology.coupled


def test_the_ideal_solver_couples_links_of_one_articulation() -> None:
    assert islands(loose(link("a"), joint("Fixed", "w", "", "a")), "ideal")[0].topology.coupled


def test_a_disabled_body_is_the_world_where_it_stands() -> None:
    still = link("s", (3, 0, 0), more={"bool physics:rigidBodyEnabled": False})
    found, = islands(loose(still, link("a"), joint("Fixed", "j", "s", "a", (), {
        "point3f physics:localPos0": (0, 2, 0)})))
    assert found.topology.joints[0].solver_bodies == (SolverBody(STATIC), SolverBody(BODY, 0))
    np.testing.assert_allclose(found.parameters["joint0_frame0_position"], (3, 2, 0))


def test_an_islands_numbers_are_those_that_its_rows_name() -> None:
    limits = {"float physics:lowerLimit": -30.0, "float physics:upperLimit": 40.0, "float physics:breakForce": 5.0,
              "float drive:angular:physics:stiffness": 2.0, "float drive:angular:physics:targetPosition": 90.0}
    found, = islands(loose(link("a"), link("b"), joint("Revolute", "j", "a", "b", ("PhysicsDriveAPI:angular",), limits),
                           meters=0.01))
    settings = {f"actor{i}_{name}" for i in (0, 1) for name in ("dt", "h")}
    kept = {name for name in island_output_rows(found.topology) if name.rpartition("_")[2] in (
        "diverged", "asleep", "request", "counter", "linear", "angular")}
    known = island_input_rows(found.topology) | island_output_rows(found.topology)
    given = {name: len(values) for name, values in {**found.parameters, **found.state}.items()}
    assert given == {name: size for name, size in known.items() if name in given}
    assert known.keys() - given.keys() - settings - kept == {
        name for name in known if "link_force" in name or "link_torque" in name}
    axis = found.topology.joints[0].axes[3]
    assert (axis.motion, axis.drive, axis.soft) == (LIMITED, "force", False)
    assert [item.motion for item in found.topology.joints[0].axes].count(LOCKED) == 5
    rows = found.parameters
    assert rows["joint0_lower_limit"][3] == pytest.approx(math.radians(-30.0))
    assert rows["joint0_lower_limit"][0] == -math.inf
    assert rows["joint0_stiffness"][3] == pytest.approx(math.degrees(2.0))
    assert rows["joint0_target_position"][3] == pytest.approx(math.pi / 2)
    assert rows["joint0_break_force"] == [5.0] and rows["joint0_break_torque"] == [math.inf]
    assert rows["joint0_length_scale"] == pytest.approx(100.0)
    assert found.state["joint0_broken"] == [0.0]


def test_a_cone_bounds_the_swings_of_a_spherical_joint_together() -> None:
    found, = islands(loose(link("a"), joint("Spherical", "j", "", "a", ("PhysxLimitAPI:cone",), {
        "float physics:coneAngle0Limit": 20.0, "float physics:coneAngle1Limit": 30.0,
        "float physxLimit:cone:damping": 3.0})))
    t = found.topology.joints[0]
    assert t.cone == "soft"
    assert [axis.motion for axis in t.axes] == [LOCKED] * 3 + [FREE] * 3
    np.testing.assert_allclose(found.parameters["joint0_cone_angle"], np.radians((20.0, 30.0)))
    assert found.parameters["joint0_cone_damping"] == [3.0]


@pytest.mark.parametrize(("high", "stiffness", "distance"), [
    (2.0, 0.0, "hard"), (2.0, 3.0, "soft"), (0.0, 3.0, None), (math.inf, 3.0, None)])
def test_the_distance_limit_of_a_generic_joint_acts_above_0(high: float, stiffness: float, distance: str | None,
                                                            ) -> None:
    found, = islands(loose(link("a"), joint("", "j", "", "a", ("PhysicsLimitAPI:distance", "PhysxLimitAPI:distance"), {
        "float limit:distance:physics:high": high, "float physxLimit:distance:stiffness": stiffness})))
    assert found.topology.joints[0].distance == distance
    rows = {name.removeprefix("joint0_distance_limit"): values.tolist() for name, values in found.parameters.items()
            if "distance_limit" in name}
    hard, soft = {"": [2.0]}, {"_stiffness": [3.0], "_damping": [0.0]}
    assert rows == {None: {}, "hard": hard, "soft": hard | soft}[distance]


@pytest.mark.parametrize(("low", "high", "range_"), [
    (-1.0, 2.0, "max"), (1.0, -1.0, "min"), (1.0, 2.0, "both"), (2.0, 2.0, "equal"), (-1.0, -1.0, ""),
    (0.0, 2.0, "both"),
])
def test_bounds_of_at_least_0_make_the_range_of_a_distance_joint(low: float, high: float, range_: str) -> None:
    found, = islands(loose(link("a"), joint("Distance", "j", "", "a", (), {
        "float physics:minDistance": low, "float physics:maxDistance": high})))
    t = found.topology.joints[0]
    assert (t.kind, t.range, t.spring) == (DISTANCE, range_, False)


def test_a_gear_has_the_frames_of_its_hinges_on_its_bodies() -> None:
    hinges = {"rel physics:hinge0": "</Robot/h>", "rel physics:hinge1": "</Robot/k>", "float physics:gearRatio": 2.0}
    gear = joint("Gear", "g", "a", "b", (), hinges).replace("PhysicsGearJoint", "PhysxPhysicsGearJoint")
    found, = islands(loose(
        link("a"), link("b"), gear,
        joint("Revolute", "h", "", "a", (), {"point3f physics:localPos1": (1, 0, 0), "token physics:axis": "Z"}),
        joint("Revolute", "k", "b", "", (), {"point3f physics:localPos0": (0, 1, 0)})))
    t = found.topology.joints[2]
    assert (t.kind, t.hinges) == (GEAR, (HingeTopology(joint=0), HingeTopology(joint=1, holds_first=True)))
    rows = found.parameters
    np.testing.assert_allclose(rows["joint2_frame0_position"], (1, 0, 0))
    np.testing.assert_allclose(rows["joint2_frame0_rotation"], rows["joint0_frame1_rotation"])
    np.testing.assert_allclose(rows["joint2_frame1_position"], (0, 1, 0))
    assert rows["joint2_ratio"] == [2.0]
    assert list(found.state["joint2_turns"]) == [0.0, 0.0]


def test_a_gear_counts_from_where_its_hinges_stand() -> None:
    hinges = {"rel physics:hinge0": "</Robot/h>", "rel physics:hinge1": "</Robot/k>"}
    gear = joint("Gear", "g", "a", "b", (), hinges).replace("PhysicsGearJoint", "PhysxPhysicsGearJoint")
    half = math.radians(40.0) / 2.0
    turned = {"quatf physics:localRot0": (math.cos(half), math.sin(half), 0.0, 0.0)}
    found, = islands(loose(link("a"), link("b"), gear, joint("Revolute", "h", "", "a", (), turned),
                           joint("Revolute", "k", "", "b", (), turned)))
    np.testing.assert_allclose(np.degrees(found.state["joint2_last_angle"]), (-40.0, 40.0), rtol=1e-6)


def test_a_gear_between_links_counts_degrees_of_freedom() -> None:
    gear = joint("Gear", "g", "a", "b", (), {
        "rel physics:hinge0": "</Robot/j>", "rel physics:hinge1": "</Robot/k>",
        "bool physics:excludeFromArticulation": True}).replace("PhysicsGearJoint", "PhysxPhysicsGearJoint")
    found, = islands(described(robot(base(), link("a"), link("b"), joint("Revolute", "j", "base", "a"),
                                     joint("Revolute", "k", "base", "b"), gear)))
    assert found.topology.joints[0].hinges == (HingeTopology(actor=0, dof=0), HingeTopology(actor=0, dof=1))


def test_turns_of_degrees_of_freedom_are_counted_from_where_they_are_authored() -> None:
    at = (("PhysicsJointStateAPI:angular",), {"float state:angular:physics:position": 90.0})
    gear = joint("Gear", "g", "a", "b", (), {
        "rel physics:hinge0": "</Robot/j>", "rel physics:hinge1": "</Robot/k>",
        "bool physics:excludeFromArticulation": True}).replace("PhysicsGearJoint", "PhysxPhysicsGearJoint")
    found, = islands(described(robot(base(), link("a"), link("b"), joint("Revolute", "j", "base", "a", *at),
                                     joint("Revolute", "k", "base", "b", *at), gear)))
    np.testing.assert_allclose(found.state["joint0_last_angle"], (math.pi / 2, -math.pi / 2))


def test_a_rack_counts_radians() -> None:
    rack = joint("Rack", "r", "a", "b", (), {
        "rel physics:hinge": "</Robot/h>", "rel physics:prismatic": "</Robot/p>", "float physics:ratio": 180.0,
    }).replace("PhysicsRackJoint", "PhysxPhysicsRackAndPinionJoint")
    found, = islands(loose(link("a"), link("b"), joint("Revolute", "h", "", "a"), joint("Prismatic", "p", "", "b"),
                           rack))
    assert found.parameters["joint2_ratio"] == pytest.approx(math.pi)


def test_a_kinematic_body_stands_where_its_centre_of_mass_is() -> None:
    kinematic = link("k", (1, 0, 0), more={"bool physics:kinematicEnabled": True,
                                           "point3f physics:centerOfMass": (0, 0, 2)})
    found, = islands(loose(kinematic, link("a"), joint("Fixed", "j", "k", "a")))
    np.testing.assert_allclose(found.parameters["kinematic0_position"], (1, 0, 2))
    np.testing.assert_allclose(found.parameters["joint0_frame0_position"], (0, 0, -2))
    np.testing.assert_allclose(found.parameters["kinematic0_velocity"], np.zeros(6))


PGS = '\ndef PhysicsScene "scene" (prepend apiSchemas = ["PhysxSceneAPI"])\n{\n' \
      '    uniform token physxScene:solverType = "PGS"\n}\n'


def test_joints_are_solved_as_their_scene_says_and_ideally_by_tgs() -> None:
    found = loose(link("a"), joint("Fixed", "w", "", "a"), outside=PGS)
    for solver, pgs in (("physx", True), ("ideal", False)):
        t = islands(found, solver)[0].topology
        assert (t.pgs, t.joints[0].pgs) == (pgs, pgs)


def test_a_joint_at_a_body_that_is_left_out_is_refused() -> None:
    found = loose(link("a"), link("b"), joint("Fixed", "j", "a", "b"))
    with pytest.raises(UnsupportedError, match=r"^/Robot/j: the joint is connected to /Robot/b, which is not"):
        islands_of(found, scene_model(found, found.bodies[:1]))


def test_frames_are_in_the_frame_of_a_links_step() -> None:
    text = robot(base(), link("a", (1, 0, 0)),
                 joint("Revolute", "j", "base", "a", (), {"point3f physics:localPos1": (0.5, 0, 0)}),
                 joint("Fixed", "loop", "", "a", (), {"bool physics:excludeFromArticulation": True,
                                                      "point3f physics:localPos1": (0.5, 0, 2)}))
    found, = islands(described(text))
    np.testing.assert_allclose(found.parameters["joint0_frame1_position"], (0, 0, 2), atol=1e-12)


def test_lengths_of_frames_are_scaled_as_the_bodies_are() -> None:
    big = link("a").replace("xformOp:scale = (1, 1, 1)", "xformOp:scale = (2, 2, 2)")
    found, = islands(loose(big, joint("Fixed", "w", "", "a", (), {"point3f physics:localPos1": (1, 0, 0)})))
    np.testing.assert_allclose(found.parameters["joint0_frame1_position"], (2, 0, 0))


def test_a_switched_off_articulation_is_bodies_on_joints() -> None:
    """As PhysX moves it: links stay where they are posed, joint states, armature and the like do not count."""
    text = robot(base(), link("a", (1, 0, 0)), joint("Revolute", "j", "base", "a", (
        "PhysicsJointStateAPI:angular",), {"float state:angular:physics:position": 30.0}),
        schemas=("PhysicsArticulationRootAPI", "PhysxArticulationAPI"))
    text = text.replace('def Xform "base"', 'bool physxArticulation:articulationEnabled = 0\ndef Xform "base"', 1)
    packed = pack_scene(described(text), "physx")
    island, = packed.islands
    assert list(island.actors) == ["/Robot/base", "/Robot/a"]
    assert named(island.joints) == ["anchor", "j"]
    assert all(isinstance(actor, BodyTopology) for actor in island.topology.actors)
    assert not packed.single


@pytest.mark.parametrize("ratio", [math.nan, math.inf])
def test_a_gear_without_a_ratio_is_refused_in_one_line(ratio: float) -> None:
    gear = joint("Gear", "g", "a", "b", (), {"float physics:gearRatio": ratio}).replace(
        "PhysicsGearJoint", "PhysxPhysicsGearJoint")
    with pytest.raises(UnsupportedError, match=r"^/Robot/g\.physics:gearRatio: the ratio is (nan|inf)"):
        islands(loose(link("a"), link("b"), gear))
