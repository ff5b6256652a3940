"""What a process is busy with."""

from __future__ import annotations

import pytest

from physx_schema.activity import activity, current_activity


def test_innermost_activity_counts() -> None:
    with activity("outer"), activity("inner"):
        assert current_activity() == "inner"


def test_activity_ends_with_its_block() -> None:
    with activity("outer"):
        pass
    assert current_activity() == ""


def test_activity_that_fails_ends_too() -> None:
    with pytest.raises(KeyError), activity("outer"):
        raise KeyError
    assert current_activity() == ""
