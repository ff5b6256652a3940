"""Overs and classes that an arc brings in are read; of the others the prim that was meant is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.stages.composed import holder, layer, written
from support.stages.robots import link, prim

from physx_schema import check
from physx_schema.checking import Finding

HEAVY = link("lib", mass=3.0)
CODES = ("stage/undefined", "stage/abstract", "stage/over-misspelt")


def skipped(path: Path) -> list[Finding]:
    return [item for item in check(path).findings if item.code in CODES]


@pytest.mark.parametrize("specifier", ["over", "class"])
@pytest.mark.parametrize("metadata", [
    "references = </lib>", "inherits = </lib>", "specializes = </lib>", "payload = </lib>",
    "instanceable = true\n    references = </lib>",
])
def test_a_prototype_that_an_arc_brings_in_is_not_reported(specifier: str, metadata: str, tmp_path: Path) -> None:
    path = written(tmp_path, {"a.usda": layer(HEAVY.replace("def Xform", specifier, 1), holder("thing", metadata))})
    assert not skipped(path)


def test_a_part_of_an_over_that_a_nested_prim_references_is_not_reported(tmp_path: Path) -> None:
    library = prim("", "library", (), {}, prim("Cube", "shape", ("PhysicsCollisionAPI",))).replace("def ", "over ", 1)
    path = written(tmp_path, {"a.usda": layer(library, link("box", children=holder(
        "copy", "references = </library/shape>")))})
    assert not skipped(path)


def test_another_part_of_it_is_reported(tmp_path: Path) -> None:
    library = prim("", "library", (), {}, "".join(prim("Cube", name, ("PhysicsCollisionAPI",)) for name in "ab"))
    path = written(tmp_path, {"a.usda": layer(library.replace("def ", "over ", 1), link("box", children=holder(
        "copy", "references = </library/a>")))})
    assert [(item.code, item.path) for item in skipped(path)] == [("stage/undefined", "/library")]


def test_an_over_that_nothing_brings_in_is_not_to_be_defined_without_need(tmp_path: Path) -> None:
    path = written(tmp_path, {"a.usda": layer(HEAVY.replace("def Xform", "over", 1))})
    (finding,) = skipped(path)
    assert (finding.code, finding.severity) == ("stage/undefined", "info")
    assert finding.fix.startswith("reference this over from a prim that has a def")


@pytest.mark.parametrize(("wrong", "right"), [("lnk1", "link1"), ("Link1", "link1"), ("link_1", "link1"),
                                              ("left_finger_pda", "left_finger_pad")])
@pytest.mark.parametrize("metadata", ["references = @robot.usda@", "payload = @robot.usda@"])
def test_an_over_of_a_misspelt_prim_names_the_one_that_is_there(
    wrong: str, right: str, metadata: str, tmp_path: Path,
) -> None:
    robot = prim("Xform", "robot", (), {}, link("link1") + link("left_finger_pad"))
    changed = f'over "{wrong}"\n{{\n    float physics:mass = 5\n}}\n'
    path = written(tmp_path, {"robot.usda": layer(robot, default="robot"),
                              "a.usda": layer(holder("R", metadata, changed))})
    (finding,) = skipped(path)
    assert (finding.code, finding.severity, finding.path) == ("stage/over-misspelt", "warning", f"/R/{wrong}")
    assert finding.fix.startswith(f"did you mean /R/{right}?")


def test_an_over_at_the_wrong_place_names_the_prim_of_its_name(tmp_path: Path) -> None:
    robot = prim("Xform", "robot", (), {}, prim("Xform", "arm", (), {}, link("gripper")))
    changed = 'over "gripper"\n{\n    float physics:mass = 5\n}\n'
    path = written(tmp_path, {"robot.usda": layer(robot, default="robot"),
                              "a.usda": layer(holder("R", "references = @robot.usda@", changed))})
    (finding,) = skipped(path)
    assert finding.fix.startswith("did you mean /R/arm/gripper?")


def test_a_name_that_differs_in_its_number_is_not_suggested(tmp_path: Path) -> None:
    robot = prim("Xform", "robot", (), {}, link("link1") + link("link2"))
    changed = 'over "link3"\n{\n    float physics:mass = 5\n}\n'
    path = written(tmp_path, {"robot.usda": layer(robot, default="robot"),
                              "a.usda": layer(holder("R", "references = @robot.usda@", changed))})
    assert [item.code for item in skipped(path)] == ["stage/undefined"]


def test_an_over_whose_layer_is_missing_is_to_have_that_repaired(tmp_path: Path) -> None:
    path = written(tmp_path, {"a.usda": layer(
        'over "R"\n{\n    over "base"\n    {\n        float physics:mass = 1\n    }\n}\n', sublayers="@gone.usda@")})
    (finding,) = skipped(path)
    assert "cannot be opened" in finding.message
    assert finding.fix.startswith("repair the layer")
