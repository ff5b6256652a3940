"""Kinds of what a contact or a joint acts on at one side."""

from __future__ import annotations

from enum import IntEnum


class BodyKind(IntEnum):
    """What a solver body is; those up to LINK move by forces."""

    BODY = 0            # a rigid body by itself
    LINK = 1            # of an articulation
    KINEMATIC = 2       # moved from outside
    STATIC = 3          # a static shape, or the world


BODY, LINK, KINEMATIC, STATIC = BodyKind
