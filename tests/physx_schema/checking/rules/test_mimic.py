"""The mimic-joint rule gives every labelled stage its labels, and judges what the labels leave out.

What the mimic rule calls refused follows nothing in real PhysX, and follows once it is remedied.
"""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support.nonempty import nonempty
from support.stages.faulty_robots import SCENE, stage
from support.stages.robots import base, joint, link, opened, robot

from physx_schema.checking import RULES, Finding, check
from physx_schema.checking.engine.finding import rank
from physx_schema.checking.rules.mimic import _REFUSALS
from physx_schema.description import describe

RULE = "DJ.007/"
STAGES = (
    "compliance_unauthored", "d6_translation_unlocked", "damping_ratio_zero", "follower_excluded",
    "gearing_minus1_equal_limits", "gearing_minus1_limits_mirrored", "gearing_minus1_wide_limits",
    "gearing_plus1_limits_not_mirrored", "gearing_wrong_type", "gearing_zero", "host_not_a_joint",
    "instance_rotX_on_prismatic", "instance_transX_on_prismatic", "instance_two_on_revolute", "instance_unknown",
    "limits_absent", "natural_frequency_zero", "offset_limits_shifted", "reference_absent", "reference_self",
    "reference_two_targets", "rule_example_revolute",
)
PROFILES = ("physx", "simready")


@cache
def labels(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "labels.json").read_text()))


def rule_findings(stage: object, profile: str = "physx+simready") -> list[Finding]:
    return [finding for finding in check(stage, profile).findings if finding.code.startswith(RULE)]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", STAGES)
def test_labelled_findings_are_reported(shared_cases: Path, name: str, profile: str) -> None:
    folder = shared_cases / "mimic_rule"
    found = rule_findings(folder / f"{name}.usda", profile)
    for label in labels(folder)[name]["findings"]:
        severities = [item.severity for item in found
                      if item.code == RULE + label["code"] and item.path == label["prim"]]
        assert severities, f"{label['code']} is missing"
        assert max(severities, key=rank) == label["severity"][profile]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", STAGES)
def test_nothing_beside_the_labels_is_reported(shared_cases: Path, name: str, profile: str) -> None:
    folder = shared_cases / "mimic_rule"
    label = labels(folder)[name]
    allowed = {item["code"] for item in label["findings"]} | set(label["may_also"])
    found = {item.code.removeprefix(RULE) for item in rule_findings(folder / f"{name}.usda", profile)
             if item.severity != "info"}
    assert found <= allowed


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", STAGES)
def test_verdict_is_the_labelled_one(shared_cases: Path, name: str, profile: str) -> None:
    folder = shared_cases / "mimic_rule"
    wanted = labels(folder)[name]["verdict"][profile]
    worst = max((item.severity for item in rule_findings(folder / f"{name}.usda", profile)), key=rank, default="ok")
    assert worst == wanted or (wanted == "ok" and worst == "info")


def test_every_labelled_stage_is_tested(shared_cases: Path) -> None:
    assert set(labels(shared_cases / "mimic_rule")) == set(STAGES)


# --- what the labels leave out ---


def pair(follower: dict[str, object] | None = None, leader: dict[str, object] | None = None,
         schemas: tuple[str, ...] = (), kinds: tuple[str, str] = ("Revolute", "Revolute"), extra: str = "",
         leader_schemas: tuple[str, ...] = ()) -> Any:
    """Leader j1 and follower j2 with a sound mimic joint between them, changed by what is given; None removes."""
    limits: dict[str, object] = {"float physics:lowerLimit": -45.0, "float physics:upperLimit": 45.0}
    sound: dict[str, object] = {
        **limits, "rel physxMimicJoint:rotX:referenceJoint": "</Robot/j1>", "float physxMimicJoint:rotX:gearing": -1.0,
        "float physxMimicJoint:rotX:naturalFrequency": 20.0, "float physxMimicJoint:rotX:dampingRatio": 1.0,
    }
    first = {**limits, **(leader or {})}
    second = {key: value for key, value in {**sound, **(follower or {})}.items() if value is not None}
    return opened(robot(
        base(), link("a"), link("b"), joint(kinds[0], "j1", "base", "a", leader_schemas, first),
        joint(kinds[1], "j2", "base", "b", ("PhysxMimicJointAPI:rotX", *schemas), second), extra))


def judgements(stage: Any, profile: str = "physx+simready") -> set[tuple[str, str]]:
    return {(item.code.removeprefix(RULE), item.severity) for item in rule_findings(stage, profile)}


def test_sound_mimic_joint_has_no_findings() -> None:
    assert judgements(pair()) == set()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_gearing_that_is_not_finite_is_an_error(value: float) -> None:
    stage = pair()
    stage.GetPrimAtPath("/Robot/j2").GetAttribute("physxMimicJoint:rotX:gearing").Set(value)
    assert judgements(stage) == {("gearing", "error")}


