"""The demonstration: one run of the command, and the hand against real PhysX."""

from __future__ import annotations

from pathlib import Path

import click.testing
import numpy as np
import pytest
from physx_runtime.demonstration.demo_command import demo_command
from physx_runtime.demonstration.hand import COUPLING_RATIO, FINGER, PHALANGES, THUMB, build_hand, capsule
from physx_runtime.simulation.simulate import simulate
from pxr import Usd, UsdGeom

from physx_schema import AuthoringError, PhysxMimicJointAPI, authoring
from physx_schema.checking import check
from physx_schema.description import describe

# Joint positions [rad] that PhysX (ovphysx 0.7.0 on the CPU) reached in the given step of 1/60 s.
JOINTS = ("finger_proximal", "thumb_proximal", "finger_middle", "thumb_middle", "finger_distal", "thumb_distal")
RECORDED = {
    15: (0.1215229, -0.1241855, 0.2560471, -0.3013045, 0.175723, -0.1051146),
    30: (0.1837365, -0.1860901, 0.4688664, -0.5515378, 0.3257926, -0.1855223),
    60: (0.2243619, -0.2233688, 0.6970147, -0.8218675, 0.4866413, -0.2562311),
    100: (0.2268706, -0.2231025, 0.8197737, -0.9812178, 0.5731213, -0.2737395),
    150: (0.2201054, -0.2142034, 0.8739772, -1.0708954, 0.6112765, -0.2737395),
}
TOLERANCE = 5e-6        # rad: what float32 runs of the same step may differ by


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[click.testing.Result, Path]:
    """The command's result, and the folder it wrote to."""
    folder = tmp_path_factory.mktemp("demo") / "out"
    return click.testing.CliRunner().invoke(demo_command, ["--out", str(folder)]), folder


def test_the_command_succeeds(told: tuple[click.testing.Result, Path]) -> None:
    assert (told[0].exit_code, told[0].exception) == (0, None)


def test_the_command_leaves_four_files_and_no_others(told: tuple[click.testing.Result, Path]) -> None:
    found = sorted(path.name for path in told[1].iterdir())
    assert found == ["hand.usda", "hand_broken.usda", "hand_motion.usda", "report.html"]


def test_the_story_fits_a_screen(told: tuple[click.testing.Result, Path]) -> None:
    lines = told[0].output.splitlines()
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 120


def test_the_story_explains_the_flexors_stiffness(told: tuple[click.testing.Result, Path]) -> None:
    assert "The flexor's stiffness of 2000 N/m acts as" in told[0].output
    assert "divides the tendon's pull by the number of its axes, 3" in told[0].output


def test_the_hand_has_no_findings(told: tuple[click.testing.Result, Path]) -> None:
    report = check(told[1] / "hand.usda")
    assert (report.findings, report.unused, report.not_evaluated) == ((), (), ())


def test_the_broken_hand_has_the_two_planted_errors(told: tuple[click.testing.Result, Path]) -> None:
    errors = check(told[1] / "hand_broken.usda").errors
    assert [(error.code, error.path.rpartition("/")[2]) for error in errors] == [
        ("DJ.007/instance", "finger_distal"), ("value/token", "thumb_proximal")]


def test_the_motion_file_shows_the_hand_closed_at_its_end(told: tuple[click.testing.Result, Path]) -> None:
    stage = Usd.Stage.Open(str(told[1] / "hand_motion.usda"))
    tips = []
    for code in (0.0, 150.0):
        ends = [UsdGeom.Xformable(stage.GetPrimAtPath(finger.link(PHALANGES[-1]))).ComputeLocalToWorldTransform(code)
                .Transform((0.0, 0.0, 0.5 * PHALANGES[-1].length)) for finger in (FINGER, THUMB)]
        tips.append((ends[0] - ends[1]).GetLength() - 2.0 * PHALANGES[-1].radius)
    assert tips[0] > 0.1
    assert 0.0 < tips[1] < 0.005


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = click.testing.CliRunner().invoke(demo_command, ["--out", str(tmp_path / "file" / "out")])
    assert result.exit_code == 2
    assert "--out" in result.output


def test_the_hand_moves_as_in_physx() -> None:
    stage = build_hand()
    made = simulate(describe(stage), steps=max(RECORDED))
    order = [made.joint_names.index(f"/World/hand/joints/{name}") for name in JOINTS]
    for step, expected in RECORDED.items():
        found = made.joint_position[step, 0, order]
        np.testing.assert_allclose(found, expected, atol=TOLERANCE, err_msg=f"step {step}")


def test_the_mimic_joint_follows() -> None:
    *_, middle, _, distal, _ = RECORDED[150]
    assert distal == pytest.approx(COUPLING_RATIO * middle, rel=2e-3)


def test_the_typed_api_refuses_the_faults_that_the_demo_plants() -> None:
    stage = build_hand()
    joint = stage.GetPrimAtPath(THUMB.joint(PHALANGES[-1]))
    with pytest.raises(AuthoringError, match="'Z' is not one of rotX, rotY, rotZ"):
        PhysxMimicJointAPI.Apply(joint, "Z", gearing=COUPLING_RATIO)
    with pytest.raises(AuthoringError, match="'acceleratoin' is not one of force, acceleration"):
        authoring.drive(joint, type="acceleratoin")


def test_capsules_have_the_inertia_of_a_solid() -> None:
    length, radius, density = 0.045, 0.0095, 1150.0
    # slices across the axis: discs of mass dm with moments dm r^2/2 along and dm (r^2/4 + z^2) across
    edges = np.linspace(-0.5 * length - radius, 0.5 * length + radius, 200_001)
    z, dz = 0.5 * (edges[1:] + edges[:-1]), np.diff(edges)
    r2 = radius**2 - np.maximum(np.abs(z) - 0.5 * length, 0.0) ** 2
    dm = density * np.pi * r2 * dz
    found = capsule(length, radius)
    np.testing.assert_allclose(found, (dm.sum(), (dm * (r2 / 4 + z**2)).sum(), (dm * r2 / 2).sum()), rtol=1e-6)
