"""Every opinion on a stage has a row in its verification, unless it became a fact and is no number."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from physx_runtime.verification import Row, verify
from physx_runtime.verification.authored import authored_numbers
from physx_runtime.verification.stage import accounted_rows
from pxr import Gf, Usd
from support.places import DATA, MOTIONS, STAGES
from support.stages.robots import base, link, opened, prim, robot
from support.stages.rule_examples import examples, stage
from support.stages.verified_robots import chain, drive, row_of

from physx_schema.description import Authored, Description, Opinion, describe
from physx_schema.errors import UnreadableError

PATHS = sorted([*STAGES.glob("*.usda"), *MOTIONS.rglob("*.usda")])
QUATERNIONS = (Gf.Quatf, Gf.Quatd, Gf.Quath)


def is_number(value: object) -> bool:
    """Whether USD handed out a number, or several."""
    if isinstance(value, QUATERNIONS):
        return True
    try:
        found = np.asarray(value)
    except ValueError:
        return False
    return found.dtype.kind in "fiu" and found.size > 0


def unnamed(description: Description, rows: Iterable[Row]) -> set[tuple[str, str]]:
    """The opinions that have no row and should."""
    consumed = {(item.path, item.property) for item in description.authored
                if f"{item.path}.{item.property}" in description.consumed and is_number(item.value)}
    rest = {(item.path, item.property) for item in (*description.unused, *description.not_evaluated)}
    return (consumed | rest) - {(row.path, row.property) for row in rows}


def accounted(description: Description) -> list[Row]:
    return list(accounted_rows(description, authored_numbers(description)))


def planted(description: Description, value: object = 1.0) -> Description:
    """The description, in which the reader has learnt to read one property more."""
    new = Authored("/Robot/j0", "physxNew:wobble", value, "float", "PhysxNewAPI", "wobble")
    return replace(description, authored=(*description.authored, new),
                   consumed=description.consumed | {f"{new.path}.{new.property}"})


@pytest.mark.parametrize("path", PATHS, ids=lambda path: str(path.relative_to(DATA)))
def test_every_opinion_of_a_stage_has_a_row(path: Path) -> None:
    description = describe(path)
    assert not unnamed(description, verify(description).rows)


def test_every_opinion_of_the_examples_of_rules_has_a_row() -> None:
    for code in examples():
        description = describe(opened(stage(code.example)))
        assert not unnamed(description, accounted(description)), code.code


def test_every_opinion_of_the_recorded_stages_has_a_row(shared_cases: Path) -> None:
    count = 0
    for path in sorted(shared_cases.glob("*/**/*.usda")):
        try:
            description = describe(path)
        except (UnreadableError, RuntimeError):     # hostile files
            continue
        count += 1
        assert not unnamed(description, accounted(description)), path
    assert count > 40


@pytest.mark.sweep
def test_every_opinion_of_a_recorded_motion_has_a_row_beside_what_is_measured(shared_cases: Path) -> None:
    for path in sorted((shared_cases / "dynamics").glob("*/stage.usda")):
        description = describe(path)
        assert not unnamed(description, verify(description).rows), path


def test_property_that_the_reader_learns_has_a_row_from_the_first_day() -> None:
    description = planted(describe(chain(drive("linear", stiffness=3.0))))
    row = row_of(verify(description), "physxNew:wobble")
    assert (row.authored, row.verdict) == (1.0, "not evaluated")
    assert row.reason == "there is no experiment for this property yet; simulate shows what it does"


def test_missing_row_of_a_consumed_opinion_is_found() -> None:
    description = describe(chain(drive("linear", stiffness=3.0)))
    assert unnamed(planted(description), accounted(description)) == {("/Robot/j0", "physxNew:wobble")}


@pytest.mark.parametrize("value", ["text", True, ("/Robot/j1",)])
def test_tokens_switches_and_targets_that_are_read_have_no_row(value: object) -> None:
    description = planted(describe(chain(drive("linear", stiffness=3.0))), value)
    assert not [row for row in accounted(description) if row.property == "physxNew:wobble"]


def test_unused_opinion_is_ignored_with_its_number_and_reason() -> None:
    description = describe(chain(drive("linear", stiffness=3.0)))
    unused = Opinion("/Robot/j0", "mjc:solref", "nobody reads it", "write to us")
    new = Authored("/Robot/j0", "mjc:solref", Gf.Vec2f(0.02, 1.0), "float2")
    rows = accounted(replace(description, unused=(unused,), authored=(*description.authored, new)))
    (row,) = (row for row in rows if row.property == "mjc:solref")
    assert (row.authored, row.verdict, row.reason) == ((0.02, 1.0), "ignored", "nobody reads it (write to us)")


def test_vector_and_quaternion_are_one_row_each_as_usd_writes_them() -> None:
    more = {"point3f physics:centerOfMass": (0.1, 0.0, -0.2), "quatf physics:principalAxes": (0.0, 1.0, 0.0, 0.0)}
    description = describe(opened(robot(base(), link("l0", more=more))))
    found = {row.property: row.authored for row in accounted(description) if row.path == "/Robot/l0"}
    assert found["physics:centerOfMass"] == (0.1, 0.0, -0.2)
    assert found["physics:principalAxes"] == (0.0, 1.0, 0.0, 0.0)


def test_unused_prim_and_schema_have_rows_without_a_number() -> None:
    description = describe(opened(robot(base(), prim("Xform", "x", ("PhysxMadeUpAPI",)))))
    (row,) = (row for row in accounted(description) if row.verdict == "ignored")
    assert (row.path, row.property) == ("/Robot/x", "apiSchemas")
    assert isinstance(row.authored, float)
    assert math.isnan(row.authored)


def test_loose_body_is_verified_without_an_articulation() -> None:
    verification = verify(opened(robot(link("thing", more={"vector3f physics:velocity": (1.0, 0.0, 0.0)}), schemas=())))
    row = row_of(verification, "physics:velocity", "/Robot/thing")
    assert (row.authored, row.effective, row.verdict) == ((1.0, 0.0, 0.0), (1.0, 0.0, 0.0), "as authored")


def test_scene_alone_is_nothing_to_verify() -> None:
    made = Usd.Stage.CreateInMemory()
    made.DefinePrim("/scene", "PhysicsScene").GetAttribute("physics:gravityMagnitude").Set(3.0)
    with pytest.raises(Exception, match="no articulation and no rigid body"):
        verify(made)
