"""Which path a structure takes, and that a run takes one and the same all along."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from physx_runtime import Simulation, simulate
from physx_runtime.model.island import IslandTopology
from physx_runtime.model.topology import BodyTopology
from physx_runtime.solver.program import step_program
from physx_runtime.worlds.choice import MAX_OPERATIONS, choose_path, expected_operations
from physx_runtime.worlds.cpu import SwitchingWorlds
from support.chance.packed_models import packed_robot, random_tree
from support.places import FINGER

from physx_schema.errors import UnsupportedError


@pytest.mark.parametrize("links", [4, 12])
@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("kinds", ["r", "rps"])
def test_the_expected_number_of_operations_is_near_the_traced_one(links: int, floating: bool, kinds: str) -> None:
    t, _ = random_tree(1, links, floating, kinds)
    program = step_program(t)
    traced = max(program[name].code.operations for name in ("start", "position", "end"))
    assert 1 / 1.6 < expected_operations(t) / traced < 1.6


@pytest.mark.parametrize(("robot", "velocities"), [("hand", 22), ("humanoid", 27)])
def test_hands_and_humanoids_take_the_specialised_path(robot: str, velocities: int) -> None:
    t, _ = packed_robot(robot)
    assert t.nv == velocities
    assert choose_path(t, "cpu", "auto").path == "specialised"


def test_a_tree_over_the_budget_takes_the_generic_path_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    t, _ = random_tree(1, 30, kinds="r")
    with caplog.at_level(logging.INFO, "physx_runtime"):
        assert choose_path(t, "cpu", "auto").path == "generic"
    assert f"generic path, over the budget of {MAX_OPERATIONS}" in caplog.text


def test_a_small_tree_takes_the_specialised_path() -> None:
    assert choose_path(random_tree(1, 7, kinds="r")[0], "cpu", "auto").path == "specialised"


def test_a_gpu_takes_the_generic_path_for_a_tree_over_its_budget() -> None:
    assert [choose_path(random_tree(1, links, kinds="r")[0], "cuda", "auto").path for links in (7, 40)] == [
        "specialised", "generic"]


def test_a_gpu_hands_nothing_over() -> None:
    with pytest.raises(UnsupportedError, match="path 'handover' runs on the CPU only"):
        choose_path(random_tree(1, 40, kinds="r")[0], "cuda", "handover")


def test_an_unknown_path_is_refused() -> None:
    with pytest.raises(ValueError, match="path is 'fast'; allowed are 'auto', 'generic', 'specialised', 'handover'"):
        Simulation(FINGER, path="fast")


def test_a_simulation_names_its_path() -> None:
    assert [Simulation(FINGER, path=path).path for path in ("auto", "generic")] == ["specialised", "generic"]


def test_a_run_takes_one_path_and_both_agree() -> None:
    start = [0.3, 0.1, 0.0]
    generic_run, own = (simulate(FINGER, steps=30, joint_position=start, dtype="float64", path=path)
                        for path in ("generic", "specialised"))
    assert np.abs(generic_run.joint_position - own.joint_position).max() < 1e-10
    again = simulate(FINGER, steps=30, joint_position=start, dtype="float64", path="generic")
    assert np.array_equal(generic_run.joint_position, again.joint_position)


def test_a_handover_keeps_state_and_parameters() -> None:
    sim, own = Simulation(FINGER, worlds=3, path="handover"), Simulation(FINGER, worlds=3, path="specialised")
    for each in (sim, own):
        each.set("q", [[0.3, 0.1, 0.0], [0.1, 0.2, 0.0], [0.0, 0.0, 0.1]])
        each.set_parameter("fixed_tendon_stiffness", [[100.0], [200.0], [300.0]])
    store = sim.store
    assert isinstance(store, SwitchingWorlds)
    sim.step()
    own.step()
    store.switch()
    assert sim.path == "specialised"
    sim.step(5)
    own.step(5)
    assert np.abs(sim.joint_position - own.joint_position).max() < 1e-6
    assert np.array_equal(sim.parameter("fixed_tendon_stiffness"), own.parameter("fixed_tendon_stiffness"))


def test_joints_outside_articulations_take_the_generic_path_on_every_device() -> None:
    t = IslandTopology((BodyTopology(True),), ())
    assert [choose_path(t, device, "auto").path for device in ("cpu", "cuda")] == ["generic", "generic"]
