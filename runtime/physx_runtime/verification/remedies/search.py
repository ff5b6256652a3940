"""`solve` finds values with the intended effects: root finding for numbers that are authored together, each mostly
affecting itself. `Search` is the search of one number. `Trial` authors the numbers in a layer over the stage, which
stays unchanged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from pxr import Sdf, Usd

from physx_runtime.progress import task
from physx_schema.checking.engine.finding import ApplySchema, SetValue
from physx_schema.checking.engine.layer_editor import CannotError, LayerEditor
from physx_schema.description import describe
from physx_schema.description.model import Description
from physx_schema.description.units import as_numbers

K = TypeVar("K")
# What a set of values comes to; None where it cannot be measured.
Measure = Callable[[Mapping[K, float]], Mapping[K, float | None]]

# Relative error of an effect that counts as reached: small compared with AS_AUTHORED_TOLERANCE.
SOLVED_TOLERANCE = 5e-4
# Significant digits of the values that are tried: more only where these are too coarse.
MIN_DIGITS, MAX_DIGITS = 4, 7
MAX_TRIALS = 24
# Trials that still say where a root is while other numbers change.
RECENT_TRIALS = 4
# Between one trial and the next a value that is not enclosed grows or shrinks by this factor at most.
MAX_STEP_FACTOR = 30.0
# An effect that moves by less than this part of what the value moves has come to its end.
MIN_SLOPE = 1e-2


@dataclass(slots=True)
class Search:
    """The search of one number: its intended effect and its trials, both in the property's unit."""

    target: float
    initial: float                # to try: the authored number, or a guess
    noise: float = 0.0          # error that counts as none where the wanted effect is 0
    lower: float = -math.inf    # the numbers that may be authored
    upper: float = math.inf
    decreasing: bool = False         # whether the effect shrinks as the value grows
    trials: list[tuple[float, float]] = field(default_factory=list)      # values with effects, the latest last
    unmeasurable: list[float] = field(default_factory=list)  # values at which nothing could be measured
    value: float = math.nan     # to try next, or that was tried last

    def __post_init__(self) -> None:
        self.value = self.initial

    @property
    def solved(self) -> bool:
        """Whether the last value has the intended effect."""
        return (bool(self.trials) and self.trials[-1][0] == self.value
                and self.error(self.trials[-1][1]) <= SOLVED_TOLERANCE)

    @property
    def closest(self) -> tuple[float, float] | None:
        """The value with the effect nearest to the intended one, and this effect."""
        return min(self.trials, key=lambda pair: self.error(pair[1]), default=None)

    def error(self, effect: float) -> float:
        """The relative error of an effect."""
        if self.target == 0.0:
            return 0.0 if abs(effect) <= self.noise else math.inf
        return abs(effect / self.target - 1.0)

    def record(self, effect: float | None) -> None:
        """Store the effect of the value."""
        if effect is None or not math.isfinite(effect):
            self.unmeasurable.append(self.value)
        else:
            self.trials.append((self.value, effect))

    def advance(self) -> bool:
        """Choose the next value; False where no better one is expected."""
        proposed = self._proposal()
        if proposed is None or not math.isfinite(proposed):
            return False
        proposed = min(max(proposed, self.lower), self.upper)
        rounded = (_rounded(proposed, digits) for digits in range(MIN_DIGITS, MAX_DIGITS + 1))
        changed = next((value for value in rounded if value != self.value), None)
        if changed is None:
            return False
        self.value = changed
        return True

    def _proposal(self) -> float | None:
        if not self.trials:
            return None
        last, effect = self.trials[-1]
        bracket = self._bracket()
        before = next((pair for pair in reversed(self.trials) if pair[0] != last), None)
        step = self._proportional(last, effect) if before is None else self._secant(before)
        if bracket is None or (step is not None and (bracket[0] < step < bracket[1] or self._is_converging())):
            return None if step is None else self._measurable_step(last, self._clamped(last, step))
        return _middle(*bracket)

    def _is_converging(self) -> bool:
        """Whether the last trial came much nearer: what encloses the root may be out of date while others change."""
        return len(self.trials) > 1 and self.error(self.trials[-1][1]) < 0.5 * self.error(self.trials[-2][1])

    def _proportional(self, value: float, effect: float) -> float | None:
        """Where the wanted effect is if effects are in proportion, or off by as much."""
        if value * effect > 0.0 and value * self.target > 0.0:
            return value * (effect / self.target if self.decreasing else self.target / effect)
        return value + self.target - effect

    def _secant(self, before: tuple[float, float]) -> float | None:
        """Where a line through two trials has the wanted effect; in logarithms where signs agree."""
        (x0, f0), (x1, f1) = before, self.trials[-1]
        if min(x0 / x1 if x1 else 0.0, f0 * self.target, f1 * self.target) > 0.0:
            slope = (-1.0 if self.decreasing else 1.0) * math.log(f1 / f0) / math.log(x1 / x0)
            if not slope > 0.0 or abs(math.log(x1 / x0)) < SOLVED_TOLERANCE:  # others changed more than this number did
                return self._proportional(x1, f1)
            log_step = math.log(self.target / f1) / slope
            return x1 * math.exp(-log_step if self.decreasing else log_step) if slope > MIN_SLOPE else None
        return x1 + (self.target - f1) * (x1 - x0) / (f1 - f0) if f1 != f0 else None

    def _bracket(self) -> tuple[float, float] | None:
        """The last value and the nearest to it whose effect is off the other way; what is older says less."""
        last, effect = self.trials[-1]
        opposite = [value for value,
                    other in self.trials[-RECENT_TRIALS:] if (other - self.target) * (effect - self.target) < 0.0]
        other = min(opposite, key=lambda value: abs(value - last), default=None)
        return None if other is None else (min(last, other), max(last, other))

    def _measurable_step(self, value: float, step: float) -> float:
        """A step that does not reach what could not be measured."""
        walls = [wall for wall in self.unmeasurable if min(value, step) <= wall <= max(value, step)]
        return _middle(value, min(walls, key=lambda wall: abs(wall - value))) if walls else step

    def _clamped(self, value: float, step: float) -> float:
        """A step that does not leave the size of what was tried at once."""
        if value == 0.0:
            return step
        ratio = step / value
        if ratio <= 0.0:
            return step if abs(step) <= MAX_STEP_FACTOR * abs(value) else value / MAX_STEP_FACTOR
        return value * min(max(ratio, 1.0 / MAX_STEP_FACTOR), MAX_STEP_FACTOR)


