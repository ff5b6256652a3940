"""Solver rows of a contact patch: normals, friction anchors and torsional friction (PhysX DyTGSContactPrep).

`prepare` computes the constants of a patch once a step, at the poses of its start (PGS: DyContactPrep.cpp). `solve`
solves it in an iteration (solveContact and solveExtContactStep; PGS: DySolverConstraints.cpp), `solve_normal` without
friction. Normal rows: F = max(min(maxPenBias, c separation) r - (v - target) m, -total). Friction: |F_t| <= mu_s N,
and mu_d N once it slips. `PatchSetup` builds rows, and `solver_bodies.BodyState` is what they act on.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from types import MappingProxyType

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import ZERO3, Force, Vec3, triple
from physx_runtime.language.ops import Rows, Scalar, Scalars, clamp, logical_not, maximum, minimum, sqrt, where
from physx_runtime.language.symbols import Graph
from physx_runtime.model.body_kind import KINEMATIC
from physx_runtime.model.contact_rows import ContactTopology, patch_rows
from physx_runtime.solver.contact.solver_bodies import (
    AT_START,
    BodyState,
    PatchRow,
    SolverBodies,
    add_row,
    cfm_of,
    forces_at,
    kinematic_velocities,
    positions,
    responses,
    velocities,
)
from physx_runtime.solver.maximal_joint.couplings import (
    Forces,
    Motions,
    Responses,
    delta_velocities,
    response_along,
    velocity_along,
)
from physx_runtime.solver.maximal_joint.preparation import PreparedRows, RowReader, append_row

# Greatest fraction of an error that an iteration corrects: of penetration, and of friction.
MAX_BIAS_COEFFICIENT = 0.8
# Fraction of the drift along a surface that friction of links corrects in SAPIEN 3.0.
SAPIEN_BIAS = 0.8
# The square of a sliding speed [m^2/s^2] beyond which friction acts along it.
MIN_SLIDING_SQUARE = 1e-4
# Component of a normal along x beyond which another axis makes the tangent.
TANGENT_THRESHOLD = 0.70710678
# Rows of links with a smaller unit response give no friction.
MIN_UNIT_RESPONSE = 1.1920929e-07
# Fraction of the impulse that would stop a link, as a lower bound of the load of its friction.
MIN_NORMAL_FRACTION = 0.25


@functools.lru_cache(maxsize=256)
def prepared_rows(t: ContactTopology) -> Mapping[str, int]:
    """Size of every row group of scratch that `prepare` makes."""
    graph = Graph()
    rows = {name: [graph.input(f"{name}_{i}") for i in range(size)] for name, size in preparation_inputs(t).items()}
    return MappingProxyType({name: len(values) for name, values in prepare(t, rows).items()})


def preparation_inputs(t: ContactTopology) -> dict[str, int]:
    """Names and sizes of the rows that `prepare` reads."""
    sizes = {f"body{k}_{name}": size for k, body in enumerate(t.solver_bodies) for name,
             size in AT_START[body.kind].items()}
    return {**patch_rows(t), "dt": 1, "h": 1, **sizes}


def prepare(t: ContactTopology, rows: Rows) -> PreparedRows:
    """Constants of a patch for its solution, with impulses 0; rows: those of `preparation_inputs`."""
    return prepare_with(PatchSetup(t, rows))


def prepare_with(setup: PatchSetup) -> PreparedRows:
    """As `prepare`, with rows built by `setup`."""
    out: PreparedRows = {}
    _add_points(out, setup)
    _add_friction(out, setup)
    if setup.t.torsional:
        _add_torsion(out, setup)
    out["broken"] = [0.0]
    return out


class PatchSetup:
    """Common values of all rows of a patch, and their storage: read back by `SolverBodies.row`."""

    def __init__(self, t: ContactTopology, rows: Rows) -> None:
        self.t, self.rows = t, rows
        self.dt, self.h = rows["dt"][0], rows["h"][0]
        self.normal = triple(rows, "normal", 0)
        self.positions = positions(t, rows)
        self.kinematic = kinematic_velocities(t, rows)
        # restitution and tangents see kinematic targets as well
        moving = self.velocities()
        self.all_velocities: Motions = (moving[0] + self.kinematic[0], moving[1] + self.kinematic[1])
        self.cfm = cfm_of(t, rows)
        # biasCoefficient = min(0.8, 2 sqrt(h / dt))  (DyTGSContactPrep.cpp, setupFinalizeSolverConstraints)
        self.bias_coefficient = minimum(MAX_BIAS_COEFFICIENT, 2.0 * sqrt(self.h / self.dt))

    def velocities(self) -> Motions:
        """Velocities of the sides that forces move, at the step's start."""
        return velocities(self.t, self.rows)

    def add_row(self, out: PreparedRows, group: str, forces: Forces) -> Scalar:
        """Store a row for the solution; return its unit response."""
        delta_velocity = delta_velocities(forces, self._responses)
        add_row(out, self.t, group, forces, delta_velocity)
        return response_along(forces, delta_velocity)

    @functools.cached_property
    def _responses(self) -> Responses:
        return responses(self.t, self.rows)

    def scalar(self, name: str) -> Scalar:
        """The value of a row group with a single value."""
        return self.rows[name][0]

    def target_velocity(self, forces: Forces) -> Scalar:
        """The velocity of kinematic sides along a row."""
        return -velocity_along(forces, self.kinematic)

    @property
    def has_kinematic(self) -> bool:
        """Whether a side is kinematic."""
        return any(body.kind == KINEMATIC for body in self.t.solver_bodies)


