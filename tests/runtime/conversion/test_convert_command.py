"""The command `convert`: a robot to a stage, and definitions by the command of the generator."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pxr import Usd
from support.converted_robots import FOLDER
from support.converter import stand_in

from physx_schema.command_line.program import program

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

LIBRARY = '#usda 1.0\n(\n)\nover "GLOBAL" (\n    customData = {\n        string libraryName = "lib"\n    }\n)\n{\n}\n'


def run(*arguments: object) -> Result:
    return CliRunner().invoke(program(), ["convert", *map(str, arguments)])


@pytest.fixture
def robot(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "quadruped.urdf"
    path.write_text((FOLDER / "quadruped.urdf").read_text(encoding="utf-8"), encoding="utf-8")
    with stand_in(tmp_path, (FOLDER / "quadruped.usda").read_text(encoding="utf-8"), "0.3.4"):
        yield path


def test_each_repair_is_a_line_and_the_last_is_that_of_the_check(robot: Path, tmp_path: Path) -> None:
    out = tmp_path / "quadruped.usda"
    result = run(robot, "-o", out, "--drives", "position", "--ground")
    lines = result.stdout.splitlines()
    assert result.exit_code == 0, result.output
    assert [line.partition(":")[0] for line in lines[:-1]] == [
        "scene", "base", *["start"] * 8, "self-collision", "drives", "ground"]
    assert lines[-1].startswith(f"{out}: 0 errors, 0 warnings, ")
    assert Usd.Stage.Open(str(out))


def test_quiet_prints_nothing(robot: Path, tmp_path: Path) -> None:
    assert run(robot, "-o", tmp_path / "a.usda", "-q").stdout == ""


def test_base_is_chosen_by_an_option(robot: Path, tmp_path: Path) -> None:
    assert "base: link trunk.0 is fixed, as asked for; " in run(robot, "-o", tmp_path / "a.usda", "--base",
                                                                "fixed").stdout


def test_existing_file_is_kept_without_force(robot: Path, tmp_path: Path) -> None:
    (tmp_path / "a.usda").write_text("#usda 1.0\n", encoding="utf-8")
    result = run(robot, "-o", tmp_path / "a.usda")
    assert (result.exit_code, (tmp_path / "a.usda").read_text(encoding="utf-8")) == (2, "#usda 1.0\n")
    assert run(robot, "-o", tmp_path / "a.usda", "--force").exit_code == 0


def test_definitions_go_to_the_generator(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "schema.usda").write_text(LIBRARY, encoding="utf-8")
    from physx_schema.command_line.command_files import commands_of

    generator = next(entry.load() for entry in commands_of("physx_codegen") if entry.name == "convert")
    arguments = [str(tmp_path / "lib" / "schema.usda"), "--out", str(tmp_path / "yaml")]
    expected = CliRunner().invoke(generator, arguments)
    result = run(*arguments)
    assert (result.exit_code, result.output) == (expected.exit_code, expected.output)


@pytest.mark.parametrize("name", ["hopper.usda", "stacked.usda"])
def test_stage_is_refused_with_the_command_that_repairs_it(tmp_path: Path, name: str) -> None:
    result = run(FOLDER / name, "-o", tmp_path / "out.usda")
    assert (result.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert f"is a stage already; repair it with: physx-schema check --fix {FOLDER / name}" in result.stderr


def test_option_of_robots_is_refused_for_definitions(tmp_path: Path) -> None:
    (tmp_path / "schema.usda").write_text("#usda 1.0\n", encoding="utf-8")
    result = run(tmp_path / "schema.usda", "-o", tmp_path / "out", "--drives", "position")
    assert (result.exit_code, "--drives is for robots" in result.stderr) == (2, True)


def test_format_without_a_converter_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "arm.sdf").write_text("<sdf/>", encoding="utf-8")
    result = run(tmp_path / "arm.sdf", "-o", tmp_path / "arm.usda")
    assert (result.exit_code, len(result.stderr.splitlines())) == (3, 1)
    assert "there is no converter to USD" in result.stderr


@pytest.mark.parametrize(("name", "module"), [("quadruped.urdf", "urdf_usd_converter"),
                                              ("cup.urdf", "urdf_usd_converter"),
                                              ("cart.xml", "mujoco_usd_converter"),
                                              ("hopper.xml", "mujoco_usd_converter"),
                                              ("stacked.xml", "mujoco_usd_converter"),
                                              ("servos.xml", "mujoco_usd_converter")])
def test_real_converter_still_makes_the_kept_stage(tmp_path: Path, name: str, module: str) -> None:
    pytest.importorskip(module, reason="the converters bring usd-exchange, and cannot be beside usd-core")
    from physx_schema.description.stages import open_stage

    def texts(stage: Usd.Stage) -> list[str]:
        return [str(prim.GetPath()) + str(prim.GetTypeName()) + "".join(
            f"{item.GetName()}={item.Get()}" for item in prim.GetAuthoredAttributes()) for prim in stage.Traverse()]

    assert texts(open_stage(FOLDER / name)) == texts(Usd.Stage.Open(str(FOLDER / f"{Path(name).stem}.usda")))
    assert run(FOLDER / name, "-o", tmp_path / "out.usda", "--drives", "position").exit_code == 0
