"""Derivatives of inverse dynamics by generalised position and velocity, by differentiating the traced expression
(`inverse_derivatives`). A displacement of position is one along generalised velocities. A floating root moves in world
axes; a spherical joint turns about the axes of its child frame. Derivatives by position are therefore nv x nv.
"""

from __future__ import annotations

from dataclasses import dataclass

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import joint_rotation, link_motions, state_kinematics
from physx_runtime.dynamics.rnea import inverse_dynamics
from physx_runtime.dynamics.spatial import quaternion
from physx_runtime.language.derivatives import directional
from physx_runtime.language.ops import Rows, Scalar, sincos, where
from physx_runtime.language.symbols import Symbol
from physx_runtime.model.topology import SPHERICAL, Topology

Seeds = dict[Symbol, Scalar]
UNIT_VECTORS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
# Operations that a kernel may have, and what one direction of derivatives was seen to cost for each link.
MAX_KERNEL_OPERATIONS, OPERATIONS_PER_LINK = 20_000, 280


@dataclass(frozen=True, slots=True)
class DerivativeColumns:
    """d tau at a given `acceleration` along some directions, as a quantity: one column for each direction."""

    first: int
    last: int

    def __call__(self, t: Topology, rows: Rows) -> Rows:
        """By position and by velocity, (last - first) columns of nv each."""
        k = state_kinematics(t, rows)
        tau = inverse_dynamics(t, rows, k, link_motions(t, k, rows["v"]), rows["acceleration"])
        directions = range(self.first, self.last)
        position = [directional(tau, _displacement(t, rows, i)) for i in directions]
        velocity = [directional(tau, {rows["v"][i]: 1.0}) for i in directions]
        return {"position": [x for column in position for x in column],
                "velocity": [x for column in velocity for x in column]}


def inverse_derivatives(t: Topology) -> list[DerivativeColumns]:
    """The directions of a tree's derivatives, split into kernels of limited size."""
    per_kernel = max(1, MAX_KERNEL_OPERATIONS // (OPERATIONS_PER_LINK * len(t.links)))
    return [DerivativeColumns(first, min(first + per_kernel, t.nv)) for first in range(0, t.nv, per_kernel)]


def _displacement(t: Topology, rows: Rows, i: int) -> Seeds:
    """How coordinates change as the articulation moves along its i-th generalised velocity."""
    if i < t.root_size:
        return _root_rotation_seeds(rows, i - 3) if i >= 3 else {}        # moving it as a whole changes nothing
    dof = i - t.root_size
    return _spherical_seeds(t, rows, dof) if t.kind_of(dof) == SPHERICAL else {rows["q"][dof]: 1.0}


def _root_rotation_seeds(rows: Rows, axis: int) -> Seeds:
    """The root's quaternion turned about a world axis: half the axis times the quaternion."""
    x, y, z = UNIT_VECTORS[axis]
    derivative = sp.mul_quat((0.5 * x, 0.5 * y, 0.5 * z, 0.0), quaternion(rows, "root_rotation", 0))
    return dict(zip(rows["root_rotation"], derivative, strict=True))


def _spherical_seeds(t: Topology, rows: Rows, dof: int) -> Seeds:
    """A rotation vector r whose rotation is turned about an axis e of the child frame.

    r' = e + r x e / 2 + c r x (r x e), c = (1 - |r|/2 cot(|r|/2)) / |r|^2: the inverse of the right Jacobian of SO(3)
    (Chirikjian, Stochastic Models, Information Theory, and Lie Groups, section 10.6).
    """
    link = t.dofs[dof].link
    sign = -1.0 if t.links[link].flipped else 1.0
    r, e = joint_rotation(t, rows, rows["q"], link), sp.scale(sign, UNIT_VECTORS[t.dofs[dof].axis])
    square = sp.dot(r, r)
    is_rotated = square > 1e-12
    half = 0.5 * sp.norm(r)
    s, c = sincos(half)
    factor = where(is_rotated, (1.0 - half * c / where(is_rotated, s, 1.0)) / where(is_rotated, square, 1.0),
                   1.0 / 12.0)
    r_cross_e = sp.cross(r, e)
    rate = sp.add(e, sp.add(sp.scale(0.5, r_cross_e), sp.scale(factor, sp.cross(r, r_cross_e))))
    seeds: Seeds = {rows["q"][other]: sign * rate[t.dofs[other].axis] for other in t.dofs_of(link)}
    return seeds | {rows["locked"][n]: rate[axis] for n, (owner, axis) in enumerate(t.locked) if owner == link}
