"""Record in real PhysX how the scenes of tests/support/stages/contact_scenes move, and how far by chance.

    python experiments/record_contact_scenes.py [NAME ...]

Writes tests/data/contact_scenes, of all scenes or of those named, and prints growths. Needs ORACLE_PYTHON, an
interpreter with ovphysx.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.physx.contact_scenes import kept, place_of, record
from support.stages.contact_scenes import SCENES

BATCH = 10      # scenes in one process of PhysX


def main() -> None:
    names = sys.argv[1:] or list(SCENES)
    for start in range(0, len(names), BATCH):
        batch = names[start:start + BATCH]
        record(batch)
        for name in batch:
            print(f"{name:40} {place_of(name).stat().st_size / 1000:6.1f} kB", kept(name).tolerance, flush=True)


if __name__ == "__main__":
    main()
