"""What moves a robot in PhysX and is not simulated is said by every door, and refused where the base is held.

Contact is named by every door where it is left out and colliders can meet, by the filters that PhysX goes by.

The filters are as measured by experiments/measure_meeting.py.

What point instancers repeat is not stepped, and every run says so.
"""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import physx_runtime
import pytest
from click.testing import CliRunner
from physx_runtime import NotSimulatedWarning, Scene, Session, Simulation, simulate, verify
from physx_runtime.packing.not_simulated import MAX_QUOTED
from pxr import Usd
from support.stages.composed import holder, layer
from support.stages.contact_scenes.parts import ball, body, ground, world
from support.stages.faulty_robots import BOND, CRATE, CUBE, EXCLUDED, GROUND, PATH, TWO_LINKS, said, sliding
from support.stages.meshes import box, mesh_prim
from support.stages.robots import base, joint, link, opened, prim, robot

from physx_schema import describe
from physx_schema.command_line.program import program
from physx_schema.errors import UnsupportedError

HELD, FOURBAR, TWO, THREE = ("root_held_by_fixed_joint", "fourbar", "two_hinges_same_bodies",
                             "three_hinges_same_bodies")
LEFT_OUT = {FOURBAR: ["/R/j3"], TWO: ["/R/j2"], THREE: ["/R/j2", "/R/j3"]}
# length; PhysX holds the base of the case by a soft joint, which gives way by 7e-7.
STAYS = 1e-5


def found_stage(shared_cases: Path, name: str) -> str:
    """The file of a stage that PhysX was recorded on."""
    return str(shared_cases / "found" / name / "stage.usda")


def run(*arguments: str) -> Any:
    """A command, its streams apart."""
    return CliRunner().invoke(program(), arguments)


# --- held roots -----------------------------------------------------------------------------------------------------

def test_physx_holds_the_base_that_a_loose_joint_fixes(shared_cases: Path) -> None:
    recorded = np.load(shared_cases / "found" / HELD / "expected.npz")
    assert np.abs(recorded["pose"][-1, :, :3] - recorded["pose"][0, :, :3]).max() < 30 * STAYS
    assert np.abs(recorded["pose"][-1, 0, :3]).max() < STAYS


def alone(stage: str) -> Any:
    """The robot of a stage by itself, in one call."""
    return simulate(stage, steps=1, articulation="/R/base", **PATH)


@pytest.mark.parametrize("door", [alone, Simulation])
def test_a_robot_whose_base_a_loose_joint_holds_is_refused_alone_in_one_line(shared_cases: Path, door: Any) -> None:
    with pytest.raises(UnsupportedError, match=r"^/R/root_joint: not simulated: a fixed joint outside articulations "
                       r"between the world and /R/base; .* move PhysicsArticulationRootAPI") as refusal:
        door(found_stage(shared_cases, HELD))
    assert "\n" not in str(refusal.value)


def test_a_scene_holds_the_base_that_a_loose_joint_fixes(shared_cases: Path) -> None:
    recorded = np.load(shared_cases / "found" / HELD / "expected.npz")["pose"]
    found = simulate(found_stage(shared_cases, HELD), dt=1 / 60, steps=len(recorded) - 1)
    assert found.not_simulated == ()
    assert np.abs(found.link_pose[:, 0, 0, :3] - found.link_pose[0, 0, 0, :3]).max() < STAYS


@pytest.mark.parametrize("options", [(), ("--strict",)])
def test_the_command_refuses_a_held_robot_and_writes_nothing(shared_cases: Path, tmp_path: Path,
                                                           options: tuple[str, ...]) -> None:
    out = tmp_path / "motion.npz"
    result = run("simulate", found_stage(shared_cases, HELD), "--articulation", "/R/base", "--steps", "1", "--out",
                 str(out), *options)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert "/R/root_joint: not simulated:" in result.stderr
    assert not out.exists()


def test_a_session_steps_a_robot_whose_base_a_joint_holds_and_it_stays(shared_cases: Path) -> None:
    with Session(Usd.Stage.Open(found_stage(shared_cases, HELD))) as session:
        start = session.simulation("/R/base").link_pose[0, 0]
        for _ in range(10):
            session.step()
        assert session.simulation("/R/base").link_pose[0, 0] == pytest.approx(start, abs=1e-4)
        assert not [m for m in session.messages if m.kind == "not-simulated"]


