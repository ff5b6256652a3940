"""Every property of joints, on a joint outside articulations, is a fact that moves it or is said to do nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pxr import Usd
from support.compared.outside_joint_features import ACTS, FEATURES, NOTHING, REFUSED, Feature
from support.places import ROOT

from physx_schema import check
from physx_schema.definitions import definitions
from physx_schema.description import Description, describe

TYPES = ("PhysicsJoint", "PhysicsFixedJoint", "PhysicsRevoluteJoint", "PhysicsPrismaticJoint", "PhysicsSphericalJoint",
         "PhysicsDistanceJoint", "PhysxPhysicsGearJoint", "PhysxPhysicsRackAndPinionJoint")
SCHEMAS = ("PhysicsLimitAPI", "PhysicsDriveAPI", "PhysxLimitAPI", "PhysxJointAxisAPI", "PhysicsJointStateAPI",
           "PhysxDrivePerformanceEnvelopeAPI", "PhysxPhysicsDistanceJointAPI", "PhysxMimicJointAPI",
           "PhysxTendonAxisAPI", "PhysxTendonAxisRootAPI")
INSTANCES = ("angular", "linear", "cone", "transX", "transY", "transZ", "rotX", "rotY", "rotZ", "distance", "t")
# A fact about contacts alone, and what is so already.
SAYS_NOTHING = ("physics:collisionEnabled", "physics:excludeFromArticulation")
DT, STEPS = 1 / 60, 30
MOVED = 1e-5        # length units within half a second; what does nothing changes no bit


def without_instance(name: str) -> str:
    """The name with its instance left out."""
    head, middle, *rest = name.split(":")
    return ":".join((head, *rest)) if middle in INSTANCES else name


def declared() -> set[str]:
    """All properties of the joints' types and schemas, instances left out."""
    registry, names = Usd.SchemaRegistry(), set()
    for schema in TYPES:
        found = registry.FindConcretePrimDefinition(schema)
        names |= {name for name in found.GetPropertyNames() if name.startswith("physics:")}
    for schema in SCHEMAS:
        found = registry.FindAppliedAPIPrimDefinition(schema)
        names |= {name.replace(":__INSTANCE_NAME__", "") for name in found.GetPropertyNames()}
    return names


def read(folder: Path, feature: Feature, value: str) -> Description:
    path = folder / "stage.usda"
    path.write_text(feature.stage(value))
    return describe(path)


def test_every_property_of_joints_has_a_row() -> None:
    assert declared() - {without_instance(feature.property) for feature in FEATURES} == set()


def test_every_schema_of_joint_axes_has_a_row() -> None:
    """A schema that definitions give joints and nobody thought of here would be ignored in silence."""
    ours = {name for name in definitions() if name.startswith("Physx") and "Joint" in name and name.endswith("API")}
    assert ours - {*SCHEMAS, "PhysxJointAPI", "PhysxPhysicsDistanceJointAPI"} == set()


def test_the_page_on_joints_names_every_property() -> None:
    page = (ROOT / "docs" / "joints.md").read_text(encoding="utf-8")
    for feature in FEATURES:
        schemas = [schema.partition(":")[0] for schema in feature.schemas]
        assert feature.property.rpartition(":")[2] in page or any(schema in page for schema in schemas), feature


def test_the_page_on_joints_names_a_test_for_whatever_joints_hold() -> None:
    page = (ROOT / "docs" / "joints.md").read_text(encoding="utf-8")
    header, _, *rows = [line for line in page.partition("| what joints hold |")[2].splitlines() if line.startswith(
        (" ", "|"))]
    assert header.strip().endswith("test |")
    for row in rows:
        named = re.findall(r"`(tests/[^`]+)`", row)
        assert named and all((ROOT / name).is_file() for name in named), row


@pytest.mark.parametrize("feature", FEATURES, ids=lambda f: f"{f.kind} {f.property}")
def test_a_property_is_a_fact_or_is_said_not_to_be_one(feature: Feature, tmp_path: Path) -> None:
    before, after = read(tmp_path, feature, feature.before), read(tmp_path, feature, feature.value)
    if feature.effect in (ACTS, REFUSED):
        assert before.joints != after.joints
    elif feature.property not in SAYS_NOTHING:
        assert feature.property in {item.property for item in after.unused} or is_no_mimic(tmp_path / "stage.usda")


def is_no_mimic(path: Path) -> bool:
    """Whether a finding says that PhysX makes no mimic joint of a joint."""
    return "DJ.007/same-articulation" in {finding.code for finding in check(path).findings}


def test_what_acts_moves_the_body_in_physx_and_nothing_else_does(oracle_folder: Path, tmp_path: Path) -> None:
    from physx_oracle import run_jobs, sim_job

    stages = list(dict.fromkeys(feature.stage(value) for feature in FEATURES
                                for value in (feature.before, feature.value)))
    jobs = []
    for number, text in enumerate(stages):
        path = tmp_path / f"{number}.usda"
        path.write_text(text)
        jobs.append(sim_job(path, DT, STEPS))
    poses = {text: result["rigid_pose"] for text, result in zip(stages, run_jobs(jobs), strict=True)}
    for feature in FEATURES:
        moved = abs(poses[feature.stage(feature.before)] - poses[feature.stage(feature.value)]).max()
        assert moved == 0.0 if feature.effect == NOTHING else moved > MOVED, (feature, moved)
