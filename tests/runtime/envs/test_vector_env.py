"""`VectorEnv` keeps Gymnasium's rules: spaces, episodes that end and begin in one step, seeds by world."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import physx_runtime
import pytest
from support.guides import GUIDES, blocks, prepare
from support.stages.cart_pole import cart_pole, two_cart_poles

gymnasium = pytest.importorskip("gymnasium")

WORLDS = 6
ROUNDING = 1e-5      # of a pole that stands upright for one step, in float32


def environment(stage: Any = None, worlds: int = WORLDS, **options: Any) -> Any:
    settings = {"joints": ["slider"], "action_range": (-10.0, 10.0), "reward": lambda env: np.ones(env.num_envs)}
    return physx_runtime.envs.VectorEnv(stage or cart_pole(), worlds, **{**settings, **options})


def scattered(env: Any, worlds: Any, random: Any) -> None:
    env.robot.reset(worlds, joint_position=random.uniform(-0.1, 0.1, 2))


def test_observations_and_actions_belong_to_the_spaces() -> None:
    env = environment()
    observation, info = env.reset(seed=3)
    assert env.observation_space.contains(observation) and info == {}
    assert env.action_space.shape == (WORLDS, 1) and env.action_joints == ("/CartPole/slider",)
    after, reward, terminated, truncated, _ = env.step(env.action_space.sample())
    assert env.observation_space.contains(after)
    assert reward.shape == terminated.shape == truncated.shape == (WORLDS,)


def test_observations_are_positions_then_velocities() -> None:
    env = environment(start=scattered)
    observation, _ = env.reset(seed=1)
    observation, *_ = env.step(np.full((WORLDS, 1), 2.0))
    assert np.array_equal(observation[:, :2], env.robot.joint_position)
    assert np.array_equal(observation[:, 2:], env.robot.joint_velocity)


def test_an_action_pushes_the_cart_as_newton_says() -> None:
    env = environment()
    env.reset()
    env.step(np.full((WORLDS, 1), 1.1))
    # the pole's centre is above the hinge: the cart's mass is M + m (1 - 3/4) at the start
    assert env.read("joint_velocity")[:, 0] == pytest.approx(1.1 / (1.0 + 0.1 / 4.0) / 60.0, rel=1e-4)


def test_an_action_outside_the_range_is_clipped() -> None:
    strong, full = environment(), environment()
    for env, force in ((strong, 500.0), (full, 10.0)):
        env.reset()
        env.step(np.full((WORLDS, 1), force))
    assert np.array_equal(strong.read("q"), full.read("q")) and (strong.action == 10.0).all()


def test_an_episode_that_ends_begins_again_in_the_same_step() -> None:
    env = environment(start=scattered, done=lambda env: np.arange(WORLDS) == 2)
    first, _ = env.reset(seed=5)
    observation, _, terminated, truncated, info = env.step(np.ones((WORLDS, 1)))
    assert terminated.tolist() == info["_final_obs"].tolist() == [False, False, True, False, False, False]
    assert not truncated.any()
    assert not np.array_equal(observation[2], info["final_obs"][2]) and not np.array_equal(observation[2], first[2])
    assert np.array_equal(np.delete(observation, 2, 0), np.delete(info["final_obs"], 2, 0))
    assert env.episode_steps.tolist() == [1, 1, 0, 1, 1, 1]


def test_an_episode_is_truncated_after_its_last_action() -> None:
    env = environment(max_episode_steps=3)
    env.reset()
    ends = [env.step(np.zeros((WORLDS, 1)))[2:4] for _ in range(6)]
    assert [truncated.all() for _, truncated in ends] == [False, False, True, False, False, True]
    assert not any(terminated.any() for terminated, _ in ends)


def test_a_diverged_world_terminates_and_begins_again() -> None:
    env = environment()
    env.reset()
    env.robot.set("link_torque", np.full((1, 9), 3e38), [4])
    with pytest.warns(physx_runtime.DivergenceWarning):
        _, _, terminated, _, _ = env.step(np.zeros((WORLDS, 1)))
    assert np.flatnonzero(terminated).tolist() == [4] and not env.scene.diverged.any()


def test_a_world_has_the_same_motion_among_any_number_of_worlds() -> None:
    seen = []
    for worlds in (WORLDS, 40):
        env = environment(worlds=worlds, start=scattered, max_episode_steps=4,
                          randomize={"mass": physx_runtime.Spread(0.8, 1.2, True)})
        env.reset(seed=11)
        seen.append([env.step(np.ones((worlds, 1)))[0][:WORLDS] for _ in range(10)])
    assert np.array_equal(*seen)


def test_the_same_seed_gives_the_same_episodes() -> None:
    env = environment(start=scattered)
    first, other, again = (env.reset(seed=seed)[0] for seed in (7, 8, 7))
    assert np.array_equal(first, again) and not np.array_equal(first, other)


def test_each_episode_of_a_world_begins_elsewhere() -> None:
    env = environment(start=scattered)
    assert not np.array_equal(env.reset(seed=7)[0], env.reset()[0])


def test_a_reset_mask_resets_only_its_worlds() -> None:
    env = environment(start=scattered)
    env.reset(seed=2)
    before, *_ = env.step(np.ones((WORLDS, 1)))
    mask = np.arange(WORLDS) < 2
    after, _ = env.reset(options={"reset_mask": mask})
    assert np.array_equal(after[2:], before[2:]) and not (after[:2] == before[:2]).all(axis=1).any()


def test_a_reset_sets_the_action_of_its_worlds_back() -> None:
    env = environment(done=lambda env: np.arange(WORLDS) == 0)
    env.reset()
    env.step(np.full((WORLDS, 1), 5.0))
    assert env.robot.get("joint_effort")[:, 0].tolist() == [0.0, *[5.0] * (WORLDS - 1)]


def test_each_episode_draws_the_randomised_parameters() -> None:
    env = environment(randomize={"mass": physx_runtime.Spread(0.5, 1.5, True, ("pole",))})
    env.reset(seed=0)
    first = env.robot.parameter("mass")
    env.reset()
    second = env.robot.parameter("mass")
    assert (first[:, :2] == 1.0).all() and (second[:, :2] == 1.0).all()
    assert (np.abs(first[:, 2] - 0.1) <= 0.05).all() and (first[:, 2] != second[:, 2]).all()


def test_wrappers_of_gymnasium_work_on_it() -> None:
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(environment(max_episode_steps=4))
    env.reset(seed=0)
    infos = [env.step(np.zeros((WORLDS, 1)))[4] for _ in range(4)]
    assert infos[-1]["episode"]["l"].tolist() == [4] * WORLDS and infos[-1]["episode"]["r"].tolist() == [4.0] * WORLDS


def test_contact_forces_carry_the_robot() -> None:
    from support.stages.cart_pole import resting_ball

    env = physx_runtime.envs.VectorEnv(resting_ball(), 3, reward=lambda env: env.read("contact_force")[:, 1, 2])
    env.reset()
    for _ in range(120):
        _, reward, *_ = env.step(np.zeros((3, 1)))
    assert reward == pytest.approx(2.0 * 9.81, rel=1e-3)


def test_functions_see_the_environment() -> None:
    env = environment(observe=lambda env: env.read("link_pose").reshape(env.num_envs, -1),
                      reward=lambda env: -np.abs(env.action[:, 0]) - env.episode_steps)
    observation, _ = env.reset()
    assert observation.shape == (WORLDS, 3 * 7)
    assert env.step(np.full((WORLDS, 1), 2.0))[1].tolist() == [-3.0] * WORLDS


@pytest.mark.parametrize(("options", "message"), [
    ({"act": "effort"}, "act is 'effort'; allowed are 'joint_effort', 'target_position', 'target_velocity'"),
    ({"act": "target_position"}, "/CartPole/slider has no drive, and target_position needs one"),
    ({"joints": ["slide"]}, "'slide' is not a joint axis of /CartPole; did you mean /CartPole/slider"),
    ({"joints": "slider"}, "joints is 'slider'; give a list, such as ['slider']"),
    ({"action_range": None}, "the bounds of joint_effort at /CartPole/slider are -inf and inf; give action_range="),
    ({"action_range": (1.0, -1.0)}, "the bounds of joint_effort at /CartPole/slider are 1 and -1"),
    ({"robot": "/Robot"}, "/Robot is not an actor of this scene; give one of /CartPole"),
    ({"observe": ["height"]}, "'height' is not a quantity of this robot; choose from "),
    ({"observe": lambda env: np.zeros(3)}, "observe returns the shape (3,); return (6, n)"),
    ({"randomize": {"weight": physx_runtime.Spread(0.0, 1.0, False)}}, "weight is not a parameter"),
    ({"arrays": "jax"}, "arrays is 'jax'; choose numpy or torch"),
    ({"steps_per_action": 0}, "steps_per_action is 0; give a whole number of at least 1"),
    ({"max_episode_steps": 1.5}, "max_episode_steps is 1.5; give a whole number of at least 1"),
    ({"seed": -1}, "seed is -1; give a whole number of at least 0"),
])
def test_a_wrong_argument_is_refused_in_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        environment(**options)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_a_stage_with_two_robots_needs_the_path_of_one() -> None:
    with pytest.raises(ValueError, match="the stage has 2 actors with joints; give robot=, one of /Left, /Right"):
        environment(two_cart_poles())
    env = environment(two_cart_poles(), robot="/Right")
    env.reset()
    env.step(np.full((WORLDS, 1), 3.0))
    assert (env.scene["/Right"].get("v")[:, 0] > 0.0).all() and np.abs(env.scene["/Left"].get("v")).max() < ROUNDING


@pytest.mark.parametrize(("actions", "message"), [
    (np.zeros((WORLDS, 2)), "actions have the shape (6, 2)"),
    (np.full((WORLDS, 1), np.nan), "the action of world 0 at /CartPole/slider is nan; give finite numbers"),
    ([["push"]] * WORLDS, "the type <U4"),
    (np.zeros((WORLDS, 1), complex), "the type complex128"),
])
def test_a_wrong_action_is_refused(actions: Any, message: str) -> None:
    env = environment()
    env.reset()
    with pytest.raises(ValueError) as caught:
        env.step(actions)
    assert message in str(caught.value)


@pytest.mark.parametrize(("options", "message"), [
    ({"reward": lambda env: np.zeros((WORLDS, 1))}, "reward returns the shape (6, 1); return (6,)"),
    ({"reward": lambda env: 1.0}, "reward returns the shape (); return (6,)"),
    ({"done": lambda env: np.zeros(WORLDS)}, "done returns the type float64; return a mask of bool"),
])
def test_a_function_of_a_wrong_shape_is_refused(options: dict[str, Any], message: str) -> None:
    env = environment(**options)
    env.reset()
    with pytest.raises(ValueError) as caught:
        env.step(np.zeros((WORLDS, 1)))
    assert message in str(caught.value)


def test_an_unknown_option_of_reset_is_refused() -> None:
    with pytest.raises(ValueError, match="mask is not an option of reset; allowed is reset_mask"):
        environment().reset(options={"mask": [True]})


def test_tensors_share_the_memory_of_the_arrays() -> None:
    torch = pytest.importorskip("torch")
    env = environment(arrays="torch", reward=lambda env: -env.read("joint_position")[:, 1].abs(),
                      done=lambda env: env.read("joint_position")[:, 1].abs() > 0.2)
    plain = environment(reward=lambda env: -np.abs(env.read("joint_position")[:, 1]))
    for each, array in ((env, torch.full((WORLDS, 1), 2.0)), (plain, np.full((WORLDS, 1), 2.0))):
        each.reset()
        each.result = each.step(array)
    assert isinstance(env.result[0], torch.Tensor) and np.array_equal(env.result[0].numpy(), plain.result[0])
    assert np.array_equal(env.result[1].numpy(), plain.result[1])


def test_the_example_with_tensors_of_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    names: dict[str, Any] = {}
    exec(next(block.text for block in blocks(GUIDES / "training.md") if block.kind == "py"), names)
    assert isinstance(names["rewards"], torch.Tensor) and names["rewards"].shape == (4096,)
