"""Position limits of a joint."""

from __future__ import annotations

from physx_runtime.algorithms.kinematics import Rows
from physx_runtime.solver.joint import JointState
from physx_runtime.tracing.ops import Scalar, maximum, minimum, where


def solve_limit(rows: Rows, dof: int, joint: JointState, final: bool) -> tuple[Scalar, Scalar]:
    """Keep the joint inside; returns the impulses that the lower and upper limit have given since the step began.

    s is the speed that reaches a limit in one substep. Beyond the limit (s towards the inside) the aim is erp * s,
    before it the joint may arrive with s; a velocity iteration has no aim beyond the limit. A limit pushes only, so
    its total keeps its sign; where neither acts, the one the joint leaves takes back at most what it gave.
    """
    h, erp = rows["h"][0], rows["erp"][0]
    low, high = rows["lower_total"][dof], rows["upper_total"][dof]
    s_low, s_high = (rows["lower_start"][dof] - joint.travel) / h, (joint.travel - rows["upper_start"][dof]) / h
    v = joint.v
    if final:
        acts_low = _before(s_low) & (v < s_low)
        acts_high = _before(s_high) & (-v < s_high)
    else:
        acts_low = (s_low > 0.0) | (v < s_low)
        acts_high = (s_high > 0.0) | (-v < s_high)
    F_low = maximum(low + (minimum(s_low, erp * s_low) - v) * joint.soft, 0.0) - low
    F_high = minimum(high - (minimum(s_high, erp * s_high) + v) * joint.soft, 0.0) - high
    back_low, back_high = maximum(-(v * joint.soft), -low), minimum(-(v * joint.soft), -high)
    leaving = v > 0.0
    change_low = where(acts_low, F_low, where(acts_high, 0.0, where(leaving, back_low, 0.0)))
    change_high = where(acts_low, 0.0, where(acts_high, F_high, where(leaving, 0.0, back_high)))
    joint.push(change_low + change_high)
    return low + change_low, high + change_high


def _before(s: Scalar) -> Scalar:
    """Whether the joint has not passed the limit."""
    return where(s > 0.0, 0.0, 1.0) > 0.5
