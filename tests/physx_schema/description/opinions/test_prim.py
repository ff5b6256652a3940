"""The closest thing that would have worked: found for every kind of mistake, never for other people's names."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest
from support.stages.robots import base, finger, joint, link, opened, robot

from physx_schema.checking import check
from physx_schema.description.opinions.prim import suggest_property, suggest_schema
from physx_schema.description.opinions.schemas import SCHEMAS

DRIVE, AXIS, TENDON = "PhysicsDriveAPI:angular", "PhysxJointAxisAPI:angular", "PhysxTendonAxisRootAPI:flexor"
STIFFNESS, ARMATURE = "drive:angular:physics:stiffness", "physxJointAxis:angular:armature"


def unused(text: str) -> list[tuple[str, str]]:
    return [(item.code, item.suggestion) for item in check(opened(text)).unused]


def property_on_joint(name: str, *schemas: str, kind: str = "Revolute") -> list[tuple[str, str]]:
    return unused(finger({f"float {name}": 1.0}, schemas, kind))


@pytest.mark.parametrize(("name", "schema", "meant"), [
    ("phsyxJointAxis:angular:armature", AXIS, ARMATURE),
    ("drve:angular:physics:stiffness", DRIVE, STIFFNESS),
    ("physxJointaxis:angular:armature", AXIS, ARMATURE),
    ("PhysxJointAxisAPI:angular:armature", AXIS, ARMATURE),
    ("PhysxTendonAxisRootAPI:flexor:stiffness", TENDON, "physxTendon:flexor:stiffness"),
    ("drive:angular:stiffness", DRIVE, STIFFNESS),
    ("drive:angular:physics:stifness", DRIVE, STIFFNESS),
    ("physxJointAxis:angular:armatur", AXIS, ARMATURE),
    ("physxJointAxis:angular:armatur", "", ARMATURE),
])
def test_misspelt_property_gets_the_right_name(name: str, schema: str, meant: str) -> None:
    assert ("misspelt-property", meant) in property_on_joint(name, *filter(None, [schema]))


@pytest.mark.parametrize(("name", "schema", "meant"), [
    ("drive:linear:physics:stiffness", DRIVE, STIFFNESS),
    ("drive:linear:physics:stiffness", "", STIFFNESS),
    ("drive:rotX:physics:stiffness", "", STIFFNESS),
    ("physxTendon:flexer:stiffness", TENDON, "physxTendon:flexor:stiffness"),
    ("physxTendon:Flexor:stiffness", TENDON, "physxTendon:flexor:stiffness"),
    ("physxMimicJoint:rotx:gearing", "PhysxMimicJointAPI:rotX", "physxMimicJoint:rotX:gearing"),
])
def test_wrong_instance_gets_the_right_one(name: str, schema: str, meant: str) -> None:
    assert property_on_joint(name, *filter(None, [schema])) == [("wrong-instance", meant)]


def test_instance_of_another_name_is_no_misspelling() -> None:
    found = property_on_joint("physxTendon:extensor:stiffness", TENDON)
    assert found == [("not-applied", "apply PhysxTendonAxisRootAPI:extensor, or author the property under 'flexor'")]


def test_instance_is_not_suggested_where_its_property_is_authored_too() -> None:
    both = {"float drive:linear:physics:stiffness": 1.0, f"float {STIFFNESS}": 1.0}
    assert unused(finger(both, (DRIVE,))) == [("wrong-instance", "")]


@pytest.mark.parametrize(("name", "meant"), [
    (STIFFNESS, "PhysicsDriveAPI:angular"), ("physxTendon:flexor:stiffness", TENDON),
    ("physxTendon:flexor:gearing", "PhysxTendonAxisAPI:flexor"), ("physxJointAxis:angular:armature", AXIS),
])
def test_property_without_its_schema_names_the_schema(name: str, meant: str) -> None:
    assert property_on_joint(name) == [("not-applied", f"apply {meant}")]


ELSEWHERE = "author the property on a prim where PhysX reads it, or remove the property"


@pytest.mark.parametrize(("name", "kind", "fix"), [
    ("physics:mass", "Revolute", "author the property on a rigid body"),
    ("physics:gravityMagnitude", "Revolute", "author the property on a PhysicsScene"),
    ("physxScene:bounceThreshold", "Revolute", "apply the schema to the PhysicsScene"),
    ("drive:angular:physics:stiffness", "Fixed", ELSEWHERE),
    ("drive:rotY:physics:damping", "Spherical", ELSEWHERE),
    ("physxArticulation:sleepThreshold", "Prismatic",
     "apply PhysicsArticulationRootAPI and PhysxArticulationAPI"),
])
def test_a_schema_that_would_not_be_read_here_is_not_to_be_applied(name: str, kind: str, fix: str) -> None:
    assert unused(finger({f"float {name}": 1.0}, (), kind)) == [("not-applied", fix)]


@pytest.mark.parametrize(("kind", "axis"), [("Revolute", "rotY"), ("Revolute", "angular"), ("Prismatic", "transX")])
def test_limits_of_generic_joints_on_others_are_the_joint_s_own(kind: str, axis: str) -> None:
    text = finger({f"float limit:{axis}:physics:low": -5.0}, (f"PhysicsLimitAPI:{axis}",), kind)
    assert unused(text) == [("idle", "author physics:lowerLimit and physics:upperLimit"),
                            ("wrong-instance", "physics:lowerLimit")]


def test_tendon_property_on_a_link_names_the_schema_of_attachments() -> None:
    parts = link("tip", more={"float physxTendon:flexor:gearing": 1.0}), joint("Revolute", "j", "base", "tip")
    assert unused(robot(base(), *parts)) == [("not-applied", "apply PhysxTendonAttachmentAPI:flexor")]


@pytest.mark.parametrize(("applied", "meant"), [
    ("PhyxJointAxisAPI:angular", AXIS), ("PhysxJointAxsAPI:angular", AXIS), ("PhysxJointAxis:angular", AXIS),
    ("UsdPhysicsDriveAPI:angular", DRIVE), ("DriveAPI:angular", DRIVE), ("PhysicsDriveApi:angular", DRIVE),
    ("CharacterControllerAPI", "PhysxCharacterControllerAPI"),
])
def test_misspelt_schema_gets_the_right_name(applied: str, meant: str) -> None:
    assert unused(finger({}, (applied,))) == [("misspelt-schema", meant)]


# --- other people's names ---

STRANGERS: Mapping[str, object] = {f"float {name}": 1.0 for name in (
    "userProperties:physics", "ui:drive", "isaac:physics:robot", "my:stiffness", "semantics:x", "driver:angular:gain",
    "limits:low", "phys:mass", "newtonian:gravity", "material:density", "statement:angular:physics:position", "axis",
    "drives:angular:power", "physical:mass", "primvars:stiffness", "inputs:friction", "stiffness", "armature",
)}


def test_names_of_others_are_left_alone() -> None:
    assert unused(finger(STRANGERS, (DRIVE, AXIS))) == []


@pytest.mark.parametrize("name", [
    "IsaacJointAPI", "SemanticsAPI:x", "MaterialBindingAPI", "CollectionAPI:colliders", "GeomModelAPI", "LightAPI",
    "Xform", "Mesh", "Material", "Scene", "Joint", "SkelRoot", "MotionAPI", "VisibilityAPI", "RobotAPI", "",
])
def test_schemas_of_others_are_left_alone(name: str) -> None:
    assert suggest_schema(name) == ""


def test_namespace_alone_does_not_make_a_suggestion() -> None:
    assert suggest_property("physxJointAxes:angular:armature") == ARMATURE
    assert suggest_property("physxJointAxes:angular:amplitude") == ""


# --- how often the hint is right ---

MUTATIONS, SEED, LEAST = 15, 7, 0.97        # share of right hints; the rest has a neighbour as close as the original


def mutated(word: str, dice: random.Random) -> str:
    """A word with two letters swapped, one dropped, or one doubled."""
    place = dice.randrange(1, len(word) - 1)
    swapped = word[:place] + word[place + 1] + word[place] + word[place + 2:]
    return dice.choice([swapped, word[:place] + word[place + 1:], word[:place] + word[place] + word[place:]])


def test_most_misspellings_are_traced_to_what_was_meant() -> None:
    dice = random.Random(SEED)
    meant: dict[str, str] = {}
    for schema in ("PhysxJointAxisAPI", "PhysicsDriveAPI"):
        for base_name in SCHEMAS[schema].defaults:
            for _ in range(MUTATIONS):
                name = SCHEMAS[schema].name(base_name, "angular")
                head, _, rest = name.partition(":")
                space, _, last = rest.rpartition(":")
                in_head, in_last = f"{mutated(head, dice)}:{rest}", f"{head}:{space}:{mutated(last, dice)}"
                meant |= {bad: name for bad in (in_head, in_last) if bad != name}
    found = check(opened(finger({f"float {bad}": 1.0 for bad in meant}, (AXIS, DRIVE)))).unused
    traced = {item.property: item.suggestion for item in found if item.code == "misspelt-property"}
    wrong = {bad: traced.get(bad) for bad, name in meant.items() if traced.get(bad) != name}
    assert len(wrong) <= (1.0 - LEAST) * len(meant), (len(meant), wrong)
