"""`DivergenceReport` flags the worlds of an actor whose state is no longer finite and warns once about each. A diverged
world stays at its last finite state until `revive`; `halt` stops worlds for another reason. `first_not_finite` repeats
the step stage by stage and names the first quantity that is not finite. The warning is a `DivergenceWarning`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from physx_runtime.model.owners import owners_of, row_label
from physx_runtime.model.row_specs import input_rows, state_rows
from physx_runtime.packing.model import PackedModel
from physx_runtime.packing.not_simulated import caller_stack_level
from physx_runtime.solver.divergence import DIVERGED, LARGEST_STATE, moving_rows
from physx_runtime.solver.program import stages
from physx_runtime.solver.settings import SolverSettings
from physx_runtime.worlds.store import WorldRows

# Worlds that a warning names.
MAX_NAMED = 5
ADVICE = "use a shorter time step, softer or more damped springs, or heavier links"


class DivergenceWarning(RuntimeWarning):
    """The state of some worlds is not finite; these worlds are not stepped until you reset them."""


class SteppedActor(Protocol):
    """The actor that a report is about."""

    @property
    def dt(self) -> float:
        """Time of a step [s]."""

    @property
    def steps_taken(self) -> int:
        """Number of steps taken."""

    @property
    def model(self) -> PackedModel:
        """The packed model that is stepped."""

    @property
    def settings(self) -> SolverSettings:
        """Its iteration counts."""

    @property
    def store(self) -> WorldRows:
        """The rows of its worlds."""

    def get(self, name: str) -> NDArray[Any]:
        """A row of every world."""


@dataclass(frozen=True, slots=True)
class Loss:
    """The first quantity that was no longer finite, and its actor."""

    path: str               # of the actor that it is of
    other_count: int             # that are solved with it, and stand still as well
    quantity: str

    @property
    def suffix(self) -> str:
        """Text about the other diverged actors, to follow the name of the first."""
        return f" and {self.other_count} more actors that are solved together with it" if self.other_count else ""


class DivergenceReport:
    """Divergence of one actor; `reported` (n_world,) marks the worlds that were reported and is updated in place.

    group_reports: the reports of all actors solved with it, to which this one is appended. They diverge together, and
    one of them reports it.
    """

    def __init__(self, actor: SteppedActor, reported: NDArray[np.bool_], group_reports: list[DivergenceReport]) -> None:
        self._actor, self._reported, self._group_reports = actor, reported, group_reports
        group_reports.append(self)
        self.messages: list[str] = []
        self._revived_on_gpu = False
        self.lost: Loss | None = None       # of the last world that was reported

    def flags(self) -> NDArray[np.bool_]:
        """Mask (n_world,) of diverged worlds; warns about those not reported yet."""
        flags = self._flags()
        if self._revived_on_gpu:
            self._revived_on_gpu, self._reported[:] = False, self._reported & flags
        new = np.flatnonzero(flags & ~self._reported)
        if len(new):
            self._warn(new)
        return flags

    def halt(self, worlds: NDArray[np.int64], quantity: str) -> None:
        """Stop worlds with these indices because of `quantity`, and mark them as reported."""
        self._record_loss(self._group_reports, self, quantity)
        for report in self._group_reports:
            report._mark(worlds, True)

    def revive(self, worlds: NDArray[np.int64]) -> None:
        """Clear the divergence of worlds with these indices."""
        self._mark(worlds, False)

    def revived_on_gpu(self) -> None:
        """Note that the GPU revived worlds; those found finite at the next check may be reported again."""
        self._revived_on_gpu = True

    def _warn(self, new: NDArray[np.int64]) -> None:
        """Warn about worlds with these indices, for all actors that diverged there and are not reported yet."""
        diverged_reports = [report for report in self._group_reports if (report._flags() & ~report._reported)[new[0]]]
        first, quantity = next(((report, quantity) for report in diverged_reports
                                if (quantity := first_not_finite(report._actor, int(new[0])))), (self, "its state"))
        loss = self._record_loss(diverged_reports, first, quantity)
        for report in diverged_reports:
            report._reported[new] |= report._flags()[new]
        names = ", ".join(str(i) for i in new[:MAX_NAMED]) + (", ..." if len(new) > MAX_NAMED else "")
        self.messages.append(
            f"{loss.path}{loss.suffix}: {len(new)} of {len(self._reported)} worlds diverged (world {names}) at step "
            f"{self._actor.steps_taken} of {self._actor.dt:.6g} s: {loss.quantity} is not finite; these worlds are not "
            f"stepped until reset; {ADVICE}")
        warnings.warn(self.messages[-1], DivergenceWarning, stacklevel=caller_stack_level())

    @staticmethod
    def _record_loss(reports: Sequence[DivergenceReport], first: DivergenceReport, quantity: str) -> Loss:
        loss = Loss(first._actor.model.actor.path, len(reports) - 1, quantity)
        for report in reports:
            report.lost = loss
        return loss

    def _flags(self) -> NDArray[np.bool_]:
        return np.asarray(self._actor.store.rows(DIVERGED)[:, 0] > 0.5)

    def _mark(self, worlds: NDArray[np.int64], diverged: bool) -> None:
        self._actor.store.write_at(DIVERGED, np.array([float(diverged)]), worlds)
        self._reported[worlds] = diverged


def first_not_finite(actor: SteppedActor, world: int) -> str:
    """The first quantity that is not finite in the next step of a diverged world; "" if none is this actor's."""
    t = actor.model.topology
    rows = {name: actor.get(name)[world] for name in (*state_rows(t), *input_rows(t))}
    row_owners = owners_of(t.tree, actor.model.actor, actor.model.scene)
    for _, stage_rows in stages(t, rows, actor.settings):
        for name in moving_rows(t):
            values = np.asarray(stage_rows[name], np.float64)
            if (indices := np.flatnonzero(~(np.abs(values) < LARGEST_STATE))).size:
                quantity = {"q": "position", "v": "velocity"}.get(name, name.replace("_", " "))
                owner = f" of {row_label(row_owners, name, int(indices[0]))}" if name in "qv" else ""
                return f"the {quantity}{owner}"
    return ""
