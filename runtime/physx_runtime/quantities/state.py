"""Quantities of an articulation's state and of a single step, as functions of rows that are traced or run on arrays.
Each maps rows (name -> scalars) to named results, matrices row by row; docs/reference/direct_api.md defines them.

`step_outputs` gives link accelerations and joint forces of a step. It reads the state before the step (`start_q`,
`start_v`, `start_rotation`, and `start_locked` for spherical joints with locked axes). It also reads the step's time
`dt`, the velocities after it and the impulses of tendons.

`WorldQuantities` computes quantities of all worlds of a simulation into arrays of the caller. Small trees run as vector
kernels on the worlds' own buffer. Trees too large for straight-line code run on arrays of worlds, which is slower and
has no limit.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from physx_runtime.arrays import Array, Indices
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.aba import forward_dynamics
from physx_runtime.dynamics.crba import center_of_mass, centroidal_momentum, mass_matrix, with_armature
from physx_runtime.dynamics.inertia import central_inertia
from physx_runtime.dynamics.jacobian import dense_jacobian, eliminate_root
from physx_runtime.dynamics.kinematics import (
    Kinematics,
    LinkMotion,
    link_motions,
    link_poses,
    link_velocities,
    state_kinematics,
)
from physx_runtime.dynamics.linear import Matrix
from physx_runtime.dynamics.rnea import (
    bias_forces,
    coriolis_force,
    generalized_force,
    gravity_force,
    inverse_dynamics,
    link_accelerations,
)
from physx_runtime.dynamics.spatial import Force, Motion, quaternion, triple
from physx_runtime.language.ops import Rows, Scalar, Scalars
from physx_runtime.model.row_specs import input_rows, state_rows, tree_rows
from physx_runtime.model.topology import ActorTopology, Topology
from physx_runtime.quantities.gpu import ArrayViews, GpuQuantities
from physx_runtime.quantities.joint_force import applied_forces, joint_forces, transmitted_forces
from physx_runtime.quantities.traced import StateQuantity, can_compile, structure, traced
from physx_runtime.solver.articulation.momentum import compound_body
from physx_runtime.solver.articulation.velocity import clamp_start, solver_link_velocities
from physx_runtime.targets.cpu import FunctionKernel, LineAddresses
from physx_runtime.worlds.gpu.views import GpuRows, gpu_rows
from physx_runtime.worlds.store import WorldRows


def jacobian(t: Topology, rows: Rows) -> Rows:
    """[v_com; w] of all links over generalised velocity."""
    return {"values": flat(dense_jacobian(t, state_kinematics(t, rows)))}


def mass_without_armature(t: Topology, rows: Rows) -> Rows:
    """M(q) without armature."""
    return {"values": flat(mass_matrix(t, rows, state_kinematics(t, rows)))}


def gravity_compensation(t: Topology, rows: Rows) -> Rows:
    """g(q): the force that compensates gravity; PhysX includes links whose gravity is disabled."""
    all_enabled = {**rows, "gravity_enabled": [1.0] * len(t.links)}
    return {"values": gravity_force(t, all_enabled, state_kinematics(t, rows))}


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
    """Centroidal momentum matrix and bias from `input_mass` and `input_coriolis`."""
    n = t.nv
    M = [list(rows["input_mass"][n * i:n * i + n]) for i in range(6)]
    A, bias = centroidal_momentum(t, M, rows["input_coriolis"])
    return {"matrix": flat(A), "bias": bias}


def generalized_mass(t: Topology, rows: Rows) -> Rows:
    """Deprecated: inertia of the joints; under a floating root, of the joints while it moves freely."""
    M = mass_matrix(t, rows, state_kinematics(t, rows))
    if not t.fixed_base:
        M, _ = eliminate_root(t, M, [0.0] * t.nv)
    return {"values": flat(M)}


def generalized_gravity(t: Topology, rows: Rows) -> Rows:
    """Deprecated: gravity compensation of the joints; 0 under a floating root, which falls too."""
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
    _, force = eliminate_root(t, mass_matrix(t, rows, k), generalized_force(t, k, forces))
    return {"values": force}


def generalized_coriolis(t: Topology, rows: Rows) -> Rows:
    """Deprecated: Coriolis compensation of the joints; under a floating root, while it moves freely."""
    force = coriolis_compensation(t, rows)["values"]
    if not t.fixed_base:
        M = mass_matrix(t, rows, state_kinematics(t, rows))
        _, force = eliminate_root(t, M, force)
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
    return {"values": generalized_force(t, k, bias_forces(t, rows, k, link_motions(t, k, rows["v"])))}


def force_at_acceleration(t: Topology, rows: Rows) -> Rows:
    """tau of a given `acceleration`."""
    k = state_kinematics(t, rows)
    return {"values": inverse_dynamics(t, rows, k, link_motions(t, k, rows["v"]), rows["acceleration"])}


def acceleration_under_force(t: Topology, rows: Rows) -> Rows:
    """Acceleration of a given `force`."""
    k = state_kinematics(t, rows)
    return {"values": forward_dynamics(t, rows, k, link_motions(t, k, rows["v"]), rows["force"])}


def flat(matrix: Matrix) -> list[Scalar]:
    """The entries of a matrix, row by row."""
    return [x for row in matrix for x in row]


def evaluate(algorithm: Callable[[Topology, Rows], Rows], t: Topology,
             rows: Mapping[str, Scalars]) -> dict[str, Array]:
    """A quantity run on arrays: rows (n, n_world) in, results (n_world, n) out."""
    first = rows["q"] if len(t.dofs) else rows["root_rotation"]
    worlds = np.shape(first)[1]
    return {name: np.stack([np.broadcast_to(x, worlds) for x in values], axis=-1) if len(values) else
            np.zeros((worlds, 0)) for name, values in algorithm(t, rows).items()}


def _start(rows: Rows) -> Rows:
    """The rows with the state at the step's start."""
    return {**rows, **{name: rows[f"start_{of}"] for name, of in (
        ("q", "q"), ("v", "v"), ("root_rotation", "rotation"), ("locked", "locked")) if f"start_{of}" in rows}}


