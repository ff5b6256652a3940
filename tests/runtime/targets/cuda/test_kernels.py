"""What a GPU gets, run on the processor, has the bits of the CPU target: all robots, features, designs and types.

Joints outside articulations on device "cuda" move what they hold with the bits of the CPU.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import Scene, Simulation
from physx_runtime.compiling.cuda.source import DESIGN_VARIABLE, DESIGNS
from physx_runtime.model.row_specs import output_rows
from physx_runtime.model.topology import Topology
from physx_runtime.targets.cuda.kernels import find_gpu
from physx_runtime.worlds.cpu import CompiledWorlds, ScheduledWorlds
from physx_runtime.worlds.gpu.worlds import CudaWorlds
from physx_runtime.worlds.store import COMPILED, SCHEDULED, Worlds
from support.chance.articulations import engine_names, random_articulation
from support.chance.packed_models import LARGE, SMALL, Rows, packed_robot, random_tree
from support.physx.random_motions import COMPILED_LINKS, FAMILIES
from support.physx.recorded_scenes import LINKS_TOUCHING, TOUCHING
from support.places import DOUBLE_PENDULUM, MOTIONS
from support.stages.iteration_stages import body_stage

from physx_schema.description import Description, describe

pytestmark = pytest.mark.usefixtures("cuda_on_host")

# Two blocks, the second one not full.
WORLDS = 37
STEPS, N, V = 6, 8, 2
SPREAD = 0.2            # what sets worlds apart, of positions and velocities
# Seeds of a family of random articulations that are stepped.
SEEDS = 6
HERE = sorted(path.name for path in MOTIONS.iterdir() if (path / "case.json").is_file())

Array = NDArray[np.float64]


def start(store: Worlds, rows: Rows) -> None:
    """Worlds of a model that differ in where they are and how fast they move."""
    random = np.random.default_rng(0)
    for name, values in rows.items():
        each = np.tile(values, (WORLDS, 1))
        if name in ("q", "v"):
            each = each + random.uniform(-SPREAD, SPREAD, each.shape)
        store.write(name, each.astype(store.dtype))     # type: ignore[attr-defined]


def assert_same_bits(t: Topology, rows: Rows, dtype: str, path: str = COMPILED) -> None:
    """Hold every row that lasts, of all worlds, against the CPU's after a few steps along a path."""
    near = ScheduledWorlds if path == SCHEDULED else CompiledWorlds
    cpu, cuda = near(t, WORLDS, dtype), CudaWorlds(find_gpu(), t, WORLDS, dtype, path)
    for store in (cpu, cuda):
        start(store, rows)
        store.step(STEPS, N, V)
    before = np.tile(rows["q"], (WORLDS, 1))
    assert np.isfinite(cpu.rows("q")).all()
    assert (np.abs(cpu.rows("q") - before).max(axis=1) > 0).all()
    for name in output_rows(t):
        assert np.array_equal(cpu.rows(name), cuda.rows(name), equal_nan=True), name


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_small_robot_moves_with_the_bits_of_the_cpu(dtype: str) -> None:
    assert_same_bits(*packed_robot("cart-pole"), dtype)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("robot", [*SMALL, *LARGE])
def test_robots_move_with_the_bits_of_the_cpu(robot: str, dtype: str) -> None:
    assert_same_bits(*packed_robot(robot), dtype)


@pytest.mark.parametrize("design", DESIGNS)
def test_every_design_has_the_bits_of_the_cpu(design: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DESIGN_VARIABLE, design)
    assert_same_bits(*random_tree(2, 4, kinds="rp"), "float32")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_schedules_have_the_bits_of_those_of_the_cpu(dtype: str) -> None:
    assert_same_bits(*packed_robot("arm"), dtype, SCHEDULED)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("robot", [*SMALL, *LARGE])
def test_schedules_of_every_robot_have_the_bits_of_those_of_the_cpu(robot: str, dtype: str) -> None:
    assert_same_bits(*packed_robot(robot), dtype, SCHEDULED)


