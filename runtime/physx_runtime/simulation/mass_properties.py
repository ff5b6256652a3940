"""`WorldMassProperties` turns centres of mass, inertias and attachments set in single worlds into rows of the step. The
step knows them in each link's internal frame F (see model.topology). A floating root's F is at its centre of mass, so
moving that moves F. The formulae and their order are those of packing, so the bits equal those of a stage that authors
the values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import DoubleArray
from physx_runtime.dynamics import spatial as sp
from physx_runtime.model.owners import acting_attachments, acting_spatial_tendons, leaf_paths
from physx_runtime.model.row_specs import GROUPS, LEAF, RowKey
from physx_runtime.packing.articulation import principal_moments
from physx_runtime.packing.frames import (
    Frame,
    in_frame,
    inertia_in_frame,
    inverse_frame,
    root_frame_in_link,
    tree_frame,
)
from physx_runtime.packing.model import PackedModel
from physx_schema.description.model import FreeBody


@dataclass(frozen=True, slots=True)
class RowChange:
    """New values of a part of a row."""

    row: str
    first: int                          # index in the row
    values: DoubleArray                       # (n_world, n)
    worlds: NDArray[np.bool_]           # (n_world,) where they differ from before


class WorldMassProperties:
    """Public values of every world, float64, and the rows that follow from them."""

    def __init__(self, model: PackedModel, worlds: int) -> None:
        articulation = model.actor
        self.articulation, self.model, self._worlds = articulation, model, worlds
        self._is_body = isinstance(articulation, FreeBody)
        links = articulation.links
        self._attachments = acting_attachments(articulation)
        tendons = acting_spatial_tendons(articulation)
        authored = {
            "center_of_mass": [link.center_of_mass for link in links],
            "diagonal_inertia": [principal_moments(link) for link in links],
            "principal_axes": [link.principal_axes for link in links],
            "spatial_tendon_local_position": [
                tendons[tendon].attachments[n].local_position for tendon, n in self._attachments],
        }
        # (n_world, n_element, n_component)
        self.values: dict[str, DoubleArray] = {
            name: np.repeat(np.array(rows, dtype=np.float64)[None], worlds, axis=0) for name, rows in authored.items()
            if rows}

    def root_offset(self, worlds: NDArray[np.int64] | slice = slice(None)) -> Frame:
        """F in the root link's frame, numbers (n_world,), in all worlds or in those with these indices."""
        center, rotation = (tuple(np.broadcast_to(x, self._worlds)[worlds] for x in component)
                            for component in root_frame_in_link(self.articulation))
        if not self.articulation.fixed_base:
            center = tuple(x[worlds] for x in self._center(0))
        if self._is_body:
            rotation = tuple(x[worlds] for x in self._axes(0))
        return (center[0], center[1], center[2]), (rotation[0], rotation[1], rotation[2], rotation[3])

    @property
    def has_root_offset(self) -> bool:
        """Whether F differs from the authored frame in the root link in any world."""
        pose, authored = self.root_offset(), root_frame_in_link(self.articulation)
        return any(bool((x != y).any()) for a, b in zip(pose, authored, strict=True) for x, y in zip(a, b, strict=True))

    def assign(self, name: str, values: DoubleArray) -> Iterator[RowChange]:
        """Set a parameter to values (n_world, n_element, n_component); return the rows that change."""
        changed = np.asarray((values != self.values[name]).any(axis=-1), dtype=np.bool_)
        self.values[name] = values
        if name != "spatial_tendon_local_position":
            for i in np.flatnonzero(changed.any(axis=0)):
                for row, first, row_values in self._link_rows(name, int(i)):
                    yield RowChange(row, first, row_values, changed[:, i])
        if name != "diagonal_inertia":
            yield from self._attachment_rows(name, changed)

    def _link_rows(self, name: str, link: int) -> Iterator[tuple[str, int, DoubleArray]]:
        if name != "center_of_mass":
            yield "inertia", 6 * link, _stacked(self._inertia(link))
            if name == "principal_axes" and link == 0 and "root_axes" in self.model.parameters:
                yield "root_axes", 0, _stacked(self._axes(0))
            return
        if "com" in self.model.parameters:
            yield "com", 3 * link, _stacked(in_frame(self._link_in_frame(link), self._center(link)))
        if link == 0 and not self.articulation.fixed_base:
            yield from self._children_of_root()

    def _of(self, name: str, element: int) -> tuple[DoubleArray, ...]:
        """The components of an element, each (n_world,)."""
        return tuple(np.moveaxis(self.values[name][:, element], -1, 0))

    def _center(self, link: int) -> sp.Vec3:
        x, y, z = self._of("center_of_mass", link)
        return (x, y, z)

    def _axes(self, link: int) -> sp.Quat:
        x, y, z, w = self._of("principal_axes", link)
        return (x, y, z, w)

    def _link_in_frame(self, link: int) -> Frame:
        """The link's frame in its F, which moves with the centre of mass of a floating root."""
        if link == 0 and not self.articulation.fixed_base:
            return inverse_frame(self.root_offset())
        return self.model.link_frames[link]

    def _inertia(self, link: int) -> sp.Sym3:
        x, y, z = self._of("diagonal_inertia", link)
        zero = np.zeros_like(x)
        if self._is_body:
            return (x, y, z, zero, zero, zero)
        tensor = sp.rotate_sym(sp.matrix(self._axes(link)), (x, y, z, zero, zero, zero))
        return inertia_in_frame(self._link_in_frame(link), tensor)

    def _children_of_root(self) -> Iterator[tuple[str, int, DoubleArray]]:
        for i, link in enumerate(self.articulation.links):
            if link.joint is not None and link.parent == 0:
                yield "tree_position", 3 * i, _stacked(tree_frame(link.joint, self._link_in_frame(0))[0])

    def _attachment_rows(self, name: str, changed: NDArray[np.bool_]) -> Iterator[RowChange]:
        tendons = acting_spatial_tendons(self.articulation)
        for leaf, (tendon, path) in enumerate(leaf_paths(self.articulation)):
            for i, n in enumerate(path):
                link, index = tendons[tendon].attachments[n].link, self._attachments.index((tendon, n))
                x, y, z = self._of("spatial_tendon_local_position", index)
                in_link = sp.add(self._center(link), sp.rotate(self._axes(link), (x, y, z)))
                changed_worlds = changed[:, index if name == "spatial_tendon_local_position" else link]
                position = _stacked(in_frame(self._link_in_frame(link), in_link))
                yield RowChange(str(RowKey(GROUPS[LEAF], leaf, "position")), 3 * i, position, changed_worlds)


def _stacked(parts: tuple[Any, ...]) -> DoubleArray:
    return np.stack(np.broadcast_arrays(*parts), axis=-1).astype(np.float64)
