"""`Family` lists the families of constraints that are measured alone; `Experiments` measures one family and finds the
causes of deviations. A cause is found by experiment too. The measurement is repeated with features of PhysX's solver
restored one by one, from the ideal solver to the authored one. The factor of each step is its effect.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from physx_runtime.solver.settings import IDEAL_ITERATIONS
from physx_runtime.verification.bench import (
    IDEAL,
    PHYSX,
    POSITION_ONLY,
    POSITION_ONLY_HARD,
    Bench,
    Solver,
    matching_branch,
    stripped,
)
from physx_runtime.verification.engines.engine import Engine
from physx_runtime.verification.laws.compliance import compliant, measure_compliance
from physx_runtime.verification.laws.drives import enveloped, measure_drives, measure_envelopes
from physx_runtime.verification.laws.fixed_tendons import measure_fixed_tendons, measured_axis, single_axis
from physx_runtime.verification.laws.joint_axes import has_axis_values, measure_joint_axes
from physx_runtime.verification.laws.mimics import measure_mimics, with_drives
from physx_runtime.verification.laws.spatial_tendons import measure_spatial_tendons
from physx_runtime.verification.quantity import Findings, Key
from physx_runtime.verification.settling import can_settle, measure_settling
from physx_schema.description.model import Articulation, Description, FixedTendon
from physx_schema.description.scenes import SolverBatches, with_solver_counts
from physx_schema.text import plural

# A factor this close to 1 is no cause.
NEGLIGIBLE_CAUSE = 5e-3


@dataclass(frozen=True, slots=True)
class Family:
    """Constraints that are measured together, without all others."""

    present: Callable[[Articulation], bool]
    strip: Callable[[Articulation], Articulation]
    measure: Callable[[Bench], Findings]
    repeats: str = "velocity iterations change the effect"     # what velocity iterations do to them


AXES_REPEAT = "PhysX also applies friction and maximum velocity in velocity iterations"
TENDONS_REPEAT = "PhysX also applies the tendon's force in velocity iterations"
MIMICS_REPEAT = "PhysX solves the mimic joint as rigid in velocity iterations"

FAMILIES = (
    Family(lambda a: any(dof.drive for dof in a.dofs), lambda a: stripped(a, drives=True), measure_drives),
    Family(lambda a: any(map(enveloped, a.dofs)), lambda a: stripped(a, drives=True, envelopes=True),
           measure_envelopes),
    Family(lambda a: any(map(has_axis_values, a.dofs)), lambda a: stripped(a, axes=True), measure_joint_axes,
           AXES_REPEAT),
    Family(lambda a: any(t.enabled for t in a.fixed_tendons), lambda a: stripped(a, fixed_tendons=True),
           measure_fixed_tendons, TENDONS_REPEAT),
    Family(lambda a: any(t.enabled for t in a.spatial_tendons), lambda a: stripped(a, spatial_tendons=True),
           measure_spatial_tendons, TENDONS_REPEAT),
    Family(can_settle, lambda a: stripped(a, drives=True, limits=True, axes=True), measure_settling),
    Family(lambda a: bool(a.mimics), with_drives, measure_mimics, MIMICS_REPEAT),
    Family(lambda a: any(map(compliant, a.mimics)), lambda a: stripped(a, mimics=True),
           measure_compliance, MIMICS_REPEAT),
)


@dataclass(slots=True)
class Experiments:
    """The measurements of one family on one articulation, each made once."""

    description: Description
    articulation: Articulation
    family: Family
    dt: float
    _findings: dict[tuple[Solver, bool], Findings] = field(default_factory=dict)
    _in_physx: Findings | None = None

    def findings(self, solver: Solver, one_axis: bool = False) -> Findings:
        """What the family measures under a solver. one_axis: with fixed tendons reduced to one axis."""
        if (solver, one_axis) not in self._findings:
            stripped_down = self.family.strip(single_axis(self.articulation) if one_axis else self.articulation)
            self._findings[solver,
                           one_axis] = self.family.measure(Bench(self.description, stripped_down, self.dt, solver))
        return self._findings[solver, one_axis]

    def in_physx(self, engine: Engine) -> Findings:
        """What the family measures where real PhysX steps. Raises UnsupportedError where that refuses it."""
        if self._in_physx is None:
            stripped_down = self.family.strip(self.articulation)
            self._in_physx = self.family.measure(engine.bench(self.description, stripped_down, self.dt))
        return self._in_physx

    def repeat(self, description: Description, keys: Collection[Key], dt: float | None = None) -> Findings:
        """The effective values of these numbers, and of others of their constraints, on an edited stage."""
        edited = next((item for item in description.articulations if item.path == self.articulation.path), None)
        if edited is None:
            return Findings()
        solved = matching_branch(with_solver_counts(edited, SolverBatches(description).counts(edited)),
                                 self.articulation)
        if solved is None:
            return Findings()
        return self.family.measure(Bench(description, self.family.strip(solved), dt or self.dt, PHYSX, keys))

    def causes(self, key: Key, described: float) -> Iterator[str]:
        """The causes that turn the described value into the effective one, each with its factor."""
        n, v = self.articulation.position_iterations, self.articulation.velocity_iterations
        tendon, integration = self._tendon(key), f"implicit integration, even at {IDEAL_ITERATIONS} position iterations"
        steps: list[tuple[float | None, str]] = [(described, "")]
        if tendon and key.property == tendon.prefix + "forceCoefficient":
            read = measured_axis(tendon)
            yield ("the effect is measured relative to the forceCoefficient of "
                   f"{read.path if read else 'none'}, the joint at which the stiffness is measured")
        elif tendon and len(tendon.axes) > 1 and key.property != tendon.prefix + "gearing":
            single = self.findings(IDEAL, one_axis=True).values.get(key)
            steps += [(single, integration), (self._shared_gain(tendon, single), _axis_division(tendon))]
            integration = "the tendon's axes are not parallel, and PhysX does not damp the rate of the tendon's length"
        steps += [
            (self.findings(IDEAL).values.get(key), integration),
            (self.findings(POSITION_ONLY_HARD).values.get(key), self._integration(n)),
            (self.findings(POSITION_ONLY).values.get(key), "the links' cfmScale softens the constraint"),
            (self.findings(PHYSX).values.get(key),
             f"{self.family.repeats}: {plural(v, 'velocity iteration')} after {n} position iterations"),
        ]
        yield from factors(steps)

    def _integration(self, n: int) -> str:
        """What the authored number of position iterations does."""
        if self.description.scene_of(self.articulation).solver_type == "PGS":
            return (f"PGS integrates the whole step after {plural(n, 'position iteration')} and at least one velocity "
                    "iteration")
        return f"implicit integration over {n} position iterations"

    def _shared_gain(self, tendon: FixedTendon, single: float | None) -> float | None:
        """What is left of a gain by the sharing of the tendon's spring among its axes."""
        spring = Key(tendon.path, tendon.prefix + "stiffness")
        before, after = (self.findings(IDEAL, one_axis=a).values.get(spring) for a in (True, False))
        return single * after / before if single is not None and before and after is not None else None

    def _tendon(self, key: Key) -> FixedTendon | None:
        """The fixed tendon that a number belongs to."""
        return next((t for t in self.articulation.fixed_tendons if key.property.startswith(t.prefix)
                     and key.path in (t.path, *(axis.path for axis in t.axes))), None)


def factors(steps: Iterable[tuple[float | None, str]]) -> Iterator[str]:
    """The causes that change a value, each with its factor. steps: values with causes, the described one first."""
    for (before, _), (after, text) in pairwise([step for step in steps if step[0] is not None]):
        if before and after is not None and abs(after / before - 1.0) > NEGLIGIBLE_CAUSE:
            yield f"{text} (x{after / before:.3g})"


def _axis_division(tendon: FixedTendon) -> str:
    return f"PhysX divides the tendon's pull by the number of its axes, {len(tendon.axes)}"
