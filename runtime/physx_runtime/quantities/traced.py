"""`traced` gives the straight-line code of a quantity; `structure` reduces a topology to what quantities depend on.
`can_compile` says whether a tree is small enough for such code.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace

from physx_runtime.compiling.schedule import Function, Sizes, trace_function
from physx_runtime.language.ops import Rows
from physx_runtime.model.row_specs import input_rows, state_rows, tree_rows
from physx_runtime.model.topology import ActorTopology, BodyTopology, DofTopology, Topology

StateQuantity = Callable[[Topology, Rows], Rows]

# Pairs of a link and a dof it hangs on, up to which straight-line code is emitted: a chain of 62 links.
MAX_LINK_DOF_PAIRS = 2000


def structure(t: ActorTopology) -> ActorTopology:
    """The structure that quantities depend on: the tree, its joints and external forces on links.

    How often forces act and tendons with kept impulses stay too, since joint forces depend on them. Everything else
    that acts on the joints is left out. The structure has rows of link forces, as arguments of quantities that read
    them.
    """
    if isinstance(t, BodyTopology):
        return BodyTopology(t.forces_every_iteration, link_forces=True, external_forces=t.external_forces)
    dofs = tuple(DofTopology(dof.link, axis=dof.axis) for dof in t.dofs)
    reduced = Topology(t.fixed_base, t.forces_every_iteration, t.links, dofs, link_forces=True,
                       external_forces=t.external_forces)
    if not t.tendon_impulses:
        return reduced
    return replace(reduced, fixed_tendons=t.fixed_tendons, spatial_tendons=t.spatial_tendons, tendon_impulses=True)


@functools.lru_cache(maxsize=256)
def traced(quantity: StateQuantity, t: ActorTopology, arrays: Sizes) -> Function:
    """The code of a quantity. arrays: names and sizes of arrays that it reads as rows."""
    defaults = {name: [0.0] * size for name, size in tree_rows(t).items()}
    return trace_function(lambda rows: quantity(t.tree, {**defaults, **rows}), state_rows(t) | input_rows(t), arrays)


def can_compile(t: ActorTopology) -> bool:
    """Whether a tree is small enough for straight-line code."""
    return _pairs(t.tree) <= MAX_LINK_DOF_PAIRS


def _pairs(t: Topology) -> int:
    dofs = [t.root_size] * len(t.links)
    for i, link in enumerate(t.links):
        dofs[i] = len(t.dofs_of(i)) + (dofs[link.parent] if link.parent >= 0 else t.root_size)
    return sum(dofs)
