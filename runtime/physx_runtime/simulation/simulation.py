"""`Simulation` steps one articulation or free body of a stage in many worlds, as PhysX does. It leaves out contacts and
joints outside articulations, which `Scene` has.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from numpy.typing import ArrayLike

from physx_runtime.arrays import Array
from physx_runtime.packing.body import pack_actor
from physx_runtime.packing.not_simulated import require_trusted, select_actor
from physx_runtime.simulation.actor_group import build_group
from physx_runtime.simulation.answers import ActorView
from physx_runtime.simulation.arguments import required_count, required_solver
from physx_runtime.simulation.following import FollowedCommands
from physx_runtime.simulation.parameters import randomized
from physx_runtime.simulation.saved_state import read_state, write_state
from physx_runtime.worlds.store import AUTO
from physx_schema.arguments import required_texts
from physx_schema.description import describe
from physx_schema.description.model import Description
from physx_schema.description.scenes import SolverCounts, solver_counts, with_solver_counts
from physx_schema.description.stages import StageSource


class Simulation(ActorView):
    """Many independent worlds of one articulation or free body, stepped together.

    A world in which a number becomes NaN or infinite stops at its last finite state. `diverged` marks the world, and
    one DivergenceWarning reports it; `reset` starts the world again. A NotSimulatedWarning reports physics that is left
    out, such as contact, and `not_simulated` lists it.

    Example::

        sim = physx_runtime.Simulation("hand.usda", worlds=4096)
        sim.set_parameter("mass", 1.2 * sim.parameter("mass"))
        sim.step(60)
        sim.joint_position      # (4096, n_dof), rad or length units

    Args:
        stage: A stage, a file or a Description.
        worlds: Number of worlds, each with a separate state, efforts and parameters.
        dt: Time step in seconds.
        device: "cpu", "cuda", or "auto" for a GPU if one is available and supports the stage.
        dtype: "float32", as in PhysX, or "float64".
        solver: "physx" uses PhysX's iteration counts (`iterations`). `ideal` solves the same equations with many
            iterations. `sapien-3.0` is the PhysX of SAPIEN 3.0.
        articulation: Prim path of the articulation or free body to step; required if the stage has several
            articulations.
        randomize: Names of joint parameters, such as "static_friction" or "stiffness", that you will set on joints
            without an authored value. The step then reads these parameters on every joint.
        path: Code that steps the actor. `specialised` compiles code for this articulation. `generic` runs code that all
            articulations share. `auto` uses specialised code for small articulations and generic code for large ones.
            `handover` starts with generic code and changes to specialised code once it is compiled. The step at which
            the code changes affects rounding, and so the last digits of the results. If an articulation is too large to
            compile, `auto` and `handover` use generic code. A free body always uses specialised code.
        sleeping: Whether worlds sleep as in PhysX. With solver="ideal" no world sleeps.

    Raises:
        UnreadableError: The file is not a stage.
        UnsupportedError: The stage has no articulation, or it has physics that the step does not support.
        ValueError: An argument is out of range.
    """

    def __init__(self, stage: StageSource | Description, worlds: int = 1, *,
                 dt: float = 1 / 60, device: str = "cpu", dtype: str = "float32", solver: str = "physx",
                 articulation: str | None = None, randomize: Collection[str] = (), path: str = AUTO,
                 sleeping: bool = True) -> None:
        required_solver(solver)
        description = stage if isinstance(stage, Description) else describe(stage)
        actor = select_actor(description, articulation)
        counted = description if solver == "physx" else description.only(actor)
        self.iterations: SolverCounts = solver_counts(counted, actor)     # and whose they are
        self.not_simulated = require_trusted(description, actor, self.iterations)
        model = pack_actor(with_solver_counts(actor, self.iterations), description.scene_of(actor), solver)
        if isinstance(randomize, str) or required_texts("randomize", randomize):
            model = replace(model, topology=randomized(model.topology, randomize))
        super().__init__(build_group(model, worlds, dt=dt, device=device, dtype=dtype, solver=solver, path=path,
                                     sleeping=sleeping))

    def step(self, count: int = 1) -> None:
        """Advance every world by `count` steps of dt. Raises ValueError unless `count` is an integer of at least 0."""
        self._group.batch.step(required_count("count", count, 0))

    def follow(self, commands: Mapping[str, ArrayLike], start: ArrayLike = 0, *, steps: int, delay: ArrayLike = 0.0,
               record: Collection[str] = ("q", "v"), every: int = 1) -> dict[str, Array]:
        """Advance every world by `steps` along one table of commands; return recorded rows.

        In step k a world takes record start + k - delay of the table, blended linearly between two records. Before the
        first record and after the last one the commands are constant. Python does not run between steps. The results
        have the same bits as `set_parameters` and `step` one by one.

        Args:
            commands: Values (n_record, n_dof) of "target_position", "target_velocity" or "joint_effort", one record
                for each step.
            start: Record of the first step, one number or (n_world,).
            steps: Number of steps.
            delay: Delay of the commands in steps, one real number or (n_world,).
            record: Names of rows of the state, such as "q" and "v".
            every: Steps between two records.

        Returns:
            Row name -> (steps // every + 1, n_world, n). Record 0 is the state before the first step.

        Raises:
            ValueError: A name, shape or number is wrong; nothing is stepped then.
            UnsupportedError: The worlds are on a GPU.
        """
        steps, every = required_count("steps", steps, 0), required_count("every", every, 1)
        return FollowedCommands(self, commands).follow(start, steps, delay, record, every)

    def save(self, path: str | Path) -> None:
        """Write the states, parameters, efforts and targets of all worlds to an .npz file of plain arrays.

        Raises ValueError for a name with another suffix, and if a force of `apply_force` waits for the next step.
        Raises UnsupportedError if the file cannot be written.
        """
        write_state(self, path)

    def load(self, path: str | Path) -> None:
        """Continue from a file of `save`, with the same bits; nothing changes if the file is refused.

        Raises FileNotFoundError, and UnreadableError for a file that `save` did not write. Raises ValueError for the
        state of another robot, of other settings or of another version.
        """
        read_state(self, path)
