"""A stage on which nothing is physical has one finding; a physics property or schema anywhere is enough for none."""

from __future__ import annotations

from typing import Any

import pytest
from support.stages.robots import opened

from physx_schema.checking import check

CODE = "stage/not-physical"
CUBE = '#usda 1.0\ndef Xform "World"\n{{\n    def Cube "crate"{schemas}\n    {{\n{values}    }}\n}}\n'


def findings(text: str) -> list[Any]:
    return [item for item in check(opened(text)).findings if item.code == CODE]


def test_stage_without_physics_is_found() -> None:
    (finding,) = findings(CUBE.format(schemas="", values=""))
    assert (finding.severity, finding.path) == ("info", "/")


@pytest.mark.parametrize(("schemas", "values"), [
    (' (prepend apiSchemas = ["PhysicsCollisionAPI"])', ""), ("", "        float physics:mass = 2\n"),
    (' (prepend apiSchemas = ["PhysicsMaterialAPI"])', "")])
def test_stage_with_a_physics_schema_or_property_is_not(schemas: str, values: str) -> None:
    assert not findings(CUBE.format(schemas=schemas, values=values))