def _add_points(out: PreparedRows, s: PatchSetup) -> None:
    """Add normal rows; for links also the least load of friction."""
    # J = [n, r x n], r = 1 / (J M^-1 J^T + cfm)  (DyTGSContactPrep.cpp, constructContactConstraintStep)
    stopping_impulse: Scalar = 0.0
    for i, used in enumerate(s.rows["point_used"]):
        point = triple(s.rows, "point", i)
        forces = forces_at((sp.sub(point, s.positions[0]), sp.sub(point, s.positions[1])), s.normal)
        unit_response = s.add_row(out, "point", forces)
        active = (unit_response > 0.0) & (used > 0.0)
        r = where(active, 1.0 / where(active, unit_response + s.cfm, 1.0), 0.0)
        depth, speed = s.rows["separation"][i], velocity_along(forces, s.all_velocities)
        # bounce: e > 0 and -v > threshold and -v dt > separation; the target velocity is -e v
        # (DyTGSContactPrep.cpp, constructContactConstraintStep)
        closing = -speed > depth / s.dt
        bounces = (s.scalar("restitution") > 0.0) & (-s.scalar("bounce_threshold") > speed)
        bounces = bounces if s.t.sapien else bounces & closing
        bounces = bounces & logical_not(s.scalar("stiffness") > 0.0)
        rebound = where(bounces, -s.scalar("restitution") * speed, 0.0)
        # bouncing: error = separation + v_target (dt + separation / v), where it reaches the surface in this step
        error = 0.0 if s.t.pgs else depth + rebound * (s.dt + depth / where(bounces, speed, 1.0))
        append_row(out, "error", where(bounces, error, depth))
        append_row(out, "target", rebound + s.target_velocity(forces))
        bias_coefficient, velocity_multiplier = _stiffness(out, s, unit_response, r, depth, closing)
        append_row(out, "bias_coefficient", bias_coefficient)
        append_row(out, "reciprocal", r)
        append_row(out, "velocity_multiplier", where(active, velocity_multiplier, 0.0))
        append_row(out, "impulse", 0.0)
        # least friction load at links: 1/4 of sum max(v_target - separation / dt - v, 0) r / points
        gap = maximum(depth, 0.0) if s.t.pgs else depth
        stopping_impulse = stopping_impulse + maximum((rebound - gap / s.dt - speed) * velocity_multiplier * used, 0.0)
    # maxPenBias of a compliant contact is infinite  (DyTGSContactPrep.cpp, setupFinalizeSolverConstraints)
    compliant = s.scalar("stiffness") > 0.0
    # compliant surfaces separate without a speed limit between bodies, but at links only with PGS
    append_row(out, "max_bias_velocity", s.scalar("max_depenetration") if s.t.has_link and not s.t.pgs
               else where(compliant, math.inf, s.scalar("max_depenetration")))
    if s.t.has_link:
        append_row(out, "min_normal_impulse",
                   MIN_NORMAL_FRACTION * stopping_impulse / maximum(_sum(s.rows["point_used"]), 1.0))


