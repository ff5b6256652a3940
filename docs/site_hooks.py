"""Hooks of mkdocs: folders in the navigation, the report on the landing page, and links to files outside docs/.

The report is that of `physx-schema demo`, made at each build. Links to files of the repository lead to it where
`repo_url` is set; without it they are plain text.
"""

from __future__ import annotations

import posixpath
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s#]+)(#[^)\s]*)?\)")
_BANNER = re.compile(r"\A(?:<!--.*?-->\s*)+", re.S)
_PAGE_NAME = re.compile(r"`docs/([\w/]+)\.md(#[\w-]+)?`")
_FENCED = re.compile(r"(^```.*?^```|`[^`\n]+`)", re.S | re.M)


def on_config(config: Any) -> Any:
    """Expand folders in the navigation to their pages, and offer edits only where the repository is known."""
    config.edit_uri = "edit/main/docs/" if config.repo_url else None
    config.nav = [_expanded(item, Path(config.docs_dir)) for item in config.nav]
    return config


def _expanded(item: Any, docs: Path) -> Any:
    if not isinstance(item, dict):
        return item
    (title, value), = item.items()
    if isinstance(value, list):
        return {title: [_expanded(part, docs) for part in value]}
    if (docs / value).is_dir():
        pages = sorted((docs / value).glob("*.md"), key=lambda path: (path.stem != "index", path.stem))
        return {title: [path.relative_to(docs).as_posix() for path in pages]}
    return item


def on_files(files: Any, config: Any) -> Any:
    """Add the report of the demonstration."""
    with tempfile.TemporaryDirectory() as folder:
        program = "from physx_runtime.program import main; main()"
        subprocess.run([sys.executable, "-c", program, "demo", "--out", folder], check=True, capture_output=True)
        report = (Path(folder) / "report.html").read_text(encoding="utf-8")
    files.append(File.generated(config, "hand.html", content=report))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Link named pages, lead links out of docs/ to the repository, and drop the banner that hides a page's title."""
    markdown = _BANNER.sub("", markdown)
    folder = posixpath.dirname(page.file.src_uri)

    def named(found: re.Match[str]) -> str:
        target = posixpath.relpath(f"{found.group(1)}.md", folder)
        return f"[{posixpath.basename(found.group(1)).replace('_', ' ')}]({target}{found.group(2) or ''})"

    markdown = _PAGE_NAME.sub(named, markdown)

    def outside(found: re.Match[str]) -> str:
        text, target, anchor = found.group(1), found.group(2), found.group(3) or ""
        path = posixpath.normpath(posixpath.join("docs", folder, target))
        if ":" in target or path.startswith("docs/") or not (ROOT / path).exists():
            return found.group()
        if not config.repo_url:
            return f"{text} (`{path}`)" if f"`{path}`" != text else text
        return f"[{text}]({config.repo_url.rstrip('/')}/blob/main/{path}{anchor})"

    parts = _FENCED.split(markdown)
    return "".join(part if number % 2 else _LINK.sub(outside, part) for number, part in enumerate(parts))
