"""A run over assets: losses are rows too, and not repeated under the same limits."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.pool_tasks import act_on

from physx_schema.library.asset_run import Plan, run_assets
from physx_schema.library.columns import ASSET
from physx_schema.library.content import identity
from physx_schema.library.dataset import Dataset
from physx_schema.library.outcomes import Done, Known, Limits, Lost


def test_without_a_dataset_each_asset_has_its_answer() -> None:
    plan = Plan(identity("act", {}))
    assert dict(run_assets(["a", "crash"], act_on, plan)) == {
        "a": Done("A"), "crash": Lost("crashed", "ended its process with SIGSEGV")}


def test_losses_are_rows_and_not_repeated_until_the_limits_change(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")

    def run(seconds: float) -> object:
        plan = Plan(identity("act", {}), limits=Limits(seconds), dataset=Dataset(tmp_path))
        return dict(run_assets(["hang"], act_on, plan))["hang"]
    assert run(1.0) == Lost("timeout", "took longer than 1 s")
    row, = Dataset(tmp_path).rows(kind=ASSET)
    assert (row["asset"], row["outcome"], row["message"]) == ("hang", "timeout", "took longer than 1 s")
    assert run(1.0) == Known(4)
    assert run(1.5) == Lost("timeout", "took longer than 1.5 s")
