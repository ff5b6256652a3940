"""Reference pages: everything defined is on them, every link leads somewhere, and prose cannot break them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from physx_codegen import naming, pages
from physx_codegen.load_yaml import libraries, load
from physx_codegen.model import Library
from support.places import ROOT

LIBRARIES = tuple(load(folder) for folder in libraries(ROOT / "schema"))
PAGES = pages.render(LIBRARIES)
HOSTILE = """\
name: Toy
plugin: toy
classes:
- name: ToyAPI
  kind: single-apply
  doc: "Breaks | tables and </code><script>alert(1)</script> with `code`."
  attributes:
  - {name: size, type: float, default: 1, unit: "<b>", doc: "a < b | c, never."}
"""


def toy(folder: Path, text: str = HOSTILE) -> Library:
    (folder / "toy.yaml").write_text(text, encoding="utf-8")
    return load(folder)


def entries(page: str, cls: str) -> dict[str, str]:
    """Property to its entry, from the section of a class."""
    section = PAGES[page].split(f"\n## {cls}\n")[1].partition("\n## ")[0]
    return {entry.partition("`")[0]: entry for entry in section.split("\n**`")[1:]}


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.plugin)
def test_every_property_is_on_its_page_once_with_its_facts(library: Library) -> None:
    for family in library.families:
        page = f"{pages.page_name(library, family)}.md"
        for cls in family.classes:
            if cls.retired:
                continue
            found = entries(page, cls.name)
            assert list(found) == [naming.display_name(cls, prop) for prop in cls.properties]
            for prop in cls.properties:
                entry = found[naming.display_name(cls, prop)]
                bounds = getattr(prop, "range_text", "")
                unit = getattr(prop, "unit", "").replace("dimensionless", "").replace(" / ", "/").replace(" * ", "\\*")
                facts = [*prop.doc.split(), *([bounds.replace(", ", ",")] if bounds != "(-inf, inf)" else []), unit]
                assert all(fact.replace("<", "&lt;") in entry for fact in facts), entry


def test_a_retired_class_lists_the_names_of_its_properties() -> None:
    retired = [(library, family, cls) for library in LIBRARIES for family in library.families
               for cls in family.classes if cls.retired and cls.properties]
    assert retired
    for library, family, cls in retired:
        page = PAGES[f"{pages.page_name(library, family)}.md"]
        section = page.partition(f"\n## {cls.name}\n")[2].partition("\n## ")[0]
        names = ", ".join(f"`{naming.display_name(cls, prop)}`" for prop in cls.properties)
        assert f"\nProperties: {names}.\n" in section


@pytest.mark.parametrize("name", sorted(PAGES))
def test_every_link_leads_to_a_heading(name: str) -> None:
    for page, anchor in re.findall(r"\]\(([\w-]+\.md)(?:#([\w-]+))?\)", PAGES[name]):
        headings = {line.lstrip("# ").lower() for line in PAGES[page].splitlines() if line.startswith("## ")}
        assert not anchor or anchor in headings, (page, anchor)


def test_the_index_leads_to_every_class() -> None:
    for library in LIBRARIES:
        for family in library.families:
            for cls in family.classes:
                page = pages.page_name(library, family)
                assert f"[`{cls.name}`]({page}.md#{cls.name.lower()})" in PAGES["index.md"]


def test_prose_is_escaped(tmp_path: Path) -> None:
    text = pages.render((toy(tmp_path),))["toy.md"]
    assert "&lt;/code>&lt;script>alert(1)&lt;/script> with `code`." in text
    assert "<script" not in text
    assert "\n**`size`** (`float=1`, &lt;b>).  \na &lt; b | c, never.\n" in text


def test_paragraphs_and_lists_stay_apart(tmp_path: Path) -> None:
    doc = "One.\\n\\nTwo\\n- a\\n  b\\n- c | d"
    made = pages.render((toy(tmp_path, HOSTILE.replace("Breaks | tables", doc).replace("never.", "no.\\n\\nTwo.")),))
    assert "\nOne.\n\nTwo\n- a b\n- c | d" in made["toy.md"]
    assert "\na &lt; b | c, no.\n\nTwo.\n" in made["toy.md"]


def test_notes_follow_the_text_of_a_property(tmp_path: Path) -> None:
    keys = "type: token, tokens: [a, b], deprecated: use c"
    text = pages.render((toy(tmp_path, HOSTILE.replace("type: float, default: 1", keys)),))["toy.md"]
    assert "(`token`, deprecated, &lt;b>).  \na &lt; b | c, never. One of `a`, `b`. Use c.\n" in text


def test_only_accessors_with_another_name_are_on_the_page(tmp_path: Path) -> None:
    assert "GetSizeAttr" not in pages.render((toy(tmp_path),))["toy.md"]
    renamed = pages.render((toy(tmp_path, HOSTILE.replace("type: float", "type: float, api: width")),))["toy.md"]
    assert "`GetWidthAttr` `CreateWidthAttr`" in renamed


def test_the_example_of_a_class_is_a_block_of_code(tmp_path: Path) -> None:
    key = "example: ToyAPI.Apply(prim, size=2)\n  attributes:"
    text = pages.render((toy(tmp_path, HOSTILE.replace("attributes:", key)),))["toy.md"]
    assert "\n```python\nToyAPI.Apply(prim, size=2)\n```\n" in text


def test_pages_are_the_same_every_time() -> None:
    assert pages.render(LIBRARIES) == PAGES
