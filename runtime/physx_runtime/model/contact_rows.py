"""`ContactTopology` is the structure of a contact patch: contacts of one pair that share a normal, and friction
anchors. `patch_rows` gives its rows. It is a cache key: the code of a patch follows from it, and parameter values never
enter it. Slots that a patch does not fill have multipliers of 0 and add no impulse.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from physx_runtime.model.body_kind import LINK
from physx_runtime.model.island import SolverBody

# Properties of the pair's combined surface, in the order of `SURFACE`.
SURFACE = ("static_friction", "dynamic_friction", "restitution", "bounce_threshold", "stiffness", "damping",
           "acceleration_spring", "max_depenetration", "max_impulse", "torsion_radius", "min_torsion_radius")
# Size of every row group that a patch is given at the step's start, in their order: numbers, and more of them by place
# for a contact and by place for a friction anchor.
PATCH_ROW_SIZES = {
    "normal": (3, 0, 0), **dict.fromkeys(SURFACE, (1, 0, 0)), "point": (0, 3, 0), "separation": (0, 1, 0),
    "point_used": (0, 1, 0), "anchor0": (0, 0, 3), "anchor1": (0, 0, 3), "anchor_used": (0, 0, 1)}


@dataclass(frozen=True, slots=True)
class ContactTopology:
    """The structure of one patch; its normal points to side 0."""

    solver_bodies: tuple[SolverBody, SolverBody]
    points: int                 # slots for contacts
    anchors: int = 2            # slots for friction anchors
    torsional: bool = False     # friction about the normal, where it has one anchor
    pgs: bool = False           # every iteration repeats the whole step
    sapien: bool = False        # friction and bounces are those of SAPIEN 3.0

    @property
    def canonical(self) -> ContactTopology:
        """The patch with bodies reduced to their kinds, on which its equations depend."""
        first, second = (SolverBody(body.kind) for body in self.solver_bodies)
        return replace(self, solver_bodies=(first, second))

    @property
    def has_link(self) -> bool:
        """Whether a side is a link."""
        return any(body.kind == LINK for body in self.solver_bodies)


def patch_rows(t: ContactTopology) -> dict[str, int]:
    """Size of every row group that a patch is given at the step's start, in their order.

    normal: of the surface at side 1. point: world. separation: without the rest distance. anchor0, anchor1: arms from
    the centres of mass of the sides, from the world's origin of what does not move; world axes. point_used,
    anchor_used: 1, or 0 for an empty slot. Of a pair's `SURFACE`, stiffness is 0 of rigid surfaces and
    acceleration_spring 1 where a compliant one does not feel masses.
    """
    return {name: size + per_point * t.points + per_anchor * t.anchors
            for name, (size, per_point, per_anchor) in PATCH_ROW_SIZES.items()}


def patch_row_offset(name: str = "") -> tuple[int, int, int]:
    """Offset of a row group from the patch's first row, in sizes of `PATCH_ROW_SIZES`; the end without a name."""
    names = list(PATCH_ROW_SIZES)
    before = [PATCH_ROW_SIZES[other] for other in names[:names.index(name) if name else None]]
    size, per_point, per_anchor = (sum(part) for part in zip((0, 0, 0), *before, strict=True))
    return size, per_point, per_anchor
