"""`MaterialExperiments` gives the rows of materials: measured frictions, restitutions and bounce thresholds on what
they touch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from physx_runtime.verification.authored import Authored
from physx_runtime.verification.contact.bench import (
    DROP_HEIGHT,
    CombinedValue,
    MaterialPair,
    Surfaces,
    friction_of,
    material_pairs,
    measure_bounce_threshold,
    measure_dynamic_friction,
    measure_rebound,
    measure_restitution,
    measure_static_friction,
    restitution_of,
)
from physx_runtime.verification.families import NEGLIGIBLE_CAUSE
from physx_runtime.verification.quantity import DISPLAY_DIGITS, Measurement, UnsteadyError, uncertainty
from physx_runtime.verification.report import ALTERED, AS_AUTHORED, IGNORED, NOT_EVALUATED, Row, agree
from physx_schema.description.model import Description
from physx_schema.description.scenes import SolverCounts, initial_solver_counts

STATIC, DYNAMIC, RESTITUTION = "physics:staticFriction", "physics:dynamicFriction", "physics:restitution"
THRESHOLD = "physxScene:bounceThreshold"
# A friction or a restitution below this counts as the 0 that is authored.
NOISE = 1e-3
COMPLIANT = "the material is compliant; stiffness and damping alone decide how its contacts bounce"

_MEASURES: Mapping[str, Callable[[Surfaces], Measurement]] = {
    STATIC: measure_static_friction, DYNAMIC: measure_dynamic_friction, RESTITUTION: measure_restitution}


@dataclass(frozen=True, slots=True)
class _PairResult:
    """The effective value of one number of a material on one other material."""

    pair: MaterialPair
    effective: float | None
    ideal: float | None
    reason: str
    uncertainty: float | None = None


class MaterialExperiments:
    """The experiments on the materials of a stage; equal materials are measured once."""

    def __init__(self, description: Description, authored: Authored, dt: float) -> None:
        self._description, self._authored, self._dt = description, authored, dt
        self._counts = initial_solver_counts(description)
        self._cached: dict[tuple[object, ...], Measurement] = {}
        self.counts: dict[str, SolverCounts] = {}       # of the bodies that rows were measured for

    def rows(self) -> Iterator[Row]:
        """The rows of authored frictions and restitutions of materials in contact, and of bounce thresholds."""
        pairs_by_material: dict[str, list[MaterialPair]] = {}
        for pair in material_pairs(self._description):
            pairs_by_material.setdefault(pair.material.path, []).append(pair)
        for path, pairs in pairs_by_material.items():
            for name in _MEASURES:
                if (path, name) in self._authored:
                    yield from self._number_rows(path, name, pairs)
        yield from self._threshold_rows([pair for pairs in pairs_by_material.values() for pair in pairs])

    def surfaces_of(self, material: str) -> Surfaces:
        """A material on the first that it touches. Raises ValueError for one that touches nothing."""
        for pair in material_pairs(self._description):
            if pair.material.path == material:
                return self._surfaces(pair, "physx")
        raise ValueError(f"{material} touches no other material")

    def _number_rows(self, path: str, name: str, pairs: Sequence[MaterialPair]) -> Iterator[Row]:
        """A row for each value that a number comes to."""
        distinct: dict[tuple[float | None, str], _PairResult] = {}
        for pair in pairs:
            result = self._pair_result(name, pair)
            value = None if result.effective is None else float(f"{result.effective:.4g}")
            distinct.setdefault((value, "" if value is not None else result.reason), result)
        for result in distinct.values():
            yield self._row(path, name, result)

    def _pair_result(self, name: str, pair: MaterialPair) -> _PairResult:
        if name == RESTITUTION and pair.material.compliant_stiffness > 0.0:
            return _PairResult(pair, 0.0, 0.0, COMPLIANT, 0.0)
        surfaces = self._surfaces(pair, "physx")
        try:
            effective = self._measured(name, surfaces)
            ideal = self._measured(name, replace(surfaces, solver="ideal"))
            reasons = self._reasons(name, surfaces, pair, effective)
            return _PairResult(pair, effective.value, ideal.value, "; ".join(reasons), effective.error)
        except UnsteadyError as error:
            return _PairResult(pair, None, None, str(error))

    def _surfaces(self, pair: MaterialPair, solver: str) -> Surfaces:
        no_counts = (0, 0)
        counts = self._counts.get(pair.body, SolverCounts(pair.body, *no_counts, pair.body, pair.body, no_counts))
        self.counts[pair.body] = replace(counts, path=pair.body)
        return Surfaces(self._description, pair.material, pair.other, counts, self._dt, solver)

    def _measured(self, name: str, surfaces: Surfaces) -> Measurement:
        """An experiment's value, 0 for noise, and how far it may be off."""
        materials = frozenset((replace(surfaces.material, path=""), replace(surfaces.other, path="")))
        key = (name, materials, surfaces.counts.position, surfaces.counts.velocity, surfaces.solver)
        if key not in self._cached:
            measurement = _MEASURES[name](surfaces)
            value = float(f"{measurement.value:.{DISPLAY_DIGITS}g}")
            error = uncertainty(value, measurement.error)
            self._cached[key] = Measurement(0.0, max(error, NOISE)) if abs(value) < NOISE else Measurement(value, error)
        return self._cached[key]

    def _reasons(self, name: str, surfaces: Surfaces, pair: MaterialPair, effective: Measurement) -> Iterator[str]:
        """Why a number comes to another."""
        authored = self._authored[pair.material.path, name]
        if not isinstance(authored, float) or agrees(authored, *effective):
            return
        combined = restitution_of(pair) if name == RESTITUTION else friction_of(pair, static=name == STATIC)
        yield combined.reason()
        if name == STATIC:
            yield from self._static_friction_reasons(surfaces, effective.value, combined)
        elif name == RESTITUTION:
            rebound = measure_rebound(surfaces) / surfaces.meter
            yield f"a ball dropped from {DROP_HEIGHT:g} m rebounds to {rebound:.2g} m"

    def _static_friction_reasons(self, surfaces: Surfaces, effective: float, combined: CombinedValue) -> Iterator[str]:
        """What the dynamic friction does to a static one, and the angle at which things slide."""
        if any(x.static_friction < x.dynamic_friction for x in (surfaces.material, surfaces.other)):
            yield "PhysX raises a static friction that is below the dynamic friction to the dynamic friction"
        material, other = (replace(x, dynamic_friction=x.static_friction) for x in (surfaces.material, surfaces.other))
        equal_friction = self._measured(STATIC, replace(surfaces, material=material, other=other)).value
        if effective < equal_friction * (1.0 - NEGLIGIBLE_CAUSE):
            yield ("a contact point that slips uses the dynamic friction, and the block slides on smaller slopes; with "
                   f"equal static and dynamic friction the effective static friction is {equal_friction:.3g}")
        yield f"a block starts to slide at a slope of {math.degrees(math.atan(effective)):.3g} degrees"

    def _row(self, path: str, name: str, result: _PairResult) -> Row:
        authored = self._authored[path, name]
        if not isinstance(authored, float) or result.effective is None:
            verdict = NOT_EVALUATED
        elif result.reason == COMPLIANT and authored:
            verdict = IGNORED
        else:
            verdict = AS_AUTHORED if agrees(authored, result.effective, result.uncertainty or 0.0) else ALTERED
        reason = "" if verdict == AS_AUTHORED else result.reason
        return Row(path, name, authored, result.effective, result.ideal, verdict, reason, "",
                   result.pair.body, uncertainty=result.uncertainty)

    def _threshold_rows(self, pairs: Sequence[MaterialPair]) -> Iterator[Row]:
        """The row of what the first scene authors as the slowest impact that bounces, if anything in it does."""
        scene = self._description.scene
        authored = self._authored.get((scene.path, THRESHOLD))
        bouncing = next((pair for pair in pairs if max(
            pair.material.restitution, pair.other.restitution) > 0.0 == pair.material.compliant_stiffness), None)
        if bouncing is None or not isinstance(authored, float) or not authored > 0.0:
            return
        surfaces = self._surfaces(bouncing, "physx")
        try:
            effective, ideal = (measure_bounce_threshold(replace(surfaces, solver=solver))
                                for solver in ("physx", "ideal"))
        except UnsteadyError as error:
            yield Row(scene.path, THRESHOLD, authored, None, None, NOT_EVALUATED, str(error), "length/s", bouncing.body)
            return
        verdict = AS_AUTHORED if agree(authored, *effective) else ALTERED
        yield Row(scene.path, THRESHOLD, authored, effective.value, ideal.value, verdict, "", "length/s",
                  bouncing.body, uncertainty=uncertainty(*effective))


def agrees(authored: float, effective: float, error: float) -> bool:
    """Whether a number of a material takes effect as authored."""
    return agree(authored, effective, max(error, NOISE))
