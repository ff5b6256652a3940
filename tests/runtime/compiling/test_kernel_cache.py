"""The cache of compiled kernels: damage, other users and full disks make a run slower, never wrong."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from physx_runtime.compiling import kernel_cache
from physx_runtime.compiling.kernel_cache import read_cached, write_cached
from support.places import STAGES

CODE = bytes(range(256))
OTHER_USER = 65534

# Both paths, and what a run shows of the motion.
RUN = """
import logging, sys
logging.basicConfig(format="%(message)s")
from physx_runtime import simulate
for path in ("specialised", "generic"):
    print(simulate(sys.argv[1], steps=20, path=path).joint_position.tobytes().hex())
"""
# A disk without room, as a limit on the size of files.
FULL_DISK = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); " \
            "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PHYSX_RUNTIME_CACHE", str(tmp_path / "kernels"))
    return tmp_path / "kernels"


def run(environment: dict[str, str], before: str = "") -> tuple[str, str]:
    """What a fresh process prints and says."""
    done = subprocess.run([sys.executable, "-c", before + RUN, str(STAGES / "clean_finger.usda")], capture_output=True,
                          text=True, check=False, env=os.environ | environment)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_what_is_kept_is_found_again(folder: Path) -> None:
    write_cached("kernel", CODE)
    assert read_cached("kernel") == CODE
    assert folder.stat().st_mode & 0o777 == 0o700


def test_every_truncation_is_refused(folder: Path) -> None:
    write_cached("kernel", CODE)
    whole = (folder / "kernel").read_bytes()
    for length in range(len(whole)):
        (folder / "kernel").write_bytes(whole[:length])
        assert read_cached("kernel") is None, length


def test_every_flipped_bit_is_refused(folder: Path) -> None:
    write_cached("kernel", CODE)
    whole = (folder / "kernel").read_bytes()
    for bit in range(8 * len(whole)):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        (folder / "kernel").write_bytes(damaged)
        assert read_cached("kernel") is None, bit


def test_a_file_under_another_name_is_refused(folder: Path) -> None:
    write_cached("kernel", CODE)
    (folder / "kernel").rename(folder / "other")
    assert read_cached("other") is None


def test_a_file_of_other_versions_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_cached("kernel", CODE)
    monkeypatch.setattr(kernel_cache, "VERSIONS", "llvmlite 99")
    assert read_cached("kernel") is None


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_a_folder_that_others_can_write_is_refused_and_that_is_said_once(
    folder: Path, mode: int, caplog: pytest.LogCaptureFixture,
) -> None:
    write_cached("kernel", CODE)
    folder.chmod(mode)
    with caplog.at_level(logging.WARNING):
        assert read_cached("kernel") is None
        write_cached("another", CODE)
    assert not (folder / "another").exists()
    assert [record.message for record in caplog.records] == [
        f"kernel cache {folder} is not used, because other users can write to this folder; kernels are compiled again "
        "in every process; set PHYSX_RUNTIME_CACHE to a folder to which only you can write"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("name", ["", "kernel"])
def test_what_belongs_to_another_user_is_refused(folder: Path, name: str) -> None:
    write_cached("kernel", CODE)
    os.chown(folder / name, OTHER_USER, OTHER_USER)
    assert read_cached("kernel") is None


def test_a_folder_that_cannot_be_made_is_said_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
) -> None:
    folder.touch()
    monkeypatch.setenv("PHYSX_RUNTIME_CACHE", str(folder / "below"))
    with caplog.at_level(logging.WARNING):
        write_cached("kernel", CODE)
        write_cached("kernel", CODE)
    assert len(caplog.records) == 1
    assert "cannot be written (Not a directory)" in caplog.records[0].message


def test_threads_that_meet_the_same_folder_at_once_warn_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.touch()
    warnings: list[str] = []
    second = threading.Thread(target=write_cached, args=("kernel", CODE))

    def warning(form: str, *values: object) -> None:
        warnings.append(form % values)
        if len(warnings) == 1:          # the first warning is under way while the second thread meets the folder
            second.start()
            second.join()

    monkeypatch.setattr(kernel_cache.logger, "warning", warning)
    write_cached("kernel", CODE)
    assert len(warnings) == 1


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A filled cache, and what the run that filled it printed."""
    folder = tmp_path_factory.mktemp("sound") / "kernels"
    printed, said = run({"PHYSX_RUNTIME_CACHE": str(folder)})
    assert not said
    return folder, printed


def test_damaged_kernels_are_compiled_anew_and_replaced(sound: tuple[Path, str], tmp_path: Path) -> None:
    folder = shutil.copytree(sound[0], tmp_path / "kernels")
    files = [path for path in sorted(folder.iterdir()) if path.suffix != ".ll"]
    assert {path.suffix for path in files} == {".o", ".pickle", ".txt"}
    for i, path in enumerate(files):
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 16
        path.write_bytes(data if i % 2 else data[:len(data) * 2 // 3])
    printed, said = run({"PHYSX_RUNTIME_CACHE": str(folder)})
    assert printed == sound[1]
    assert [line.partition(" contains")[0] for line in said.splitlines()] == [f"kernel cache {folder}"]
    assert run({"PHYSX_RUNTIME_CACHE": str(folder)}) == (sound[1], "")


def test_a_full_disk_only_slows(sound: tuple[Path, str], tmp_path: Path) -> None:
    printed, said = run({"PHYSX_RUNTIME_CACHE": str(tmp_path / "full")}, FULL_DISK)
    assert printed == sound[1]
    assert said.count("cannot be written (File too large)") == len(said.splitlines()) == 1
    assert not list((tmp_path / "full").iterdir())


def test_a_home_that_cannot_be_written_only_slows(sound: tuple[Path, str], tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.touch()
    printed, said = run({"PHYSX_RUNTIME_CACHE": "", "XDG_CACHE_HOME": "", "NUMBA_CACHE_DIR": "", "HOME": str(home)})
    assert printed == sound[1]
    assert len(said.splitlines()) == 1
