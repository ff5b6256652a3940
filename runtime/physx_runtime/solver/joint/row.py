"""One row of a joint outside articulations: a velocity that it wants, and the impulse that it may give for it.

J v = linear0 . v0 + angular0 . w0 - linear1 . v1 - angular1 . w1, of the centres of mass of what it holds at either
side (Px1DConstraint; ExtConstraintHelper.h).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from physx_runtime.dynamics.spatial import ZERO3, Vec3, cross
from physx_runtime.language.ops import Scalar

# What rows are sorted and orthogonalised by (PxConstraintSolveHint); odd ones bound the impulse.
NO_HINT, ROTATION, ROTATION_LIMIT, TRANSLATION, TRANSLATION_LIMIT = 0, 1024, 1025, 2048, 2049


@dataclass(frozen=True, slots=True)
class Spring:
    """What makes a row an implicit spring."""

    stiffness: Scalar
    damping: Scalar
    target_velocity: Scalar = 0.0       # of J v
    acceleration: bool = False          # gains are those of a unit mass


@dataclass(frozen=True, slots=True)
class Bounce:
    """What sends a hard limit's row back that the step starts beyond."""

    restitution: Scalar
    threshold: Scalar                   # no slower it bounces


@dataclass(frozen=True, slots=True)
class JointRow:
    """One row at the poses of the step's start."""

    linear0: Vec3
    angular0: Vec3
    linear1: Vec3
    angular1: Vec3
    error: Scalar
    hint: int
    angular: bool                       # its bias is bounded as a rotation's, and it moves with what turns
    lower: Scalar = -math.inf           # bounds of the impulse; of a drive its force, times dt once prepared
    upper: Scalar = math.inf
    spring: Spring | None = None
    bounce: Bounce | None = None
    drive: bool = False                 # the bounds are forces
    keeps_bias: Scalar = False          # whether velocity iterations still see its error: limits not reached yet
    active: Scalar = True               # soft limits act only where the step starts beyond them
    holds: bool = False                 # its impulse counts for breaking the joint: all but drives

    @property
    def bounded(self) -> bool:
        """Whether a hard limit: its bias has no lower bound."""
        return bool(self.hint & 1)


def linear_row(axis: Vec3, arm0: Vec3, arm1: Vec3, error: Scalar) -> JointRow:
    """A row along an axis, which acts on both sides at the ends of their arms."""
    return JointRow(axis, cross(arm0, axis), axis, cross(arm1, axis), error, NO_HINT, False)


def angular_row(axis: Vec3, error: Scalar) -> JointRow:
    """A row about an axis."""
    return JointRow(ZERO3, axis, ZERO3, axis, error, NO_HINT, True)
