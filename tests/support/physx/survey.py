"""Random stages beside PhysX: every object through `simulate`, alone and beside the others, and through a session."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from physx_runtime.worlds.store import SCHEDULED

from physx_schema.description import describe
from physx_schema.errors import UnsupportedError
from support.chance.scenes import RandomScene
from support.physx.motions import Motion, apart, bar, in_physx, in_session, nudged, shared, simulated, spread

STEPS, EVERY = 60, 4
BATCH = 10      # stages in one process of PhysX
# Straight-line code of trees is compared in test_random_physx; this compiles nothing for each stage.
PATH = SCHEDULED


@dataclass(frozen=True, slots=True)
class Row:
    """One object of a stage by one door."""

    seed: int
    door: str               # "simulate" for the object by itself, "stage" for it beside all others, or "session"
    path: str
    error: float = math.nan     # rad or metres
    spread: float = 0.0         # of PhysX; 0 where it was not asked for
    refused: str = ""           # what was raised instead
    named: bool = False         # whether what moves it in PhysX and is left out was named

    @property
    def judged(self) -> bool:
        return not self.refused and not (self.named and not self.ratio <= 1.0)

    @property
    def ratio(self) -> float:
        return self.error / bar(self.spread)

    @property
    def agrees(self) -> bool:
        return self.judged and self.ratio <= 1.0

    def __str__(self) -> str:
        mark = "refused " + self.refused if self.refused else "agrees" if self.agrees else "MISSES"
        mark += " and named" if self.named else ""
        return f"seed {self.seed:5} {self.door:9} {self.path:24} {self.error:8.1e} {self.ratio:10.2f} {mark}"


def surveyed(scenes: Mapping[int, RandomScene], work: Path) -> Iterator[Row]:
    """Every object of the stages; PhysX's spread is asked for where an error leaves FLOAT32 only."""
    files = {seed: scene.write(work / f"seed{seed}") for seed, scene in scenes.items()}
    kept = work / "recordings"
    kept.mkdir(exist_ok=True)
    real = dict(zip(scenes, in_physx([(files[seed], scene.dt) for seed, scene in scenes.items()], STEPS, kept, EVERY),
                    strict=True))
    for seed, scene in scenes.items():
        rows = list(_objects(seed, files[seed], scene.dt, real[seed]))
        doubtful = [row for row, _ in rows if not row.refused and not row.ratio <= 1.0]
        others = in_physx([(copy, scene.dt) for copy in nudged(files[seed])], STEPS, kept, EVERY,
                          describe(str(files[seed]))) if doubtful else []
        for row, own in rows:
            if row in doubtful:
                against = shared(real[seed], own)
                row = replace(row, spread=spread(against, [shared(other, own) for other in others]))
            yield row


def _objects(seed: int, file: Path, dt: float, real: Motion) -> Iterator[tuple[Row, Motion]]:
    """Each row with what it is about."""
    description, nothing = describe(str(file)), Motion({}, {})
    movers = [*(a.path for a in description.articulations), *(body.path for body in description.loose_bodies)]
    for path in movers:
        try:
            own = simulated(description, path, dt, STEPS, EVERY, path=PATH)
        except UnsupportedError as error:
            yield Row(seed, "simulate", path, refused=str(error)), nothing
            continue
        yield Row(seed, "simulate", path, float(apart(own, real.of(path, description)).max()), named=own.left_out), own
    try:
        together, why = simulated(description, None, dt, STEPS, EVERY, path=PATH), ""
    except UnsupportedError as error:
        together, why = nothing, str(error)
    for door, whole, refused in (("stage", together, why), ("session", in_session(file, dt, STEPS, EVERY), "")):
        for path in movers:
            own = whole.of(path, description)
            if not own.poses:
                yield Row(seed, door, path, refused=refused or "not stepped"), nothing
                continue
            yield Row(seed, door, path, float(apart(own, real.of(path, description)).max()), named=own.left_out), own
