"""What a joint carries before constraints act: the force that its child and all behind it need from it.

DyFeatherstoneForwardDynamic.cpp of PhysX 5.3.1 (computeJointTransmittedFrictionForce); there the size of a force and
torque together is the sum of both sizes.
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.inertia import central_force, central_inertia
from physx_runtime.dynamics.inverse_mass import InverseMass
from physx_runtime.dynamics.kinematics import Kinematics, LinkMotion
from physx_runtime.dynamics.rnea import branch_forces, generalized_force, inertial_forces, link_accelerations
from physx_runtime.dynamics.spatial import Force
from physx_runtime.language.ops import Rows, Scalar
from physx_runtime.model.topology import Topology
from physx_runtime.solver.articulation.damping import damping_forces
from physx_runtime.solver.articulation.free_velocity import link_weight
from physx_runtime.solver.link_forces import external_forces


def joint_loads(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion], push: Sequence[Scalar],
                minv: InverseMass) -> list[Scalar]:
    """Size of the load of every link's joint; push: the free acceleration of `free_acceleration`."""
    needed, drag = inertial_forces(t, rows, k, motions), damping_forces(t, rows, k, motions)
    rest = minv.times(generalized_force(t, k, [a - b for a, b in zip(drag, needed, strict=True)]))
    free = link_accelerations(t, k, [a + b for a, b in zip(push, rest, strict=True)])
    given = external_forces(t, rows, k, [link_weight(rows, i) for i in range(len(t.links))])
    forces = [need + central_force(rows["mass"][i], central_inertia(t, rows, k, i), free[i]) - given[i] - drag[i]
              for i, need in enumerate(needed)]
    return [load_size(force.at(k.com[i])) for i, force in enumerate(branch_forces(t, k, forces))]


def load_size(force: Force) -> Scalar:
    """Size of a force and of its torque, added."""
    return sp.norm(force.linear) + sp.norm(force.angular)
