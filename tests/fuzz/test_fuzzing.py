"""Hostile input of every kind works, or is refused in lines of our own; `make fuzz` runs many more cases.

No command ends in an internal error, whatever options and stages it is given; `make fuzz` runs 2,000 cases.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.command_runs import CAMPAIGN, case, corpus, faults
from support.fuzzing.targets import TARGETS, run
from support.places import DATA, ROOT

TEXTS = [name for name, target in TARGETS.items() if target.guided]


@pytest.mark.parametrize("name", TARGETS)
def test_hostile_input_works_or_is_refused_in_a_line(name: str) -> None:
    run(name, 0, TARGETS[name].quick)


@pytest.mark.sweep
@pytest.mark.parametrize("name", TARGETS)
def test_much_hostile_input_works_or_is_refused_in_a_line(name: str) -> None:
    run(name, 0, TARGETS[name].sweep)


@pytest.mark.parametrize("name", TEXTS)
def test_texts_that_were_kept_work_or_are_refused_in_a_line(name: str) -> None:
    paths = sorted((DATA / "fuzz" / name).iterdir())
    assert paths
    for path in paths:
        TARGETS[name].hold(path.read_bytes())


@pytest.mark.sweep
@pytest.mark.parametrize("name", TEXTS)
def test_texts_that_reach_new_lines_work_or_are_refused_in_a_line(name: str, tmp_path: Path) -> None:
    if find_spec("atheris") is None:
        pytest.skip("no atheris here; install the extra fuzz")
    (tmp_path / "found").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "support.fuzzing.guided", name, str(tmp_path / "found"), str(DATA / "fuzz" / name),
         f"-runs={TARGETS[name].guided}", "-seed=1", f"-artifact_prefix={tmp_path}/"],
        capture_output=True, text=True, errors="replace", check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in (
            "tests", ".", "codegen", "generated", "runtime"))})
    assert done.returncode == 0, done.stderr[-4000:]


# --- no internal errors ----------------------------------------------------------------------------------------------

QUICK = 40
SWEEP = int(os.environ.get("PHYSX_SCHEMA_COMMAND_RUNS", "1000"))


def test_no_command_ends_in_an_internal_error() -> None:
    found, codes = faults(0, QUICK)
    assert not found, "\n\n".join(found)
    assert codes.total() == QUICK


@pytest.mark.sweep
def test_no_command_of_many_ends_in_an_internal_error() -> None:
    found, codes = faults(QUICK, SWEEP)
    assert not found, "\n\n".join(found)
    assert codes.total() == SWEEP


def test_cases_follow_from_their_numbers_and_reach_every_command() -> None:
    cases = [case(number) for number in range(CAMPAIGN)]
    assert cases == [case(number) for number in range(CAMPAIGN)]
    assert {"check", "describe", "migrate", "simulate", "verify", "report", "explain", "diff", "convert",
            "generate"} <= {one.arguments[0] for one in cases if one.arguments}
    assert len({one.stage for one in cases}) > 0.9 * len(corpus())
