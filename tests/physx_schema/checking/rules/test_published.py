"""The letter of published rules about bodies, colliders, roots and units."""

from __future__ import annotations

import pytest
from support.stages.robots import opened

from physx_schema.checking import check

BODY, SHAPE, MASS = "PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"
HEAVY = "float physics:mass = 2"
FAR = 'double3 xformOp:translate = (0, 0, 9)\nuniform token[] xformOpOrder = ["xformOp:translate"]'


def prim(kind: str, name: str, schemas: tuple[str, ...] = (), *lines: str) -> str:
    applied = ", ".join(f'"{schema}"' for schema in schemas)
    head = f" (prepend apiSchemas = [{applied}])" if schemas else ""
    return "\n".join((f'def {kind} "{name}"{head}', "{", *lines, "}\n"))


def cube(name: str, schemas: tuple[str, ...], *lines: str) -> str:
    return prim("Cube", name, schemas, *lines)


def stage(*prims: str, up: str = "Z", metres: float = 1.0) -> str:
    head = f'upAxis = "{up}"\n    metersPerUnit = {metres}\n    kilogramsPerUnit = 1'
    return f"#usda 1.0\n(\n    {head}\n)\n" + "".join(prims)


CRATE = cube("crate", (BODY, SHAPE, MASS), HEAVY)
LID = cube("lid", (BODY, SHAPE, MASS), HEAVY, FAR)
MESH = "PhysicsMeshCollisionAPI"
WEIGHED = cube("shape", (SHAPE, MASS), HEAVY)
CASES = {
    "two bodies": ((CRATE, LID), set()),
    "no body": ((cube("wall", (SHAPE,)),), {"stage/no-body"}),
    "one body": ((CRATE,), {"stage/one-body"}),
    "mass left to PhysX": ((CRATE, cube("lid", (BODY, SHAPE))), {"body/mass-unauthored"}),
    "mass of 0": ((CRATE, cube("lid", (BODY, SHAPE, MASS), "float physics:mass = 0")), {"body/mass-unauthored"}),
    "mass on the only collider": ((CRATE, prim("Xform", "lid", (BODY,), WEIGHED)), set()),
    "mass on one of two colliders": (
        (CRATE, prim("Xform", "lid", (BODY,), WEIGHED, cube("knob", (SHAPE,)))), {"body/mass-partial"}),
    "mesh schema on a cube": ((CRATE, LID, cube("wall", (SHAPE, MESH))), {"collider/mesh-schema"}),
    "mesh schema without a collider": ((CRATE, LID, prim("Mesh", "wall", (MESH,))), {"collider/mesh-schema"}),
    "collider on an Xform": (
        (CRATE, LID, prim("Xform", "wall", (SHAPE,), prim("Cube", "c"))), {"collider/not-geometry"}),
    "body on a Scope": ((CRATE, prim("Scope", "lid", (BODY, MASS), HEAVY)), {"body/not-xformable"}),
}
CODES = {code for _, found in CASES.values() for code in found} | {"stage/not-z-up", "stage/not-metres"}


def found(text: str) -> set[str]:
    return {item.code for item in check(opened(text), "published").findings}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_letter_is_found_and_nothing_else(case: tuple[tuple[str, ...], set[str]]) -> None:
    prims, expected = case
    assert found(stage(*prims)) == expected


def test_units_and_axes_are_judged_by_value() -> None:
    assert found(stage(CRATE, LID, up="Y", metres=0.01)) == {"stage/not-z-up", "stage/not-metres"}


RESET = 'uniform token[] xformOpOrder = ["!resetXformStack!"]'


def joint(name: str, first: str, second: str) -> str:
    return prim("PhysicsRevoluteJoint", name, (), f"rel physics:body0 = <{first}>", f"rel physics:body1 = <{second}>")


@pytest.mark.parametrize(("reset", "joined", "expected"), [
    (False, False, {"body/nested-in-body", "body/nested-unjoined"}), (True, False, {"body/nested-unjoined"}),
    (False, True, {"body/nested-in-body"}), (True, True, set()),
])
def test_a_nested_body_needs_a_reset_and_a_joint(reset: bool, joined: bool, expected: set[str]) -> None:
    inner = cube("inner", (BODY, SHAPE, MASS), HEAVY, RESET if reset else "")
    outer = prim("Xform", "outer", (BODY, MASS), HEAVY, inner)
    codes = found(stage(outer, joint("j", "/outer", "/outer/inner") if joined else ""))
    assert {code for code in codes if code.startswith("body/")} == expected


def test_several_roots_are_found() -> None:
    robots = (prim("Xform", name, ("PhysicsArticulationRootAPI",), CRATE, LID,
                   joint("j", f"/{name}/crate", f"/{name}/lid")) for name in ("left", "right"))
    assert found(stage(*robots)) == {"articulation/root-count"}


def test_joints_without_a_root_are_found() -> None:
    assert found(stage(CRATE, LID, joint("j", "/crate", "/lid"))) == {"articulation/root-count"}


def test_the_default_profile_asks_for_none_of_it() -> None:
    for prims, _ in CASES.values():
        assert not CODES & {item.code for item in check(opened(stage(*prims, up="Y", metres=0.01))).findings}
