"""The pages on rules: in step with the catalogue, complete, and with links that lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.places import ROOT

from physx_schema.checking import RULES
from physx_schema.checking.catalogue import COMMAND, changed_lines, explain_lines, family, family_title, pages
from physx_schema.command_line.program import program

FOLDER = ROOT / "docs" / "reference" / "rules"


def test_pages_are_in_step_with_the_catalogue() -> None:
    found = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    stale = sorted(name for name in {*found, *pages()} if found.get(name) != pages().get(name))
    assert not stale, f"{', '.join(stale)}: run `{COMMAND}`"


@pytest.mark.parametrize("code", RULES)
def test_every_code_has_its_section_and_explanation(code: str) -> None:
    page = pages()[f"{family(code)}.md"]
    assert f"\n## `{code}`\n" in page
    assert RULES[code].text.replace("`", "") in page.replace("`", "")      # pages mark codes of rules
    assert next(iter(explain_lines(code))) == f"{code}: {RULES[code].title}"


def test_sections_name_severity_and_profiles() -> None:
    assert "\n## `unit/radians`\n\n**" in pages()["unit.md"]
    assert " *(error; profile driven)*\n" in pages()["DJ.001.md"]
    assert " *(error, also in profile newton)*\n" in pages()["DJ.011.md"]
    assert " *(warning)*\n" in pages()["DJ.011.md"]
    assert list(explain_lines("DJ.011/loop"))[1] == "    error; profiles physx, simready, newton"


def test_repair_of_an_example_is_shown_as_a_short_diff() -> None:
    cube = 'def Cube "a" (\n    prepend apiSchemas = ["X"]\n)\n{\n    int x = 1\n    int y = 2\n}\n'
    changed = cube.replace("x = 1", "x = 5")
    assert list(changed_lines(cube, changed)) == ["-    x = 1", "+    x = 5"]
    ball = 'def Sphere "b"\n{\n}\n'
    assert list(changed_lines(ball + cube, ball + changed)) == [
        ' def Cube "a"', "-    x = 1", "+    x = 5"]
    assert list(changed_lines(cube, cube.replace("int x", "float x"))) == ["-    int x = 1", "+    float x = 1"]
    assert list(changed_lines(cube, cube + ball)) == ['+def Sphere "b"']
    assert list(changed_lines("", "1\n2\n3\n4\n5\n6\n7\n")) == ["+1", "+2", "+3", "+4", "+5", "+6", "+    ..."]


def test_every_family_says_what_it_is_about() -> None:
    assert not [name for name in {family(code) for code in RULES} if family_title(name) == name]


def test_links_of_the_index_lead_to_sections() -> None:
    for name, anchor in re.findall(r"\]\(([^)#]+)#([^)]+)\)", pages()["index.md"]):
        headings = re.findall(r"^## (.+)$", pages()[name], re.M)
        assert anchor in {re.sub(r"[^\w-]", "", heading.lower()) for heading in headings}


def test_command_writes_the_pages(tmp_path: Path) -> None:
    for _ in range(2):      # again over its own pages
        assert CliRunner().invoke(program(), ["explain", "--pages", str(tmp_path)]).exit_code == 0
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == pages()
