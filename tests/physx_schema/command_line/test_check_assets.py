"""Checks of many files in worker processes, and their results in a dataset."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.library import call, comparable, make_library

from physx_schema.library.columns import ASSET, FINDING
from physx_schema.library.dataset import Dataset


def test_the_output_is_the_same_for_any_number_of_workers(tmp_path: Path) -> None:
    make_library(tmp_path, 9)
    alone, *others = (call("check", tmp_path, *options) for options in ((), ("--jobs", "1"), ("--jobs", "3")))
    assert alone.exit_code == 3
    for other in others:
        assert (other.exit_code, other.stdout, other.stderr) == (alone.exit_code, alone.stdout, alone.stderr)


def test_a_check_out_of_time_is_told_in_a_line_beside_the_others(tmp_path: Path) -> None:
    path, = make_library(tmp_path, 1)
    result = call("check", path, "--time-limit", "0.000001")
    assert (result.exit_code, result.stderr) == (4, f"{path}: the check took longer than 1e-06 s\n")


def test_results_have_a_row_for_each_asset_and_finding(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    clean, faulty, unreadable = make_library(tmp_path / "assets", 3)
    result = call("check", tmp_path / "assets", "--results", tmp_path / "results")
    dataset = Dataset(tmp_path / "results")
    assets = {row["asset"]: (row["outcome"], row["exit_code"]) for row in dataset.rows(kind=ASSET)}
    assert assets == {str(clean): ("done", 0), str(faulty): ("done", 1), str(unreadable): ("unreadable", 3)}
    assert [(row["asset"], row["code"], row["property"]) for row in dataset.rows(kind=FINDING)] == [
        (str(faulty), "value/token", "drive:angular:physics:type")]
    assert result.exit_code == 3


def test_assets_with_results_are_left_out_and_keep_their_exit_code(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    make_library(tmp_path / "assets", 6)
    arguments = ("check", tmp_path / "assets", "--results", tmp_path / "results")
    first, rows = call(*arguments), comparable(Dataset(tmp_path / "results"))
    again = call(*arguments)
    assert (again.exit_code, again.stdout) == (first.exit_code, "")
    assert again.stderr == (f"{tmp_path / 'results'}: has results of 6 files with the same layers, settings and "
                            "versions; --force repeats them\n")
    assert comparable(Dataset(tmp_path / "results")) == rows


def test_force_repeats_assets_with_results(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    make_library(tmp_path / "assets", 2)
    arguments = ("check", tmp_path / "assets", "--results", tmp_path / "results")
    first = call(*arguments)
    assert call(*arguments, "--force").stdout == first.stdout


def test_an_asset_is_checked_again_after_a_change_of_any_of_its_layers(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    part, = make_library(tmp_path / "parts", 1)
    whole = tmp_path / "whole.usda"
    whole.write_text(f"#usda 1.0\n( subLayers = [@{part}@] )\n")
    arguments = ("check", whole, "--results", tmp_path / "results")
    call(*arguments)
    assert call(*arguments).stdout == ""
    part.write_text(part.read_text() + "# changed\n")
    assert call(*arguments).stdout != ""


def test_an_asset_is_checked_again_under_other_settings(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path, = make_library(tmp_path, 1)
    call("check", path, "--results", tmp_path / "results")
    assert call("check", path, "--results", tmp_path / "results", "--profile", "newton").stdout != ""


def test_results_keep_no_baseline(tmp_path: Path) -> None:
    result = call("check", tmp_path, "--results", tmp_path / "results", "--baseline", tmp_path / "known.json")
    assert "--results keeps all findings; remove --baseline and --write-baseline" in result.stderr


@pytest.mark.parametrize("options", (("--jobs", "2"), ("--time-limit", "9"), ("--results", "results")))
def test_repairs_ignore_no_option_of_worker_processes(options: tuple[str, str], tmp_path: Path) -> None:
    result = call("check", tmp_path, "--fix", *options)
    assert (result.exit_code, "--fix works only with" in result.stderr) == (2, True)
