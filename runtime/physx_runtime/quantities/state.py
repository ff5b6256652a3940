"""Batched quantities of an articulation as functions of rows, traced into kernels or run on arrays of worlds.

Each maps rows (name -> scalars) to named results, matrices row by row. Definitions: docs/direct_api.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.aba import forward_dynamics
from physx_runtime.dynamics.crba import mass_matrix, with_armature
from physx_runtime.dynamics.inertia import central_inertia
from physx_runtime.dynamics.jacobian import dense_jacobian
from physx_runtime.dynamics.kinematics import link_motions, state_kinematics
from physx_runtime.dynamics.linear import Matrix
from physx_runtime.dynamics.link_state import link_poses, link_velocities
from physx_runtime.dynamics.momentum import center_of_mass, centroidal_momentum
from physx_runtime.dynamics.operational import without_root
from physx_runtime.dynamics.rnea import (
    coriolis_force,
    generalized_force,
    gravity_force,
    held_forces,
    inverse_dynamics,
)
from physx_runtime.dynamics.spatial import Force, quaternion, triple
from physx_runtime.language.ops import Rows, Scalar, Scalars
from physx_runtime.model.topology import Topology
from physx_runtime.solver.articulation.velocity_clamp import clamp_start

Array = NDArray[Any]


def jacobian(t: Topology, rows: Rows) -> Rows:
    """[v_com; w] of all links over generalised velocity."""
    return {"values": flat(dense_jacobian(t, state_kinematics(t, rows)))}


def mass_without_armature(t: Topology, rows: Rows) -> Rows:
    """M(q) without armature."""
    return {"values": flat(mass_matrix(t, rows, state_kinematics(t, rows)))}


def gravity_compensation(t: Topology, rows: Rows) -> Rows:
    """g(q): what holds the articulation still; PhysX counts links whose gravity is disabled as well."""
    everywhere = {**rows, "gravity_enabled": [1.0] * len(t.links)}
    return {"values": gravity_force(t, everywhere, state_kinematics(t, rows))}


def coriolis_compensation(t: Topology, rows: Rows) -> Rows:
    """C(q, v) v; PhysX first scales joint velocities down to their maxima."""
    k = state_kinematics(t, rows)
    return {"values": coriolis_force(t, rows, k, link_motions(t, k, clamp_start(t, rows)))}


def com_world(t: Topology, rows: Rows) -> Rows:
    """Centre of mass in the world."""
    return {"values": sp.add(triple(rows, "root_position", 0), center_of_mass(t, rows, state_kinematics(t, rows)))}


def com_root(t: Topology, rows: Rows) -> Rows:
    """Centre of mass in the root's mass frame; given `root_axes`, that frame's rotation in the root's F."""
    k = state_kinematics(t, rows)
    x, y, z, w = sp.mul_quat(k.rotation[0], sp.normalized(quaternion(rows, "root_axes", 0)))
    return {"values": sp.rotate((-x, -y, -z, w), sp.sub(center_of_mass(t, rows, k), k.com[0]))}


def centroidal_momentum_at_state(t: Topology, rows: Rows) -> Rows:
    """Centroidal momentum matrix and bias of a floating base, at its state."""
    k = state_kinematics(t, rows)
    coriolis = coriolis_force(t, rows, k, link_motions(t, k, clamp_start(t, rows)))
    A, bias = centroidal_momentum(t, mass_matrix(t, rows, k), coriolis)
    return {"matrix": flat(A), "bias": bias}


def centroidal_momentum_of(t: Topology, rows: Rows) -> Rows:
    """The same of `given_mass` and `given_coriolis`."""
    n = t.nv
    M = [list(rows["given_mass"][n * i:n * i + n]) for i in range(6)]
    A, bias = centroidal_momentum(t, M, rows["given_coriolis"])
    return {"matrix": flat(A), "bias": bias}


