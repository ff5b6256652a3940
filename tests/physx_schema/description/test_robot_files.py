"""Robots in URDF and MJCF: made into stages by their converters, which are other programs."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner
from support import converter

from physx_schema import check, describe
from physx_schema.command_line.program import program
from physx_schema.description.robot_files import ConvertedWarning
from physx_schema.errors import UnreadableError, UnsupportedError
from physx_schema.migration import migrate

URDF = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><mass value="0.5"/>
    <inertia ixx="0.004" iyy="0.004" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="1.5" effort="50" velocity="3"/></joint>
</robot>
"""
MJCF = """<mujoco model="arm"><worldbody><body name="upper"><joint name="shoulder" type="hinge" axis="0 1 0"/>
<geom type="sphere" size="0.1" mass="0.5"/></body></worldbody></mujoco>
"""
STAGE = '#usda 1.0\ndef Xform "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}\n'


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(URDF, encoding="utf-8")
    return path


@pytest.fixture
def stand_in(tmp_path: Path) -> Iterator[None]:
    """A converter that writes a stage with one body, and says something on the way."""
    with converter.stand_in(tmp_path, STAGE, "9.9", "Warning: in x at line 1 of y -- no mesh here"):
        yield


@pytest.mark.skipif(find_spec("urdf_usd_converter") is not None, reason="the converter is installed")
def test_missing_converter_is_one_line_with_the_next_step(robot: Path) -> None:
    result = CliRunner().invoke(program(), ["check", str(robot)])
    assert (result.exit_code, result.stderr) == (
        3, f"{robot}: URDF, and its converter urdf-usd-converter is not installed; pip install "
        "'physx-schema[robots]' in an environment with usd-exchange instead of usd-core\n")


@pytest.mark.usefixtures("stand_in")
def test_converted_robot_is_said_and_named_by_its_own_file(robot: Path) -> None:
    with pytest.warns(ConvertedWarning, match=f"{robot}: URDF, converted by urdf-usd-converter 9.9; the converter "
                                              "reports: .*no mesh here"):
        description = describe(robot)
    assert (description.source, [body.path for body in description.bodies]) == (str(robot), ["/arm"])


@pytest.mark.usefixtures("stand_in")
def test_robot_is_converted_once_until_it_changes(robot: Path, recwarn: pytest.WarningsRecorder) -> None:
    warnings.simplefilter("always")
    check(robot)
    check(robot)
    assert len(recwarn) == 1
    robot.write_text(URDF + "<!-- more -->", encoding="utf-8")
    check(robot)
    assert len(recwarn) == 2


@pytest.mark.usefixtures("stand_in")
def test_converter_that_refuses_a_file_is_quoted(robot: Path) -> None:
    robot.write_text(URDF + "mismatched", encoding="utf-8")
    with pytest.raises(UnreadableError, match=r"urdf-usd-converter cannot convert the file: .*mismatched tag"):
        describe(robot)


@pytest.mark.parametrize("arguments", [("--in-place",), ("-o", "new.usda"), ("--override", "over.usda")])
def test_repairs_are_not_written_for_a_robot(
    robot: Path, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(robot.parent)
    result = CliRunner().invoke(program(), ["check", "--fix", *arguments, str(robot)])
    assert (result.exit_code, list(robot.parent.iterdir())) == (2, [robot])
    assert f"physx-schema convert {robot} -o arm.usda" in result.stderr


@pytest.mark.parametrize(("name", "advice"), [("arm.sdf", "convert it to URDF or MJCF first"),
                                              ("arm.urdf.xacro", "xacro FILE > robot.urdf")])
def test_format_without_a_converter_is_one_line_with_the_next_step(tmp_path: Path, name: str, advice: str) -> None:
    (tmp_path / name).write_text("<robot/>", encoding="utf-8")
    with pytest.raises(UnreadableError, match=re.escape(advice)):
        describe(tmp_path / name)


@pytest.mark.parametrize("prefix", ["Warning: in x at line 1 of y -- ", "[Warning] [urdf_usd_converter._impl.mesh] "])
def test_message_of_the_converter_is_whole(robot: Path, tmp_path: Path, prefix: str) -> None:
    with (converter.stand_in(tmp_path, STAGE, "9.9", f"{prefix}Unsupported primitive: LineSet"),
          pytest.warns(ConvertedWarning, match="the converter reports: .*Unsupported primitive: LineSet$")):
        describe(robot)


@pytest.mark.usefixtures("stand_in")
def test_missing_mesh_is_named_with_its_line_and_package(robot: Path) -> None:
    mesh = '<link name="tip"><visual><geometry>\n<mesh filename="package://arms/tip.stl"/></geometry></visual></link>'
    robot.write_text(URDF.replace("</robot>", f"{mesh}</robot>"), encoding="utf-8")
    with pytest.warns(ConvertedWarning, match=r"no file package://arms/tip.stl \(line 9\); set ROS_PACKAGE_PATH"):
        describe(robot)


def test_robot_is_not_migrated(robot: Path) -> None:
    with pytest.raises(UnsupportedError, match="which cannot store USD data"):
        migrate([robot])


def test_other_xml_is_no_robot(tmp_path: Path) -> None:
    (tmp_path / "page.xml").write_text("<html/>", encoding="utf-8")
    with pytest.raises(UnreadableError, match="not a USD file"):
        describe(tmp_path / "page.xml")


@pytest.mark.parametrize(("name", "text", "module"), [
    ("arm.urdf", URDF, "urdf_usd_converter"), ("arm.xml", MJCF, "mujoco_usd_converter")])
def test_real_converter_gives_the_joint_and_the_mass(tmp_path: Path, name: str, text: str, module: str) -> None:
    pytest.importorskip(module)
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.warns(ConvertedWarning):
        description = describe(tmp_path / name)
    bodies = {body.path.rpartition("/")[2]: body for body in
              (*description.bodies, *(link for found in description.articulations for link in found.links))}
    assert bodies["upper"].mass == pytest.approx(0.5)
    assert "shoulder" in str((description.articulations, description.joints))


def test_actuators_of_a_real_mjcf_are_unused_and_no_drives(tmp_path: Path) -> None:
    pytest.importorskip("mujoco_usd_converter")
    actuator = '<actuator><position joint="shoulder" kp="5" kv="1"/></actuator></mujoco>'
    (tmp_path / "arm.xml").write_text(MJCF.replace("</mujoco>", actuator), encoding="utf-8")
    with pytest.warns(ConvertedWarning):
        description = describe(tmp_path / "arm.xml")
    assert any("MjcActuator" in opinion.reason for opinion in description.unused)
    assert not [authored for authored in description.authored if authored.property.startswith("drive:")]
    assert "scene/hidden" in {problem.code for problem in description.problems}
