"""Measure in real PhysX with which steps bodies that touch fall asleep and wake, and keep it for the tests.

Needs the environment that `oracle.py` describes. Writes tests/data/sleeping/touching.json: by case and body 0
where it starts asleep, then every step that it falls asleep or wakes with.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from support.physx.resting import recorded_cases, turns_of  # noqa: E402


def main() -> None:
    found = {name: turns_of({path: motion.asleep(path) for path in motion.paths})
             for name, motion in recorded_cases().items()}
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(turns)}" for name, turns in found.items())
    (ROOT / "tests" / "data" / "sleeping" / "touching.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    print(lines)


if __name__ == "__main__":
    main()
