"""The catalogue of codes: what is claimed of PhysX has its number, measured by a script that is there."""

from __future__ import annotations

import re
from pathlib import Path

from physx_schema.checking import CODES

ROOT = Path(__file__).resolve().parents[1]

# Codes without a measurement, by the reason why there is none.
CLAIMS_NOTHING = {
    "what files and layers say, which PhysX is never shown": (
        "stage/session-layer", "stage/muted-layer", "stage/layer-offset", "stage/outside-layer"),
    "the checker's own business": (
        "waiver/no-reason", "waiver/unused", "waiver/unknown-code", "waiver/malformed", "baseline/stale",
        "rule-failed"),
    "a size that is probably a mistake": ("unit/density",),
    "only vehicles and cooked data have such schemas, whose effect no small stage shows": ("schema/instance",),
}


def test_every_claim_about_physx_is_measured() -> None:
    without = {code for code, item in CODES.items() if not item.measured}
    assert without == {code for codes in CLAIMS_NOTHING.values() for code in codes}


def test_every_measurement_names_a_script_of_the_repository() -> None:
    for code, item in CODES.items():
        scripts = re.findall(r"`(benchmarks/[^`]+)`", item.measured)
        assert bool(scripts) == bool(item.measured), code
        assert all((ROOT / script).is_file() for script in scripts), code
