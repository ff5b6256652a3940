"""How the centre of mass of a link moves with the joints that lead to it, by where they are at a step's start.

All vectors are in world axes at the step's start.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import subspace
from physx_runtime.dynamics.rotation import MOST_SQUARE, half_turn
from physx_runtime.dynamics.spatial import NO_MOTION, Force, Motion, Quat, Vec3, linear_first, motion_of
from physx_runtime.language.ops import Scalar, Scalars, maximum, rarely, sincos, where
from physx_runtime.model.topology import ROTARY_JOINTS, SPHERICAL, Topology


@dataclass(frozen=True, slots=True)
class LeverArms:
    """Of the last link of a chain without spherical joints."""

    t: Topology
    root: Vec3                  # from the root's anchor to the centre of mass
    grown: Vec3                 # what a root's rotation that is longer than 1 adds to it, a unit of its square's excess
    axes: Sequence[Vec3]        # by dof
    arms: Sequence[Vec3]        # by dof, from the anchor of its joint

    def __post_init__(self) -> None:
        if any(link.kind == SPHERICAL for link in self.t.links):
            raise ValueError("a chain with a spherical joint has no single axis for each of its joints")

    def velocity(self, v: Scalars) -> Motion:
        """Of the link at its centre of mass, J v (RBDA section 4.4)."""
        found = NO_MOTION if self.t.fixed_base else motion_of(v).at(self.root)
        for i, (axis, arm) in enumerate(zip(self.axes, self.arms, strict=True)):
            found = found + subspace(self._turns(i), axis).at(arm) * v[self.t.root_size + i]
        return found

    def generalized(self, force: Force) -> list[Scalar]:
        """J^T of a force on the link about its centre of mass."""
        root = [] if self.t.fixed_base else linear_first(force.about(self.root))
        return [*root, *(force.about(arm).dot(subspace(self._turns(i), axis))
                         for i, (axis, arm) in enumerate(zip(self.axes, self.arms, strict=True)))]

    def travel(self, travelled: Scalars, root_turned: Quat | None, excess: Scalar = 0.0) -> Vec3:
        """The way of the centre of mass since the step's start, the root's anchor held: 0 where nothing has moved.

        travelled: by dof. root_turned: the root's rotation since then; excess: by what its square is longer now. One
        vector's change is turned from joint to joint towards the root; poses of links would hold fewer digits of it.
        """
        turning = [i for i in range(len(self.axes)) if self._turns(i)]
        sines = dict(zip(turning, _sines([travelled[i] for i in turning]), strict=True))
        way = sp.ZERO3
        for i in reversed(range(len(self.axes))):
            if i in sines:
                sine, versine = sines[i]
                across = sp.cross(self.axes[i], sp.add(self.arms[i], way))
                turn = sp.add(sp.scale(sine, across), sp.scale(versine, sp.cross(self.axes[i], across)))
            else:
                turn = sp.scale(travelled[i], self.axes[i])
            way = sp.add(way, turn)
        if root_turned is None:
            return way
        axis = (root_turned[0], root_turned[1], root_turned[2])
        twice = sp.scale(2.0, sp.cross(axis, sp.add(self.root, way)))
        turned = sp.add(way, sp.add(sp.scale(root_turned[3], twice), sp.cross(axis, twice)))
        return sp.add(turned, sp.scale(excess, sp.add(self.grown, way)))

    def _turns(self, dof: int) -> bool:
        return self.t.kind_of(dof) in ROTARY_JOINTS


def _sines(angles: Sequence[Scalar]) -> list[tuple[Scalar, Scalar]]:
    """(sin x, 1 - cos x) of angles that are short in most worlds."""
    if not angles:
        return []
    squares = [0.25 * x * x for x in angles]
    long = rarely(functools.reduce(maximum, squares) > MOST_SQUARE)
    short, found = [], []
    for angle, square in zip(angles, squares, strict=True):
        half, cosine = half_turn(square)
        twice = angle * half                # 2 sin(x / 2)
        short.append((twice * cosine, 0.5 * twice * twice))
    whole = [sincos(angle) for angle in angles]
    exact = [(sine, 1.0 - cosine) for sine, cosine in whole]
    # the selections side by side, so that one jump passes over all that they need
    for a, b in zip(exact, short, strict=True):
        found.append((where(long, a[0], b[0]), where(long, a[1], b[1])))
    return found