def test_a_session_lets_a_robot_fall_while_the_joint_that_holds_it_is_off(shared_cases: Path) -> None:
    stage = Usd.Stage.Open(found_stage(shared_cases, HELD))
    stage.SetEditTarget(stage.GetSessionLayer())
    enabled = stage.GetPrimAtPath("/R/root_joint").CreateAttribute(
        "physics:jointEnabled", stage.GetPrimAtPath("/R/root_joint").GetAttribute("physics:jointEnabled").GetTypeName())
    enabled.Set(False)
    with Session(stage) as session:
        session.step()
        assert session.simulation("/R/base").get("v")[0, 2] < -0.1
        enabled.Set(True)
        for _ in range(5):
            session.step()
        held = session.simulation("/R/base").get("v")[0, 2]
        assert abs(held) < 0.1
        enabled.Set(False)
        session.step()
        assert session.simulation("/R/base").get("v")[0, 2] < held - 0.1


def test_verification_names_the_joint_that_holds_a_robot(shared_cases: Path) -> None:
    assert [item.path for item in verify(found_stage(shared_cases, HELD)).not_simulated] == ["/R/root_joint"]


@pytest.mark.parametrize("kind", ["Fixed", "Revolute", "Spherical", "Distance"])
def test_a_floating_robot_that_a_joint_ties_to_a_body_is_refused(kind: str) -> None:
    floating = sliding(base_link=link("base"), outside=CRATE + BOND.replace("Fixed", kind))
    with pytest.raises(UnsupportedError, match="/bond: not simulated"):
        Simulation(opened(floating), articulation="/Robot", **PATH)


@pytest.mark.parametrize(("kind", "articulation", "path"), [
    ("Fixed", "/crate", "/crate: joint /bond"), ("Fixed", "/Robot", "/bond"), ("Revolute", "/Robot", "/bond")])
def test_a_refusal_for_a_joint_outside_says_that_a_scene_steps_it(kind: str, articulation: str, path: str) -> None:
    floating = sliding(base_link=link("base"), outside=CRATE + BOND.replace("Fixed", kind))
    with pytest.raises(UnsupportedError, match=f"^{path}.*to include the joint, use Scene, or simulate without"):
        Simulation(opened(floating), articulation=articulation, **PATH)
    assert "/bond" in Scene(opened(floating)).joints


def test_of_a_joint_that_is_left_out_alone_it_is_said_that_a_scene_steps_it() -> None:
    stage = opened(sliding(joint("Fixed", "loop", "base", "end", (), EXCLUDED)))
    with pytest.warns(NotSimulatedWarning, match="to include the joint, use Scene, or simulate without"):
        Simulation(stage, articulation="/Robot", **PATH)
    assert Scene(stage).not_simulated == ()


# --- loops and joints outside ---------------------------------------------------------------------------------------

def root_of(stage: str) -> str:
    """The path of the only articulation of a stage."""
    return describe(stage).articulations[0].path


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_scene_leaves_out_the_joints_that_physx_leaves_out(shared_cases: Path, name: str) -> None:
    assert simulate(found_stage(shared_cases, name), steps=1).not_simulated == ()


@pytest.mark.parametrize("name", LEFT_OUT)
def test_joints_that_close_loops_are_named_by_every_door(shared_cases: Path, name: str) -> None:
    stage, paths = found_stage(shared_cases, name), LEFT_OUT[name]
    with pytest.warns(NotSimulatedWarning, match=f"{paths[0]}.*not simulated") as warned:
        recording = simulate(stage, steps=1, articulation=root_of(stage), **PATH)
    with pytest.warns(NotSimulatedWarning, match=f"{paths[0]}.*not simulated"):
        sim = Simulation(stage, **PATH)
    assert [Path(item.filename).name for item in warned] == [Path(__file__).name]
    for found in (recording, sim, verify(stage)):
        assert sorted(item.path for item in found.not_simulated) == paths
    with Session(Usd.Stage.Open(stage)) as session:
        assert set(paths) <= {m.path for m in session.messages}


