"""Files appear whole or not at all, and what is no regular file is written to and stays."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from physx_schema.errors import UnsupportedError
from physx_schema.files import replacing, write_text


def test_a_symbolic_link_stays_and_the_file_it_names_holds_the_text(tmp_path: Path) -> None:
    target, link = tmp_path / "kept" / "report.txt", tmp_path / "link.txt"
    target.parent.mkdir()
    target.write_text("old")
    link.symlink_to(target)
    write_text(link, "new\n")
    assert link.is_symlink()
    assert target.read_text() == "new\n"


def test_a_link_to_nowhere_makes_the_file_it_names(tmp_path: Path) -> None:
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "missing.txt")
    write_text(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "missing.txt").read_text() == "new"


def test_a_fifo_stays_and_its_reader_gets_the_text(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_text()), daemon=True)
    reader.start()
    write_text(fifo, "report")
    reader.join(timeout=10)
    assert read == ["report"]
    assert stat.S_ISFIFO(fifo.stat().st_mode)


def test_a_character_device_stays_and_gets_the_text() -> None:
    ours, theirs = os.openpty()
    try:
        write_text(Path(os.ttyname(theirs)), "report")
        assert os.read(ours, 100) == b"report"
        assert stat.S_ISCHR(Path(os.ttyname(theirs)).stat().st_mode)
    finally:
        os.close(ours)
        os.close(theirs)


def test_a_folder_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"cannot be written: Is a directory; use a writable folder"):
        write_text(tmp_path, "report")


def test_a_failed_writing_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), replacing(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert [item.name for item in tmp_path.iterdir()] == ["report.txt"]


def test_a_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.write_text("old")
    path.chmod(0o640)
    write_text(path, "new")
    assert path.stat().st_mode & 0o777 == 0o640
