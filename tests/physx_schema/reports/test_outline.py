"""What `physx-schema describe` shows a person, and all of what it gives a program."""

from __future__ import annotations

import dataclasses
import json

import pytest
from support.compared.themes import STAGES
from support.stages import iteration_stages
from support.stages.parts import ROOT_API, body, chain, collider, drive, envelope, frames, scene, stage
from support.stages.robots import HEAD, base, joint, link, opened, prim, robot

from physx_schema.description import Description, Problem, describe
from physx_schema.reports.json_output import JSON_VERSION, description_json
from physx_schema.reports.outline import outline

TEXTS = {stage.name: str(stage.source) for stage in STAGES}


def shown(text: str) -> list[str]:
    """The lines below the stage's name."""
    return list(outline("stage.usda", describe(opened(text))))[1:]


def block(lines: list[str], start: str) -> list[str]:
    """A line that starts so (indentation aside) and what is indented below it."""
    first = next(i for i, line in enumerate(lines) if line.lstrip().startswith(start))
    depth = len(lines[first]) - len(lines[first].lstrip())
    rest = lines[first + 1:]
    count = next((i for i, line in enumerate(rest) if len(line) - len(line.lstrip()) <= depth), len(rest))
    return [line[depth:] for line in lines[first:first + 1 + count]]


def test_links_are_a_tree_with_masses_joints_limits_and_drives() -> None:
    assert block(shown(TEXTS["rich_finger"]), "base:") == [
        "base: 1 kg, joined to the world by anchor",
        "  l1: 1 kg, revolute joint j1 about Y, -70 to 80 deg",
        "      force drive: stiffness 3 N m/deg, damping 2 N m s/deg, target 0 deg, at most 7 N m",
        "      armature 0.5 kg m2",
        "      friction: static 5 N m, dynamic 3 N m, viscous 0.2 N m s/deg",
        "      at most 90 deg/s",
        "    l2: 1 kg, prismatic joint j2 along Z, -1 to 2 m",
        "        acceleration drive: stiffness 5 /s2, damping 1 /s, target 0 m",
        "        armature 0.25 kg",
        "        at most 3 m/s",
    ]


def test_problems_are_listed_errors_first() -> None:
    faults = [Problem("a/a", f"/{index}", "", "message", "why", "fix", severity)
              for index, severity in enumerate(("info", "error", "warning", "error"))]
    lines = outline("stage.usda", dataclasses.replace(describe(opened(TEXTS["rich_finger"])), problems=tuple(faults)))
    assert [line.split()[:3] for line in lines if " a/a: " in line] == [
        ["error", "a/a:", "/1:"], ["error", "a/a:", "/3:"], ["warning", "a/a:", "/2:"], ["info", "a/a:", "/0:"]]


@pytest.mark.parametrize(("kind", "body", "held"), [
    ("Fixed", "base", True), ("Revolute", "base", True), ("Spherical", "arm", True), ("Distance", "base", False)])
def test_a_robot_that_a_joint_outside_holds_to_the_world_does_not_float(kind: str, body: str, held: bool) -> None:
    text = robot(link("base", schemas=(ROOT_API,)), link("arm"), joint("Revolute", "j", "base", "arm"),
                 joint(kind, "pin", "", body), schemas=())
    line = next(line for line in shown(text) if line.lstrip().startswith("articulation"))
    assert ("joined to the world by pin (outside the articulation)" in line) == held
    assert ("floating base" in line) != held


def test_units_are_those_of_the_stage() -> None:
    lines = shown(TEXTS["millimetres_and_grams"])
    assert "gravity (0, 0, -9810) mm/s2, Z up, 0.001 m and 0.001 kg per unit" in lines[0]
    assert block(lines, "l2:") == [
        "l2: 2 g, prismatic joint j2 along X, -4 to 5 mm", "    starts at 1.5 mm, 0.3 mm/s",
        "    force drive: stiffness 8 g/s2, damping 3 g/s, target 1 mm, at most 20 g mm/s2", "    armature 0.3 g",
        "    friction: static 2 g mm/s2, dynamic 0 g mm/s2, viscous 0 g/s",
    ]


