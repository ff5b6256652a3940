"""Edits as layers, and names that are free."""

from __future__ import annotations

from pathlib import Path

import pytest
from physx_runtime.live_view.edits import Edits, free_path
from physx_runtime.live_view.knobs import FRICTION, MATERIALS, TARGETS, TENDONS, knobs
from pxr import Sdf, Usd, UsdPhysics, UsdShade
from support.stages.recorded_arm import SHOULDER, arm, saved

from physx_schema import authoring, check, describe
from physx_schema.errors import UnsupportedError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An arm with everything that can be edited."""
    stage = arm(tendon=True, spatial=True)
    authoring.drive(stage.GetPrimAtPath(SHOULDER), stiffness=1000.0, damping=200.0, target=5.0)
    authoring.joint_axis(stage.GetPrimAtPath(SHOULDER), static_friction=2.0, dynamic_friction=1.0)
    UsdPhysics.MaterialAPI.Apply(UsdShade.Material.Define(stage, "/World/rubber").GetPrim())
    return saved(stage, tmp_path / "arm.usda")


@pytest.fixture
def edits(file: Path) -> Edits:
    return Edits(Usd.Stage.Open(str(file)))


def authored(layer: Sdf.Layer) -> dict[str, object]:
    """The values of a layer by property path."""
    values: dict[str, object] = {}
    layer.Traverse("/", lambda path: values.update({str(path): layer.GetAttributeAtPath(path).default})
                   if path.IsPropertyPath() else None)
    return values


def test_every_knob_authors_its_property_and_nothing_else(edits: Edits) -> None:
    turned = {f"{knob.path}.{knob.property}": knob for knob in knobs(edits.stage, describe(edits.stage))
              if knob.property}
    assert {knob.group for knob in turned.values()} >= {TARGETS, FRICTION, TENDONS, MATERIALS}
    for knob in turned.values():
        edits.author(knob, 0.75 * knob.low + 0.25 * knob.high)
    assert authored(edits.layer).keys() == turned.keys()
    for path, value in authored(edits.layer).items():
        assert value == pytest.approx(0.75 * turned[path].low + 0.25 * turned[path].high, rel=1e-6)


def test_a_written_layer_of_edits_has_no_finding_of_its_own(file: Path, edits: Edits, tmp_path: Path) -> None:
    for knob in knobs(edits.stage, describe(edits.stage)):
        if knob.group in (TARGETS, TENDONS, MATERIALS) or knob.property.endswith("staticFrictionEffort"):
            edits.author(knob, 0.4 * knob.low + 0.6 * knob.high)
    edits.write(tmp_path / "edits.usda")
    before, after = (check(path).findings for path in (file, tmp_path / "edits.usda"))
    assert {(finding.code, finding.path) for finding in after} <= {(finding.code, finding.path) for finding in before}
    assert [finding for finding in after if finding.severity == "error"] == []


def test_a_value_that_the_stage_has_is_not_authored(edits: Edits) -> None:
    for knob in knobs(edits.stage, describe(edits.stage)):
        if knob.property:
            edits.author(knob, knob.value)
    assert edits.empty


def test_undone_edits_leave_the_layer_as_it_was(edits: Edits) -> None:
    before = edits.layer.ExportToString()
    (target,) = (knob for knob in knobs(edits.stage, describe(edits.stage)) if knob.group == TARGETS)
    edits.author(target, 40.0)
    assert not edits.empty
    edits.undo()
    assert edits.layer.ExportToString() == before
    assert edits.stage.GetPrimAtPath(target.path).GetAttribute(target.property).Get() == 5.0


def test_the_file_itself_is_not_written_over(file: Path, edits: Edits) -> None:
    with pytest.raises(UnsupportedError, match="a file of the stage"):
        edits.write(file)


def test_a_free_path_is_no_file_and_no_link(tmp_path: Path) -> None:
    assert free_path(tmp_path, "arm", ".gif") == tmp_path / "arm.gif"
    (tmp_path / "arm.gif").touch()
    (tmp_path / "arm_2.gif").symlink_to("nowhere")
    assert free_path(tmp_path, "arm", ".gif") == tmp_path / "arm_3.gif"
