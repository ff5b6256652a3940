"""A dataset of results: complete files or none, whatever stops a run."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support.library import call, comparable, make_library

from physx_schema.errors import UnsupportedError
from physx_schema.library import dataset as module
from physx_schema.library.columns import ASSET
from physx_schema.library.dataset import Dataset

pytest.importorskip("pyarrow")

MOMENTS = (0, 1, 10, 30, 55)            # files of results, of 60, when something is killed


def row(asset: str, **values: Any) -> dict[str, Any]:
    return {"asset": asset, "kind": ASSET, "run": "1", "key": "k", "command": "check", "exit_code": 0, **values}


def test_rows_come_back_as_they_were_added(tmp_path: Path) -> None:
    dataset = Dataset(tmp_path)
    dataset.add([row("a", authored=[1.0, 2.0], layers=[{"file": "a", "sha256": "0"}])])
    dataset.write()
    back, = Dataset(tmp_path).rows()
    assert (back["asset"], back["authored"], back["layers"]) == ("a", [1.0, 2.0], [{"file": "a", "sha256": "0"}])
    assert Dataset(tmp_path).known("check") == {"a": {"k": 0}}


def test_a_name_that_is_not_utf_8_is_stored_with_escapes(tmp_path: Path) -> None:
    dataset = Dataset(tmp_path)
    dataset.add([row(os.fsdecode(b"\xff.usda"))])
    dataset.write()
    assert [back["asset"] for back in Dataset(tmp_path).rows()] == [r"\xff.usda"]


def test_another_program_reads_the_files_as_they_are(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    dataset = Dataset(tmp_path)
    dataset.add([row("a"), row("b", exit_code=3)])
    dataset.write()
    assert duckdb.sql(f"SELECT asset FROM '{tmp_path}/*.parquet' WHERE exit_code = 3").fetchall() == [("b",)]


def test_a_full_disk_leaves_no_part_of_a_file_and_is_told_in_a_line(tmp_path: Path,
                                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(module.os, "fsync", full)
    dataset = Dataset(tmp_path)
    dataset.add([row("a")])
    with pytest.raises(UnsupportedError, match="cannot be written: No space left on device"):
        dataset.write()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_damaged_is_named_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "part-0.parquet").write_bytes(b"PAR1")
    with pytest.raises(UnsupportedError, match=r"part-0\.parquet: not a file of results: .*; remove the file"):
        Dataset(tmp_path).known("check")


def test_a_path_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    with pytest.raises(UnsupportedError, match="cannot be written"):
        Dataset(path)


@pytest.mark.parametrize("written", range(5))
def test_a_run_that_a_full_disk_stopped_is_completed_by_the_next(written: int, tmp_path: Path,
                                                                monkeypatch: pytest.MonkeyPatch) -> None:
    make_library(tmp_path / "assets", 6)
    arguments = ("check", tmp_path / "assets", "--jobs", "1", "--results", tmp_path / "results")
    sync, room = os.fsync, iter(range(written))

    def sync_with_room(descriptor: int) -> None:
        if next(room, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(descriptor)
    monkeypatch.setattr(module, "PART_ROWS", 1)
    with monkeypatch.context() as patch:
        patch.setattr(module.os, "fsync", sync_with_room)
        stopped = call(*arguments)
    assert (stopped.exit_code, stopped.stderr.count("\n")) == (2, 1)
    assert stopped.stderr.endswith("cannot be written: No space left on device; use a writable folder with enough "
                                   "space\n")
    assert call(*arguments).exit_code == 3
    call("check", tmp_path / "assets", "--results", tmp_path / "unbroken")
    assert comparable(Dataset(tmp_path / "results")) == comparable(Dataset(tmp_path / "unbroken"))


def run(assets: Path, results: Path, **options: Any) -> subprocess.Popen[bytes]:
    """A run of `check` in a process of its own, which writes a file for every asset."""
    code = ("from physx_schema.library import dataset; dataset.PART_ROWS = 1\n"
            "from physx_schema.command_line.program import main\n"
            "if __name__ == '__main__': main()\n")
    script = results.with_name("run.py")
    script.write_text(code)
    return subprocess.Popen([sys.executable, str(script), "check", str(assets), "--jobs", "2", "--results",
                             str(results)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            start_new_session=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                            **options)


def wait_for(files: int, results: Path) -> None:
    """Wait until a run has written files."""
    while len(list(results.glob("*.parquet"))) < files:
        time.sleep(0.01)


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[tuple[Any, ...]]]:
    """Assets, and the rows of a run that nothing stopped."""
    folder = tmp_path_factory.mktemp("library")
    make_library(folder / "assets", 60)
    call("check", folder / "assets", "--results", folder / "results")
    return folder / "assets", comparable(Dataset(folder / "results"))


@pytest.mark.sweep
@pytest.mark.parametrize("files", MOMENTS)
def test_a_run_that_was_killed_is_completed_by_the_next(files: int, tmp_path: Path,
                                                       unbroken: tuple[Path, list[tuple[Any, ...]]]) -> None:
    assets, rows = unbroken
    killed = run(assets, tmp_path / "results")
    wait_for(files, tmp_path / "results")
    killed.kill()
    killed.wait()
    assert run(assets, tmp_path / "results").wait() == 3
    assert comparable(Dataset(tmp_path / "results")) == rows


@pytest.mark.sweep
@pytest.mark.parametrize("files", MOMENTS)
def test_a_run_goes_on_without_a_worker_that_was_killed(files: int, tmp_path: Path,
                                                       unbroken: tuple[Path, list[tuple[Any, ...]]]) -> None:
    assets, rows = unbroken
    running = run(assets, tmp_path / "results")
    wait_for(files, tmp_path / "results")
    children = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
    for child in children[:1]:
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
            os.kill(int(child), signal.SIGKILL)
    assert running.wait() == 3
    assert comparable(Dataset(tmp_path / "results")) == rows