def cached_link_velocity(t: Topology, rows: Rows) -> Rows:
    """Link velocities of a fixed base as PhysX holds them after a step."""
    motions = solver_link_velocities(t, _start(rows), rows["v"])
    return {"linear": [x for motion in motions for x in motion.linear],
            "angular": [x for motion in motions for x in motion.angular]}


def step_outputs(t: Topology, rows: Rows) -> Rows:
    """Joint and link accelerations of the last step and the forces of inbound joints.

    Link accelerations are J(q0) (v - v0) / dt + Jdot(q0) v0, of floating bases see `_without_momentum_correction`.
    `effort`, `link_force` and `link_torque` are those of the step. `reversed` is 1 for joints whose second body is the
    parent; `joint_frames` are rotations of the joints' frames on their second bodies against those bodies' F.
    """
    before = _start(rows)
    k, v0 = state_kinematics(t, before), clamp_start(t, before)
    start = link_motions(t, k, v0)
    per_dt = 1.0 / rows["dt"][0]
    a = [(x - x0) * per_dt for x, x0 in zip(rows["v"], v0, strict=True)]
    motions = [LinkMotion(motion.velocity, motion.acceleration + change)
               for motion, change in zip(start, link_accelerations(t, k, a), strict=True)]
    applied = applied_forces(t, rows, k, start)
    if not t.fixed_base:
        motions = _without_momentum_correction(t, rows, k, motions, applied)
    return {"joint_acceleration": a[t.root_size:],
            "linear_acceleration": [x for motion in motions for x in motion.acceleration.linear],
            "angular_acceleration": [x for motion in motions for x in motion.acceleration.angular],
            "joint_force": joint_forces(t, rows, k, transmitted_forces(t, rows, k, motions, applied))}


def _without_momentum_correction(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion],
                                 applied: Sequence[Force]) -> list[LinkMotion]:
    """Accelerations without the rigid motion of all links by which PhysX keeps a floating base's momentum.

    With them the force on the root is 0.
    """
    residual = transmitted_forces(t, rows, k, motions, applied)[0]
    body = compound_body(t, rows, k)
    spin = sp.solve_sym(body.inertia, residual.at(body.center).angular)
    about = Motion(spin, sp.scale(1.0 / body.mass, residual.linear))
    return [LinkMotion(x.velocity, x.acceleration + about.at(
        sp.sub(sp.add(k.position[i], k.com[i]), body.center)) * -1.0) for i, x in enumerate(motions)]




@dataclass(frozen=True, slots=True)
class ArrayLines:
    """Lines of numbers in an array: where the first number of each lies."""

    array: Array                        # C-contiguous
    starts: Indices                     # (n,)

    def addresses(self) -> LineAddresses:
        """The addresses of the lines."""
        return LineAddresses(self.array.ctypes.data + self.array.itemsize * self.starts, self.array)

    def view(self, size: int) -> tuple[Array, Indices]:
        """The array as one line of numbers, and the index of each number of each line in it."""
        return self.array.reshape(-1), self.starts[:, None] + np.arange(size)


