"""Loops of a test that would pass if there were nothing to look at."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

Item = TypeVar("Item")


def nonempty(items: Iterable[Item]) -> list[Item]:
    """The items as a list, which fails the test where there is none."""
    found = list(items)
    assert found, "there is nothing to look at"
    return found
