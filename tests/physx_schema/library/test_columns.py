"""The columns of results, and the page about them."""

from __future__ import annotations

import pytest
from support.places import ROOT

from physx_schema.library.columns import NAMES, PAGE, arrow_schema, page


def test_the_page_is_written_from_the_table() -> None:
    assert (ROOT / "docs" / PAGE).read_text(encoding="utf-8") == page(), (
        "run python -m physx_schema.library.columns docs")


def test_files_have_the_columns_of_the_table() -> None:
    pytest.importorskip("pyarrow")
    assert tuple(arrow_schema().names) == NAMES
