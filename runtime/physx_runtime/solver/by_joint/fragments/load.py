"""Fragments of what a joint carries; wrenches are about anchors."""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.inertia import central_force, central_inertia
from physx_runtime.dynamics.kinematics import Kinematics, LinkMotion
from physx_runtime.dynamics.rnea import inertial_force
from physx_runtime.dynamics.spatial import Motion, force_of, linear_first, motion_of
from physx_runtime.language.ops import Rows
from physx_runtime.model.topology import Topology
from physx_runtime.solver.articulation.damping import damping_force
from physx_runtime.solver.articulation.free_velocity import link_weight
from physx_runtime.solver.articulation.load import load_size
from physx_runtime.solver.by_joint.fragments.operands import (
    Operands,
    central_acceleration,
    central_velocity,
    rotation_matrix,
    sym,
    vec,
)
from physx_runtime.solver.link_forces import external_forces


def needed(rows: Operands, alone: Topology) -> Rows:
    """What a link needs at zero generalised acceleration beyond what it is given; alone: a topology of this link."""
    center, motion = vec(rows["center"]), LinkMotion(central_velocity(rows), central_acceleration(rows))
    k = Kinematics([], [rotation_matrix(rows["R"])], [], [], [center], [], [])
    inertia = central_inertia(alone, rows, k, 0)
    own, drag = inertial_force(rows["mass"][0], inertia, motion), damping_force(rows, 0, inertia, motion.velocity)
    given = external_forces(alone, rows, k, [link_weight(rows, 0)])[0]
    return {"needed": linear_first((own - given - drag).about(center))}


def accelerated(rows: Operands) -> Rows:
    """The same at the free acceleration; gravity: of a floating robot, which falls with all its links."""
    center, free = vec(rows["center"]), motion_of(rows["free"])
    if "gravity" in rows:
        free = free + Motion(sp.ZERO3, vec(rows["gravity"]))
    gained = central_force(rows["mass"][0], sym(rows["world_inertia"]), free.at(center))
    return {"needed": linear_first(force_of(rows["needed"]) + gained.about(center))}


def size(rows: Operands) -> Rows:
    """Of the force of a link and all behind it."""
    return {"load": [load_size(force_of(rows["needed"]).at(vec(rows["center"])))]}
