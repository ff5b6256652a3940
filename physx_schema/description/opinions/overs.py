"""Prims that USD's traversal passes over: which of them arcs bring in elsewhere, and which names miss a prim."""

from __future__ import annotations

from collections.abc import Container, Iterator
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from pxr import Pcp, Usd

from physx_schema.description.opinions.prim import is_physical

_SIMILAR = 0.7          # of difflib's ratio, for names of prims
_ARCS = (Pcp.ArcTypeReference, Pcp.ArcTypePayload, Pcp.ArcTypeInherit, Pcp.ArcTypeSpecialize)


class Overs:
    """What a stage says of prims that its traversal passes over; everything is looked up once it is asked for."""

    def __init__(self, stage: Any) -> None:
        self._stage = stage

    @cached_property
    def brought_in(self) -> frozenset[str]:
        """Paths of the stage's own layers that references, payloads, inherits and specializes bring in elsewhere."""
        matches: set[str] = set()
        for root in (self._stage.GetPseudoRoot(), *self._stage.GetPrototypes()):
            for prim in Usd.PrimRange(root, Usd.PrimDefaultPredicate):
                index = prim.GetPrimIndex()
                matches.update(_targets(index.rootNode) if index.IsValid() else ())
        return frozenset(matches)

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        """The paths of the defined prims by name."""
        names: dict[str, list[str]] = {}
        for prim in self._stage.Traverse():
            names.setdefault(prim.GetName(), []).append(str(prim.GetPath()))
        return names

    def meant(self, prim: Any) -> str:
        """The defined prim that an over was probably meant for, "" where none comes near."""
        parent, name = prim.GetParent(), prim.GetName()
        siblings = [child.GetName() for child in parent.GetChildren()]
        close = [other for other in get_close_matches(name, siblings, 5, _SIMILAR)
                 if _digits(other) == _digits(name)]
        folded = {other.lower(): other for other in siblings}
        better = folded.get(name.lower()) or (close[0] if close else "")
        if better:
            return str(parent.GetPath().AppendChild(better))
        if parent.IsPseudoRoot():
            return ""
        elsewhere = self._names.get(name, [])
        return elsewhere[0] if len(elsewhere) == 1 else ""

    def holds_unread_physics(self, root: Any) -> bool:
        """Whether a prim or one below it has anything to do with physics that no arc brings in elsewhere."""
        if not any(map(is_physical, _outside(root, ()))):
            return False
        if any(str(prefix) in self.brought_in for prefix in root.GetPath().GetPrefixes()):
            return False
        return any(map(is_physical, _outside(root, self.brought_in)))


def _targets(node: Any) -> Iterator[str]:
    """The sites in the stage's own layers that arcs of a prim lead to."""
    for child in node.children:
        own = child.layerStack.identifier == node.GetRootNode().layerStack.identifier
        if own and child.arcType in _ARCS and not child.IsDueToAncestor():
            yield str(child.path.StripAllVariantSelections())
        yield from _targets(child)


def _digits(name: str) -> str:
    return "".join(filter(str.isdigit, name))


def _outside(root: Any, left_out: Container[str]) -> Iterator[Any]:
    """A prim and those below it, but for some with all that they hold."""
    prims = iter(Usd.PrimRange(root, Usd.PrimAllPrimsPredicate))
    for prim in prims:
        if str(prim.GetPath()) in left_out:
            prims.PruneChildren()
        else:
            yield prim
