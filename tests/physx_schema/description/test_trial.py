"""A file that ends OpenUSD, or that it never ends reading, costs one line and exit code 3, no other file's report."""

from __future__ import annotations

import json
import os
import runpy
import signal
import subprocess
import sys
from itertools import cycle
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.usd_versions import takes_validators

if not takes_validators:
    pytest.skip("this USD release does not support validators in Python", allow_module_level=True)

from support.doors import by_command, by_python, by_usd, said_of
from support.places import DATA
from support.stages.robots import finger

import physx_schema
from physx_schema.checking.stages import NOT_EVALUATED
from physx_schema.command_line.program import program
from physx_schema.description import trial
from physx_schema.errors import UnreadableError

HEAD = "#usda 1.0\n"
CRASHES, NEVER_ENDS = "USD crashes while it reads ", "USD does not finish reading "
SEGV = "segv_crate.usdc"
# name -> part of the line; the large ones are made by the script beside the small ones
ENDING = {
    SEGV: CRASHES, "crash_bytes_10990.usdc": CRASHES, "crash_bytes_74.usdc": CRASHES, "case_bytes_1472.usdc": CRASHES,
    "deep_prims_comment.usda": CRASHES, "nest_plain.usda": NEVER_ENDS, "nest_comment.usda": NEVER_ENDS,
    "nest_doc.usda": NEVER_ENDS, "deep_target.usda": NEVER_ENDS, "deep.usdz": NEVER_ENDS, "neg.usdz": NEVER_ENDS,
    **dict.fromkeys(("ref_args.usda", "ref_expr.usda", "ref_quote.usda", "ref_triple.usda", "ref_usdz.usda",
                     "ref_crate.usdc"), NEVER_ENDS),
    "bomb.usdz": "compressed files are not supported", "case_text_24799.usda": "upAxis has another type",
    "meta.usda": "invalid value for field",
}
COMMANDS = ("check", "describe", "simulate --steps 2", "verify", f"report --steps 2 -o {os.devnull}")
QUICKLY = [name for name, said in ENDING.items() if said != NEVER_ENDS]
SLOWLY = [name for name, said in ENDING.items() if said == NEVER_ENDS]      # 2 s of the processor each time
READ = {"deephier20000.usdc": (0, 0, 2, 2, 0), "case_text_6801.usda": (1, 0, 0, 1, 0),
        "case_sim_1000.usda": (1, 0, 2, 2, 0)}      # exit codes by command


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(program(), list(map(str, arguments)))


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    path = tmp_path / "sound.usda"
    path.write_text(finger())
    return path


def test_the_other_files_of_a_batch_keep_their_reports(shared_cases: Path, sound: Path) -> None:
    alone = json.loads(call("check", "--format", "json", sound).stdout)
    beside = call("check", "--format", "json", shared_cases / "hostile" / SEGV, sound)
    assert json.loads(beside.stdout)["reports"] == alone["reports"]
    assert (beside.exit_code, len(beside.stderr.splitlines())) == (3, 1)


@pytest.mark.parametrize("command", ["describe", "check", "simulate", "verify", "migrate"])
def test_every_command_survives_a_crate_that_ends_usd(command: str, shared_cases: Path) -> None:
    result = call(command, shared_cases / "hostile" / SEGV)
    assert (result.exit_code, result.stdout) == (3, "")
    (line,) = result.stderr.splitlines()
    assert f"{SEGV}: {CRASHES}it (SIGSEGV)" in line


def test_a_trusted_file_is_opened_straight_away(sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "_TRIAL", None)      # whoever asks it fails
    with physx_schema.trusted_files():
        assert physx_schema.check(sound).findings is not None
    assert call("check", "--isolate", "off", sound).exit_code in (0, 1)
    with pytest.raises(AttributeError):
        physx_schema.check(sound)


def test_the_process_that_opens_first_is_kept_for_the_next_file(sound: Path) -> None:
    physx_schema.check(sound)
    process = trial._TRIAL._process
    physx_schema.check(sound)
    assert process is not None and trial._TRIAL._process is process


def test_a_process_that_was_killed_between_two_files_is_started_anew(sound: Path) -> None:
    physx_schema.check(sound)
    process = trial._TRIAL._process
    assert process is not None
    process.send_signal(signal.SIGTERM)
    process.wait()
    assert physx_schema.check(sound).findings is not None


def test_a_pipe_among_the_layers_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.usda")
    path = tmp_path / "a.usda"
    path.write_text(HEAD + 'def "a" (references = @./pipe.usda@) {}\n')
    with pytest.raises(UnreadableError, match=r"a\.usda: it refers to .*pipe\.usda, which is not a regular file"):
        physx_schema.check(path)