def test_gains_of_acceleration_drives_have_no_mass() -> None:
    lines = shown(TEXTS["hinge_drives"])
    assert block(lines, "l1:")[1].strip() == (
        "acceleration drive: stiffness 10 rad/s2/deg, damping 2 rad/s2 s/deg, target -0.5 deg")


def test_branches_of_a_fixed_tendon_follow_the_joints() -> None:
    assert block(shown(TEXTS["branched_tendon"]), "fixed tendon") == [
        "fixed tendon t: stiffness 30 N/m, damping 2 N s/m, rest length 0.1 m, offset 0.2 m, "
        "length -0.4 to 0.6 m by stiffness 15 N/m",
        "  ja: gearing 1, force coefficient 1",
        "    jb: gearing 0.5, force coefficient 0.7",
        "      jc: gearing -1.2, force coefficient -0.9",
        "    jd: gearing 0.8, force coefficient 1",
        "      je: gearing 1, force coefficient 1.1",
    ]


def test_branches_of_a_spatial_tendon_follow_its_attachments() -> None:
    assert block(shown(TEXTS["branched_cable"]), "spatial tendon") == [
        "spatial tendon r: stiffness 8 N/m, damping 0.5 N s/m, offset 0.1 m, limit stiffness 3 N/m",
        "  r on base: root at (-2, 0, 0) m",
        "    via on a: attachment at (0.1, 0, 0.5) m, gearing 0.8",
        "      right on c: leaf at (0.6, 0, -0.4) m, gearing 0.9, rest length 2.65357 m (as posed)",
        "      left on b: leaf at (0.3, 0, 0) m, gearing 1.1, rest length 2.5 m, length 1 to 2 m",
    ]


@pytest.mark.parametrize(("name", "line"), [
    ("mimic_hinges", "    mimic joint jb = 0.7 * ja - 2.86479 deg, hard"),
    ("mimic_hinges", "    mimic joint jc = -1.5 * ja, hard"),
    ("mimic_slider_of_a_hinge", "    mimic joint jb = -0.02 m/deg * ja, spring with natural frequency 20 rad/s and "
                                "damping ratio 0.7"),
])
def test_mimic_joints_are_equations_of_coordinates(name: str, line: str) -> None:
    assert line in shown(TEXTS[name])


def test_every_axis_of_a_generic_joint_is_named() -> None:
    assert block(shown(TEXTS["generic_limited"]), "l1:")[:4] == [
        "l1: 1 kg, generic joint j", "    rotX: -30 to 40 deg", "    rotY: -10 to 10 deg", "    rotZ: no limits"]


def test_an_envelope_shows_its_bounds() -> None:
    own = {**frames(), **drive("angular", stiffness=1.0), **envelope(
        "angular", maxActuatorVelocity=40.0, velocityDependentResistance=0.3, speedEffortGradient=0.02)}
    text = stage(base(), link("l1"), joint("Revolute", "j", "base", "l1", (
        "PhysicsDriveAPI:angular", "PhysxDrivePerformanceEnvelopeAPI:angular"), own))
    assert block(shown(text), "l1:")[1].endswith(
        "within an envelope: to 40 deg/s, resistance 0.3 N m s/deg, gradient 0.02 deg/s per N m")


def test_articulations_that_read_alike_are_shown_once() -> None:
    def arm(name: str) -> str:
        own = {"rel physics:body0": f"</{name}/a>", "rel physics:body1": f"</{name}/b>", **frames((1, 0, 0))}
        return prim("Xform", name, (ROOT_API,), {}, link("a") + link("b") + prim("PhysicsRevoluteJoint", "j", (), own))
    text = HEAD.format(meters=1.0, kilograms=1.0) + scene() + "".join(arm(f"arm{i}") for i in range(5))
    lines = shown(text)
    assert sum("articulation /arm" in line for line in lines) == 1
    assert "    4 equal articulations: /arm1, /arm2, /arm3 and 1 more" in lines


def test_counts_that_another_object_raises_are_said_with_its_path() -> None:
    lines = shown(iteration_stages.stage(iteration_stages.slider("A", (1, 0)), iteration_stages.free("B")))
    assert block(lines, "articulation /A")[0].endswith(
        "1/0 iterations; solved with 16/1 position/velocity iterations instead of the requested 1/0, because of /B")


