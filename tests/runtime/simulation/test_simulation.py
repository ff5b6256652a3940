"""simulate and Simulation: what they take, what they refuse, what they hand back."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from physx_runtime import Simulation, simulate
from support.places import FINGER, SLIDER

from physx_schema.description import describe
from physx_schema.description.model import Drive
from physx_schema.errors import UnsupportedError

G, DT, N = 9.81, 1 / 60, 32




def test_free_fall_follows_the_closed_form_of_the_substeps() -> None:
    """v = g dt and q = g dt^2 (N + 1) / (2 N) after one step from rest (Euler substeps, summed by hand)."""
    record = simulate(SLIDER, DT, 1, dtype="float64")
    assert abs(record.joint_velocity[1, 0, 0]) == pytest.approx(G * DT, rel=1e-6)
    assert abs(record.joint_position[1, 0, 0]) == pytest.approx(G * DT**2 * (N + 1) / (2 * N), rel=1e-6)


def test_every_world_starts_from_its_own_state() -> None:
    starts = np.random.default_rng(0).uniform(-0.2, 0.2, (37, 3))
    together = simulate(FINGER, DT, 5, worlds=37, joint_position=starts)
    alone = simulate(FINGER, DT, 5, joint_position=starts[36])
    assert np.array_equal(together.joint_position[:, 36], alone.joint_position[:, 0])


def test_recording_every_third_step_picks_from_the_same_motion() -> None:
    whole, picked = simulate(FINGER, DT, 6), simulate(FINGER, DT, 6, every=3)
    assert np.array_equal(whole.link_velocity[::3], picked.link_velocity)
    assert np.array_equal(whole.joint_position[::3], picked.joint_position)


def test_parameters_may_differ_by_world() -> None:
    sim = Simulation(FINGER, worlds=2, dt=DT)
    sim.set("q", [0.3, 0.1, 0.0])
    sim.set("fixed_tendon_stiffness", [[300.0], [0.0]])
    sim.step(10)
    assert np.abs(sim.joint_position[0] - sim.joint_position[1]).max() > 1e-3


def test_a_nan_is_refused() -> None:
    with pytest.raises(ValueError, match="q of world 0 at /World/art/j_l0 is nan"):
        simulate(FINGER, DT, 1, joint_position=[np.nan, 0.0, 0.0])


def test_an_infinite_effort_is_refused() -> None:
    with pytest.raises(ValueError, match="effort of world 0 at /World/art/j_l0 is inf"):
        simulate(FINGER, DT, 1, joint_effort=[np.inf, 0.0, 0.0])


def test_a_wrong_shape_is_refused_with_the_right_one() -> None:
    for argument in ("joint_position", "joint_velocity", "joint_effort"):
        with pytest.raises(ValueError, match=rf"{argument} has shape \(2,\); give \(3,\) or \(1, 3\)"):
            simulate(FINGER, DT, 1, path="generic", **{argument: [0.0, 0.0]})


def test_a_reset_that_is_refused_leaves_all_of_the_state() -> None:
    sim = Simulation(FINGER, worlds=2, path="generic")
    sim.set("q", [0.3, 0.1, 0.0])
    before = sim.joint_position
    for wrong in ({"joint_velocity": [0.0, 1e39, 0.0]}, {"root_pose": [0.0] * 7}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            sim.reset(**wrong)
        assert np.array_equal(sim.joint_position, before)


@pytest.mark.parametrize("count", [-1, 1.5])
def test_a_count_of_steps_that_is_none_is_refused(count: float) -> None:
    with pytest.raises(ValueError, match=f"count is {count}; give a whole number of at least 0"):
        Simulation(FINGER, path="generic").step(count)  # type: ignore[arg-type]


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'stifness' cannot be set in this model; did you mean stiffness"):
        Simulation(FINGER).set("stifness", [0.0])


@pytest.mark.parametrize(("argument", "value", "message"), [
    ("worlds", 0, "worlds is 0"), ("worlds", 2.5, "worlds is 2.5"), ("path", "fast", "allowed are 'auto', 'generic'"),
    ("dt", 0.0, "dt is 0.0"), ("dt", np.inf, "dt is inf"),
    ("device", "gpu", "allowed are 'cpu', 'cuda'"), ("dtype", "float16", "allowed are 'float32', 'float64'"),
    ("solver", "pgs", "allowed are 'physx', 'ideal'"),
])
def test_an_argument_out_of_range_is_refused(argument: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Simulation(SLIDER, **{argument: value})


def test_a_stage_without_bodies_is_refused_with_the_next_step(tmp_path: Path) -> None:
    stage = tmp_path / "empty.usda"
    stage.write_text('#usda 1.0\ndef Xform "World"\n{\n}\n')
    with pytest.raises(UnsupportedError, match=r"empty\.usda: the stage has no rigid body.*apply it to each prim that"):
        simulate(stage)


def test_the_ideal_solver_leaves_a_drive_its_authored_response() -> None:
    """A force drive on one slider is an implicit spring-damper; with many iterations it is the exact oscillator."""
    description = describe(SLIDER)
    articulation = description.articulations[0]
    link = articulation.links[1]
    assert link.joint is not None
    spring = Drive(link.path, "drive:linear:physics:", 100.0, 0.0, 0.0, 0.0, math.inf, False)
    joint = replace(link.joint, dofs=(replace(link.joint.dofs[0], drive=spring),))
    driven = replace(articulation, links=(articulation.links[0], replace(link, joint=joint)))
    still = replace(description.scene, gravity=(0.0, 0.0, 0.0))
    sim = Simulation(replace(description, articulations=(driven,), scene=still), dt=0.01, dtype="float64",
                     solver="ideal")
    sim.set("q", [0.1])
    sim.step(10)
    assert sim.joint_position[0, 0] == pytest.approx(0.1 * math.cos(math.sqrt(100 / link.mass) * 0.1), abs=1e-4)
