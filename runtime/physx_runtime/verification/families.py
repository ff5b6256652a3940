"""The families of constraints, each measured alone, and why their numbers come out as they do.

A reason is found by experiment too: the same measurement is repeated with PhysX's habits put back one by one, from the
ideal solver to the authored one, and the factor each of them brings is what it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from physx_runtime.solver.settings import IDEAL_ITERATIONS
from physx_runtime.verification.bench import IDEAL, PHYSX, POSITION_ONLY, POSITION_ONLY_HARD, Bench, Solver, stripped
from physx_runtime.verification.drives import measure_drives
from physx_runtime.verification.fixed_tendons import measure_fixed_tendons, single_axis
from physx_runtime.verification.mimics import holders, measure_mimics
from physx_runtime.verification.quantity import Findings, Key
from physx_runtime.verification.spatial_tendons import measure_spatial_tendons
from physx_schema.description.model import Articulation, Description

# A factor this close to 1 is no cause.
CAUSE = 2e-3


@dataclass(frozen=True, slots=True)
class Family:
    """Constraints measured together, everything else taken away."""

    present: Callable[[Articulation], bool]
    strip: Callable[[Articulation], Articulation]
    measure: Callable[[Bench], Findings]
    axes_share: bool = False            # a member's force is divided by its number of axes


FAMILIES = (
    Family(lambda a: any(dof.drive for dof in a.dofs), lambda a: stripped(a, drives=True), measure_drives),
    Family(lambda a: any(t.enabled for t in a.fixed_tendons), lambda a: stripped(a, fixed_tendons=True),
           measure_fixed_tendons, axes_share=True),
    Family(lambda a: any(t.enabled for t in a.spatial_tendons), lambda a: stripped(a, spatial_tendons=True),
           measure_spatial_tendons),
    Family(lambda a: bool(a.mimics), holders, measure_mimics),
)


@dataclass(slots=True)
class Experiments:
    """The measurements of one family on one articulation, each made once."""

    description: Description
    articulation: Articulation
    family: Family
    dt: float
    _found: dict[tuple[Solver, bool], Findings] = field(default_factory=dict)

    def found(self, solver: Solver, alone: bool = False) -> Findings:
        """What the family measures under a solver; alone: with fixed tendons cut down to one axis."""
        if (solver, alone) not in self._found:
            stripped_down = self.family.strip(single_axis(self.articulation) if alone else self.articulation)
            self._found[solver, alone] = self.family.measure(Bench(self.description, stripped_down, self.dt, solver))
        return self._found[solver, alone]

    def causes(self, key: Key, described: float) -> Iterator[str]:
        """What turns the described value into the effective one, each with its factor."""
        n, v = self.articulation.position_iterations, self.articulation.velocity_iterations
        axes = self._axes(key)
        steps: list[tuple[float | None, str]] = [(described, "")]
        if axes > 1:
            steps.append((self.found(IDEAL, alone=True).values.get(key), f"implicit integration, even at {IDEAL_ITERATIONS} iterations"))
        steps.append((self.found(IDEAL).values.get(key), f"PhysX divides the tendon's pull by its {axes} axes" if axes > 1
                      else f"implicit integration, even at {IDEAL_ITERATIONS} iterations"))
        steps += [
            (self.found(POSITION_ONLY_HARD).values.get(key), f"implicit integration over {n} position iterations scales it"),
            (self.found(POSITION_ONLY).values.get(key), "the links' cfmScale softens it"),
            (self.found(PHYSX).values.get(key), f"{_iterations(v)} on top of {n} position iterations"),
        ]
        for (before, _), (after, text) in zip(steps, steps[1:], strict=False):
            if before and after is not None and abs(after / before - 1.0) > CAUSE:
                yield f"{text} (x{after / before:.3g})"

    def _axes(self, key: Key) -> int:
        if not self.family.axes_share or key.property.endswith((":gearing", ":forceCoefficient")):
            return 1
        return next((len(t.axes) for t in self.articulation.fixed_tendons
                     if t.path == key.path and key.property.startswith(t.prefix)), 1)


def _iterations(count: int) -> str:
    return "the pull of 1 velocity iteration" if count == 1 else f"the pull of {count} velocity iterations"
