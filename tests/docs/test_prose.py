"""Pages, messages and docstrings keep the rules of style, and the linter sees a fault of each kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import prose
from support.places import ROOT
from support.prose import Sentence, faults

LONG = "This sentence is " + "very " * 23 + "long."
PLANTED = [
    (LONG, "27 words"),
    ("Contacts start anew after the edit.", "'anew': again"),
    ("A joint whose limits are equal is locked.", "'whose'"),
    ("The values that are told apart from the heeded ones are read.", "'heeded'"),
    ("It is the finding of nobody.", "'nobody'"),
    ("What does not act is reported.", "begins with 'What does not'"),
    ("How far the link moves is printed.", "begins with 'How far the'"),
    ("Had the tendon an axis, it would pull.", "begins with 'Had the tendon'"),
    ("Of the static friction, nothing acts.", "begins with 'Of the static'"),
]
PLAIN = (
    "The step repeats PhysX's operations.", "What does armature do?", "`who` is a name of code.",
    "Damping acts on the velocity; it never changes the target.", 'The verdict "as it is" is quoted.')
MAX_PAGE_WORDS = 1500
GENERATED = ("reference/classes", "reference/rules", "reference/rows.md", "reference/schema_language.md")


def faulty(sentences: list[Sentence]) -> list[str]:
    return [f"{item.place}: {fault}: {item.text}" for item in sentences for fault in faults(item)]


def words(page: Path) -> int:
    """Words of a page without its bars of tables; the table of parameters in a guide is generated."""
    text = page.read_text(encoding="utf-8").partition("## Parameters")[0]
    return len([word for word in text.split() if word.strip("|-")])


def pages() -> list[Path]:
    return [*prose.PAGES, *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize(("text", "fault"), PLANTED)
def test_a_planted_fault_is_seen(text: str, fault: str) -> None:
    assert [found for found in faults(Sentence("page.md", 1, text, "page")) if found.startswith(fault)]


@pytest.mark.parametrize("text", PLAIN)
def test_a_plain_sentence_has_no_fault(text: str) -> None:
    assert list(faults(Sentence("page.md", 1, text, "page"))) == []


def test_a_planted_fault_is_seen_in_each_kind_of_source(tmp_path: Path) -> None:
    page, module, command = tmp_path / "page.md", tmp_path / "module.py", tmp_path / "cli" / "a_command.py"
    command.parent.mkdir()
    page.write_text("# Title\n\n- Contacts start anew after it.\n\n| what | why |\n|---|---|\n| a | b anew |\n",
                    encoding="utf-8")
    module.write_text('raise ValueError(f"{path}: contacts start anew here; remove it")\n', encoding="utf-8")
    command.write_text("@click.command()\ndef a_command():\n    \"\"\"Start all contacts anew here.\"\"\"\n",
                       encoding="utf-8")
    assert len(faulty(list(prose.page_sentences(page)))) == 2
    assert len(faulty(list(prose.literal_sentences(module)))) == 1
    assert len(faulty(list(prose.literal_sentences(command)))) == 1


def test_code_on_a_page_is_no_prose(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Text.\n\n```python\nprint('told anew')\n```\n\n    whose = 1\n", encoding="utf-8")
    assert faulty(list(prose.page_sentences(page))) == []


def test_pages_are_plain() -> None:
    assert faulty([item for path in pages() for item in prose.page_sentences(path)]) == []


def test_docstrings_of_public_names_are_plain() -> None:
    found = list(prose.docstring_sentences())
    assert len(found) > 300
    assert faulty(found) == []


def test_messages_rules_and_help_texts_are_plain() -> None:
    found = [item for folder in prose.PACKAGES for path in sorted(folder.rglob("*.py"))
             for item in prose.literal_sentences(path)]
    assert len(found) > 2500
    assert faulty(found) == []


def test_pages_are_short() -> None:
    counts = {path.relative_to(ROOT / "docs").as_posix(): words(path) for path in sorted((ROOT / "docs").rglob("*.md"))}
    written = {name: count for name, count in counts.items() if not name.startswith(GENERATED)}
    assert {name: count for name, count in written.items() if count > MAX_PAGE_WORDS} == {}


def test_every_public_name_is_on_a_page_of_the_python_reference() -> None:
    import importlib
    import inspect

    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs/reference/python").glob("*.md"))
    names = [f"{package}.{name}" for package in prose.PUBLIC for module in [importlib.import_module(package)]
             for name in module.__all__ for value in [getattr(module, name)]
             if (inspect.isclass(value) or callable(value)) and not value.__module__.startswith("physx_generated")]
    assert len(names) > 50
    assert [name for name in names if f"::: {name}\n" not in text + "\n"] == []
