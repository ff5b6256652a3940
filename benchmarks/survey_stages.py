"""Survey random stages of several objects: how many agree with real PhysX through `simulate` and `Session`.

    python benchmarks/survey_stages.py WORK [COUNT] [SEED ...]

COUNT stages of each family (60), or the seeds named; WORK keeps the stages and PhysX's recordings. Needs the oracle
(PHYSX_ORACLE and ORACLE_PYTHON, see CONTRIBUTING.md).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests"), os.environ["PHYSX_ORACLE"]]

from random_scenes import FAMILIES, random_scene  # noqa: E402
from scene_survey import BATCH, Row, surveyed  # noqa: E402


def seeds(count: int, named: list[int]) -> Iterator[tuple[str, list[int]]]:
    """The seeds of each family."""
    for family, (first, _) in FAMILIES.items():
        yield family, [seed for seed in named if first <= seed < first + 1000] if named else list(
            range(first, first + count))


def main() -> None:
    """A line for each object, and a table of the families."""
    work, numbers = Path(sys.argv[1]), [int(text) for text in sys.argv[2:]]
    count, named = (numbers or [60])[0], numbers[1:]
    table = []
    for family, chosen in seeds(count, named):
        rows: list[Row] = []
        for start in range(0, len(chosen), BATCH):
            scenes = {seed: random_scene(seed, FAMILIES[family][1]) for seed in chosen[start:start + BATCH]}
            for row in surveyed(scenes, work):
                rows.append(row)
                print(row, flush=True)
        table.append((family, len({row.seed for row in rows}), rows))
    for family, stages, rows in table:
        for door in ("simulate", "session"):
            own = [row for row in rows if row.door == door and row.judged]
            agreeing = sum(row.agrees for row in own)
            print(f"{family:42} {stages:4} stages {door:9} {agreeing:4} of {len(own):4} agree, "
                  f"{sum(row.door == door for row in rows) - len(own)} not judged")


if __name__ == "__main__":
    main()
