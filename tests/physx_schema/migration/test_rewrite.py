"""`migrate`: what is rewritten on layers, what wins, what is left, and that nothing else changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pxr import Sdf, Usd
from support.stages.faulty_robots import ARMATURE, arm

from physx_schema.checking import check
from physx_schema.description import describe
from physx_schema.migration import Migration, migrate

REVOLUTE = "PhysicsRevoluteJoint"


def stage(text: str) -> Usd.Stage:
    made = Usd.Stage.CreateInMemory()
    assert made.GetRootLayer().ImportFromString("#usda 1.0\n" + text)
    return made


def joint(body: str, kind: str = REVOLUTE, schemas: str = 'prepend apiSchemas = ["PhysxJointAPI"]') -> Usd.Stage:
    return stage(f'def {kind} "j" (\n{schemas}\n)\n{{\n{body}\n}}\n')


def migrated(source: Usd.Stage, **options: Any) -> tuple[Sdf.Layer, Migration]:
    """The rewritten root layer."""
    found = migrate([source], **options)
    (change,) = (item for item in found.layers if item.layer == source.GetRootLayer())
    return change.copy, found


def said(found: Migration, *kinds: str) -> list[tuple[str, str, str]]:
    return [(note.kind, note.path, note.property) for note in found.notes if note.kind in kinds]


def applied(layer: Sdf.Layer, path: str = "/j") -> list[str]:
    listed = layer.GetPrimAtPath(path).GetInfo("apiSchemas")
    return list(listed.GetAppliedItems())


def values(layer: Sdf.Layer, path: str = "/j") -> dict[str, Any]:
    return {prop.name: prop.default for prop in layer.GetPrimAtPath(path).attributes}


# --- PhysxJointAPI ---

BOTH = "float physxJoint:armature = 0.5\nfloat physxJoint:maxJointVelocity = 90"


@pytest.mark.parametrize(("kind", "axes"), [
    (REVOLUTE, ["angular"]), ("PhysicsPrismaticJoint", ["linear"]),
    ("PhysicsSphericalJoint", ["rotX", "rotY", "rotZ"]), ("PhysicsJoint", ["rotX", "rotY", "rotZ"]),
])
def test_joint_values_go_to_every_axis_of_the_joint_unchanged(kind: str, axes: list[str]) -> None:
    layer, _ = migrated(joint(BOTH, kind))
    assert applied(layer) == [f"PhysxJointAxisAPI:{axis}" for axis in axes]
    assert values(layer) == {f"physxJointAxis:{axis}:{name}": value for axis in axes
                             for name, value in (("armature", 0.5), ("maxJointVelocity", 90.0))}


def test_locked_axes_of_a_generic_joint_get_nothing() -> None:
    layer, _ = migrated(joint(
        f"{BOTH}\nfloat limit:rotX:physics:low = 1\nfloat limit:rotX:physics:high = -1", "PhysicsJoint",
        'prepend apiSchemas = ["PhysicsLimitAPI:rotX", "PhysxJointAPI"]'))
    assert applied(layer) == ["PhysicsLimitAPI:rotX", "PhysxJointAxisAPI:rotY", "PhysxJointAxisAPI:rotZ"]
    assert not any(name.startswith("physxJointAxis:rotX") for name in values(layer))


def test_value_of_an_axis_wins_and_the_conflict_is_reported() -> None:
    layer, found = migrated(joint(f"{BOTH}\nfloat physxJointAxis:angular:armature = 0.25"))
    assert values(layer) == {"physxJointAxis:angular:armature": 0.25, "physxJointAxis:angular:maxJointVelocity": 90.0}
    assert said(found, "conflict") == [("conflict", "/j", "physxJoint:armature")]
    (note,) = (note for note in found.notes if note.kind == "conflict")
    assert "0.5" in note.message and "0.25" in note.message and note.fix


def test_metadata_of_a_value_that_yields_is_kept() -> None:
    layer, _ = migrated(joint(f"{FULL}\nfloat physxJointAxis:angular:armature = 0.25"))
    (spec,) = layer.GetPrimAtPath("/j").attributes
    assert (spec.default, spec.documentation, dict(spec.customData)) == (0.25, "mine", {"note": 3})
    assert not layer.ListTimeSamplesForPath(spec.path)


def test_equal_values_are_no_conflict() -> None:
    layer, found = migrated(joint(f"{BOTH}\nfloat physxJointAxis:angular:armature = 0.5"))
    assert not found.open and values(layer)["physxJointAxis:angular:armature"] == 0.5


def test_value_that_an_applied_axis_schema_switched_off_is_said_to_count_now() -> None:
    _, found = migrated(joint(BOTH, schemas='prepend apiSchemas = ["PhysxJointAPI", "PhysxJointAxisAPI:angular"]'))
    switched_on = [note.property for note in found.notes if "now uses this value as" in note.message]
    assert switched_on == ["physxJoint:armature", "physxJoint:maxJointVelocity"]


def test_friction_coefficient_is_left_with_what_replaces_it() -> None:
    layer, found = migrated(joint("float physxJoint:jointFriction = 0.1"))
    assert values(layer) == {"physxJoint:jointFriction": pytest.approx(0.1)}
    (note,) = found.open
    assert (note.kind, note.property) == ("left", "physxJoint:jointFriction") and "staticFrictionEffort" in note.fix


@pytest.mark.parametrize("kind", ["PhysicsFixedJoint", "Xform"])
def test_prim_without_a_joint_axis_is_left(kind: str) -> None:
    source = joint(BOTH, kind)
    layer, found = migrated(source)
    assert layer.ExportToString() == source.GetRootLayer().ExportToString()
    assert {note.kind for note in found.notes} == {"left"}


def test_prim_of_unknown_type_is_left() -> None:
    _, found = migrated(stage('over "j" (prepend apiSchemas = ["PhysxJointAPI"])\n{\n}\n'))
    assert said(found, "left", "moved") == [("left", "/j", "apiSchemas")]
    assert "the type of the joint" in found.notes[0].message


def test_joint_values_without_their_schema_are_left_because_physx_never_read_them() -> None:
    text = arm().GetRootLayer().ExportToString().replace("PhysxJointAPI", "PhysicsFilteredPairsAPI")
    source = Usd.Stage.CreateInMemory()
    assert source.GetRootLayer().ImportFromString(text)
    layer, found = migrated(source)
    assert layer.ExportToString() == source.GetRootLayer().ExportToString()
    left = [note for note in found.notes if note.kind == "left"]
    assert len(left) == 6 and all("PhysxJointAPI is not applied to the prim" in note.message for note in left)
    assert not any("run `physx-schema migrate`" in finding.fix for finding in check(source).findings)


def test_every_moved_value_is_read() -> None:
    layer, found = migrated(arm())
    description = describe(Usd.Stage.Open(layer))
    moved = {(note.path, name) for note in found.notes for name in note.became}
    assert len(moved) == 10 and not moved & {(opinion.path, opinion.property) for opinion in description.unused}
    dofs = [dof for articulation in description.articulations for dof in articulation.dofs]
    assert {dof.armature for dof in dofs} == {ARMATURE}


def test_moved_values_that_physx_does_not_read_are_said() -> None:
    _, found = migrated(joint(BOTH))        # between no bodies
    said_of = {note.property: note.message for note in found.notes if note.kind == "note"}
    assert said_of.keys() == {"physxJointAxis:angular:armature", "physxJointAxis:angular:maxJointVelocity"}
    assert all("PhysX does not create the joint" in message for message in said_of.values())


def test_a_stage_that_cannot_be_composed_of_the_migrated_layers_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("physx_schema.migration.report._stand_ins", lambda *_: {})
    (note,) = migrate([arm()]).open
    assert "no stage could be composed" in note.message


@pytest.mark.parametrize("reference", ["./arm.usda", "arm.usda", "`\"${NAME}.usda\"`"])
def test_referenced_layers_are_looked_at_as_they_will_be(reference: str, tmp_path: Path) -> None:
    arm().GetRootLayer().Export(str(tmp_path / "arm.usda"))
    source = layered(tmp_path, root='(\nexpressionVariables = {\nstring NAME = "arm"\n}\n)\n'
                     f'def "a" (references = @{reference}@</Robot>)\n{{\n}}\n')
    before = (tmp_path / "arm.usda").read_bytes()
    found = migrate([source])
    assert not [note for note in found.notes if note.kind in ("left", "note")]
    assert [change.name for change in found.changed] == [str(tmp_path / "arm.usda")]
    assert (tmp_path / "arm.usda").read_bytes() == before


# --- everything that belongs to a property moves along ---

FULL = """
custom float physxJoint:armature = 0.5 (
    customData = {
        int note = 3
    }
    doc = "mine"
)
float physxJoint:armature.timeSamples = {
    1: 2,
    3: 4,
}
float physxJoint:armature.connect = </driver.out>
"""


@pytest.mark.parametrize("kind", [REVOLUTE, "PhysicsSphericalJoint"])
def test_samples_connections_and_metadata_move_along(kind: str) -> None:
    layer, _ = migrated(joint(FULL, kind))
    moved = layer.GetPrimAtPath("/j").attributes
    assert len(moved) == (1 if kind == REVOLUTE else 3)
    for spec in moved:
        assert (spec.default, spec.custom, spec.documentation) == (0.5, True, "mine")
        assert dict(spec.customData) == {"note": 3}
        assert layer.ListTimeSamplesForPath(spec.path) == [1.0, 3.0]
        assert list(spec.connectionPathList.explicitItems) == [Sdf.Path("/driver.out")]


def test_connections_and_targets_that_point_at_a_moved_property_follow() -> None:
    layer, _ = migrated(stage(
        'def PhysicsRevoluteJoint "j" (prepend apiSchemas = ["PhysxJointAPI"])\n{\nfloat physxJoint:armature = 1\n}\n'
        'def "x"\n{\nfloat a.connect = </j.physxJoint:armature>\n'
        'prepend rel r = [</j.physxJoint:armature>, </j>]\ndelete rel r = </j.physxJoint:armature>\n}\n'))
    moved = Sdf.Path("/j.physxJointAxis:angular:armature")
    assert list(layer.GetAttributeAtPath("/x.a").connectionPathList.explicitItems) == [moved]
    targets = layer.GetRelationshipAtPath("/x.r").targetPathList
    assert list(targets.prependedItems) == [moved, Sdf.Path("/j")] and list(targets.deletedItems) == [moved]


@pytest.mark.parametrize(("written", "expected"), [
    ('prepend apiSchemas = ["A", "PhysxJointAPI", "B"]', ("prependedItems", ["A", "PhysxJointAxisAPI:angular", "B"])),
    ('append apiSchemas = ["PhysxJointAPI"]', ("appendedItems", ["PhysxJointAxisAPI:angular"])),
    ('apiSchemas = ["PhysxJointAPI"]', ("explicitItems", ["PhysxJointAxisAPI:angular"])),
    ('delete apiSchemas = ["PhysxJointAPI"]', ("deletedItems", ["PhysxJointAxisAPI:angular"])),
    ('prepend apiSchemas = ["PhysxJointAPI", "PhysxJointAxisAPI:angular"]',
     ("prependedItems", ["PhysxJointAxisAPI:angular"])),
    ('prepend apiSchemas = ["PhysxJointAxisAPI:angular"]\nappend apiSchemas = ["PhysxJointAPI"]',
     ("appendedItems", [])),
])
def test_schemas_are_exchanged_in_place_in_every_list_operation(written: str, expected: tuple[str, list[str]]) -> None:
    layer, _ = migrated(joint("", schemas=written))
    assert list(getattr(layer.GetPrimAtPath("/j").GetInfo("apiSchemas"), expected[0])) == expected[1]


# --- layers ---

def layered(tmp_path: Path, **texts: str) -> Usd.Stage:
    """Files of these names and texts; the stage of the one called root."""
    for name, text in texts.items():
        (tmp_path / f"{name}.usda").write_text("#usda 1.0\n" + text, encoding="utf-8")
    return Usd.Stage.Open(str(tmp_path / "root.usda"))


def copies(found: Migration) -> dict[str, Sdf.Layer]:
    return {Path(change.layer.realPath).stem: change.copy for change in found.layers}


JOINT = f'def PhysicsRevoluteJoint "j" (prepend apiSchemas = ["PhysxJointAPI"])\n{{\n{BOTH}\n}}\n'


def test_over_in_a_stronger_layer_moves_with_the_type_of_the_weaker_one(tmp_path: Path) -> None:
    source = layered(tmp_path, base=JOINT, root='(\nsubLayers = [@base.usda@]\n)\n'
                     'over "j"\n{\nfloat physxJoint:armature = 2\n}\n')
    found = copies(migrate([source]))
    assert values(found["root"]) == {"physxJointAxis:angular:armature": 2.0}
    assert values(found["base"])["physxJointAxis:angular:armature"] == 0.5


def test_value_of_an_axis_in_a_weaker_layer_wins_too(tmp_path: Path) -> None:
    source = layered(
        tmp_path, base='def PhysicsRevoluteJoint "j" (prepend apiSchemas = ["PhysxJointAxisAPI:angular"])\n'
        '{\nfloat physxJointAxis:angular:armature = 0.25\n}\n',
        root=f'(\nsubLayers = [@base.usda@]\n)\nover "j" (prepend apiSchemas = ["PhysxJointAPI"])\n{{\n{BOTH}\n}}\n')
    found = migrate([source])
    assert values(copies(found)["root"]) == {"physxJointAxis:angular:maxJointVelocity": 90.0}
    assert said(found, "conflict") == [("conflict", "/j", "physxJoint:armature")]


def test_value_of_an_axis_in_a_stronger_layer_stays_above_and_is_reported(tmp_path: Path) -> None:
    source = layered(tmp_path, base=JOINT, root='(\nsubLayers = [@base.usda@]\n)\n'
                     'over "j"\n{\nfloat physxJointAxis:angular:armature = 0.25\n}\n')
    found = migrate([source])
    assert values(copies(found)["base"])["physxJointAxis:angular:armature"] == 0.5
    assert said(found, "conflict") == [("conflict", "/j", "physxJoint:armature")]


def test_referenced_layers_and_class_prims_take_the_type_from_where_they_are_used(tmp_path: Path) -> None:
    source = layered(
        tmp_path, part=f'class "_lossy" (prepend apiSchemas = ["PhysxJointAPI"])\n{{\n{BOTH}\n}}\n'
        'def "part"\n{\n'
        'def PhysicsPrismaticJoint "slide" (inherits = </_lossy>)\n{\n}\n}\n',
        asset='def "arm" (references = @part.usda@</part>)\n{\nover "slide"\n{\nfloat physxJoint:armature = 3\n}\n}\n',
        root='def "robot" (payload = @asset.usda@</arm>)\n{\n}\n')
    found = copies(migrate([source]))
    assert values(found["asset"], "/arm/slide") == {"physxJointAxis:linear:armature": 3.0}
    assert applied(found["part"], "/_lossy") == ["PhysxJointAxisAPI:linear"]
    assert values(found["part"], "/_lossy") == {
        "physxJointAxis:linear:armature": 0.5, "physxJointAxis:linear:maxJointVelocity": 90.0}


def test_joints_of_instances_are_rewritten_where_they_are_defined(tmp_path: Path) -> None:
    source = layered(
        tmp_path, arm=f'def "arm"\n{{\n{JOINT}}}\n',
        root="".join(f'def "{name}" (\ninstanceable = true\nreferences = @arm.usda@</arm>\n)\n{{\n}}\n'
                     for name in ("left", "right")))
    found = migrate([source])
    assert applied(copies(found)["arm"], "/arm/j") == ["PhysxJointAxisAPI:angular"] and not found.open


VARIANTS = """
def PhysicsRevoluteJoint "j" (
    variants = {
        string loss = "low"
    }
    prepend variantSets = "loss"
)
{
    variantSet "loss" = {
        "low" (
            prepend apiSchemas = ["PhysxJointAPI"]
        ) {
            float physxJoint:armature = 1
        }
        "high" (
            prepend apiSchemas = ["PhysxJointAPI"]
        ) {
            float physxJoint:armature = 2
        }
    }
}
"""


def test_variants_are_rewritten_whether_selected_or_not() -> None:
    layer, found = migrated(stage(VARIANTS))
    for name, value in (("low", 1.0), ("high", 2.0)):
        path = f"/j{{loss={name}}}"
        assert applied(layer, path) == ["PhysxJointAxisAPI:angular"]
        assert values(layer, path) == {"physxJointAxis:angular:armature": value}
    assert not found.open


def test_deletion_that_would_take_another_layers_axis_along_is_left(tmp_path: Path) -> None:
    source = layered(
        tmp_path, base='def PhysicsRevoluteJoint "j" (\n'
        'prepend apiSchemas = ["PhysxJointAPI", "PhysxJointAxisAPI:angular"]\n)\n{\n}\n',
        root='(\nsubLayers = [@base.usda@]\n)\nover "j" (delete apiSchemas = ["PhysxJointAPI"])\n{\n}\n')
    found = migrate([source])
    listed = copies(found)["root"].GetPrimAtPath("/j").GetInfo("apiSchemas")
    assert list(listed.deletedItems) == ["PhysxJointAPI"]
    assert ("left", "/j", "apiSchemas") in said(found, "left")


def test_a_layer_that_is_missing_is_reported(tmp_path: Path) -> None:
    source = layered(tmp_path, root='def "robot" (references = @gone.usda@)\n{\n}\n')
    assert [(note.kind, "gone.usda" in note.message) for note in migrate([source]).open] == [("left", True)]


# --- other retired things ---

def test_a_new_name_for_the_same_value_is_taken() -> None:
    layer, found = migrated(stage('def PhysicsScene "j" (prepend apiSchemas = ["PhysxSceneAPI"])\n{\n'
                                  "uint physxScene:gpuMaxSoftBodyContacts = 7\n}\n"))
    assert values(layer) == {"physxScene:gpuMaxDeformableVolumeContacts": 7} and not found.open


def test_classes_without_a_successor_are_left_with_what_replaces_them() -> None:
    source = stage('def Mesh "j" (prepend apiSchemas = ["PhysxParticleClothAPI"])\n{\n'
                   "float physxParticle:pressure = 1\n}\ndef PhysxPhysicsAttachment \"a\"\n{\n}\n")
    layer, found = migrated(source)
    assert layer.ExportToString() == source.GetRootLayer().ExportToString()
    assert {("left", "/j", "apiSchemas"), ("left", "/j", "physxParticle:pressure"), ("left", "/a", "typeName")} <= set(
        said(found, "left"))
    assert all(note.fix for note in found.open)


def test_an_older_release_has_not_dropped_it_yet() -> None:
    source = joint(BOTH)
    assert not migrate([source], to="25.11.1").changed and migrate([source], to="25.11.2").changed


def test_text_that_is_no_release_is_refused() -> None:
    with pytest.raises(ValueError, match="'latest' is not a release"):
        migrate([joint("")], to="latest")


# --- afterwards ---

def test_a_second_run_changes_nothing() -> None:
    source = joint(f"{BOTH}\nfloat physxJoint:jointFriction = 0.1\nfloat physxJointAxis:angular:armature = 0.25")
    layer, _ = migrated(source)
    again = Usd.Stage.Open(layer)
    once = layer.ExportToString()
    layer, found = migrated(again)
    assert not found.changed and layer.ExportToString() == once


def test_the_stage_given_is_not_touched() -> None:
    source = joint(BOTH)
    before = source.GetRootLayer().ExportToString()
    migrate([source])
    assert source.GetRootLayer().ExportToString() == before


def test_check_finds_nothing_on_a_migrated_arm() -> None:
    before = arm()
    assert {finding.code for finding in check(before).findings} == {"unused/retired"}
    layer, found = migrated(before)
    assert not found.open and check(Usd.Stage.Open(layer)).findings == ()
