"""Survey what `check` says first of robots that others made: the first three kinds of findings of each, by effect.

    python experiments/survey_findings.py FOLDER [NAME ...]

FOLDER holds one folder with a USD file for each robot, as `urdf_usd_converter` and `mujoco_usd_converter` write them.
Prints a row of Markdown for each robot, and how often each kind comes first.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from physx_schema.checking import check
from physx_schema.checking.effects import by_effect, effect_text
from physx_schema.checking.engine.causes import CauseGroup
from physx_schema.checking.engine.finding import rank

KINDS = 3           # of findings that are shown of a robot


def main() -> None:
    """The table, then the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a folder for each robot")
    parser.add_argument("names", nargs="*", help="only these")
    arguments = parser.parse_args()
    print("| robot | first | second | third |", "|---|---|---|---|", sep="\n")
    firsts: Counter[str] = Counter()
    for folder in sorted(path for path in arguments.folder.iterdir() if path.is_dir()):
        stage = next(iter(sorted(folder.glob("*.usd*"))), None)
        if stage is None or (arguments.names and folder.name not in arguments.names):
            continue
        kinds = list(first_kinds(stage))
        firsts[kinds[0].root.code if kinds else "nothing"] += 1
        cells = [cell(group) for group in kinds] + [""] * (KINDS - len(kinds))
        print(f"| {folder.name} | {' | '.join(cells)} |", flush=True)
    print("", *(f"{count:4} {code}" for code, count in firsts.most_common()), sep="\n")


def first_kinds(stage: Path) -> Iterator[CauseGroup]:
    """The first cause of each of the first kinds that are more than an info."""
    seen: dict[str, CauseGroup] = {}
    for group in by_effect(check(stage).causes):
        if rank(group.severity) > rank("info"):
            seen.setdefault(group.root.code, group)
    yield from list(seen.values())[:KINDS]


def cell(group: CauseGroup) -> str:
    """The code, what it does, and how many findings are under it."""
    count = len(group.findings)
    more = f", {count} findings" if count > 1 else ""
    return f"{group.severity} {group.root.code}: {effect_text(group.root)}{more}"


if __name__ == "__main__":
    main()
