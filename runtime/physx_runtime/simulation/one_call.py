"""Simulate a stage in one call and record its motion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.model.rows import LINK_FORCE_ROWS
from physx_runtime.simulation.articulation import Simulation
from physx_runtime.simulation.recording import Recording, link_poses, spatial_velocities, velocities_after_step
from physx_runtime.worlds.paths import AUTO

Array = NDArray[Any]


def simulate(stage: Any | str | Path, dt: float = 1 / 60, steps: int = 600, worlds: int = 1, device: str = "cpu",
             dtype: str = "float32", solver: str = "physx", joint_position: ArrayLike | None = None,
             joint_velocity: ArrayLike | None = None, joint_effort: ArrayLike | None = None, every: int = 1,
             articulation: str | None = None, link_force: ArrayLike | None = None,
             link_torque: ArrayLike | None = None, path: str = AUTO,
             sleeping: bool = True) -> Recording:
    """Step a stage and record every `every`-th state; steps beyond the last such state are not taken.

    joint_position, joint_velocity: (n_dof,) or (n_world, n_dof) at the start, the authored state where None.
    joint_effort: (n_dof,) or (n_world, n_dof) force or torque, written before every step, so that nothing sleeps.
    link_force, link_torque: (n_link, 3) or (n_world, n_link, 3) at the centres of mass, world axes, held throughout.
    path: the code that steps, one for the whole run; "auto" chooses by the structure (docs/batches.md).
    dt [s]; the orders of dofs and links are `Recording.joint_names` and `link_names`. Raises as `Simulation`, and
    ValueError for arrays that do not fit.
    """
    if steps < 0 or every < 1:
        raise ValueError(f"steps is {steps} and every is {every}; give at least 0 and 1")
    sim = Simulation(stage, worlds, dt=dt, device=device, dtype=dtype, solver=solver, articulation=articulation,
                     path=path, sleeping=sleeping and joint_effort is None)
    dofs, links = (len(sim.topology.dofs),), (len(sim.topology.links), 3)
    if joint_position is not None:
        sim.set("q", _fitting(sim, "joint_position", joint_position, dofs))
    if joint_velocity is not None:
        qd = np.broadcast_to(_fitting(sim, "joint_velocity", joint_velocity, dofs), (worlds, *dofs))
        sim.set("v", np.concatenate([sim.get("v")[:, :sim.topology.root_size], qd], axis=1))
    if joint_effort is not None:
        sim.set("joint_effort", _fitting(sim, "joint_effort", joint_effort, dofs))
    for name, values in zip(LINK_FORCE_ROWS, (link_force, link_torque), strict=True):
        if values is not None:
            array = _fitting(sim, name, values, links)
            sim.set(name, array.reshape(*array.shape[:-2], -1))
    states, befores = [sim.state()], [sim.state()]
    for _ in range(steps // every):
        sim.step(every - 1)
        befores.append(sim.state())
        sim.step()
        states.append(sim.state())
    return _recording(sim, states, befores, every)


def _fitting(sim: Simulation, name: str, values: ArrayLike, shape: tuple[int, ...]) -> Array:
    """An argument as an array of one world's shape or of all worlds'."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape not in (shape, (sim.worlds, *shape)):
        raise ValueError(f"{name} has shape {array.shape}; give {shape} or {(sim.worlds, *shape)}")
    return array


def _recording(sim: Simulation, states: list[dict[str, Array]], befores: list[dict[str, Array]],
               every: int) -> Recording:
    """Stack recorded states; `befores` are the states one step earlier, the first one unused."""
    rows = {name: np.stack([state[name] for state in states]) for name in states[0]}
    before = {name: np.stack([state[name] for state in befores]) for name in befores[0]}
    velocity = spatial_velocities(sim.model, rows)
    if sim.topology.fixed_base:
        velocity[1:] = velocities_after_step(sim.model, before, rows["v"], sim.dt)[1:]
    time = np.arange(len(states), dtype=np.float64) * (sim.dt * every)
    with np.errstate(over="ignore"):        # links of a world that diverged; the report says it
        poses, velocity = link_poses(sim.model, rows).astype(sim.dtype), velocity.astype(sim.dtype)
    return Recording(time, sim.model.dof_names, rows["q"],
                     rows["v"][..., sim.topology.root_size:], sim.model.link_names, poses, velocity,
                     (sim.settings.position_iterations, sim.settings.velocity_iterations), sim.iterations.raised,
                     sim.not_simulated, tuple(sim.divergence.said))
