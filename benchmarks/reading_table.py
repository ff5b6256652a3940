"""Hold the reader against real PhysX on many stages: a table of fields x stages, and every difference in words.

    PHYSX_ORACLE=... ORACLE_PYTHON=... python benchmarks/reading_table.py [--newton FOLDER] [--cases FOLDER] [--short]

PHYSX_ORACLE names the folder with `physx_oracle.py`, ORACLE_PYTHON the interpreter that has ovphysx. Compared are the
stages that this project authored (`tests/support/compared/*.py`), every stage with an articulation among ovphysx's
own samples, in the newton package (`--newton` or NEWTON_ASSETS: the folder of the unpacked pip package) and in recorded
cases (`--cases`). Exits with 1 where something differs.

Names, orders and counts must be equal. Numbers agree within 1e-5 relative, positions within 1e-5 of the largest
length, inertias within 2e-5 of the largest moment. Joint frames are compared by the poses of all links, at the authored
joint states and at other coordinates. Parents are compared by the Jacobian, and gravity by the force that holds the
links. Values without a reading in PhysX are compared by motion: four steps of 1/60 s from a displaced start, within
2e-5 of the largest value. These are gearings, force coefficients, attachments, rest lengths and limits of spatial
tendons, mimic joints, damping, maximum velocities, cfmScale, disableGravity and envelopes.

Conventions differ: PhysX's largest float is `inf` here; `joint:2` of PhysX is named by its axis; a disabled tendon has
gains of 0 in PhysX and the authored ones here; the links of a disabled articulation are rigid bodies in PhysX.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

oracle = os.environ.get("PHYSX_ORACLE", "")
if not Path(oracle, "physx_oracle.py").is_file():
    sys.exit(f"PHYSX_ORACLE is {oracle!r}: set it to the folder that holds physx_oracle.py")
sys.path[:0] = [str(ROOT / "tests"), oracle]

from support.compared.themes import STAGES  # noqa: E402
from support.physx.readings import FIELDS, Compared, Stage, agreement, articulations_below, samples  # noqa: E402


def groups(options: argparse.Namespace) -> dict[str, Sequence[Stage]]:
    """The stages to compare by where they come from."""
    found: dict[str, Sequence[Stage]] = {"authored": STAGES, "ovphysx samples": tuple(articulations_below(samples()))}
    for name, folder in (("newton assets", options.newton), ("recorded cases", options.cases)):
        if folder:
            if not Path(folder).is_dir():
                sys.exit(f"{folder}: no such folder; give the one that holds the {name}")
            found[name] = tuple(articulations_below(Path(folder)))
    return found


def print_table(results: Mapping[str, Compared]) -> None:
    """One row for every stage: `.` agrees, `x` differs, blank where the stage does not have the field."""
    width = max(map(len, results))
    for line in zip(*(field.ljust(max(map(len, FIELDS))) for field in FIELDS), strict=True):
        print(" " * (width + 5), " ".join(line))
    for name, found in results.items():
        marks = "!" if found.crash else " ".join(
            " " if field not in found.fields else "x" if found.fields[field] else "." for field in FIELDS)
        print(f"{name.ljust(width)} {found.articulations:4d}", marks)


def print_differences(results: Mapping[str, Compared]) -> int:
    """Every difference in words; returns in how many stages there are some."""
    count = 0
    for name, found in results.items():
        lines = found.differences()
        count += bool(lines)
        for line in lines:
            print(f"{name}: {line}")
    return count


def print_summary(compared: Mapping[str, Mapping[str, Compared]]) -> None:
    """How many stages have a field, and in how many of them it agrees, by group; as a Markdown table."""
    print("| field | " + " | ".join(f"{name} ({len(results)})" for name, results in compared.items()) + " |")
    print("|---" * (len(compared) + 1) + "|")
    for field in FIELDS:
        cells = []
        for results in compared.values():
            having = [found.fields[field] for found in results.values() if field in found.fields]
            cells.append(f"{sum(not item for item in having)} of {len(having)}" if having else "")
        print(f"| {field} | " + " | ".join(cells) + " |")


def main() -> None:
    """Compare, print, and exit with 1 where something differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--newton", default=os.environ.get("NEWTON_ASSETS", ""))
    parser.add_argument("--cases", default="")
    parser.add_argument("--short", action="store_true", help="only the summary and the differences")
    options = parser.parse_args()
    compared = {name: agreement(stages) for name, stages in groups(options).items()}
    differing = 0
    for name, results in compared.items():
        count = sum(found.articulations for found in results.values())
        print(f"\n{name}: {len(results)} stages, {count} articulations")
        if not options.short:
            print_table(results)
        differing += print_differences(results)
    print()
    print_summary(compared)
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
