"""Several files are written all or none, wherever the process is killed or the disk refuses."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
from physx_codegen.commit import Writer, commit, recover, writer
from support.strikes import NEED_ROOM, POINTS, Strikes, failing, in_a_process, kill, struck

OLD = {"a.txt": "old a", "sub/b.txt": "old b", "gone.txt": "old gone"}
NEW = {"a.txt": "new a", "sub/b.txt": "new b", "made/c.txt": "new c"}
FAR = 1_000_000         # more operations than any run has


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "state/physx_schema").mkdir(parents=True)       # so that every run takes as many operations
    return laid_out(tmp_path / "work")


def laid_out(folder: Path) -> Path:
    for name, text in OLD.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def anew(folder: Path) -> None:
    """Have the folder hold its old files again, and nothing else."""
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    laid_out(folder)


def held(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def journals(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder.parent / "state/physx_schema").glob("*"))


def write(folder: Path) -> None:
    writers: dict[Path, Writer | None] = {folder / name: writer(text) for name, text in NEW.items()}
    commit(writers | {folder / "gone.txt": None})


def cut_off(folder: Path) -> None:
    """Leave what a run leaves that is killed where all is in place, before it commits by renaming its journal."""
    assert in_a_process(1, lambda: write(folder), ("rename",))[0] and journals(folder) != []


def points(folder: Path) -> int:
    """How many operations writing takes."""
    strikes = Strikes(FAR, kill)
    with struck(strikes):
        write(folder)
    assert held(folder) == NEW
    anew(folder)
    return strikes.count


def test_files_come_and_go_together_and_leave_nothing_beside_them(folder: Path) -> None:
    write(folder)
    assert (held(folder), journals(folder), recover()) == (NEW, [], [])


def test_wherever_the_process_is_killed_the_next_start_finds_all_old_or_all_new(folder: Path) -> None:
    outcomes = []
    for number in range(1, points(folder) + 1):
        killed, _ = in_a_process(number, lambda: write(folder))
        said = recover()
        now = held(folder)
        assert killed and now in (OLD, NEW), number
        assert (journals(folder), recover()) == ([], []), number
        assert all("command was interrupted while it wrote; its changes are undone" in line for line in said)
        assert len(said) <= 1
        outcomes.append(now == NEW)
        anew(folder)
    assert outcomes == sorted(outcomes) and {*outcomes} == {False, True}      # one moment decides


def test_a_start_that_is_killed_while_it_takes_back_leaves_that_to_the_next(folder: Path) -> None:
    count = number = 1
    while number <= count:
        cut_off(folder)
        killed, seen = in_a_process(number, recover)
        count = count + 1 if killed else seen
        recover()
        assert (held(folder), journals(folder)) == (OLD, []), number
        number += 1
    assert number > len(OLD)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_an_error_anywhere_leaves_all_old_and_names_a_file(code: int, folder: Path) -> None:
    outcomes = []
    for number in range(1, points(folder) + 1):
        with struck(Strikes(number, failing(code, once=True))):
            try:
                write(folder)
            except OSError as error:
                assert error.errno == code and str(folder.parent) in error.filename
                assert (held(folder), journals(folder)) == (OLD, []), number
                outcomes.append(False)
            else:
                outcomes.append(True)
        recover()
        assert held(folder) == (NEW if outcomes[-1] else OLD)
        anew(folder)
    assert outcomes.count(False) > len(NEW)


@pytest.mark.parametrize(("code", "names"), [(errno.ENOSPC, NEED_ROOM), (errno.EROFS, POINTS)])
def test_a_disk_that_goes_on_refusing_leaves_all_old_once_it_does_not(
    code: int, names: tuple[str, ...], folder: Path,
) -> None:
    for number in range(1, points(folder) + 1):
        with struck(Strikes(number, failing(code, once=False), names)):
            try:
                write(folder)
            except OSError as error:
                assert error.errno == code
        recover()
        assert held(folder) in (OLD, NEW) and journals(folder) == [], number
        anew(folder)


def test_a_file_system_without_second_names_gets_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    for number in range(1, points(folder) + 1):
        in_a_process(number, lambda: write(folder))
        recover()
        assert held(folder) in (OLD, NEW), number
        anew(folder)


def test_what_was_changed_since_stays_and_is_named(folder: Path) -> None:
    cut_off(folder)
    (folder / "a.txt").write_text("mine")
    (line,) = recover()
    assert held(folder) == {**OLD, "a.txt": "mine"}
    assert f"{folder / 'a.txt'}, which was changed later" in line


def test_what_usd_was_exporting_when_it_was_ended_goes_too(folder: Path) -> None:
    assert in_a_process(1, lambda: write(folder), ("replace",))[0]
    (fresh,) = folder.glob(".a.*.new.txt")
    fresh.with_suffix(".NC7gMI").write_text("half")     # USD writes to such a name and renames
    recover()
    assert held(folder) == OLD


def test_a_folder_that_has_gone_is_no_trouble(folder: Path) -> None:
    cut_off(folder)
    anew(folder)
    (folder / "sub/b.txt").unlink()
    (folder / "sub").rmdir()
    recover()
    assert journals(folder) == []
    assert held(folder) == {name: text for name, text in OLD.items() if name != "sub/b.txt"}


def test_a_folder_that_goes_while_files_are_written_leaves_the_others_old(folder: Path) -> None:
    def without_its_folder(path: Path) -> None:
        (folder / "sub/b.txt").unlink()
        (folder / "sub").rmdir()
        path.write_text("new")

    with pytest.raises(FileNotFoundError) as caught:
        commit({folder / "a.txt": writer("new a"), folder / "sub/b.txt": without_its_folder})
    assert caught.value.filename == str(folder / "sub/b.txt") and journals(folder) == []
    assert held(folder) == {name: text for name, text in OLD.items() if name != "sub/b.txt"}


def test_a_run_that_goes_on_is_left_alone(folder: Path) -> None:
    def look(path: Path) -> None:
        path.write_text("new a")
        assert recover() == []

    commit({folder / "a.txt": look})
    assert held(folder)["a.txt"] == "new a"


def test_what_cannot_be_taken_back_is_said_and_kept_for_another_start(
    folder: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    cut_off(folder)
    with monkeypatch.context() as mend:
        mend.setattr(os, "replace", Strikes(1, failing(errno.EROFS, once=False)).wrapped("replace", os.replace))
        (line,) = recover()
    assert "was interrupted while it wrote this file: Read-only file system; make the file writable, or remove" in line
    assert recover() != [] and held(folder) == OLD


def test_without_a_place_for_the_journal_nothing_is_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "a.txt"))
    with pytest.raises(OSError) as caught:
        write(folder)
    assert caught.value.filename == str(folder / "a.txt/physx_schema") and held(folder) == OLD


def test_a_journal_is_the_users_own(folder: Path) -> None:
    hostile = folder / "physx_schema"
    hostile.mkdir()
    (hostile / "x.begun").write_text(json.dumps({"time": 0, "changes": [[str(folder / "a.txt"), None, None]]}))
    assert recover() == [] and (folder / "a.txt").read_text() == "old a"


def test_links_stay_and_permissions_are_kept(folder: Path) -> None:
    (folder / "a.txt").chmod(0o640)
    (folder / "link.txt").symlink_to(folder / "a.txt")
    commit({folder / "link.txt": writer("new")})
    assert (folder / "link.txt").is_symlink() and (folder / "a.txt").read_text() == "new"
    assert (folder / "a.txt").stat().st_mode & 0o777 == 0o640
