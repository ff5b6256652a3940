"""`owners_of` lists the owners of rows by name: links, joints, tendons and their parts, with the columns of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from physx_runtime.model.row_specs import (
    ATTACHMENT,
    DOF,
    EXTERNAL_FORCE,
    FIXED_TENDON,
    GROUPS,
    LEAF,
    LINK,
    LOCKED_DOF,
    MIMIC,
    MOVING_LINK,
    ROOT,
    SPATIAL_TENDON,
    TABLE,
    TENDON_AXIS,
    VELOCITY,
    WORLD,
    RowKey,
    owner_prefix,
)
from physx_runtime.model.topology import Topology
from physx_schema.description.model import ActorDescription, FixedTendon, Scene, SpatialTendon

ROOT_VELOCITIES = ("vx", "vy", "vz", "wx", "wy", "wz")

# What row names begin with, and which of the row's owners it is.
RowSlot = tuple[str, int]


@dataclass(frozen=True, slots=True)
class RowOwner:
    """A link, joint, tendon or part of one: its name and the indices of its numbers, which may have copies."""

    name: str
    slots: tuple[RowSlot, ...]


def acting_fixed_tendons(actor: ActorDescription) -> list[FixedTendon]:
    """The active fixed tendons, which have rows."""
    return [tendon for tendon in actor.fixed_tendons if tendon.enabled]


def acting_spatial_tendons(actor: ActorDescription) -> list[SpatialTendon]:
    """The active spatial tendons, whose leaves have rows."""
    return [tendon for tendon in actor.spatial_tendons if tendon.enabled]


def leaf_paths(actor: ActorDescription) -> list[tuple[int, tuple[int, ...]]]:
    """(active spatial tendon, its attachments from root to leaf) of every leaf, in the order of their rows."""
    return [(i, path) for i, tendon in enumerate(acting_spatial_tendons(actor)) for path in tendon.leaf_paths()]


def acting_attachments(actor: ActorDescription) -> list[tuple[int, int]]:
    """(active spatial tendon, its attachment) of every attachment that leads to a leaf: others act on nothing."""
    return sorted({(i, n) for i, path in leaf_paths(actor) for n in path})


def owners_of(t: Topology, actor: ActorDescription, scene: Scene) -> Mapping[str, tuple[RowOwner, ...]]:
    """All owners of rows in a model, by kind."""
    links = [link.path for link in actor.links]
    dofs = [dof.name for dof in actor.dofs]
    joints = [link.joint.path if link.joint else link.path for link in actor.links]
    speeds = [f"the root's {ROOT_VELOCITIES[i]}" for i in range(t.root_size)]
    external_forces = [force.path for link in actor.links for force in link.external_forces]
    return {
        WORLD: _in_order([scene.path or "scene"]),
        ROOT: _in_order(links[:1]),
        LINK: _in_order(links),
        MOVING_LINK: _in_order([links[i] for i in t.moving_links]),
        DOF: _in_order(dofs),
        VELOCITY: _in_order([*speeds, *dofs]),
        LOCKED_DOF: _in_order([f"{joints[link]} {'xyz'[axis]}" for link, axis in t.locked]),
        MIMIC: _numbered(MIMIC, [mimic.path for mimic in actor.mimics]),
        EXTERNAL_FORCE: _numbered(EXTERNAL_FORCE, external_forces),
        **_fixed_tendons(actor), **_spatial_tendons(actor),
    }


def _in_order(names: list[str]) -> tuple[RowOwner, ...]:
    return tuple(RowOwner(name, (("", i),)) for i, name in enumerate(names))


def _numbered(kind: str, names: list[str]) -> tuple[RowOwner, ...]:
    return tuple(RowOwner(name, ((owner_prefix(GROUPS[kind], i), 0),)) for i, name in enumerate(names))


def _fixed_tendons(actor: ActorDescription) -> dict[str, tuple[RowOwner, ...]]:
    tendons = acting_fixed_tendons(actor)
    return {
        FIXED_TENDON: _numbered(FIXED_TENDON, [f"{tendon.path}:{tendon.name}" for tendon in tendons]),
        TENDON_AXIS: tuple(RowOwner(f"{axis.path}:{tendon.name}", ((owner_prefix(GROUPS[TENDON_AXIS], i), n),))
                           for i, tendon in enumerate(tendons) for n, axis in enumerate(tendon.axes)),
    }


def _spatial_tendons(actor: ActorDescription) -> dict[str, tuple[RowOwner, ...]]:
    """Owners of spatial tendons: rows of all leaves; of attachments: rows of the leaves that they lead to.

    A tendon without a leaf, and an attachment that leads to none, have no rows, because PhysX steps leaves.
    """
    tendons, paths, group = acting_spatial_tendons(actor), leaf_paths(actor), GROUPS[LEAF]

    def slots(tendon: int, attachment: int | None = None) -> tuple[RowSlot, ...]:
        return tuple((owner_prefix(group, leaf), 0 if attachment is None else path.index(attachment))
                     for leaf, (i, path) in enumerate(paths)
                     if i == tendon and (attachment is None or attachment in path))

    ends = [tendons[i].attachments[path[-1]] for i, path in paths]
    return {
        SPATIAL_TENDON: tuple(RowOwner(f"{tendon.path}:{tendon.name}", slots(i)) for i, tendon in enumerate(tendons)
                              if slots(i)),
        LEAF: _numbered(LEAF, [f"{end.path}:{end.name}" for end in ends]),
        ATTACHMENT: tuple(RowOwner(f"{tendons[i].attachments[n].path}:{tendons[i].attachments[n].name}", slots(i, n))
                          for i, n in acting_attachments(actor)),
    }


def row_label(row_owners: Mapping[str, tuple[RowOwner, ...]], name: str, index: int) -> str:
    """The owner and component of a number of a row. row_owners: as of `owners_of`."""
    key = RowKey.parse(name)
    for row in TABLE:
        if row.name == key.field:
            for owner in row_owners[row.owner]:
                for prefix, position in owner.slots:
                    if prefix == key.prefix and position == index // row.width:
                        return f"{owner.name} {row.components[index % row.width]}" if row.components else owner.name
    raise KeyError(f"{name} {index}")
