"""Kernels of traced functions: where their numbers come from and go, whatever the sizes."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime import Simulation
from physx_runtime.compiling.llvm.vectors import LONG_LINE
from physx_runtime.language.ops import Rows
from physx_runtime.model.topology import Topology
from physx_runtime.quantities import state as quantities
from physx_runtime.quantities.state import ArrayLines, WorldQuantities, lines_of
from support.places import FINGER

WORLDS = 37     # neither a multiple of any register's worlds nor of any block's
UNTOUCHED = 7.0
CHOSEN = np.array([36, 0, 5, 17, 16, 15, 33])


def backwards(t: Topology, rows: Rows) -> Rows:
    """A given line from its end to its beginning."""
    return {"values": list(rows["line"])[::-1]}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [0, 1, 3, 7, 8, 9, 15, 16, 17, 40, LONG_LINE + 1])
def test_lines_of_any_length_are_read_and_written_whole_and_no_others(size: int, dtype: str) -> None:
    sim = Simulation(FINGER, worlds=WORLDS, dtype=dtype)
    given = np.random.default_rng(size).normal(size=(len(CHOSEN), size)).astype(dtype)
    out = np.full((WORLDS + 2, size), UNTOUCHED, dtype)
    lines = CHOSEN + 1
    target = ArrayLines(out, lines_of(out).starts[lines])
    WorldQuantities(sim.topology).run(backwards, sim.store, CHOSEN, {"line": given}, {"values": target})
    assert np.array_equal(out[lines], given[:, ::-1])
    assert (np.delete(out, lines, axis=0) == UNTOUCHED).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_world_has_the_same_bits_whether_others_share_its_parameters(dtype: str) -> None:
    random = np.random.default_rng(3)
    sim = Simulation(FINGER, worlds=WORLDS, dtype=dtype)
    sim.reset(joint_position=random.uniform(-1.0, 1.0, (WORLDS, 3)),
              joint_velocity=random.uniform(-2.0, 2.0, (WORLDS, 3)))
    batch, worlds, results = WorldQuantities(sim.topology), np.arange(WORLDS), []
    for _ in range(2):
        results.append([batch.values(quantity, sim.store, worlds, {})["values"]
                        for quantity in (quantities.jacobian, quantities.mass_without_armature, quantities.bias_force)])
        masses = sim.parameter("mass")
        masses[4] *= 2.0        # now parameters are read world by world
        sim.set_parameter("mass", masses)
    for shared, apart in zip(*results, strict=True):
        others = worlds != 4
        assert np.array_equal(shared[others], apart[others])
    assert not np.array_equal(results[0][1][4], results[1][1][4])
