"""Constants of a maximal joint's rows, computed once a step at the poses of its start (PhysX DyTGSContactPrep).

`prepare` writes them to row groups, row by row, and `RowReader` reads them back in the same order. Between rigid
bodies rows are orthogonalised first (DyConstraintSetup.cpp), and linear ones are built again in every iteration. At
links, and with PGS, rows are constant, and their responses to each other (Delassus matrix) suffice for the iterations.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from physx_runtime.dynamics.aba import NO_LINK_RESPONSE, LinkResponse, response_of
from physx_runtime.dynamics.linear import inner
from physx_runtime.dynamics.spatial import NO_MOTION, Vec3, linear_first, motion_of
from physx_runtime.language.ops import Rows, Scalar, maximum, sqrt, where
from physx_runtime.model.body_kind import BODY, KINEMATIC, LINK
from physx_runtime.model.island import GEAR, RACK, JointTopology
from physx_runtime.model.island_rows import joint_rows
from physx_runtime.model.row_specs import PERSISTENT
from physx_runtime.solver.maximal_joint.couplings import (
    Forces,
    Motions,
    Responses,
    delta_velocities,
    forces_of,
    orthogonalize,
    reciprocal,
    response_along,
    velocity_along,
)
from physx_runtime.solver.maximal_joint.kinds import (
    JointGeometry,
    RowKind,
    has_arm,
    has_link,
    has_target,
    is_constant,
    is_fixed,
    row_kinds,
    rows_of,
    solving_order,
    symbols_for,
)
from physx_runtime.solver.maximal_joint.rows import Bounce, JointRow, Spring

PreparedRows = dict[str, list[Scalar]]


def append_row(out: PreparedRows, name: str, *values: Scalar) -> None:
    """Append to a row group."""
    out.setdefault(name, []).extend(values)


@dataclass(slots=True)
class RowReader:
    """Reads row groups, each from its start."""

    rows: Rows
    _indices: dict[str, int] = field(default_factory=dict, init=False)

    def scalar(self, name: str) -> Scalar:
        """The next value of a group."""
        index = self._indices.get(name, 0)
        self._indices[name] = index + 1
        return self.rows[name][index]

    def vector(self, name: str) -> Vec3:
        """The next three values of a group."""
        return (self.scalar(name), self.scalar(name), self.scalar(name))

    def several(self, name: str, count: int) -> list[Scalar]:
        """The next `count` values of a group."""
        return [self.scalar(name) for _ in range(count)]


# Greatest bias velocity of hard rows: angles over the step, and metres.
MAX_ANGULAR_BIAS, MAX_LINEAR_BIAS, MAX_LINEAR_BIAS_AT_LINKS = 0.75, 15.0, 1.5
# Rows with a smaller unit response are disabled.
MIN_UNIT_RESPONSE = 1e-12


@functools.lru_cache(maxsize=256)
def prepared_rows(t: JointTopology) -> Mapping[str, int]:
    """Size of every row group of scratch that `prepare` makes."""
    persistent = joint_rows(t, PERSISTENT)
    out = prepare(t, symbols_for(t))
    return MappingProxyType({name: len(values) for name, values in out.items() if name not in persistent})


def prepare(t: JointTopology, rows: Rows) -> PreparedRows:
    """Constants of a joint for its solution, with impulses 0.

    rows: those of `kinds.preparation_inputs`; `cross_response`(36) for two links of one articulation.
    """
    geometry, kinds, out = rows_of(t, rows), row_kinds(t), dict[str, list[Scalar]]()
    _add_joint(out, t, rows, geometry, kinds)
    # PhysX orthogonalises rows between rigid bodies alone  (DyTGSContactPrep.cpp, setupSolverConstraintStep)
    ordered, responses = solving_order(t, geometry.rows), (_response(t, rows, 0), _response(t, rows, 1))
    if not has_link(t):
        ordered = orthogonalize(ordered, responses)
    if is_constant(t):
        unit_responses, inverse_responses = _add_constant_rows(out, t, rows, ordered, responses)
    else:
        unit_responses = _add_body_rows(out, t, ordered, kinds, responses)
        inverse_responses = [reciprocal(unit_response) for unit_response in unit_responses]
    for row, kind, unit_response, r in zip(ordered, kinds, unit_responses, inverse_responses, strict=True):
        _add_constants(out, t, rows, row, kind, unit_response, r)
    return {**out, **geometry.persistent}


def _add_joint(out: PreparedRows, t: JointTopology, rows: Rows, geometry: JointGeometry,
               kinds: Sequence[RowKind]) -> None:
    """Add the values of all rows: their arms, and the bias of hard ones."""
    dt, h = rows["dt"][0], rows["h"][0]
    for k, arm in enumerate((geometry.arm0, geometry.arm1)):
        if has_arm(t, k):
            append_row(out, "arms", *arm)
    if t.measures_force:
        append_row(out, "lever", *geometry.lever)
    if t.breaks:
        # unbroken
        append_row(out, "acts", 1.0 - rows["broken"][0])
    # |bias| <= 0.75 / dt rad/s, 15 / dt or 1.5 / dt m/s  (DyTGSContactPrep.cpp, computeMaxBiasVelocityTGS)
    max_bias = MAX_LINEAR_BIAS_AT_LINKS if has_link(t) else MAX_LINEAR_BIAS
    max_angular_bias, max_linear_bias = (math.inf, math.inf) if t.pgs else (
        MAX_ANGULAR_BIAS / dt, max_bias * rows["length_scale"][0] / dt)
    # bias = -C / sqrt(h dt)  (DyTGSContactPrep.cpp, setupSolverConstraintStep)
    if not all(kind.spring for kind in kinds):
        append_row(out, "bias", -1.0 / sqrt(h * dt), max_angular_bias, max_linear_bias)
    for kind in kinds:
        append_row(out, impulse_group(kind), 0.0)


def impulse_group(kind: RowKind) -> str:
    """The row group of a row's impulse so far; springs are skipped in velocity iterations."""
    return "spring_impulse" if kind.spring else "impulse"


