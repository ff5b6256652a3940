"""The closest thing that would have worked, for names that nothing reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher, get_close_matches
from functools import cache, lru_cache

from pxr import Usd

from physx_schema.description.opinions.coverage import OTHER_SCHEMAS
from physx_schema.description.opinions.ownership import Owner, owners
from physx_schema.description.opinions.schemas import JOINT_KINDS, SCHEMAS

_ALIKE = 0.75           # of difflib's ratio, for names on a prim that is about physics anyway
_VERY_ALIKE = 0.85      # for names that might be anyone's
_SWAPPED = 0.8          # for the same letters in another order
_SAME_WORD = 0.6        # for instance names, which are short
_HINTED_NAMES = 1 << 12
_NOTES = "TensorPhysics"        # schemas that older Omniverse releases applied to what they had simulated
_OTHER_NAMES = {"physics:linearVelocity": "physics:velocity"}     # what other formats call a property


def closest(name: str, names: Iterable[str]) -> str:
    """The most similar of some names, "" where none is similar."""
    close = get_close_matches(name, sorted(names), 1, _ALIKE)
    return close[0] if close else ""


def closest_property(name: str, names: Iterable[str]) -> str:
    """The property that was meant: the same in other case, or close as a whole and in its last part; else ""."""
    known = set(names)
    same = {other.lower(): other for other in known}.get(name.lower())
    close = _OTHER_NAMES.get(name) or same or closest(name, known)
    last, other = (part.rpartition(":")[2].lower() for part in (name, close))
    alike = name in _OTHER_NAMES or SequenceMatcher(None, last, other).ratio() >= _ALIKE
    return close if alike else ""


@lru_cache(_HINTED_NAMES)
def meant_property(name: str) -> str:
    """The property that a name with a misspelt namespace was meant for, "" for anything else.

    All behind the namespace has to be right, so that a namespace that is merely similar is left alone.
    """
    head, colon, rest = name.partition(":")
    if not colon or head in _namespaces():
        return ""
    very_alike = get_close_matches(head, _namespaces(), 3, _VERY_ALIKE)
    swapped = (close for close in get_close_matches(head, _namespaces(), 3, _SWAPPED) if sorted(close) == sorted(head))
    for close in (*very_alike, *swapped):
        better = f"{close}:{rest}"
        if any(owner.known for owner in owners(better)):
            return better
    return ""


@lru_cache(_HINTED_NAMES)
def meant_schema(name: str) -> str:
    """The schema or joint type that an unknown name was meant for, "" for anything else."""
    known = _schemas()
    if not name or name in known or name.startswith(_NOTES) or Usd.SchemaRegistry.FindSchemaInfo(name) is not None:
        return ""
    if name.endswith(("API", "Joint")) and name != "Joint":
        whole = next((start + name for start in ("Physics", "Physx") if start + name in known), "")
        if whole:
            return whole
    close = get_close_matches(name, known, 1, _VERY_ALIKE)
    return close[0] if close else ""


def meant_instance(owner: Owner, applied: Sequence[str], right: str) -> str:
    """The instance name that a property of a schema was meant for, "" where none comes near.

    `applied` holds the instances of the schema on the prim, `right` the one that its kind of joint has, if it has one.
    """
    if not owner.instance or owner.instance in applied:
        return ""
    if right and (right in applied or not applied):
        return "" if owner.instance == right else right
    folded = {name.lower(): name for name in reversed(applied)}
    close = get_close_matches(owner.instance.lower(), list(folded), 1, _SAME_WORD)
    return folded[close[0]] if close else ""


@cache
def _namespaces() -> tuple[str, ...]:
    return tuple(sorted({facts.prefix.partition(":")[0] for facts in SCHEMAS.values()}))


@cache
def _schemas() -> tuple[str, ...]:
    return tuple(sorted({*SCHEMAS, *OTHER_SCHEMAS, *JOINT_KINDS}))
