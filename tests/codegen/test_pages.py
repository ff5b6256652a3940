"""Reference pages: everything defined is on them, every link leads somewhere, and prose cannot break them."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from physx_codegen import naming, pages
from physx_codegen.load_yaml import libraries, load
from physx_codegen.model import Library
from support.places import ROOT

LIBRARIES = tuple(load(folder) for folder in libraries(ROOT / "schema"))
PAGES = pages.render(LIBRARIES)
VOID = {"meta", "input", "link", "br", "hr"}
HOSTILE = """\
name: Toy
plugin: toy
classes:
- name: ToyAPI
  kind: single-apply
  doc: "Breaks | tables and </code><script>alert(1)</script> with `code`."
  attributes:
  - {name: size, type: float, default: 1, doc: "a < b | c, *never*."}
"""


class Outline(HTMLParser):
    """Collects anchors and links, and checks that elements are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.anchors: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {given["id"] or ""} if "id" in given else set()
        self.links += [given["href"] or ""] if "href" in given else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def outline(name: str) -> Outline:
    parsed = Outline()
    parsed.feed(PAGES[name])
    assert parsed.open == []
    return parsed


OUTLINES = {name: outline(name) for name in PAGES if name.endswith(".html")}


def toy(folder: Path, text: str = HOSTILE) -> Library:
    (folder / "toy.yaml").write_text(text, encoding="utf-8")
    return load(folder)


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.plugin)
def test_every_property_is_on_both_pages_with_its_facts(library: Library) -> None:
    for family in library.families:
        page = pages.page_name(library, family)
        for cls in family.classes:
            assert f"## {cls.name}\n" in PAGES[f"{page}.md"]
            assert cls.name in OUTLINES[f"{page}.html"].anchors
            for prop in cls.properties:
                shown = naming.display_name(cls, prop)
                assert f"`{shown}`" in PAGES[f"{page}.md"]
                row = PAGES[f"{page}.html"].split(f'id="{cls.name}.{prop.name}"')[1].split("</tr>")[0]
                facts = [shown, getattr(prop, "range_text", ""), getattr(prop, "unit", "")]
                assert all(html.escape(fact, quote=False) in row for fact in facts), shown


@pytest.mark.parametrize("name", sorted(OUTLINES))
def test_every_link_of_an_html_page_leads_to_an_anchor(name: str) -> None:
    for link in OUTLINES[name].links:
        page, _, anchor = link.partition("#")
        target = OUTLINES[page or name]
        assert not anchor or anchor in target.anchors, link


@pytest.mark.parametrize("name", sorted(name for name in PAGES if name.endswith(".md")))
def test_every_link_of_a_markdown_page_leads_to_a_heading(name: str) -> None:
    for page, anchor in re.findall(r"\]\(([\w-]+\.md)(?:#([\w-]+))?\)", PAGES[name]):
        headings = {line.lstrip("# ").lower() for line in PAGES[page].splitlines() if line.startswith("## ")}
        assert not anchor or anchor in headings, (page, anchor)


def test_html_pages_fetch_nothing() -> None:
    for name in OUTLINES:
        assert "http" not in PAGES[name] and "src=" not in PAGES[name]


def test_prose_is_escaped(tmp_path: Path) -> None:
    made = pages.render((toy(tmp_path),))
    assert "<script>alert" not in made["toy.html"]
    assert "&lt;script&gt;" in made["toy.html"] and "<code>code</code>" in made["toy.html"]
    assert "&lt;/code>&lt;script>alert(1)&lt;/script> with `code`." in made["toy.md"]
    assert "<script" not in made["toy.md"]
    row = next(line for line in made["toy.md"].splitlines() if line.startswith("| `size`"))
    assert row.endswith("a &lt; b \\| c, \\*never\\*. |")


def test_paragraphs_and_lists_stay_apart(tmp_path: Path) -> None:
    doc = "One.\\n\\nTwo\\n- a\\n  b\\n- c | d"
    made = pages.render((toy(tmp_path, HOSTILE.replace("Breaks | tables", doc)),))
    assert "\nOne.\n\nTwo\n- a b\n- c | d" in made["toy.md"]
    assert "<p>One.</p>\n<p>Two<br>- a b<br>- c | d" in made["toy.html"]


def test_a_property_that_overrides_another_has_no_methods(tmp_path: Path) -> None:
    made = pages.render((toy(tmp_path, HOSTILE.replace("type: float", "type: float, override: true")),))
    assert "GetAttr" not in made["toy.md"] + made["toy.html"]


def test_pages_are_the_same_every_time() -> None:
    assert pages.render(LIBRARIES) == PAGES