def _response(t: JointTopology, rows: Rows, k: int) -> LinkResponse:
    kind = t.solver_bodies[k].kind
    if kind == LINK:
        return response_of(rows[f"body{k}_response"])
    return body_response(rows, k) if kind == BODY else NO_LINK_RESPONSE


def body_response(rows: Rows, k: int) -> LinkResponse:
    """The response of a rigid body at its centre of mass."""
    # M^-1 = [I^-1, 0; 0, 1 / m]
    m, x = rows[f"body{k}_inverse_mass"][0], rows[f"body{k}_inverse_inertia"]
    return LinkResponse((x[0], x[1], x[2], x[3], x[4], x[5]), NO_LINK_RESPONSE.cross, (m, m, m, 0.0, 0.0, 0.0))


def _add_body_rows(out: PreparedRows, t: JointTopology, rows: list[JointRow], kinds: Sequence[RowKind],
                   responses: Responses) -> list[Scalar]:
    """Add axes, and responses of bodies to rows with fixed axes; return the unit response of each row at the start."""
    unit_responses = []
    for row, kind in zip(rows, kinds, strict=True):
        # J M^-1 J^T  (DyTGSContactPrep.cpp, setupSolverConstraintStep)
        forces = forces_of(row)
        delta_velocity = delta_velocities(forces, responses)
        unit_responses.append(response_along(forces, delta_velocity))
        append_row(out, "axes", *_axes(t, row))
        if is_fixed(t, kind):
            for k in (0, 1):
                if t.solver_bodies[k].kind == BODY:
                    append_row(out, "spins", *delta_velocity[k].angular)
    return unit_responses


def _axes(t: JointTopology, row: JointRow) -> list[Scalar]:
    """The axis of a row: one for both sides, except for gears and racks."""
    if t.kind == RACK:
        return [*row.angular0, *row.linear1]
    return [*row.angular0, *row.angular1] if t.kind == GEAR else [*(row.angular0 if row.angular else row.linear0)]


