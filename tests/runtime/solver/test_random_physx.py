"""Random articulations move as in real PhysX: every feature of the step at once, fixed and floating."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from physx_runtime import Simulation, dump_step
from support.chance.articulations import Features, random_articulation
from support.physx.random_motions import (
    BATCH,
    FAMILIES,
)
from support.physx.random_motions import (
    compare as compare_family,
)

from physx_schema.description import describe

# Share of the seeds of a family within their bar, and how far beyond it one without an explanation may be: every rule
# that was missing showed at 2.7 times the bar or more.
SHARE, UNEXPLAINED = 0.98, 2.0

# Seeds beyond their bar, how far, and why.
EXPLAINED = {
    1084: "1.2: it falls 4.9 m with a spatial tendon, whose length PhysX takes from world positions, there rounded to "
          "2.4e-7. In float64 it parts as well (4.5e-6 against a bar of 5.5e-6); without gravity the error is 2.3e-6, "
          "without the tendon 1.8e-6.",
    2025: "1.5: a slider rests on its limit, on an arm that turns. Its travel is a difference of link positions, "
          "rounded to 6e-8 and divided by the substep of 5e-4 s: from step 11 on every velocity is off by up to 2e-4 "
          "in PhysX and here alike (from PhysX's own state float64 parts as far in one step as float32).",
    2086: "2.5: an axis of a generic joint rests on its limit. In step 30 float32 rounding decides, in the velocity "
          "iterations, whether it keeps v or v cfm / (r + cfm), 0.016 rad/s apart. In float64 all 60 steps agree to "
          "1e-5.",
}


@pytest.mark.sweep
@pytest.mark.parametrize("first", FAMILIES)
def test_random_articulations_move_as_in_physx(first: int, oracle_folder: Path, tmp_path: Path) -> None:
    count, features = FAMILIES[first]
    rows = [row for start in range(first, first + count, BATCH)
            for row in compare_family(range(start, min(start + BATCH, first + count)), features, tmp_path)]
    assert len(rows) > 0.8 * count
    beyond = [row for row in rows if not row.ratio <= 1.0]
    unknown = [row for row in beyond if row.ratio > UNEXPLAINED and row.seed not in EXPLAINED]
    assert not unknown, "\n\n".join(row.dump() for row in unknown)
    assert len(beyond) <= (1.0 - SHARE) * len(rows), "\n\n".join(row.dump() for row in beyond)


def test_the_table_of_explained_seeds_leaves_the_share_of_all() -> None:
    assert len(EXPLAINED) <= (1.0 - SHARE) * sum(count for count, _ in FAMILIES.values())


def test_a_dump_shows_the_step_in_which_two_engines_part(tmp_path: Path) -> None:
    path = tmp_path / "tree.usda"
    art = random_articulation(9, Features())
    path.write_text(art.text)
    description = describe(path)
    sim = Simulation(description, dtype="float64")
    iterations = sim.settings.position_iterations
    reported = {"joint_position": np.zeros(len(sim.topology.dofs))}
    start = {name: sim.get(name) for name in sim.model.state}
    text = dump_step(sim, reported=reported)
    for part in ("tau coriolis", "start clamp", "Coriolis and damping", f"iteration {iterations}:", "end: link_pose"):
        assert part in text, part
    assert all(np.array_equal(sim.get(name), values) for name, values in start.items())
    ended = [line for line in text.split("end: joint_position")[1].splitlines()[1:] if line.startswith("  /World")]
    sim.step()
    own = [float(line.split("(")[1].split(")")[0]) for line in ended[:len(sim.topology.dofs)]]
    assert np.allclose(own, sim.joint_position[0], atol=1e-5)
    q = [float(line.split()[-1]) for line in text.split("end: v, q")[1].splitlines()[1:len(own) + 1]]
    assert np.allclose(q, sim.joint_position[0], rtol=0, atol=1e-11)
