"""Fragments of tendons and mimic joints: wrenches, responses, lengths and impulses of `solver.constraints`."""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.arrays import Scalar
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.linear import inner
from physx_runtime.dynamics.spatial import Force, force_of, linear_first, motion_of
from physx_runtime.language.ops import Rows
from physx_runtime.model.topology import Topology
from physx_runtime.solver.constraints.fixed_tendon import (
    axis_force,
    axis_fractions,
    axis_impulse,
    fixed_tendon_pulls,
    pgs_axis_rows,
    pull_lever,
    reaction_lever,
)
from physx_runtime.solver.constraints.mimic import mimic_coefficients, mimic_impulse
from physx_runtime.solver.constraints.spatial_tendon import (
    attachment_point,
    end_bias,
    segment_direction,
    spatial_tendon_impulse,
    tendon_length,
)
from physx_runtime.solver.scheduled.fragments.kinematics import Operands, central_acceleration, rotation_matrix, vec


def attach(rows: Operands) -> Rows:
    """Offset of an attachment from its link's anchor, and its position."""
    offset, point = attachment_point(rotation_matrix(rows["R"]), vec(rows["position"]), vec(rows["local"]))
    return {"offset": offset, "point": point}


def end_pull(rows: Operands, sign: float) -> Rows:
    """Wrench of a spatial tendon's end about its link's anchor, and its bias (`end_bias`)."""
    # u = +-(p_next - p) / |p_next - p|, J^T = [r x u, u]
    # (DyFeatherstoneArticulation.cpp, setupInternalSpatialTendonConstraintsRecursive)
    u = sp.scale(sign, segment_direction(vec(rows["point"]), vec(rows["next_point"])))
    offset = vec(rows["offset"])
    wrench = Force(sp.ZERO3, u).about(offset)
    bias = end_bias(u, central_acceleration(rows), sp.sub(offset, vec(rows["center"])))
    return {"wrench": linear_first(wrench), "bias": [rows["bias"][0] + rows["dt"][0] * bias]}


def axis_pull(rows: Operands, kind: str, opposed: bool) -> Rows:
    """Wrench along a fixed tendon's axis about a link's anchor, and dt Jdot v along it.

    With the row "start_d" the axis is the root axis, otherwise the link's own.
    """
    # J^T = [0, axis] or [lever x axis, axis] about the mass centre, moved to the anchor
    # (DyFeatherstoneArticulation.cpp, setupInternalFixedTendonConstraintsRecursive)
    center = vec(rows["center"])
    lever = reaction_lever(vec(rows["start_d"]), vec(rows["base_center"])) if "start_d" in rows else pull_lever(center)
    axis = sp.scale(-1.0, vec(rows["axis"])) if opposed else vec(rows["axis"])
    pull = axis_force(kind, axis, lever)
    return {"wrench": linear_first(pull.about(center)), "bias": [rows["dt"][0] * pull.dot(central_acceleration(rows))]}


def respond_pair(rows: Operands) -> Rows:
    """Response of two wrenches together, from the twists of their links."""
    # r = J M^-1 J^T
    return {"response": [force_of(rows["wrench"]).dot(motion_of(rows["twist"]))
                         + force_of(rows["other_wrench"]).dot(motion_of(rows["other_twist"]))]}


def scale(rows: Operands, axes: int, pgs: bool) -> Rows:
    """`axis_fractions` of one axis; with PGS `pgs_axis_rows`."""
    if pgs:
        return pgs_axis_rows(rows, 0, 0, axes, rows["response"][0])
    # x = share / (1 + a r)
    x, x_limit = axis_fractions(rows, 0, 0, axes, rows["response"][0])
    return {"fraction": [x], "limit_fraction": [x_limit]}


def add_rate(rows: Operands) -> Rows:
    """rate + row (v + dv)."""
    return {"rate": [rows["rate"][0] + rows["row"][0] * (rows["v"][0] + rows["dv"][0])]}


def measure(rows: Operands) -> Rows:
    """Length of a spatial tendon."""
    points = [(sp.ZERO3, vec(rows["points"], i)) for i in range(len(rows["points"]) // 3)]
    return {"length": [tendon_length(rows, 0, points)]}


def pull_spatial(rows: Operands, single: Topology) -> Rows:
    """`spatial_tendon_impulse`."""
    totals: dict[str, list[Scalar]] = {}
    # F = x (h k (L - L_rest) - a Ldot)  (DyFeatherstoneArticulation.cpp, solveInternalSpatialTendonConstraints)
    impulse = spatial_tendon_impulse(single, rows, 0, rows["length"][0], rows["rate"][0], totals)
    return {"impulse": [impulse], **totals}


def pull_fixed(rows: Operands) -> Rows:
    """`fixed_tendon_pulls`."""
    # P = h (h k + d) Ldot + h k (L - L_rest)  (DyFeatherstoneArticulation.cpp, solveFixedTendonConstraintsRecursive)
    pull, limit = fixed_tendon_pulls(rows, 0, rows["length"][0], rows["rate"][0])
    return {"impulse": [pull], "limit_impulse": [limit]}


def pull_axis(rows: Operands) -> Rows:
    """`axis_impulse`."""
    totals: dict[str, list[Scalar]] = {f"fixed_tendon0_{part}total": [0.0] for part in ("", "limit_")}
    # PGS: F = -x (share P + total)
    impulse = axis_impulse(rows, 0, 0, rows["pull"][0], rows["limit_pull"][0], totals)
    return {"impulse": [impulse], **totals}


def mimic_response(rows: Operands) -> Rows:
    """`mimic_coefficients`, from the column's entries at its two dofs."""
    # r = J M^-1 J^T = column_follower + gearing column_reference
    gearing = rows["mimic0_gearing"]
    return mimic_coefficients(rows, 0, inner([1.0, *gearing], [rows["at_follower"][0], rows["at_reference"][0]]))


def pull_mimic(rows: Operands, final: bool) -> Rows:
    """`mimic_impulse`."""
    # F = -(erp C / h + J v) / (r + cfm)  (DyCpuGpuArticulation.h, computeMimicJointImpulses)
    rates = [v + dv for v, dv in zip(rows["v"], rows["dv"], strict=True)]
    reference_rates = [v + dv for v, dv in zip(rows["other_v"], rows["other_dv"], strict=True)]
    q: Sequence[Scalar] = (rows["q"][0], rows["other_q"][0]) if "q" in rows else (0.0, 0.0)
    return {"impulse": [mimic_impulse(rows, 0, (q[0], q[1]), (rates[0], reference_rates[0]), final)]}
