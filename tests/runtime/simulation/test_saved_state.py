"""States of simulations in files: continued with the same bits, and refused where they do not belong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from physx_runtime import DivergenceWarning, Simulation
from support.stages.cart_pole import cart_pole
from support.stages.robots import opened
from support.stages.session_stages import floating
from support.stages.tendon_stages import random_tree

from physx_schema.errors import UnreadableError, UnsupportedError

STAGES = {"cart pole": cart_pole, "floating base": lambda: opened(floating()),
          "tendons": lambda: opened(random_tree(3).text())}


def simulation(name: str = "cart pole", **options: object) -> Simulation:
    return Simulation(STAGES[name](), 5, **options)     # type: ignore[arg-type]


def disturbed(name: str = "cart pole") -> Simulation:
    """Worlds that differ in parameters, efforts and states, after some steps."""
    sim, rng = simulation(name), np.random.default_rng(3)
    names = {"mass", "diagonal_inertia", "center_of_mass"}
    for parameter in sorted(names & sim.parameters.keys()):
        values = sim.parameter(parameter)
        sim.set_parameter(parameter, values * rng.uniform(0.8, 1.2, values.shape) + 0.001)
    sim.set("joint_effort", rng.uniform(-0.2, 0.2, sim.joint_position.shape))
    sim.set("link_force", rng.uniform(-0.1, 0.1, sim.get("link_force").shape))
    sim.step(17)
    return sim


def everything(sim: Simulation) -> dict[str, object]:
    parameters = {name: sim.parameter(name).tobytes() for name in sim.parameters}
    return {**parameters, **{name: values.tobytes() for name, values in sim.state().items()},
            "link_pose": sim.link_pose.tobytes(), "asleep": sim.asleep.tobytes(), "steps": sim.steps_taken,
            "mass matrix": sim.dynamics.mass_matrix().tobytes()}


@pytest.mark.parametrize("name", STAGES)
def test_a_loaded_simulation_goes_on_with_the_same_bits(name: str, tmp_path: Path) -> None:
    before, after = disturbed(name), simulation(name)
    before.save(tmp_path / "state.npz")
    after.load(tmp_path / "state.npz")
    assert everything(after) == everything(before)
    for sim in (before, after):
        sim.step(40)
    assert everything(after) == everything(before)


def test_a_loaded_simulation_is_reset_as_the_saved_one(tmp_path: Path) -> None:
    before, after = disturbed(), simulation()
    before.save(tmp_path / "state.npz")
    after.load(tmp_path / "state.npz")
    for sim in (before, after):
        sim.reset([1, 3])
        sim.step(10)
    assert everything(after) == everything(before)


def test_worlds_that_diverged_stay_so_without_another_warning(tmp_path: Path) -> None:
    before, after = simulation(), simulation()
    before.set("joint_effort", np.full(2, 3e38), [2])
    with pytest.warns(DivergenceWarning):
        before.step(30)
    before.save(tmp_path / "state.npz")
    after.load(tmp_path / "state.npz")
    after.step(5)
    assert after.diverged.tolist() == before.diverged.tolist() and after.diverged[2]


@pytest.mark.parametrize(("options", "what"), (
    ({"dt": 0.01}, "dt"), ({"dtype": "float64"}, "dtype"), ({"solver": "ideal"}, "solver")))
def test_other_settings_are_refused(options: dict[str, object], what: str, tmp_path: Path) -> None:
    disturbed().save(tmp_path / "state.npz")
    after = simulation(**options)
    state = after.joint_position.tobytes()
    with pytest.raises(ValueError, match=rf"state\.npz: the saved simulation has {what} .* and this one has"):
        after.load(tmp_path / "state.npz")
    assert after.joint_position.tobytes() == state


def test_another_robot_and_another_number_of_worlds_are_refused(tmp_path: Path) -> None:
    disturbed().save(tmp_path / "state.npz")
    with pytest.raises(ValueError, match="has robot"):
        simulation("tendons").load(tmp_path / "state.npz")
    with pytest.raises(ValueError, match="has worlds 5, and this one has 2"):
        Simulation(cart_pole(), 2).load(tmp_path / "state.npz")


def test_a_file_of_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("physx_runtime.simulation.saved_state.VERSION", 0)
        disturbed().save(tmp_path / "state.npz")
    with pytest.raises(ValueError, match="has version 0, and this one has 1"):
        simulation().load(tmp_path / "state.npz")


def test_files_that_save_did_not_write_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        simulation().load(path)
    for content in (b"", b"PK\x03\x04", b"text"):
        path.write_bytes(content)
        with pytest.raises(UnreadableError, match="not a state that save wrote"):
            simulation().load(path)
    np.savez(path, q=np.zeros(3))
    with pytest.raises(UnreadableError, match="not a state that save wrote"):
        simulation().load(path)


def test_a_file_that_would_run_code_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    np.savez(path, meta=np.array([{"a": 1}], dtype=object))
    with pytest.raises(UnreadableError, match="allow_pickle"):
        simulation().load(path)


def test_a_damaged_array_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    path, after = tmp_path / "state.npz", simulation()
    disturbed().save(path)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    arrays["row q"] = np.full_like(arrays["row q"], np.nan)
    np.savez(path, **arrays)
    state = everything(after)
    with pytest.raises(UnreadableError, match="the array 'row q' is missing or damaged"):
        after.load(path)
    assert everything(after) == state


def test_a_force_that_waits_for_the_next_step_is_not_lost_silently(tmp_path: Path) -> None:
    sim = simulation()
    sim.apply_force([1.0, 0.0, 0.0], link="/CartPole/cart")
    with pytest.raises(ValueError, match="a force of apply_force waits for the next step; step before saving"):
        sim.save(tmp_path / "state.npz")


def test_a_file_that_cannot_be_written_is_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UnsupportedError, match="cannot be written"):
        simulation().save(tmp_path / "file" / "state.npz")
    with pytest.raises(ValueError, match=r"path is 'state\.txt'; give the path of an \.npz file"):
        simulation().save("state.txt")
