"""What a remedy does in real PhysX: the vocabulary in which each is declared, and whether it comes about.

An effect compares two probes of `probed.py`, of a stage before and after. Its `failure` is "" where it came about.

A remedy may not take freedom away: mobility stays, unless its row says what the remedy holds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from support.physx.probed import NOT_FINITE, Probe

MOVES = 2e-5            # rad or lengths: ten times what float32 leaves over so few steps
ARRIVED = math.radians(1.0)   # rad or lengths: as near its target a joint has arrived for behaviour/...
READ = 1e-4             # of a number that PhysX hands out, of its size
KINDS = ("articulation", "link", "body", "joint", "free joint", "scene", "shape", "material")
UNBOUNDED = 3.4e38      # float32's largest, PhysX's infinity


class Effect(Protocol):
    """Something that a remedy brings about."""

    def failure(self, before: Probe, after: Probe) -> str:
        """Why it did not come about, "" if it did."""
        ...


@dataclass(frozen=True, slots=True)
class Reads:
    """The opinion counts: PhysX hands out this number, and did not before."""

    name: str                           # "DOF_STIFFNESS j2"
    value: float | tuple[float, ...]

    def failure(self, before: Probe, after: Probe) -> str:
        """Compares what PhysX hands out."""
        had, has = (probe.get("readings", {}).get(self.name) for probe in (before, after))
        if not _near(has, self.value):
            return f"{self.name} is {has} and not {self.value}"
        return f"{self.name} was {had} before" if _near(had, self.value) else ""


@dataclass(frozen=True, slots=True)
class Starts:
    """The opinion counts: something starts there, and did not before."""

    path: str
    place: tuple[float, ...]

    def failure(self, before: Probe, after: Probe) -> str:
        """Compares the first record."""
        had, has = (probe["free"].get(self.path, [None])[0] for probe in (before, after))
        if not _near(has, self.place):
            return f"{self.path} starts at {has} and not {self.place}"
        return f"{self.path} started at {had} before" if _near(had, self.place) else ""


@dataclass(frozen=True, slots=True)
class Reaches:
    """Something is at a place at the end, and was not before."""

    path: str
    place: float | tuple[float, ...]

    def failure(self, before: Probe, after: Probe) -> str:
        """Compares the last records of the free motions."""
        had, has = (probe["free"].get(self.path, [None])[-1] for probe in (before, after))
        apart = [_distance(at, np.atleast_1d(self.place)) for at in (had, has)]
        if not apart[1] <= ARRIVED:
            return f"{self.path} ends at {has} and not at {self.place}"
        return f"{self.path} ended at {had} before" if apart[0] <= ARRIVED else ""


@dataclass(frozen=True, slots=True)
class Within:
    """Every coordinate of something stays as small as this, and did not before."""

    path: str
    size: float

    def failure(self, before: Probe, after: Probe) -> str:
        """Compares the free motions."""
        had, has = (float(np.abs(probe["free"].get(self.path, math.inf)).max()) for probe in (before, after))
        if not has <= self.size:
            return f"{self.path} gets to {has:.3g} and not {self.size:g} at most"
        return f"{self.path} got to {had:.3g} before" if had <= self.size else ""


@dataclass(frozen=True, slots=True)
class Moves:
    """The opinion counts: something moves otherwise than before."""

    path: str

    def failure(self, before: Probe, after: Probe) -> str:
        """Compares both motions."""
        found = [_distance(probe[0], probe[1]) for probe in (
            (before[run].get(self.path), after[run].get(self.path)) for run in ("free", "stirred"))]
        return "" if max(found) > MOVES else f"{self.path} moves as before within {max(found):.2g}"


@dataclass(frozen=True, slots=True)
class Keeps:
    """What PhysX does anyway is now said: something moves as before."""

    path: str

    def failure(self, before: Probe, after: Probe) -> str:
        """Compares both motions."""
        return "" if Moves(self.path).failure(before, after) else f"{self.path} moves otherwise"


@dataclass(frozen=True, slots=True)
class Made:
    """PhysX makes an object, and did not before."""

    kind: str
    path: str

    def failure(self, before: Probe, after: Probe) -> str:
        """Compares the objects of a kind."""
        if self.path not in after.get(self.kind, ()):
            return f"there is no {self.kind} {self.path}"
        return f"{self.kind} {self.path} was there before" if self.path in before.get(self.kind, ()) else ""


@dataclass(frozen=True, slots=True)
class Gone:
    """PhysX makes an object no longer."""

    kind: str
    path: str

    def failure(self, before: Probe, after: Probe) -> str:
        """Compares the objects of a kind."""
        return Made(self.kind, self.path).failure(after, before)


@dataclass(frozen=True, slots=True)
class Freed:
    """Something moves in more ways than before."""

    def failure(self, before: Probe, after: Probe) -> str:
        """Compares mobility."""
        gained = after["mobility"] - before["mobility"]
        return "" if gained > 0 else f"mobility {before['mobility']} before, {after['mobility']} after"


@dataclass(frozen=True, slots=True)
class Finite:
    """The stage is stepped and its motion has numbers; before, PhysX ended or it had none."""

    def failure(self, before: Probe, after: Probe) -> str:
        """Looks at both."""
        if not finite(after):
            return "the motion is not finite"
        return "the motion was finite before" if finite(before) else ""


@dataclass(frozen=True, slots=True)
class Same:
    """Removed, or said otherwise, without change: objects, numbers and motions are the same to the bit.

    `why`: what the remedy is for, where PhysX does not show it: a published rule, another engine, what people read.
    """

    why: str = ""
    but: tuple[str, ...] = ()       # kinds of objects that are named otherwise

    def failure(self, before: Probe, after: Probe) -> str:
        """Compares everything."""
        return "; ".join(differences(before, after, self.but))


@dataclass(frozen=True, slots=True)
class Unstepped:
    """Nothing that stepping shows."""

    why: str

    def failure(self, before: Probe, after: Probe) -> str:
        """Nothing to compare."""
        return ""


def differences(before: Probe, after: Probe, but: Sequence[str] = ()) -> Iterator[str]:
    """Where two probes differ, to the bit."""
    if "refused" in before or "refused" in after:
        yield f"{before.get('refused', 'stepped')} before, {after.get('refused', 'stepped')} after"
        return
    for kind in KINDS:
        if kind not in but and sorted(before[kind]) != sorted(after[kind]):
            yield f"{kind}: {sorted(before[kind])} before, {sorted(after[kind])} after"
    for name in sorted(before["readings"].keys() | after["readings"].keys()):
        had, has = (probe["readings"].get(name) for probe in (before, after))
        if repr(had) != repr(has):
            yield f"{name}: {had} before, {has} after"
    for run in ("free", "stirred"):
        for path in sorted(before[run].keys() | after[run].keys()):
            apart = _distance(before[run].get(path), after[run].get(path))
            if apart:
                yield f"{path} moves otherwise by {apart:.2g}"


def finite(probe: Probe) -> bool:
    """Whether a stage is stepped and every number of its motions is one."""
    return "refused" not in probe and probe["mobility"] != NOT_FINITE and all(
        math.isfinite(x) for run in ("free", "stirred") for records in probe[run].values()
        for record in records for x in record)


def freedom_lost(before: Probe, after: Probe) -> int:
    """How many ways to move are gone; 0 of a stage that could not be stepped before."""
    if not finite(before):
        return 0
    return max(0, before["mobility"] - after["mobility"]) if finite(after) else before["mobility"]


def _near(found: Any, wanted: float | tuple[float, ...]) -> bool:
    if found is None or np.size(found) != np.size(wanted):
        return False
    numbers, goals = (np.clip(np.ravel(np.asarray(x, dtype=float)), -UNBOUNDED, UNBOUNDED) for x in (found, wanted))
    return bool(np.all(np.abs(numbers - goals) <= READ * np.maximum(1.0, np.abs(goals))))


def _distance(first: Any, second: Any) -> float:
    """The largest difference of two motions; infinite where only one is there or finite."""
    if first is None or second is None:
        return math.inf if (first is None) != (second is None) else 0.0
    mine, other = (np.asarray(x, dtype=float) for x in (first, second))
    if mine.shape != other.shape:
        return math.inf
    with np.errstate(invalid="ignore"):
        apart = np.where(mine == other, 0.0, np.abs(mine - other))
    apart[np.isnan(mine) & np.isnan(other)] = 0.0
    return float(np.nan_to_num(apart, nan=math.inf).max(initial=0.0))
