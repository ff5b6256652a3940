"""`doctor`: what it finds, and that everything wrong comes with what to do."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner
from physx_runtime.compiling.kernel_cache import cache_folder

from physx_schema.cli import doctor_command
from physx_schema.cli.doctor_command import Diagnosis, diagnose
from physx_schema.command_line.program import program


def by_name() -> Mapping[str, Diagnosis]:
    return {item.what: item for item in diagnose()}


def installed(monkeypatch: pytest.MonkeyPatch, **versions: str) -> None:
    sound = doctor_command.version
    named = {name.replace("_", "-"): text for name, text in versions.items()}
    monkeypatch.setattr(doctor_command, "version", lambda name: named[name] if name in named else sound(name))


def test_sound_installation_has_nothing_to_do() -> None:
    assert [item for item in diagnose() if not item.ok and item.what != "cuda"] == []


def test_two_usd_distributions_are_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, usd_core="26.11", usd_exchange="3.0.1")
    assert by_name()["usd"].remedy == (
        "usd-core and usd-exchange overwrite each other's files; pip uninstall usd-core, then "
        "pip install --force-reinstall --no-deps usd-exchange==3.0.1")


@pytest.mark.skipif(not doctor_command.version("usd-core"), reason="USD is not from usd-core, whose version is USD's")
def test_files_of_another_usd_than_installed_are_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, usd_core="25.5")
    assert "pip install --force-reinstall usd-core==25.5" in by_name()["usd"].remedy


def test_pxr_from_elsewhere_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_command, "folder", lambda: Path("/somewhere/pxr"))
    assert "remove the other pxr from PYTHONPATH" in by_name()["usd"].remedy


def test_missing_package_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, numba="")
    assert (by_name()["numba"].state, by_name()["numba"].remedy) == ("missing", "pip install numba")


def test_second_registration_of_the_schemas_is_found() -> None:
    pytest.importorskip("physx_usd_schemas", reason="NVIDIA's schema package is not installed")
    code = ("import physx_usd_schemas; from physx_schema.cli.doctor_command import diagnose; "
            "print([item.remedy for item in diagnose() if item.what == 'registration'])")
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "import physx_schema first" in found.stdout


def test_problems_are_shown_with_what_to_do_and_exit_1(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, numba="")
    result = CliRunner().invoke(program(), ["doctor"])
    lines = [line.strip() for line in result.stdout.splitlines()]
    place = next(index for index, line in enumerate(lines) if line.startswith("numba ") and "PROBLEM: missing" in line)
    assert (result.exit_code, lines[place + 1]) == (1, "do: pip install numba")


def test_diagnosis_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    found = json.loads(CliRunner().invoke(program(), ["doctor", "--json"]).stdout)["diagnoses"]
    assert {"what": "usd", "state": by_name()["usd"].state, "remedy": ""} in found


# --- the machine ---


def driver(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "driver").touch()
    monkeypatch.setattr(doctor_command, "_DRIVERS", (str(tmp_path / "driver"),))


def test_machine_without_a_driver_lacks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_command, "_DRIVERS", ("/none",))
    assert doctor_command.cuda_state("") == ("cuda", "no NVIDIA driver; simulation runs on the CPU", "")


def test_driver_without_nvrtc_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    driver(monkeypatch, tmp_path)
    assert "pip install 'physx-schema[cuda]'" in doctor_command.cuda_state("")[2]


@pytest.mark.parametrize(("trial", "state", "remedy"), [
    ("print('[[\"H200\", [9, 0]]]')", "a kernel ran on H200, compute capability 9.0", False),
    ("raise RuntimeError('no device')", "no kernel runs: RuntimeError: no device", True),
    ("import os; os.abort()", "no kernel runs: the process exited with code", True),
    ("while True: pass", "did not finish", True),
])
def test_cuda_is_tried_in_another_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, trial: str, state: str, remedy: bool,
) -> None:
    driver(monkeypatch, tmp_path)
    monkeypatch.setattr(doctor_command, "_TRIAL", trial)
    monkeypatch.setattr(doctor_command, "_SECONDS", 1)
    found = doctor_command.cuda_state("13.0.88")
    assert state in found[1] and bool(found[2]) == remedy


@pytest.mark.parametrize("set_by", ["PHYSX_RUNTIME_CACHE", "XDG_CACHE_HOME", ""])
def test_kernel_cache_is_the_runtimes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, set_by: str) -> None:
    for name in ("PHYSX_RUNTIME_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    if set_by:
        monkeypatch.setenv(set_by, str(tmp_path))
    assert doctor_command.kernel_cache()[1].startswith(f"{cache_folder()}: ")


def test_cache_that_cannot_be_written_is_a_problem(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("PHYSX_RUNTIME_CACHE", str(tmp_path / "file" / "cache"))
    assert "set PHYSX_RUNTIME_CACHE to a writable folder" in doctor_command.kernel_cache()[2]


def test_cache_that_others_can_write_is_a_problem(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PHYSX_RUNTIME_CACHE", str(tmp_path))
    tmp_path.chmod(0o770)
    assert doctor_command.kernel_cache()[2].startswith(f"chmod go-w {tmp_path}, or set PHYSX_RUNTIME_CACHE")


def test_size_of_a_cache_is_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "a.o").write_bytes(b"x" * 200_000)
    monkeypatch.setenv("PHYSX_RUNTIME_CACHE", str(tmp_path))
    assert ": 1 files, 0.2 MB" in doctor_command.kernel_cache()[1]
