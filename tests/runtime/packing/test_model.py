"""A stage that PhysX refuses as a whole is refused in one line, with the unit in it, by every door."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from physx_runtime import Session, Simulation, simulate, verify
from physx_runtime.quantities.computation import compute
from physx_runtime.simulation.divergence import DivergenceWarning
from physx_runtime.worlds.store import SCHEDULED
from support.recorded.scene_stages import REFUSED
from support.stages.robots import base, joint, opened, prim, robot

from physx_schema.command_line.program import program
from physx_schema.errors import UnsupportedError

VALUES = ("0", "-1", "nan", "inf", "1e300", "1e-200")
TAKEN = ("1e-30", "1e30", "3e37")      # in which PhysX steps, though its own numbers may overflow
PATH: dict[str, Any] = {"path": SCHEDULED}


def in_units(unit: str, value: str, attributes: dict[str, object] | None = None) -> str:
    """A robot of one hinge whose links weigh by their colliders, on a stage with a unit."""
    shape = prim("Cube", "shape", ("PhysicsCollisionAPI",), {"double size": 0.1})
    text = robot(base(), prim("Xform", "tip", ("PhysicsRigidBodyAPI",), attributes or {}, shape),
                 joint("Revolute", "j", "base", "tip"))
    return text.replace(f"{unit} = 1.0", f"{unit} = {value}")


UNITS = ("metersPerUnit", "kilogramsPerUnit")
STAGES = REFUSED | {f"robot, {unit} of {value}": in_units(unit, value) for unit in UNITS for value in VALUES}
DOORS: dict[str, Any] = {
    "simulate": lambda stage: simulate(stage, steps=1, **PATH),
    "Simulation": lambda stage: Simulation(stage, **PATH),
    "verify": verify,
    "compute": lambda stage: compute(stage, [0.0], [0.0], "mass_matrix"),
    "Session": Session,
}


@pytest.mark.parametrize("name", STAGES)
@pytest.mark.parametrize("door", DOORS)
def test_units_that_physx_refuses_are_refused_in_one_line(name: str, door: str) -> None:
    unit = "kilogramsPerUnit" if "kilograms" in name else "metersPerUnit"
    with pytest.raises(UnsupportedError, match=f"{unit} is .*; PhysX refuses the whole stage; author") as refused:
        DOORS[door](opened(STAGES[name]))
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("command", ["simulate", "verify"])
def test_the_command_line_refuses_such_units_in_one_line(tmp_path: Path, unit: str, value: str, command: str) -> None:
    file = tmp_path / "robot.usda"
    file.write_text(in_units(unit, value), encoding="utf-8")
    result = CliRunner().invoke(program(), [command, str(file)])
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)
    assert f"robot.usda: {unit} is " in result.stderr


def test_both_units_are_named_in_one_line() -> None:
    text = in_units("metersPerUnit", "0").replace("kilogramsPerUnit = 1.0", "kilogramsPerUnit = nan")
    with pytest.raises(UnsupportedError, match="kilogramsPerUnit is nan and metersPerUnit is 0; PhysX refuses"):
        Simulation(opened(text), **PATH)


def test_a_refused_session_leaves_the_stage_to_another_one() -> None:
    stage = opened(in_units("metersPerUnit", "0"))
    with pytest.raises(UnsupportedError):
        Session(stage)
    stage.SetMetadata("metersPerUnit", 1.0)
    with Session(stage) as session:
        assert session.articulations == ("/Robot",)


def test_a_session_stands_still_while_the_units_are_refused() -> None:
    stage = opened(in_units("metersPerUnit", "1.0"))
    with Session(stage) as session:
        session.step()
        stage.SetMetadata("metersPerUnit", 0.0)
        session.step()
        assert session.articulations == ()
        assert [m.path for m in session.messages if m.code == "session/refused"] == ["/"]
        stage.SetMetadata("metersPerUnit", 1.0)
        session.step()
        assert session.articulations == ("/Robot",)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("value", TAKEN)
@pytest.mark.parametrize("door", DOORS)
def test_extreme_units_that_physx_takes_end_no_door_in_an_error(unit: str, value: str, door: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivergenceWarning)
        DOORS[door](opened(in_units(unit, value)))


# --- gravity that is no number, under which PhysX's velocities are none after the first step --------------------------

@pytest.mark.parametrize("value", ["nan", "inf"])
def test_gravity_that_is_no_number_is_refused_in_one_line(tmp_path: Path, value: str) -> None:
    scene = f'def PhysicsScene "scene" {{\nfloat physics:gravityMagnitude = {value}\n}}\n'
    text = in_units("metersPerUnit", "1.0") + scene
    line = f"^/scene.physics:gravityMagnitude: gravityMagnitude is {value}: .* author finite numbers"
    for door in (DOORS["simulate"], DOORS["Simulation"]):
        with pytest.raises(UnsupportedError, match=line):
            door(opened(text))
    with Session(opened(text)) as session:
        assert session.articulations == ()
        assert [m.path for m in session.messages if m.code == "session/unsupported"] == ["/Robot"]
    file = tmp_path / "robot.usda"
    file.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(program(), ["simulate", str(file)])
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