def test_deep_chains_stay_within_reach_of_the_eye() -> None:
    lines = shown(stage(*chain(26, a=(ROOT_API,)), schemas=()))
    assert max(len(line) - len(line.lstrip()) for line in lines) <= 28
    assert any(line.endswith("no limits, on y") for line in lines)


def test_colliders_and_materials_are_shown() -> None:
    cube = collider("Cube", "c", {"double size": 2.0})
    ball = collider("Sphere", "s", {"double radius": 0.5})
    text = stage(base(), body("l1", (1, 0, 0), cube + ball), joint("Revolute", "j", "base", "l1"),
                 outside=collider("Capsule", "wall", {"double radius": 0.5, "double height": 2.0})
                 + prim("Material", "steel", ("PhysicsMaterialAPI",), {"float physics:staticFriction": 0.5}))
    lines = shown(text)
    for line in ("    collider l1/c: box of 2 x 2 x 2 m", "    collider l1/s: sphere of radius 0.5 m",
                 "  static collider /wall: capsule along Z, radius 0.5 m, height 2 m",
                 "  material /steel: friction 0.5 static, 0 dynamic (average), restitution 0 (average)"):
        assert line in lines


def test_unused_opinions_come_last_with_what_would_have_worked() -> None:
    text = stage(base(), link("l1"), joint("Revolute", "j", "base", "l1", (), {
        "float physics:lowerLimits": -10.0, **frames()}))
    assert shown(text)[-3:] == [
        "  unused: 1 opinion",
        "    no schema of the prim has a property with this name -> physics:lowerLimit",
        "      /Robot/j.physics:lowerLimits",
    ]


@pytest.mark.parametrize("name", TEXTS)
def test_every_authored_stage_can_be_shown(name: str) -> None:
    assert all(line.startswith("  ") for line in shown(TEXTS[name]))


@pytest.mark.parametrize("name", ["branched_tendon", "branched_cable", "mimic_hinges", "solids", "floating_start"])
def test_json_holds_every_fact_and_its_version(name: str) -> None:
    content = json.loads(description_json(describe(opened(TEXTS[name]))))
    assert content["version"] == JSON_VERSION == 1
    assert set(content) == {"version", *(field.name for field in dataclasses.fields(Description))}


def test_json_has_vectors_as_lists() -> None:
    authored = json.loads(description_json(describe(opened(TEXTS["rich_finger"]))))["authored"]
    values = {f"{item['path']}.{item['property']}": item["value"] for item in authored}
    assert values["/Robot/j1.physics:localPos0"] == [1.0, 0.0, 0.0]
    assert values["/Robot/j1.physics:localRot1"] == pytest.approx([0.7071068, 0.7071068, 0.0, 0.0])


def test_a_joint_outside_says_why_what_acts_and_that_its_loop_may_open() -> None:
    loop = joint("Revolute", "k", "base", "b", ("PhysicsDriveAPI:angular",), {
        "bool physics:excludeFromArticulation": True, "float physics:breakForce": 9.0,
        "float drive:angular:physics:stiffness": 3.0})
    text = robot(base(), link("a"), link("b"), joint("Revolute", "j0", "base", "a"), joint("Revolute", "j1", "a", "b"),
                 loop)
    assert block(shown(text), "revolute joint /Robot/k") == [
        "revolute joint /Robot/k about X, from /Robot/base to /Robot/b, no limits",
        "    outside articulations: physics:excludeFromArticulation is set",
        "    force drive: stiffness 3 N m/deg, damping 0 N m s/deg, target 0 deg",
        "    breaks at 9 N, inf N m",
        "    the loop of this joint can come apart in simulation; physx-schema verify measures the gap"]


def test_a_joint_outside_says_what_does_not_move_at_its_ends() -> None:
    still = link("k", more={"bool physics:kinematicEnabled": True}) + link("off", more={
        "bool physics:rigidBodyEnabled": False})
    text = robot(link("a"), still, joint("Fixed", "j0", "k", "a"), joint("Fixed", "j1", "off", "a"), schemas=())
    assert [line.strip() for line in shown(text) if "fixed joint" in line] == [
        "fixed joint /Robot/j0, from /Robot/k (kinematic) to /Robot/a",
        "fixed joint /Robot/j1, from /Robot/off (not simulated: the world) to /Robot/a"]
