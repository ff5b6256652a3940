"""How an articulation answers an impulse on one of its links, and how its links moved over a step."""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import forward_kinematics, link_motions, state_kinematics
from physx_runtime.dynamics.linear import times
from physx_runtime.dynamics.rnea import generalized_force
from physx_runtime.dynamics.spatial import NO_FORCE, Force, Motion, quaternion
from physx_runtime.language.ops import Rows, Scalar
from physx_runtime.model.topology import Topology
from physx_runtime.solver.articulation.link_velocity import held_velocities
from physx_runtime.solver.articulation.velocity_clamp import clamp_start
from physx_runtime.solver.constraints.softening import link_cfm
from physx_runtime.solver.divergence import moving_rows
from physx_runtime.solver.response import Response


def respond(t: Topology, start: Rows, begun: Rows, link: int, impulse: Force) -> Response:
    """The answer to a unit impulse on a link throughout a step, as the solver's link velocities have it.

    They are J v + dt Jdot v, both Jacobian and Jdot v of the step's start (measured, see docs/physx_semantics.md).
    """
    k = forward_kinematics(t, start, start["q"], quaternion(begun, "root_rotation", 0))
    carried = link_motions(t, k, clamp_start(t, start))[link].acceleration
    minv = [list(begun["minv"][t.nv * i:t.nv * (i + 1)]) for i in range(t.nv)]
    row = generalized_force(t, k, [impulse if i == link else NO_FORCE for i in range(len(t.links))])
    return Response(row, times(minv, row), start["dt"][0] * impulse.dot(carried), link_cfm(t, start, k, minv, link))


def mean_motions(t: Topology, rows: Rows) -> list[tuple[Motion, sp.Mat3]]:
    """Per link, the mean of its velocities inside the solver over the step, and the rotation of F after it."""
    balls = [x for i in range(len(t.balls)) for x in sp.normalized(quaternion(rows, "ball_rotation", i))]
    start = {**rows, **{name: rows[f"kept_{name}"] for name in moving_rows(t)}}
    return list(zip(held_velocities(t, start, _mean_velocity(t, rows)), state_kinematics(t, rows, balls).R,
                    strict=True))


def _mean_velocity(t: Topology, rows: Rows) -> list[Scalar]:
    """The generalised velocity that moved the articulation, over the whole step."""
    if t.pgs:
        return list(rows["v_moving"])
    travel = [] if t.fixed_base else [*rows["root_travel"], *rows["root_turn"]]
    travel += rows["travel"] if t.dofs else []
    rate = 1.0 / rows["dt"][0]
    return [rate * x for x in travel]