def lines_of(array: Array) -> ArrayLines:
    """The lines of a two-dimensional array."""
    return ArrayLines(array, np.arange(len(array), dtype=np.int64) * array.shape[1])


class WorldQuantities:
    """Quantities of one simulation's worlds."""

    def __init__(self, t: ActorTopology) -> None:
        self._structure = structure(t)
        self.compiled, self._topology = can_compile(t), t
        self._kernels: dict[object, FunctionKernel] = {}

    @functools.cached_property
    def gpu(self) -> GpuQuantities:
        """The quantities as CUDA kernels, for worlds on a GPU."""
        return GpuQuantities(self._topology)

    @property
    def topology(self) -> Topology:
        """The tree that quantities are functions of."""
        return self._structure.tree

    def run(self, quantity: StateQuantity, store: WorldRows, worlds: Indices, arrays: Mapping[str, Array],
            results: Mapping[str, ArrayLines]) -> None:
        """Compute a quantity for the worlds with these indices.

        arrays: (n_chosen, size) each, which the quantity reads as rows; results: lines for the results that are
        needed, one for each of the worlds.
        """
        if not len(worlds):
            return
        rows = gpu_rows(store)
        if rows is not None:
            computed = self.gpu.values(quantity, rows, rows.select(worlds), _array_views(rows, arrays), results)
            for name, lines in results.items():
                flat, indices = lines.view(computed[name].shape[1])
                flat[indices] = computed[name]
            return
        if not self.compiled:
            computed = self._evaluate_on_arrays(quantity, store, worlds, arrays)
            for name, lines in results.items():
                flat, indices = lines.view(computed[name].shape[1])
                flat[indices] = computed[name]
            return
        buffer, _ = store.blocks()
        kernel = self._kernel(quantity, store, arrays)
        sources = [lines_of(np.ascontiguousarray(values, dtype=buffer.dtype)) for values in arrays.values()]
        targets = [results.get(name) for name, _ in kernel.function.results]
        kernel(buffer, worlds, [lines.addresses() if lines else None for lines in (*sources, *targets)],
               uniform=store.is_uniform(kernel.parameters))

    def values(self, quantity: StateQuantity, store: WorldRows, worlds: Indices,
               arrays: Mapping[str, Array]) -> dict[str, Array]:
        """The results of a quantity as new arrays, (n_chosen, size) each."""
        rows = gpu_rows(store)
        if rows is not None:
            return self.gpu.values(quantity, rows, rows.select(worlds), _array_views(rows, arrays))
        if not self.compiled:
            return self._evaluate_on_arrays(quantity, store, worlds, arrays)
        dtype = store.blocks()[0].dtype
        results = {name: np.zeros((len(worlds), size), dtype)
                   for name, size in self._kernel(quantity, store, arrays).function.results}
        self.run(quantity, store, worlds, arrays, {name: lines_of(values) for name, values in results.items()})
        return results

    def _kernel(self, quantity: StateQuantity, store: WorldRows, arrays: Mapping[str, Array]) -> FunctionKernel:
        buffer, layout = store.blocks()
        sizes = tuple((name, values.shape[1]) for name, values in arrays.items())
        key = (quantity, sizes, buffer.dtype, buffer.shape[2])
        kernel = self._kernels.get(key)
        if kernel is None or kernel.layout is not layout:
            function = traced(quantity, self._structure, sizes)
            kernel = FunctionKernel(function, layout, state_rows(self._structure), str(buffer.dtype), buffer.shape[2])
            self._kernels[key] = kernel
        return kernel

    def _evaluate_on_arrays(self, quantity: StateQuantity, store: WorldRows, worlds: Indices,
                            arrays: Mapping[str, Array]) -> dict[str, Array]:
        t = self._structure
        rows: dict[str, Array] = {name: np.zeros((size, len(worlds))) for name, size in tree_rows(t).items()}
        rows |= {name: store.rows(name)[worlds].T for name in state_rows(t) | input_rows(t)}
        results = evaluate(quantity, t.tree, rows | {name: values.T for name, values in arrays.items()})
        return {name: values.astype(rows["q"].dtype) for name, values in results.items()}


def _array_views(rows: GpuRows, arrays: Mapping[str, Array]) -> ArrayViews:
    """Device views of host arrays, which are copied."""
    return {name: (rows.worlds.lines(values), values.shape[1]) for name, values in arrays.items()}