def test_schedules_of_a_tree_beyond_the_budget_have_the_bits_of_those_of_the_cpu() -> None:
    assert_same_bits(*random_tree(3, 40, True, "rpfsbu"), "float32", SCHEDULED)


@pytest.mark.parametrize("floating", [False, True])
def test_joints_of_every_kind_have_the_bits_of_the_cpu(floating: bool) -> None:
    assert_same_bits(*random_tree(5, 3, floating, "rpfsbu"), "float32")


@pytest.mark.sweep
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("robot", LARGE)
def test_every_design_of_a_large_robot_has_the_bits_of_the_cpu(
        robot: str, design: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DESIGN_VARIABLE, design)
    assert_same_bits(*packed_robot(robot), "float32")


def test_a_world_is_the_same_wherever_it_lies_and_whatever_its_neighbours_do() -> None:
    t, rows = random_tree(3, 3)
    order = np.random.default_rng(1).permutation(WORLDS)
    whole, turned, alone = (CudaWorlds(find_gpu(), t, count, "float32") for count in (WORLDS, WORLDS, 1))
    start(whole, rows)
    for name in rows:
        turned.write(name, whole.rows(name)[order])
        alone.write(name, whole.rows(name)[:1])
    turned.write("q", np.where(order[:, None] == 1, np.nan, turned.rows("q")))      # of world 1 alone
    for store in (whole, turned, alone):
        store.step(STEPS, N, V)
    others = order != 1
    for name in ("q", "v"):
        assert np.array_equal(turned.rows(name)[others], whole.rows(name)[order][others])
        assert np.array_equal(alone.rows(name), whole.rows(name)[:1])


@pytest.mark.parametrize("scene", ["", 'uniform token physxScene:solverType = "PGS"'], ids=["TGS", "PGS"])
def test_a_free_body_moves_with_the_bits_of_the_cpu(scene: str, tmp_path: Path) -> None:
    (tmp_path / "body.usda").write_text(body_stage("float physxRigidBody:angularDamping = 0.5", scene=scene))
    assert_same_motion(describe(tmp_path / "body.usda"), "float32")


def test_a_scene_of_one_articulation_moves_with_the_bits_of_the_cpu() -> None:
    cpu, cuda = (Scene(DOUBLE_PENDULUM, 3, device=device, path="specialised") for device in ("cpu", "cuda"))
    for scene in (cpu, cuda):
        scene[scene.actors[0]].set("q", [0.3, 0.1])
        scene.step(5)
    assert np.array_equal(cpu.joint_position, cuda.joint_position)
    assert np.array_equal(cpu.body_pose, cuda.body_pose)
    assert np.abs(cpu.joint_position - [0.3, 0.1]).min() > 0


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", HERE)
def test_recorded_cases_have_the_bits_of_the_cpu(name: str, dtype: str) -> None:
    compare_case(MOTIONS / name, dtype)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_other_recorded_case_has_the_bits_of_the_cpu(dtype: str, shared_cases: Path) -> None:
    folders = [path.parent for path in sorted((shared_cases / "dynamics").glob("*/case.json"))]
    assert folders
    for folder in folders:
        compare_case(folder, dtype)


@pytest.mark.sweep
@pytest.mark.parametrize("first", FAMILIES)
def test_random_articulations_have_the_bits_of_the_cpu(first: int, tmp_path: Path) -> None:
    stepped = 0
    for seed in range(first, first + SEEDS):
        art = random_articulation(seed, FAMILIES[first][1])
        (tmp_path / "tree.usda").write_text(art.text)
        description = describe(tmp_path / "tree.usda")
        if len(description.articulations[0].links) <= COMPILED_LINKS:
            names, stepped = engine_names(description.articulations[0]), stepped + 1
            assert_same_motion(description, "float32", [art.positions.get(name, 0.0) for name in names],
                               [art.velocities.get(name, 0.0) for name in names],
                               [art.efforts.get(name, 0.0) for name in names])
    if not stepped:
        pytest.skip(f"no tree of at most {COMPILED_LINKS} links among seeds {first} to {first + SEEDS - 1}")


