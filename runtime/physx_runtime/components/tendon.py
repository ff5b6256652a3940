"""Fixed tendons."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from physx_runtime.components.arguments import number

POSITIVE = ("stiffness", "damping", "limit_stiffness")


@dataclass(frozen=True)
class FixedTendon:
    """A spring on a weighted sum of joint coordinates; the first link's weights do not count."""

    links: tuple[Any, ...]
    coefficients: tuple[float, ...]         # length per rad or m
    recip_coefficients: tuple[float, ...]   # effort per force of the tendon
    rest_length: float
    offset: float
    stiffness: float
    damping: float
    low: float
    high: float
    limit_stiffness: float

    @property
    def branches(self) -> bool:
        """Whether links below the first one part there, so that none of them is above all others."""
        return any(link.parent is self.links[0] for link in self.links[2:])


def fixed_tendon(articulation: Any, links: tuple[Any, ...], coefficients: Sequence[float],
                 recip_coefficients: Sequence[float], numbers: Mapping[str, float]) -> FixedTendon:
    """A tendon of an articulation; raises ValueError for links and numbers that make none."""
    if len(links) < 2 or not len(links) == len(coefficients) == len(recip_coefficients):
        raise ValueError(f"a tendon has {len(links)} links, {len(coefficients)} coefficients and "
                         f"{len(recip_coefficients)} recip_coefficients; give as many of each, two or more")
    for i, link in enumerate(links):
        if link.articulation is not articulation or (i and link.parent not in links[:i]):
            raise ValueError(f"link {link.name!r} of a tendon is not below one before it; give a tree of links of this "
                             "articulation, the topmost first")
    checked = {name: number(name, value, 0.0 if name in POSITIVE else -math.inf) for name, value in numbers.items()}
    if checked["low"] > checked["high"]:
        raise ValueError(f"low is {checked['low']:g} and high {checked['high']:g}; give low <= high")
    return FixedTendon(links, tuple(number("coefficient", x) for x in coefficients),
                       tuple(number("recip_coefficient", x) for x in recip_coefficients), **checked)
