"""Random trees of welded and moving links, thrown into the air, move as in real PhysX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from physx_runtime import simulate
from support.chance.thrown_trees import thrown_tree
from support.stages.robots import opened

# Of the seeds, so many are also stepped by code of their own, which takes longer to compile than to step.
DT, STEPS, SEEDS, SPECIALISED = 1 / 60, 60, 30, 8
# Of positions in metres, and of components of quaternions; float64 does not round as PhysX does.
LEAST = {"float32": 5e-6, "float64": 5e-5}
# Beyond that, of PhysX's own spread when masses and the root's start change by one step of float32.
SPREAD_FACTOR, NUDGES = 10.0, 8
WAYS = [("generic", "float32"), ("generic", "float64"), ("specialised", "float32")]
Poses = NDArray[np.float64]     # (steps + 1, n_link, 7)


def apart(a: Poses, b: Poses) -> float:
    """How far two motions part, in positions or in quaternions of either sign."""
    sign = np.sign((a[..., 3:] * b[..., 3:]).sum(axis=-1, keepdims=True))
    return float(max(np.abs(a[..., :3] - b[..., :3]).max(), np.abs(a[..., 3:] * sign - b[..., 3:]).max()))


def poses(real: dict[str, Any]) -> Poses:
    """Of a recording of PhysX."""
    return np.concatenate([real["pos"], real["quat"]], axis=-1).astype(np.float64)


def ours(seed: int, paths: list[str], path: str, dtype: str) -> Poses:
    """The motion of the links `paths` here."""
    motion = simulate(opened(thrown_tree(seed)), DT, STEPS, path=path, dtype=dtype)
    return motion.link_pose[:, 0, [motion.link_names.index(name) for name in paths]].astype(np.float64)


def recorded(stages: list[str]) -> list[dict[str, Any]]:
    """PhysX's motion of stages."""
    from scene_recorder import record

    found: list[dict[str, Any]] = record([{"usd": text, "dt": DT, "steps": STEPS} for text in stages])
    return found


def test_thrown_trees_move_as_in_physx(oracle_folder: Path) -> None:
    errors: dict[tuple[int, str, str], float] = {}
    motions = recorded([thrown_tree(seed) for seed in range(SEEDS)])
    for seed, real in enumerate(motions):
        for path, dtype in WAYS[:3 if seed < SPECIALISED else 2]:
            errors[seed, path, dtype] = apart(ours(seed, real["paths"], path, dtype), poses(real))
    doubtful = sorted({seed for (seed, _, dtype), error in errors.items() if not error <= LEAST[dtype]})
    spread = dict.fromkeys(range(SEEDS), 0.0)
    nudged = recorded([thrown_tree(seed, nudge) for seed in doubtful for nudge in range(NUDGES)]) if doubtful else []
    for i, other in enumerate(nudged):
        seed = doubtful[i // NUDGES]
        spread[seed] = max(spread[seed], apart(poses(other), poses(motions[seed])))
    beyond = [f"seed {seed} {path} {dtype}: {error:.1e}, PhysX's own spread {spread[seed]:.1e}"
              for (seed, path, dtype), error in errors.items()
              if not error <= max(LEAST[dtype], SPREAD_FACTOR * spread[seed])]
    assert not beyond, "\n".join(beyond)


def test_a_nudge_changes_a_stage_by_single_steps_of_float32() -> None:
    stages = [opened(thrown_tree(2, nudge)) for nudge in (None, 5)]
    for name in ("physics:mass", "physics:velocity", "physics:angularVelocity", "xformOp:translate"):
        a, b = (np.array(stage.GetAttributeAtPath(f"/R/l0.{name}").Get(), np.float32) for stage in stages)
        assert ((np.nextafter(a, np.float32(np.inf)) == b) | (np.nextafter(a, np.float32(-np.inf)) == b)).all(), name
