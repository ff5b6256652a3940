"""Layers in other units or of another up axis than the stage are found, and what a scale or a turn mends is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.stages.composed import holder, layer, written
from support.stages.robots import joint, link, placed, prim

from physx_schema import check
from physx_schema.checking import Finding
from physx_schema.description.opinions.layer_units import has_length

MOVED = {"double3 xformOp:translate": (0, 0, 1), "uniform token[] xformOpOrder": ["xformOp:translate"]}
BOX = prim("Xform", "box", ("PhysicsRigidBodyAPI",), MOVED, prim("Cube", "shape", ("PhysicsCollisionAPI",)))
UNITS = "stage/units-differ"


def scaled(scale: float, turn: float = 0.0) -> str:
    """Transform operations of a prim that brings a layer in."""
    return (f"    float3 xformOp:scale = ({scale}, {scale}, {scale})\n    float xformOp:rotateX = {turn}\n"
            '    uniform token[] xformOpOrder = ["xformOp:rotateX", "xformOp:scale"]\n')


def found(path: Path) -> list[Finding]:
    return [item for item in check(path).findings if item.code == UNITS]


@pytest.mark.parametrize(("of_layer", "of_stage", "stage_says"), [
    (1.0, 0.01, "metersPerUnit 0.01"), (0.01, 1.0, "metersPerUnit 1"), (0.001, 1.0, "metersPerUnit 1"),
    (1.0, None, "no metersPerUnit, which means 0.01"),
])
@pytest.mark.parametrize("metadata", ["references = @part.usda@", "payload = @part.usda@</box>",
                                      "instanceable = true\n    references = @part.usda@"])
def test_a_layer_in_other_lengths_is_an_error_with_both_units(
    metadata: str, of_layer: float, of_stage: float | None, stage_says: str, tmp_path: Path,
) -> None:
    path = written(tmp_path, {"part.usda": layer(BOX, meters=of_layer, default="box"),
                              "a.usda": layer(prim("Xform", "W", (), {}, holder("held", metadata)), meters=of_stage)})
    (finding,) = found(path)
    assert (finding.severity, finding.path) == ("error", "/W/held")
    assert f"part.usda has metersPerUnit {of_layer:g}, the stage has {stage_says}" in finding.message


@pytest.mark.parametrize(("of_layer", "of_stage"), [(1.0, 1.0), (0.01, None), (None, 1.0), (None, 0.01)])
def test_a_layer_in_the_lengths_of_the_stage_or_in_none_is_not_found(
    of_layer: float | None, of_stage: float | None, tmp_path: Path,
) -> None:
    path = written(tmp_path, {"part.usda": layer(BOX, meters=of_layer, default="box"),
                              "a.usda": layer(holder("held", "references = @part.usda@"), meters=of_stage)})
    assert not found(path)


def test_a_layer_without_physics_is_not_found(tmp_path: Path) -> None:
    path = written(tmp_path, {"part.usda": layer(prim("Cube", "box"), meters=0.01, default="box"),
                              "a.usda": layer(holder("held", "references = @part.usda@"))})
    assert not found(path)


def test_a_sublayer_in_other_lengths_is_found_on_the_whole_stage(tmp_path: Path) -> None:
    path = written(tmp_path, {"part.usda": layer(BOX, meters=0.01), "a.usda": layer(sublayers="@part.usda@")})
    (finding,) = found(path)
    assert (finding.path, finding.property) == ("/", "subLayers")


def test_the_units_of_a_referenced_stage_count_for_its_sublayers(tmp_path: Path) -> None:
    path = written(tmp_path, {
        "physics.usda": layer(BOX, meters=None),
        "part.usda": layer(meters=0.01, default="box", sublayers="@physics.usda@"),
        "a.usda": layer(holder("held", "references = @part.usda@"))})
    (finding,) = found(path)
    assert "part.usda has metersPerUnit 0.01" in finding.message


def test_several_prims_that_bring_a_layer_in_take_one_finding(tmp_path: Path) -> None:
    held = "".join(holder(name, "references = @part.usda@") for name in "bcd")
    path = written(tmp_path, {"part.usda": layer(BOX, meters=0.01, default="box"), "a.usda": layer(held)})
    (finding,) = found(path)
    assert "(and 2 more prims that reference the layer)" in finding.message


@pytest.mark.parametrize(("of_layer", "of_stage", "scale"), [(1.0, 0.01, 100.0), (0.01, 1.0, 0.01)])
def test_the_right_scale_mends_places_and_shapes(
    of_layer: float, of_stage: float, scale: float, tmp_path: Path,
) -> None:
    part = layer(prim("Xform", "all", (), {}, BOX), meters=of_layer, default="all")
    for factor, count in ((scale, 0), (2.0 * scale, 1)):
        path = written(tmp_path, {"part.usda": part, "a.usda": layer(
            holder("held", "references = @part.usda@", scaled(factor)), meters=of_stage)})
        assert len(found(path)) == count


def test_a_scale_above_the_prim_that_brings_the_layer_in_counts(tmp_path: Path) -> None:
    up = prim("Xform", "up", (), placed((0, 0, 0), (100, 100, 100)), holder("held", "references = @part.usda@"))
    path = written(tmp_path, {"part.usda": layer(BOX, default="box"), "a.usda": layer(up, meters=0.01)})
    assert not found(path)


def test_the_scale_that_a_layer_has_of_its_own_mends_nothing(tmp_path: Path) -> None:
    part = layer(prim("Xform", "all", (), placed((0, 0, 0), (100, 100, 100)), BOX), default="all")
    path = written(tmp_path, {"part.usda": part, "a.usda": layer(holder("held", "references = @part.usda@"),
                                                                 meters=0.01)})
    assert [item.severity for item in found(path)] == ["error"]


def test_a_scale_leaves_gains_and_inertias_in_the_units_of_the_layer(tmp_path: Path) -> None:
    driven = joint("Revolute", "hinge", "", "", ("PhysicsDriveAPI:angular",), {
        "rel physics:body1": "</all/box>", "float drive:angular:physics:stiffness": 5.0})
    part = layer(prim("Xform", "all", (), {}, link("box") + driven), default="all")
    path = written(tmp_path, {"part.usda": part, "a.usda": layer(
        holder("held", "references = @part.usda@", scaled(100.0)), meters=0.01)})
    (finding,) = found(path)
    assert finding.severity == "warning"
    assert "physics:diagonalInertia" in finding.why and "drive:angular:physics:stiffness" in finding.why


@pytest.mark.parametrize(("name", "expected"), [
    ("drive:angular:physics:stiffness", True), ("drive:linear:physics:stiffness", False),
    ("drive:linear:physics:maxForce", True), ("physics:mass", False), ("physics:diagonalInertia", True),
    ("physxJointAxis:angular:armature", True), ("physxJointAxis:linear:armature", False),
    ("physxJointAxis:linear:maxJointVelocity", True), ("physxJointAxis:angular:maxJointVelocity", False),
    ("physics:axis", False),
])
def test_units_with_lengths_are_those_that_a_scale_does_not_reach(name: str, expected: bool) -> None:
    assert has_length(name) is expected


def test_a_layer_in_other_masses_is_a_warning(tmp_path: Path) -> None:
    path = written(tmp_path, {"part.usda": layer(BOX, kilograms=1.0, default="box"), "a.usda": layer(
        holder("held", "references = @part.usda@"), kilograms=0.001)})
    (finding,) = found(path)
    assert finding.severity == "warning"
    assert "kilogramsPerUnit 1, the stage has kilogramsPerUnit 0.001" in finding.message


@pytest.mark.parametrize(("of_layer", "of_stage", "turn"), [("Y", "Z", 90.0), ("Z", "Y", -90.0), ("Y", None, 90.0)])
def test_a_layer_of_another_up_axis_lies_on_its_side_until_it_is_turned(
    of_layer: str, of_stage: str | None, turn: float, tmp_path: Path,
) -> None:
    part = layer(prim("Xform", "all", (), {}, BOX), up=of_layer, default="all")
    for angle, count in ((0.0, 1), (turn, 0)):
        path = written(tmp_path, {"part.usda": part, "a.usda": layer(
            holder("held", "references = @part.usda@", scaled(1.0, angle)), up=of_stage)})
        assert len(found(path)) == count
        assert all(item.severity == "warning" and f"by {turn:g} degrees about X" in item.fix for item in found(path))