@pytest.mark.parametrize("name", LEFT_OUT)
@pytest.mark.parametrize("command", [("simulate", "--steps", "1"), ("verify",)])
def test_the_command_line_names_loops_and_exits_with_5_if_strict(shared_cases: Path, name: str,
                                                                 command: tuple[str, ...]) -> None:
    stage = found_stage(shared_cases, name)
    picked = ("--articulation", root_of(stage)) if command[0] == "simulate" else ()
    relaxed, strict = run(*command, stage, *picked), run(*command, stage, *picked, "--strict")
    found = relaxed.exit_code       # 1 where verification finds numbers that are ignored, which comes first
    assert (found, strict.exit_code) == ((1, 1) if found and command == ("verify",) else (0, 5))
    lines = [line for line in strict.output.splitlines() if ": not simulated: " in line]
    assert sorted(re.findall(r"/R/j\d(?=[^ ]*: not simulated: )", "\n".join(lines))) == LEFT_OUT[name]


def test_a_joint_that_is_kept_out_of_the_articulation_is_named() -> None:
    assert said(sliding(joint("Fixed", "loop", "base", "end", (), EXCLUDED))) == [("joint", "/Robot/loop")]


def test_a_gear_between_hinges_is_named() -> None:
    gear = prim("PhysxPhysicsGearJoint", "gear", (), {
        "rel physics:body0": "</Robot/tip>", "rel physics:body1": "</Robot/end>",
        "rel physics:hinge0": "</Robot/j>", "rel physics:hinge1": "</Robot/k>", "float physics:gearRatio": 2.0})
    assert said(sliding(gear)) == [("joint", "/Robot/gear")]


def test_a_joint_between_other_bodies_is_none_of_the_robots_business() -> None:
    other = prim("Xform", "crate", ("PhysicsRigidBodyAPI",)) + prim("PhysicsFixedJoint", "bond", (), {
        "rel physics:body1": "</crate>"})
    assert said(sliding(outside=other)) == []


@pytest.mark.parametrize(("stabilized", "named"), [(True, [("unread", "/scene")]), (False, [])])
def test_what_physx_reads_and_this_library_does_not_is_named_unless_it_is_the_default(
        stabilized: bool, named: list[tuple[str, str]]) -> None:
    scene = prim("PhysicsScene", "scene", ("PhysxSceneAPI",), {
        "bool physxScene:enableStabilization": stabilized, "uint physxScene:timeStepsPerSecond": 120})
    assert said(sliding(outside=scene)) == named


def test_an_attachment_to_a_link_is_named() -> None:
    def attachment(name: str, target: str) -> str:
        return prim("OmniPhysicsVtxXformAttachment", name, (), {"rel omniphysics:src1": target})

    cloth = attachment("pinned", "</Robot/tip>") + attachment("elsewhere", "</other>")
    assert said(sliding(outside=cloth)) == [("unread", "/pinned")]


def test_a_warning_quotes_a_few_lines_and_counts_the_others() -> None:
    loops = [joint("Fixed", f"loop{i}", "base", "end", (), EXCLUDED) for i in range(MAX_QUOTED + 3)]
    with pytest.warns(NotSimulatedWarning, match=f"loop{MAX_QUOTED - 1}:.*; and 3 more in not_simulated$"):
        sim = Simulation(opened(sliding(*loops)), **PATH)
    assert len(sim.not_simulated) == MAX_QUOTED + 3


# --- masses ---------------------------------------------------------------------------------------------------------

SHAPED = ("PhysicsCollisionAPI", "PhysicsMeshCollisionAPI")
WEIGHED = {"float physics:mass": 2.0, "float3 physics:diagonalInertia": (1.0, 2.0, 3.0),
           "point3f physics:centerOfMass": (0, 0, 0.5)}


