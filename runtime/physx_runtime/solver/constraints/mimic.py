"""Mimic joints: follower + gearing * reference + offset = 0, hard or compliant."""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics.inverse_mass import InverseMass
from physx_runtime.dynamics.linear import inner
from physx_runtime.language.ops import Rows, Scalar, where
from physx_runtime.model.topology import Topology


def mimic_column(t: Topology, rows: Rows, minv: InverseMass, mimic: int) -> dict[str, list[Scalar]]:
    """Response of a mimic joint, and its bias factor and scaling per impulse.

    Hard where naturalFrequency or dampingRatio is not positive; else kp = nf^2/r, kd = 2 nf dr/r,
    erp = h kp/(h kp + kd) and cfm = 1/(h (h kp + kd)).
    """
    follower, reference = t.mimics[mimic]
    row: list[Scalar] = [0.0] * t.nv
    row[t.root_size + follower] = 1.0
    row[t.root_size + reference] = rows[f"mimic{mimic}_gearing"][0]
    column = minv.times(row)
    return {f"mimic{mimic}_column": column} | mimic_coefficients(rows, mimic, inner(row, column))


def mimic_coefficients(rows: Rows, mimic: int, r: Scalar) -> dict[str, list[Scalar]]:
    """Bias factor and scalings per impulse of a mimic joint with response r."""
    h = rows["h"][0]
    frequency, ratio = rows[f"mimic{mimic}_natural_frequency"][0], rows[f"mimic{mimic}_damping_ratio"][0]
    soft = (frequency > 0.0) & (ratio > 0.0)
    frequency, ratio = where(soft, frequency, 1.0), where(soft, ratio, 1.0)
    kp, kd = frequency * frequency / r, 2.0 * frequency * ratio / r
    cfm = where(soft, 1.0 / (h * (h * kp + kd)), 0.0)
    erp = where(soft, h * kp / (h * kp + kd), rows["erp"][0])
    return {f"mimic{mimic}_scale": [1.0 / (r + cfm)], f"mimic{mimic}_hard_scale": [1.0 / r],
            f"mimic{mimic}_erp": [erp / h]}


def solve_mimic(t: Topology, rows: Rows, mimic: int, q: Sequence[Scalar], dv: list[Scalar],
                final: bool) -> list[Scalar]:
    """dv after the mimic joint's impulse; a velocity iteration solves J v = 0 hard, without position error."""
    (follower, reference), root, v = t.mimics[mimic], t.root_size, rows["v"]
    rates = (v[root + follower] + dv[root + follower], v[root + reference] + dv[root + reference])
    impulse = mimic_impulse(rows, mimic, (q[follower], q[reference]), rates, final)
    column = rows[f"mimic{mimic}_column"]
    return [x - column[i] * impulse for i, x in enumerate(dv)]


def mimic_impulse(rows: Rows, mimic: int, q: tuple[Scalar, Scalar], v: tuple[Scalar, Scalar], final: bool) -> Scalar:
    """The impulse of a mimic joint at the positions and velocities of its follower and reference."""
    name = f"mimic{mimic}"
    gearing = rows[f"{name}_gearing"][0]
    rate = v[0] + gearing * v[1]
    if final:
        return rate * rows[f"{name}_hard_scale"][0]
    error = q[0] + gearing * q[1] + rows[f"{name}_offset"][0]
    return (rows[f"{name}_erp"][0] * error + rate) * rows[f"{name}_scale"][0]
