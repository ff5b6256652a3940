"""The summary of a dataset: the newest results of each asset, and what changed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from physx_schema.library.columns import ASSET, FINDING, VALUE
from physx_schema.library.dataset import Dataset
from physx_schema.library.summary import summarise, summary_lines, summary_page, write_summary
from physx_schema.outputs import is_ours

pytest.importorskip("pyarrow")


def add(dataset: Dataset, asset: str, run: int, *rows: dict[str, Any], **values: Any) -> None:
    first = {"asset": asset, "command": "check", "run": str(run), "key": "k", "kind": ASSET, "outcome": "done",
             "started": datetime(2026, 1, run, tzinfo=UTC), **values}
    dataset.add([first, *({**first, **row} for row in rows)])


ERROR = {"kind": FINDING, "code": "value/token", "severity": "error"}
ALTERED = {"kind": VALUE, "property": "drive:angular:physics:stiffness", "verdict": "altered"}


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    dataset = Dataset(tmp_path)
    add(dataset, "<bad>", 1, ERROR, ERROR)
    add(dataset, "<bad>", 2, ERROR, ALTERED)
    add(dataset, "good", 1)
    add(dataset, "hung", 1, outcome="timeout", message="took longer than 1 s")
    dataset.write()
    return dataset


def test_the_newest_result_of_each_asset_counts(dataset: Dataset) -> None:
    assert list(summary_lines(summarise(dataset))) == [
        "3 results: 2 done, 1 timeout",
        "Assets with the most errors:", "  <bad>  1  0",
        "Commonest findings:", "  value/token  1",
        "Values most often altered:", "  drive:angular:physics:stiffness  1",
        "Assets without a result:", "  hung  check  took longer than 1 s",
        "Changes since the run before:", "  <bad>: check: error 2 -> 1, altered 0 -> 1",
    ]


def test_names_of_assets_are_text_on_the_page(dataset: Dataset) -> None:
    text = summary_page(summarise(dataset))
    assert "&lt;bad&gt;" in text and "<bad>" not in text


def test_the_page_lies_in_the_dataset_and_bears_the_mark_of_the_program(dataset: Dataset) -> None:
    list(write_summary(dataset))
    assert is_ours(dataset.folder / "_summary.html")


def test_a_dataset_without_results_has_a_summary(tmp_path: Path) -> None:
    assert list(summary_lines(summarise(Dataset(tmp_path)))) == ["0 results: none"]
