"""The command line: what goes to stdout and stderr, and the exit codes."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from support.places import STAGES
from support.stages.robots import base, finger, joint, link, robot

from physx_schema.checking import RULES
from physx_schema.command_line.command_files import ENTRY_POINTS, find_commands
from physx_schema.command_line.program import Boundary, Program, program
from physx_schema.errors import AuthoringError, UnreadableError, printable
from physx_schema.reports.json_output import plain

CLEAN, BAD = str(STAGES / "clean_finger.usda"), str(STAGES / "misspelt_token.usda")

MISSING = "no such file; use a .usda, .usdc, .usd or .usdz file, or a robot as .urdf or MJCF .xml"


def call(*arguments: str) -> Result:
    return CliRunner().invoke(program(), list(arguments))


def test_clean_stage_exits_0_with_one_summary_line() -> None:
    result = call("check", CLEAN)
    assert (result.exit_code, result.stdout) == (0, f"{CLEAN}: 0 errors, 0 warnings, 0 info, 0 not evaluated\n")


HEAD = (f"{BAD}:50:52: /Robot/j.drive:angular:physics:type: error value/token [*]: "
        "'acelleration' is not one of force, acceleration")
SUMMARY = f"{BAD}: 1 error, 0 warnings, 0 info, 0 not evaluated; [*] 1 fixable with --fix"


def test_finding_has_an_excerpt_with_a_caret_and_exits_1() -> None:
    result = call("check", BAD)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        HEAD,
        "    49 | float drive:angular:physics:stiffness = 2",
        '    50 | uniform token drive:angular:physics:type = "acelleration"',
        "       |                                            ^^^^^^^^^^^^^^",
        "    51 | rel physics:body0 = </Robot/base>",
        "    why: PhysX does not know the token and uses the default",
        "    fix: did you mean 'acceleration'?",
        SUMMARY,
    ]


def test_concise_finding_is_the_first_line_alone() -> None:
    assert call("check", BAD, "--format", "concise").stdout.splitlines() == [HEAD, SUMMARY]


@pytest.mark.parametrize(("variable", "coloured"), [("", True), ("1", False)])
def test_colours_are_for_terminals_that_want_them_and_the_text_is_the_same(
    variable: str, coloured: bool, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", variable)
    monkeypatch.setenv("TERM", "xterm")
    main, terminal = os.openpty()
    command = [sys.executable, "-c", "from physx_schema.command_line.program import main; main()", "check", BAD]
    subprocess.run(command, stdout=terminal, stderr=subprocess.DEVNULL, check=False)
    os.close(terminal)
    printed = os.read(main, 1 << 16).decode()
    os.close(main)
    assert ("\x1b[" in printed) == coloured
    assert click.unstyle(printed).splitlines() == call("check", BAD).stdout.splitlines()


def line_of(path: str, *texts: str) -> int:
    """The number of the first line with the last text after lines with those before it."""
    lines, number = Path(path).read_text().splitlines(), 0
    for text in texts:
        number = next(later for later, line in enumerate(lines[number:], number + 1) if text in line)
    return number


def many(tmp_path: Path, attribute: str, value: float, count: int) -> str:
    """A file with so many hinges below one base that have the same value."""
    names = [f"l{i}" for i in range(count)]
    links, joints = map(link, names), (joint("Revolute", f"j{name}", "base", name, ("PhysxJointAxisAPI:angular",),
                                             {attribute: value}) for name in names)
    (tmp_path / "many.usda").write_text(robot(base(), *links, *joints))
    return str(tmp_path / "many.usda")


def test_what_several_prims_have_in_common_is_said_once(tmp_path: Path) -> None:
    path = many(tmp_path, "float physxJointAxis:angular:armature", -1.0, 42)
    lines = {name: line_of(path, f'Joint "{name}"', "armature") for name in sorted(f"jl{i}" for i in range(42))}
    prims = ", ".join(f"/Robot/{name} (line {line})" for name, line in list(lines.items())[:5])
    head, *excerpt, at, why, fix, summary = call("check", path).stdout.splitlines()
    first = lines["jl0"]
    assert f"    {first} | float physxJointAxis:angular:armature = -1.0" in excerpt
    assert [head, at, why, fix, summary] == [
        f"{path}:{first}:41: physxJointAxis:angular:armature of 42 prims: error value/range: -1 is not in [0, inf)",
        f"    at: {prims} and 37 more",
        "    why: PhysX uses 0",
        "    fix: author a value in the allowed range",
        f"{path}: 1 error, 0 warnings, 0 info, 0 not evaluated; 42 findings in all; "
        "42 fixable with --fix --unsafe-fixes",
    ]


def test_a_text_that_names_its_prim_is_said_once_as_well(tmp_path: Path) -> None:
    lines = call("check", many(tmp_path, "float physxJointAxis:angular:armature", 0.1, 7), "--profile",
                 "driven").stdout.splitlines()
    undriven = lines.index(next(line for line in lines if "DJ.004/undriven" in line))
    assert lines[undriven].endswith("7 prims: error DJ.004/undriven: <prim> has neither a drive nor a mimic joint")


def test_of_warnings_about_many_prims_five_are_named(tmp_path: Path) -> None:
    lines = call("check", many(tmp_path, "float physics:breakForce", 1.0, 42)).stdout.splitlines()
    named = [re.sub(r" \(line \d+\)", "", line) for line in lines if line.startswith("    at: ")]
    assert named[0] == "    at: /Robot/jl0, /Robot/jl1, /Robot/jl10, /Robot/jl11, /Robot/jl12 and 37 more"


def test_folder_is_checked_with_all_stages_in_it_but_those_of_hidden_folders(tmp_path: Path) -> None:
    for name in ("a/one.usda", "a/b/two.usda", ".cache/three.usda", "venv/four.usda"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CLEAN, tmp_path / name)
    (tmp_path / "venv/pyvenv.cfg").touch()
    (tmp_path / "a/notes.txt").touch()
    *said, total = call("check", str(tmp_path)).stdout.splitlines()
    assert total == "2 files: 0 errors, 0 warnings"
    assert [line.partition(":")[0] for line in said] == [str(tmp_path / "a/b/two.usda"), str(tmp_path / "a/one.usda")]


def test_folder_without_stages_is_unreadable_beside_others(tmp_path: Path) -> None:
    result = call("check", str(tmp_path), CLEAN)
    assert result.exit_code == 3 and "0 errors" in result.stdout
    assert result.stderr.startswith(f"{tmp_path}: a directory, not a USD file")


def test_command_on_one_stage_names_one_of_a_folder(tmp_path: Path) -> None:
    shutil.copy(CLEAN, tmp_path / "robot.usda")
    result = call("simulate", str(tmp_path))
    assert (result.exit_code, result.stderr) == (
        3, f"{tmp_path}: a directory, not a USD file; use a file in this folder, such as robot.usda\n")


def test_quiet_check_says_nothing_of_a_clean_stage_and_only_what_is_wrong_of_others() -> None:
    assert call("check", "-q", CLEAN).output == ""
    said = call("check", "-q", BAD).output.splitlines()
    assert said == call("check", BAD).output.splitlines()[:-1]


@pytest.mark.parametrize("name", ["misspelt_token", "out_of_range", "tendon_without_root", "mimic_transz"])
def test_bad_stages_exit_1(name: str) -> None:
    assert call("check", str(STAGES / f"{name}.usda")).exit_code == 1


def test_missing_file_exits_3_with_one_line_on_stderr(tmp_path: Path) -> None:
    path = str(tmp_path / "none.usda")
    result = call("check", path)
    assert (result.exit_code, result.stdout, result.stderr) == (3, "", f"{path}: {MISSING}\n")


def test_other_files_are_checked_beside_an_unreadable_one(tmp_path: Path) -> None:
    result = call("check", str(tmp_path / "none.usda"), CLEAN)
    assert result.exit_code == 3
    assert "0 errors" in result.stdout


def test_describe_of_a_missing_file_exits_3(tmp_path: Path) -> None:
    path = str(tmp_path / "none.usda")
    result = call("describe", path)
    assert (result.exit_code, result.stdout, result.stderr) == (3, "", f"{path}: {MISSING}\n")


@pytest.mark.parametrize("arguments", [
    ("check",), ("check", CLEAN, "--profile", "mujoco"), ("check", CLEAN, "--format", "xml"), ("nonsense",),
    ("explain", "no/such-code"),
])
def test_wrong_usage_exits_2(arguments: tuple[str, ...]) -> None:
    result = call(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""


def test_strict_exits_5_where_something_was_not_evaluated(tmp_path: Path) -> None:
    path = tmp_path / "particles.usda"
    path.write_text(f'{finger()}def PhysxParticleSystem "Sand"\n{{\n}}\n')
    assert call("check", str(path)).exit_code == 0
    result = call("check", "--strict", str(path))
    assert result.exit_code == 5
    assert f"{path}: /Sand: not evaluated: PhysxParticleSystem: particles; not simulated" in result.stdout


def test_fail_on_warning_exits_1(tmp_path: Path) -> None:
    path = tmp_path / "idle.usda"
    values = {"bool physics:jointEnabled": False, "float drive:angular:physics:stiffness": 1.0}
    path.write_text(finger(values, ("PhysicsDriveAPI:angular",)))
    assert call("check", str(path)).exit_code == 0
    assert call("check", "--fail-on", "warning", str(path)).exit_code == 1


def test_json_report_is_versioned_and_complete() -> None:
    result = call("check", "--format", "json", BAD)
    content = json.loads(result.stdout)
    assert result.exit_code == 1
    assert content["version"] == 1
    assert content["reports"][0]["path"] == BAD
    assert content["reports"][0]["counts"] == {"error": 1, "warning": 0, "info": 0}
    assert content["reports"][0]["findings"][0]["code"] == "value/token"


def test_json_report_lists_unreadable_files(tmp_path: Path) -> None:
    path = str(tmp_path / "none.usda")
    result = call("check", "--format", "json", path)
    assert json.loads(result.stdout)["unreadable"] == [{"path": path, "message": f"{path}: {MISSING}"}]


def test_report_is_the_same_every_time() -> None:
    assert call("check", "--format", "json", BAD).stdout == call("check", "--format", "json", BAD).stdout


def test_json_has_no_nan_and_no_infinity() -> None:
    assert plain((float("nan"), float("inf"), -float("inf"), 1.5)) == ["NaN", "Infinity", "-Infinity", 1.5]


def test_description_as_json_holds_the_facts() -> None:
    content = json.loads(call("describe", "--json", CLEAN).stdout)
    dof = content["articulations"][0]["links"][1]["joint"]["dofs"][0]
    assert (dof["name"], dof["max_velocity"]) == ("/Robot/j", "Infinity")


def test_description_as_text_names_links_and_degrees_of_freedom() -> None:
    text = call("describe", CLEAN).stdout
    assert "articulation /Robot: fixed base, 2 links, 1 degree of freedom, 32/1 iterations" in text
    assert "  tip: 1 kg, revolute joint j about X, -45 to 45 deg" in text
    assert "force drive: stiffness 2 N m/deg" in text


def test_recorded_stages_can_be_outlined(case_stages: list[Path]) -> None:
    for path in case_stages:
        assert call("describe", str(path)).exit_code == 0, path


def test_explain_gives_the_meaning_of_a_code() -> None:
    text = call("explain", "tendon/no-root").stdout
    assert text.startswith("tendon/no-root: Fixed tendon without a root axis\n")
    assert "A fixed tendon starts" in text


def test_explain_of_a_family_lists_its_codes() -> None:
    assert "    DJ.007/self (error): Joint that follows itself" in call("explain", "DJ.007").stdout.splitlines()


def test_explain_knows_failed_rules() -> None:
    assert "Failed checker rule" in call("explain", "rule-failed/values").stdout


def test_explain_alone_lists_every_code() -> None:
    assert call("explain").stdout.split() == list(RULES)


def test_explain_suggests_a_close_code() -> None:
    assert "did you mean DJ.007/limits-clip?" in call("explain", "DJ.007/limitclip").stderr


def test_doctor_names_usd_and_the_schemas() -> None:
    result = call("doctor")
    assert result.exit_code == 0
    assert "USD knows" in result.stdout


def test_plugin_path_holds_the_plugins() -> None:
    folders = [Path(folder) for folder in call("plugin-path").stdout.strip().split(os.pathsep)]
    assert [folder.name for folder in folders] == ["physx_generated", "legacy", "omni_physics", "validation"]
    assert all((folder / "plugInfo.json").is_file() for folder in folders)


@pytest.mark.parametrize(("text", "shown"), [
    ("a\x1b[31mb", "a\\x1b[31mb"), ("a\u202eb", "a\\u202eb"), ("a\u2028b", "a\\u2028b"),
    ("line\nbreak", "line\\x0abreak"), ("é β", "é β"),
])
def test_control_and_direction_characters_are_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


# --- errors of commands ---


def failing(error: BaseException) -> Program:
    group = Program("program")

    @group.command("fail")
    def fail() -> None:
        raise error

    return group


@pytest.mark.parametrize(("error", "code", "line"), [
    (UnreadableError("a.usda: bad"), 3, "a.usda: bad"),
    (AuthoringError("/a.b: bad"), 2, "/a.b: bad"),
    (RuntimeError("lost\nit"), 4,
     "internal error: RuntimeError: lost it (set PHYSX_SCHEMA_TRACEBACK=1 to show the traceback)"),
    (click.ClickException("usage"), 1, "Error: usage"),
])
def test_errors_of_commands_become_one_line_and_a_code(error: BaseException, code: int, line: str) -> None:
    result = CliRunner().invoke(failing(error), ["fail"])
    assert (result.exit_code, result.stdout, result.stderr) == (code, "", line + "\n")


def test_reader_that_stops_early_is_no_internal_error() -> None:
    result = CliRunner().invoke(failing(BrokenPipeError(errno.EPIPE, "Broken pipe")), ["fail"])
    assert (result.exit_code, result.stderr) == (141, "")


@pytest.mark.parametrize("arguments", [("check", BAD), ("check", BAD, "--format", "sarif"), ("check", "--list-rules"),
                                       ("--help",)])
def test_closed_pipe_ends_the_program_without_a_word(arguments: tuple[str, ...]) -> None:
    running = subprocess.Popen(
        [sys.executable, "-c", "from physx_schema.cli import main; main()", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdout is not None
    running.stdout.close()
    assert (running.communicate()[1], running.returncode) == (b"", 141)


def test_every_line_of_a_collected_error_is_shown() -> None:
    result = CliRunner().invoke(failing(AuthoringError("/a: one\n/b: two")), ["fail"])
    assert result.stderr == "/a: one\n/b: two\n"


def test_traceback_is_shown_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHYSX_SCHEMA_TRACEBACK", "1")
    with pytest.raises(RuntimeError, match="lost"), Boundary():
        raise RuntimeError("lost")


def test_missing_package_leaves_the_other_commands() -> None:
    absent = EntryPoint("absent", "no_such_package.cli:absent", ENTRY_POINTS)
    group = Program("physx-schema", (absent, *find_commands()))
    assert CliRunner().invoke(group, ["check", CLEAN]).exit_code == 0
    result = CliRunner().invoke(group, ["--help"])
    assert result.exit_code == 0 and "verify" in result.stdout
    assert "cannot load the command absent of no_such_package.cli:absent: No module named" in result.stderr


def test_running_one_command_loads_no_other() -> None:
    code = ("import sys; from click.testing import CliRunner; from physx_schema.command_line.program import program; "
            "CliRunner().invoke(program(), ['generate', '--help']); "
            "print(sorted({'physx_runtime', 'physx_schema.cli.check_command'} & set(sys.modules)))")
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_a_misspelt_command_is_refused_with_the_one_that_was_meant() -> None:
    done = CliRunner().invoke(program(), ["simulat", "robot.usda"])
    assert done.exit_code == 2
    assert "no command 'simulat'; did you mean 'simulate'?" in done.stderr
