"""What differs by engine: SAPIEN 3.0.3's PhysX, and the PhysX of ovphysx.

Numbers that a stage says are here, and written to it. What no stage can say (the usual length in drives and limits, the
test for restitution, how slip is taken back) is the solver of the same name of `physx_runtime.Scene`.
"""

from __future__ import annotations

from dataclasses import dataclass

from physx_runtime.model.topology import SAPIEN

PHYSX = "physx"


@dataclass(frozen=True)
class Profile:
    """The way in which scenes of a profile are written."""

    name: str                           # of the solver too
    forces_every_iteration: bool        # gravity and efforts in each TGS iteration, else once a step
    friction_offset: float              # m, within which surfaces rub
    friction_correlation: float         # m, within which contacts share their friction


PROFILES = {
    SAPIEN: Profile(SAPIEN, False, 0.004, 0.0025),      # of a usual length of 0.1 m
    PHYSX: Profile(PHYSX, True, 0.04, 0.025),
}


def profile_of(name: str) -> Profile:
    """Return the profile with a name. Raises ValueError for an unknown name."""
    if name not in PROFILES:
        raise ValueError(f"profile is {name!r}; give one of {', '.join(PROFILES)}")
    return PROFILES[name]
