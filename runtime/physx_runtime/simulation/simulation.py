"""`Simulation` steps one articulation or free body of a stage in many worlds, as PhysX does. It leaves out contacts and
joints outside articulations, which `Scene` has.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from physx_runtime.packing.body import pack_actor
from physx_runtime.packing.not_simulated import require_trusted, select_actor
from physx_runtime.simulation.actor_group import build_group
from physx_runtime.simulation.answers import ActorView
from physx_runtime.simulation.arguments import required_count
from physx_runtime.simulation.parameters import randomized
from physx_runtime.worlds.store import AUTO
from physx_schema.description import describe
from physx_schema.description.model import Description
from physx_schema.description.scenes import SolverCounts, solver_counts, with_solver_counts


class Simulation(ActorView):
    """Worlds of one articulation, stepped together; no world depends on another.

    A world whose state stops being finite stands still at its last finite state, is flagged in `diverged`, and is
    reported once by a DivergenceWarning; `reset` revives it. What else moves the articulation in PhysX, such as
    contact, is left out; a NotSimulatedWarning reports it, and `not_simulated` lists it.

    Args:
        stage: a stage, a file, or a Description already read.
        worlds: number of worlds, each with its own state, efforts and parameters.
        dt: time of a step [s].
        device: "cpu", "cuda", or "auto" for a GPU where there is one that steps this.
        dtype: "float32", as PhysX computes, or "float64".
        solver: "physx" for the iteration counts that PhysX takes (`iterations`), "ideal" for what they approximate,
            "sapien-3.0" for the PhysX of SAPIEN 3.0.
        articulation: prim path of the articulation, where the stage has several, or of a free body.
        randomize: parameters of joints that will be set although the stage gives some joints none of their kind, such
            as "static_friction" or "stiffness"; the step then reads them on every joint.
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
        actor = select_actor(description, articulation)
        counted = description if solver == "physx" else description.only(actor)
        self.iterations: SolverCounts = solver_counts(counted, actor)     # and whose they are
        self.not_simulated = require_trusted(description, actor, self.iterations)
        model = pack_actor(with_solver_counts(actor, self.iterations), description.scene_of(actor), solver)
        if randomize:
            model = replace(model, topology=randomized(model.topology, randomize))
        super().__init__(build_group(model, worlds, dt=dt, device=device, dtype=dtype, solver=solver, path=path,
                                     sleeping=sleeping))

    def step(self, count: int = 1) -> None:
        """Advance every world by `count` steps of dt. Raises ValueError for a count that is no whole number >= 0."""
        self._group.batch.step(required_count("count", count, 0))
