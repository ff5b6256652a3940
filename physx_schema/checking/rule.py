"""What a rule is: a function from the facts of a stage to findings, and the codes it may give them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from physx_schema.checking.finding import DEFAULT_PROFILES, Finding
from physx_schema.description import Description


@dataclass(frozen=True, slots=True)
class Code:
    """What findings of one code have in common; documentation pages and ``explain`` are made of it."""

    code: str                   # "DJ.007/limits-clip"
    severity: str               # the severest it gives; the finding has its own
    title: str                  # a few words, for lists
    text: str                   # what it means, in plain sentences
    profiles: tuple[str, ...] = DEFAULT_PROFILES    # who wants it; a finding may say so itself
    measured: str = ""          # what real PhysX did, with numbers and the script that measured it
    example: str = ""           # a prim in USDA that gets the finding
    remedy: str = ""            # the same prim without it


@dataclass(frozen=True, slots=True)
class Unevaluated:
    """Something that a rule could not judge on this stage, given instead of a finding."""

    code: str                   # of the catalogue; "DJ.007" for all of a family
    path: str                   # prim
    property: str
    reason: str                 # why it was not judged
    fix: str = ""               # what would let it be judged


@dataclass(frozen=True, slots=True)
class Rule:
    """A named function; one that raises becomes a finding, and its codes count as not evaluated."""

    name: str
    find: Callable[[Description], Iterable[Finding | Unevaluated]]
    codes: tuple[str, ...]      # codes, or families such as "DJ.007", that its findings may have


def belongs(code: str, family: str) -> bool:
    """Whether a code is a family itself or one of its members: DJ.007 holds DJ.007/limits."""
    return code == family or code.startswith(family + "/")
