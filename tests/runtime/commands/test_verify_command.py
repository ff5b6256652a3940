"""`verify` on several files, and its values in a dataset."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.library import call
from support.places import STAGES

from physx_schema.library.columns import VALUE
from physx_schema.library.dataset import Dataset


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
