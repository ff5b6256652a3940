"""The rows of materials: what frictions and restitutions come to on what they meet, and what bounces at all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from physx_runtime.verification.authored import Authored
from physx_runtime.verification.contact.bench import (
    DROP_HEIGHT,
    Combining,
    Meeting,
    Surfaces,
    friction_of,
    measure_bounce_threshold,
    measure_dynamic_friction,
    measure_rebound,
    measure_restitution,
    measure_static_friction,
    meetings,
    restitution_of,
)
from physx_runtime.verification.families import NEGLIGIBLE_CAUSE
from physx_runtime.verification.quantity import SHOWN_DIGITS, Measured, UnsteadyError, uncertainty
from physx_runtime.verification.report import ALTERED, AS_AUTHORED, IGNORED, NOT_EVALUATED, Row, agree
from physx_schema.description.model import Description
from physx_schema.description.scenes import SolverCounts, held_counts

STATIC, DYNAMIC, RESTITUTION = "physics:staticFriction", "physics:dynamicFriction", "physics:restitution"
THRESHOLD = "physxScene:bounceThreshold"
# A friction or a restitution below this counts as the 0 that is authored.
NOISE = 1e-3
SPRINGY = "contacts of a compliant material are springs, which give back by stiffness and damping alone"

_MEASURES: Mapping[str, Callable[[Surfaces], Measured]] = {
    STATIC: measure_static_friction, DYNAMIC: measure_dynamic_friction, RESTITUTION: measure_restitution}


@dataclass(frozen=True, slots=True)
class _Answer:
    """What one number of a material comes to on one other material."""

    meeting: Meeting
    effective: float | None
    ideal: float | None
    reason: str
    uncertainty: float | None = None


class MaterialExperiments:
    """The experiments on the materials of a stage; materials that are alike are measured once."""

    def __init__(self, description: Description, authored: Authored, dt: float) -> None:
        self._description, self._authored, self._dt = description, authored, dt
        self._counts = held_counts(description)
        self._known: dict[tuple[object, ...], Measured] = {}
        self.counts: dict[str, SolverCounts] = {}       # of the bodies that rows were measured for

    def rows(self) -> Iterator[Row]:
        """The rows of every authored friction and restitution that meets something, and of bounce thresholds."""
        found: dict[str, list[Meeting]] = {}
        for meeting in meetings(self._description):
            found.setdefault(meeting.own.path, []).append(meeting)
        for path, several in found.items():
            for name in _MEASURES:
                if (path, name) in self._authored:
                    yield from self._of_number(path, name, several)
        yield from self._thresholds([meeting for several in found.values() for meeting in several])

    def surfaces_of(self, material: str) -> Surfaces:
        """A material on what it meets first. Raises ValueError for one that meets nothing."""
        for meeting in meetings(self._description):
            if meeting.own.path == material:
                return self._surfaces(meeting, "physx")
        raise ValueError(f"{material} meets nothing")

    def _of_number(self, path: str, name: str, several: Sequence[Meeting]) -> Iterator[Row]:
        """A row for each value that a number comes to."""
        distinct: dict[tuple[float | None, str], _Answer] = {}
        for meeting in several:
            answer = self._answer(name, meeting)
            value = None if answer.effective is None else float(f"{answer.effective:.4g}")
            distinct.setdefault((value, "" if value is not None else answer.reason), answer)
        for answer in distinct.values():
            yield self._row(path, name, answer)

    def _answer(self, name: str, meeting: Meeting) -> _Answer:
        if name == RESTITUTION and meeting.own.compliant_stiffness > 0.0:
            return _Answer(meeting, 0.0, 0.0, SPRINGY, 0.0)
        surfaces = self._surfaces(meeting, "physx")
        try:
            effective = self._measured(name, surfaces)
            ideal = self._measured(name, replace(surfaces, solver="ideal"))
            reasons = self._reasons(name, surfaces, meeting, effective)
            return _Answer(meeting, effective.value, ideal.value, "; ".join(reasons), effective.error)
        except UnsteadyError as error:
            return _Answer(meeting, None, None, str(error))

    def _surfaces(self, meeting: Meeting, solver: str) -> Surfaces:
        own = (0, 0)
        counts = self._counts.get(meeting.body, SolverCounts(meeting.body, *own, meeting.body, meeting.body, own))
        self.counts[meeting.body] = replace(counts, path=meeting.body)
        return Surfaces(self._description, meeting.own, meeting.other, counts, self._dt, solver)

    def _measured(self, name: str, surfaces: Surfaces) -> Measured:
        """An experiment's value, 0 for noise, and how far it may be off."""
        both = frozenset((replace(surfaces.own, path=""), replace(surfaces.other, path="")))
        key = (name, both, surfaces.counts.position, surfaces.counts.velocity, surfaces.solver)
        if key not in self._known:
            found = _MEASURES[name](surfaces)
            value = float(f"{found.value:.{SHOWN_DIGITS}g}")
            own = uncertainty(value, found.error)
            self._known[key] = Measured(0.0, max(own, NOISE)) if abs(value) < NOISE else Measured(value, own)
        return self._known[key]

    def _reasons(self, name: str, surfaces: Surfaces, meeting: Meeting, effective: Measured) -> Iterator[str]:
        """Why a number comes to another."""
        authored = self._authored[meeting.own.path, name]
        if not isinstance(authored, float) or agrees(authored, *effective):
            return
        combining = restitution_of(meeting) if name == RESTITUTION else friction_of(meeting, static=name == STATIC)
        yield combining.reason()
        if name == STATIC:
            yield from self._of_static_friction(surfaces, effective.value, combining)
        elif name == RESTITUTION:
            rebound = measure_rebound(surfaces) / surfaces.meter
            yield f"a ball let go {DROP_HEIGHT:g} m up comes back to {rebound:.2g} m"

    def _of_static_friction(self, surfaces: Surfaces, effective: float, combining: Combining) -> Iterator[str]:
        """What the dynamic friction does to a static one, and the angle at which things slide."""
        if any(x.static_friction < x.dynamic_friction for x in (surfaces.own, surfaces.other)):
            yield "PhysX raises a static friction below the dynamic one to it"
        own, other = (replace(x, dynamic_friction=x.static_friction) for x in (surfaces.own, surfaces.other))
        even = self._measured(STATIC, replace(surfaces, own=own, other=other)).value
        if effective < even * (1.0 - NEGLIGIBLE_CAUSE):
            yield (f"a contact point that gives way counts with the dynamic friction, which lets a block go before its "
                   f"others do: with a dynamic friction like the static one it is {even:.3g}")
        yield f"a block starts to slide at {math.degrees(math.atan(effective)):.3g} degrees"

    def _row(self, path: str, name: str, answer: _Answer) -> Row:
        authored = self._authored[path, name]
        if not isinstance(authored, float) or answer.effective is None:
            verdict = NOT_EVALUATED
        elif answer.reason == SPRINGY and authored:
            verdict = IGNORED
        else:
            verdict = AS_AUTHORED if agrees(authored, answer.effective, answer.uncertainty or 0.0) else ALTERED
        reason = "" if verdict == AS_AUTHORED else answer.reason
        return Row(path, name, authored, answer.effective, answer.ideal, verdict, reason, "",
                   answer.meeting.body, uncertainty=answer.uncertainty)

    def _thresholds(self, several: Sequence[Meeting]) -> Iterator[Row]:
        """The row of what the first scene authors as the slowest impact that bounces, if anything in it does."""
        scene = self._description.scene
        authored = self._authored.get((scene.path, THRESHOLD))
        bouncing = next((meeting for meeting in several if max(
            meeting.own.restitution, meeting.other.restitution) > 0.0 == meeting.own.compliant_stiffness), None)
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
    """Whether a number of a material comes to what is authored."""
    return agree(authored, effective, max(error, NOISE))
