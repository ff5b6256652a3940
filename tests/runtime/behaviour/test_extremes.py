"""Speeds that are absurd, and falls that aren't."""

from __future__ import annotations

import pytest
from physx_runtime.behaviour.extremes import absurd_speeds, falling
from physx_runtime.behaviour.motion import step_motion
from support.stages.robots import base, described, joint, link, placed, prim, robot

FORCE = ("PhysxForceAPI",)


def sled(newtons: float, meters: float = 1.0) -> str:
    """A link of 1 kg on a slider that a constant force pushes."""
    pushed = link("sled", schemas=FORCE, more={"vector3f physxForce:force": (newtons / meters, 0.0, 0.0)})
    return robot(base(), pushed, joint("Prismatic", "slide", "base", "sled", (), {"uniform token physics:axis": "X"}),
                 meters=meters)


@pytest.mark.parametrize(("newtons", "meters", "found"), [(1e6, 1.0, 1), (1e6, 0.01, 1), (10.0, 1.0, 0)])
def test_speeds_are_absurd_in_metres_whatever_the_unit(newtons: float, meters: float, found: int) -> None:
    description = described(sled(newtons, meters))
    assert len(list(absurd_speeds(description, step_motion(description)))) == found


def body(height: float, *more: str) -> str:
    """A crate of 1 m at a height, and more prims."""
    shape = prim("Cube", "shape", ("PhysicsCollisionAPI",), {"double size": 1.0})
    return robot(prim("Xform", "crate", ("PhysicsRigidBodyAPI",), placed((0.0, 0.0, height)), shape), *more, schemas=())


def test_speed_of_a_free_fall_is_that_of_gravity_after_five_seconds() -> None:
    description = described(body(0.0))
    ((path, speed),) = falling(description, step_motion(description))
    assert path == "/Robot/crate" and speed == pytest.approx(9.81 * 5.0, rel=0.01)


def test_body_that_lands_does_not_fall_for_ever() -> None:
    plane = prim("Plane", "ground", ("PhysicsCollisionAPI",), {"uniform token axis": "Z"})
    description = described(body(3.0, plane))
    assert falling(description, step_motion(description)) == []
