"""Gravity that points up or sideways, by the sign of the magnitude, the direction and the up axis.

Which way bodies fall is from experiments/measure_plausibility.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pxr import Sdf, Usd
from support.stages.robots import opened, prim

from physx_schema.checking import Finding, check
from physx_schema.checking.engine.finding import SetValue
from physx_schema.checking.engine.layer_editor import fix

HEAD = "#usda 1.0\n(\n    metersPerUnit = {meters}\n{up})\n"


def gravity(magnitude: float | None, direction: tuple[float, ...] | None, up: str = "Z", meters: float = 1.0) -> str:
    """A scene with gravity, on a stage with an up axis or without one."""
    values: dict[str, object] = {}
    if magnitude is not None:
        values["float physics:gravityMagnitude"] = magnitude
    if direction is not None:
        values["vector3f physics:gravityDirection"] = direction
    head = HEAD.format(meters=meters, up=f'    upAxis = "{up}"\n' if up else "")
    return head + prim("PhysicsScene", "scene", (), values)


def found(text: str) -> dict[str, Finding]:
    return {item.code: item for item in check(opened(text)).findings if item.code.startswith("scene/gravity")}


@pytest.mark.parametrize(("magnitude", "direction", "up"), [
    (-9.81, (0, 0, -1), "Z"), (-9.81, None, "Z"), (-9.81, (0, -1, 0), "Y"), (-9.81, None, "Y"), (-1.0, None, "Z"),
    (-9.81, None, ""), (-9.81, (0, 0, -1), ""), (-9.81, (0.1, 0, -0.99), "Z"),
])
def test_a_negative_magnitude_turns_gravity_up(
    magnitude: float, direction: tuple[float, ...] | None, up: str,
) -> None:
    finding = found(gravity(magnitude, direction, up))["scene/gravity-up"]
    assert (finding.severity, finding.property) == ("error", "physics:gravityMagnitude")


@pytest.mark.parametrize(("direction", "up"), [((0, 0, 1), "Z"), ((0, 1, 0), "Y"), ((0, 0.7071068, 0.7071068), "Y"),
                                               ((0, 0, 1), ""), ((0, 1, 0), "")])
@pytest.mark.parametrize("magnitude", [9.81, None])
def test_a_direction_along_the_up_axis_is_a_warning(
    direction: tuple[float, ...], up: str, magnitude: float | None,
) -> None:
    finding = found(gravity(magnitude, direction, up))["scene/gravity-up"]
    assert (finding.severity, finding.property) == ("warning", "physics:gravityDirection")


@pytest.mark.parametrize(("magnitude", "direction", "up"), [
    (9.81, (0, 0, -1), "Z"), (9.81, None, "Z"), (9.81, (0, -1, 0), "Y"), (None, None, "Y"), (0.0, (0, 0, 1), "Z"),
    (9.81, (0.5, 0, -0.8660254), "Z"), (9.81, (0, 0, -1), ""), (None, (0, -1, 0), ""),
])
def test_gravity_that_points_down_is_not_reported(
    magnitude: float | None, direction: tuple[float, ...] | None, up: str,
) -> None:
    assert found(gravity(magnitude, direction, up)) == {}


def test_a_negative_magnitude_against_its_direction_points_down_in_physx_alone() -> None:
    assert set(found(gravity(-9.81, (0, 0, 1)))) == {"scene/gravity-negative"}


def test_gravity_across_an_authored_up_axis_is_an_info() -> None:
    finding = found(gravity(9.81, (0, 0, -1), "Y"))["scene/gravity-sideways"]
    assert (finding.severity, finding.message) == ("info", "gravity points along -Z, and upAxis is Y")
    assert found(gravity(9.81, (0, 0, -1), "")) == {}


@pytest.mark.parametrize(("magnitude", "meters", "meant"), [
    (-9.81, 1.0, 9.81), (-981.0, 0.01, 981.0), (-1.0, 0.01, 981.0), (-1.0, 1.0, 9.81)])
def test_the_repair_authors_what_was_meant(magnitude: float, meters: float, meant: float) -> None:
    (repaired,) = fix(opened(gravity(magnitude, None, "Z", meters)), check, True).repaired
    assert repaired.code == "scene/gravity-up" and repaired.repair is not None
    assert repaired.repair.edits == (SetValue("/scene", "physics:gravityMagnitude", pytest.approx(meant)),)


def test_a_stronger_layer_that_turns_gravity_is_named(tmp_path: Path) -> None:
    weak, strong = tmp_path / "world.usda", tmp_path / "flip.usda"
    weak.write_text(gravity(9.81, (0, 0, -1)), encoding="utf-8")
    strong.write_text('#usda 1.0\nover "scene"\n{\n    float physics:gravityMagnitude = -9.81\n}\n', encoding="utf-8")
    root = Sdf.Layer.CreateNew(str(tmp_path / "root.usda"))
    root.subLayerPaths = [str(strong), str(weak)]
    root.ImportFromString(f'#usda 1.0\n(\n    upAxis = "Z"\n    subLayers = [@{strong}@, @{weak}@]\n)\n')
    (finding,) = (item for item in check(Usd.Stage.Open(root)).findings if item.code == "scene/gravity-up")
    assert Path(finding.layer).name == "flip.usda"
