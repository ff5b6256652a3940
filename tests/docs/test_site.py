"""The site is built without a warning, and its search answers what users ask.

The search is that of the site: the index that mkdocs wrote, asked through lunr with the weights of its theme.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.places import ROOT

TITLE, TEXT = 1000, 1       # weights of the theme's search
SHOWN = 3                   # pages that a user sees first
# The question, words of it that one types, and pages that answer it.
QUESTIONS = {
    # the tasks of the guides
    "why does my mimic joint do nothing": ("guides/questions/", "guides/mimic/"),
    "randomise friction over 4096 worlds": ("guides/questions/", "guides/worlds/"),
    "which gains does a drive need to hold a target": ("guides/drive_gains/", "guides/questions/"),
    "couple two joints by a tendon": ("guides/tendon/", "guides/questions/"),
    "give a joint friction": ("guides/friction/", "guides/questions/"),
    "see contact force": ("guides/scenes/", "guides/questions/"),
    "find gains for a motion": ("guides/tuning/", "guides/questions/"),
    "find mistakes in a stage": ("guides/check/", "guides/questions/"),
    "migrate a stage of an older release": ("guides/migrating/", "guides/questions/"),
    "jacobian and mass matrix": ("guides/jacobians/", "guides/questions/"),
    "understand somebody else's robot": ("guides/reading/", "guides/questions/"),
    "compare with real PhysX": ("guides/verify/", "evidence/agreement/", "guides/questions/"),
    # threads of Isaac Lab and Isaac Sim on GitHub
    "actuator is unable to reach or maintain the desired position": ("guides/questions/", "guides/drive_gains/"),
    "PhysxMimicJointAPI ignored on prismatic joints": ("guides/questions/", "guides/mimic/", "reference/rules/DJ.007/"),
    "master joint freezes when multiple followers reference the same joint": ("guides/questions/", "guides/mimic/"),
    "could not find any bodies with contact reporter API": ("guides/questions/", "guides/scenes/"),
    "use PhysxSchema without starting simulation": ("guides/questions/", "guides/author/"),
    "how to fix base link": ("guides/questions/", "guides/first_robot/"),
    "usd-core and usd-exchange break": ("guides/questions/", "guides/install/"),
    "Jacobian joint indices for floating base": ("guides/questions/", "guides/jacobians/"),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site."""
    for name in ("material", "mkdocstrings", "lunr"):
        pytest.importorskip(name, reason="pip install '.[docs]' to build the site")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)], cwd=ROOT,
                          env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def search(site: Path) -> Any:
    """The site's search index."""
    from lunr import lunr

    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    return lunr(ref="location", documents=index["docs"], fields=(
        {"field_name": "title", "boost": TITLE}, {"field_name": "text", "boost": TEXT}))


def pages(search: Any, question: str) -> list[str]:
    """Pages in the order in which the search shows them."""
    return list(dict.fromkeys(found["ref"].partition("#")[0] for found in search.search(question)))


@pytest.mark.sweep
def test_the_site_is_built_without_a_warning(site: Path) -> None:
    assert (site / "guides" / "drive_gains" / "index.html").is_file()
    assert "<canvas" in (site / "hand.html").read_text(encoding="utf-8")


@pytest.mark.sweep
@pytest.mark.parametrize("question", QUESTIONS)
def test_the_search_answers_a_question(search: Any, question: str) -> None:
    assert set(pages(search, question)[:SHOWN]) & set(QUESTIONS[question]), pages(search, question)[:6]
