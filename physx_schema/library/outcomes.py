"""What becomes of an item or an asset: a result, a known result, or a loss; and the limits that lead to a loss."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

Value = TypeVar("Value", covariant=True)
Row = Mapping[str, Any]             # of a dataset, by column; missing ones are null

@dataclass(frozen=True, slots=True)
class Limits:
    """The most that an item may take."""

    seconds: float = math.inf
    megabytes: int | None = None        # of private memory; None for no limit


@dataclass(frozen=True, slots=True)
class Lost:
    """The reason why an item has no result."""

    outcome: Literal["crashed", "timeout", "memory", "failed"]
    reason: str

    @property
    def exit_code(self) -> int:
        """The exit code of an internal error."""
        return 4


@dataclass(frozen=True, slots=True)
class Done(Generic[Value]):
    """What a command makes of an asset."""

    value: Value
    exit_code: int = 0
    outcome: str = "done"
    message: str = ""           # the reason for another outcome
    rows: tuple[Row, ...] = ()  # findings and measured values


@dataclass(frozen=True, slots=True)
class Known:
    """An asset whose results are in the dataset already."""

    exit_code: int
