"""Rotations of links with spherical joints in a substep (PhysX DyFeatherstoneArticulation, propagateTransform)."""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.rotation import compose, substep_rotation
from physx_runtime.dynamics.spatial import quaternion, triple
from physx_runtime.language.ops import Rows, Scalar, Scalars, where
from physx_runtime.model.topology import Topology
from physx_runtime.solver.constraints.softening import link_rotation


def move_spherical_links(t: Topology, rows: Rows, v: Scalars) -> dict[str, list[Scalar]]:
    """World rotations of links with spherical joints after one substep.

    PhysX rotates each by its angular velocity inside the solver, with axes and dt Jdot v of the step's start. It leaves
    out rotations up to min_rotation (DyFeatherstoneArticulation.cpp, propagateTransform).
    """
    rotations: list[Scalar] = []
    for i, link in enumerate(t.spherical_links):
        # w_link = w_root + sum axis_i qd_i + dt (Jdot v)_w
        w = sp.ZERO3 if t.fixed_base else (v[3], v[4], v[5])
        for ancestor in t.path(link):          # from the root on, so that links share what is above them
            w = link_rotation(t, rows, v[t.root_size:], ancestor, w)
        rotations += integrate_spherical_link(rows, i, sp.add(w, triple(rows, "spherical_spin", i)))
    return {"spherical_rotation": rotations}


def integrate_spherical_link(rows: Rows, index: int, w: sp.Vec3) -> sp.Quat:
    """World rotation of a link with a spherical joint after one substep at the angular velocity w."""
    # q' = exp(h w) q where |h w| > least_turn  (DyFeatherstoneArticulation.cpp, propagateTransform)
    h, cutoff = rows["h"][0], rows["min_rotation"][0]
    moving = h * h * sp.dot(w, w) > cutoff * cutoff
    return compose(substep_rotation(where(moving, h, 0.0), w), quaternion(rows, "spherical_rotation", index),
                   cutoff > 0.0)
