"""What can be set and read of a model by the names of rows, and what their scalars belong to."""

from __future__ import annotations

import functools
from dataclasses import replace

from physx_runtime.model.rows import LINK_FORCE_ROWS, input_rows, state_rows
from physx_runtime.model.topology import ActorTopology
from physx_runtime.packing.model import PackedModel

ROOT_VELOCITIES = ("vx", "vy", "vz", "wx", "wy", "wz")


@functools.lru_cache(maxsize=64)
def row_sizes(t: ActorTopology) -> dict[str, int]:
    """Scalars of every row that has a name, those of link forces included."""
    return state_rows(t) | input_rows(replace(t, link_forces=True))


def row_label(model: PackedModel, name: str, index: int) -> str:
    """What a scalar of a row belongs to: a joint's axis, a link or a part of the root's velocity."""
    t = model.topology.tree
    root = t.root_size if name == "v" else 0
    if index < root:
        return f"the root's {ROOT_VELOCITIES[index]}"
    if name in LINK_FORCE_ROWS:
        return f"{model.link_names[index // 3]} {'xyz'[index % 3]}"
    size, index = row_sizes(model.topology)[name] - root, index - root
    names = {len(t.links): model.link_names, len(t.dofs): model.dof_names}.get(size, ())
    if name in ("q", "v", "joint_effort") or size == len(t.dofs):
        names = model.dof_names
    return names[index] if names else f"index {index}"