def solve(searches: dict[K, Search], measure: Measure[K],
          search_for_changed: Callable[[K, float], Search | None]) -> set[K]:
    """Try values until every search is solved or given up; return the solved ones.

    Numbers given up keep their first value while the others go on. search_for_changed: makes the search of another
    number that the trials changed, from its effect; None where it is as intended.
    """
    abandoned: set[K] = set()
    for trial in range(MAX_TRIALS):
        with task(f"trial {trial + 1}"):
            effects = measure({key: search.value for key, search in searches.items()})
        for key, search in searches.items():
            search.record(effects.get(key))
        for key in [key for key in effects if key not in searches]:
            effect = effects[key]
            added = None if effect is None else search_for_changed(key, effect)
            if added is not None and effect is not None:
                searches[key] = added
                added.record(effect)
        unsolved = [key for key, search in searches.items() if key not in abandoned and not search.solved]
        if not unsolved:
            break
        for key in unsolved:
            if trial >= MAX_TRIALS - 2 or not searches[key].advance():
                abandoned.add(key)
                searches[key].value = searches[key].initial
    return {key for key, search in searches.items() if key not in abandoned and search.solved}


def _middle(low: float, high: float) -> float:
    """A value between two: their geometric mean where their signs agree, else the mean."""
    return math.copysign(math.sqrt(low * high), low) if low * high > 0.0 else 0.5 * (low + high)


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")


# A prim and one of its properties.
PropertyPath = tuple[str, str]
# The schema that a setting is read with, where a prim need not have it, and the type of what is set there.
_SETTINGS = {"physxArticulation": ("PhysxArticulationAPI", Sdf.ValueTypeNames.Int),
             "physxRigidBody": ("PhysxRigidBodyAPI", Sdf.ValueTypeNames.Float)}


class Trial:
    """Numbers authored in a layer over a stage."""

    def __init__(self, stage: Usd.Stage) -> None:
        self._source_stage = stage         # whose layers have to live on
        layer = Sdf.Layer.CreateAnonymous(".usda")
        root, session = stage.GetRootLayer(), stage.GetSessionLayer()
        for key in root.pseudoRoot.ListInfoKeys():
            if key not in ("subLayers", "subLayerOffsets", "documentation", "comment"):
                layer.pseudoRoot.SetInfo(key, root.pseudoRoot.GetInfo(key))
        layer.subLayerPaths[:] = [item.identifier for item in (session, root) if item is not None]
        self._stage = Usd.Stage.Open(layer, None, stage.GetPathResolverContext(), Usd.Stage.LoadNone)
        self._stage.SetLoadRules(stage.GetLoadRules())
        self._stage.MuteAndUnmuteLayers(stage.GetMutedLayers(), [])
        self._editor = LayerEditor(self._stage, override=True)
        self._clean = layer.ExportToString()
        self._authored: set[PropertyPath] = set()

    def description_with(self, values: Mapping[PropertyPath, float]) -> Description:
        """The description of the stage with these numbers. Raises CannotError where one cannot be authored."""
        layer = self._editor.layer
        if not self._authored <= values.keys():
            layer.ImportFromString(self._clean)
        edits = [edit for prop, value in values.items() for edit in edits_of(self._stage, prop, value)]
        steps = self._editor.steps(edits)
        self._authored = set(values)
        with Sdf.ChangeBlock():
            for step in steps:
                step(layer)
        return describe(self._stage)

    def authored_number(self, prop: PropertyPath) -> float:
        """A number as authored on the stage; 0 where there is none."""
        prim = self._stage.GetPrimAtPath(prop[0])
        numbers = as_numbers(prim.GetAttribute(prop[1]).Get()) if prim and prim.HasAttribute(prop[1]) else None
        return numbers[0] if numbers else 0.0


def edits_of(stage: Usd.Stage, prop: PropertyPath, value: float,
             intended: float | None = None) -> list[ApplySchema | SetValue]:
    """The edits that author a number on a stage with its intended effect.

    Raises CannotError for a missing prim.
    """
    path, name = prop
    prim = stage.GetPrimAtPath(path)
    if not prim:
        raise CannotError("the prim no longer exists")
    schema, setting_type = _SETTINGS.get(name.partition(":")[0], (None, Sdf.ValueTypeNames.Float))
    applied = schema is None or schema in map(str, prim.GetAppliedSchemas())
    attribute = prim.GetAttribute(name)
    # an attribute whose schema is not applied yet, or that no schema knows, has no type of its own
    kind = attribute.GetTypeName() if attribute else Sdf.ValueTypeNames.Float if applied else setting_type
    number: object = (value,) if kind.isArray else round(value) if kind == Sdf.ValueTypeNames.Int else value
    return [*([] if applied or schema is None else [ApplySchema(path, schema)]),
            SetValue(path, name, number, "" if attribute else str(kind), intended)]
