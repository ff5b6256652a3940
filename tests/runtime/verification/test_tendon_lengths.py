"""Rest lengths, offsets and limits of tendons, and tendons of which a solver reads a number a tenth too large."""

from __future__ import annotations

from typing import Any

import pytest
from physx_runtime.simulation.simulation import Simulation
from physx_runtime.verification import verify
from pxr import Usd
from support.stages.verified_robots import attachment, axis, chain, row_of

# Exact in float64, to the digits that a row keeps.
EXACT = 1e-5
ERROR = 1.1
# Of a planted error of 10 %: stiffness and damping are each divided by a little more when they grow.
SEEN = 0.01
FIXED = {"stiffness": 30.0, "damping": 2.0, "restLength": 0.7, "offset": 0.2, "limitStiffness": 100.0,
         "lowerLimit": -0.3, "upperLimit": 0.5}
AT_ROOT = {"stiffness": 150.0, "damping": 12.0, "offset": 0.3, "limitStiffness": 50.0}
AT_LEAF = {"restLength": 2.0, "lowerLimit": 1.0, "upperLimit": 3.0}
ROWS = {"stiffness": "stiffness", "damping": "damping", "limitStiffness": "limit_stiffness",
        "restLength": "rest_length", "offset": "offset", "lowerLimit": "lower_limit", "upperLimit": "upper_limit"}


def fixed(**more: float) -> Usd.Stage:
    """A slider under a fixed tendon of one axis."""
    return chain(axis(1.5, 0.5, root=True, **(FIXED | more)), iterations=(64, 0))


def spatial(**more: float) -> Usd.Stage:
    """A slider pulled towards the base."""
    leaf = attachment("f", (0.0, 0.0, 0.0), ("base", "r"), leaf=True, **(AT_LEAF | more))
    return chain(((), {}), links={0: leaf}, on_base=attachment("r", (2.0, 0.0, 0.0), **AT_ROOT), iterations=(64, 0))


NUMBERS = [*((fixed, "/Robot/j0", "t", name) for name in FIXED), *((spatial, "/Robot/base", "r", n) for n in AT_ROOT),
           *((spatial, "/Robot/l0", "f", name) for name in AT_LEAF)]
AT_ONCE = ("restLength", "limitStiffness")      # the others, 3 to 7 s each, are in the sweep


@pytest.mark.parametrize("stage", [fixed, spatial])
def test_lengths_come_out_as_authored(stage: Any) -> None:
    rows = [row for row in verify(stage()).rows
            if row.property.rpartition(":")[2] in ("restLength", "offset", "lowerLimit", "upperLimit")
            and row.property.startswith("physxTendon")]
    assert len(rows) == 4
    assert [row.verdict for row in rows] == ["as authored"] * 4
    assert [row.effective for row in rows] == pytest.approx([row.authored for row in rows], rel=EXACT)


def test_a_rest_length_that_stands_for_the_pose_is_no_length_to_measure() -> None:
    row = row_of(verify(spatial(restLength=-1.0)), "physxTendon:f:restLength", "/Robot/l0")
    assert row.verdict == "not evaluated"


@pytest.mark.parametrize(("stage", "path", "instance", "name"), [
    pytest.param(*number, marks=() if number[-1] in AT_ONCE else pytest.mark.sweep) for number in NUMBERS])
def test_a_solver_that_reads_a_number_of_a_tendon_a_tenth_too_large_is_found_out(
        stage: Any, path: str, instance: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    set_row = Simulation.set_row
    wrong = f"_tendon0_{ROWS[name]}"

    def misread(simulation: Simulation, row: str, values: Any, worlds: Any = None) -> None:
        set_row(simulation, row, [ERROR * value for value in values] if row.endswith(wrong) else values, worlds)

    before = row_of(verify(stage()), f"physxTendon:{instance}:{name}", path).effective
    monkeypatch.setattr(Simulation, "set_row", misread)
    after = row_of(verify(stage()), f"physxTendon:{instance}:{name}", path)
    assert after.verdict == "altered"
    assert isinstance(before, float)
    assert after.effective == pytest.approx(ERROR * before, rel=SEEN)
