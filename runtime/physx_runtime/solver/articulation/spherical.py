"""Links with spherical joints in a substep."""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.rotation import substep_turn, turned
from physx_runtime.dynamics.spatial import quaternion, triple
from physx_runtime.language.ops import Rows, Scalar, Scalars, where
from physx_runtime.model.topology import Topology
from physx_runtime.solver.constraints.softening import link_turn


def move_balls(t: Topology, rows: Rows, v: Scalars) -> dict[str, list[Scalar]]:
    """World rotations of links with spherical joints after one substep.

    PhysX turns each by its angular velocity inside the solver, axes and dt Jdot v as at the step's start; by no more
    than least_turn it turns none (DyFeatherstoneArticulation.cpp, propagateTransform).
    """
    rotations: list[Scalar] = []
    for i, link in enumerate(t.balls):
        w = sp.ZERO3 if t.fixed_base else (v[3], v[4], v[5])
        for above in t.path(link):          # from the root on, so that links share what is above them
            w = link_turn(t, rows, v[t.root_size:], above, w)
        rotations += turned_ball(rows, i, sp.add(w, triple(rows, "ball_spin", i)))
    return {"ball_rotation": rotations}


def turned_ball(rows: Rows, ball: int, w: sp.Vec3) -> sp.Quat:
    """World rotation of a link with a spherical joint after one substep at the angular velocity w."""
    h, least = rows["h"][0], rows["least_turn"][0]
    moving = h * h * sp.dot(w, w) > least * least
    return turned(substep_turn(where(moving, h, 0.0), w), quaternion(rows, "ball_rotation", ball), least > 0.0)