def _stiffness(out: PreparedRows, s: PatchSetup, unit_response: Scalar, r: Scalar, depth: Scalar,
               closing: Scalar) -> tuple[Scalar, Scalar]:
    """Add the factors of depth and of velocity in a normal impulse; with PGS also that of the impulse so far."""
    k, accelerates = s.scalar("stiffness"), s.scalar("acceleration_spring") > 0.0
    compliant, separated = k > 0.0, depth > 0.0
    # a = h (h k + d), x = 1 / (1 + a r) of a force, 1 / (1 + a) of an acceleration
    # (DyContactPrepShared.h, computeCompliantContactCoefficientsTGS; PGS: computeCompliantContactCoefficients)
    a = s.h * (where(separated & logical_not(closing), 0.0, s.scalar("damping")) + s.h * k)
    x = 1.0 / (1.0 + a * where(accelerates, 1.0, unit_response))
    if s.t.pgs:
        append_row(out, "impulse_multiplier", where(compliant, 1.0 - x, 1.0))
    bias_coefficient = -s.h * k * x * where(accelerates, 1.0, unit_response + s.cfm if s.t.pgs else unit_response)
    # rigid: bias = -separation / h before the surface, -biasCoefficient separation / h behind it
    bias_scale = where(separated, 1.0, s.bias_coefficient) / s.h
    return where(compliant, bias_coefficient, -bias_scale), where(compliant, x * a * where(accelerates, r, 1.0), r)


def _add_friction(out: PreparedRows, s: PatchSetup) -> None:
    """Add two rows for each anchor."""
    # t0 along the sliding velocity, t1 = n x t0  (DyTGSContactPrep.cpp, computeFrictionTangents)
    first = _tangent(s)
    third = sp.cross(s.normal, first)
    second = third if s.t.has_link else _normalized(third)
    append_row(out, "tangents", *first, *second)
    # friction impulse <= mu N / anchors per anchor  (DyTGSContactPrep.cpp, setupFinalizeSolverConstraints)
    used = s.rows["anchor_used"]
    append_row(out, "anchor_fraction", 1.0 / maximum(_sum(used), 1.0))
    append_row(out, "friction_bias_scale",
               (SAPIEN_BIAS if s.t.has_link else s.bias_coefficient) / s.h if s.t.sapien else 1.0 / s.h)
    offset = sp.sub(*s.positions)
    for j, is_used in enumerate(used):
        # error = (r0 + x0 - r1 - x1) . t, the anchors' drift  (DyTGSContactPrep.cpp, setupFinalizeSolverConstraints)
        arms = (triple(s.rows, "anchor0", j), triple(s.rows, "anchor1", j))
        error = sp.add(sp.sub(*arms), offset)
        for axis in (first, second):
            forces = forces_at(arms, axis)
            unit_response = s.add_row(out, "friction", forces)
            append_row(out, "friction_error", sp.dot(error, axis))
            append_row(out, "friction_multiplier", _friction_multiplier(s, unit_response, is_used))
            if s.has_kinematic:
                append_row(out, "friction_target", s.target_velocity(forces))
            append_row(out, "friction_impulse", 0.0)


def _friction_multiplier(s: PatchSetup, unit_response: Scalar, is_used: Scalar) -> Scalar:
    # velMultiplier = biasCoefficient / (J M^-1 J^T + cfm)
    active = (unit_response > (MIN_UNIT_RESPONSE if s.t.has_link else 0.0)) & (is_used > 0.0)
    return where(active, s.bias_coefficient / where(active, unit_response + s.cfm, 1.0), 0.0)


def _tangent(s: PatchSetup) -> Vec3:
    """The direction of sliding, or any tangent at low speed."""
    # sliding = v - (n . v) n; below 0.01 m/s any vector of the plane  (DyTGSContactPrep.cpp, computeFrictionTangents)
    n = s.normal
    relative = sp.sub(s.all_velocities[0].linear, s.all_velocities[1].linear)
    sliding = sp.sub(relative, sp.scale(sp.dot(n, relative), n))
    slides, flat = sp.dot(sliding, sliding) > MIN_SLIDING_SQUARE, abs(n[0]) < TANGENT_THRESHOLD
    any_axis = (where(flat, 0.0, -n[1]), where(flat, -n[2], n[0]), where(flat, n[1], 0.0))
    x, y, z = (where(slides, a, b) for a, b in zip(sliding, any_axis, strict=True))
    return _normalized((x, y, z))


def _sum(values: Scalars) -> Scalar:
    return functools.reduce(lambda a, b: a + b, values)


def _normalized(a: Vec3) -> Vec3:
    return sp.scale(1.0 / sp.norm(a), a)


