"""Divergence: a world whose state is no longer finite returns to the step's start, and stays there until it is reset.

Worlds are selected inside the step, so that neighbours in a vector or warp are not affected.
"""

from __future__ import annotations

from physx_runtime.language.ops import Rows, Scalar, where
from physx_runtime.model.row_specs import state_rows
from physx_runtime.model.topology import ActorTopology

# Greatest sum of a valid state's absolute values; near the end of float32's range squares overflow before.
LARGEST_STATE = 1e37
DIVERGED = "diverged"       # row of one scalar: 0, or 1 for good once the world has diverged


def moving_rows(t: ActorTopology) -> list[str]:
    """State rows that a step changes, without those of a fixed base."""
    return [name for name, size in state_rows(t).items()
            if size and (t.root_size or not name.startswith("root_"))]


def save_state(t: ActorTopology, rows: Rows) -> dict[str, list[Scalar]]:
    """The state at the step's start, as rows of their own."""
    return {f"saved_{name}": list(rows[name]) for name in moving_rows(t)}


def is_valid(total: Scalar, flag: Scalar) -> Scalar:
    """Whether a world is valid: the sum of its state's absolute values is finite, and it has not diverged before."""
    return (total < LARGEST_STATE) & (flag < 0.5)


def freeze_diverged(t: ActorTopology, rows: Rows) -> dict[str, list[Scalar]]:
    """The state after the step, or the saved one where this step or an earlier one diverged."""
    if not moving_rows(t):
        return {DIVERGED: list(rows[DIVERGED])}
    # sum |x| < LARGEST_STATE and never diverged before
    total: Scalar = 0.0
    for name in moving_rows(t):
        for x in rows[name]:
            total = total + abs(x)
    valid = is_valid(total, rows[DIVERGED][0])
    out: dict[str, list[Scalar]] = {
        # x' = x where valid, x_start otherwise
        name: [where(valid, x, saved) for x, saved in zip(rows[name], rows[f"saved_{name}"], strict=True)]
        for name in moving_rows(t)}
    return out | {DIVERGED: [where(valid, 0.0, 1.0)]}
