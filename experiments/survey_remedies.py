"""Survey remedies in real PhysX: what `verify` says to author for the altered gains of random articulations.

    python experiments/survey_remedies.py [COUNT] [SEED ...]

Every altered stiffness, damping, natural frequency and damping ratio of drives, tendons and mimic joints. With its
remedy it has the wanted effect within 1 %; where no value is said to do, values over two decades are tried.
Needs the oracle (PHYSX_ORACLE and ORACLE_PYTHON, see CONTRIBUTING.md).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests"), os.environ["PHYSX_ORACLE"]]

from support.physx.remedied import Measured, surveyed  # noqa: E402

# Stages in one process of PhysX.
BATCH = 10


def main() -> None:
    """A line for each gain, and a table by property."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int, nargs="?", default=100, help="articulations")
    parser.add_argument("seeds", type=int, nargs="*", help="only these")
    arguments = parser.parse_args()
    seeds, found = arguments.seeds or list(range(arguments.count)), list[Measured]()
    for start in range(0, len(seeds), BATCH):
        for item in surveyed(seeds[start:start + BATCH]):
            found.append(item)
            print(item, flush=True)
    kinds = Counter(kind(item) for item in found)
    for name in sorted(kinds):
        own = [item for item in found if kind(item) == name]
        asked = [item for item in own if not item.why_not]
        print(f"{name:32} {len(own):4} altered: {sum(item.holds for item in asked):4} of {len(asked):4} hold in PhysX, "
              f"{sum(item.remedy is not None for item in asked)} with a remedy, "
              f"{sum(bool(item.tried) for item in asked)} without a value, {len(own) - len(asked)} not asked")


def kind(item: Measured) -> str:
    """A family of constraints and its gain."""
    name = item.row.property
    return f"{name.partition(':')[0]} {name.rpartition(':')[2]}"


if __name__ == "__main__":
    main()
