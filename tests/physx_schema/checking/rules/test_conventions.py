"""What published rules ask for and PhysX does without comes in the profiles that ask for it, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.stages.robots import opened, prim, robot

from physx_schema.checking import check
from physx_schema.checking.engine.finding import SetValue
from physx_schema.checking.engine.layer_editor import fix

BOUND = {"rel material:binding:physics": "</rubber>"}
COLLIDER = ("PhysicsCollisionAPI", "MaterialBindingAPI")
RUBBER = prim("Material", "rubber", ("PhysicsMaterialAPI",))
CODES = {"material/unbound-collider", "collider/invisible-mesh", "stage/kilograms"}


def codes(text: str, profile: str = "simready") -> dict[str, str]:
    return {item.code: item.path for item in check(opened(text), profile).findings if item.code in CODES}


def cube(attributes: dict[str, object] | None = None, above: dict[str, object] | None = None) -> str:
    shape = prim("Cube", "cube", COLLIDER, attributes)
    return robot(prim("Xform", "part", ("MaterialBindingAPI",), above, shape), schemas=(), outside=RUBBER)


@pytest.mark.parametrize("profile", ["physx", "physx+simready", "newton"])
def test_other_profiles_do_not_ask(profile: str) -> None:
    text = cube({"token visibility": "invisible"}).replace("    kilogramsPerUnit = 1.0\n", "")
    assert codes(text, profile) == {}
    assert set(codes(text)) == set(codes(text, "physx+driven")) == CODES


def test_a_collider_wants_a_binding_of_its_own() -> None:
    assert codes(cube()) == codes(cube(None, BOUND)) == {"material/unbound-collider": "/Robot/part/cube"}
    assert codes(cube(BOUND)) == {}
    assert codes(cube({"rel material:binding:physics": "</missing>"})) != {}


@pytest.mark.parametrize(("attributes", "is_found"), [
    ({"token visibility": "invisible"}, True), ({"uniform token purpose": "render"}, False),
    ({"token visibility": "invisible", "uniform token purpose": "guide"}, False),
    ({"token visibility": "invisible", "uniform token purpose": "proxy"}, True)])
def test_an_invisible_collider_wants_the_purpose_guide(attributes: dict[str, object], is_found: bool) -> None:
    assert ("collider/invisible-mesh" in codes(cube({**BOUND, **attributes}))) == is_found


def test_visibility_and_purpose_of_prims_above_count() -> None:
    hidden = {"token visibility": "invisible"}
    assert "collider/invisible-mesh" in codes(cube(BOUND, hidden))
    assert "collider/invisible-mesh" not in codes(cube(BOUND, {**hidden, "uniform token purpose": "guide"}))


def test_the_repair_makes_a_guide() -> None:
    hidden = opened(cube({**BOUND, "token visibility": "invisible"}))
    (repaired,) = fix(hidden, lambda item: check(item, "simready"), False).repaired
    assert repaired.code == "collider/invisible-mesh" and repaired.repair is not None
    assert repaired.repair.edits == (SetValue("/Robot/part/cube", "purpose", "guide", "token"),)


def test_physics_wants_a_unit_of_mass() -> None:
    text = cube(BOUND)
    assert codes(text) == {}
    assert codes(text.replace("    kilogramsPerUnit = 1.0\n", "")) == {"stage/kilograms": "/"}
    assert codes("#usda 1.0\n" + prim("Xform", "nothing")) == {}


def test_a_published_stage_without_a_binding_is_named(shared_cases: Path) -> None:
    stage = shared_cases / "said" / "PMT_001.usda"
    found = {item.path for item in check(stage, "simready").findings if item.code == "material/unbound-collider"}
    assert found == {"/Robot/lower/collider"}
    assert check(stage).findings == ()
