"""Simulate a stage: many worlds of one articulation stepped as PhysX steps it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.model import Topology, input_rows, state_rows
from physx_runtime.packing import PackedModel, pack
from physx_runtime.recording import Recording, link_poses, spatial_velocities, velocities_after_step
from physx_runtime.solver.settings import SolverSettings, solver_settings
from physx_runtime.worlds import Worlds, make_worlds
from physx_schema.description import describe
from physx_schema.description.model import Description
from physx_schema.errors import UnsupportedError

Array = NDArray[Any]


class Simulation:
    """Worlds of one articulation, stepped together.

    Args:
        stage: a stage, a file, or a Description already read.
        worlds: number of worlds, each with its own state, efforts and parameters.
        device: "cpu" or "cuda".
        dtype: "float32", as PhysX computes, or "float64".
        solver: "physx" for the authored iteration counts, "ideal" for what they approximate.
        articulation: prim path of the articulation, where the stage has several.

    Raises:
        UnreadableError: the file is no stage.
        UnsupportedError: the stage has no articulation, or physics that the step does not handle.
        ValueError: an argument out of range.
    """

    def __init__(self, stage: Any, worlds: int = 1, *, dt: float = 1 / 60, device: str = "cpu", dtype: str = "float32",
                 solver: str = "physx", articulation: str | None = None) -> None:
        description = stage if isinstance(stage, Description) else describe(stage)
        if worlds < 1:
            raise ValueError(f"worlds is {worlds}; give at least 1")
        self.dt = _required_time(dt)
        chosen = _choose(description, articulation)
        self.model: PackedModel = pack(chosen, description.scene_of(chosen))
        self.worlds, self.dtype, self._solver = worlds, dtype, solver
        self.settings: SolverSettings = solver_settings(solver, self.model)
        self._worlds: Worlds = make_worlds(self.topology, worlds, device, dtype)
        self.repack(self.model)
        for name, values in self.model.state.items():
            self.set(name, values)

    def set_time_step(self, dt: float) -> None:
        """Step by another time [s] from now on. Raises ValueError for one that is not positive and finite."""
        self.dt = _required_time(dt)
        iterations = self.settings.position_iterations
        settings = {"dt": dt, "h": dt / iterations, "erp": min(0.9, 2.0 / math.sqrt(iterations))}
        for name, value in settings.items():
            self.set(name, [value])

    def repack(self, model: PackedModel) -> None:
        """Take the parameters and iteration counts of a model, in every world; states and efforts stay.

        Raises ValueError where the model's structure is not that of this simulation.
        """
        if model.topology != self.topology:
            raise ValueError("the model has another structure; make a new Simulation of it")
        self.model, self.settings = model, solver_settings(self._solver, model)
        efforts = self.get("effort")
        for name, values in model.parameters.items():
            self.set(name, values)
        self.set("effort", efforts)
        if not self.settings.softened:
            self.set("cfm_scale", np.zeros(len(self.topology.links)))
        self.set_time_step(self.dt)

    @property
    def topology(self) -> Topology:
        """The structure the step was compiled for."""
        return self.model.topology

    def set(self, name: str, values: ArrayLike) -> None:
        """Set a row group in every world: (n,) for all alike or (n_world, n); names as in model's row tables.

        Raises ValueError for NaN, for an infinite state or effort, and for a shape that does not fit.
        """
        array = np.asarray(values, dtype=np.float64)
        count = self._count(name)
        if array.shape not in ((count,), (self.worlds, count)):
            raise ValueError(f"{name} has shape {array.shape}; give ({count},) or ({self.worlds}, {count})")
        if np.isnan(array).any():
            raise ValueError(f"{name} holds NaN; give numbers")
        if (name in self.model.state or name == "effort") and np.isinf(array).any():
            raise ValueError(f"{name} holds an infinite value; give finite numbers")
        self._worlds.write(name, np.broadcast_to(array, (self.worlds, count)))

    def get(self, name: str) -> Array:
        """A row group of every world, (n_world, n)."""
        self._count(name)
        return self._worlds.rows(name)

    def _count(self, name: str) -> int:
        rows = state_rows(self.topology) | input_rows(self.topology)
        if name not in rows:
            raise ValueError(f"{name!r} is no row of this model; allowed are {', '.join(sorted(rows))}")
        return rows[name]

    def step(self, count: int = 1) -> None:
        """Advance every world by `count` steps of dt."""
        if count > 0:
            self._worlds.step(count, self.settings.position_iterations, self.settings.velocity_iterations)

    def state(self) -> dict[str, Array]:
        """The state of every world, row name -> (n_world, n), as model.state_rows."""
        return {name: self.get(name) for name in self.model.state}

    @property
    def joint_position(self) -> Array:
        """(n_world, n_dof) rad or length."""
        return self.get("q")

    @property
    def joint_velocity(self) -> Array:
        """(n_world, n_dof) rad/s or length/s."""
        return self.get("v")[:, self.topology.root_size:]


def _required_time(dt: float) -> float:
    if not (dt > 0.0 and math.isfinite(dt)):
        raise ValueError(f"dt is {dt}; give a positive, finite time in seconds")
    return dt


def _choose(description: Description, path: str | None) -> Any:
    found = {a.path: a for a in description.articulations}
    if path is not None and path not in found:
        raise UnsupportedError(f"{description.source}: no articulation at {path}; found {', '.join(found) or 'none'}")
    if not found:
        raise UnsupportedError(f"{description.source}: no articulation to step; apply PhysicsArticulationRootAPI to "
                               "the robot's root")
    if path is None and len(found) > 1:
        raise UnsupportedError(f"{description.source}: {len(found)} articulations; name one of {', '.join(found)}")
    return found[path] if path else next(iter(found.values()))


def simulate(stage: Any | str | Path, dt: float = 1 / 60, steps: int = 600, worlds: int = 1, device: str = "cpu",
             dtype: str = "float32", solver: str = "physx", joint_position: ArrayLike | None = None,
             joint_velocity: ArrayLike | None = None, joint_effort: ArrayLike | None = None, every: int = 1,
             articulation: str | None = None) -> Recording:
    """Step a stage and record every `every`-th state.

    joint_position, joint_velocity: (n_dof,) or (n_world, n_dof) at the start, the authored state where None.
    joint_effort: (n_dof,) or (n_world, n_dof) force or torque, held throughout.
    dt [s]; the order of dofs is `Recording.joint_names`. Raises as `Simulation`.
    """
    if steps < 0 or every < 1:
        raise ValueError(f"steps is {steps} and every is {every}; give at least 0 and 1")
    sim = Simulation(stage, worlds, dt=dt, device=device, dtype=dtype, solver=solver, articulation=articulation)
    if joint_position is not None:
        sim.set("q", joint_position)
    if joint_velocity is not None:
        qd = np.broadcast_to(np.asarray(joint_velocity, dtype=np.float64), (worlds, len(sim.topology.dofs)))
        sim.set("v", np.concatenate([sim.get("v")[:, :sim.topology.root_size], qd], axis=1))
    if joint_effort is not None:
        sim.set("effort", joint_effort)
    states, befores = [sim.state()], [sim.state()]
    for _ in range(steps // every):
        sim.step(every - 1)
        befores.append(sim.state())
        sim.step()
        states.append(sim.state())
    return _recording(sim, states, befores, every)


def _recording(sim: Simulation, states: list[dict[str, Array]], befores: list[dict[str, Array]],
               every: int) -> Recording:
    """Stack recorded states; `befores` are the states one step earlier, the first one unused."""
    rows = {name: np.stack([state[name] for state in states]) for name in states[0]}
    before = {name: np.stack([state[name] for state in befores]) for name in befores[0]}
    velocity = spatial_velocities(sim.model, rows)
    if sim.topology.fixed_base:
        velocity[1:] = velocities_after_step(sim.model, before, rows["v"], sim.dt)[1:]
    time = np.arange(len(states), dtype=np.float64) * (sim.dt * every)
    return Recording(time, sim.model.dof_names, rows["q"],
                     rows["v"][..., sim.topology.root_size:], sim.model.link_names,
                     link_poses(sim.model, rows).astype(sim.dtype), velocity.astype(sim.dtype))
