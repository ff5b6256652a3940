"""`diff`: what a change of schema breaks, what it does not, and what is wording alone."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from physx_codegen.definitions import Source, read
from physx_codegen.diff import Comparison, compare
from physx_codegen.diff_command import diff_command as diff
from physx_codegen.model import Attribute, Library
from pxr import Sdf
from support.places import ROOT
from support.schemas.packages import EVERYTHING
from support.schemas.usd_generator import RESOURCES

WHEEL = "physx-usd-schemas"
COILS = """\
name: Coils
plugin: coils
tokens: [{name: spiral}]
classes:
- name: CoilAPI
  kind: multiple-apply
  prefix: coil
  includes: ["CollectionAPI:parts"]
  instances: [left, right]
  doc: A coil.
  equation: force = stiffness * length
  attributes:
  - {name: stiffness, type: float, default: 1, range: "[0, 10]", unit: force / distance, doc: How stiff it is.}
  - {name: mode, type: token, default: on, uniform: true, tokens: ["on", "off"], display: Mode}
  relationships:
  - {name: target, targets: [PhysicsRigidBodyAPI], doc: What it pulls.}
- name: PlaceAPI
  kind: single-apply
  prefix: place
  attributes:
  - {name: "place:height", type: float, default: 0}
""".replace("default: on", 'default: "on"')


def written(folder: Path, text: str) -> str:
    folder.mkdir()
    (folder / "coils.yaml").write_text(text, encoding="utf-8")
    return str(folder)


def places(comparison: Comparison) -> list[tuple[str, str, str, str]]:
    return [(item.level, item.schema, item.property, item.text) for item in comparison.differences]


STIFFNESS, MODE = "coil:__INSTANCE_NAME__:stiffness", "coil:__INSTANCE_NAME__:mode"
CHANGES: list[tuple[str, str, tuple[str, str, str, str]]] = [
    ("type: float, default: 1", "type: double, default: 1", ("breaking", "CoilAPI", STIFFNESS, "type float -> double")),
    ("default: 1", "default: 2", ("breaking", "CoilAPI", STIFFNESS, "default 1 -> 2")),
    ("default: 1, ", "", ("breaking", "CoilAPI", STIFFNESS, "default 1 -> (none)")),
    ("uniform: true, ", "", ("breaking", "CoilAPI", MODE, "variability uniform -> varying")),
    ('["on", "off"]', '["on"]', ("breaking", "CoilAPI", MODE, "token 'off' removed")),
    ('["on", "off"]', '["on", "off", "auto"]', ("compatible", "CoilAPI", MODE, "token 'auto' added")),
    (', tokens: ["on", "off"]', "", ("compatible", "CoilAPI", MODE, "tokens on, off -> any")),
    ('["on", "off"]', '["off", "on"]', ("compatible", "CoilAPI", MODE, "order of tokens on, off -> off, on")),
    ('"[0, 10]"', '"[0, inf)"', ("compatible", "CoilAPI", STIFFNESS, "range [0, 10] -> [0, inf)")),
    ('"[0, 10]"', '"[0, 10)"', ("breaking", "CoilAPI", STIFFNESS, "range [0, 10] -> [0, 10)")),
    ('"[0, 10]"', '"(0, 20]"', ("breaking", "CoilAPI", STIFFNESS, "range [0, 10] -> (0, 20]")),
    ("unit: force / distance", "unit: force", ("docs", "CoilAPI", STIFFNESS, "unit force / distance -> force")),
    ("How stiff it is.", "Its stiffness.", ("docs", "CoilAPI", STIFFNESS, "documentation reworded")),
    ("display: Mode", "display: Way", ("compatible", "CoilAPI", MODE, "display Mode -> Way")),
    ("display: Mode", "display: Mode, api: way",
     ("breaking", "CoilAPI", MODE, "accessor GetModeAttr -> GetWayAttr")),
    ("name: stiffness", "name: strength, renamed_from: stiffness",
     ("breaking", "CoilAPI", STIFFNESS.replace("stiffness", "strength"), f"attribute renamed, was {STIFFNESS}")),
    ("name: stiffness", "name: strength", ("breaking", "CoilAPI", STIFFNESS, "attribute removed")),
    ("name: stiffness", "name: stiffness, retired: 2.0.0, deprecated: use mode",
     ("breaking", "CoilAPI", STIFFNESS, "attribute retired in 2.0.0: use mode")),
    ("name: stiffness", "name: stiffness, deprecated: use mode",
     ("compatible", "CoilAPI", STIFFNESS, "deprecated (none) -> use mode")),
    ("prefix: coil", "prefix: spring", ("breaking", "CoilAPI", "", "prefix coil -> spring")),
    ("kind: single-apply\n  prefix: place", "kind: multiple-apply\n  prefix: place",
     ("breaking", "PlaceAPI", "", "kind single-apply -> multiple-apply")),
    ("CollectionAPI:parts", "CollectionAPI:pieces",
     ("breaking", "CoilAPI", "", "built-in 'CollectionAPI:parts' removed")),
    ("[left, right]", "[left]", ("compatible", "CoilAPI", "", "instances left, right -> left")),
    ("kind: single-apply", "kind: single-apply\n  can_only_apply_to: [Mesh]",
     ("breaking", "PlaceAPI", "", "prim types any -> Mesh")),
    ("- name: PlaceAPI", "- name: SpotAPI\n  renamed_from: PlaceAPI",
     ("breaking", "SpotAPI", "", "class renamed, was PlaceAPI")),
    ("- name: PlaceAPI", "- name: PlaceAPI\n  python_name: Place",
     ("breaking", "PlaceAPI", "", "type name CoilsPlaceAPI -> CoilsPlace")),
    ("- name: PlaceAPI", "- name: PlaceAPI\n  retired: 2.0.0\n  deprecated: use CoilAPI",
     ("breaking", "PlaceAPI", "", "class retired in 2.0.0: use CoilAPI")),
    ("- name: PlaceAPI", "- name: SpotAPI", ("compatible", "SpotAPI", "", "class added")),
    ("force = stiffness * length", "force = 0",
     ("docs", "CoilAPI", "", "equation force = stiffness * length -> force = 0")),
    ("{name: spiral}", "{name: helix}", ("breaking", "", "spiral", "token removed")),
    ("[PhysicsRigidBodyAPI]", "[PhysicsCollisionAPI]",
     ("compatible", "CoilAPI", "coil:__INSTANCE_NAME__:target", "targets PhysicsRigidBodyAPI -> PhysicsCollisionAPI")),
    ("name: Coils", "name: Springs", ("breaking", "CoilAPI", "", "type name CoilsCoilAPI -> SpringsCoilAPI")),
]


@pytest.mark.parametrize(("before", "after", "expected"), CHANGES, ids=[item[2][3] for item in CHANGES])
def test_change_is_found_and_classified(
    tmp_path: Path, before: str, after: str, expected: tuple[str, str, str, str],
) -> None:
    assert before in COILS
    old, new = written(tmp_path / "old", COILS), written(tmp_path / "new", COILS.replace(before, after, 1))
    assert expected in places(compare(read(old), read(new)))


def test_a_schema_does_not_differ_from_itself(tmp_path: Path) -> None:
    source = read(written(tmp_path / "old", COILS))
    assert compare(source, source).differences == ()


def test_a_renamed_property_is_neither_removed_nor_added(tmp_path: Path) -> None:
    old = written(tmp_path / "old", COILS)
    new = written(tmp_path / "new", COILS.replace("name: stiffness", "name: strength, renamed_from: stiffness"))
    assert [item.change for item in compare(read(old), read(new)).differences] == ["renamed"]


def test_another_prefix_is_one_difference_and_not_one_for_each_property(tmp_path: Path) -> None:
    old, new = (written(tmp_path / name, COILS.replace("prefix: coil", f"prefix: {name}")) for name in ("old", "new"))
    assert [item.change for item in compare(read(old), read(new)).differences] == ["prefix"]


# --- releases of the PhysX schema ---

@pytest.fixture(scope="module")
def wheel() -> Source:
    """The installed schema wheel."""
    try:
        assert files(WHEEL)
    except PackageNotFoundError:
        pytest.skip(f"{WHEEL} is not installed; install the extra oracle")
    return read(WHEEL)


def older(library: Library) -> Library:
    """The library as Omniverse PhysX 109 had it, by the table of differences between that and 25.11.2."""
    removed = {
        "PhysxMimicJointAPI": {"dampingRatio", "naturalFrequency"},
        "PhysxSceneAPI": {"disableSleeping", "gpuMaxDeformableVolumeContacts", "solveArticulationContactLast"},
        "PhysxSplinesSurfaceVelocityAPI": {"surfaceVelocityForceBased"},
    }
    defaults: dict[tuple[str, str], Any] = {
        ("PhysxJointAxisAPI", "maxJointVelocity"): 1e6,
        ("PhysxSceneAPI", "enableExternalForcesEveryIteration"): False,
    }
    families = []
    for family in library.families:
        classes = []
        for cls in family.classes:
            kept = [prop for prop in cls.properties if prop.name not in removed.get(cls.name, ())]
            kept = [replace(prop, retired="", deprecated="") if prop.retired else prop for prop in kept]
            changed = [replace(prop, default=defaults[cls.name, prop.name])
                       if isinstance(prop, Attribute) and (cls.name, prop.name) in defaults else prop for prop in kept]
            retired = {"retired": "", "deprecated": ""} if cls.retired else {}
            classes.append(replace(cls, properties=tuple(changed), **retired))
        families.append(replace(family, classes=tuple(classes)))
    return replace(library, families=tuple(families))


DROPPED_CLASSES = {
    "PhysxJointAPI", "TetrahedralMesh", "PhysxPhysicsAttachment", "PhysxAutoAttachmentAPI", "PhysxDeformableAPI",
    "PhysxDeformableBodyAPI", "PhysxDeformableBodyMaterialAPI", "PhysxDeformableSurfaceAPI",
    "PhysxDeformableSurfaceMaterialAPI", "PhysxParticleClothAPI", "PhysxAutoParticleClothAPI",
    "PhysxResidualReportingAPI",
}
DROPPED_PROPERTIES = {
    "physxScene:enableResidualReporting", "physxScene:gpuMaxSoftBodyContacts", "physxPBDMaterial:lift",
    "physxPBDMaterial:drag", "physxTrigger:onEnterScript", "physxTrigger:onLeaveScript", "physxTrigger:enterScriptType",
    "physxTrigger:leaveScriptType",
}
ADDED_PROPERTIES = {
    "physxMimicJoint:__INSTANCE_NAME__:dampingRatio", "physxMimicJoint:__INSTANCE_NAME__:naturalFrequency",
    "physxScene:disableSleeping", "physxScene:gpuMaxDeformableVolumeContacts",
    "physxScene:solveArticulationContactLast", "physxSplinesSurfaceVelocity:surfaceVelocityForceBased",
}
CHANGED_DEFAULTS = {
    ("physxJointAxis:__INSTANCE_NAME__:maxJointVelocity", "default 1000000 -> inf"),
    ("physxScene:enableExternalForcesEveryIteration", "default False -> True"),
}


def test_omniverse_physx_109_differs_from_ours_by_the_published_table() -> None:
    ours = read(str(ROOT / "schema"))
    found = compare(replace(ours, libraries=tuple(map(older, ours.libraries))), ours).differences
    assert {item.schema for item in found if item.change == "retired" and not item.property} == DROPPED_CLASSES
    assert {item.property for item in found if item.change == "retired" and item.property} == DROPPED_PROPERTIES
    assert {item.property for item in found if item.change == "added"} == ADDED_PROPERTIES
    assert {(item.property, item.text) for item in found if item.change == "default"} == CHANGED_DEFAULTS
    assert {item.level for item in found if item.change in ("retired", "default")} == {"breaking"}
    assert len(found) == len(DROPPED_CLASSES | DROPPED_PROPERTIES | ADDED_PROPERTIES | CHANGED_DEFAULTS)


def test_omniverse_physx_109_differs_from_the_wheel_by_the_published_table(wheel: Source) -> None:
    ours = read(str(ROOT / "schema"))
    found = compare(replace(ours, libraries=tuple(map(older, ours.libraries))), wheel).down_to("compatible").differences
    assert {item.schema for item in found if item.change == "removed" and not item.property} == DROPPED_CLASSES
    assert {item.property for item in found if item.change == "removed" and item.property} == DROPPED_PROPERTIES
    assert {item.property for item in found if item.change == "added"} == ADDED_PROPERTIES
    assert {(item.property, item.text) for item in found if item.change == "default"} == CHANGED_DEFAULTS
    assert len(found) == len(DROPPED_CLASSES | DROPPED_PROPERTIES | ADDED_PROPERTIES | CHANGED_DEFAULTS)


def test_our_schema_adds_what_the_wheel_retired_and_changes_nothing(wheel: Source) -> None:
    found = compare(wheel, read(str(ROOT / "schema"))).down_to("compatible").differences
    assert {item.level for item in found} == {"compatible"}
    assert {item.schema for item in found if not item.property} == DROPPED_CLASSES
    assert {item.property for item in found if item.property} == DROPPED_PROPERTIES


def test_our_plugin_is_read_back_as_what_the_yaml_says() -> None:
    plugins = read(str(ROOT / "generated/physx_generated"))
    assert len(plugins.libraries) == 3
    assert places(compare(read(str(ROOT / "schema")), plugins)) == []


def test_our_schema_usda_carries_ranges_and_units_into_a_comparison(tmp_path: Path) -> None:
    ours = ROOT / "generated/physx_generated/schema.usda"
    changed = tmp_path / "schema.usda"
    text = ours.read_text(encoding="utf-8")
    changed.write_text(text.replace('string range = "[0, inf)"', 'string range = "[0, 5]"', 1), encoding="utf-8")
    assert compare(read(str(ROOT / "schema/physx")), read(str(ours))).differences == ()
    assert [found.change for found in compare(read(str(ours)), read(str(changed))).differences] == ["range"]


@pytest.mark.parametrize("name", ["usdPhysics", "usdGeom", "usdSkel", "usdLux", "usdShade", "usdRender", "usdVol"])
def test_schema_usda_of_usd_itself_is_what_its_compiled_plugin_holds(name: str) -> None:
    plugin = RESOURCES[name]
    if not (plugin / name / "schema.usda").is_file():
        pytest.skip("this USD comes without the schema.usda of its plugins")
    found = compare(read(str(plugin / name / "schema.usda")), read(str(plugin))).down_to("compatible")
    assert places(found) == []


def wheel_25_11_1(folder: Path) -> Path:
    """The wheel's main plugin as release 25.11.1 had it, which differs in one class and one default."""
    installed = next(file for file in files(WHEEL) or () if file.name == "plugInfo.json" and "PhysxSchema" in str(file))
    shutil.copytree(Path(str(installed.locate())).parent, folder / "resources")
    info = folder / "resources/plugInfo.json"
    layer = Sdf.Layer.FindOrOpen(str(folder / "resources/generatedSchema.usda"))
    layer.GetAttributeAtPath("/PhysxSceneAPI.physxScene:enableExternalForcesEveryIteration").default = False
    joint = Sdf.PrimSpec(layer, "PhysxJointAPI", Sdf.SpecifierClass)
    for name, default in (("armature", 0.0), ("jointFriction", 0.0), ("maxJointVelocity", float("inf"))):
        Sdf.AttributeSpec(joint, f"physxJoint:{name}", Sdf.ValueTypeNames.Float).default = default
    layer.Save()
    comments, _, rest = info.read_text(encoding="utf-8").partition("{")
    content = json.loads("{" + rest)
    content["Plugins"][0]["Info"]["Types"]["PhysxSchemaPhysxJointAPI"] = {
        "alias": {"UsdSchemaBase": "PhysxJointAPI"}, "bases": ["UsdAPISchemaBase"],
        "schemaIdentifier": "PhysxJointAPI", "schemaKind": "singleApplyAPI",
    }
    info.write_text(comments + json.dumps(content), encoding="utf-8")
    return folder / "resources"


