"""Rows of contact patches.

The structure of a patch: contacts of one pair of colliders that share a normal, and its friction anchors.

It is a cache key: what a patch does with its numbers follows from it, parameter values never enter it. Places that a
patch does not fill have multipliers of 0 and give nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from physx_runtime.model.body_kind import LINK
from physx_runtime.model.island import SolverBody

# Of the pair, in the order of `SURFACE`: how its two surfaces answer each other.
SURFACE = ("static_friction", "dynamic_friction", "restitution", "bounce_threshold", "stiffness", "damping",
           "acceleration_spring", "max_depenetration", "max_impulse", "torsion_radius", "min_torsion_radius")


@dataclass(frozen=True, slots=True)
class ContactTopology:
    """One patch; its normal points to side 0."""

    solver_bodies: tuple[SolverBody, SolverBody]
    points: int                 # places for contacts
    anchors: int = 2            # places for friction anchors
    torsional: bool = False     # friction about the normal, where it has one anchor
    pgs: bool = False           # every iteration repeats the whole step
    sapien: bool = False        # friction and bounces are those of SAPIEN 3.0

    @property
    def canonical(self) -> ContactTopology:
        """The same patch whatever it touches of that kind: what its equations depend on."""
        first, second = (SolverBody(body.kind) for body in self.solver_bodies)
        return replace(self, solver_bodies=(first, second))

    @property
    def has_link(self) -> bool:
        """Whether a side is a link."""
        return any(body.kind == LINK for body in self.solver_bodies)


def patch_rows(t: ContactTopology) -> dict[str, int]:
    """Size of every row group that a patch is given at the step's start, in their order.

    normal: of the surface at side 1. point: world. separation: without the rest distance. anchor0, anchor1: arms from
    the centres of mass of the sides, from the world's origin of what does not move; world axes. used: 1, or 0 for a
    place that is not filled. Of a pair's `SURFACE`, stiffness is 0 of rigid surfaces and acceleration_spring 1 where a
    compliant one does not feel masses.
    """
    return {"normal": 3, **dict.fromkeys(SURFACE, 1), "point": 3 * t.points, "separation": t.points,
            "point_used": t.points, "anchor0": 3 * t.anchors, "anchor1": 3 * t.anchors, "anchor_used": t.anchors}
