"""Commands of one file on many files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.library import call, make_library
from support.places import STAGES

from physx_schema.library.columns import VALUE
from physx_schema.library.dataset import Dataset


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


def test_measured_values_are_rows_of_the_dataset(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "finger.usda"
    shutil.copy(STAGES / "clean_finger.usda", path)
    alone = call("verify", path)
    recorded = call("verify", path, "--results", tmp_path / "results")
    assert (recorded.stdout, recorded.exit_code) == (alone.stdout, alone.exit_code)
    stiffness, = (row for row in Dataset(tmp_path / "results").rows(kind=VALUE)
                  if row["property"] == "drive:angular:physics:stiffness")
    assert stiffness["authored"] and stiffness["effective"] and stiffness["verdict"]
