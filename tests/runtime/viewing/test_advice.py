"""The first words of a report: what matters most, and what to do about it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from physx_runtime.verification.report import Remedy, Row, Verification
from physx_runtime.viewing.advice import (
    MAX_EXPLANATION,
    advise,
    command_path,
    counts_text,
    display_names,
    property_words,
)
from pxr import Usd
from support.stages.recorded_arm import ELBOW, SHOULDER, swing

from physx_schema.checking import Finding, Report
from physx_schema.checking.engine.finding import SetValue, safe, unsafe

STIFFNESS = Row(SHOULDER, "physxTendon:cord:stiffness", 300.0, 103.125, 100.0, "altered",
                "divided by 3 axes; pulled twice", "force/length", remedy=Remedy(872.7, 300.0))
GEARING = Row(ELBOW, "physxTendon:cord:gearing", 0.01, 0.01, 0.01, "as authored", "")
GONE = Row(ELBOW, "physxMimicJoint:Z:gearing", -2.0, None, None, "ignored", "no such instance")
UNKNOWN = Row(ELBOW, "physxJointAxis:angular:armature", 0.5, None, None, "not evaluated", "no experiment")
ERROR = Finding("DJ.007/instance", "error", ELBOW, "apiSchemas", "instance name 'Z'", "PhysX ignores it", "rename it")
SAG = Finding("behaviour/sag", "warning", ELBOW, "", "it sags by 9 degrees", "the spring gives way", "author 50")
UNUSED = Finding("unused/schema", "warning", ELBOW, "a:b", "no schema has it", "nothing reads it", "remove it")
REPAIRED = replace(ERROR, repair=safe(SetValue(ELBOW, "a", 1.0)))


def verification(*rows: Row) -> Verification:
    return Verification("arm.usda", rows, 1 / 60, ())


def report(*findings: Finding) -> Report:
    return Report("arm.usda", "physx+simready", findings, ())


@pytest.mark.parametrize(("rows", "findings", "headline"), [
    ((STIFFNESS, GEARING), (), "Stiffness of cord at shoulder acts as 103.1, not 300"),
    ((STIFFNESS, GONE), (), "Couplings do not act: elbow"),
    ((STIFFNESS, GONE), (SAG,), "Joints sag below their targets: elbow"),
    ((STIFFNESS,), (UNUSED,), "Stiffness of cord at shoulder acts as 103.1, not 300"),
    ((GEARING,), (UNUSED,), "Values have no effect: elbow"),
    ((GEARING, GEARING), (), "All 2 measured values take effect as authored"),
    ((UNKNOWN,), (), "The 1 authored value could not be measured"),
    ((), (), "The stage has no values that verification measures")])
def test_the_headline_names_what_matters_most(rows: tuple[Row, ...], findings: tuple[Finding, ...],
                                              headline: str) -> None:
    assert advise("arm.usda", report(*findings), verification(*rows), None).headline == headline


def test_a_motion_that_is_not_finite_comes_before_everything() -> None:
    recording = replace(swing([(0.0, 0.0)]), diverged=("world 0 diverged at 0.1 s",))
    advice = advise("arm.usda", report(ERROR), verification(STIFFNESS), recording)
    assert (advice.headline, advice.explanation) == ("The motion does not stay finite", "World 0 diverged at 0.1 s.")


def test_the_explanation_has_the_fault_and_its_effect() -> None:
    advice = advise("arm.usda", report(SAG), verification(), None)
    assert (advice.explanation, advice.path) == ("It sags by 9 degrees; the spring gives way.", ELBOW)


@pytest.mark.parametrize(("findings", "rows", "kind"), [
    ((ERROR,), (), "ignored"), ((SAG,), (), "altered"), ((), (STIFFNESS,), "altered"), ((), (GONE,), "ignored"),
    ((), (GEARING,), "ok")])
def test_the_colour_of_the_headline_is_its_gravity(findings: tuple[Finding, ...], rows: tuple[Row, ...],
                                                   kind: str) -> None:
    assert advise("arm.usda", report(*findings), verification(*rows), None).kind == kind


def test_the_count_of_prims_with_one_fault_is_in_the_headline() -> None:
    several = [replace(SAG, path=f"/World/{name}", message=f"{name} sags") for name in ("hip", "knee", "ankle")]
    advice = advise("arm.usda", report(*several), verification(), None)
    assert advice.headline == "Joints sag below their targets: hip and 2 more prims"


def test_repairs_are_one_command_that_leaves_the_stage_as_it_is() -> None:
    action, = advise("my robots/arm.usda", report(REPAIRED), verification(), None).actions
    assert action.text == "Repair 1 finding in a copy of the stage."
    assert [copy.text for copy in action.copies] == [
        "physx-schema check --fix 'my robots/arm.usda' -o 'my robots/arm_repaired.usda'"]


def test_repairs_that_may_be_unintended_are_named_so() -> None:
    finding = replace(SAG, repair=unsafe(SetValue(ELBOW, "a", 1.0)))
    action = advise("arm.usda", report(finding), verification(), None).actions[0]
    assert "may not be what you intend" in action.text
    assert action.copies[0].text == ("physx-schema check --fix --unsafe-fixes --profile physx+simready+behaviour "
                                     "arm.usda -o arm_repaired.usda")


def test_remedies_are_a_command_and_values_to_paste() -> None:
    action, = advise("arm.usda", report(), verification(STIFFNESS, GEARING), None).actions
    assert action.text == "Stiffness of cord at shoulder: author 872.7 to get 300."
    assert [copy.text for copy in action.copies] == [
        "physx-schema verify --fix arm.usda -o arm_intended.usda", f"{SHOULDER}.physxTendon:cord:stiffness = 872.7"]


def test_there_are_at_most_three_things_to_do() -> None:
    findings = [replace(ERROR, code=f"joint/{i}") for i in range(5)]
    assert len(advise("arm.usda", report(*findings, REPAIRED), verification(STIFFNESS), None).actions) == 3


def test_findings_of_one_code_are_one_thing_to_do() -> None:
    several = [replace(SAG, path=f"/World/{name}", message=f"{name} sags") for name in ("hip", "knee", "ankle")]
    action, = advise("arm.usda", report(*several), verification(), None).actions
    assert (action.prim, action.text) == ("hip", "and 2 more prims: Author 50.")


def test_long_texts_are_cut_after_a_clause_and_name_prims_without_their_paths() -> None:
    finding = replace(SAG, message=f"it sags at {SHOULDER}", why="; ".join(["a clause of the explanation"] * 20))
    explanation = advise("arm.usda", report(finding), verification(), None).explanation
    assert explanation.startswith("It sags at shoulder; a clause of the explanation; ")
    assert explanation.endswith("explanation.")
    assert len(explanation) <= MAX_EXPLANATION + 1


def test_prims_with_encoded_names_are_called_by_their_display_names() -> None:
    stage = Usd.Stage.CreateInMemory()
    prim = stage.DefinePrim("/Hand/tn__link_00_XB", "Xform")
    prim.SetDisplayName("link_0.0")
    finding = replace(SAG, path=str(prim.GetPath()), message=f"it sags at {prim.GetPath()}")
    advice = advise("arm.usda", report(finding), verification(), None, display_names(stage))
    assert advice.headline == "Joints sag below their targets: link_0.0"
    assert advice.explanation.startswith("It sags at link_0.0;")
    assert (advice.actions[0].prim, advice.path) == ("link_0.0", "/Hand/tn__link_00_XB")


def test_a_code_with_its_own_words_is_said_in_them() -> None:
    finding = replace(SAG, code="articulation/world-joint-outside", path="/go2/base")
    advice = advise("arm.usda", report(finding), verification(), None)
    assert advice.headline == "The robot hangs on a soft joint to the world: base"


def test_without_a_fault_the_next_step_is_the_live_view() -> None:
    action, = advise("arm.usda", report(), verification(GEARING), None).actions
    assert action.copies[0].text == "physx-schema view arm.usda"


@pytest.mark.parametrize(("rows", "findings", "sentence"), [
    ((GEARING,), (), "The only measured value takes effect as authored; the check found no errors."),
    ((STIFFNESS, GEARING, GONE, UNKNOWN), (ERROR,),
     "3 values measured: 1 altered and 1 ignored, the other values act as authored; the check found 1 error."),
    ((UNKNOWN,), (), "The 1 authored value could not be measured; the check found no errors.")])
def test_the_counts_are_a_sentence(rows: tuple[Row, ...], findings: tuple[Finding, ...], sentence: str) -> None:
    assert counts_text(report(*findings), verification(*rows)) == sentence


@pytest.mark.parametrize(("name", "words"), [
    ("drive:angular:physics:stiffness", "drive stiffness"), ("physxTendon:flexor:restLength", "rest length of flexor"),
    ("physics:mass", "mass"), ("physxMimicJoint:rotX:gearing", "mimic joint gearing"), ("", "the value")])
def test_properties_are_said_in_words(name: str, words: str) -> None:
    assert property_words(name) == words


def test_a_command_names_a_stage_from_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "robots").mkdir()
    monkeypatch.chdir(tmp_path)
    assert command_path(str(tmp_path / "robots" / "a.usda")) == "robots/a.usda"
    assert command_path("/elsewhere/a.usda") == "a.usda"
