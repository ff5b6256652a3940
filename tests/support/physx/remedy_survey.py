"""Every altered gain of random articulations in real PhysX: with its remedy, or with other values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from physx_runtime.verification import Row
from physx_runtime.verification.quantity import UnsteadyError

from support.chance.articulations import random_articulation
from support.physx.remedied import Damped, Held, damped, gains, held, remedied, with_settings, with_value

# What a remedy promises, of the wanted effect.
PROMISED = 0.01
# Where no value is said to do, these multiples of the authored one are tried in PhysX.
TRIED_FACTORS = (1 / 16, 1 / 4, 1.0, 4.0, 16.0)


@dataclass(frozen=True, slots=True)
class Measured:
    """A gain, and what it comes to in PhysX: (value, effect) with its remedy, or of each value that was tried."""

    seed: int
    row: Row
    remedy: float | None = None             # with what the remedy says to author
    tried: tuple[float, ...] = ()           # with the values of TRIED_FACTORS, where none is said to do
    why_not: str = ""                       # why PhysX was not asked

    @property
    def holds(self) -> bool:
        """Whether a remedy has the wanted effect in PhysX, and what is called infeasible is.

        Infeasible: of all values that are tried there, none has the wanted effect.
        """
        wanted = self.row.intended_effect
        assert isinstance(wanted, float) and not self.why_not
        reached = self.remedy is None or abs(self.remedy / wanted - 1.0) <= PROMISED
        return reached and all(abs(effect / wanted - 1.0) > PROMISED for effect in self.tried)

    def __str__(self) -> str:
        remedy = self.row.remedy
        assert remedy is not None
        values = [f"{x:.5g}" for x in ([] if self.remedy is None else [self.remedy])]
        values += [f"none of {', '.join(f'{x:.4g}' for x in self.tried)}"] if self.tried else []
        mark = f"not asked: {self.why_not}" if self.why_not else "holds" if self.holds else "MISSES"
        return (f"seed {self.seed:4} {self.row.path:15} {self.row.property:45} wanted {self.row.intended_effect:10.5g} "
                f"was {self.row.effective:10.5g} {'in PhysX ' + '; '.join(values) if values else ''} {mark}")


def surveyed(seeds: Sequence[int]) -> list[Measured]:
    """The altered gains of random articulations, all measured in one process of PhysX."""
    from physx_oracle import run_jobs

    asked = [item for seed in seeds for item in _asked(seed)]
    results = run_jobs([job for _, _, items, _ in asked for item in items for job in item.jobs()])
    found, at = [], 0
    for seed, row, items, why_not in asked:
        effects = [item.effective(results[at + 2 * i:at + 2 * i + 2]) for i, item in enumerate(items)]
        at += 2 * len(items)
        tried = len(items) - (len(items) % len(TRIED_FACTORS))
        rest = effects[tried:]
        found.append(Measured(seed, row, rest[0] if rest else None, tuple(effects[:tried]), why_not))
    return found


def _asked(seed: int) -> Iterator[tuple[int, Row, list[Held | Damped], str]]:
    """Every altered gain with its runs: of the values tried first, then of the remedy; or why there are none."""
    text = random_articulation(seed).text
    verification, after = remedied(text)
    for row in gains(verification):
        try:
            yield seed, row, list(_runs(text, after, row)), ""
        except UnsteadyError as error:
            yield seed, row, [], str(error)


def _runs(text: str, after: str, row: Row) -> Iterator[Held | Damped]:
    remedy = row.remedy
    assert remedy is not None and isinstance(row.authored, float)
    ratio = row.property.endswith("dampingRatio")
    if remedy.reason:
        if not ratio:
            raise UnsteadyError("only values of damping ratios are tried")
        yield from (damped(with_value(text, row, factor * row.authored), row) for factor in TRIED_FACTORS)
    if remedy.feasible:
        if remedy.dt is not None:
            raise UnsteadyError("its remedy wants another time step")
        edited = with_settings(text, row) if remedy.settings else after
        assert remedy.reached is not None
        yield damped(edited, row) if ratio else held(edited, row, remedy.reached)
