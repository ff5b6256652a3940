"""A scene steps everything on a stage together, in worlds that know nothing of each other.

Objects of random stages move as in real PhysX beside others, through `simulate` and through a session.

A short sweep of the stages that `experiments/survey_stages.py` takes 300 of.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray
from physx_runtime import DivergenceWarning, NotSimulatedWarning, Scene, Session, Simulation, simulate
from physx_runtime.solver.batches import WorldSolverBatches
from physx_runtime.worlds.store import SCHEDULED
from support.chance.scenes import FAMILIES, random_company, random_scene
from support.physx.motions import surveyed
from support.stages.iteration_stages import DT, KINEMATIC, WEIGHTLESS, free, opened, prim, slider, stage
from support.stages.robots import finger

from physx_schema.command_line.program import program
from physx_schema.description import describe
from physx_schema.errors import UnsupportedError

PATH: dict[str, Any] = {"path": SCHEDULED}
# A slider of 1/0 beside a body that raises its counts and rests after 42 steps of DT, and a body that stands.
RESTS = 42
TOGETHER = stage(slider("A", (1, 0)), free("B", (60, 3), more=WEIGHTLESS), free("K", x=90.0, more=KINEMATIC))
BODIES = ("/A/base", "/A/tip", "/B", "/K")
SPEED = [0.0, 0.0, 0.3, 0.0, 0.0, 0.0]      # of what does not rest
ROUNDING = 1e-6     # m/s in float32
# A gear between two bodies with a hinge that holds but one of them.
GEARED = free("B") + free("C", x=60.0) + prim("PhysicsRevoluteJoint", "hinge", "", {
    "rel physics:body1": "</C>", "point3f physics:localPos0": "(60, 0, 0)"}) + prim(
        "PhysxPhysicsGearJoint", "gear", "", {
            "rel physics:body0": "</B>", "rel physics:body1": "</C>", "rel physics:hinge0": "</hinge>",
            "rel physics:hinge1": "</hinge>"})


def scene(text: str = TOGETHER, worlds: int = 1, **options: Any) -> Scene:
    """A scene of a stage."""
    return Scene(opened(text), worlds, dt=DT, **PATH, **options)


def rows(found: Scene, world: int = 0) -> dict[tuple[str, str], bytes]:
    """The state of one world, bit for bit."""
    return {(actor, name): values[world].tobytes()
            for actor, state in found.state().items() for name, values in state.items()}


# --- who is stepped -------------------------------------------------------------------------------------------------

def test_actors_and_bodies_are_called_by_their_prims() -> None:
    found = scene(worlds=3)
    assert found.actors == ("/A", "/B")
    assert found.body_names == BODIES
    assert found.joint_names == ("/A/slide",)
    assert found["/A"].model.link_names == ("/A/base", "/A/tip")
    assert found.joint_position.shape == (3, 1)
    assert (found.body_pose.shape, found.body_velocity.shape) == ((3, 4, 7), (3, 4, 6))


def test_a_path_that_is_no_actor_is_refused() -> None:
    with pytest.raises(ValueError, match="/K is not an actor of this scene; give one of /A, /B"):
        scene()["/K"]


def test_an_actor_does_not_step_without_its_scene() -> None:
    with pytest.raises(RuntimeError, match="/A is part of a scene and cannot be stepped alone; step the scene"):
        scene()["/A"].step()


@pytest.mark.parametrize(("arguments", "message"), [
    ({"worlds": 0}, "worlds is 0; give a whole number of at least 1"), ({"dt": 0.0}, "dt is 0.0; give a positive"),
    ({"dtype": "float16"}, "dtype is 'float16'"), ({"solver": "mujoco"}, "solver is 'mujoco'"),
    ({"path": "fast"}, "path is 'fast'")])
def test_arguments_out_of_range_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Scene(opened(TOGETHER), **arguments)


# --- the same motion by every door -----------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", range(6))
def test_a_scene_moves_bit_for_bit_as_a_session(seed: int) -> None:
    text = random_company(seed).text()
    together = scene(text)
    with Session(opened(text)) as session:
        for _ in range(60):
            session.step(DT)
            together.step()
            assert together.actors == session.articulations
            for name in together.actors:
                own, other = together[name], session.simulation(name)
                assert own.iterations == other.iterations
                for row, values in own.state().items():
                    assert np.array_equal(values, other.get(row)), (name, row)


@pytest.mark.parametrize("seed", range(3))
def test_actors_that_do_not_sleep_move_bit_for_bit_as_each_in_a_simulation_of_its_own(seed: int) -> None:
    text = random_company(seed).text()
    together = scene(text, sleeping=False)
    together.step(30)
    for name in together.actors:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotSimulatedWarning)
            alone = Simulation(opened(text), dt=DT, articulation=name, sleeping=False, **PATH)
        alone.step(30)
        assert {row: values.tobytes() for row, values in alone.state().items()} == {
            row: values.tobytes() for row, values in together[name].state().items()}


def test_many_steps_at_once_are_as_many_steps_one_by_one() -> None:
    at_once, one_by_one = scene(), scene()
    at_once.step(RESTS + 20)
    for _ in range(RESTS + 20):
        one_by_one.step()
    assert rows(at_once) == rows(one_by_one)


def test_counts_follow_who_sleeps() -> None:
    together, counts = scene(), []
    for _ in range(RESTS + 5):
        together.step()
        counts.append(together["/A"].iterations.position)
    assert counts == [60] * RESTS + [1] * 5


# --- worlds ----------------------------------------------------------------------------------------------------------

def drifting(worlds: int, moving: list[int]) -> Scene:
    """A scene in some of whose worlds /B never rests."""
    found = scene(worlds=worlds)
    found["/B"].set("v", SPEED, moving)
    return found


def test_a_world_moves_bit_for_bit_as_by_itself_while_others_sleep() -> None:
    many = drifting(5, [1, 3])
    alone = {world: drifting(1, [0] if world in (1, 3) else []) for world in range(5)}
    for _ in range(RESTS + 20):
        many.step()
        for world, single in alone.items():
            single.step()
            assert rows(many, world) == rows(single), world
    assert rows(many, 0) != rows(many, 1)


def test_reset_puts_the_chosen_worlds_back_and_no_other() -> None:
    many, untouched, fresh = scene(worlds=3), scene(), scene()
    many.step(RESTS + 10)
    many.reset([False, True, False])
    assert rows(many, 1) == rows(fresh)
    untouched.step(RESTS + 10)
    for _ in range(RESTS + 10):
        for each in (many, untouched, fresh):
            each.step()
        assert (rows(many, 1), rows(many, 0), rows(many, 2)) == (rows(fresh), rows(untouched), rows(untouched))


def test_parameters_differ_between_worlds_by_actor() -> None:
    found = scene(worlds=2)
    found["/A"].set_parameter("gravity", [[[0.0, 0.0, 0.0]], [[0.0, 0.0, -20.0]]])
    found.step()
    assert found.joint_position[0, 0] == 0.0
    assert found.joint_position[1, 0] < 0.0


def test_an_actor_that_diverges_stands_and_the_others_go_on() -> None:
    found, sound = scene(worlds=2), scene()
    found["/B"].set("v", [3e38, 3e38, 3e38, 0.0, 0.0, 0.0], [1])
    with pytest.warns(DivergenceWarning, match=r"^/B: 1 of 2 worlds diverged \(world 1\)") as warned:
        found.step(3)
    assert [Path(item.filename).name for item in warned] == [Path(__file__).name]
    sound.step(3)
    assert found.diverged.tolist() == [False, True]
    assert rows(found, 0) == rows(sound)
    assert np.isfinite(found["/B"].get("v")[1]).all()
    assert found.joint_position[1, 0] < 0.0
    found.reset(found.diverged)
    assert not found.diverged.any()


def test_scenes_and_sessions_say_in_one_line_what_they_hold() -> None:
    text = stage(free("A"), free("B", x=5.0), free("K", more=KINEMATIC), prim(
        "PhysicsFixedJoint", "J", "", {"rel physics:body0": "</A>", "rel physics:body1": "</B>"}))
    found = Scene(opened(text), 3, dt=0.01)
    assert repr(found) == "Scene(actors=2, joints=1, kinematic=1, worlds=3, dt=0.01)"
    assert repr(found.model) == "SceneModel(actors=2, joints=1, kinematic=1)"
    assert repr(found["/A"]) == "SceneActor('/A', links=1, dofs=0, worlds=3, dt=0.01)"
    with Session(opened(text)) as session:
        session.step(0.01)
        assert repr(session) == "Session(actors=2, joints=1, kinematic=1, time=0.01)"
    assert repr(session) == "Session(closed)"


# --- bodies ----------------------------------------------------------------------------------------------------------

def test_a_kinematic_body_stands_where_it_is_authored() -> None:
    found = scene()
    found.step(10)
    assert found.body_pose[0, -1].tolist() == [90.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    assert not found.body_velocity[0, -1].any()


def test_bodies_are_where_a_recording_has_them() -> None:
    found = scene(worlds=2)
    recording = simulate(opened(TOGETHER), DT, 12, worlds=2, **PATH)
    for step in range(13):
        assert np.array_equal(found.body_pose, recording.body_pose[step])
        assert np.array_equal(found.body_velocity, recording.body_velocity[step])
        found.step()


def test_velocities_are_those_of_the_state_that_is_set() -> None:
    hinge = {"uniform token physics:axis": "Y", "point3f physics:localPos0": (0, 0, 0),
             "point3f physics:localPos1": (-1, 0, 0)}
    found = Scene(opened(finger(hinge)), 2, dt=DT, **PATH)
    found.step(5)
    held = found.body_velocity[0, 1]
    found["/Robot"].set("q", [1.0], [1])
    found["/Robot"].set("v", [2.0], [1])
    assert np.array_equal(found.body_velocity[0, 1], held)
    turning = np.cross([0.0, 2.0, 0.0], found.body_pose[1, 1, :3])
    assert np.abs(found.body_velocity[1, 1] - [*turning, 0.0, 2.0, 0.0]).max() < ROUNDING


# --- what is not stepped --------------------------------------------------------------------------------------------

def test_what_cannot_be_stepped_is_refused_by_name_and_says_whom_to_pick() -> None:
    text = stage(slider("A"), GEARED)
    with pytest.raises(UnsupportedError) as refused:
        scene(text)
    lines = str(refused.value).splitlines()
    assert lines[0].startswith("/gear: its hinge /hinge is not connected to /B, and such gears are not simulated")
    assert lines[1].endswith("the whole stage cannot be stepped; set articulation to one of /A")
    with pytest.raises(UnsupportedError) as again:
        simulate(opened(text), steps=1)
    assert str(again.value).splitlines()[0] == lines[0]
    simulate(opened(text), steps=1, articulation="/A", **PATH)


def test_the_command_refuses_a_stage_of_which_it_cannot_step_all_and_writes_nothing(tmp_path: Path) -> None:
    file, out = tmp_path / "stage.usda", tmp_path / "motion.npz"
    file.write_text(stage(slider("A"), GEARED), encoding="utf-8")
    result = CliRunner().invoke(program(), ["simulate", str(file), "--steps", "1", "--out", str(out)])
    assert (result.exit_code, result.stdout, out.exists()) == (2, "", False)
    assert "/gear: its hinge /hinge is not connected to /B" in result.stderr
    assert "set articulation to one of /A" in result.stderr


def test_nothing_is_said_to_be_left_out_where_everything_is_stepped() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert scene().not_simulated == ()


# --- one call --------------------------------------------------------------------------------------------------------

def test_one_call_records_the_whole_stage() -> None:
    found = simulate(opened(TOGETHER), DT, 4, worlds=2, every=2, **PATH)
    assert (found.body_names, found.kinematic_names, found.link_names) == (BODIES, ("/K",), BODIES[:3])
    assert (found.body_pose.shape, found.body_velocity.shape) == ((3, 2, 4, 7), (3, 2, 4, 6))
    assert np.array_equal(found.link_pose, found.body_pose[:, :, :3])
    assert (found.joint_names, found.joint_position.shape) == (("/A/slide",), (3, 2, 1))
    assert found.iterations == (60, 3)
    assert found.raised == (
        "/A: solved with 60/3 position/velocity iterations instead of the requested 1/0, because of /B")


def test_one_call_for_one_actor_records_nothing_else() -> None:
    with pytest.warns(NotSimulatedWarning, match="/B: not simulated: the sleep of /B"):
        found = simulate(opened(TOGETHER), DT, 2, articulation="/A", **PATH)
    assert (found.body_names, found.kinematic_names) == (("/A/base", "/A/tip"), ())


TWO = stage(slider("A"), slider("B", x=9.0))


@pytest.mark.parametrize("argument", ["joint_position", "joint_velocity", "joint_effort"])
def test_values_of_joints_by_name_are_those_by_order(argument: str) -> None:
    def moved(given: Any) -> NDArray[Any]:
        return simulate(opened(TWO), DT, 3, worlds=2, **PATH, **{argument: given}).joint_position[-1]

    both = moved({"/A/slide": 0.25, "/B/slide": [0.5, 0.75]})
    assert np.array_equal(both, moved([[0.25, 0.5], [0.25, 0.75]]))
    one = moved({"/B/slide": 0.5})
    assert np.array_equal(one, moved([0.0, 0.5]))


def test_forces_on_links_by_name_act_on_these_alone() -> None:
    pushed = simulate(opened(TWO), DT, 3, link_force={"/B/tip": [0.0, 0.0, 20.0]}, **PATH).joint_position[-1, 0]
    assert pushed[0] < 0.0 < pushed[1]


@pytest.mark.parametrize(("given", "message"), [
    ({"/A/knee": 0.0}, "joint_position names /A/knee; allowed are /A/slide, /B/slide"),
    ({"/A/slide": [0.0, 1.0]}, r"joint_position of /A/slide has shape \(2,\); give \(\) or \(1,\)"),
    ([0.0], r"joint_position has shape \(1,\); give \(2,\) or \(1, 2\)"),
    ({"/A/slide": np.inf}, "q of world 0 at /A/slide is inf; give finite numbers")])
def test_values_of_joints_that_do_not_fit_are_refused(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        simulate(opened(TWO), DT, 1, joint_position=given, **PATH)


def test_an_effort_keeps_its_own_robot_awake_and_nobody_else() -> None:
    text, effort = stage(slider("A", (1, 0), of_links=WEIGHTLESS), free("B", (60, 3), more=WEIGHTLESS)), 1e-9
    together, undisturbed = scene(text), scene(text)
    recording = simulate(opened(text), DT, 60, joint_effort={"/A/slide": effort}, **PATH)
    for step in range(1, 61):
        together["/A"].set("joint_effort", [effort])
        together.step()
        assert np.array_equal(together.joint_velocity, recording.joint_velocity[step])
    undisturbed.step(60)
    assert [together[name].asleep[0] for name in together.actors] == [False, True]
    assert [undisturbed[name].asleep[0] for name in together.actors] == [True, True]


def test_worlds_that_begin_anew_take_the_order_of_a_start() -> None:
    # who wakes comes last in PhysX's order, and of 18 robots two are in a batch of their own
    description = describe(opened(stage(*(slider(f"r{i:02}", (i + 1, 0), 9.0 * i) for i in range(18)))))
    robots = description.articulations
    roots = [robot.links[0].path for robot in robots]

    def positions(batches: WorldSolverBatches) -> list[tuple[int, ...]]:
        found = [{int(world): counts.position for counts, worlds in batches.counts(robot) for world in worlds}
                 for robot in robots]
        return [tuple(by_world[world] for by_world in found) for world in range(2)]

    batches = WorldSolverBatches(description, 2)
    start = positions(batches)[0]
    asleep = np.zeros((18, 2), dtype=np.bool_)
    asleep[5:9] = True
    batches.update_asleep(roots, asleep)
    batches.update_asleep(roots, np.zeros_like(asleep))
    assert all(now != start for now in positions(batches))
    batches.restart(np.array([1]))
    assert [now == start for now in positions(batches)] == [False, True]


# --- random scenes in PhysX ------------------------------------------------------------------------------------------

STAGES = 8      # of each family
SHARE = 0.98    # of the objects


@pytest.mark.sweep
@pytest.mark.parametrize("family", FAMILIES)
def test_objects_move_as_in_physx_beside_others(family: str, oracle_folder: Path, tmp_path: Path) -> None:
    first, traits = FAMILIES[family]
    scenes = {seed: random_scene(seed, traits) for seed in range(first, first + STAGES)}
    rows = [row for row in surveyed(scenes, tmp_path) if row.judged]
    missing = [row for row in rows if not row.agrees]
    assert len(rows) > STAGES
    assert len(missing) <= (1.0 - SHARE) * len(rows), "\n".join(map(str, missing))
