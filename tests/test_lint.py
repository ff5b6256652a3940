"""The whole repository is lint-free under the rules of pyproject.toml."""

from __future__ import annotations

import subprocess
import sys

from support.places import ROOT


def test_ruff_finds_nothing() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--output-format", "concise", str(ROOT)],
        cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