def test_wheel_25_11_1_differs_from_ours_by_a_retired_class_and_a_default(wheel: Source, tmp_path: Path) -> None:
    found = compare(read(str(wheel_25_11_1(tmp_path))), read(str(ROOT / "schema"))).down_to("breaking").differences
    assert [(item.schema, item.property, item.change) for item in found] == [
        ("PhysxJointAPI", "", "retired"),
        ("PhysxSceneAPI", "physxScene:enableExternalForcesEveryIteration", "default"),
    ]
    assert "PhysxJointAxisAPI" in found[0].text


# --- the command ---

def run(*arguments: str) -> Result:
    return CliRunner().invoke(diff, list(arguments))


def test_text_groups_by_weight_and_class_and_ends_with_the_counts(tmp_path: Path) -> None:
    old = written(tmp_path / "old", COILS)
    new = written(tmp_path / "new", COILS.replace("default: 1", "default: 2").replace("How stiff it is.", "Stiff.")
                  .replace("default: 0}", "default: 0}\n  - {name: \"place:width\", type: float}"))
    result = run(old, new)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "breaking:", "  CoilAPI", f"    {STIFFNESS}: default 1 -> 2",
        "compatible:", "  PlaceAPI", "    place:width: attribute added",
        "docs:", "  CoilAPI", f"    {STIFFNESS}: documentation reworded",
        f"{old} -> {new}: 1 breaking, 1 compatible, 1 docs",
    ]