def _add_torsion(out: PreparedRows, s: PatchSetup) -> None:
    """Add one row about the normal, where the patch has one anchor."""
    # J = [0, n], radius = max(minRadius, sqrt(depth torsionalRadius))
    # (DyTGSContactPrep.cpp, setupFinalizeSolverConstraints)
    forces = Force(s.normal, ZERO3), Force(s.normal, ZERO3)
    unit_response = s.add_row(out, "torsion", forces)
    depth: Scalar = 0.0
    for separation, used in zip(s.rows["separation"], s.rows["point_used"], strict=True):
        depth = maximum(depth, -separation * used)
    anchors = _sum(s.rows["anchor_used"])
    is_single = where(anchors < 1.5, anchors, 0.0)
    append_row(out, "torsion_arm", maximum(s.scalar("min_torsion_radius"), sqrt(depth * s.scalar("torsion_radius"))))
    append_row(out, "torsion_multiplier", _friction_multiplier(s, unit_response, is_single))
    if s.has_kinematic:
        append_row(out, "torsion_target", s.target_velocity(forces))
    append_row(out, "torsion_impulse", 0.0)


def solve(t: ContactTopology, rows: Rows, final: bool) -> PreparedRows:
    """Solve a patch in an iteration: its impulses so far, and the effect of those of this iteration.

    rows: the inputs of the patch and the rows of `prepare`, `elapsed`, and per moving side `bodyK_v`,
    `bodyK_displacement` and `bodyK_angular_displacement`; of a body `bodyK_inverse_mass`. Makes `impulse`,
    `friction_impulse`, `torsion_impulse`, `broken`, `bodyK_v` of bodies and `bodyK_impulse` of links. final: a
    velocity iteration, in which no penetration is corrected.
    """
    return solve_with(SolverBodies(t, rows), t, rows, final)


def solve_with(state: BodyState, t: ContactTopology, rows: Rows, final: bool) -> PreparedRows:
    """As `solve`, with impulses applied to `state`."""
    reader, out = RowReader(rows), PreparedRows()
    normal_impulse = _solve_normal(out, t, rows, reader, state, final)
    broken = _solve_friction(out, t, rows, reader, state, normal_impulse, final)
    if t.torsional:
        broken = _solve_torsion(out, t, rows, reader, state, normal_impulse, broken)
    return {**out, "broken": [broken], **state.outputs()}


def solve_normal(t: ContactTopology, rows: Rows) -> PreparedRows:
    """As `solve` without friction: the early position iterations of PGS."""
    state, out = SolverBodies(t, rows), PreparedRows()
    _solve_normal(out, t, rows, RowReader(rows), state, final=False)
    return {**out, **state.outputs()}


def _solve_normal(out: PreparedRows, t: ContactTopology, rows: Rows, reader: RowReader, state: BodyState,
                  final: bool) -> Scalar:
    """Solve normal rows, point after point; return the sum of their impulses."""
    # F = max(min(maxPenBias, c separation) r - (v - target) m, -total), total <= maxImpulse
    # (DyTGSContactPrep.cpp, solveDynamicContactsStep; PGS: DySolverConstraints.cpp, solveContact)
    normal, normal_impulse = triple(rows, "normal", 0), 0.0
    max_bias_velocity, max_impulse, elapsed = rows["max_bias_velocity"][0], rows["max_impulse"][0], rows["elapsed"][0]
    springs = rows["stiffness"][0] > 0.0 if t.pgs else False      # with PGS they act in every iteration
    for _ in range(t.points):
        row = state.row(reader, "point", normal)
        target, before = reader.scalar("target"), reader.scalar("impulse")
        # current separation: that of the start plus n . (dx0 - dx1)
        depth = reader.scalar("error") + state.displacement(row) - target * elapsed
        # velocity iterations correct no penetration
        if final:
            depth = where(springs, depth, maximum(depth, 0.0))
        bias = minimum(max_bias_velocity, reader.scalar("bias_coefficient") * depth)
        speed = state.velocity(row) - target
        change = maximum(bias * reader.scalar("reciprocal") - speed * reader.scalar("velocity_multiplier"), -before)
        retained = reader.scalar("impulse_multiplier") * before if t.pgs else before
        after = minimum(retained + change, max_impulse)
        append_row(out, "impulse", after)
        state.apply_impulse(row, after - before)
        normal_impulse = normal_impulse + after
    # PhysX bounds friction of links from below
    return maximum(normal_impulse, rows["min_normal_impulse"][0]) if t.has_link else normal_impulse


def _solve_friction(out: PreparedRows, t: ContactTopology, rows: Rows, reader: RowReader, state: BodyState,
                    normal_impulse: Scalar,
                    final: bool) -> Scalar:
    """Solve friction, anchor after anchor; return 1 where one slips."""
    # |F_t| <= mu_s N, F_t = mu_d N once it slips
    load = rows["anchor_fraction"][0] * normal_impulse
    static_limit, dynamic_limit = rows["static_friction"][0] * load, rows["dynamic_friction"][0] * load
    if t.pgs:
        return _solve_axes(out, t, rows, reader, state, (static_limit, dynamic_limit), final)
    return _solve_anchors(out, t, rows, reader, state, (static_limit, dynamic_limit))


