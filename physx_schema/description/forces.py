"""Constant forces on bodies (PhysxForceAPI)."""

from __future__ import annotations

from collections.abc import Mapping

from pxr import Gf

from physx_schema.description.frames import pose_matrix, pose_of, vector
from physx_schema.description.model import Push
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import Reading
from physx_schema.description.poses import IDENTITY_POSE, Pose, Vec3

# PhysX leaves a force or torque out whose squared size is below this, whatever its unit (measured: 0.0031 does
# nothing, 0.0032 acts).
LEAST_SQUARE = 1e-5


def read_forces(reading: Reading) -> Mapping[str, tuple[Push, ...]]:
    """The forces on every body, by its path: those of the body prim and of prims below it, in traversal order."""
    found: dict[str, tuple[Push, ...]] = {}
    for opinions in reading.having("PhysxForceAPI"):
        body = reading.body_of(opinions.path)
        if body:
            found[body] = (*found.get(body, ()), _push(reading, opinions, body))
    return found


def _push(reading: Reading, opinions: PrimOpinions, body: str) -> Push:
    view = opinions.view("PhysxForceAPI")
    force, torque, world = view.vector("force"), view.vector("torque"), view.flag("worldFrameEnabled")
    central = opinions.path == body
    frame = IDENTITY_POSE if central else _within(
        reading.frames.pose(reading.prims[body].prim, body), reading.frames.pose(opinions.prim, opinions.path))
    if not world:
        force, torque = _turned(frame, force), _turned(frame, torque)
    return Push(
        path=opinions.path, enabled=view.flag("forceEnabled"), world=world,
        acceleration=view.token("mode") == "acceleration", force=_felt(force), torque=_felt(torque),
        point=None if central else frame[0],
    )


def _felt(value: Vec3) -> Vec3:
    x, y, z = value
    return value if x * x + y * y + z * z >= LEAST_SQUARE else (0.0, 0.0, 0.0)


def _within(outer: Pose, inner: Pose) -> Pose:
    """The pose `inner` in the frame `outer`, both in the world."""
    return pose_of(Gf.Transform(pose_matrix(*inner) * pose_matrix(*outer).GetInverse()))


def _turned(frame: Pose, value: Vec3) -> Vec3:
    return vector(pose_matrix(*frame).TransformDir(Gf.Vec3d(*value)))
