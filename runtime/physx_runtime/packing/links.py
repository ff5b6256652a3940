"""Links as rows: mass and damping, where they are in the tree, and the authored state of the root."""

from __future__ import annotations

import math

import numpy as np

from physx_runtime.dynamics import spatial as sp
from physx_runtime.model.rows import LINK
from physx_runtime.packing.facts import RowValues, fact_rows
from physx_runtime.packing.frames import Frame, in_frame, inertia_in_frame, root_frame, root_place, tree_frame
from physx_runtime.packing.mass_frames import as_single, root_center
from physx_schema.description.model import ActorDescription, Articulation, Dof, Link

# Of PhysX's loader, in single precision (degToRad).
RADIANS_PER_DEGREE = np.float32(math.radians(1.0))


def link_rows(actor: ActorDescription, into: tuple[Frame, ...]) -> RowValues:
    """Rows of every link; `into`: each link's frame in its F."""
    rows = fact_rows(LINK, actor.links)
    made: RowValues = {"com": [], "inertia": [], "tree_position": [], "tree_rotation": []}
    for link, own in zip(actor.links, into, strict=True):
        position, rotation = tree_frame(link.joint, into[link.parent])
        made["com"] += in_frame(own, link.center_of_mass)
        made["inertia"] += inertia_in_frame(own, symmetric(link.inertia))
        made["tree_position"] += position
        made["tree_rotation"] += rotation
    return rows | made


def symmetric(matrix: tuple[sp.Vec3, sp.Vec3, sp.Vec3]) -> sp.Sym3:
    """The six numbers of a symmetric matrix."""
    a, b, c = matrix
    return a[0], b[1], c[2], a[1], a[2], b[2]


def principal_moments(link: Link) -> sp.Vec3:
    """The moments of a link's inertia about its principal axes."""
    turn = np.array(sp.matrix(link.principal_axes), dtype=np.float64)
    x, y, z = np.diagonal(turn.T @ np.array(link.inertia, dtype=np.float64) @ turn)
    return (float(x), float(y), float(z))


def authored_state(actor: ActorDescription, locked: int) -> RowValues:
    """The authored state."""
    root = actor.links[0]
    velocity = [] if actor.fixed_base else [*root.linear_velocity, *root.angular_velocity]
    position, rotation = root_frame(root.pose, root_place(actor))
    if isinstance(actor, Articulation) and not actor.fixed_base:
        x, y, z = map(as_single, position, root_center(root))
        position = x, y, z
    rows = {"q": [_start(dof) for dof in actor.dofs],
            "v": [*velocity, *(dof.velocity for dof in actor.dofs)],
            "root_position": list(position), "root_rotation": list(rotation)}
    return rows | ({"locked": [0.0] * locked} if locked else {})


def _start(dof: Dof) -> float:
    """Where a degree of freedom starts, to the bit where the loader's single precision turns degrees into radians."""
    if not dof.angular or not math.isfinite(dof.position):
        return dof.position
    return as_single(dof.position, RADIANS_PER_DEGREE * np.float32(math.degrees(dof.position)))
