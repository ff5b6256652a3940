"""The kinds of hostile input, and how many cases of each the quick tests, the sweep and a campaign run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from support.fuzzing import crates, definitions, direct_buffers, schema_layers, session_edits, stages


@dataclass(frozen=True)
class Target:
    """What is drawn, what has to hold of it, and counts of cases that take about as long as those of other kinds."""

    cases: SearchStrategy[Any]
    hold: Callable[[Any], None]
    quick: int
    sweep: int
    campaign: int
    guided: int = 0                 # texts that the sweep draws by what they reach; 0 where cases are no texts
    words: tuple[str, ...] = ()     # of such texts


TARGETS = {
    "definitions": Target(definitions.CASES, definitions.hold, 60, 900, 30_000, 1000, definitions.PIECES),
    "schema_layers": Target(schema_layers.CASES, schema_layers.hold, 60, 900, 30_000, 400, schema_layers.PIECES),
    "stages": Target(stages.CASES, stages.hold, 10, 60, 5_000, 60, stages.PIECES),
    "crates": Target(crates.CASES, crates.hold, 10, 60, 10_000),
    "session_edits": Target(session_edits.CASES, session_edits.hold, 6, 50, 5_000),
    "direct_buffers": Target(direct_buffers.CASES, direct_buffers.hold, 40, 400, 20_000),
}


def run(name: str, number: int, count: int, watch: Callable[[Any], object] = lambda case: None) -> None:
    """Run `count` cases of a kind that follow from a seed; `watch` is told each first. Raises what is wrong."""
    target = TARGETS[name]

    @seed(number)
    @settings(max_examples=count, database=None, deadline=None, phases=(Phase.generate, Phase.shrink),
              suppress_health_check=list(HealthCheck))
    @given(target.cases)
    def each(case: Any) -> None:
        watch(case)
        target.hold(case)
    each()
