"""Links of the documentation lead to files and headings."""

from __future__ import annotations

import re
from pathlib import Path

from support.places import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
MADE_AT_BUILD = {"hand.html"}      # by docs/site_hooks.py
FENCED = re.compile(r"```.*?```|`[^`\n]+`", re.S)


def anchors(page: Path) -> set[str]:
    """The names of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken(page: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    wrong = []
    for link in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        file, _, anchor = link.partition("#")
        if "://" in file or file.startswith("mailto:") or file in MADE_AT_BUILD:
            continue
        target = page.parent / file if file else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            wrong.append(f"{page.name}: {link}")
    return wrong


def test_every_link_leads_somewhere() -> None:
    assert [link for page in PAGES for link in broken(page)] == []


def test_a_link_to_no_file_or_no_heading_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One heading\n[a](gone.md) [b](#one-heading) [c](#no-heading) [d](https://example.org)\n")
    assert broken(page) == ["page.md: gone.md", "page.md: #no-heading"]
