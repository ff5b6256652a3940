"""Gravity is measured by letting something of the scene fall."""

from __future__ import annotations

import pytest
from physx_runtime.verification import Verification, verify
from support.stages.robots import base, joint, link, opened, prim, robot
from support.stages.verified_robots import ROOT_SCHEMAS, drive, row_of

from physx_schema.description.opinions.schemas import SCHEMAS

MAGNITUDE, DIRECTION = (SCHEMAS["PhysicsScene"].name(name) for name in ("gravityMagnitude", "gravityDirection"))
SLIDER = base() + link("l0") + joint("Prismatic", "j0", "base", "l0", *drive("linear", stiffness=100.0))
DAMPED = link("thing", schemas=("PhysxRigidBodyAPI",), more={"float physxRigidBody:linearDamping": 5.0,
                                                             "vector3f physics:velocity": (1.0, 2.0, 3.0)})


def falling(robot_parts: str = SLIDER, schemas: tuple[str, ...] = ROOT_SCHEMAS, **scene: object) -> Verification:
    kinds = {"gravityMagnitude": "float physics:", "gravityDirection": "vector3f physics:",
             "gravityEnabled": "bool newton:"}
    values = {f"{kinds[name]}{name}": value for name, value in scene.items()}
    return verify(opened(robot(robot_parts, schemas=schemas, outside=prim("PhysicsScene", "scene", (), values))))


@pytest.mark.parametrize(("parts", "schemas"), [(SLIDER, ROOT_SCHEMAS), (DAMPED, ())], ids=["robot", "body"])
def test_gravity_is_measured_on_what_there_is(parts: str, schemas: tuple[str, ...]) -> None:
    found = falling(parts, schemas, gravityMagnitude=3.0, gravityDirection=(0.6, 0.0, -0.8))
    magnitude, direction = (row_of(found, name, "/scene") for name in (MAGNITUDE, DIRECTION))
    assert (magnitude.effective, magnitude.verdict) == (pytest.approx(3.0, rel=1e-6), "as authored")
    assert (direction.effective, direction.verdict) == (pytest.approx((0.6, 0.0, -0.8), rel=1e-6), "as authored")


def test_direction_that_is_no_unit_vector_alters_the_magnitude() -> None:
    row = row_of(falling(gravityMagnitude=3.0, gravityDirection=(0.0, 0.0, -2.0)), MAGNITUDE, "/scene")
    assert (row.effective, row.verdict) == (pytest.approx(6.0, rel=1e-6), "altered")
    assert "without normalising it" in row.reason


def test_negative_magnitude_is_as_authored() -> None:
    found = falling(gravityMagnitude=-3.0, gravityDirection=(0.0, 0.0, -1.0))
    assert {row_of(found, name, "/scene").verdict for name in (MAGNITUDE, DIRECTION)} == {"as authored"}


def test_gravity_that_newtons_switch_takes_away_is_ignored() -> None:
    row = row_of(falling(gravityMagnitude=3.0, gravityEnabled=False), MAGNITUDE, "/scene")
    assert (row.effective, row.verdict, row.reason) == (0.0, "ignored", "newton:gravityEnabled sets gravity instead")


def test_gravity_that_nothing_feels_is_not_evaluated() -> None:
    fixed = base() + link("tip") + joint("Fixed", "weld", "base", "tip")
    assert row_of(falling(fixed, gravityMagnitude=3.0), MAGNITUDE, "/scene").verdict == "not evaluated"
