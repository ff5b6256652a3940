"""Commands of one file on many files."""

from __future__ import annotations

from pathlib import Path

from support.library import call, make_library


def test_the_output_for_many_files_is_that_of_each_in_turn(tmp_path: Path) -> None:
    paths = make_library(tmp_path, 5)
    alone = [call("describe", path) for path in paths]
    for jobs in ("1", "2"):
        together = call("describe", tmp_path, "--jobs", jobs)
        assert together.stdout == "".join(result.stdout for result in alone)
        assert together.stderr == "".join(result.stderr for result in alone)
        assert together.exit_code == 3


def test_an_option_for_one_file_is_refused_for_many(tmp_path: Path) -> None:
    make_library(tmp_path, 2)
    result = call("verify", tmp_path, "--in-place", "--fix")
    assert (result.exit_code, "--fix works only with one file" in result.stderr) == (2, True)


def test_reports_of_many_files_need_a_folder(tmp_path: Path) -> None:
    make_library(tmp_path, 2)
    result = call("report", tmp_path, "-o", tmp_path / "page.html")
    assert (result.exit_code, "for several stages give a folder" in result.stderr) == (2, True)
