"""Position limits, joint friction and maximum velocity of a dof (PhysX DyFeatherstoneArticulation).

`SolvedDof` is one degree of freedom during an iteration. `solve_limit` keeps it inside its limits. `solve_friction`
applies static, dynamic and viscous friction, and `solve_load_friction` the load-dependent friction of SAPIEN's PhysX
5.3.1. `solve_max_velocity` limits its speed.
"""

from __future__ import annotations

from dataclasses import dataclass

from physx_runtime.language.ops import Rows, Scalar, clamp, logical_not, maximum, minimum, unlikely, where
from physx_runtime.model.topology import Topology


@dataclass(slots=True)
class SolvedDof:
    """One degree of freedom: response, softening and motion; an impulse changes `v` at once."""

    r: Scalar           # response: change of v for a unit impulse
    soft: Scalar        # 1 / (r + cfm)
    v: Scalar           # velocity, with the bias of link velocities
    displacement: Scalar      # change of position since the step's start
    impulse: Scalar = 0.0

    def apply_impulse(self, F: Scalar) -> None:
        """Apply an impulse."""
        # v += r F
        self.v = self.v + self.r * F
        self.impulse = self.impulse + F

    def apply_impulse_where(self, condition: Scalar, F: Scalar) -> None:
        """Apply an impulse where the condition holds."""
        self.v = where(condition, self.v + self.r * F, self.v)
        self.impulse = where(condition, self.impulse + F, self.impulse)


# Trigger speed of the lower limit with which it is solved in every iteration.
ALWAYS_TRIGGERED = 1e30


def limit_trigger(rows: Rows, lower_start: Scalar) -> Scalar:
    """The speed that reaches the lower limit in one substep, at the step's start.

    Once a limit has an impulse, this is `ALWAYS_TRIGGERED`, until it is taken back. This value and the speed of the
    upper limit decide whether there is anything to solve, without reading the totals.
    """
    # s = (lower - q) / h
    return lower_start * (1.0 / rows["h"][0])


def solve_limit(rows: Rows, dof: int, joint: SolvedDof, out: dict[str, list[Scalar]], final: bool) -> None:
    """Keep the joint inside its limits; the impulses of both limits since the step began are put into `out`.

    s is the speed that reaches a limit in one substep. Beyond the limit (s points inside) the target is erp * s;
    before it the joint may arrive with s. A velocity iteration has no target beyond the limit. The total of a limit
    keeps its sign. Where neither acts, the one that the joint leaves takes back at most its total.
    """
    # s = (limit - q) / h, F = (erp s - v) / (r + cfm) beyond the limit, (s - v) / (r + cfm) before it
    # (DyFeatherstoneArticulation.cpp, computeLimitImpulse)
    inverse_h, erp, v, soft = 1.0 / rows["h"][0], rows["erp"][0], joint.v, joint.soft
    low, high = rows["lower_total"][dof], rows["upper_total"][dof]
    at_start, displacement_rate = rows["lower_start"][dof] * inverse_h, joint.displacement * inverse_h
    s_low = at_start - displacement_rate
    s_high = rows["upper_start"][dof] * inverse_h - displacement_rate
    up, down = (minimum(s_low, erp * s_low) - v) * soft, (maximum(s_high, erp * s_high) - v) * soft
    # impulse that stops the joint: a limit that it leaves may take back that much
    stop = -(v * soft)
    back_low, back_high = minimum(stop, 0.0), maximum(stop, 0.0)
    if final:
        acts_low, acts_high = (s_low <= 0.0) & (v < s_low), (s_high >= 0.0) & (v > s_high)
        up, down = where(s_low <= 0.0, up, back_low), where(s_high >= 0.0, down, back_high)
    else:
        acts_low, acts_high = (s_low > 0.0) | (v < s_low), (s_high < 0.0) | (v > s_high)
    # total_low >= 0 >= total_high
    # the acting one: reaching or leaving a limit pulls less than staying does
    change_low, change_high = maximum(maximum(up, back_low), -low), minimum(minimum(down, back_high), -high)
    change_low = where(acts_high & logical_not(acts_low), 0.0, change_low)
    change_high = where(acts_low, 0.0, change_high)
    # where none acts and none has an impulse, there is nothing to take back
    triggered = rows["limit_trigger"][dof] - displacement_rate if "limit_trigger" in rows else s_low
    near = (triggered > minimum(v, 0.0)) | (s_high < maximum(v, 0.0))
    near = unlikely(near if "limit_trigger" in rows else near | (low - high > 0.0))
    joint.apply_impulse_where(near, change_low + change_high)
    new_low, new_high = low + change_low, high + change_high
    out["lower_total"][dof], out["upper_total"][dof] = where(near, new_low, low), where(near, new_high, high)
    if "limit_trigger" in rows:
        trigger = where(new_low - new_high > 0.0, ALWAYS_TRIGGERED, at_start)
        out["limit_trigger"][dof] = where(near, trigger, rows["limit_trigger"][dof])


def solve_friction(t: Topology, rows: Rows, dof: int, joint: SolvedDof, final: bool) -> Scalar:
    """Apply joint friction; returns its impulse since the step began.

    F = -v / (r + cfm); above static * time it is limited to (dynamic + viscous |v|) * time.
    """
    total = rows["friction_total"][dof]
    every_iteration = t.forces_every_iteration and not final
    period, before = (rows["h"][0], 0.0) if every_iteration else (rows["dt"][0], total)
    # F = total - v / (r + cfm); |F| > mu_s period: |F| = min(|F|, (mu_d + mu_v |v|) period)
    # (DyFeatherstoneArticulation.cpp, computeFrictionImpulse)
    F = before - joint.v * joint.soft
    max_friction = rows["dynamic_friction"][dof] * period + rows["viscous_friction"][dof] * period * abs(joint.v)
    # by sizes, for a short dependency chain: slipping and the sliding impulse are computed in parallel
    size = abs(F)
    size = where(size > rows["static_friction"][dof] * period, minimum(size, max_friction), size)
    change = where(F < 0.0, -size, size) - before
    joint.apply_impulse(change)
    return total + change


def solve_load_friction(rows: Rows, dof: int, joint: SolvedDof) -> None:
    """Apply load-dependent friction, limited in each iteration by itself."""
    # |F| <= friction load h, not accumulated  (PhysX 5.3.1, DyFeatherstoneForwardDynamic.cpp, computeJointFriction)
    max_impulse = rows["load_friction_impulse"][dof]
    joint.apply_impulse(clamp(-(joint.v * joint.soft), -max_impulse, max_impulse))


def solve_max_velocity(rows: Rows, dof: int, joint: SolvedDof) -> None:
    """Clamp the joint's velocity to its maximum, softened."""
    # F = (clamp(v, -max, max) - v) / (r + cfm)
    # (DyFeatherstoneArticulation.cpp, solveInternalJointConstraintRecursive)
    max_velocity = rows["max_velocity"][dof]
    joint.apply_impulse(-((joint.v - clamp(joint.v, -max_velocity, max_velocity)) * joint.soft))
