"""What touches is stepped and told right whatever else is on the stage."""

from __future__ import annotations

import pickle

import pytest
from physx_runtime import Scene
from physx_runtime.simulation.events import ContactReports
from support.stages.iteration_stages import DT, fallen, prim, stage
from support.stages.iteration_stages import GRAVITY as SCENE_GRAVITY
from support.stages.resting_stages import GROUND, asleep, body, placed
from support.stages.robots import base, joint, link, opened, robot

from physx_schema.description import describe

COUNTS = {"int__physxRigidBody_solverPositionIterationCount": "40"}
ROUNDED = 1e-3      # of the fall of a step, 0.5 mm at a height of 3 m in float32; 16 iterations fall 4 % further
TETRAHEDRON = {
    "int[] faceVertexCounts": "[3, 3, 3, 3]", "int[] faceVertexIndices": "[0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]",
    "point3f[] points": "[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]",
    "uniform token physics:approximation": '"convexHull"',
}


def test_a_body_keeps_its_iterations_beside_one_that_sleeps_in_its_world() -> None:
    scene = Scene(opened(stage(GROUND, body("a", (0, 0, 3), **COUNTS), asleep("z", (5, 0, 0.5)))), dt=DT)
    scene.step()
    assert scene.body_pose[0, 0, 2] - 3.0 == pytest.approx(fallen(40), rel=ROUNDED)


def test_contact_forces_are_those_of_a_step_beside_islands_that_touch_nothing() -> None:
    hung = prim("PhysicsRevoluteJoint", "hinge", "", {"rel physics:body0": "</h0>", "rel physics:body1": "</h1>"})
    scene = Scene(opened(stage(GROUND, body("h0", (0, 0, 9), ""), body("h1", (0, 0, 9), ""), hung,
                               body("z", (5, 0, 0.5)))), sleeping=False)
    scene.step(60)
    assert scene.net_contact_force("/z")[0, 2] == pytest.approx(SCENE_GRAVITY, rel=0.01)


def test_a_report_on_a_root_prim_is_of_all_its_articulations() -> None:
    parts = [part for k in (0, 2) for part in (
        link(f"l{k}"), link(f"l{k + 1}"), joint("Revolute", f"j{k}", f"l{k}", f"l{k + 1}", (), {}))]
    read = describe(opened(robot(base(), *parts, schemas=("PhysicsArticulationRootAPI", "PhysxContactReportAPI"))))
    reports = ContactReports(read)
    assert all(reports.includes((item.path, "/ground")) for found in read.articulations for item in found.links)


def test_a_scene_that_forgets_friction_is_named_where_only_links_touch() -> None:
    wheel = prim("Sphere", "wheel", "PhysicsCollisionAPI", {"double radius": "0.2"})
    chain = prim("Xform", "R", "PhysicsArticulationRootAPI", {}, body("a", (0, 0, 1), wheel) + body(
        "b", (0, 0, 2), wheel) + prim("PhysicsRevoluteJoint", "j", "", {
            "rel physics:body0": "</R/a>", "rel physics:body1": "</R/b>"}))
    scene = {"float physxScene:frictionCorrelationDistance": "0"}
    with pytest.warns(UserWarning, match="frictionCorrelationDistance"):
        found = Scene(opened(stage(GROUND, chain, scene=scene)))
    assert "physxScene:frictionCorrelationDistance" in [item.property for item in found.not_simulated]


def test_a_description_with_hulls_can_be_pickled() -> None:
    hull = prim("Mesh", "hull", "PhysicsCollisionAPI PhysicsMeshCollisionAPI", {**TETRAHEDRON, **placed((0, 0, 1))})
    read = describe(opened(stage(GROUND, body("a", (0, 0, 1), hull))))
    again = pickle.loads(pickle.dumps(read))
    assert again == read
    [ours, theirs] = [one.bodies[0].colliders[0].cooked().mesh for one in (read, again)]
    assert (ours.vertices == theirs.vertices).all()
