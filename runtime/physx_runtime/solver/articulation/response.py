"""Response of an articulation's link to an impulse, mean link velocities of a step, and motion of a floating root.

`respond` is M^-1 J^T f and dt f . Jdot v (DyFeatherstoneArticulation.cpp, getImpulseResponse). `mean_motions` are the
velocities that moved the links over a step. `move_root` and `integrate_root` advance the root in a substep.
"""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import forward_kinematics, link_motions, state_kinematics
from physx_runtime.dynamics.linear import times
from physx_runtime.dynamics.rnea import generalized_force
from physx_runtime.dynamics.rotation import compose, substep_rotation
from physx_runtime.dynamics.spatial import NO_FORCE, Force, Motion, quaternion
from physx_runtime.language.ops import Rows, Scalar, Scalars
from physx_runtime.model.topology import Topology
from physx_runtime.solver.articulation.velocity import clamp_start, solver_link_velocities
from physx_runtime.solver.constraints.softening import link_cfm
from physx_runtime.solver.divergence import moving_rows
from physx_runtime.solver.response import Response


def respond(t: Topology, start: Rows, prepared: Rows, link: int, impulse: Force) -> Response:
    """The response to a unit impulse on a link throughout a step, for link velocities inside the solver.

    They are J v + dt Jdot v, both Jacobian and Jdot v of the step's start (measured, see docs/reference/physx/step.md).
    """
    # J^T f, M^-1 J^T f and dt f . Jdot v  (DyFeatherstoneArticulation.cpp, getImpulseResponse)
    k = forward_kinematics(t, start, start["q"], quaternion(prepared, "root_rotation", 0))
    bias = link_motions(t, k, clamp_start(t, start))[link].acceleration
    minv = [list(prepared["minv"][t.nv * i:t.nv * (i + 1)]) for i in range(t.nv)]
    row = generalized_force(t, k, [impulse if i == link else NO_FORCE for i in range(len(t.links))])
    return Response(row, times(minv, row), start["dt"][0] * impulse.dot(bias), link_cfm(t, start, k, minv, link))


def mean_motions(t: Topology, rows: Rows) -> list[tuple[Motion, sp.Mat3]]:
    """Per link, the mean of its velocities inside the solver over the step, and the rotation of F after it."""
    spherical = [x for i in range(len(t.spherical_links))
                 for x in sp.normalized(quaternion(rows, "spherical_rotation", i))]
    start = {**rows, **{name: rows[f"saved_{name}"] for name in moving_rows(t)}}
    return list(zip(solver_link_velocities(t, start, _mean_velocity(t, rows)), state_kinematics(t, rows, spherical).R,
                    strict=True))


def _mean_velocity(t: Topology, rows: Rows) -> list[Scalar]:
    """The generalised velocity that moved the articulation, over the whole step."""
    if t.pgs:
        return list(rows["v_moving"])
    displacement = [] if t.fixed_base else [*rows["root_linear_displacement"], *rows["root_angular_displacement"]]
    displacement += rows["displacement"] if t.dofs else []
    # v_mean = (q_end - q_start) / dt
    inverse_dt = 1.0 / rows["dt"][0]
    return [inverse_dt * x for x in displacement]


def move_root(rows: Rows, v: Scalars) -> dict[str, list[Scalar]]:
    """Displacement of the floating root after one substep, by h v, and its rotation, by h w.

    PhysX rotates the root's principal axes, which decides the rounding of the product.
    """
    # axes' = exp(h w) axes, root' = axes' conj(root_axes)  (DyFeatherstoneArticulation.cpp, propagateTransform)
    delta = substep_rotation(rows["h"][0], (v[3], v[4], v[5]))
    axes = compose(delta, quaternion(rows, "axes_rotation", 0), rows["single_rotation"][0] > 0.0)
    rotation = sp.mul_quat(axes, sp.conjugate(quaternion(rows, "root_axes", 0)))
    return integrate_root(rows, v) | {"axes_rotation": list(axes), "root_rotation": list(rotation)}


def integrate_root(rows: Rows, v: Scalars) -> dict[str, list[Scalar]]:
    """The root's velocity integrated, linear and angular, after one more substep."""
    h = rows["h"][0]
    # x += h v, theta += h w  (DyFeatherstoneArticulation.cpp, recordDeltaMotion)
    linear, angular = rows["root_linear_displacement"], rows["root_angular_displacement"]
    return {"root_linear_displacement": [p + h * x for p, x in zip(linear, v[0:3], strict=True)],
            "root_angular_displacement": [a + h * x for a, x in zip(angular, v[3:6], strict=True)]}