def _add_constant_rows(out: PreparedRows, t: JointTopology, rows: Rows, ordered: list[JointRow],
                       responses: Responses) -> tuple[list[Scalar], list[Scalar]]:
    """Add axes, arms and the Delassus matrix; return the unit response of each row, and its reciprocal."""
    # cfm = max of both links  (DyTGSContactPrep.cpp, getCFM)
    cfm = functools.reduce(
        maximum, [rows[f"body{k}_cfm"][0] for k, body in enumerate(t.solver_bodies) if body.kind == LINK] or [0.0])
    previous: list[Motions] = []
    unit_responses, inverse_responses = [], []
    for row in ordered:
        # Delassus matrix J_i M^-1 J_j^T, 1 / (J M^-1 J^T + cfm)
        forces = forces_of(row)
        _add_forces(out, t, row)
        for other in previous:
            append_row(out, "delassus", response_along(forces, other))
        previous.append(_coupled_response(rows, forces, responses))
        # response below 1e-12 makes no row
        response = response_along(forces, previous[-1])
        active = response >= MIN_UNIT_RESPONSE if has_link(t) else response > 0.0
        unit_responses.append(response + cfm)
        inverse_responses.append(where(active, 1.0 / where(active, response + cfm, 1.0), 0.0))
    return unit_responses, inverse_responses


def _add_forces(out: PreparedRows, t: JointTopology, row: JointRow) -> None:
    """Add the constant forces of a row; with PGS an orthogonalised row may be linear and angular."""
    if t.pgs:
        append_row(out, "forces", *row.angular0, *row.linear0, *row.angular1, *row.linear1)
        return
    append_row(out, "axes", *_axes(t, row))
    for k, arm_cross_axis in enumerate(() if row.angular else (row.angular0, row.angular1)):
        if t.measures_force or t.solver_bodies[k].moves:
            append_row(out, "r_cross_n", *arm_cross_axis)


def _coupled_response(rows: Rows, forces: Forces, responses: Responses) -> Motions:
    """Changes of velocity of links by a row, with their cross response if they have one."""
    first, second = delta_velocities(forces, responses)
    if "cross_response" not in rows:
        return first, second
    # v0 = T0 f0 - C f1, v1 = T1 f1 - C^T f0: wrenches on the other link are of opposite sign
    C = [rows["cross_response"][6 * i:6 * i + 6] for i in range(6)]
    wrenches = [linear_first(force) for force in forces]
    return (first - motion_of([inner(line, wrenches[1]) for line in C]),
            second - motion_of([inner([line[i] for line in C], wrenches[0]) for i in range(6)]))


def _add_constants(out: PreparedRows, t: JointTopology, rows: Rows, row: JointRow, kind: RowKind, unit_response: Scalar,
                   r: Scalar) -> None:
    """Add the constants of one row; r: reciprocal of its unit response, 0 for an inactive row."""
    kinematic_velocity = _kinematic_velocity(t, rows, row)
    # spring rows  (DyTGSContactPrep.cpp, setupSolverConstraintStep)
    if row.spring:
        _add_spring(out, t, row.spring, row, rows["h"][0], unit_response, r, kinematic_velocity)
        if t.pgs:
            append_row(out, "decay", _decay_factor(row.spring, row, rows["h"][0], unit_response))
    else:
        # restitution: v_target = -e v where C <= 0 and -v > threshold; such a row has no bias
        rebound = _bounce_velocity(row.bounce, row.error, _row_velocity(t, rows, row)) if row.bounce else 0.0
        bias = where(rebound > 0.0, 0.0, out["bias"][0]) if row.bounce else out["bias"][0]
        append_row(out, "error", row.error)
        if has_target(t, kind):
            append_row(out, "target", kinematic_velocity + rebound)
        if kind.bounces:
            append_row(out, "row_bias", bias)
        if kind.keeps_bias:
            append_row(out, "final_bias", where(row.keeps_bias, bias, 0.0))
        if is_constant(t) or is_fixed(t, kind):
            append_row(out, "reciprocal", r)
    if kind.drive:
        append_row(out, "largest_impulse", rows["dt"][0] * row.upper)


