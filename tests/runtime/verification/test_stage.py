"""What verification says about what PhysX refuses, about stages it cannot measure, and about its arguments.

Every opinion on a stage has a row in its verification, unless it became a fact and is no number.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from physx_runtime.verification import Row, verify
from physx_runtime.verification.accounted import accounted_rows
from physx_runtime.verification.authored import authored_numbers
from pxr import Gf, Usd
from support.nonempty import nonempty
from support.places import DATA, MOTIONS, STAGES
from support.stages.faulty_robots import examples, stage
from support.stages.robots import base, joint, link, opened, prim, robot
from support.stages.verified_robots import ROOT_SCHEMAS, axis, both, chain, drive, limits, mimic, row_of, verified

from physx_schema.description import Authored, Description, Opinion, describe
from physx_schema.errors import UnreadableError, UnsupportedError

STIFFNESS = "drive:linear:physics:stiffness"


def mimicking(instance: str = "rotX", **values: float) -> Usd.Stage:
    second = both(mimic(instance, **({"gearing": -1.0} | values)), limits(-90, 90))
    return chain(limits(-90, 90), second, kind="Revolute", serial=False)


@pytest.mark.parametrize(("instance", "reason"), [
    ("Z", "PhysX creates no mimic joint: the instance name 'Z' is not one of rotX, rotY, rotZ"),
    ("transZ", "PhysX creates no mimic joint: the instance name 'transZ' is not one of rotX, rotY, rotZ")])
def test_mimic_under_another_instance_name_is_ignored(instance: str, reason: str) -> None:
    row = verified(mimicking(instance), f"physxMimicJoint:{instance}:gearing", "/Robot/j1")
    assert (row.verdict, row.authored, row.effective, row.reason) == ("ignored", -1.0, None, reason)


def test_mimic_with_gearing_0_is_ignored() -> None:
    row = verified(mimicking(gearing=0.0), "physxMimicJoint:rotX:gearing", "/Robot/j1")
    assert (row.verdict, row.reason) == ("ignored", "PhysX creates no mimic joint: gearing is 0")


def test_tendon_axis_without_a_root_is_ignored() -> None:
    verification = verify(chain(axis(0.5)))
    found = [row for row in verification.rows if row.property.startswith("physxTendon:t:")]
    assert {(row.path, row.verdict) for row in found} == {("/Robot/j0", "ignored")}


def test_gain_without_the_schema_is_ignored() -> None:
    stage = chain(drive("linear", stiffness=10.0), ((), {"float drive:linear:physics:stiffness": 7.0}))
    row = verified(stage, STIFFNESS, "/Robot/j1")
    assert (row.verdict, row.authored, row.effective) == ("ignored", 7.0, None)
    assert row.reason


def test_slider_beside_a_spherical_joint_is_measured() -> None:
    ball = joint("Spherical", "ball", "l0", "l1")
    slider = joint("Prismatic", "j0", "base", "l0", *drive("linear", stiffness=10.0))
    stage = opened(robot(base(), link("l0"), link("l1"), slider, ball, schemas=ROOT_SCHEMAS))
    row = verified(stage, STIFFNESS)
    assert (row.verdict, row.authored, row.effective) == ("as authored", 10.0, 10.0)


def test_drive_between_two_bodies_outside_articulations_is_measured() -> None:
    slider = joint("Prismatic", "j0", "base", "l0", *drive("linear", stiffness=10.0))
    row = verified(opened(robot(base(), link("l0"), slider, schemas=())), STIFFNESS)
    assert (row.verdict, row.authored, row.effective) == ("as authored", 10.0, 10.0)


def test_no_row_is_without_a_verdict_or_a_reason() -> None:
    rows = verify(chain(both(drive("linear", stiffness=3.0), axis(root=True, stiffness=2.0)), axis(), axis(0.2))).rows
    assert all(row.reason if row.verdict != "as authored" else not row.reason for row in rows)
    assert {row.verdict for row in rows} <= {"as authored", "altered", "ignored", "not evaluated"}


def test_rows_of_one_prim_stand_together() -> None:
    driven = drive("linear", stiffness=3.0)
    stage = chain(both(driven, axis(root=True, stiffness=2.0)), both(driven, axis()), both(driven, axis()))
    runs = [path for path, _ in itertools.groupby(row.path for row in verify(stage).rows)]
    assert len(runs) == len(set(runs))


def test_articulation_without_constraints_has_rows_of_its_links_and_says_the_rest() -> None:
    rows = verify(chain(((), {}))).rows
    measured = {row.property for row in rows if row.verdict == "as authored"}
    assert measured == {"physics:mass", "physics:diagonalInertia", "physics:centerOfMass"}
    assert {row.verdict for row in rows if row.property not in measured} == {"not evaluated"}


def test_stage_without_physics_is_unsupported() -> None:
    with pytest.raises(UnsupportedError, match="the stage has no rigid body: no prim has Physics"):
        verify(Usd.Stage.CreateInMemory())


def test_missing_file_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="no such file"):
        verify(tmp_path / "none.usda")


@pytest.mark.parametrize("engines", [("isaac",), ("builtin", "isaac"), ()])
def test_other_engines_are_refused_by_name(engines: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="allowed are 'builtin'"):
        verify(chain(((), {})), engines=engines)


@pytest.mark.parametrize("dt", [0.0, -1.0, math.nan, math.inf])
def test_time_step_must_be_positive_and_finite(dt: float) -> None:
    with pytest.raises(ValueError, match="give a positive, finite time in seconds"):
        verify(chain(((), {})), dt=dt)


def test_description_serves_instead_of_a_stage() -> None:
    stage = chain(drive("linear", stiffness=0.1, damping=0.02))
    assert verify(describe(stage)).rows == verify(stage).rows


def test_verification_names_the_iterations_and_the_step() -> None:
    verification = verify(chain(drive("linear", stiffness=1.0), iterations=(7, 3)), dt=0.01)
    assert [(item.position, item.velocity, item.raised) for item in verification.counts] == [(7, 3, "")]
    assert verification.dt == 0.01


def test_failed_rows_are_the_altered_and_the_ignored() -> None:
    stage = chain(both(drive("linear", stiffness=3.0), axis(root=True, stiffness=2.0)), axis())
    failed = {(row.path, row.property) for row in verify(stage).failed}
    assert failed == {("/Robot/j0", "physxTendon:t:stiffness")}


def test_verifying_twice_gives_the_same_rows() -> None:
    stage = chain(both(drive("linear", stiffness=3.0, damping=0.3), axis(0.4, root=True, stiffness=2.0)), axis(0.7))
    assert verify(stage) == verify(stage)


@pytest.mark.parametrize("case", ["fixed_tendon_finger", "spatial_tendon_chain", "drive_force_chain", "mimic_hard"])
def test_every_gain_of_a_recorded_stage_is_measured(case: str, shared_cases: Path) -> None:
    verification = verify(shared_cases / "dynamics" / case / "stage.usda")
    assert verification.rows
    names = [row.property.rpartition(":")[2] for row in verification.rows if row.verdict == "not evaluated"]
    assert not {"stiffness", "damping", "maxForce", "gearing", "forceCoefficient", "naturalFrequency"} & set(names)


def test_finger_of_the_recorded_cases_is_altered_by_its_three_axes(shared_cases: Path) -> None:
    verification = verify(shared_cases / "dynamics" / "fixed_tendon_finger" / "stage.usda")
    row = row_of(verification, "physxTendon:t:stiffness", "/World/art/j_l0")
    assert (row.authored, row.verdict) == (300.0, "altered")
    assert row.effective == pytest.approx(100.0, rel=0.03)
    assert "divides the tendon's pull by the number of its axes, 3" in row.reason


def test_colliders_and_authored_forces_take_no_part_in_experiments() -> None:
    sphere, push = prim("Sphere", "shape", ("PhysicsCollisionAPI",)), ("PhysxForceAPI",)
    forced = {"vector3f physxForce:force": (50.0, 0.0, 0.0), "token physxForce:mode": "force"}
    slider = joint("Prismatic", "j0", "base", "l0", *drive("linear", stiffness=10.0, targetPosition=0.5))
    other = joint("Prismatic", "j1", "base", "l1")
    stage = opened(robot(base(), link("l0", schemas=push, more=forced, children=sphere), slider,
                         link("l1", children=sphere), other, schemas=ROOT_SCHEMAS))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        row = verified(stage, "drive:linear:physics:targetPosition")
    assert (row.verdict, row.effective) == ("as authored", pytest.approx(0.5, rel=1e-6))


# --- account ---------------------------------------------------------------------------------------------------------

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
    for code in nonempty(examples()):
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
    for path in nonempty(sorted((shared_cases / "dynamics").glob("*/stage.usda"))):
        description = describe(path)
        assert not unnamed(description, verify(description).rows), path


def test_property_that_the_reader_learns_has_a_row_from_the_first_day() -> None:
    description = planted(describe(chain(drive("linear", stiffness=3.0))))
    row = row_of(verify(description), "physxNew:wobble")
    assert (row.authored, row.verdict) == (1.0, "not evaluated")
    assert row.reason == "there is no experiment for this property yet; the command simulate shows its effect"


def test_missing_row_of_a_consumed_opinion_is_found() -> None:
    description = describe(chain(drive("linear", stiffness=3.0)))
    assert unnamed(planted(description), accounted(description)) == {("/Robot/j0", "physxNew:wobble")}


@pytest.mark.parametrize("value", ["text", True, ("/Robot/j1",)])
def test_tokens_switches_and_targets_that_are_read_have_no_row(value: object) -> None:
    description = planted(describe(chain(drive("linear", stiffness=3.0))), value)
    assert not [row for row in accounted(description) if row.property == "physxNew:wobble"]


def test_unused_opinion_is_ignored_with_its_number_and_reason() -> None:
    description = describe(chain(drive("linear", stiffness=3.0)))
    unused = Opinion("/Robot/j0", "physxJoint:pair", "nobody reads it", "write to us")
    new = Authored("/Robot/j0", "physxJoint:pair", Gf.Vec2f(0.02, 1.0), "float2")
    rows = accounted(replace(description, unused=(unused,), authored=(*description.authored, new)))
    (row,) = (row for row in rows if row.property == "physxJoint:pair")
    assert (row.authored, row.verdict, row.reason) == ((0.02, 1.0), "ignored", "nobody reads it (write to us)")


@pytest.mark.parametrize(("values", "verdict"), [
    ({"double mjc:damping": 5.0}, "ignored"),                                               # PhysX uses 0
    ({"double mjc:damping": 57.29578, "float newton:damping": 1.0}, "for another engine"),  # with the same
    ({"double[] mjc:solreflimit": [0.02, 1.0]}, "for another engine"),
    ({"float urdf:limit:effort": 87.0}, "for another engine"),
])
def test_values_for_another_engine_are_ignored_only_where_physx_works_with_others(
        values: dict[str, object], verdict: str) -> None:
    hinge = joint("Revolute", "j", "base", "a", ("MjcJointAPI",), values)
    description = describe(opened(robot(base(), link("a"), hinge)))
    name = next(iter(values)).partition(" ")[2]
    (row,) = (row for row in accounted(description) if row.property == name)
    assert row.verdict == verdict
    assert ("PhysX uses 0" in row.reason) == (verdict == "ignored")


def test_the_mass_of_a_static_collider_is_no_fault() -> None:
    floor = prim("Cube", "floor", ("PhysicsCollisionAPI", "PhysicsMassAPI"), {"float physics:density": 1000.0})
    rows = accounted(describe(opened(robot(base(), link("a"), outside=floor))))
    assert {row.verdict for row in rows if row.path == "/floor"} == {"not evaluated"}


def test_schemas_and_scenes_for_another_engine_are_no_fault() -> None:
    scene = prim("PhysicsScene", "scene", ("NewtonSceneAPI", "MjcSceneAPI"))
    rows = accounted(describe(opened(robot(base(), link("a"), outside=scene))))
    assert {row.verdict for row in rows if row.path == "/scene"} == {"for another engine"}


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
    with pytest.raises(Exception, match="the stage has no rigid body"):
        verify(made)
