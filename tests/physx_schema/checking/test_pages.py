"""The pages on rules: in step with the catalogue, complete, and with links that lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.places import ROOT

from physx_schema.checking import RULES
from physx_schema.checking.catalogue import COMMAND, explain_lines, family, family_title, pages
from physx_schema.command_line.program import program

FOLDER = ROOT / "docs" / "reference" / "rules"


def test_pages_are_in_step_with_the_catalogue() -> None:
    found = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    stale = sorted(name for name in {*found, *pages()} if found.get(name) != pages().get(name))
    assert not stale, f"{', '.join(stale)}: run `{COMMAND}`"


@pytest.mark.parametrize("code", RULES)
def test_every_code_has_its_section_and_explanation(code: str) -> None:
    page = pages()[f"{family(code)}.md"]
    assert f"\n## {code}\n" in page and RULES[code].text in page
    assert next(iter(explain_lines(code))) == f"{code}: {RULES[code].title}"


def test_every_family_says_what_it_is_about() -> None:
    assert not [name for name in {family(code) for code in RULES} if family_title(name) == name]


def test_links_of_the_index_lead_to_sections() -> None:
    for name, anchor in re.findall(r"\]\(([^)#]+)#([^)]+)\)", pages()["index.md"]):
        headings = re.findall(r"^## (.+)$", pages()[name], re.M)
        assert anchor in {re.sub(r"[^\w-]", "", heading.lower()) for heading in headings}


def test_command_writes_the_pages(tmp_path: Path) -> None:
    assert CliRunner().invoke(program(), ["explain", "--pages", str(tmp_path)]).exit_code == 0
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == pages()
