"""`convert` from a file to a stage in a file, and the robots in real PhysX."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import physx_runtime
import pytest
from physx_runtime.conversion.drives import Gains
from pxr import Sdf, Usd
from support.converted_robots import FOLDER, repaired
from support.converter import stand_in

from physx_schema import check
from physx_schema.errors import UnreadableError, UnsupportedError

STAGE = (FOLDER / "quadruped.usda").read_text(encoding="utf-8")
STEPS = 240


@pytest.fixture
def robot(tmp_path: Path) -> Iterator[Path]:
    """A URDF that a stand-in converts to the kept stage."""
    path = tmp_path / "quadruped.urdf"
    path.write_text((FOLDER / "quadruped.urdf").read_text(encoding="utf-8"), encoding="utf-8")
    with stand_in(tmp_path, STAGE, "0.3.4"):
        yield path


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_saved_stage_has_no_findings_above_info(robot: Path, tmp_path: Path) -> None:
    physx_runtime.convert(robot, drives="position", ground=True).save(tmp_path / "new" / "quadruped.usda")
    report = check(tmp_path / "new" / "quadruped.usda")
    assert [item.code for item in report.findings if item.severity != "info"] == []


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("name", "start"), [("a.usda", b"#usda"), ("a.usdc", b"PXR-USDC"), ("a.usd", b"#usda")])
def test_suffix_chooses_the_format(robot: Path, tmp_path: Path, name: str, start: bytes) -> None:
    physx_runtime.convert(robot).save(tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(start)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_other_file_is_replaced_only_by_force(robot: Path, tmp_path: Path) -> None:
    target, conversion = tmp_path / "mine.usda", physx_runtime.convert(robot)
    target.write_text("#usda 1.0\n", encoding="utf-8")
    with pytest.raises(UnsupportedError, match="other content"):
        conversion.save(target)
    assert target.read_text(encoding="utf-8") == "#usda 1.0\n"
    conversion.save(target, force=True)
    assert "quadruped" in target.read_text(encoding="utf-8")
    conversion.save(target)     # the same again


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_source_is_never_replaced(robot: Path) -> None:
    conversion, before = physx_runtime.convert(robot), robot.read_bytes()
    with pytest.raises(UnsupportedError, match="not a name of a USD layer"):
        conversion.save(robot, force=True)
    assert robot.read_bytes() == before


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_textures_are_copied_beside_the_stage(tmp_path: Path) -> None:
    folder = tmp_path / "converted"
    folder.mkdir()
    (folder / "paint.png").write_bytes(b"paint")
    stage = Usd.Stage.CreateInMemory()
    stage.DefinePrim("/a").CreateAttribute("file", Sdf.ValueTypeNames.Asset).Set(Sdf.AssetPath(f"{folder}/paint.png"))
    physx_runtime.Conversion(tmp_path / "a.urdf", stage, (), folder).save(tmp_path / "out" / "arm.usda")
    assert "@./arm_textures/paint.png@" in (tmp_path / "out" / "arm.usda").read_text(encoding="utf-8")
    assert (tmp_path / "out" / "arm_textures" / "paint.png").read_bytes() == b"paint"


@pytest.mark.parametrize(("arguments", "message"), [
    ({"base": "loose"}, "base is 'loose'; allowed are 'auto', 'fixed', 'floating'"),
    ({"drives": "force"}, "drives is 'force'; allowed are 'file', 'none', 'position', 'velocity'"),
    ({"bandwidth": 0.0}, "bandwidth is 0.0; give a positive, finite number"),
    ({"damping_ratio": math.inf}, "damping_ratio is inf; give a positive, finite number"),
    ({"bandwidth": "5"}, "bandwidth is '5'; give a positive, finite number"),
    ({"bandwidth": None}, "bandwidth is None; give a positive, finite number"),
    ({"damping_ratio": True}, "damping_ratio is True; give a positive, finite number")])
def test_wrong_argument_is_one_line(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        physx_runtime.convert("missing.urdf", **arguments)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_conversion_without_a_body_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "empty.urdf").write_text('<robot name="empty"/>', encoding="utf-8")
    with (stand_in(tmp_path, "#usda 1.0\n", "0.3.4"),
          pytest.raises(UnreadableError, match="its converter makes no rigid body of it")):
        physx_runtime.convert(tmp_path / "empty.urdf")


def test_stage_is_no_robot(tmp_path: Path) -> None:
    (tmp_path / "a.usda").write_text("#usda 1.0\n", encoding="utf-8")
    with pytest.raises(UnsupportedError, match="not a robot in URDF or MJCF"):
        physx_runtime.convert(tmp_path / "a.usda")


def test_what_is_no_path_is_one_line() -> None:
    with pytest.raises(TypeError, match=r"robot is 3; give the path of a \.urdf file"):
        physx_runtime.convert(3)        # type: ignore[arg-type]


def test_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="no such file"):
        physx_runtime.convert(tmp_path / "a.urdf")


# --- in motion -----------------------------------------------------------------------------------------------------

def test_quadruped_with_drives_stands_on_the_ground() -> None:
    stage, _ = repaired("quadruped", gains=Gains("position", 5.0), ground=True)
    motion = physx_runtime.simulate(stage, steps=STEPS)
    trunk = motion.link_pose[-1, 0, 0]
    assert trunk[:3] == pytest.approx([0.0, 0.0, 0.0], abs=0.03)
    assert abs(trunk[6]) > math.cos(math.radians(2.0) / 2.0)


def test_quadruped_without_drives_falls_to_the_ground() -> None:
    stage, _ = repaired("quadruped", ground=True)
    motion = physx_runtime.simulate(stage, steps=STEPS)
    assert motion.link_pose[-1, 0, 0, 2] < -0.2


def test_quadruped_in_real_physx_stands_as_here(oracle_folder: Path) -> None:
    from physx_oracle import simulate

    stage, _ = repaired("quadruped", gains=Gains("position", 5.0), ground=True)
    theirs = simulate(stage, 1 / 60, STEPS)
    ours = physx_runtime.simulate(stage, steps=STEPS)
    trunk = list(theirs["link_paths"]).index(ours.link_names[0])
    assert not np.asarray(theirs["fixed_base"]).any()
    assert np.asarray(theirs["link_pose"])[-1, trunk, :3] == pytest.approx([0.0, 0.0, 0.0], abs=0.03)
    assert np.asarray(theirs["link_pose"])[-1, trunk, :3] == pytest.approx(ours.link_pose[-1, 0, 0, :3], abs=2e-3)


def test_arm_in_real_physx_reaches_its_targets_but_for_the_sag_of_gravity(oracle_folder: Path) -> None:
    from physx_oracle import simulate
    from physx_runtime.conversion.robot import repair
    from support.guides import CONVERTED

    from physx_schema.description.robot_sources import RobotText

    layer, kept = Sdf.Layer.CreateAnonymous(".usda"), Sdf.Layer.FindOrOpen(str(CONVERTED))
    layer.TransferContent(kept)
    stage = Usd.Stage.Open(layer)
    repair(stage, RobotText("robot"), "fixed", Gains("position", 5.0), False)
    targets = {"shoulder": -45.0, "elbow": 30.0}
    for name, value in targets.items():
        stage.GetPrimAtPath(f"/arm/Physics/{name}").GetAttribute("drive:angular:physics:targetPosition").Set(value)
    theirs = simulate(stage, 1 / 60, STEPS)
    reached = dict(zip(theirs["dof_names"], np.degrees(np.asarray(theirs["q"])[-1]), strict=True))
    assert np.asarray(theirs["fixed_base"]).all()
    # load / stiffness is 0.733 N m / 0.263 N m a degree of the elbow, level as it is at its target
    assert reached == pytest.approx(targets, abs=3.0)
