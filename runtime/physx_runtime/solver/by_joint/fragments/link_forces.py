"""The fragment of all forces on one link, and of its inertias."""

from __future__ import annotations

from physx_runtime.dynamics.articulated import ArticulatedInertia
from physx_runtime.dynamics.inertia import central_force, central_inertia, link_inertia
from physx_runtime.dynamics.kinematics import Kinematics, LinkMotion
from physx_runtime.dynamics.rnea import inertial_force
from physx_runtime.dynamics.spatial import linear_first
from physx_runtime.language.ops import Rows
from physx_runtime.model.topology import Topology
from physx_runtime.solver.articulation.damping import damping_force
from physx_runtime.solver.articulation.free_velocity import link_weight
from physx_runtime.solver.by_joint.fragments.operands import (
    Operands,
    central_acceleration,
    central_velocity,
    flat,
    flat_rigid,
    rotation_matrix,
    vec,
)
from physx_runtime.solver.link_forces import external_forces


def link_forces(rows: Operands, alone: Topology) -> Rows:
    """Wrenches on a link about its anchor (weight and pushes, damping, velocity products), and its inertias.

    alone: a topology of this link, fixed where the whole tree is; of a floating one also what its momentum is made of.
    """
    center, motion = vec(rows["center"]), LinkMotion(central_velocity(rows), central_acceleration(rows))
    k = Kinematics([], [rotation_matrix(rows["R"])], [], [], [center], [], [])
    inertia, rigid = central_inertia(alone, rows, k, 0), link_inertia(alone, rows, k, 0)
    weight = link_weight(rows, 0, 0.0 if alone.fixed_base else 1.0)
    forces = {"weight": external_forces(alone, rows, k, [weight])[0],
              "drag": damping_force(rows, 0, inertia, motion.velocity),
              "fall": inertial_force(rows["mass"][0], inertia, motion)}
    if not alone.fixed_base:
        forces["carried"] = central_force(rows["mass"][0], inertia, motion.acceleration)
    made = {name: linear_first(force.about(center)) for name, force in forces.items()}
    made |= {"own_inertia": flat(ArticulatedInertia.of(rigid)), "world_inertia": [*inertia]}
    return made if alone.fixed_base else made | {"composite": flat_rigid(rigid)}
