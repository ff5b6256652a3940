"""The documentation as a site."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.places import ROOT

pytestmark = pytest.mark.sweep


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("material", reason="pip install '.[docs]' to build the site")
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)], cwd=ROOT,
                          env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "tasks" / "drive_gains" / "index.html").is_file()
