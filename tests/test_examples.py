"""The examples run as a user runs them, and the planted value of one fails where the stage is broken on purpose."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.places import ROOT

from physx_schema.description import describe

EXAMPLES = ROOT / "examples"


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run this interpreter with the output captured."""
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=ROOT,
        env={**os.environ, **environment},
    )


def planted(**environment: str) -> subprocess.CompletedProcess[str]:
    """Run the pytest example."""
    return run("-m", "pytest", "-q", "-p", "no:cacheprovider", EXAMPLES / "test_planted_value.py", **environment)


@pytest.fixture(scope="module")
def finger(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The text of the stage that the pytest example authors."""
    path = tmp_path_factory.mktemp("example") / "finger.usda"
    code = f"from pathlib import Path; from test_planted_value import finger; finger(Path({str(path)!r}))"
    found = run("-c", code, PYTHONPATH=os.pathsep.join([str(EXAMPLES), os.environ.get("PYTHONPATH", "")]))
    assert found.returncode == 0, found.stderr
    return path.read_text(encoding="utf-8")


def test_every_example_has_a_test() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == {
        "author_tendons_and_mimics.py", "centroidal_momentum.py", "change_a_definition.py", "gravity_compensation.py",
        "humanoid.py", "live_session.py", "operational_space.py", "test_planted_value.py",
        # those that touch, in test_touching_examples
        "ant_on_the_ground.py", "hold_a_ball.py", "lift_a_box.py", "stack_of_boxes.py",
        # those built of components, in test_component_examples
        "cabinet.py", "falling_pile.py", "pick_and_place.py",
        # those with closed chains, in test_linkage_examples
        "convert_mjcf.py", "delta_robot.py", "four_bar.py", "linkages.py", "two_finger_gripper.py",
    }


def test_authoring_example_writes_a_stage_without_findings(tmp_path: Path) -> None:
    path = tmp_path / "finger.usda"
    found = run(EXAMPLES / "author_tendons_and_mimics.py", path)
    assert found.returncode == 0, found.stderr
    assert "4 links, 1 fixed tendon, 1 spatial tendon, 1 mimic joint" in found.stdout
    assert "findings: 0" in found.stdout
    assert "add (/Finger/middle_joint, 0, 0) to pass through" in found.stdout
    described = describe(path)
    assert [tendon.name for tendon in described.articulations[0].fixed_tendons] == ["flexor"]


def test_definition_example_uses_the_accessor_it_generated() -> None:
    found = run(EXAMPLES / "change_a_definition.py")
    assert found.returncode == 0, found.stderr
    assert found.stdout.splitlines() == [
        "/Joint.physxTendon:flexor:routing = pulley",
        "a new tendon has sheath",
        "/Joint.physxTendon:flexor:routing: token 'pully' is not one of sheath, pulley; did you mean 'pulley'?",
    ]


def test_definition_example_leaves_the_checkout_alone() -> None:
    assert "routing" not in (ROOT / "schema" / "physx" / "tendon.yaml").read_text(encoding="utf-8")


def test_planted_values_take_effect() -> None:
    found = planted()
    assert found.returncode == 0, found.stdout
    assert "2 passed" in found.stdout


BROKEN = {
    "mimic under a name PhysX skips": (("JointAPI:rotY", "JointAPI:Z"), ("MimicJoint:rotY", "MimicJoint:Z")),
    "tendon on a fixed joint": (('PhysicsRevoluteJoint "knuckle"', 'PhysicsFixedJoint "knuckle"'),),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_planted_value_without_effect_fails(finger: str, tmp_path: Path, fault: str) -> None:
    text = finger
    for right, wrong in BROKEN[fault]:
        assert right in text
        text = text.replace(right, wrong)
    path = tmp_path / "broken.usda"
    path.write_text(text, encoding="utf-8")
    found = planted(STAGE=str(path))
    assert found.returncode == 1, found.stdout
    assert "test_every_authored_value_takes_effect" in found.stdout
    assert "without the authored effect" in found.stdout


def test_session_example_moves_the_arm_follows_its_edit_and_cleans_up() -> None:
    found = run(EXAMPLES / "live_session.py")
    assert found.returncode == 0, found.stderr
    first, second = (float(line.split()[1]) for line in found.stdout.splitlines() if line.startswith("/Arm/elbow  "))
    assert first > 15.0
    assert second < -5.0
    assert "session layer as before: True" in found.stdout


def numbers(text: str) -> list[float]:
    """The decimal numbers in a text."""
    return [float(x) for x in re.findall(r"-?\d+\.\d+", text)]


def test_gravity_compensation_example_holds_every_arm() -> None:
    found = run(EXAMPLES / "gravity_compensation.py")
    assert found.returncode == 0, found.stderr
    falling, held = numbers(found.stdout)
    assert falling > 100.0
    assert held < 0.01


def test_operational_space_example_reaches_its_goal_nearly_straight() -> None:
    found = run(EXAMPLES / "operational_space.py")
    assert found.returncode == 0, found.stderr
    left, off = numbers(found.stdout.splitlines()[1])
    assert left < 1e-3
    assert off < 0.02


def test_centroidal_momentum_example_keeps_angular_momentum_in_flight() -> None:
    found = run(EXAMPLES / "centroidal_momentum.py")
    assert found.returncode == 0, found.stderr
    grown, weight, angular, changed = numbers(found.stdout)
    assert grown == pytest.approx(weight, rel=1e-3)
    assert changed < 0.01 * angular


def test_humanoid_example_has_27_degrees_of_freedom(tmp_path: Path) -> None:
    found = run(EXAMPLES / "humanoid.py", tmp_path / "humanoid.usda")
    assert found.returncode == 0, found.stderr
    assert "22 links, 27 degrees of freedom, 44.7 kg" in found.stdout
