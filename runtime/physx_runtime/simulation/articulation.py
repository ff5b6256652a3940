"""Simulate a stage: many worlds of one articulation stepped as PhysX steps it."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.dynamics import spatial as sp
from physx_runtime.model.row_labels import row_label, row_sizes
from physx_runtime.model.rows import LINK_FORCE_ROWS, acting_rows, input_rows, state_rows
from physx_runtime.model.topology import Topology
from physx_runtime.packing.articulation import PackedModel, pack
from physx_runtime.packing.choice import choose
from physx_runtime.packing.not_simulated import require_trusted
from physx_runtime.simulation.arguments import required_count, required_time
from physx_runtime.simulation.divergence import DivergenceReport, DivergenceWarning
from physx_runtime.simulation.parameter_values import ParameterValues, chosen_worlds, refusal, rounded
from physx_runtime.simulation.parameters import Parameter, randomized
from physx_runtime.simulation.recording import link_poses
from physx_runtime.simulation.reset import Start
from physx_runtime.solver.divergence import FLAG
from physx_runtime.solver.settings import SolverSettings, solver_settings
from physx_runtime.solver.sleep import STARTED, WOKEN, sleep_rows
from physx_runtime.worlds.buffers import Worlds, make_worlds
from physx_runtime.worlds.paths import AUTO
from physx_runtime.worlds.waking import TARGETS, WAKING, put_to_sleep, sleepers, stir, stirring, write_stirring
from physx_schema.description import describe
from physx_schema.description.articulation.solver_batches import SolverCounts, as_solved, solver_counts
from physx_schema.description.model import Description

if TYPE_CHECKING:
    from physx_runtime.direct import Direct
    from physx_runtime.quantities.equations_of_motion import Dynamics

Array = NDArray[Any]

__all__ = ["DivergenceWarning", "Simulation"]


class Simulation:
    """Worlds of one articulation, stepped together; none depends on what runs beside it.

    A world whose state stops being finite stands still at its last finite state, is flagged in `diverged`, and is
    reported once by a DivergenceWarning; `reset` revives it. What else moves the articulation in PhysX, such as
    contact, is left out: a NotSimulatedWarning says so, and `not_simulated` names it.

    Args:
        stage: a stage, a file, or a Description already read.
        worlds: number of worlds, each with its own state, efforts and parameters.
        dt: time of a step [s].
        device: "cpu" or "cuda".
        dtype: "float32", as PhysX computes, or "float64".
        solver: "physx" for the iteration counts that PhysX takes (`iterations`), "ideal" for what they approximate.
        articulation: prim path of the articulation, where the stage has several, or of a free body.
        randomize: parameters of joints that will be set although the stage gives some joints none of their kind, such
            as "static_friction" or "stiffness"; the step then heeds them on every joint.
        path: "auto" by the size of the structure; "specialised" or "generic"; "handover" for generic at once and
            specialised as soon as a thread has compiled it, which makes bits depend on when that is. A free body has
            but one path, "specialised"; a structure over the budget is not handed over.
        sleeping: whether worlds fall asleep as in PhysX; with solver="ideal" none does.

    Raises:
        UnreadableError: the file is no stage.
        UnsupportedError: the stage has no articulation, or physics that the step does not handle.
        ValueError: an argument out of range.
    """

    def __init__(self, stage: Any, worlds: int = 1, *, dt: float = 1 / 60, device: str = "cpu", dtype: str = "float32",
                 solver: str = "physx", articulation: str | None = None, randomize: Collection[str] = (),
                 path: str = AUTO, sleeping: bool = True) -> None:
        description = stage if isinstance(stage, Description) else describe(stage)
        worlds, self.dt = required_count("worlds", worlds, 1), required_time(dt)
        chosen = choose(description, articulation)
        seen = description if solver == "physx" else description.only(chosen)
        self.iterations: SolverCounts = solver_counts(seen, chosen)     # and whose they are
        self.not_simulated = require_trusted(description, chosen, self.iterations)
        self.model: PackedModel = pack(as_solved(chosen, self.iterations), description.scene_of(chosen), solver)
        if randomize:
            self.model = replace(self.model, topology=randomized(self.model.topology, randomize))
        self._sleepless = not sleeping or solver == "ideal"
        self.model = self.adapted(self.model)
        self.worlds, self.dtype, self._device, self._path, self.solver = worlds, dtype, device, path, solver
        self.settings: SolverSettings = solver_settings(solver, self.model)
        self._worlds: Worlds = make_worlds(self.topology, worlds, device, dtype, path)
        self.divergence = DivergenceReport(self)
        self.steps_taken = 0
        self.states_written = np.zeros(worlds, np.int64)    # since the last step, per world: how often
        self.keep_start = False                             # whether a step leaves `start_of_step`
        self.start_of_step: dict[str, Array] = {}           # state, time and forces of the last step
        self.pushed_once = False                            # whether link forces end with the next step
        self.repack(self.model)
        for name, values in self.model.state.items():
            self.set(name, values)
        self._start(np.arange(worlds))

    def set_time_step(self, dt: float) -> None:
        """Step by another time [s] from now on. Raises ValueError for one that is not positive and finite."""
        self.dt = required_time(dt)
        for name, value in self.settings.rows(self.dt).items():
            self._worlds.write(name, np.full((self.worlds, 1), value, self.dtype))

    def solve_under(self, counts: SolverCounts) -> None:
        """Step under these iteration counts from now on; solver="ideal" keeps to its own."""
        self.iterations, before = counts, self.model
        self.model = replace(before, position_iterations=counts.position, velocity_iterations=counts.velocity)
        self.settings = solver_settings(self.solver, self.model)
        self.set_time_step(self.dt)

    def repack(self, model: PackedModel) -> None:
        """Take the parameters and iteration counts of a model, in every world; states and efforts stay.

        Raises ValueError where the model's structure is not that of this simulation.
        """
        model = self.adapted(model)
        if model.topology != self.topology:
            raise ValueError("the model has another structure; make a new Simulation of it")
        self.model, self.settings = model, solver_settings(self.solver, model)
        self._values = ParameterValues(model, self._worlds, self.worlds, self.dtype)
        efforts = self.get("joint_effort")
        for name, values in model.parameters.items():
            self.set(name, values)
        self.set("joint_effort", efforts)
        if not self.settings.softened:
            self.set("cfm_scale", np.zeros(len(self.topology.links)))
            self.set("least_response", [0.0])
            for name in {"least_turn", "single_turn"} & input_rows(self.topology).keys():
                self.set(name, [0.0])
        self.set_time_step(self.dt)

    @property
    def topology(self) -> Topology:
        """The structure the step was compiled for."""
        return self.model.topology

    # --- rows --------------------------------------------------------------------------------------------------------

    def set(self, name: str, values: ArrayLike, worlds: ArrayLike | None = None) -> None:
        """Set a row of the step: (n,) for all alike or (n_world, n); names as in model's row tables.

        worlds: a mask or indices of the worlds to set, all where None. Rows are in the step's own frames; for
        parameters see `set_parameter`. link_force and link_torque, (3 n_link,) at the centres of mass in world axes,
        act in every step until set anew; the first of them compiles a step that heeds them. Raises ValueError for NaN,
        an infinite state, effort or force, a shape that does not fit, and rows that follow from the time step.
        """
        chosen = chosen_worlds(worlds, self.worlds)
        array = self._checked(name, values, chosen)
        if name in LINK_FORCE_ROWS:
            self._heed_link_forces()
        stirs = self.topology.sleeping and name in WAKING
        if worlds is not None:
            held = self._worlds.rows(name)
            if stirs:
                self._stir(chosen, stirring(name, held[chosen], array))
            held[chosen] = array
            array = held
        if stirs and worlds is None:
            write_stirring(self._worlds, name, array)
        else:
            self._worlds.write(name, array)
        if name in self.model.state:
            self.states_written[chosen] += 1
        if name == "q" and self.topology.locked:
            self.set("locked", np.zeros(len(self.topology.locked)), worlds)

    def _checked(self, name: str, values: ArrayLike, chosen: NDArray[np.int64]) -> Array:
        """Values of a row for these worlds, (n_world, n) of this simulation's dtype; raises as `set`."""
        if name in self.settings.rows(self.dt):
            raise ValueError(f"{name!r} follows from the time step of all worlds; call set_time_step")
        # numbers of another type are refused as they were given
        own, count = isinstance(values, np.ndarray) and values.dtype == self.dtype, self._count(name)
        given = np.asarray(values, dtype=None if own else np.float64)
        if given.shape == (count,):
            given = np.broadcast_to(given, (len(chosen), count))
        elif given.shape != (len(chosen), count):
            raise ValueError(f"{name} has shape {given.shape}; give ({count},) or ({len(chosen)}, {count})")
        moving = name in self.model.state or name in ("joint_effort", *LINK_FORCE_ROWS)
        array = given if own else rounded(given, self.dtype)
        right = np.isfinite(array) if moving else ~np.isnan(array)
        if not right.all():
            raise ValueError(refusal(name, given, ~right, chosen, lambda i: row_label(self.model, name, i),
                                     "give finite numbers" if moving else "give numbers"))
        return array

    def get(self, name: str) -> Array:
        """A row of every world, (n_world, n); names as in model's row tables. Raises ValueError for another."""
        if name in LINK_FORCE_ROWS and not self.topology.link_forces:
            return np.zeros((self.worlds, 3 * len(self.topology.links)), self.dtype)
        self._count(name)
        return self._worlds.rows(name)

    def _count(self, name: str) -> int:
        rows = row_sizes(self.topology)
        if name not in rows:
            raise ValueError(f"{name!r} is no row of this model; allowed are {', '.join(sorted(rows))}")
        return rows[name]

    def _heed_link_forces(self) -> None:
        """Step from now on by code that reads link forces, all rows staying as they are."""
        if self.topology.link_forces:
            return
        topology = replace(self.topology, link_forces=True)
        names = [*state_rows(self.topology), *input_rows(self.topology), FLAG, *sleep_rows(self.topology)]
        rows = {name: self._worlds.rows(name) for name in names}
        self.model = replace(self.model, topology=topology)
        self._worlds = make_worlds(topology, self.worlds, self._device, self.dtype, self._path)
        self._values.store = self._worlds
        for name, values in rows.items():
            self._worlds.write(name, values)

    def adapted(self, model: PackedModel) -> PackedModel:
        """A model with the features that were switched on or off in this simulation."""
        sleeping = model.topology.sleeping and not self._sleepless
        topology = replace(model.topology, link_forces=self.topology.link_forces, sleeping=sleeping)
        rows = input_rows(topology)
        return replace(model, topology=topology,
                       parameters={name: values for name, values in model.parameters.items() if name in rows})

    def step(self, count: int = 1) -> None:
        """Advance every world by `count` steps of dt. Raises ValueError for a count that is no whole number >= 0."""
        count = required_count("count", count, 0)
        if count > 0 and self.pushed_once:
            self._advance(1)
            self.pushed_once, count = False, count - 1
            for name in LINK_FORCE_ROWS:
                self.set(name, np.zeros(self._count(name)))
        if count > 0:
            self._advance(count)
        if self._worlds.near:
            self.divergence.flags()

    def _advance(self, count: int) -> None:
        iterations = self.settings.position_iterations, self.settings.velocity_iterations
        self._worlds.step(count - self.keep_start, *iterations)
        if self.keep_start:
            self.start_of_step = {name: self.get(name) for name in (*self.model.state, *acting_rows(self.topology))}
            self._worlds.step(1, *iterations)
        self.steps_taken += count
        self.states_written[:] = 0

    @property
    def path(self) -> str:
        """The code that the next step takes: "specialised" for this structure, or "generic" (docs/batches.md)."""
        return self._worlds.path

    @property
    def store(self) -> Worlds:
        """Where states and parameters of all worlds are kept."""
        return self._worlds

    @functools.cached_property
    def dynamics(self) -> Dynamics:
        """Inverse and forward dynamics and their derivatives at the current states."""
        from physx_runtime.quantities.equations_of_motion import Dynamics

        return Dynamics(self)

    @functools.cached_property
    def direct(self) -> Direct:
        """PhysX's Direct GPU API of this simulation, every world an articulation (docs/direct_api.md)."""
        from physx_runtime.direct import Direct

        return Direct([self])

    # --- state -------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Array]:
        """The state of every world, row name -> (n_world, n), as model.rows."""
        if not self._worlds.near:       # else the step has told
            self.divergence.flags()
        return {name: self.get(name) for name in self.model.state}

    @property
    def joint_position(self) -> Array:
        """(n_world, n_dof) rad or length."""
        if not self._worlds.near:       # else the step has told
            self.divergence.flags()
        return self.get("q")

    @property
    def joint_velocity(self) -> Array:
        """(n_world, n_dof) rad/s or length/s."""
        return self.get("v")[:, self.topology.root_size:]

    @property
    def link_pose(self) -> Array:
        """World poses of the links, (n_world, n_link, 7): position, quaternion x y z w."""
        return link_poses(self._model_of_worlds(), self.state()).astype(self.dtype)

    @property
    def diverged(self) -> NDArray[np.bool_]:
        """(n_world,) which worlds have diverged and stand still at their last finite state."""
        return self.divergence.flags()

    @property
    def asleep(self) -> NDArray[np.bool_]:
        """(n_world,) which worlds rest until something wakes them; what does is in docs/physx_semantics.md."""
        return sleepers(self._worlds) if self.topology.sleeping else np.zeros(self.worlds, dtype=np.bool_)

    def wake(self, worlds: ArrayLike | None = None) -> None:
        """Wake worlds, a mask (n_world,) or indices, all where None; those awake stay so for 0.4 s at least."""
        self._stir(chosen_worlds(worlds, self.worlds), WOKEN)

    def _start(self, worlds: NDArray[np.int64]) -> None:
        """Begin anew: awake, but for a body that is authored asleep."""
        body = self.model.articulation.links[0].body
        asleep = body is not None and body.starts_asleep
        self._stir(worlds, STARTED)
        if asleep and self.topology.sleeping:
            put_to_sleep(self._worlds, worlds)

    def _stir(self, worlds: NDArray[np.int64], amount: Array | float) -> None:
        if self.topology.sleeping:
            stir(self._worlds, worlds, amount)

    def reset(self, worlds: ArrayLike | None = None, *, joint_position: ArrayLike | None = None,
              joint_velocity: ArrayLike | None = None, root_pose: ArrayLike | None = None,
              root_velocity: ArrayLike | None = None) -> None:
        """Put worlds back to the authored state, or to the one given, and revive those that diverged.

        worlds: a mask (n_world,) or indices, all where None. Given values are for all chosen worlds alike or one line
        each: joint_position, joint_velocity (n_dof); root_pose (7) of the root link, position, quaternion x y z w;
        root_velocity (6), linear at its centre of mass, angular. Efforts, targets and parameters stay. Raises
        ValueError for shapes that do not fit and for numbers that are not finite; then nothing is reset.
        """
        chosen = chosen_worlds(worlds, self.worlds)
        start = Start(self.model, chosen, self.dtype, self._values.mass_properties.root_center()[chosen])
        start.take(joint_position, joint_velocity, root_pose, root_velocity)
        for name, values in start.rows.items():
            self.set(name, values, chosen)
        self.divergence.revive(chosen)
        self._start(chosen)

    # --- parameters --------------------------------------------------------------------------------------------------

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """What may differ between worlds: name -> shape, elements, unit, range and documentation."""
        return self._values.table

    def parameter(self, name: str) -> Array:
        """Values of a parameter in every world, (n_world, *shape); raises ValueError for an unknown name."""
        return self._values.read(name)

    def set_parameter(self, name: str, values: ArrayLike, worlds: ArrayLike | None = None) -> None:
        """Set one parameter as `set_parameters` does several."""
        self.set_parameters({name: values}, worlds)

    def set_parameters(self, values: Mapping[str, ArrayLike], worlds: ArrayLike | None = None) -> None:
        """Set parameters, each by one number, `shape` for all chosen worlds alike, or (n_chosen, *shape).

        worlds: a mask (n_world,) or indices, all where None. Links keep their poses and the root its velocity where a
        centre of mass moves. Raises ValueError, naming world and prim, for values that PhysX would refuse and for
        values that nothing would heed (see `randomize`); then nothing is set.
        """
        chosen = chosen_worlds(worlds, self.worlds)
        before = self._values.mass_properties.root_center()
        aims = {name: self.get(name)[chosen] for name in TARGETS}
        self._values.assign(values, chosen)
        for name, aim in aims.items():
            if self.topology.sleeping and not np.array_equal(self.get(name)[chosen], aim):
                self._stir(chosen, stirring(name, aim, self.get(name)[chosen]))
        shift = self._values.mass_properties.root_center() - before
        if shift.any():
            moved = shift.any(axis=-1)
            rotation = sp.normalized(tuple(np.moveaxis(self.get("root_rotation").astype(np.float64), -1, 0)))
            x, y, z = np.moveaxis(shift, -1, 0)
            turned = np.stack(sp.rotate(rotation, (x, y, z)), axis=-1)
            self.set("root_position", (self.get("root_position") + turned)[moved], moved)

    def _model_of_worlds(self) -> PackedModel:
        """The model with the worlds' own parameters, (n, n_world), for algorithms that run on arrays of worlds."""
        own = {name: self.get(name).T.astype(np.float64) for name in self._values.rows_set}
        x, y, z = np.moveaxis(self._values.mass_properties.root_center(), -1, 0)
        frames = list(self.model.link_frames)
        if not self.topology.fixed_base:
            frames[0] = ((-x, -y, -z), frames[0][1])
        return replace(self.model, parameters={**self.model.parameters, **own}, link_frames=tuple(frames))
