"""Contacts as a person asks for them: who presses on whom, and how much."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from physx_runtime import Scene
from physx_runtime.simulation.events import touching_pairs
from support.stages.robots import opened

from physx_schema.command_line.program import program

GRAVITY, MASS = 9.81, 2.0
BALL = '"PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"'
# of a force at rest: the sphere sinks by float32 rounding
REST = 1e-3


def balls() -> str:
    """A ball just above the ground, and another that is still falling at the end."""
    return f"""#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "scene" {{
    vector3f physics:gravityDirection = (0, 0, -1)
    float physics:gravityMagnitude = {GRAVITY}
}}
def Plane "ground" (apiSchemas = ["PhysicsCollisionAPI"]) {{
    uniform token axis = "Z"
}}
""" + "".join(f"""def Sphere "{name}" (apiSchemas = [{BALL}]) {{
    double radius = 0.1
    float physics:mass = {MASS}
    double3 xformOp:translate = ({x}, 0, {z})
    uniform token[] xformOpOrder = ["xformOp:translate"]
}}
""" for name, x, z in (("low", 0.0, 0.1001), ("high", 3.0, 50.0)))


@pytest.fixture(scope="module")
def resting() -> Scene:
    scene = Scene(opened(balls()), sleeping=False)
    scene.step(60)
    return scene


def test_a_ball_at_rest_presses_with_its_weight_and_nobody_else_touches(resting: Scene) -> None:
    pair, = touching_pairs(resting.contacts)
    assert (pair.first, pair.second, pair.points) == ("/ground", "/low", 1)
    assert pair.pressure == pytest.approx(MASS * GRAVITY, rel=REST)
    assert pair.friction == pytest.approx(0.0, abs=REST)


def test_other_worlds_are_left_out(resting: Scene) -> None:
    assert touching_pairs(resting.contacts, world=1) == []


def test_a_pair_reads_aloud(resting: Scene) -> None:
    pair, = touching_pairs(resting.contacts)
    assert str(pair).startswith("/ground touches /low at 1 point: pressed with 19.6")


def test_the_command_names_who_touches_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "balls.usda"
    path.write_text(balls())
    found = CliRunner().invoke(program(), ["simulate", str(path), "--steps", "10"])
    assert found.exit_code == 0, found.output
    assert [line for line in found.stdout.splitlines() if "touches" in line] == [
        line for line in found.stdout.splitlines() if line.startswith("at the end /ground touches /low at 1 point:")]
    assert "touches" in found.stdout
