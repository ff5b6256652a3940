"""Repairs of what the reader could not turn into a fact."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches

from physx_schema.checking.edits import Repair, SetValue, safe, unsafe
from physx_schema.description import Problem
from physx_schema.description.collision.materials import COMBINE_MODES

Values = Mapping[tuple[str, str], object]       # prim and property to what is authored
NO_BOUND = 1e38         # what PhysX takes for no limit where it refuses infinity beside a number


def repair(problem: Problem, values: Values) -> Repair | None:
    """The edits that remove a problem, None where none are known."""
    known = _REPAIRS.get(problem.code)
    return known(problem, values) if known else None


def _other_bound(problem: Problem, values: Values) -> Repair | None:
    """The missing bound as the number that PhysX takes for none; the authored one stays."""
    value = -NO_BOUND if problem.property.endswith(("lowerLimit", "low")) else NO_BOUND
    return safe(SetValue(problem.path, problem.property, value, "float"))


def _swapped(problem: Problem, values: Values) -> Repair | None:
    """The two bounds exchanged."""
    lower = problem.property
    upper = lower.removesuffix("lowerLimit") + "upperLimit" if lower.endswith("lowerLimit") else (
        lower.removesuffix("low") + "high")
    low, high = values.get((problem.path, lower)), values.get((problem.path, upper))
    if not isinstance(low, float) or not isinstance(high, float) or not low > high:
        return None
    return unsafe(SetValue(problem.path, lower, high), SetValue(problem.path, upper, low))


def _raised_static_friction(problem: Problem, values: Values) -> Repair | None:
    dynamic = values.get((problem.path, problem.property))
    static = problem.property.replace("dynamicFrictionEffort", "staticFrictionEffort")
    if not isinstance(dynamic, float) or static == problem.property or not dynamic > 0.0:
        return None
    return unsafe(SetValue(problem.path, static, dynamic, "float"))


def _excluded(problem: Problem, values: Values) -> Repair | None:
    """The joint outside the articulation, where PhysX makes it."""
    return unsafe(SetValue(problem.path, problem.property, True, "bool"))


def _nearest_mode(problem: Problem, values: Values) -> Repair | None:
    """The combine mode that was probably meant."""
    close = get_close_matches(str(values.get((problem.path, problem.property))).lower(), COMBINE_MODES, 1, 0.5)
    return safe(SetValue(problem.path, problem.property, close[0])) if close else None


_REPAIRS: Mapping[str, Callable[[Problem, Values], Repair | None]] = {
    "joint/one-sided-limit": _other_bound,
    "joint/limit-order": _swapped,
    "joint/friction-order": _raised_static_friction,
    "DJ.011/beside": _excluded,
    "DJ.011/loop": _excluded,
    "material/combine-mode": _nearest_mode,
}
