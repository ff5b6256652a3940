"""The files that arguments name, and their parts."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.library import call, make_library

from physx_schema.command_line.assets import AssetOptions, gravest, listed


def test_every_file_is_in_one_of_the_shards(tmp_path: Path) -> None:
    paths = [str(path) for path in make_library(tmp_path, 10)]
    parts = [listed([str(tmp_path)], AssetOptions(shard=(number, 4))) for number in range(1, 5)]
    assert sorted(path for part in parts for path in part) == paths


def test_a_file_that_is_named_twice_is_listed_once(tmp_path: Path) -> None:
    path = str(make_library(tmp_path, 1)[0])
    assert listed([path, str(tmp_path), path], AssetOptions()) == [path]


@pytest.mark.parametrize("text", ("0/4", "5/4", "4", "a/b", "1/0", "-1/4"))
def test_a_shard_that_does_not_exist_is_refused(text: str, tmp_path: Path) -> None:
    result = call("check", str(tmp_path), "--shard", text)
    assert result.exit_code == 2
    assert "is not a part such as 3/64; the first of 64 parts is 1/64, the last is 64/64" in result.stderr


def test_a_summary_requires_results(tmp_path: Path) -> None:
    result = call("check", str(tmp_path), "--summary")
    assert (result.exit_code, "--summary requires --results" in result.stderr) == (2, True)


def test_few_files_need_no_worker_process_unless_one_is_asked_for() -> None:
    assert AssetOptions().workers(3, 16) == 0
    assert AssetOptions(jobs=1).workers(3, 16) == 1
    assert AssetOptions(results=Path("results")).workers(1, 16) == 1
    assert AssetOptions(jobs=8).workers(3, 16) == 3


def test_an_internal_error_is_graver_than_an_unreadable_file() -> None:
    assert [gravest(0, 1, 3, 4), gravest(0, 1, 3), gravest(0, 5, 1), gravest(0)] == [4, 3, 1, 0]
