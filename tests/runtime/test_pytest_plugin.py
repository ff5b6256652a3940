"""The pytest plugin: assertions that name what is wrong, and a fixture, in a pytest run of their own."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from physx_runtime.pytest_plugin import NotEvaluatedWarning, assert_authored_values, assert_valid_physics
from support.places import STAGES
from support.stages.verified_robots import axis, both, chain, drive, limits, mimic


def run_pytest(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Run a test file with the plugin, whether or not it is installed."""
    (folder / "test_it.py").write_text(text, encoding="utf-8")
    options = ["-q", "-p", "no:physx_schema", "-p", "physx_runtime.pytest_plugin", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *options, "--rootdir", str(folder), str(folder / "test_it.py")]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_valid_physics_passes() -> None:
    assert_valid_physics(STAGES / "clean_finger.usda")


def test_errors_fail_with_prim_property_and_fix() -> None:
    with pytest.raises(AssertionError) as raised:
        assert_valid_physics(STAGES / "misspelt_token.usda")
    lines = str(raised.value).splitlines()
    assert lines[0] == f"1 error in {STAGES / 'misspelt_token.usda'}"
    assert "/Robot/j.drive:angular:physics:type: error value/token" in lines[1]
    assert lines[-1] == "    fix: did you mean 'acceleration'?" and "^^^^" in lines[4]


def test_profile_is_passed_on() -> None:
    with pytest.raises(ValueError, match="'mujoco' is not one of physx, simready"):
        assert_valid_physics(STAGES / "clean_finger.usda", profile="mujoco")


def test_values_as_authored_pass() -> None:
    assert_authored_values(chain(drive("linear", stiffness=30.0, damping=2.0)))


@pytest.mark.parametrize(("damping", "passes"), [(57.29578, True), (5.0, False)])
def test_values_of_other_engines_fail_only_where_physx_works_with_others(damping: float, passes: bool) -> None:
    """Newton's damping, which PhysX reads, is per degree; MuJoCo's is per radian."""
    values = {"float newton:damping": 1.0, "double mjc:damping": damping, "float urdf:limit:effort": 87.0}
    stage = chain((["NewtonJointAPI", "MjcJointAPI"], values), kind="Revolute", iterations=(64, 0))
    assert_valid_physics(stage)
    if passes:
        assert_authored_values(stage)
    else:
        with pytest.raises(AssertionError, match=r"newton:damping 1, mjc:damping 5"):
            assert_authored_values(stage)


def test_altered_value_fails_with_prim_property_both_values_and_the_reason() -> None:
    stage = chain(axis(root=True, stiffness=30.0), axis(), iterations=(32, 0))
    with pytest.raises(AssertionError) as raised:
        assert_authored_values(stage)
    line = str(raised.value).splitlines()[1]
    assert line.startswith("/Robot/j0: physxTendon:t:stiffness 30 authored, 15 effective in PhysX at 32/0 iterations")
    assert "divides the tendon's pull by the number of its axes, 2" in line


def test_tolerance_decides_about_altered_values() -> None:
    stage = chain(axis(root=True, stiffness=30.0), iterations=(32, 1))      # the velocity iteration adds 3 percent
    assert_authored_values(stage, tolerance=0.05)
    with pytest.raises(AssertionError, match=r"without the authored effect \(tolerance 0.02\)"):
        assert_authored_values(stage, tolerance=0.02)


def test_ignored_value_fails_whatever_the_tolerance() -> None:
    second = both(mimic("Z", gearing=-1.0), limits(-90, 90))
    stage = chain(limits(-90, 90), second, kind="Revolute", serial=False)
    with pytest.raises(AssertionError, match="the instance name 'Z' is not one of rotX, rotY, rotZ"):
        assert_authored_values(stage, tolerance=1e9)


def test_range_out_of_reach_fails_although_its_number_is_right() -> None:
    second = both(mimic("rotX", gearing=-1.0), limits(0, 10))
    stage = chain(limits(-60, 60), second, kind="Revolute", serial=False)
    with pytest.raises(AssertionError, match="the limits"):
        assert_authored_values(stage)


def test_not_evaluated_value_warns_with_its_path() -> None:
    stage = chain(both(drive("linear", stiffness=30.0, damping=2.0), ((), {"point3f physics:localPos1": (0, 0, 0)})))
    with pytest.warns(NotEvaluatedWarning, match="physics:localPos1 on /Robot/j0: "):
        assert_authored_values(stage)


def test_everything_that_is_not_evaluated_is_one_warning() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert_authored_values(chain(drive("linear", stiffness=30.0, damping=2.0)))
    (warning,) = (str(item.message) for item in caught if item.category is NotEvaluatedWarning)
    assert "solverPositionIterationCount, physxArticulation:solverVelocityIterationCount on /Robot: " in warning


def test_fixture_simulates(tmp_path: Path) -> None:
    path = tmp_path / "stage.usda"
    chain(drive("linear", stiffness=30.0, damping=2.0, targetPosition=1.0)).GetRootLayer().Export(str(path))
    found = run_pytest(tmp_path, f"""
def test_it(physx_simulate):
    recording = physx_simulate({str(path)!r}, steps=600)
    assert abs(recording.joint_position[-1, 0, 0] - 1.0) < 1e-3
""")
    assert found.returncode == 0, found.stdout + found.stderr


def test_failing_assertion_reads_well_in_a_report(tmp_path: Path) -> None:
    stage = STAGES / "misspelt_token.usda"
    found = run_pytest(tmp_path, f"""
from physx_runtime.pytest_plugin import assert_valid_physics

def test_it():
    assert_valid_physics({str(stage)!r})
""")
    assert found.returncode == 1
    assert "error value/token" in found.stdout
    assert "pytest_plugin.py" not in found.stdout


def test_run_without_physics_loads_neither_usd_nor_a_compiler(tmp_path: Path) -> None:
    found = run_pytest(tmp_path, """
import sys

def test_it():
    assert "physx_runtime.pytest_plugin" in sys.modules
    assert not {"numba", "llvmlite", "pxr", "numpy"} & set(sys.modules)
""")
    assert found.returncode == 0, found.stdout + found.stderr