def compare_case(folder: Path, dtype: str) -> None:
    """Step a recorded case as it was recorded, along both paths."""
    case, expected = json.loads((folder / "case.json").read_text()), np.load(folder / "expected.npz")
    description = describe(folder / "stage.usda")
    order = [list(expected["dof_names"]).index(n) for n in engine_names(description.articulations[0])]
    given = [None if case[key] is None else np.array(case[key])[order] for key in ("q", "qd", "effort")]
    for path in (COMPILED, SCHEDULED):
        assert_same_motion(description, dtype, *given, steps=case["steps"], dt=case["dt"], path=path)


def assert_same_motion(description: Description, dtype: str, *given: Array | list[float] | None, steps: int = 20,
                       dt: float = 1 / 60, path: str = COMPILED) -> None:
    """Step a stage on both devices; given: positions, velocities and efforts of its joints."""
    cpu, cuda = (Simulation(description, 2, dt=dt, device=device, dtype=dtype, path=path)
                 for device in ("cpu", "cuda"))
    for sim in (cpu, cuda):
        position, velocity, effort = (*given, None, None, None)[:3]
        sim.reset(joint_position=position, joint_velocity=velocity)
        if effort is not None and len(effort):
            sim.set("joint_effort", effort)
        sim.step(steps)
    for name in cpu.model.state:
        assert np.array_equal(cpu.get(name), cuda.get(name), equal_nan=True), name
    assert np.array_equal(cpu.asleep, cuda.asleep)


# --- cuda islands ----------------------------------------------------------------------------------------------------

ISLAND_WORLDS, ISLAND_STEPS = 3, 20
SOON = ("d6_drives_limits", "gear_rack", "kinematic_target", "loop_fourbar_base")


def pair(folder: Path, dtype: str = "float32") -> tuple[Scene, Scene]:
    """The same scene on both devices."""
    cpu, cuda = (Scene(folder / "stage.usda", ISLAND_WORLDS, device=device, dtype=dtype, path="generic")
                 for device in ("cpu", "cuda"))
    return cpu, cuda


def assert_alike(cpu: Scene, cuda: Scene) -> None:
    for each in ("body_pose", "body_velocity"):
        assert np.array_equal(getattr(cpu, each), getattr(cuda, each), equal_nan=True), each


@pytest.mark.parametrize("name", SOON)
def test_a_recorded_scene_has_the_bits_of_the_cpu(name: str, shared_cases: Path) -> None:
    cpu, cuda = pair(shared_cases / "scenes" / name)
    before = cpu.body_pose
    for scene in (cpu, cuda):
        scene.step(ISLAND_STEPS)
    assert_alike(cpu, cuda)
    assert name == "kinematic_target" or (cpu.body_pose != before).any()
    assert cuda.not_simulated == cpu.not_simulated == ()


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_recorded_scene_of_joints_has_the_bits_of_the_cpu(dtype: str, shared_cases: Path) -> None:
    folders = [path.parent for path in sorted((shared_cases / "scenes").glob("*/case.json"))
               if path.parent.name not in (*TOUCHING, *LINKS_TOUCHING)]
    assert folders
    for folder in folders:
        cpu, cuda = pair(folder, dtype)
        for scene in (cpu, cuda):
            scene.step(ISLAND_STEPS)
        assert_alike(cpu, cuda)


def test_what_a_joint_is_given_and_says_is_that_of_the_cpu(shared_cases: Path) -> None:
    cpu, cuda = pair(shared_cases / "scenes" / "d6_drives_limits")
    path, name = cpu.joints[0], "damping"
    for scene in (cpu, cuda):
        scene.enable_joint_forces()
        scene.step(3)
        scene.joint(path).set_parameter(name, 2.0 * scene.joint(path).parameter(name)[:2], [2, 0])
        scene.step(ISLAND_STEPS)
    assert_alike(cpu, cuda)
    one, other = cpu.joint(path), cuda.joint(path)
    assert one.force.any()
    assert np.array_equal(one.parameter(name), other.parameter(name))
    assert np.array_equal(one.force, other.force)
    assert np.array_equal(one.broken, other.broken)
