"""Layers that are written together or not at all, as values on them compose the same prims."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from physx_schema.migration.composition import Composition
from physx_schema.migration.report import LayerChange


def group_layers(changes: Sequence[LayerChange], composition: Composition) -> tuple[frozenset[str], ...]:
    """Identifiers of changed layers, in groups that share a prim with something for the rules or name each other's."""
    changed = {change.layer.identifier for change in changes if change.changed}
    links = [{name for name, _ in group} & changed for group in composition.groups]
    links += [{change.layer.identifier, *change.depends} & changed for change in changes if change.changed]
    return tuple(_joined(links))


def _joined(links: Iterable[set[str]]) -> list[frozenset[str]]:
    """Sets that have something in common as one."""
    groups: list[frozenset[str]] = []
    for link in filter(None, links):
        touching = [group for group in groups if group & link]
        groups = [group for group in groups if not group & link] + [frozenset(link).union(*touching)]
    return groups