def test_json_is_versioned_sorted_and_counts(tmp_path: Path) -> None:
    old = written(tmp_path / "old", COILS)
    result = run(old, written(tmp_path / "new", COILS.replace("default: 1", "default: 2")), "--json")
    content = json.loads(result.stdout)
    assert (result.exit_code, content["version"]) == (1, 1)
    assert content["counts"] == {"breaking": 1, "compatible": 0, "docs": 0}
    assert content["differences"] == [{
        "schema": "CoilAPI", "property": STIFFNESS, "change": "default", "level": "breaking",
        "text": "default 1 -> 2", "old": "1", "new": "2",
    }]


def test_no_difference_exits_0(tmp_path: Path) -> None:
    old, new = (written(tmp_path / name, COILS) for name in ("old", "new"))
    result = run(old, new)
    assert (result.exit_code, result.stdout) == (0, f"{old} -> {new}: 0 breaking, 0 compatible, 0 docs\n")


def test_a_folder_with_a_schema_usda_is_that_schema(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "libraries"):
        (folder / "toy").mkdir(parents=True)
        shutil.copy(EVERYTHING, folder / "toy/schema.usda")
    for other in (tmp_path / "toy", tmp_path / "libraries"):
        assert run(str(EVERYTHING), str(other)).exit_code == 0


