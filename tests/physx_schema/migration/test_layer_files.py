"""Comments are found wherever USD's text may have them, and nothing else is taken for one."""

from __future__ import annotations

from pathlib import Path

import pytest
from pxr import Sdf

from physx_schema.migration.layer_files import lost_text

HEAD = "#usda 1.0\n"


def lost(folder: Path, text: str) -> str:
    path = folder / "a.usda"
    path.write_bytes(text.encode())
    assert Sdf.Layer.OpenAsAnonymous(str(path)) is not None
    return lost_text(path)


@pytest.mark.parametrize("text", [
    'def "a" {\n    string s = "no # comment // here"\n}\n', 'def "a" (doc = """two\n# lines\n""") {}\n',
    "def \"a\" {\n    asset a = @./a#b//c.usda@\n    asset b = @@@x@#y@@@\n}\n",
    "def \"a\" {\n    string s = 'it\\'s # none'\n    rel r = </a>\n}\n"])
def test_text_without_comments_loses_nothing(text: str, tmp_path: Path) -> None:
    assert lost(tmp_path, HEAD + text) == ""


@pytest.mark.parametrize(("text", "said"), [
    ("# above\n", "a comment on line 2"), ('def "a" {  # behind\n}\n', "a comment on line 2"),
    ('def "a" {}\n# two\n# three\n', "comments on lines 3, 4"),
    ("# x\n" * 9, "comments on lines 2, 3, 4, 5, 6 and 4 more"),
    ('def "a" {\r\n}\r\n', "CR LF line ends"),
    ('# x\r\ndef "a" {}\r\n', "a comment on line 2 and CR LF line ends")])
def test_comments_and_line_ends_are_named(text: str, said: str, tmp_path: Path) -> None:
    assert lost(tmp_path, HEAD + text) == f"USD rewrites the whole file and drops {said}"


def test_a_crate_loses_no_text(tmp_path: Path) -> None:
    layer = Sdf.Layer.CreateNew(str(tmp_path / "a.usdc"))
    layer.Save()
    assert lost_text(tmp_path / "a.usdc") == ""
