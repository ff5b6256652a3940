"""Policies are trained in minutes on cart-poles and ants, and real PhysX gives them the same return."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.places import ROOT

pytest.importorskip("gymnasium")

WORLDS = 8              # that are played again in PhysX
RETURN_TOLERANCE = 0.02
BALANCED = 600          # actions of cart-poles, 10 s
POSITION_TOLERANCE = 2e-3       # rad or m; the policy feeds rounding back for ten seconds
ANT_ITERATIONS = 80     # 1024 worlds, one minute of processor time
LEARNED = 3.0           # return of the trained ant / return of an ant that stands; 3.9 was measured
WALKED = 8.0            # m in 10 s; 15 was measured
ROUNDING = 1e-7         # rad, of the starts that show how PhysX itself spreads
SPREAD_FACTOR = 3.0     # of the largest difference between such starts and their neighbours


@pytest.fixture(scope="module")
def examples() -> Any:
    """The folder of the examples on sys.path."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "examples"))
        yield


@pytest.mark.sweep
@pytest.mark.usefixtures("examples")
def test_a_trained_policy_has_the_same_return_in_real_physx(tmp_path: Path, oracle_folder: Path) -> None:
    import cart_pole
    import train_cart_pole as training
    from support.physx.policy_replay import replay

    stage = tmp_path / "cart_pole.usda"
    cart_pole.build(str(stage))
    env = training.environment(stage)
    agent = training.learner(env)
    lengths = [length for _, length in training.train(env, agent)]
    assert lengths[-1] >= training.SOLVED

    env = training.environment(stage, WORLDS, seed=1)
    env.max_episode_steps = None
    observation, _ = env.reset()
    states = [observation]
    for _ in range(BALANCED):
        observation, _, terminated, _, _ = env.step(agent.act(observation))
        assert not terminated.any()
        states.append(observation)
    ours = np.stack(states)

    def act(state: Any) -> Any:
        action = agent.act(np.concatenate([state["q"], state["qd"]])[None])[0, 0]
        return np.clip(action, -training.FORCE, training.FORCE), 0.0

    played = replay(stage, act, [(x[:2], x[2:]) for x in ours[0]], ("slider", "hinge"), BALANCED, env.scene.dt)
    theirs = np.stack([result["q"] for result in played], axis=1)
    returns = [training.reward(q).sum(axis=0) for q in (ours[..., :2], theirs)]
    assert returns[0] == pytest.approx(returns[1], rel=RETURN_TOLERANCE)
    assert ours[..., :2] == pytest.approx(theirs, abs=POSITION_TOLERANCE)


@pytest.fixture(scope="module")
def ant(tmp_path_factory: pytest.TempPathFactory, examples: Any) -> tuple[Path, Path]:
    """The stage of the ant, and a trained policy. One thread of OpenBLAS trains faster, in a process of its own."""
    folder = tmp_path_factory.mktemp("ant")
    code = ("import train_ant as t; t.build('ant.usda'); a = t.learner(t.environment('ant.usda', 1)); "
            f"list(t.train('ant.usda', a, {ANT_ITERATIONS})); a.save('policy.npz')")
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False,
                          env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stderr
    return folder / "ant.usda", folder / "policy.npz"


@pytest.mark.sweep
def test_an_ant_learns_to_walk(ant: tuple[Path, Path]) -> None:
    import train_ant as training

    stage, policy = ant
    env = training.environment(stage, training.JUDGED, seed=2)
    agent = training.learner(env)
    standing, _ = training.walk(env, agent)
    agent.load(policy)
    walking, distance = training.walk(env, agent)
    assert walking > LEARNED * standing > 0.0 and distance > WALKED


@pytest.mark.sweep
def test_a_walking_ant_has_the_same_return_in_real_physx(ant: tuple[Path, Path], oracle_folder: Path) -> None:
    import train_ant as training
    from support.physx.policy_replay import replay

    stage, policy = ant
    env = training.environment(stage, WORLDS, seed=3)
    agent = training.learner(env)
    agent.load(policy)
    observation, _ = env.reset()
    q, qd = env.read("joint_position").copy(), env.read("joint_velocity").copy()
    ours = np.zeros(WORLDS)
    for _ in range(training.STEPS):
        observation, reward, terminated, _, _ = env.step(agent.act(observation))
        assert not terminated.any()
        ours += reward

    def act(state: Any) -> Any:
        pose, velocity = state["link_pose"][:1], np.concatenate([state["link_vel"][0], state["qd"]])
        seen = training.observation(pose[:, :3], pose[:, 3:], state["q"][None], velocity[None])
        return np.clip(agent.act(seen)[0], -training.SWING, training.SWING)

    starts = [(x + shift, v) for shift in (0.0, ROUNDING) for x, v in zip(q, qd, strict=True)]
    played = replay(stage, act, starts, [joint.rsplit("/", 1)[1] for joint in env.action_joints], training.STEPS,
                    training.DT, training.STEPS_PER_ACTION, "target")
    returns = np.array([training.reward(np.concatenate([run["link_vel"][1:, 0], run["qd"][1:]], axis=1),
                                        run["action"]).sum() for run in played])
    theirs, spread = returns[:WORLDS], np.abs(returns[:WORLDS] - returns[WORLDS:]).max()
    assert ours.mean() == pytest.approx(theirs.mean(), rel=RETURN_TOLERANCE)
    assert ours == pytest.approx(theirs, abs=SPREAD_FACTOR * spread)
