"""Responses of actors to external impulses at contacts and joints, and external forces on links.

`Response` is what a constraint between actors needs of a side: J, M^-1 J^T, velocity bias and cfm. It is computed once
a step from the poses of its start, as in PhysX (DyTGSContactPrep.cpp). `external_forces`, `applied_forces` and
`authored_force` are the forces set by rows and authored with PhysxForceAPI. Like gravity they act in every position
iteration or once a step, reduced by the link's damping (DyFeatherstoneForwardDynamic.cpp, computeZ; measured, see
docs/reference/physx/bodies_and_frames.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.inertia import central_inertia
from physx_runtime.dynamics.kinematics import Kinematics
from physx_runtime.dynamics.linear import inner
from physx_runtime.dynamics.spatial import NO_FORCE, Force, triple
from physx_runtime.language.ops import Rows, Scalar, maximum
from physx_runtime.model.row_specs import external_force_rows
from physx_runtime.model.topology import ActorTopology, ExternalForceTopology, Topology


@dataclass(frozen=True, slots=True)
class Response:
    """An actor's response to a unit impulse, along which its velocity is `row` v + `bias`."""

    row: list[Scalar]           # (nv,) J^T of the impulse
    delta_velocity: list[Scalar]        # (nv,) M^-1 J^T: change of the generalised velocity
    bias: Scalar                # part of link velocities inside the solver besides J v: dt Jdot v of the step's start
    cfm: Scalar                 # cfm of constraints at a link; 0 for a body

    @property
    def unit_response(self) -> Scalar:
        """J M^-1 J^T: change of the velocity along the impulse."""
        # J M^-1 J^T
        return inner(self.row, self.delta_velocity)

    def velocity(self, v: Sequence[Scalar]) -> Scalar:
        """The velocity along the impulse at the generalised velocity v."""
        # J v + dt f . Jdot v
        return inner(self.row, v) + self.bias

    def apply_impulse(self, v: Sequence[Scalar], impulse: Scalar) -> list[Scalar]:
        """The generalised velocity v after an impulse of this size."""
        # v += M^-1 J^T F
        return [x + impulse * y for x, y in zip(v, self.delta_velocity, strict=True)]


def external_forces(t: Topology, rows: Rows, k: Kinematics, weights: Sequence[Force]) -> Sequence[Force]:
    """The force on every link about its centre of mass: weight and applied forces; world axes."""
    if not t.has_external_forces:
        return weights
    # f = m g + (1 - c dt) f_ext  (DyFeatherstoneArticulation.cpp, computeLinkStates)
    forces = applied_forces(t, rows, k)
    return [weight + _damp(rows, i, forces[i]) for i, weight in enumerate(weights)]


def applied_forces(t: Topology, rows: Rows, k: Kinematics) -> list[Force]:
    """The applied force on every link, about its centre of mass; world axes."""
    # sum of the rows and of what PhysxForceAPI authors
    forces = [applied_force(t, rows, i) for i in range(len(t.links))]
    for i, spec in enumerate(t.external_forces):
        inertia = central_inertia(t, rows, k, spec.link)
        forces[spec.link] = forces[spec.link] + authored_force(spec, rows, i, k.R[spec.link], k.com[spec.link], inertia)
    return forces


def applied_force(t: ActorTopology, rows: Rows, link: int) -> Force:
    """The rows link_force and link_torque of a link."""
    return Force(triple(rows, "link_torque", link), triple(rows, "link_force", link)) if t.link_forces else NO_FORCE


def authored_force(spec: ExternalForceTopology, rows: Rows, index: int, R: sp.Mat3, com: sp.Vec3,
                   central: sp.Sym3) -> Force:
    """The authored force with this index about its link's centre of mass.

    R, com, central: rotation of the link's F, its centre of mass from the origin of F, and its inertia; world axes. An
    acceleration is multiplied by mass and inertia; a force away from the centre of mass has a torque.
    """
    # f, n of the authored frame in world axes: R f
    force, torque = triple(rows, f"external_force{index}_force", 0), triple(rows, f"external_force{index}_torque", 0)
    if not spec.world:
        force, torque = sp.mul_mv(R, force), sp.mul_mv(R, torque)
    # eACCELERATION: f = m a, n = I alpha  (PxForceMode.h)
    if spec.acceleration:
        force = sp.scale(rows["mass"][spec.link], force)
        torque = sp.mul_sv(central, torque)
    if not spec.central:
        # n += (R p - c) x f
        arm = sp.sub(sp.mul_mv(R, triple(rows, f"external_force{index}_point", 0)), com)
        torque = sp.add(torque, sp.cross(arm, force))
    return Force(torque, force)


def _damp(rows: Rows, link: int, force: Force) -> Force:
    """A force reduced by the link's damping over the step."""
    # f *= max(1 - linearDamping dt, 0), n *= max(1 - angularDamping dt, 0)
    dt = rows["dt"][0]
    return Force(sp.scale(damping_factor(rows["angular_damping"][link], dt), force.angular),
                 sp.scale(damping_factor(rows["linear_damping"][link], dt), force.linear))


def damping_factor(damping: Scalar, dt: Scalar) -> Scalar:
    """The factor by which damping reduces a force over the step; 0 for damping above 1/dt."""
    return maximum(1.0 - damping * dt, 0.0)


def sum_of_forces(t: ActorTopology, rows: Rows) -> Scalar:
    """Sum of the sizes of all applied forces; above 0 where any acts."""
    total: Scalar = 0.0
    names = [name for name in ("link_force", "link_torque") if t.link_forces]
    names += external_force_rows(t)
    for name in names:
        for x in rows[name]:
            total = total + abs(x)
    return total
