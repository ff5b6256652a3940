"""Survey random stages with joints outside articulations: how many move as in real PhysX, and how the others miss.

    python benchmarks/survey_joints.py WORK [--count N] [--dtype float64] [SEED ...]

Each error is held to ten times what PhysX itself moves apart by when its start is moved by 1e-7 (three ways), over 60
steps of 1/60 s. WORK keeps PhysX's recordings. Needs the oracle (PHYSX_ORACLE and ORACLE_PYTHON, see CONTRIBUTING.md).
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests"), os.environ["PHYSX_ORACLE"]]

from support.chance.jointed_scenes import FAMILIES  # noqa: E402
from support.physx.jointed_motions import Comparison, compared  # noqa: E402


def table(rows: dict[str, list[Comparison]]) -> None:
    """A line for each family."""
    print(f"\n{'family':28} {'stages':>6} {'agree':>6} {'refused':>8}   worst error to its bar")
    for family, own in rows.items():
        stepped = [row.ratio for row in own if not row.refused]
        print(f"{family:28} {len(own):6} {sum(row.agrees for row in own):6} {sum(bool(row.refused) for row in own):8}"
              f"   {max(stepped, default=0.0):.2f}")
    everything = [row for own in rows.values() for row in own]
    agree = sum(row.agrees for row in everything)
    print(f"{'all':28} {len(everything):6} {agree:6}   {100.0 * agree / max(len(everything), 1):.1f} %")


def main() -> None:
    """A line for each stage, then the table, then the misses again."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path, help="folder that keeps PhysX's recordings")
    parser.add_argument("seeds", type=int, nargs="*", help="only these")
    parser.add_argument("--count", type=int, default=200, help="stages of each family at most")
    parser.add_argument("--dtype", default="float32")
    arguments = parser.parse_args()
    rows: dict[str, list[Comparison]] = {}
    for family, (first, count, _) in FAMILIES.items():
        seeds = range(first, first + min(count, arguments.count))
        chosen = [seed for seed in arguments.seeds or seeds if seed in range(first, first + count)]
        rows[family] = []
        for row in compared(chosen, arguments.work, dtype=arguments.dtype):
            rows[family].append(row)
            print(row, flush=True)
    table(rows)
    for row in (row for own in rows.values() for row in own if not row.agrees):
        print(row)


if __name__ == "__main__":
    main()
