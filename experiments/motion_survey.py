"""What the surveys of random stages share: a line for each stage beside real PhysX, and a table of families."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests"), os.environ["PHYSX_ORACLE"]]

from support.physx.beside_physx import Comparison, Stage, compared, likeness  # noqa: E402

Families = Mapping[str, tuple[int, int, Callable[[Any], None]]]


@dataclass(frozen=True, slots=True)
class Closer:
    """A closer look at misses."""

    flag: str
    help: str
    says: Callable[[Comparison, Path], str]


def beside_nudged(scene: Stage) -> Closer:
    """A closer look that compares misses with PhysX's motions from nudged starts: energy, heights, bodies at rest."""
    def says(row: Comparison, work: Path) -> str:
        if row.refused:
            return ""
        found, own = likeness(scene, row.seed, work)
        return f"{'alike' if found.within(own) else 'UNLIKE'}: {found}, PhysX's own {own}"

    return Closer("--alike", "look at the energy and the rest of misses too", says)


def survey(families: Families, scene: Stage, about: str | None, closer: Closer) -> None:
    """Print a line for each stage that the command line asks for, then the table, then the misses again.

    closer: what its flag has said of the misses.
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path, help="folder that keeps PhysX's recordings")
    parser.add_argument("seeds", type=int, nargs="*", help="only these")
    parser.add_argument("--count", type=int, default=200, help="stages of each family at most")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument(closer.flag, action="store_true", help=closer.help, dest="closer")
    arguments = parser.parse_args()
    rows: dict[str, list[Comparison]] = {}
    for family, (first, count, _) in families.items():
        seeds = range(first, first + min(count, arguments.count))
        chosen = [seed for seed in arguments.seeds or seeds if seed in range(first, first + count)]
        rows[family] = []
        for row in compared(chosen, arguments.work, scene, dtype=arguments.dtype):
            rows[family].append(row)
            print(row, flush=True)
    _print_table(rows)
    for row in (row for own in rows.values() for row in own if not row.agrees):
        print(row, closer.says(row, arguments.work) if arguments.closer else "")


def _print_table(rows: Mapping[str, list[Comparison]]) -> None:
    """A line for each family."""
    print(f"\n{'family':28} {'stages':>6} {'agree':>6} {'refused':>8}   worst error to its bar")
    for family, own in rows.items():
        stepped = [row.ratio for row in own if not row.refused]
        print(f"{family:28} {len(own):6} {sum(row.agrees for row in own):6} {sum(bool(row.refused) for row in own):8}"
              f"   {max(stepped, default=0.0):.2f}")
    everything = [row for own in rows.values() for row in own]
    agree = sum(row.agrees for row in everything)
    print(f"{'all':28} {len(everything):6} {agree:6}   {100.0 * agree / max(len(everything), 1):.1f} %")
