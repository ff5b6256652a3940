"""Stages for older releases of the engine: what these read is not unused."""

from __future__ import annotations

import pytest
from support.stages.robots import described, finger, opened

from physx_schema.checking import check
from physx_schema.description.releases import as_of_release
from physx_schema.engine_releases import LATEST, RELEASES

RETIRED = finger({"float physxJoint:armature": 5.0, "float physxJoint:jointFriction": 0.5}, ("PhysxJointAPI",))
NEWTON = finger({"float newton:armature": 5.0}, ("NewtonJointAPI",))
GONE = finger({}, ("PhysxResidualReportingAPI",))


@pytest.mark.parametrize(("release", "unused"), [("0.5", 0), ("0.6", 0), ("0.7", 3)])
def test_the_joint_api_is_unused_from_0_7_on(release: str, unused: int) -> None:
    found = as_of_release(described(RETIRED), release)
    assert len(found.unused) == unused
    assert len([item for item in found.not_evaluated if item.code == "older-release"]) == 3 - unused


@pytest.mark.parametrize("release", RELEASES)
def test_what_no_release_reads_is_unused_in_each(release: str) -> None:
    codes = [item.code for item in check(opened(GONE), "physx", engine_release=release).findings]
    assert "unused/retired" in codes


@pytest.mark.parametrize(("release", "count"), [("0.5", 1), ("0.6", 0), ("0.7", 0)])
def test_newtons_joints_are_read_from_0_6_on(release: str, count: int) -> None:
    found = as_of_release(described(NEWTON), release).not_evaluated
    assert len([item for item in found if item.property == "newton:armature"]) == count


def test_findings_name_the_release() -> None:
    found = [item.message for item in check(opened(RETIRED), "physx").findings if item.code == "unused/retired"]
    assert found and all("from release 0.7 on" in message and "25.11.2" in message for message in found)


def test_the_latest_release_changes_nothing() -> None:
    description = described(RETIRED)
    assert as_of_release(description, LATEST) is description


def test_unknown_release_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'0\.4' is not one of 0\.5, 0\.6, 0\.7"):
        as_of_release(described(RETIRED), "0.4")