def of_mesh(approximation: str, mass: dict[str, object] | None = None) -> str:
    """A link whose collider is a tetrahedron."""
    mesh = prim("Mesh", "shape", SHAPED, {
        "point3f[] points": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], "int[] faceVertexCounts": [3, 3, 3, 3],
        "int[] faceVertexIndices": [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3],
        "uniform token physics:approximation": approximation})
    return prim("Xform", "tip", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"), mass or {}, mesh)


def mesh_robot(*arguments: Any) -> str:
    return robot(base(), of_mesh(*arguments), joint("Revolute", "j", "base", "tip"))


@pytest.mark.parametrize("approximation", ["convexDecomposition", "sphereFill"])
def test_an_estimated_mass_is_said_by_every_door(tmp_path: Path, approximation: str) -> None:
    text, shape = mesh_robot(approximation), "/Robot/tip/shape"
    with pytest.warns(NotSimulatedWarning, match=f"{shape}: not simulated: .* are estimates"):
        recording = simulate(opened(text), steps=1, **PATH)
    assert [(item.code, item.path) for item in recording.not_simulated] == [("mass", shape)]
    assert [(item.code, item.path) for item in verify(opened(text)).not_simulated] == [("mass", shape)]
    with Session(opened(text)) as session:
        warned = [(m.code, m.path) for m in session.messages if m.severity == "warning"]
        assert warned == [("body/collider-mass", shape)]
    file = tmp_path / "robot.usda"
    file.write_text(text, encoding="utf-8")
    for command in (("simulate", "--steps", "1"), ("verify",)):
        result = run(*command, str(file), "--strict")
        assert result.exit_code == 5
        assert sum(f"{shape}: not simulated: " in line for line in result.output.splitlines()) == 1


def test_an_estimated_mass_of_a_free_body_is_said() -> None:
    with pytest.warns(NotSimulatedWarning, match="/tip/shape: not simulated: .* are estimates"):
        simulate(opened("#usda 1.0\n" + of_mesh("convexDecomposition")), steps=1)


@pytest.mark.parametrize("arguments", [("convexHull",), ("convexDecomposition", WEIGHED)])
def test_a_mass_that_is_known_is_not_named(arguments: tuple[Any, ...]) -> None:
    assert said(mesh_robot(*arguments)) == []


# --- what goes along ------------------------------------------------------------------------------------------------

def test_nothing_is_said_of_a_robot_alone() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert simulate(opened(sliding()), steps=1, **PATH).not_simulated == ()


def test_a_recording_keeps_what_was_left_out(shared_cases: Path, tmp_path: Path) -> None:
    out = tmp_path / "motion.npz"
    stage = found_stage(shared_cases, FOURBAR)
    assert run("simulate", stage, "--articulation", root_of(stage), "--steps", "1", "--out", str(out)).exit_code == 0
    assert [line.partition(":")[0] for line in np.load(out)["not_simulated"]] == ["/R/j3.physics"]


def test_the_json_of_a_verification_names_it(shared_cases: Path) -> None:
    found = json.loads(run("verify", "--format", "json", found_stage(shared_cases, FOURBAR)).stdout)
    assert [(item["code"], item["path"]) for item in found["not_simulated"]] == [("loop", "/R/j3")]


def test_the_pytest_assertion_warns_of_it(shared_cases: Path) -> None:
    from physx_runtime.pytest_plugin import NotEvaluatedWarning, assert_authored_values

    with pytest.warns(NotEvaluatedWarning, match=r"/R/j3\.physics:excludeFromArticulation: not simulated"):
        assert_authored_values(found_stage(shared_cases, FOURBAR))


def test_of_two_articulations_below_one_root_prim_none_is_taken_unasked() -> None:
    stage = opened(sliding(link("crate", (5, 0, 0)), joint("Fixed", "bond", "", "crate", (), EXCLUDED)))
    with pytest.raises(UnsupportedError, match="the stage has 2 articulations; set articulation to one of "
                                               "/Robot/base, /Robot/crate"):
        Simulation(stage, **PATH)
    assert Simulation(stage, articulation="/Robot/base", **PATH).model.link_names[0] == "/Robot/base"


def test_the_public_names_are_those_of_the_module() -> None:
    assert physx_runtime.NotSimulatedWarning is NotSimulatedWarning
    assert physx_runtime.NotSimulated.__module__ == "physx_runtime.packing.model"


# --- contact left out ------------------------------------------------------------------------------------------------

ROOT = ("PhysicsArticulationRootAPI", "PhysxArticulationAPI")
CALM = "bool physxArticulation:enabledSelfCollisions"


def with_root(schemas: tuple[str, ...], attributes: dict[str, object]) -> str:
    """A robot with cubes on its base and end, which are no neighbours, and opinions at its root."""
    text = robot(link("base", children=CUBE), joint("Fixed", "anchor", "", "base"), link("tip", (1, 0, 0)),
                 link("end", (2, 0, 0), children=CUBE), *TWO_LINKS, schemas=schemas)
    own = "".join(f"{name} = {int(bool(value))}\n" for name, value in attributes.items())
    return text.replace('def Xform "base"', own + 'def Xform "base"', 1)


@pytest.mark.parametrize(("schemas", "attributes", "touches"), [
    (ROOT[:1], {}, True), (ROOT, {}, True), (ROOT, {CALM: True}, True), (ROOT, {CALM: False}, False),
    (ROOT[:1], {CALM: False}, True),
    ((ROOT[0], "NewtonArticulationRootAPI"), {"bool newton:selfCollisionEnabled": False}, False),
    ((*ROOT, "NewtonArticulationRootAPI"), {"bool newton:selfCollisionEnabled": False}, True),
])
def test_links_that_are_no_neighbours_touch_unless_self_collision_is_off(
        schemas: tuple[str, ...], attributes: dict[str, object], touches: bool) -> None:
    assert said(with_root(schemas, attributes)) == ([("contact", "/Robot/base/shape")] if touches else [])


@pytest.mark.parametrize(("stage", "touches"), [
    (sliding(of_tip=CUBE, of_end=CUBE), False),
    (sliding(of_tip=CUBE), False),
    (sliding(of_tip=CUBE, outside=GROUND), True),
    (sliding(outside=GROUND), False),
    (sliding(base_link=link("base", children=CUBE) + joint("Fixed", "anchor", "", "base"), outside=GROUND), False),
    (sliding(of_tip=CUBE, outside=GROUND.replace("{\n", "{\nbool physics:collisionEnabled = 0\n", 1)), False),
    (sliding(of_tip=CUBE, outside=CRATE), True),
    (sliding(of_tip=CUBE, outside=CRATE + BOND), False),
], ids=["neighbours", "alone", "ground", "no-collider", "fixed-base", "disabled", "body", "joined"])
def test_contact_is_named_where_colliders_can_meet(stage: str, touches: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotSimulatedWarning)
        sim = Simulation(opened(stage), articulation="/Robot", **PATH)
    assert any(item.code == "contact" for item in sim.not_simulated) == touches


@pytest.mark.parametrize("target", ["</Robot/tip>", "</Robot/tip/shape>", "</Robot>"])
def test_filtered_pairs_do_not_meet(target: str) -> None:
    ground = prim("Plane", "ground", ("PhysicsCollisionAPI", "PhysicsFilteredPairsAPI"), {
        "uniform token axis": "Z", "rel physics:filteredPairs": target})
    assert said(sliding(of_tip=CUBE, outside=ground)) == []


@pytest.mark.parametrize(("filtered", "inverted", "touches"), [
    ("", False, True), ("</others>", False, False), ("", True, False), ("</others>", True, True)])
def test_collision_groups_that_are_filtered_do_not_meet(filtered: str, inverted: bool, touches: bool) -> None:
    def group(name: str, member: str, more: dict[str, object]) -> str:
        return prim("PhysicsCollisionGroup", name, ("CollectionAPI:colliders",), {
            "rel collection:colliders:includes": member, **more})

    scene = prim("PhysicsScene", "scene", ("PhysxSceneAPI",), {"bool physxScene:invertCollisionGroupFilter": inverted})
    groups = group("own", "</Robot>", {"rel physics:filteredGroups": filtered} if filtered else {}) + group(
        "others", "</ground>", {})
    assert bool(said(sliding(of_tip=CUBE, outside=GROUND + scene + groups))) == touches


def test_contact_of_many_colliders_is_one_line() -> None:
    cubes = "".join(prim("Cube", f"cube{i}", ("PhysicsCollisionAPI",), {"double size": 0.1}) for i in range(20))
    assert said(sliding(of_tip=cubes, outside=GROUND)) == [("contact", "/Robot/tip/cube0")]
    fields = "".join(mesh_prim(box(0.1, 0.1, 0.1), "sdf", name=f"field{i}") for i in range(20))
    with Session(opened(sliding(of_tip=fields, of_end=fields, outside=GROUND))) as session:
        assert sum(m.code == "session/contact" for m in session.messages) == 1


LAST = "bool physxScene:solveArticulationContactLast"


@pytest.mark.parametrize(("outside", "value", "fastest", "named"), [
    ("", True, 1.0, True), ("", False, 1.0, False), ("", True, None, False), (GROUND, True, 1.0, False)],
    ids=["asked", "not-asked", "without-a-limit", "stepped-with-contacts"])
def test_speeds_that_are_to_be_limited_last_are_named_of_a_robot_alone(
        outside: str, value: bool, fastest: float | None, named: bool) -> None:
    name = LAST.partition(" ")[2]
    scene = prim("PhysicsScene", "scene", ("PhysxSceneAPI",), {LAST: value})
    limit = () if fastest is None else (joint("Revolute", "slow", "end", "last", ("PhysxJointAxisAPI:angular",), {
        "float physxJointAxis:angular:maxJointVelocity": fastest}), link("last", (2, 0, 0)))
    stage = opened(sliding(*limit, of_tip=CUBE, outside=outside + scene))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotSimulatedWarning)
        found = Scene(stage).not_simulated
    assert [(item.path, item.property) for item in found] == ([("/scene", name)] if named else [])
    with Session(stage) as session:
        assert sum(m.property == name and m.kind == "not-simulated" for m in session.messages) == named