def test_a_layer_of_a_variant_that_is_not_chosen_is_tried_too(shared_cases: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.usda"
    path.write_text(HEAD + 'def "a" (variants = { string v = "x" }\nprepend variantSets = "v") {\nvariantSet "v" = {\n'
                    f'"x" {{}}\n"y" (payload = @{shared_cases / "hostile" / "case_bytes_1472.usdc"}@) {{}}\n}}\n}}\n')
    with pytest.raises(UnreadableError, match=rf"a\.usda: {CRASHES}.*case_bytes_1472\.usdc"):
        physx_schema.check(path)


@pytest.mark.parametrize("name", [
    "targets_beyond_memory.usdc", "targets_after_no_name.usdc", "targets_in_package.usdz", "package_beyond_memory.usdz",
    "nine_gigabytes.usdc",
])
def test_a_value_beyond_memory_is_refused_before_it_fills_the_machine(name: str) -> None:
    result = call("check", DATA / "fuzz" / "crates" / name)
    assert (result.exit_code, result.stdout) == (3, "")
    (line,) = result.stderr.splitlines()
    assert "has a value that USD cannot unpack; export the file again" in line


def test_a_file_is_opened_where_a_limit_leaves_less_memory_than_it_may_take(sound: Path) -> None:
    code = ("import resource, sys\nresource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))\n"
            "import physx_schema\nphysx_schema.check(sys.argv[1])\n")
    done = subprocess.run([sys.executable, "-c", code, str(sound)], capture_output=True, text=True, check=False,
                          timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_forked_process_opens_files_by_a_process_of_its_own(sound: Path) -> None:
    code = ("import os, sys\nimport physx_schema\nfrom physx_schema.description import trial\n"
            "physx_schema.check(sys.argv[1])\nchild = os.fork()\n"
            "if not child:\n    physx_schema.check(sys.argv[1])\n    os._exit(0)\n"
            "status = os.waitpid(child, 0)[1]\nphysx_schema.check(sys.argv[1])\nprint(status)\n")
    done = subprocess.run([sys.executable, "-c", code, str(sound)], capture_output=True, text=True, check=True,
                          timeout=120)
    assert done.stdout == "0\n"


@pytest.mark.sweep
@pytest.mark.parametrize("name", ENDING)
def test_what_ends_usd_exits_3_with_one_line(name: str, hostile: Path) -> None:
    result = call("check", hostile / name)
    assert (result.exit_code, result.stdout) == (3, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"{hostile / name}: ") and ENDING[name] in line


@pytest.mark.sweep
@pytest.mark.parametrize("name", QUICKLY)
def test_every_door_says_the_same_line_of_what_ends_usd(name: str, hostile: Path) -> None:
    line = f"{hostile / name}: "
    for command in COMMANDS:
        result = call(*command.split(), hostile / name)
        assert (result.exit_code, result.stdout) == (3, ""), command
        (said,) = legible(result)
        assert said.startswith(line) and ENDING[name] in said, command
        line = said
    for function in (physx_schema.check, physx_schema.describe):
        with pytest.raises(UnreadableError) as caught:
            function(hostile / name)
        assert str(caught.value) == line


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "command"), list(zip(SLOWLY, cycle(COMMANDS[1:]), strict=False)))
def test_every_door_gives_up_what_usd_never_ends_reading(name: str, command: str, hostile: Path) -> None:
    result = call(*command.split(), hostile / name)
    assert (result.exit_code, result.stdout) == (3, "")
    (said,) = legible(result)
    assert said.startswith(f"{hostile / name}: {NEVER_ENDS}")


@pytest.mark.sweep
@pytest.mark.parametrize("name", READ)
def test_what_usd_survives_is_read_through_every_door(name: str, hostile: Path) -> None:
    results = {command: call(*command.split(), hostile / name) for command in COMMANDS}
    assert tuple(result.exit_code for result in results.values()) == READ[name]
    refused = [legible(result) for result in results.values() if result.exit_code == 2]
    assert [len(lines) for lines in refused] == [1] * len(refused)
    assert physx_schema.describe(hostile / name).source == str(hostile / name)


@pytest.mark.sweep
@pytest.mark.parametrize("name", READ)
def test_findings_on_what_usd_survives_are_the_same_through_every_door(name: str, hostile: Path) -> None:
    """Code, severity, place and text, by `check` of a path and of an open stage, the command, and USD's validation."""
    opened = by_python(hostile / name)
    assert said_of(physx_schema.check(hostile / name)) == opened
    assert by_command(call("check", "--format", "json", hostile / name).stdout) == [opened]
    assert [item for item in by_usd(hostile / name) if item[0] != NOT_EVALUATED] == opened


def legible(result: Result) -> list[str]:
    """The lines on stderr without those that tell what goes on."""
    return [line for line in result.stderr.splitlines() if ": being " not in line and not line.endswith(" steps")]


@pytest.fixture(scope="session")
def hostile(shared_cases: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All hostile files in one folder, the large ones made."""
    source, folder = shared_cases / "hostile", tmp_path_factory.mktemp("hostile")
    runpy.run_path(str(source / "make_nested.py"))["main"](folder)
    for path in source.glob("*.usd*"):
        (folder / path.name).write_bytes(path.read_bytes())
    return folder
