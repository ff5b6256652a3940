"""One thing that moves something in PhysX and is left out when it is stepped."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NotSimulated:
    """One thing that is left out."""

    code: str                   # "joint" | "loop" | "contact" | "mass" | "unread" | "sleep"
    path: str                   # prim
    property: str               # "" for the prim itself
    text: str                   # what it is, what comes of it, and what to do
    refused: bool = False       # without it the motion is another one altogether, and nothing is stepped

    def __str__(self) -> str:
        where = f"{self.path}.{self.property}" if self.property else self.path
        return f"{where}: not simulated: {self.text}"
