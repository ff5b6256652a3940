"""Files that are no readable stage give one line; scenes get PhysX's defaults."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from pxr import Usd, UsdGeom, UsdPhysics
from support.stages.robots import base, opened, prim, robot

from physx_schema.description import Scene, describe
from physx_schema.errors import UnreadableError


def message(path: Path) -> str:
    with pytest.raises(UnreadableError) as caught:
        describe(path)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(str(path))
    return text


def test_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    assert message(tmp_path / "none.usda").endswith(
        "no such file; use a .usda, .usdc, .usd or .usdz file, or a robot as .urdf or MJCF .xml")


def test_directory_is_said_to_be_one(tmp_path: Path) -> None:
    assert "a directory" in message(tmp_path)


@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usd", ".usdz"])
def test_empty_file_is_said_to_be_empty(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"empty{suffix}"
    path.touch()
    assert "empty" in message(path)


def test_malformed_text_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.usda"
    path.write_text('#usda 1.0\ndef "A" {{{\n')
    assert "2:" in message(path)


@pytest.mark.parametrize(("name", "content"), [
    ("note.txt", b"hello"), ("bad.usda", b"hello"), ("bad.usdc", b"PXR-USDC" + bytes(40)),
    ("bad.usdz", b"PK" + bytes(9)), ("latin.usda", b'#usda 1.0\ndef "A" { string a = "\xff" }\n'),
])
def test_other_content_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    message(path)


def test_path_text_and_stage_give_the_same_description(tmp_path: Path) -> None:
    path = tmp_path / "robot.usda"
    path.write_text(robot())
    assert describe(str(path)) == describe(path) == describe(Usd.Stage.Open(str(path)))


def scene(attributes: dict[str, object], meters: float | None = 1.0, up: str = "Z") -> Scene:
    stage = opened(robot(outside=prim("PhysicsScene", "scene", ("PhysxSceneAPI",), attributes)))
    if meters is None:
        stage.GetRootLayer().pseudoRoot.ClearInfo("metersPerUnit")
    else:
        UsdGeom.SetStageMetersPerUnit(stage, meters)
    UsdGeom.SetStageUpAxis(stage, up)
    return describe(stage).scene


def test_gravity_defaults_to_earth_along_minus_up() -> None:
    assert scene({}).gravity == pytest.approx((0, 0, -9.81))
    assert scene({}, 0.01, "Y").gravity == pytest.approx((0, -981, 0))


def test_stage_without_units_is_in_centimetres() -> None:
    assert scene({}, None).gravity == pytest.approx((0, 0, -981))


def test_authored_gravity_is_multiplied_out_as_it_is() -> None:
    values = {"vector3f physics:gravityDirection": (2, 0, 0), "float physics:gravityMagnitude": 3.0}
    assert scene(values, 0.01).gravity == pytest.approx((6, 0, 0))


def test_forces_act_every_iteration_unless_authored_otherwise() -> None:
    assert scene({}).forces_every_iteration
    assert not scene({"bool physxScene:enableExternalForcesEveryIteration": False}).forces_every_iteration


def test_stage_without_a_scene_gets_one() -> None:
    found = describe(opened(robot())).scene
    assert (found.path, found.gravity, found.solver_type) == ("", (0.0, 0.0, -9.81), "TGS")


def test_kilograms_per_unit_are_read() -> None:
    stage = opened(robot())
    UsdPhysics.SetStageKilogramsPerUnit(stage, 0.001)
    assert describe(stage).scene.kilograms_per_unit == 0.001


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
@pytest.mark.parametrize(("name", "default"), [("metersPerUnit", 0.01), ("kilogramsPerUnit", 1.0)])
def test_unit_that_makes_no_sense_is_reported_and_left_at_its_default(name: str, default: float, value: float) -> None:
    stage = opened(robot())
    stage.SetMetadata(name, value)
    description = describe(stage)
    assert default in (description.scene.meters_per_unit, description.scene.kilograms_per_unit)
    assert ("stage/units", name) in [(problem.code, problem.property) for problem in description.problems]


def test_missing_reference_is_reported_and_the_rest_is_read() -> None:
    stage = opened(robot(base()))
    stage.DefinePrim("/broken").GetReferences().AddReference("./absent.usda")
    description = describe(stage)
    assert [problem.code for problem in description.problems] == ["stage/composition"]
    assert "absent.usda" in description.problems[0].message
    assert len(description.articulations) == 1


def test_a_cycle_is_reported_alike_from_stage_to_stage() -> None:
    stages = [opened(robot(base())) for _ in range(2)]      # open at once, so that they are in different places
    for stage in stages:
        stage.DefinePrim("/cycle").GetSpecializes().AddSpecialize("/cycle")
    first, second = (describe(stage).problems for stage in stages)
    assert "stage/composition" in {problem.code for problem in first}
    assert first == second


@pytest.mark.parametrize(("schemas", "gravity"), [
    (("NewtonSceneAPI",), 9.81), (("PhysicsMassAPI",), 9.81), (("NewtonSceneAPI", "PhysxSceneAPI"), 3.0),
    (("CollectionAPI:parts",), 3.0), (("PhysxNonsenseAPI",), 3.0), (("PhysxJointAPI",), 3.0), ((), 3.0),
])
def test_other_schemas_hide_a_scene_unless_physx_has_its_own_on_it(schemas: tuple[str, ...], gravity: float) -> None:
    own = {"float physics:gravityMagnitude": 3.0, "vector3f physics:gravityDirection": (0, 0, -1)}
    description = describe(opened(robot(base(), outside=prim("PhysicsScene", "scene", schemas, own))))
    assert description.scene.gravity == pytest.approx((0, 0, -gravity))
    assert [item.code for item in description.problems if item.path == "/scene"] == ["scene/hidden"] * (gravity > 9)


@pytest.mark.parametrize(("own", "severity"), [
    ({}, "info"),
    ({"float physics:gravityMagnitude": 9.81, "vector3f physics:gravityDirection": (0, 0, -1)}, "info"),
    ({"float physics:gravityMagnitude": 1.62}, "warning"),
    ({"vector3f physics:gravityDirection": (0, 0, 1)}, "warning"),
    ({"bool newton:gravityEnabled": False}, "warning"),
])
def test_a_hidden_scene_is_a_note_where_the_scene_that_physx_makes_has_its_gravity(
    own: dict[str, object], severity: str,
) -> None:
    description = describe(opened(robot(base(), outside=prim("PhysicsScene", "scene", ("NewtonSceneAPI",), own))))
    assert [item.severity for item in description.problems if item.code == "scene/hidden"] == [severity]
