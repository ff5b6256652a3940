"""Repairs: what they do to a layer, and that the repaired stage no longer has the finding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pxr import Sdf, Usd
from support.stages.robots import HEAD, base, finger, joint, link, opened, robot

from physx_schema.checking import Finder, Finding, Report, check, run
from physx_schema.checking.engine.finding import (
    ApplySchema,
    Edit,
    RemoveProperty,
    RemoveSchema,
    RenameProperty,
    RenameSchema,
    SetTargets,
    SetValue,
    safe,
    unsafe,
)
from physx_schema.checking.engine.layer_editor import CannotError, Fixes, LayerEditor, fix
from physx_schema.description import Description, describe

DRIVE, AXIS = "PhysicsDriveAPI:angular", "PhysxJointAxisAPI:angular"
DYNAMIC, STATIC = (f"physxJointAxis:angular:{name}FrictionEffort" for name in ("dynamic", "static"))
STIFFNESS, ARMATURE = "drive:angular:physics:stiffness", "physxJointAxis:angular:armature"


def fixed(text: str, unsafely: bool = False) -> Fixes:
    return fix(opened(text), check, unsafely)


def on_joint(attributes: Mapping[str, object], *schemas: str, unsafely: bool = False, kind: str = "Revolute") -> Fixes:
    return fixed(finger(attributes, schemas, kind), unsafely)


def value(found: Fixes, name: str, path: str = "/Robot/j") -> Any:
    spec = found.repaired_layer.GetAttributeAtPath(f"{path}.{name}")
    return spec.default if spec else None


# --- rules whose findings carry repairs ---


@pytest.mark.parametrize(("attributes", "schemas", "code", "name", "wanted"), [
    ({"uniform token drive:angular:physics:type": "acelleration"}, (DRIVE,), "value/token",
     "drive:angular:physics:type", "acceleration"),
    ({"float drive:angular:physics:stifness": 2.0}, (DRIVE,), "unused/misspelt-property", STIFFNESS, 2.0),
    ({"float phsyxJointAxis:angular:armature": 2.0}, (AXIS,), "unused/misspelt-property", ARMATURE, 2.0),
    ({"float drive:linear:physics:stiffness": 2.0}, (DRIVE,), "unused/wrong-instance", STIFFNESS, 2.0),
    ({f"float {STIFFNESS}": 2.0}, ("PhysicsDriveAPI:rotX",), "unused/wrong-instance", STIFFNESS, 2.0),
    ({f"float {STIFFNESS}": 2.0}, ("PhysicsDriveAPI",), "unused/no-instance", STIFFNESS, 2.0),
    ({f"float {STIFFNESS}": 2.0}, ("UsdPhysicsDriveAPI:angular",), "unused/misspelt-schema", STIFFNESS, 2.0),
    ({f"float {STIFFNESS}": 2.0}, (), "unused/not-applied", STIFFNESS, 2.0),
    ({f"double {STIFFNESS}": 2.0}, (DRIVE,), "value/type", STIFFNESS, 2.0),
    ({"float physics:lowerLimit": -20.0}, (), "joint/one-sided-limit", "physics:upperLimit", 1e38),
])
def test_safe_repair_removes_the_finding(
    attributes: dict[str, object], schemas: tuple[str, ...], code: str, name: str, wanted: object,
) -> None:
    found = on_joint(attributes, *schemas)
    assert code in {item.code for item in found.before.findings}
    assert found.report.findings == ()
    assert value(found, name) == pytest.approx(wanted) if isinstance(wanted, float) else value(found, name) == wanted


@pytest.mark.parametrize(("attributes", "schemas", "code", "values"), [
    ({"float physics:lowerLimit": 30.0, "float physics:upperLimit": -30.0}, (), "joint/limit-order",
     {"physics:lowerLimit": -30.0, "physics:upperLimit": 30.0}),
    ({f"float {DYNAMIC}": 2.0, f"float {STATIC}": 1.0}, (AXIS,), "joint/friction-order", {STATIC: 2.0}),
    ({f"float {DYNAMIC}": 2.0}, (AXIS,), "joint/friction-order", {STATIC: 2.0}),
    ({f"float {ARMATURE}": -1.0}, (AXIS,), "value/range", {ARMATURE: 0.0}),
])
def test_unsafe_repair_is_made_on_request_alone(
    attributes: dict[str, object], schemas: tuple[str, ...], code: str, values: dict[str, float],
) -> None:
    kept, found = on_joint(attributes, *schemas), on_joint(attributes, *schemas, unsafely=True)
    assert [item.reason for item in kept.unrepaired if item.finding.code == code] == ["the repair is unsafe"]
    assert code not in {item.code for item in found.report.findings}
    assert not kept.changed and {name: value(found, name) for name in values} == values


def test_quaternion_is_normalised() -> None:
    found = on_joint({"quatf physics:localRot0": (2.0, 0.0, 0.0, 0.0)})
    assert (found.report.findings, str(value(found, "physics:localRot0"))) == ((), "(1, 0, 0, 0)")


def test_renamed_property_of_the_scene_gets_its_present_name() -> None:
    text = robot(base(), link("tip"), joint("Revolute", "j", "base", "tip"), outside=(
        'def PhysicsScene "scene" (prepend apiSchemas = ["PhysxSceneAPI"]) '
        "{ uint physxScene:gpuMaxSoftBodyContacts = 7; }\n"))
    found = fixed(text)
    assert value(found, "physxScene:gpuMaxDeformableVolumeContacts", "/scene") == 7
    assert "unused/retired" not in {item.code for item in found.report.findings}


def test_repairs_that_bring_out_others_are_followed_up() -> None:
    found = on_joint({"double drive:linear:physics:stifness": 2.0})
    assert found.report.findings == ()
    assert (value(found, STIFFNESS), len(found.repaired)) == (2.0, 4)    # name, instance, schema, type


def test_schema_that_makes_a_body_is_applied_on_request_alone() -> None:
    text = robot(base()).replace('def Xform "Robot"', 'def Xform "Other" { bool physics:kinematicEnabled = 1; }\n'
                                 'def Xform "Robot"')
    assert [item.reason for item in fixed(text).unrepaired] == ["the repair is unsafe"]
    assert fixed(text, True).changed


def test_finding_without_a_repair_is_left() -> None:
    found = on_joint({"rel physics:body0": "</none>"})
    assert {item.reason for item in found.unrepaired} == {"no repair is known"}


# --- repairs that do not help ---


def checked_by(rule: Any) -> Any:
    def checking(stage: Any) -> Report:
        return Report("x", "physx", run((Finder("rule", rule, ()),), describe(stage), ("physx",)).findings)
    return checking


def test_repair_that_does_not_help_is_taken_back() -> None:
    def rule(description: Description) -> Iterator[Finding]:
        yield Finding("x/a", "error", "/Robot/j", "", "m", "w", "f",
                      repair=safe(SetValue("/Robot/j", "a:a", 1.0, "float")))
        if not any(item.property == "physics:breakForce" for item in description.authored):
            yield Finding("x/b", "error", "/Robot/j", "", "m", "w", "f",
                          repair=safe(SetValue("/Robot/j", "physics:breakForce", 2.0, "float")))

    found = fix(opened(finger()), checked_by(rule))
    assert [(item.finding.code, item.reason) for item in found.unrepaired] == [
        ("x/a", "the repair does not remove the finding")]
    assert [item.code for item in found.repaired] == ["x/b"]
    assert value(found, "a:a") is None and value(found, "physics:breakForce") == 2.0


def test_repairs_of_one_property_wait_for_one_another() -> None:
    def rule(description: Description) -> Iterator[Finding]:
        values = {item.property: item.value for item in description.authored if item.path == "/Robot/j"}
        count = values.get("physics:breakForce", 0.0)
        for code, wanted in (("x/a", 1.0), ("x/b", 2.0)):
            if count != wanted and not count > wanted:
                yield Finding(code, "error", "/Robot/j", "", "m", "w", "f",
                              repair=safe(SetValue("/Robot/j", "physics:breakForce", wanted, "float")))

    assert value(fix(opened(finger()), checked_by(rule)), "physics:breakForce") == 2.0


# --- edits, one by one ---


def done(text: str, *edits: Edit) -> Usd.Stage:
    stage = opened(text)
    for step in LayerEditor(stage).steps(edits):
        step(stage.GetRootLayer())
    return stage


def applied(stage: Usd.Stage, path: str = "/Robot/j") -> list[str]:
    return list(map(str, stage.GetPrimAtPath(path).GetPrimTypeInfo().GetAppliedAPISchemas()))


def test_targets_are_replaced() -> None:
    stage = done(finger(), SetTargets("/Robot/j", "physics:body0", ("/Robot/tip",)))
    assert stage.GetPrimAtPath("/Robot/j").GetRelationship("physics:body0").GetTargets() == [Sdf.Path("/Robot/tip")]


def test_schema_keeps_its_place_when_renamed() -> None:
    stage = done(finger({}, ("A", "B:x", "C")), RenameSchema("/Robot/j", "B:x", "B:y"))
    assert applied(stage) == ["A", "B:y", "C"]


def test_schema_is_removed_and_applied() -> None:
    assert applied(done(finger({}, ("A", "B")), RemoveSchema("/Robot/j", "A"))) == ["B"]
    assert applied(done(finger({}, ("A",)), ApplySchema("/Robot/j", "B"))) == ["A", "B"]
    assert applied(done(finger(), ApplySchema("/Robot/j", "B"))) == ["B"]


def test_schema_that_is_applied_already_is_not_listed_twice() -> None:
    assert applied(done(finger({}, ("A", "B")), RenameSchema("/Robot/j", "A", "B"))) == ["B"]


def test_renamed_property_keeps_all_it_says() -> None:
    stage = opened(finger({"float a:b": 1.0}))
    spec = stage.GetRootLayer().GetAttributeAtPath("/Robot/j.a:b")
    spec.documentation = "kept"
    stage.GetRootLayer().SetTimeSample(spec.path, 3.0, 5.0)
    for step in LayerEditor(stage).steps([RenameProperty("/Robot/j", "a:b", "a:c")]):
        step(stage.GetRootLayer())
    after = stage.GetPrimAtPath("/Robot/j").GetAttribute("a:c")
    assert (after.Get(), after.Get(3.0), after.GetDocumentation()) == (1.0, 5.0, "kept")
    assert not stage.GetPrimAtPath("/Robot/j").HasAttribute("a:b")


@pytest.mark.parametrize(("edit", "reason"), [
    (SetValue("/none", "a", 1.0), "the prim no longer exists"),
    (SetValue("/Robot/j", "a:z", 1.0), "the type of a:z is unknown"),
    (SetValue("/Robot/j", "a:b", "text"), "'text' is not a float"),
    (RenameProperty("/Robot/j", "a:b", "a:c"), "a:c is already authored"),
    (RenameProperty("/Robot/j", "a:z", "a:d"), "the property no longer exists"),
    (RemoveSchema("/Robot/j", "B"), "B is no longer applied"),
])
def test_edit_that_cannot_be_made_says_why(edit: Edit, reason: str) -> None:
    stage = opened(finger({"float a:b": 1.0, "float a:c": 1.0}, ("A",)))
    before = stage.GetRootLayer().ExportToString()
    with pytest.raises(CannotError, match=reason):
        LayerEditor(stage).steps([RemoveProperty("/Robot/j", "a:b"), edit])
    assert stage.GetRootLayer().ExportToString() == before


def test_opinion_in_a_variant_is_edited_there() -> None:
    text = HEAD.format(meters=1, kilograms=1) + '''
def Xform "Robot" (
    variants = { string v = "one" }
    prepend variantSets = "v"
) {
    variantSet "v" = {
        "one" {
            def Scope "s" { float a:b = 1; }
        }
        "two" {
            def Scope "s" { float a:b = 2; }
        }
    }
}
'''
    stage = done(text, SetValue("/Robot/s", "a:b", 5.0))
    assert stage.GetRootLayer().GetAttributeAtPath("/Robot{v=one}s.a:b").default == 5.0
    assert stage.GetRootLayer().GetAttributeAtPath("/Robot/s.a:b") is None


# --- other layers ---

WEAK = finger({"double drive:linear:physics:stifness": 2.0}, ("UsdPhysicsDriveAPI:angular",))


@pytest.fixture
def layered(tmp_path: Path) -> Usd.Stage:
    """A stage whose faults are in a layer below its own."""
    (tmp_path / "weak.usda").write_text(WEAK)
    (tmp_path / "root.usda").write_text("#usda 1.0\n(\n    subLayers = [@./weak.usda@]\n    metersPerUnit = 1\n)\n")
    return Usd.Stage.Open(str(tmp_path / "root.usda"))


def test_opinions_of_other_layers_are_left_and_the_layer_is_named(layered: Usd.Stage, tmp_path: Path) -> None:
    found = fix(layered, check)
    assert not found.changed
    assert {item.reason for item in found.unrepaired} == {
        f"the opinion is in {tmp_path / 'weak.usda'}", f"the schema is applied in {tmp_path / 'weak.usda'}"}


def test_repair_tells_why_it_cannot_be_made_in_the_root_layer(layered: Usd.Stage, tmp_path: Path) -> None:
    repairs = [item.repair for item in check(layered).findings if item.repair]
    assert {repair.obstacle for repair in repairs if repair} == {
        f"the opinion is in {tmp_path / 'weak.usda'}", f"the schema is applied in {tmp_path / 'weak.usda'}"}


def test_layer_over_the_stage_repairs_other_layers_too(layered: Usd.Stage) -> None:
    found = fix(layered, check, override=True)
    assert found.report.errors == () and found.changed
    assert found.repaired_layer.subLayerPaths == [layered.GetRootLayer().identifier]
    over = Usd.Stage.Open(found.repaired_layer)
    assert over.GetPrimAtPath("/Robot/j").GetAttribute(STIFFNESS).Get() == 2.0
    assert over.GetMetadata("metersPerUnit") == 1.0
    assert layered.GetPrimAtPath("/Robot/j").GetAttribute("drive:linear:physics:stifness").Get() == 2.0


def test_files_beside_the_stage_are_found_while_it_is_repaired(tmp_path: Path) -> None:
    (tmp_path / "part.usda").write_text(finger({"float drive:angular:physics:stiffness": 1.0}, (DRIVE,)))
    path = tmp_path / "root.usda"
    path.write_text(HEAD.format(meters=1, kilograms=1) + 'def Xform "Robot" (prepend references = @part.usda@) '
                    '{\nover "j" { float drive:angular:physics:dampng = 3; }\n}\n')
    found = fix(Usd.Stage.Open(str(path)), check)
    assert found.report.findings == () and value(found, "drive:angular:physics:damping") == 3.0
    assert "@part.usda@" in found.repaired_layer.ExportToString()


INSTANCE = HEAD.format(meters=1, kilograms=1) + '''
def Xform "World" {{
    def Xform "a" (instanceable = true; prepend references = {0}) {{
    }}
}}
class Xform "Proto" {{
    def Scope "s" {{ float a:b = 1; }}
}}
'''


def test_prim_inside_an_instance_is_edited_where_it_is_authored() -> None:
    stage = done(INSTANCE.format("</Proto>"), SetValue("/World/a/s", "a:b", 2.0))
    assert stage.GetRootLayer().GetAttributeAtPath("/Proto/s.a:b").default == 2.0


def test_prim_inside_an_instance_of_another_file_is_left(tmp_path: Path) -> None:
    (tmp_path / "other.usda").write_text(INSTANCE.format("</Proto>"))
    editor = LayerEditor(opened(INSTANCE.format(f"@{tmp_path / 'other.usda'}@</Proto>")), override=True)
    with pytest.raises(CannotError, match="the prim is inside an instance"):
        editor.steps([SetValue("/World/a/s", "a:c", 1.0, "float")])


def test_the_stage_itself_is_not_changed() -> None:
    stage = opened(finger({"float drive:angular:physics:stifness": 2.0}, (DRIVE,)))
    before = stage.GetRootLayer().ExportToString()
    assert fix(stage, check).changed
    assert stage.GetRootLayer().ExportToString() == before


def test_unsafe_and_safe_say_what_they_are() -> None:
    edit = RemoveProperty("/a", "b")
    assert (safe(edit).safe, unsafe(edit).safe, safe(edit).edits) == (True, False, (edit,))
