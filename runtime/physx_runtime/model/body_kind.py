"""`BodyKind` names the kinds of solver bodies at one side of a contact or joint: link, rigid body, kinematic or static.
"""

from __future__ import annotations

from enum import IntEnum


class BodyKind(IntEnum):
    """The kind of a solver body; kinds up to LINK are moved by forces."""

    BODY = 0            # a rigid body by itself
    LINK = 1            # of an articulation
    KINEMATIC = 2       # moved from outside
    STATIC = 3          # a static shape, or the world


BODY, LINK, KINEMATIC, STATIC = BodyKind
