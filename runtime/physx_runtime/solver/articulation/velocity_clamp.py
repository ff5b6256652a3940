"""The start clamp: joint velocities brought below their maxima before a step."""

from __future__ import annotations

from physx_runtime.language.ops import Rows, Scalar, maximum
from physx_runtime.model.topology import Topology


def clamp_start(t: Topology, rows: Rows) -> list[Scalar]:
    """v with all joint velocities scaled by one ratio, so that none exceeds its start-of-step maximum."""
    v = list(rows["v"])
    excess: Scalar = 1.0
    for dof, most in enumerate(rows["velocity_clamp"]):
        excess = larger_excess(excess, v[t.root_size + dof], most)
    return v[:t.root_size] + [slowed(x, excess) for x in v[t.root_size:]]


def larger_excess(excess: Scalar, v: Scalar, most: Scalar) -> Scalar:
    """The larger of `excess` and a joint velocity's ratio to its maximum."""
    return maximum(excess, abs(v) / most)


def slowed(v: Scalar, excess: Scalar) -> Scalar:
    """A joint velocity after the clamp, by the largest ratio of all."""
    return v * (1.0 / excess)