def test_a_plugin_file_that_only_includes_others_is_passed_over(tmp_path: Path) -> None:
    plugin = ROOT / "generated/physx_generated/omni_physics"
    shutil.copytree(plugin, tmp_path / "plugins/omni")
    (tmp_path / "plugins/plugInfo.json").write_text('{"Includes": ["*/"]}', encoding="utf-8")
    result = run(str(plugin), str(tmp_path / "plugins"))
    assert result.exit_code == 0, result.stderr


def test_level_leaves_out_what_matters_less(tmp_path: Path) -> None:
    old = written(tmp_path / "old", COILS)
    new = written(tmp_path / "new", COILS.replace("How stiff it is.", "Stiff."))
    assert (run(old, new).exit_code, run(old, new, "--level", "compatible").exit_code) == (1, 0)


@pytest.mark.parametrize(("content", "message"), [
    (None, "is not a path, and not an installed distribution or module"),
    ("", "the file has no keys"),
    ("name: A\nplugin: [", "coils.yaml"),
])
def test_unreadable_schemas_exit_3_and_are_named(tmp_path: Path, content: str | None, message: str) -> None:
    broken = str(tmp_path / "gone") if content is None else written(tmp_path / "broken", content)
    result = run(broken, written(tmp_path / "new", COILS))
    assert (result.exit_code, result.stdout) == (3, "")
    assert message in result.stderr


@pytest.mark.parametrize(("name", "text", "message"), [
    ("plugInfo.json", "{", "not JSON"),
    ("plugInfo.json", '{"Plugins": []}', "describes 0 plugins with types"),
    ("plugInfo.json", '["a"]', "not a list of 'Plugins'"),
    ("generatedSchema.usda", "#usda 1.0\nclass", "not usda: ends too early"),
    ("generatedSchema.usda", "#usda 1.0\n", "has no class"),
])
def test_broken_plugins_exit_3_and_are_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    folder = tmp_path / "plugin"
    shutil.copytree(ROOT / "generated/physx_generated/omni_physics", folder)
    (folder / name).write_text(text, encoding="utf-8")
    result = run(str(folder), str(folder))
    assert result.exit_code == 3
    assert message in result.stderr and f"{folder}/{name}:" in result.stderr


def test_wrong_usage_exits_2() -> None:
    assert run("schema").exit_code == 2