def test_offset_that_is_not_finite_is_an_error() -> None:
    stage = pair({"float physxMimicJoint:rotX:offset": 0.0})
    stage.GetPrimAtPath("/Robot/j2").GetAttribute("physxMimicJoint:rotX:offset").Set(math.nan)
    assert ("offset", "error") in judgements(stage)


@pytest.mark.parametrize(("frequency", "expected"), [(100.0, set()), (1200.0, {("naturalFrequency", "info")})])
def test_frequency_is_noted_from_where_the_joint_is_all_but_hard(
    frequency: float, expected: set[tuple[str, str]],
) -> None:
    """As measured: 100 lags by 0.54 of 20 degrees, 1200 by 0.006."""
    assert judgements(pair({"float physxMimicJoint:rotX:naturalFrequency": frequency})) == expected


def test_unauthored_gearing_is_a_warning() -> None:
    assert judgements(pair({"float physxMimicJoint:rotX:gearing": None})) == {("gearing", "warning")}


def test_missing_reference_is_an_error() -> None:
    assert ("reference-missing", "error") in judgements(
        pair({"rel physxMimicJoint:rotX:referenceJoint": "</Robot/none>"}))


def test_reference_that_is_no_joint_is_an_error() -> None:
    assert ("reference-type", "error") in judgements(pair({"rel physxMimicJoint:rotX:referenceJoint": "</Robot/a>"}))


def test_excluded_reference_is_an_error() -> None:
    assert ("excluded-ref", "error") in judgements(pair(leader={"bool physics:excludeFromArticulation": True}))


def test_disabled_joint_is_a_warning() -> None:
    assert ("disabled", "warning") in judgements(pair({"bool physics:jointEnabled": False}))


def test_unknown_reference_axis_is_an_error() -> None:
    assert ("reference-axis", "error") in judgements(pair({"token physxMimicJoint:rotX:referenceJointAxis": "rotx"}))


def test_spherical_follower_is_an_error() -> None:
    values = {"float physics:lowerLimit": None, "float physics:upperLimit": None}
    assert ("joint-type", "error") in judgements(pair(values, kinds=("Revolute", "Spherical")))


def test_ring_of_mimic_joints_is_one_error() -> None:
    ring = {"rel physxMimicJoint:rotX:referenceJoint": "</Robot/j2>", "float physxMimicJoint:rotX:gearing": -1.0,
            "float physxMimicJoint:rotX:naturalFrequency": 20.0, "float physxMimicJoint:rotX:dampingRatio": 1.0}
    found = [item for item in rule_findings(pair(leader=ring, leader_schemas=("PhysxMimicJointAPI:rotX",)))
             if item.severity == "error"]
    assert [(item.code, item.path) for item in found] == [("DJ.007/cycle", "/Robot/j1")]
    assert "/Robot/j1 -> /Robot/j2 -> /Robot/j1" in found[0].message


def third(reference: str = "j2") -> str:
    values = {"float physics:lowerLimit": -45.0, "float physics:upperLimit": 45.0,
              "rel physxMimicJoint:rotX:referenceJoint": f"</Robot/{reference}>",
              "float physxMimicJoint:rotX:gearing": -1.0, "float physxMimicJoint:rotX:naturalFrequency": 20.0,
              "float physxMimicJoint:rotX:dampingRatio": 1.0}
    return link("c") + joint("Revolute", "j3", "base", "c", ("PhysxMimicJointAPI:rotX",), values)


@pytest.mark.parametrize(("profile", "severity"), [("physx", "warning"), ("simready", "error")])
def test_chain_is_judged_by_profile(profile: str, severity: str) -> None:
    assert ("chain", severity) in judgements(pair(extra=third()), profile)


def test_prismatic_joints_may_lack_limits_in_physx_only() -> None:
    none = {"float physics:lowerLimit": None, "float physics:upperLimit": None}
    stage = pair(none, kinds=("Prismatic", "Prismatic"))
    assert ("limits", "warning") in judgements(stage, "physx")
    assert ("limits", "error") in judgements(stage, "simready")


def test_clipped_range_prints_the_part_that_is_left() -> None:
    found = rule_findings(pair({"float physics:lowerLimit": 0.0, "float physics:upperLimit": 10.0}))
    assert [item.code for item in found] == ["DJ.007/limits-clip"]
    assert "[-45, 45]" in found[0].message
    assert "only [0, 10] of [-45, 45]" in found[0].why


def test_positive_gearing_mirrors_the_range() -> None:
    values = {"float physxMimicJoint:rotX:gearing": 2.0, "float physxMimicJoint:rotX:offset": 10.0}
    lopsided = {"float physics:lowerLimit": 0.0, "float physics:upperLimit": 45.0}
    sound = {"float physics:lowerLimit": -100.0, "float physics:upperLimit": -10.0}
    assert judgements(pair({**values, **sound}, lopsided), "physx") <= {("newton-portability", "info")}


def test_disjoint_ranges_are_told_from_clipped_ones() -> None:
    assert judgements(pair({"float physics:lowerLimit": 50.0, "float physics:upperLimit": 60.0})) == {
        ("limits-disjoint", "error")}


