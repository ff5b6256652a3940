"""Damaged stages are described and checked without an exception (run by `make sweep`)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pxr import Sdf, Usd
from support.chance.damage import damage

from physx_schema.checking import check
from physx_schema.description import describe

pytestmark = pytest.mark.sweep

SEEDS = 12
DAMAGES = 6


@pytest.mark.parametrize("seed", range(SEEDS))
def test_damaged_stages_are_described_and_checked(case_stages: list[Path], seed: int) -> None:
    rng = random.Random(seed)
    for path in case_stages:
        layer = Sdf.Layer.CreateAnonymous(".usda")
        layer.TransferContent(Sdf.Layer.FindOrOpen(str(path)))
        stage = Usd.Stage.Open(layer)
        for _ in range(DAMAGES):
            damage(stage, rng)
        report = check(stage)
        assert not [item for item in report.findings if item.code.startswith("rule-failed")], path
        authored = {f"{item.path}.{item.property}" for item in describe(stage).authored}
        settled = {f"{item.path}.{item.property}" for item in (*report.unused, *report.not_evaluated)}
        assert authored <= describe(stage).consumed | settled