def _solve_anchors(out: PreparedRows, t: ContactTopology, rows: Rows, reader: RowReader, state: BodyState,
                   limits: tuple[Scalar, Scalar]) -> Scalar:
    """Solve both tangents of an anchor together."""
    (static_limit, dynamic_limit), broken, scale = limits, 0.0, rows["friction_bias_scale"][0]
    axes = triple(rows, "tangents", 0), triple(rows, "tangents", 1)
    for _ in range(t.anchors):
        # both tangents together: F_t *= min(mu_d N, |F_t|) / |F_t| where |F_t| > mu_s N
        # (DyTGSContactPrep.cpp, solveContact)
        axis_rows = [state.row(reader, "friction", axis) for axis in axes]
        before = [reader.scalar("friction_impulse") for _ in axes]
        impulses = [_stick(t, rows, reader, state, row, old, scale) for row, old in zip(axis_rows, before, strict=True)]
        size = sqrt(impulses[0] * impulses[0] + impulses[1] * impulses[1])
        nonzero, slides = size > 0.0, size > static_limit
        ratio = where(slides, minimum(dynamic_limit, size) / where(nonzero, size, 1.0), 1.0)
        broken = where(slides, 1.0, broken)
        for row, old, impulse in zip(axis_rows, before, impulses, strict=True):
            append_row(out, "friction_impulse", ratio * impulse)
            state.apply_impulse(row, ratio * impulse - old)
    return broken


def _solve_axes(out: PreparedRows, t: ContactTopology, rows: Rows, reader: RowReader, state: BodyState,
                limits: tuple[Scalar, Scalar], final: bool) -> Scalar:
    """Solve each tangent with its own limits; velocity iterations do not correct drift."""
    # PGS: each tangent by itself, a pyramid  (DySolverConstraints.cpp, solveContact)
    broken, scale = 0.0, 0.0 if final else rows["friction_bias_scale"][0]
    for axis in [triple(rows, "tangents", i) for _ in range(t.anchors) for i in (0, 1)]:
        row = state.row(reader, "friction", axis)
        before = reader.scalar("friction_impulse")
        after, slides = _clamp_friction(_stick(t, rows, reader, state, row, before, scale), limits)
        broken = where(slides, 1.0, broken)
        append_row(out, "friction_impulse", after)
        state.apply_impulse(row, after - before)
    return broken


def _clamp_friction(impulse: Scalar, limits: tuple[Scalar, Scalar]) -> tuple[Scalar, Scalar]:
    """The friction impulse along one tangent, clamped to its limits, and whether it slips."""
    static_limit, dynamic_limit = limits
    slides = abs(impulse) > static_limit
    return where(slides, clamp(impulse, -dynamic_limit, dynamic_limit), impulse), slides


def _stick(t: ContactTopology, rows: Rows, reader: RowReader, state: BodyState, row: PatchRow, before: Scalar,
           scale: Scalar) -> Scalar:
    """The impulse with which a row would stick at its anchor."""
    # F_t = total - m (error / h + v_t)  (DyTGSContactPrep.cpp, solveContact)
    error = reader.scalar("friction_error") + state.displacement(row)
    speed = state.velocity(row)
    if any(body.kind == KINEMATIC for body in t.solver_bodies):
        target = reader.scalar("friction_target")
        error, speed = error - target * rows["elapsed"][0], speed - target
    return before - reader.scalar("friction_multiplier") * (error * scale + speed)


def _solve_torsion(out: PreparedRows, t: ContactTopology, rows: Rows, reader: RowReader, state: BodyState,
                   normal_impulse: Scalar,
                   broken: Scalar) -> Scalar:
    """Solve friction about the normal."""
    # F = total - m w_n, |F| <= mu radius N
    row = state.row(reader, "torsion", ZERO3)
    speed = state.velocity(row)
    if any(body.kind == KINEMATIC for body in t.solver_bodies):
        speed = speed - rows["torsion_target"][0]
    before, load = rows["torsion_impulse"][0], rows["torsion_arm"][0] * normal_impulse
    impulse = before - rows["torsion_multiplier"][0] * speed
    after, slides = _clamp_friction(impulse, (rows["static_friction"][0] * load, rows["dynamic_friction"][0] * load))
    append_row(out, "torsion_impulse", after)
    state.apply_impulse(row, after - before)
    return where(slides, 1.0, broken)
