"""Limits, friction and greatest velocity of a dof.

Position limits of a joint.

Joint friction: static, dynamic and viscous; in SAPIEN also by what the joint carries.

The joint's maximum velocity.

One degree of freedom as its constraints see it, one after another, during an iteration.
"""

from __future__ import annotations

from dataclasses import dataclass

from physx_runtime.language.ops import Rows, Scalar, clamp, logical_not, maximum, minimum, unlikely, where
from physx_runtime.model.topology import Topology


@dataclass(slots=True)
class SolvedDof:
    """Its response, softening and motion; an impulse changes `v` at once."""

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


# The speed at the lower limit that has it looked at in every iteration.
ALWAYS_TRIGGERED = 1e30


def limit_trigger(rows: Rows, lower_start: Scalar) -> Scalar:
    """The speed that reaches the lower limit in one substep, at the step's start.

    Once a limit has given an impulse, this is `ALWAYS_TRIGGERED`: what it gave is looked at until it is taken back. So
    one number decides with the speed of the upper limit whether there is anything to do, and no total is read for that.
    """
    # s = (lower - q) / h
    return lower_start * (1.0 / rows["h"][0])


def solve_limit(rows: Rows, dof: int, joint: SolvedDof, out: dict[str, list[Scalar]], final: bool) -> None:
    """Keep the joint inside; what the lower and upper limit have given since the step began goes to `out`.

    s is the speed that reaches a limit in one substep. Beyond the limit (s towards the inside) the aim is erp * s,
    before it the joint may arrive with s; a velocity iteration has no aim beyond the limit. A limit pushes only, so
    its total keeps its sign; where neither acts, the one the joint leaves takes back at most what it gave.
    """
    # s = (limit - q) / h, F = (erp s - v) / (r + cfm) beyond the limit, (s - v) / (r + cfm) before it
    # (DyFeatherstoneArticulation.cpp, computeLimitImpulse)
    inverse_h, erp, v, soft = 1.0 / rows["h"][0], rows["erp"][0], joint.v, joint.soft
    low, high = rows["lower_total"][dof], rows["upper_total"][dof]
    at_start, displacement_rate = rows["lower_start"][dof] * inverse_h, joint.displacement * inverse_h
    s_low = at_start - displacement_rate
    s_high = rows["upper_start"][dof] * inverse_h - displacement_rate
    up, down = (minimum(s_low, erp * s_low) - v) * soft, (maximum(s_high, erp * s_high) - v) * soft
    # what stops the joint where it is: a limit that it leaves may take back that much
    stop = -(v * soft)
    back_low, back_high = minimum(stop, 0.0), maximum(stop, 0.0)
    if final:
        acts_low, acts_high = (s_low <= 0.0) & (v < s_low), (s_high >= 0.0) & (v > s_high)
        up, down = where(s_low <= 0.0, up, back_low), where(s_high >= 0.0, down, back_high)
    else:
        acts_low, acts_high = (s_low > 0.0) | (v < s_low), (s_high < 0.0) | (v > s_high)
    # total_low >= 0 >= total_high
    # each is the one that acts: reaching or leaving a limit pulls less than staying does
    change_low, change_high = maximum(maximum(up, back_low), -low), minimum(minimum(down, back_high), -high)
    change_low = where(acts_high & logical_not(acts_low), 0.0, change_low)
    change_high = where(acts_low, 0.0, change_high)
    # where none acts and none has given anything, there is nothing to take back
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
    """Stop the joint or brake it; returns the friction's impulse since the step began.

    F = -v / (r + cfm); above static * time it is limited to (dynamic + viscous |v|) * time.
    """
    total = rows["friction_total"][dof]
    every_iteration = t.forces_every_iteration and not final
    period, before = (rows["h"][0], 0.0) if every_iteration else (rows["dt"][0], total)
    # F = total - v / (r + cfm); |F| > mu_s period: |F| = min(|F|, (mu_d + mu_v |v|) period)
    # (DyFeatherstoneArticulation.cpp, computeFrictionImpulse)
    F = before - joint.v * joint.soft
    max_friction = rows["dynamic_friction"][dof] * period + rows["viscous_friction"][dof] * period * abs(joint.v)
    # by sizes, as few operations after another: whether it slips and how much it then gives are known at a time
    size = abs(F)
    size = where(size > rows["static_friction"][dof] * period, minimum(size, max_friction), size)
    change = where(F < 0.0, -size, size) - before
    joint.apply_impulse(change)
    return total + change


def solve_load_friction(rows: Rows, dof: int, joint: SolvedDof) -> None:
    """Stop the joint or brake it by what its load allows in an iteration, whatever it gave in those before."""
    # |F| <= friction load h, not accumulated  (PhysX 5.3.1, DyFeatherstoneForwardDynamic.cpp, computeJointFriction)
    max_impulse = rows["load_friction_impulse"][dof]
    joint.apply_impulse(clamp(-(joint.v * joint.soft), -max_impulse, max_impulse))


def solve_max_velocity(rows: Rows, dof: int, joint: SolvedDof) -> None:
    """Take away what exceeds the joint's maximum velocity, softened."""
    # F = (clamp(v, -max, max) - v) / (r + cfm)
    # (DyFeatherstoneArticulation.cpp, solveInternalJointConstraintRecursive)
    max_velocity = rows["max_velocity"][dof]
    joint.apply_impulse(-((joint.v - clamp(joint.v, -max_velocity, max_velocity)) * joint.soft))
