"""Position limits of a joint."""

from __future__ import annotations

from physx_runtime.algorithms.kinematics import Rows
from physx_runtime.solver.joint import JointState
from physx_runtime.tracing.ops import Scalar, inverted, maximum, minimum, where


def solve_limit(rows: Rows, dof: int, joint: JointState, final: bool) -> tuple[Scalar, Scalar]:
    """Keep the joint inside; returns the impulses that the lower and upper limit have given since the step began.

    s is the speed that reaches a limit in one substep. Beyond the limit (s towards the inside) the aim is erp * s,
    before it the joint may arrive with s; a velocity iteration has no aim beyond the limit. A limit pushes only, so
    its total keeps its sign; where neither acts, the one the joint leaves takes back at most what it gave.
    """
    rate, erp, v = 1.0 / rows["h"][0], rows["erp"][0], joint.v
    low, high = rows["lower_total"][dof], rows["upper_total"][dof]
    s_low = (rows["lower_start"][dof] - joint.travel) * rate
    s_high = (rows["upper_start"][dof] - joint.travel) * rate
    if final:
        acts_low, acts_high = (s_low <= 0.0) & (v < s_low), (s_high >= 0.0) & (v > s_high)
    else:
        acts_low, acts_high = (s_low > 0.0) | (v < s_low), (s_high < 0.0) | (v > s_high)
    aim = where(acts_high, maximum(s_high, erp * s_high), 0.0)
    aim = where(acts_low, minimum(s_low, erp * s_low), aim)
    is_low = acts_low | (inverted(acts_high) & (v > 0.0))
    before = where(is_low, low, high)
    pushed = before + (aim - v) * joint.soft
    after = where(is_low, maximum(pushed, 0.0), minimum(pushed, 0.0))
    joint.push(after - before)
    return where(is_low, after, low), where(is_low, high, after)
