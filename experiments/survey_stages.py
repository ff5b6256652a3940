"""Survey random stages of several objects: how many agree with real PhysX through `simulate` and `Session`.

    python experiments/survey_stages.py WORK [COUNT] [SEED ...]

Needs the oracle (PHYSX_ORACLE and ORACLE_PYTHON, see CONTRIBUTING.md).
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests"), os.environ["PHYSX_ORACLE"]]

from support.chance.scenes import FAMILIES, random_scene  # noqa: E402
from support.physx.motions import BATCH, Row, surveyed  # noqa: E402


def seeds(count: int, named: list[int]) -> dict[str, list[int]]:
    """The seeds of each family."""
    return {family: [seed for seed in named if first <= seed < first + 1000] if named else
            list(range(first, first + count)) for family, (first, _) in FAMILIES.items()}


def main() -> None:
    """A line for each object, and a table of the families."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path, help="folder that keeps the stages and PhysX's recordings")
    parser.add_argument("count", type=int, nargs="?", default=60, help="stages of each family")
    parser.add_argument("seeds", type=int, nargs="*", help="only these")
    arguments = parser.parse_args()
    chosen, work = seeds(arguments.count, arguments.seeds), arguments.work
    rows: dict[str, list[Row]] = {family: [] for family in chosen}
    for start in range(0, max(map(len, chosen.values())), BATCH):       # families in turn: a part of it says something
        for family, (_, traits) in FAMILIES.items():
            scenes = {seed: random_scene(seed, traits) for seed in chosen[family][start:start + BATCH]}
            for row in surveyed(scenes, work):
                rows[family].append(row)
                print(row, flush=True)
    for family, own in rows.items():
        for door in ("simulate", "stage", "session"):
            judged = [row for row in own if row.door == door and row.judged]
            print(f"{family:42} {len({row.seed for row in own}):4} stages {door:9} "
                  f"{sum(row.agrees for row in judged):4} of {len(judged):4} agree, "
                  f"{sum(row.door == door for row in own) - len(judged)} refused or named")


if __name__ == "__main__":
    main()
