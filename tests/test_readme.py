"""What the README shows is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"```(\w*)\n(.*?)```", README, re.S))


@pytest.fixture(scope="module")
def verified(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What `physx-schema verify` prints for the README's code on the example's finger without its actuators."""
    folder = tmp_path_factory.mktemp("readme")
    code = "from author_tendons_and_mimics import finger; finger('finger.usda').Save()\n" + BLOCKS["python"]
    program = "from physx_schema.cli import main; main()"
    made = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT / 'examples')!r})\n{code}"], cwd=folder,
        capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    found = subprocess.run([sys.executable, "-c", program, "verify", "finger.usda"], cwd=folder, capture_output=True,
                           text=True, check=False)
    assert found.returncode == 1, found.stderr
    return found.stdout


def test_shown_lines_of_verify_are_printed(verified: str) -> None:
    missing = [line for line in BLOCKS[""].splitlines() if line not in verified.splitlines()]
    assert not missing, verified


def test_authoring_code_is_six_lines_long() -> None:
    assert len([line for line in BLOCKS["python"].splitlines() if line]) == 6


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"make (\w+)(?: |`)", README))
    assert targets == {"demo", "test", "sweep"}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(f"\n{target}:" in makefile for target in targets)


def test_helpers_named_exist() -> None:
    from physx_schema import authoring

    row = next(line for line in README.splitlines() if line.startswith("| author |"))
    assert set(re.findall(r"`(\w+)`", row)) == {name for name in authoring.__all__ if name[0].islower()}
