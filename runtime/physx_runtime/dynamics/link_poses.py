"""Poses of links as PhysX carries them from link to link: in float32, and in its order of operations.

They are of mass frames, at the centre of mass and along the principal axes (body2World). Collision detection chooses by
their last bits: which of two legs is found first, which points of a rim touch. PhysX has them by these operations from
the first step on, because the scene places links anew when an articulation is added (NpScene::addArticulation).

Numbers are `Single`. A joint's frames are those of PhysX's joint core, seen from the mass frames of both links:
    p2c = normalize(turn(-q, u) * relative)
    rotation = normalize(parent rotation * conjugate(p2c))
    position = parent position + rotate(rotation, rotate(p2c, parent frame) - child frame + u q)
(DyFeatherstoneArticulation.cpp, teleportLinks; DyFeatherstoneForwardDynamic.cpp, propagateLinksDown)

A step takes the p2c of a spherical joint with w >= 0 (computeSphericalJointPositions); teleportLinks takes it as it is.
Negated quaternions of the links below look like half a turn to manifolds, which are then rebuilt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from physx_runtime.dynamics import rounded
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.rounded import sincos
from physx_runtime.language.ops import Scalar, Single, sqrt, where

MIN_ANGLE = 1e-10        # rad: a spherical joint that has turned less has not turned
BodyPose = tuple[sp.Vec3, sp.Quat]


class JointFrames(NamedTuple):
    """A joint seen from the mass frames of its links."""

    parent: sp.Vec3             # the joint's place in the parent
    child: sp.Vec3              # and in the child
    relative: sp.Quat           # the parent's rotation seen from the child where q is 0


def transform(outer: BodyPose, inner: BodyPose) -> BodyPose:
    """The pose of a thing whose pose in the frame of another is `inner` (PxTransform::transform)."""
    return sp.add(rounded.rotate_generic(outer[1], inner[0]), outer[0]), rounded.multiply_generic(outer[1], inner[1])


def child_pose(parent: BodyPose, joint: JointFrames, delta: sp.Quat | None = None, slide: sp.Vec3 | None = None,
               stepped: Scalar | None = None) -> BodyPose:
    """The pose of a link from its parent's; turn: of a joint that can. slide: of a joint that can.

    stepped: 1 where a step has brought a spherical joint to where it is, 0 where it was put there.
    """
    # p2c = normalize(delta relative)  (DyFeatherstoneForwardDynamic.cpp, propagateLinksDown)
    p2c = joint.relative if delta is None else rounded.normalize(rounded.multiply_generic(delta, joint.relative))
    if stepped is not None:
        p2c = _negate_where(p2c, (p2c[3].value < 0.0) & (stepped > 0.5))
    # offset = R(p2c) parent_frame - child_frame + u q
    offset = sp.sub(rounded.rotate_generic(p2c, joint.parent), joint.child)
    if slide is not None:
        offset = sp.add(offset, slide)
    rotation = rounded.normalize(rounded.multiply_generic(parent[1], sp.conjugate(p2c)))
    return sp.add(parent[0], rounded.rotate_generic(rotation, offset)), rotation


def revolute_delta(q: Single, axis: sp.Vec3) -> sp.Quat:
    """What a hinge at q turns the parent by, seen from the child."""
    # delta = exp(-q u)
    return _shorter_rotation(_about(axis, -q))


def spherical_delta(angles: Sequence[Single], axes: Sequence[sp.Vec3]) -> sp.Quat:
    """The same of a spherical joint, from its coordinates and what each is about."""
    vector: sp.Vec3 = (Single(0.0), Single(0.0), Single(0.0))
    # delta = exp(-sum q_i u_i), the identity for an angle below MIN_ANGLE
    for value, axis in zip(angles, axes, strict=True):
        vector = sp.add(vector, sp.scale(-value, axis))
    x, y, z = vector
    angle = sqrt(x * x + y * y + z * z)
    nonzero = angle.value >= MIN_ANGLE
    factor = 1.0 / Single(where(nonzero, angle.value, 1.0))
    q = _shorter_rotation(_about(sp.scale(factor, vector), angle))
    i, j, k, w = (Single(where(nonzero, e.value, unit)) for e, unit in zip(q, (0.0, 0.0, 0.0, 1.0), strict=True))
    return i, j, k, w


def _about(axis: sp.Vec3, angle: Single) -> sp.Quat:
    sine, cosine = sincos(angle * 0.5)
    return axis[0] * sine, axis[1] * sine, axis[2] * sine, cosine


def _shorter_rotation(q: sp.Quat) -> sp.Quat:
    return _negate_where(q, q[3].value < 0.0)


def _negate_where(q: sp.Quat, condition: Scalar) -> sp.Quat:
    """The opposite quaternion, of the same rotation, where chosen."""
    x, y, z, w = (Single(where(condition, (-component).value, component.value)) for component in q)
    return x, y, z, w
