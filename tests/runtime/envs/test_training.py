"""A policy is trained in a minute on cart-poles, and real PhysX gives it the same return."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.places import ROOT

pytest.importorskip("gymnasium")

ACTIONS = 600           # 10 s
WORLDS = 8              # that are played again in PhysX
RETURN_TOLERANCE = 0.02
POSITION_TOLERANCE = 2e-3       # rad or m; the policy feeds rounding back for ten seconds


@pytest.mark.sweep
def test_a_trained_policy_has_the_same_return_in_real_physx(tmp_path: Path, oracle_folder: Path,
                                                            monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    import cart_pole
    import train_cart_pole as training
    from support.physx.policy_replay import replay

    stage = tmp_path / "cart_pole.usda"
    cart_pole.build(str(stage))
    agent = training.Agent()
    lengths = [length for _, length in training.train(training.environment(stage), agent)]
    assert lengths[-1] >= training.SOLVED

    env = training.environment(stage, WORLDS, seed=1)
    env.max_episode_steps = None
    observation, _ = env.reset()
    states = [observation]
    for _ in range(ACTIONS):
        observation, _, terminated, _, _ = env.step(agent.act(observation))
        assert not terminated.any()
        states.append(observation)
    ours = np.stack(states)
    starts = [(x[:2].tolist(), x[2:].tolist()) for x in ours[0]]
    theirs = np.stack([result["q"] for result in replay(
        stage, agent.policy.weights, starts, ACTIONS, env.scene.dt, training.FORCE)], axis=1)
    returns = [training.reward(q).sum(axis=0) for q in (ours[..., :2], theirs)]
    assert returns[0] == pytest.approx(returns[1], rel=RETURN_TOLERANCE)
    assert ours[..., :2] == pytest.approx(theirs, abs=POSITION_TOLERANCE)
