"""The step's intermediate quantities by name, for comparing two engines stage by stage: v, then a, then f, then tau."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from physx_runtime.algorithms.crba import mass_matrix
from physx_runtime.algorithms.kinematics import forward_kinematics, link_velocities, quaternion
from physx_runtime.algorithms.rnea import coriolis_force, gravity_force, inertial_forces
from physx_runtime.simulation import Simulation

ROOT_NAMES = ("root vx", "root vy", "root vz", "root wx", "root wy", "root wz")


def dump(stage: Any, joint_position: ArrayLike | None = None, joint_velocity: ArrayLike | None = None) -> str:
    """Velocities, accelerations and forces of links and generalised forces at a state, as a table of text.

    joint_position, joint_velocity: (n_dof,) rad or length and per second, the authored state where None. World axes;
    a: Jdot v of the centre of mass, and angular; f: what the link needs for it; tau: Coriolis and gravity force (both
    the force that compensates), and the mass matrix' diagonal without armature. Raises as `Simulation`.
    """
    sim = Simulation(stage, dtype="float64")
    rows = {name: sim.get(name)[0] for name in {**sim.model.parameters, **sim.model.state}}
    if joint_position is not None:
        rows["q"] = np.asarray(joint_position, dtype=np.float64)
    if joint_velocity is not None:
        rows["v"] = np.concatenate([rows["v"][:sim.topology.root_size], np.asarray(joint_velocity, dtype=np.float64)])
    return "\n".join(_lines(sim, rows))


def _lines(sim: Simulation, rows: dict[str, Any]) -> Iterator[str]:
    t = sim.topology
    k = forward_kinematics(t, rows, rows["q"], quaternion(rows, "root_rotation", 0))
    velocity = link_velocities(t, k, rows["v"])
    forces = inertial_forces(t, rows, k, velocity)
    for i, name in enumerate(sim.model.link_names):
        yield name
        yield f"  v {_numbers(velocity.v_com[i])}   w {_numbers(velocity.w[i])}"
        yield f"  a {_numbers(velocity.a_com[i])}   alpha {_numbers(velocity.alpha[i])}"
        yield f"  f {_numbers(forces[i][0])}   n {_numbers(forces[i][1])}"
    coriolis, gravity, M = coriolis_force(t, rows, k, velocity), gravity_force(t, rows, k), mass_matrix(t, rows, k)
    names = [*ROOT_NAMES[:t.root_size], *sim.model.dof_names]
    for i, name in enumerate(names):
        yield f"{name}\n  tau coriolis {coriolis[i]:.9g}   gravity {gravity[i]:.9g}   M {M[i][i]:.9g}"


def _numbers(values: tuple[Any, ...]) -> str:
    return "(" + ", ".join(f"{float(x):.9g}" for x in values) + ")"
