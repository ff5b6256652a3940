"""What is reported of contacts, and of whom, is what PhysX's contact sensors get.

Contacts as a person asks for them: who presses on whom, and how much.

What touches is stepped and told right whatever else is on the stage.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray
from physx_runtime import Scene, Session, simulate
from physx_runtime.simulation.events import ContactEvent, ContactReports, touching_pairs
from physx_runtime.simulation.recorder import write_recording
from support.recorded.link_poses import EVENTS, FORCES, STEP, told
from support.stages.iteration_stages import DT, fallen, prim, stage
from support.stages.iteration_stages import GRAVITY as SCENE_GRAVITY
from support.stages.resting_stages import GROUND, asleep, body, placed
from support.stages.robots import base, joint, link, opened, robot

from physx_schema.command_line.program import program
from physx_schema.description import describe

Array = NDArray[Any]
FORCE = 5e-2        # of the sum of a pair's impulses; measured 2.4e-2 where two links share what lies on them
PLACE = 1e-4        # m, of points of what has bounced; measured 2e-5


def in_order(points: Array) -> Array:
    """Points by their places, to the nearest centimetre."""
    return np.asarray(points[np.lexsort(np.round(points, 2).T)])


def of_sensors(step: dict[str, Any]) -> dict[tuple[str, tuple[str, str]], dict[str, Any]]:
    """What PhysX reported in a step, by kind and pair of colliders."""
    found = {}
    for sensor in step["sensors"].values():
        for event in sensor["events"]:
            pair = (event["Collider"], event["OtherCollider"])
            found[event["kind"], pair[::-1] if event["side"] else pair] = event
    return found


@pytest.mark.parametrize("name", [*EVENTS, *FORCES])
def test_events_are_those_that_physx_reports(name: str) -> None:
    real = told(name)
    scene = Scene(real.stage)
    for step in real.steps:
        scene.step()
        found: dict[Any, ContactEvent] = {(event.kind, event.pair): event for event in scene.contact_events}
        expected = of_sensors(step)
        assert found.keys() == expected.keys()
        for key, event in expected.items():
            own = found[key]
            points = np.reshape(event["PointPosition"], (-1, 3))
            np.testing.assert_allclose(in_order(own.points), in_order(points), atol=PLACE)
            np.testing.assert_allclose(sorted(own.separations), sorted(event["PointSeparation"]), atol=PLACE)
            impulses = np.reshape(event["PointImpulse"], (-1, 3))
            np.testing.assert_allclose((own.impulses[:, None] * own.normals).sum(axis=0), impulses.sum(axis=0),
                                       atol=FORCE * np.abs(impulses).sum())
            assert len(own.anchors) == len(event["AnchorPosition"])


def test_a_run_of_several_steps_has_the_events_of_its_last() -> None:
    one, several = Scene(told("bounces").stage), Scene(told("bounces").stage)
    for _ in range(18):
        one.step()
    several.step(18)
    assert [event.kind for event in one.contact_events] == [event.kind for event in several.contact_events] == ["lost"]


def test_worlds_report_for_themselves() -> None:
    scene = Scene(told("bounces").stage, 2)
    high = scene["/a"].get("root_position")
    high[1, 2] += 1.0
    scene["/a"].set("root_position", high)
    scene.step(15)
    assert [(event.kind, event.world) for event in scene.contact_events] == [("found", 0)]
    scene.reset([0])
    scene.step()
    assert scene.contact_events == ()


def test_recordings_files_and_sessions_have_the_events(tmp_path: Path) -> None:
    recording = simulate(told("bounces").stage, STEP, 18)
    events = enumerate(recording.contact_events)
    kinds = {record: [event.kind for event in found] for record, found in events if found}
    assert kinds == {15: ["found"], 16: ["persists"], 17: ["persists"], 18: ["lost"]}
    write_recording(tmp_path / "motion.npz", recording)
    file = np.load(tmp_path / "motion.npz")
    assert file["event_record"].tolist() == [15, 16, 17, 18]
    assert file["event_kind"].tolist() == ["found", "persists", "persists", "lost"]
    assert file["event_pair"][0].tolist() == ["/a/shape", "/ground"]
    with Session(told("slides").stage) as session:
        session.step()
        assert [(event.kind, event.pair) for event in session.contact_events] == [("found", ("/a/shape", "/ground"))]


# --- contact pairs ---------------------------------------------------------------------------------------------------

GRAVITY, MASS = 9.81, 2.0
BALL = '"PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"'
# of a force at rest: the sphere sinks by float32 rounding
REST = 1e-3


def balls() -> str:
    """A ball just above the ground, and another that is still falling at the end."""
    return f"""#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "scene" {{
    vector3f physics:gravityDirection = (0, 0, -1)
    float physics:gravityMagnitude = {GRAVITY}
}}
def Plane "ground" (apiSchemas = ["PhysicsCollisionAPI"]) {{
    uniform token axis = "Z"
}}
""" + "".join(f"""def Sphere "{name}" (apiSchemas = [{BALL}]) {{
    double radius = 0.1
    float physics:mass = {MASS}
    double3 xformOp:translate = ({x}, 0, {z})
    uniform token[] xformOpOrder = ["xformOp:translate"]
}}
""" for name, x, z in (("low", 0.0, 0.1001), ("high", 3.0, 50.0)))


@pytest.fixture(scope="module")
def resting() -> Scene:
    scene = Scene(opened(balls()), sleeping=False)
    scene.step(60)
    return scene


def test_a_ball_at_rest_presses_with_its_weight_and_nobody_else_touches(resting: Scene) -> None:
    pair, = touching_pairs(resting.contacts)
    assert (pair.first, pair.second, pair.points) == ("/ground", "/low", 1)
    assert pair.pressure == pytest.approx(MASS * GRAVITY, rel=REST)
    assert pair.friction == pytest.approx(0.0, abs=REST)


def test_other_worlds_are_left_out(resting: Scene) -> None:
    assert touching_pairs(resting.contacts, world=1) == []


def test_a_pair_reads_aloud(resting: Scene) -> None:
    pair, = touching_pairs(resting.contacts)
    assert str(pair).startswith("/ground touches /low at 1 point: normal force 19.6")


def test_the_command_names_who_touches_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "balls.usda"
    path.write_text(balls())
    found = CliRunner().invoke(program(), ["simulate", str(path), "--steps", "10"])
    assert found.exit_code == 0, found.output
    assert [line for line in found.stdout.splitlines() if "touches" in line] == [
        line for line in found.stdout.splitlines() if line.startswith("at the end, /ground touches /low at 1 point:")]
    assert "touches" in found.stdout


# --- beside contacts -------------------------------------------------------------------------------------------------

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
