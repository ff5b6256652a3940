"""Physics in a variant that is not selected is named with the selection that brings it in."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.stages.composed import layer, written
from support.stages.robots import link

from physx_schema import check
from physx_schema.checking import Finding

UNSELECTED = "stage/variant-unselected"


def varied(variants: dict[str, str], selected: str | None = None, inside: str = "", name: str = "Physics") -> str:
    """A prim /R with a set of variants, each given as what it has inside or as metadata in brackets."""
    chosen = f'    variants = {{ string {name} = "{selected}" }}\n' if selected is not None else ""
    listed = "".join(f'"{variant}" {text}\n' if text.startswith("(") else f'"{variant}" {{\n{text}}}\n'
                     for variant, text in variants.items())
    return (f'def Xform "R" (\n{chosen}    prepend variantSets = "{name}"\n)\n{{\n{inside}variantSet "{name}" = {{\n'
            f"{listed}}}\n}}\n")


def found(path: Path) -> list[Finding]:
    return [item for item in check(path).findings if item.code == UNSELECTED]


@pytest.mark.parametrize("text", [link("box"), "(\nprepend references = @part.usda@\n) {\n}",
                                  "(\nprepend payload = @part.usda@\n) {\n}",
                                  '(\nprepend apiSchemas = ["PhysicsRigidBodyAPI"]\n) {\n}'])
@pytest.mark.parametrize("selected", [None, "", "gone"])
def test_physics_of_which_nothing_is_selected_is_named_with_its_variant(
    text: str, selected: str | None, tmp_path: Path,
) -> None:
    path = written(tmp_path, {"part.usda": layer(link("box"), default="box"),
                              "a.usda": layer(varied({"none": "", "rigid": text}, selected))})
    (finding,) = found(path)
    assert (finding.severity, finding.path, finding.property) == ("warning", "/R", "variants")
    assert "in the variant 'rigid' of the set 'Physics'" in finding.message
    assert 'string Physics = "rigid"' in finding.fix


def test_a_variant_without_physics_that_is_selected_is_info(tmp_path: Path) -> None:
    path = written(tmp_path, {"a.usda": layer(varied({"none": "", "rigid": link("box")}, "none"))})
    assert [item.severity for item in found(path)] == ["info"]


@pytest.mark.parametrize(("selected", "inside"), [("rigid", ""), ("none", link("own"))])
def test_a_selection_with_physics_on_the_prim_is_a_choice(selected: str, inside: str, tmp_path: Path) -> None:
    path = written(tmp_path, {"a.usda": layer(varied({"none": "", "rigid": link("box")}, selected, inside))})
    assert not found(path)


def test_a_gripper_that_nothing_selects_is_named_on_a_robot_that_has_physics(tmp_path: Path) -> None:
    path = written(tmp_path, {"a.usda": layer(
        varied({"none": "", "two_finger": link("finger")}, None, link("arm"), "Gripper"))})
    (finding,) = found(path)
    assert "'two_finger' of the set 'Gripper'" in finding.message


def test_variants_without_physics_stay_info(tmp_path: Path) -> None:
    path = written(tmp_path, {"a.usda": layer(
        varied({"red": 'color3f[] primvars:displayColor = [(1, 0, 0)]\n', "blue": ""}, None, link("arm"), "Look"))})
    assert not found(path)
    assert "stage/variants" in {item.code for item in check(path).findings}


def test_an_opinion_that_waits_for_the_variant_has_it_as_its_remedy(tmp_path: Path) -> None:
    mass = 'over "box"\n{\n    float physics:mass = 4\n}\n'
    rigid = 'over "box" (\nprepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]\n)\n{\n}\n'
    path = written(tmp_path, {"a.usda": layer(
        varied({"rigid": rigid}, None, mass.replace("over", "def Xform", 1)))})
    (item,) = [item for item in check(path).findings if item.code == "unused/not-applied"]
    assert item.fix.startswith(f"repair {UNSELECTED} at /R first: select this variant: variants")
    assert item.repair is None
