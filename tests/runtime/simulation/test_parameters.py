"""Worlds with parameters, states and fates of their own: none feels what runs beside it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import DivergenceWarning, Simulation
from support.chance.articulations import Features, random_articulation
from support.places import FINGER, MOTIONS
from support.stages.varied_stages import bits, varied

DT = 1 / 60
MIMIC, SPATIAL = (MOTIONS / name / "stage.usda" for name in ("mimic_hard", "spatial_tendon_chain"))
# Every feature at once.
RICH: dict[str, Any] = {"links": (4, 6), "drive": 0.7, "limit": 0.6, "friction": 0.6, "armature": 0.6,
                        "max_velocity": 0.3, "fixed_tendon": 1.0, "spatial_tendon": 1.0, "mimic": 1.0}
DTYPES = ("float32", "float64")
# Position error in float32, rad or length; and how often PhysX starts from a neighbouring state.
FLOAT32, NUDGES = 5e-6, 4


def rich(folder: Path, seed: int, floating: bool) -> tuple[Path, Path]:
    """Two stages of a random articulation with every feature, alike but for their numbers."""
    first = folder / "first.usda"
    first.write_text(random_articulation(seed, Features(floating=floating, **RICH)).text)
    return first, varied(first, folder / "second.usda", seed)


def randomize(sim: Simulation, seed: int) -> None:
    """Parameters, states and efforts of every world drawn at random."""
    random, worlds, dofs = np.random.default_rng(seed), sim.worlds, len(sim.topology.dofs)
    for name in ("mass", "diagonal_inertia", "center_of_mass", "armature", "fixed_tendon_stiffness", "mimic_offset",
                 "spatial_tendon_gearing"):
        values = sim.parameter(name)
        sim.set_parameter(name, values * random.uniform(0.8, 1.2, values.shape))
    sim.reset(joint_position=random.uniform(-0.2, 0.2, (worlds, dofs)),
              joint_velocity=random.uniform(-1, 1, (worlds, dofs)))
    sim.set("joint_effort", random.uniform(-1, 1, (worlds, dofs)))


def moved_to(source: Simulation, target: Simulation, places: NDArray[np.int64]) -> None:
    """Give the worlds of `target` at `places` all that the worlds of `source` have."""
    target.set_parameters({name: source.parameter(name) for name in source.parameters}, places)
    for name in (*source.model.state, "joint_effort"):
        target.set(name, source.get(name), places)


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_set_parameters_are_those_of_a_stage_that_authors_them(tmp_path: Path, floating: bool, dtype: str) -> None:
    """Bitwise in float32; in float64 principal moments come back from an inertia with their rounding."""
    for seed in (0, 4):
        first, second = rich(tmp_path, seed, floating)
        sim, authored = Simulation(first, 3, dt=DT, dtype=dtype), Simulation(second, dt=DT, dtype=dtype)
        names = sorted(sim.parameters, reverse=seed > 0)        # in any order
        sim.set_parameters({name: authored.parameter(name)[0] for name in names}, [1])
        sim.reset()
        sim.step(20)
        authored.step(20)
        for row, values in authored.state().items():
            if dtype == "float32":
                assert bits(sim.get(row)[1]) == bits(values[0]), row
            assert np.abs(sim.get(row)[1] - values[0]).max() < 1e-12
        assert np.abs(sim.link_pose[1] - authored.link_pose[0]).max() < 5e-7
        assert np.abs(sim.joint_position[0] - authored.joint_position[0]).max() > 1e-3


def test_a_parameter_reads_as_authored_on_the_stage(tmp_path: Path) -> None:
    from pxr import Usd

    first, _ = rich(tmp_path, 4, True)
    sim, stage = Simulation(first), Usd.Stage.Open(str(first))
    for i, link in enumerate(sim.model.link_names):
        prim = stage.GetPrimAtPath(link)
        assert sim.parameter("mass")[0, i] == prim.GetAttribute("physics:mass").Get()
        center, moments = (prim.GetAttribute(f"physics:{x}").Get() for x in ("centerOfMass", "diagonalInertia"))
        assert sim.parameter("center_of_mass")[0, i] == pytest.approx(tuple(center))
        assert sim.parameter("diagonal_inertia")[0, i] == pytest.approx(tuple(moments), rel=1e-6)


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_bits_do_not_depend_on_batch_size_position_or_neighbours(tmp_path: Path, floating: bool, dtype: str) -> None:
    first, _ = rich(tmp_path, 4, floating)
    alone = Simulation(first, 5, dt=DT, dtype=dtype)
    randomize(alone, 1)
    for seed, worlds in ((0, 5), (1, 37), (2, 64), (3, 101)):
        crowd = Simulation(first, worlds, dt=DT, dtype=dtype)
        randomize(crowd, 100 + seed)
        places = np.random.default_rng(seed).permutation(worlds)[:5]
        moved_to(alone, crowd, places)
        apart = Simulation(first, 5, dt=DT, dtype=dtype)
        moved_to(alone, apart, np.arange(5))
        apart.step(12)
        for _ in range(3):
            crowd.step(4)
        for row, values in apart.state().items():
            assert bits(crowd.get(row)[places]) == bits(values), (row, worlds)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("floating", [False, True])
def test_a_world_that_diverges_is_frozen_flagged_and_said_once(tmp_path: Path, dtype: str, floating: bool) -> None:
    first, _ = rich(tmp_path, 4, floating)
    sound, broken = (Simulation(first, 21, dt=DT, dtype=dtype) for _ in range(2))
    for sim in (sound, broken):
        randomize(sim, 7)
    broken.set("joint_effort", np.full(broken.get("joint_effort").shape[1], 3e38 if dtype == "float32" else 1e300), [6])
    start = {row: values[6] for row, values in broken.state().items()}
    with pytest.warns(DivergenceWarning, match=r"1 of 21 worlds diverged \(world 6\)") as said:
        broken.step(5)
        broken.step(5)
        assert np.flatnonzero(broken.diverged).tolist() == [6]
    assert len(said) == 1
    sound.step(10)
    others = np.arange(21) != 6
    # the cause is gone, the world stays
    broken.set("joint_effort", np.zeros(broken.get("joint_effort").shape[1]), [6])
    broken.step()
    sound.step()
    for row, values in sound.state().items():
        assert bits(broken.get(row)[others]) == bits(values[others]), row
        assert bits(broken.get(row)[6]) == bits(start[row]), row


def test_a_world_that_diverged_lives_again_after_a_reset() -> None:
    sim = Simulation(FINGER, 3, dt=DT)
    sim.set("v", [1e30] * 3, [1])
    with pytest.warns(DivergenceWarning):
        sim.step()
    sim.reset(sim.diverged)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.step(4)
    fresh = Simulation(FINGER, dt=DT)
    fresh.step(4)
    assert not sim.diverged.any()
    assert bits(sim.joint_position[1]) == bits(fresh.joint_position[0])


def test_a_reset_by_mask_leaves_other_worlds_alone() -> None:
    sim, other = Simulation(FINGER, 4, dt=DT), Simulation(FINGER, 4, dt=DT)
    for s in (sim, other):
        s.set("joint_effort", np.arange(12.0).reshape(4, 3))
        s.step(5)
    sim.reset([False, True, False, True], joint_position=[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    assert sim.joint_position[[1, 3]].tolist() == np.float32([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]).tolist()
    assert not sim.joint_velocity[[1, 3]].any()
    assert bits(sim.joint_position[[0, 2]]) == bits(other.joint_position[[0, 2]])
    sim.step()
    other.step()
    assert bits(sim.joint_position[[0, 2]]) == bits(other.joint_position[[0, 2]])


@pytest.mark.parametrize(("change", "message"), [
    ({"root_pose": [0.0] * 7}, "zero quaternion; give a position, then a quaternion x y z w"),
    ({"root_velocity": [0.0] * 5 + [1e39]}, "give finite numbers"),
])
def test_a_reset_that_is_refused_changes_nothing(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = tmp_path / "floating.usda"
    path.write_text(random_articulation(3, Features(links=(2, 2), floating=True, prismatic=0.0, fixed=0.0)).text)
    sim = Simulation(path, worlds=2)
    sim.step()
    before = sim.state()
    with pytest.raises(ValueError, match=message):
        sim.reset(joint_position=[0.5, 0.5], **change)
    assert all(np.array_equal(values, before[name]) for name, values in sim.state().items())


def test_a_reset_places_the_root_link_of_a_floating_base_where_asked(tmp_path: Path) -> None:
    first, _ = rich(tmp_path, 4, True)
    sim = Simulation(first, 3)
    sim.set_parameter("center_of_mass", 0.05, [2])
    pose, twist = [1.0, 2.0, 3.0, 0.0, 0.6, 0.0, 0.8], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    sim.reset([0, 2], root_pose=pose, root_velocity=twist)
    for world in (0, 2):
        assert sim.link_pose[world, 0] == pytest.approx(pose, abs=1e-6)
        assert sim.get("v")[world, :6] == pytest.approx(twist)
    assert sim.link_pose[1] == pytest.approx(Simulation(first).link_pose[0])


def test_links_stay_where_they_are_when_a_centre_of_mass_moves(tmp_path: Path) -> None:
    first, _ = rich(tmp_path, 4, True)
    sim = Simulation(first, 2, dtype="float64")
    sim.step(10)
    before = sim.link_pose
    sim.set_parameter("center_of_mass", sim.parameter("center_of_mass") + 0.03)
    assert sim.link_pose == pytest.approx(before, abs=1e-12)


def test_randomize_makes_a_parameter_count_that_the_stage_does_not_author() -> None:
    sim = Simulation(FINGER, 2, dt=DT, randomize=("static_friction", "stiffness"))
    sim.set_parameter("static_friction", 1e4, [1])
    sim.reset(joint_velocity=[1.0, 0.0, 0.0])
    sim.step()
    plain = Simulation(FINGER, dt=DT)
    plain.reset(joint_velocity=[1.0, 0.0, 0.0])
    plain.step()
    assert np.abs(sim.joint_velocity[1]).max() < 0.05
    assert sim.joint_velocity[0] == pytest.approx(plain.joint_velocity[0], abs=1e-5)


def test_every_parameter_says_its_shape_unit_and_range() -> None:
    for stage in (FINGER, MIMIC, SPATIAL):
        sim = Simulation(stage, 2)
        for name, parameter in sim.parameters.items():
            assert parameter.documentation.endswith("."), name
            assert parameter.range, name
            assert sim.parameter(name).shape == (2, *parameter.shape), name


REFUSED = [
    (FINGER, "mass", [1.0, 1.0, 1.0, 0.0], r"mass of world 0 at /World/art/l2 is 0 \(and 1 more\); give .* \(0, inf\)"),
    (FINGER, "mass", [1.0, np.nan, 1.0, 1.0], r"mass of world 0 at /World/art/l0 is nan .*give values in \(0, inf\)"),
    (FINGER, "mass", [1.0, 1e-60, 1.0, 1.0], r"/World/art/l0 is 0 "),
    (FINGER, "center_of_mass", np.inf, r"center_of_mass of world 0 at /World/art/base x is inf"),
    (FINGER, "principal_axes", 0.0, "give a rotation other than"),
    (FINGER, "gravity_enabled", 0.5, "give values in 0 or 1"),
    (FINGER, "armature", -1.0, r"armature of world 0 at /World/art/j_l0 is -1 .*\[0, inf\)"),
    (FINGER, "static_friction", 1.0, r"authors no friction for this joint, .* randomize=\('static_friction',\)"),
    (FINGER, "stiffness", 1.0, r"authors no drive for this joint, .* randomize=\('stiffness',\)"),
    (MIMIC, "mimic_gearing", 0.0, "but 0"),
    (MIMIC, "upper_limit", np.inf, "a mimic joint needs finite limits"),
    (SPATIAL, "spatial_tendon_rest_length", -1.0, r"spatial_tendon_rest_length of world 0 at /World/art/l1:f is -1"),
    (FINGER, "mass", [1.0, 2.0], r"mass has shape \(2,\); give one number, \(4,\) or \(2, 4\)"),
    (FINGER, "masses", 1.0, "'masses' is not a parameter of this model; did you mean mass"),
]


@pytest.mark.parametrize(("stage", "name", "value", "message"), REFUSED)
def test_a_value_that_physx_would_not_take_is_refused_and_nothing_is_set(
        stage: Path, name: str, value: Any, message: str) -> None:
    sim = Simulation(stage, 2)
    before = {n: bits(sim.parameter(n)) for n in sim.parameters}
    with pytest.raises(ValueError, match=message):
        sim.set_parameter(name, value)
    assert {n: bits(sim.parameter(n)) for n in sim.parameters} == before


def test_dynamic_friction_above_static_friction_is_refused() -> None:
    sim = Simulation(FINGER, 2, randomize=("static_friction",))
    sim.set_parameter("static_friction", 2.0)
    with pytest.raises(ValueError, match=r"is 3 .*dynamic_friction may not exceed static_friction"):
        sim.set_parameter("dynamic_friction", 3.0)
    sim.set_parameters({"dynamic_friction": 3.0, "static_friction": 4.0})
    assert (sim.parameter("dynamic_friction") == 3.0).all()


def test_numbers_that_are_not_finite_are_refused_with_world_and_joint() -> None:
    sim = Simulation(FINGER, 3)
    efforts = np.zeros((3, 3))
    efforts[2, 1] = np.nan
    with pytest.raises(ValueError, match="effort of world 2 at /World/art/j_l1 is nan; give finite numbers"):
        sim.set("joint_effort", efforts)
    with pytest.raises(ValueError, match="joint_velocity of world 2 at /World/art/j_l0 is -inf"):
        sim.reset([2], joint_velocity=[-np.inf, 0.0, 0.0])
    with pytest.raises(ValueError, match="effort of world 0 at /World/art/j_l0 is 1e\\+39"):
        sim.set("joint_effort", [1e39, 0.0, 0.0])


@pytest.mark.parametrize(("worlds", "message"), [
    ([True, False], r"mask of worlds has shape \(2,\); give \(3,\)"), ([0, 0], "each index at most once"),
    ([3], "from 0 to 2"), ([0.5], "give a mask")])
def test_a_choice_of_worlds_that_is_none_is_refused(worlds: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Simulation(FINGER, 3).reset(worlds)


def test_a_name_that_randomize_does_not_know_is_refused() -> None:
    with pytest.raises(ValueError, match=r"randomize is 'stiffness'; give a collection of names"):
        Simulation(FINGER, randomize="stiffness")
    with pytest.raises(ValueError, match="randomize names mass; allowed are damping, dynamic_friction"):
        Simulation(FINGER, randomize=("mass",))


@pytest.mark.parametrize("name", ["dt", "h", "erp"])
def test_a_row_that_follows_from_the_time_step_is_not_set_by_itself(name: str) -> None:
    sim = Simulation(FINGER, 2)
    before = sim.get(name)
    with pytest.raises(ValueError, match=f"'{name}' is computed from the time step of all worlds; call set_time_step"):
        sim.set(name, [0.5])
    assert np.array_equal(sim.get(name), before)
    sim.set_time_step(2.0 * sim.dt)
    assert np.array_equal(sim.get("dt"), np.full((2, 1), sim.dt, np.float32))


def test_worlds_with_set_parameters_move_as_stages_do_in_physx_that_author_them(
        tmp_path: Path, oracle_folder: Path) -> None:
    """Eight articulations with every feature; PhysX steps the authored stage, we the other one with its numbers set.

    Bar: that of the random articulations, PhysX's own spread under neighbouring starts where motion amplifies.
    """
    from physx_oracle import run_jobs, sim_job

    steps, cases, jobs = 30, [], []
    for seed in range(8):
        folder = tmp_path / str(seed)
        folder.mkdir()
        first, second = rich(folder, seed, floating=seed % 2 == 1)
        sim, authored = Simulation(first, 2, dt=DT), Simulation(second)
        random = np.random.default_rng(seed)
        q, qd, effort = (random.uniform(-x, x, len(sim.topology.dofs)).astype(np.float32) for x in (0.2, 0.5, 1.0))
        sim.set_parameters({name: authored.parameter(name)[0] for name in sim.parameters}, [1])
        sim.reset(joint_position=q, joint_velocity=qd)
        sim.set("joint_effort", effort)
        motion = []
        for _ in range(steps):
            sim.step()
            motion.append(sim.joint_position.copy())
        cases.append(np.array(motion))
        jobs += [sim_job(second, DT, steps, start, qd, effort=effort) for start in (q, *neighbours(q, random))]
    results, held, moved = iter(run_jobs(jobs)), 0, 0
    for motion in cases:
        real, *others = [next(results)["q"][1:] for _ in range(1 + NUDGES)]
        bar = max(FLOAT32, 10.0 * max(float(np.abs(other - real).max()) for other in others))
        held += float(np.abs(motion[:, 1] - real).max()) < bar
        moved += float(np.abs(motion[:, 0] - real).max()) > 100 * bar
    assert held == len(cases)
    assert moved >= 0.8 * len(cases)        # the numbers matter


def neighbours(values: NDArray[Any], random: np.random.Generator) -> list[NDArray[Any]]:
    """The values moved by one unit in the last place, several times."""
    return [np.nextafter(values, np.where(random.random(len(values)) < 0.5, np.inf, -np.inf).astype(np.float32))
            for _ in range(NUDGES)]