def test_joints_in_two_articulations_are_an_error() -> None:
    text = robot(base(), link("a"), joint("Revolute", "j1", "base", "a", (), {
        "float physics:lowerLimit": -45.0, "float physics:upperLimit": 45.0}))
    second = third("j1").replace("/Robot/base", "/Other/base").replace("/Robot/c", "/Other/c")
    other = robot(base(), second).split(")\n", 1)[1].replace("/Robot/base", "/Other/base").replace('"Robot"', '"Other"')
    assert ("same-articulation", "error") in judgements(opened(text + other))


def test_drive_on_the_follower_is_a_warning() -> None:
    stage = pair({"float drive:angular:physics:stiffness": 5.0}, schemas=("PhysicsDriveAPI:angular",))
    assert judgements(stage) == {("drive-fight", "warning")}


def test_joint_states_off_the_equation_are_a_warning() -> None:
    stage = pair({"float state:angular:physics:position": 10.0}, schemas=("PhysicsJointStateAPI:angular",))
    assert judgements(stage) == {("initial-violation", "warning")}


@pytest.mark.parametrize(("factor", "severity"), [(1.0, "warning"), (-1.0, "error")])
def test_newton_mimic_on_the_same_joint_is_judged_by_whether_it_agrees(factor: float, severity: str) -> None:
    stage = pair({"float newton:mimicCoef1": factor}, schemas=("NewtonMimicAPI",))
    assert judgements(stage) == {("double-mimic", severity)}


def test_properties_without_the_api_are_an_error() -> None:
    values = {"float physxMimicJoint:rotY:gearing": 1.0}
    assert ("orphan-properties", "error") in judgements(pair(values))


def test_every_finding_of_the_recorded_stages_is_explained(shared_cases: Path) -> None:
    found = set(nonempty(
        item.code for path in (shared_cases / "mimic_rule").glob("*.usda") for item in rule_findings(path)))
    refusals = {RULE + code for code in _REFUSALS}
    assert found | refusals <= RULES.keys()


def test_every_refusal_of_the_recorded_stages_is_an_error(shared_cases: Path) -> None:
    refused = [path for path in sorted((shared_cases / "mimic_rule").glob("*.usda"))
               if any(item.refusal for item in describe(path).mimic_declarations)]
    for path in nonempty(refused):
        assert any(item.severity == "error" for item in rule_findings(path, "physx")), path.name


# --- mimic in PhysX --------------------------------------------------------------------------------------------------

REFUSED = ("instance", "reference-count", "reference-missing", "reference-type", "self", "gearing", "limits",
           "excluded-self", "disabled", "joint-type", "reference-axis", "same-articulation", "orphan-properties")
BROKEN = ("offset",)        # the whole articulation becomes NaN
STATE = ('"j1" (\n    prepend apiSchemas = ["PhysicsJointStateAPI:angular"]\n)\n{\n'
         '    float state:angular:physics:velocity = 60\n')
STEP = 1.0 / 60.0
FOLLOWS = 0.1               # rad/s: a share of the reference's 1.05 that rounding does not reach


def moving(prims: str) -> str:
    """The stage of an example with its reference joint turning at 60 degrees per second."""
    text = stage(prims)
    assert '"j1"\n{\n' in text
    return text.replace('"j1"\n{\n', STATE) + SCENE


@pytest.fixture(scope="module")
def speeds(oracle_folder: Path) -> dict[tuple[str, str], float]:
    """The follower's speed after one step, by sub-code and "example" or "remedy"; 0 where it is in no articulation."""
    from physx_oracle import run_jobs, sim_job

    cases = {(name, state): moving(getattr(RULES[f"DJ.007/{name}"], state))
             for name in (*REFUSED, *BROKEN) for state in ("example", "remedy")}
    runs = run_jobs([sim_job(usda, STEP, 1) for usda in cases.values()])
    return {key: follower_speed(run) for key, run in zip(cases, runs, strict=True)}


def follower_speed(run: dict[str, Any]) -> float:
    last = dict(zip(map(str, run["dof_names"]), run["qd"][-1], strict=True))
    return max((abs(float(value)) for name, value in last.items() if name.startswith("j2")), default=0.0)


@pytest.mark.sweep
@pytest.mark.parametrize("name", REFUSED)
def test_refused_mimic_joint_follows_nothing(speeds: dict[tuple[str, str], float], name: str) -> None:
    assert speeds[name, "example"] < FOLLOWS


@pytest.mark.sweep
@pytest.mark.parametrize("name", BROKEN)
def test_broken_mimic_joint_is_not_a_number(speeds: dict[tuple[str, str], float], name: str) -> None:
    assert math.isnan(speeds[name, "example"])


@pytest.mark.sweep
@pytest.mark.parametrize("name", (*REFUSED, *BROKEN))
def test_remedied_mimic_joint_follows(speeds: dict[tuple[str, str], float], name: str) -> None:
    assert speeds[name, "remedy"] > FOLLOWS