def test_of_links_that_touch_nothing_is_left_out() -> None:
    stage = opened(sliding(of_tip=CUBE, outside=GROUND))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Scene(stage).not_simulated == ()
    with Session(stage) as session:
        assert [m for m in session.messages if m.kind == "not-simulated"] == []


def test_a_free_body_alone_is_said_to_touch_nothing() -> None:
    ball = prim("Xform", "ball", ("PhysicsRigidBodyAPI",), {}, CUBE)
    with pytest.warns(NotSimulatedWarning, match=r"/ball/shape\.physics:collisionEnabled: not simulated: contacts, for "
                                                 "example with /ground; these colliders pass through each other"):
        simulate(opened("#usda 1.0\n" + ball + GROUND), steps=1, articulation="/ball")


def test_of_bodies_that_touch_nothing_is_left_out() -> None:
    ball = prim("Xform", "ball", ("PhysicsRigidBodyAPI",), {}, CUBE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Scene(opened("#usda 1.0\n" + ball + GROUND)).not_simulated == ()


# --- instancers ------------------------------------------------------------------------------------------------------

MANY = """def PointInstancer "many"
{{
    rel prototypes = </World/many/p>
    int[] protoIndices = [0, 0]
    point3f[] positions = [(3, 0, 0), (6, 0, 0)]
    def Cube "p" (prepend apiSchemas = [{schemas}])
    {{
        double size = 1
    }}
}}
"""


@pytest.mark.parametrize(("schemas", "named"), [
    ('"PhysicsCollisionAPI"', "2 instances have prototypes with colliders"),
    ('"PhysicsCollisionAPI", "PhysicsRigidBodyAPI"', "2 instances have prototypes with rigid bodies")])
def test_instances_of_what_collides_are_named(schemas: str, named: str) -> None:
    stage = opened(world(MANY.format(schemas=schemas), body("a", ball(0.2), (3.1, 0, 1.5)), ground()))
    with pytest.warns(NotSimulatedWarning, match=f"/World/many.prototypes.*{named}"):
        simulate(stage, steps=1)


# --- why nothing moves -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("prims", "cause", "remedy"), [
    (prim("Xform", "a", ("PhysicsMassAPI",)), "no prim has PhysicsRigidBodyAPI", "apply it to each prim that should"),
    (link("a", more={"bool physics:rigidBodyEnabled": False}), "physics:rigidBodyEnabled is false on /a",
     "set it to true"),
    (link("a").replace("def Xform", "over", 1), "/a: an over without a def",
     "reference this over from a prim that has a def"),
    ('def "a" (references = @./gone.usda@)\n{\n}\n', "/a: the reference @", "put the layer at this path"),
    ('def "a" (prepend variantSets = "v")\n{\n    variantSet "v" = {\n        "rigid" {\n' + link("b") + "}\n}\n}\n",
     "/a: physics is in the variant 'rigid'", "select this variant"),
    (holder("a", "instanceable = true\n    inherits = </kind>") + holder("kind", 'kind = "group"', link("b"), "class"),
     "the rigid body is inside the instance /a", "set instanceable to false on /a"),
])
def test_a_stage_on_which_nothing_moves_says_why(prims: str, cause: str, remedy: str) -> None:
    stage = opened(layer(prims))
    with pytest.raises(UnsupportedError, match="the stage has no rigid body") as refused:
        simulate(stage, steps=1)
    assert cause in str(refused.value)
    assert remedy in str(refused.value)