def _add_spring(out: PreparedRows, t: JointTopology, spring: Spring, row: JointRow, h: Scalar, unit_response: Scalar,
                r: Scalar,
                kinematic_velocity: Scalar) -> None:
    """Add the factors of an implicit spring for velocity and displacement, and its constant part.

    In SAPIEN's PhysX 5.3.1 damping also acts on the displacement, relative to the target velocity. In velocity
    iterations the velocity part still acts (setSolverConstantsStep and conclude1DStep in DyTGSContactPrep.cpp of that
    version).
    """
    # a = h (h k + d), x = 1 / (1 + a r): F = x (h d v_target - a v - h k C)
    k, d = spring.stiffness, spring.damping
    a = h * (h * k + d)
    x = _spring_factor(t, spring, row, a, unit_response, r)
    velocity_gain, position_gain = -x * a, -x * h * k
    target = x * h * d * spring.target_velocity - velocity_gain * kinematic_velocity
    # PhysX 5.3.1: position term of the damping, x' of h^2 (k + d)
    if t.sapien:
        damping_scale = _spring_factor(t, spring, row, h * h * (k + d), unit_response, r)
        append_row(out, "spring", velocity_gain, position_gain - damping_scale * h * d, position_gain * row.error)
        append_row(out, "spring_target", target, target * unit_response, where(row.keeps_bias, 1.0, 0.0))
    else:
        append_row(out, "spring", velocity_gain, position_gain, target + position_gain * row.error)


def _spring_factor(t: JointTopology, spring: Spring, row: JointRow, a: Scalar, unit_response: Scalar,
                   r: Scalar) -> Scalar:
    """The factor x of a spring's impulse with a = h (h k + d); 0 for an inactive spring."""
    # accelerations: x = 1 / ((1 + a) r)
    x = 1.0 / (1.0 + a) * r if spring.acceleration else 1.0 / (1.0 + a * unit_response)
    return where(row.active, where(r > 0.0, x, 0.0) if has_link(t) else x, 0.0)


def _decay_factor(spring: Spring, row: JointRow, h: Scalar, unit_response: Scalar) -> Scalar:
    """With PGS: the part of its impulse so far that a spring computes again."""
    # total' = (1 - x) total + F
    a = h * (h * spring.stiffness + spring.damping)
    x = 1.0 / (1.0 + (a if spring.acceleration else a * unit_response))
    return where(row.active, x, 0.0)


def _bounce_velocity(bounce: Bounce, error: Scalar, speed: Scalar) -> Scalar:
    """The target velocity of a limit by restitution, for sides approaching with `speed`; 0 without a bounce."""
    return where((error <= 0.0) & (-speed > bounce.threshold), -bounce.restitution * speed, 0.0)


def _row_velocity(t: JointTopology, rows: Rows, row: JointRow) -> Scalar:
    """J v at the step's start."""
    # J v
    names = {KINEMATIC: "velocity", BODY: "v", LINK: "v"}
    first, second = (motion_of(rows[f"body{k}_{names[body.kind]}"]) if body.kind in names else NO_MOTION
                     for k, body in enumerate(t.solver_bodies))
    return velocity_along(forces_of(row), (first, second))


def _kinematic_velocity(t: JointTopology, rows: Rows, row: JointRow) -> Scalar:
    """The velocity of kinematic sides along the row."""
    # v_target = -J v_kinematic
    velocities = [motion_of(rows[f"body{k}_velocity"]) if body.kind == KINEMATIC else NO_MOTION
                  for k, body in enumerate(t.solver_bodies)]
    return -velocity_along(forces_of(row), (velocities[0], velocities[1]))