def generalized_mass(t: Topology, rows: Rows) -> Rows:
    """Deprecated: inertia of the joints; under a floating root, of the joints while it moves freely."""
    M = mass_matrix(t, rows, state_kinematics(t, rows))
    if not t.fixed_base:
        M, _ = without_root(t, M, [0.0] * t.nv)
    return {"values": flat(M)}


def generalized_gravity(t: Topology, rows: Rows) -> Rows:
    """Deprecated: gravity compensation of the joints; 0 under a floating root, which falls along."""
    if not t.fixed_base:
        return {"values": [0.0] * len(t.dofs)}
    return {"values": gravity_compensation(t, rows)["values"]}


def sapien_gravity(t: Topology, rows: Rows) -> Rows:
    """As generalized_gravity, of SAPIEN's PhysX 5.3.1 (inverseDynamicFloatingBase in DyFeatherstoneInverseDynamic.cpp).

    Under a floating root it has the gyroscopic torques of all links turning with the root, and the weight, upwards, of
    those whose gravity is enabled.
    """
    if t.fixed_base:
        return generalized_gravity(t, rows)
    k, w, g = state_kinematics(t, rows), triple(rows, "v", 1), triple(rows, "gravity", 0)
    forces = []
    for i in range(len(t.links)):
        central = central_inertia(t, rows, k, i)
        forces.append(Force(sp.cross(w, sp.mul_sv(central, w)),
                            sp.scale(rows["mass"][i] * rows["gravity_enabled"][i], g)))
    _, force = without_root(t, mass_matrix(t, rows, k), generalized_force(t, k, forces))
    return {"values": force}


def generalized_coriolis(t: Topology, rows: Rows) -> Rows:
    """Deprecated: Coriolis compensation of the joints; under a floating root, while it moves freely."""
    force = coriolis_compensation(t, rows)["values"]
    if not t.fixed_base:
        M = mass_matrix(t, rows, state_kinematics(t, rows))
        _, force = without_root(t, M, force)
    return {"values": force}


def link_state(t: Topology, rows: Rows) -> Rows:
    """Poses and velocities of the links; given `link_frames`, position and rotation of every link's frame in F."""
    k = state_kinematics(t, rows)
    return {"pose": flat(link_poses(t, rows, k)), "velocity": flat(link_velocities(t, k, rows["v"]))}


def mass_with_armature(t: Topology, rows: Rows) -> Rows:
    """M(q) with armature, as the step has it."""
    return {"values": flat(with_armature(t, rows, mass_matrix(t, rows, state_kinematics(t, rows))))}


def bias_force(t: Topology, rows: Rows) -> Rows:
    """C(q, v) + g(q)."""
    k = state_kinematics(t, rows)
    return {"values": generalized_force(t, k, held_forces(t, rows, k, link_motions(t, k, rows["v"])))}


def force_at_acceleration(t: Topology, rows: Rows) -> Rows:
    """tau of a given `acceleration`."""
    k = state_kinematics(t, rows)
    return {"values": inverse_dynamics(t, rows, k, link_motions(t, k, rows["v"]), rows["acceleration"])}


def acceleration_under_force(t: Topology, rows: Rows) -> Rows:
    """Acceleration of a given `force`."""
    k = state_kinematics(t, rows)
    return {"values": forward_dynamics(t, rows, k, link_motions(t, k, rows["v"]), rows["force"])}


def flat(matrix: Matrix) -> list[Scalar]:
    """The entries row by row."""
    return [x for row in matrix for x in row]


def evaluated(algorithm: Callable[[Topology, Rows], Rows], t: Topology,
              rows: Mapping[str, Scalars]) -> dict[str, Array]:
    """A quantity run on arrays: rows (n, n_world) in, results (n_world, n) out."""
    first = rows["q"] if len(t.dofs) else rows["root_rotation"]
    worlds = np.shape(first)[1]
    return {name: np.stack([np.broadcast_to(x, worlds) for x in values], axis=-1) if len(values) else
            np.zeros((worlds, 0)) for name, values in algorithm(t, rows).items()}
