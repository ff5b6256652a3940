"""Where a converted robot starts: joints within their limits, links where their joints put them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom

from physx_runtime.arrays import DoubleArray
from physx_runtime.conversion.limbs import Limb, Stance
from physx_runtime.conversion.support_function import support
from physx_schema.description.articulation.axes import instance_of
from physx_schema.description.frames import start_poses
from physx_schema.description.model import Articulation, Dof, Joint, Link

_PLACED = ("xformOp:translate", "xformOp:orient")
_SAME_POSE = 1e-6       # of a matrix: rounding of authored transforms
_CORRECTIONS = 20       # of the angles of a leg
_STEP = 1e-4            # rad or length, for slopes
_FOOT_SHARE = 1e-3      # of the leg's height: a foot this close to its place is there

Positions = Mapping[str, float]     # of joint axes by name, rad or length


def set_start(stage: Usd.Stage, articulation: Articulation, stance: Stance, up: DoubleArray) -> Iterator[str]:
    """Author a joint state for each joint that starts outside its limits; what was done, in words.

    The other joints of a leg then keep its foot below the place where the file's zero pose has it: else a robot tips
    over. stance: at the zero pose. up: unit vector against gravity.
    """
    bounds = {dof.name: min(max(dof.position, dof.lower), dof.upper) for dof in articulation.dofs
              if dof.lower < dof.upper}
    clamped = {dof.name: bounds[dof.name] for dof in articulation.dofs
               if bounds.get(dof.name, dof.position) != dof.position}
    feet: dict[str, float] = {}
    for leg in stance.legs:
        feet.update(_foot_positions(articulation, leg, clamped, up))
    for link in articulation.links:
        for dof in link.joint.dofs if link.joint is not None else ():
            value = clamped.get(dof.name, feet.get(dof.name))
            if value is not None and link.joint is not None:
                reason = (f"its limits exclude {_authored(dof, dof.position):.4g}" if dof.name in clamped else
                          "its foot then stays in place")
                yield f"{dof.path} starts at {_set_state(stage, link.joint, dof, value)}, because {reason}"


def _foot_positions(articulation: Articulation, leg: Limb, clamped: Positions, up: DoubleArray) -> Positions:
    """Positions of the other joints of a leg with which its foot is where it was, seen along gravity; none if none are.

    The least change of the joints, by Newton's method: q += J^+ (x_foot - x(q)).
    """
    links = [articulation.links[i] for i in leg.links]
    dofs = [dof for link in links if link.joint is not None for dof in link.joint.dofs]
    free = [dof for dof in dofs if dof.name not in clamped and dof.lower < dof.upper]
    if not free or len(free) == len(dofs):
        return {}
    paths = [link.path for link in articulation.links]
    poses = dict(zip(paths, start_poses(articulation), strict=True))
    foot = paths.index(min(links, key=lambda link: -support([link], poses, -up)).path)
    level = np.eye(3) - np.outer(up, up)
    target = np.array(poses[paths[foot]][0])

    def error(q: DoubleArray) -> DoubleArray:
        positions = {**clamped, **{dof.name: float(value) for dof, value in zip(free, q, strict=True)}}
        return np.asarray(level @ (target - start_poses(_at(articulation, positions))[foot][0]))

    q = np.array([dof.position for dof in free])
    low, high = np.array([dof.lower for dof in free]), np.array([dof.upper for dof in free])
    for _ in range(_CORRECTIONS):
        slope = np.stack([(error(q + _STEP * unit) - error(q)) / -_STEP for unit in np.eye(len(q))], axis=1)
        q = np.clip(q + np.linalg.pinv(slope, rcond=_STEP) @ error(q), low, high)
    height = float(up @ (np.array(poses[links[0].path][0]) - target))
    if np.linalg.norm(error(q)) > _FOOT_SHARE * height:
        return {}
    return {dof.name: float(value) for dof, value in zip(free, q, strict=True) if abs(value - dof.position) > _STEP}


def _at(articulation: Articulation, positions: Positions) -> Articulation:
    """The articulation with other joint states."""
    def moved(link: Link) -> Link:
        if link.joint is None:
            return link
        dofs = tuple(replace(dof, position=positions.get(dof.name, dof.position)) for dof in link.joint.dofs)
        return replace(link, joint=replace(link.joint, dofs=dofs))

    return replace(articulation, links=tuple(map(moved, articulation.links)))


def _set_state(stage: Usd.Stage, joint: Joint, dof: Dof, position: float) -> str:
    """Author a joint state; the position as text."""
    prim, instance = stage.GetPrimAtPath(dof.path), instance_of(joint, dof)
    prim.AddAppliedSchema(f"PhysicsJointStateAPI:{instance}")
    for name, number in (("position", _authored(dof, position)), ("velocity", 0.0)):
        prim.CreateAttribute(f"state:{instance}:physics:{name}", Sdf.ValueTypeNames.Float, custom=False).Set(number)
    return f"{_authored(dof, position):.4g} {'degrees' if dof.angular else 'length units'}"


def _authored(dof: Dof, position: float) -> float:
    """A position in the unit of stages."""
    return math.degrees(position) if dof.angular else position


def pose_links(stage: Usd.Stage, articulation: Articulation) -> None:
    """Move the prims of links to where their joints put them at the start: PhysX does so, and viewers do not."""
    for link, (position, (x, y, z, w)) in zip(articulation.links, start_poses(articulation), strict=True):
        prim, cache = stage.GetPrimAtPath(link.path), UsdGeom.XformCache()
        current = cache.GetLocalToWorldTransform(prim)
        target = Gf.Transform(current)
        target.SetTranslation(Gf.Vec3d(*position))
        target.SetRotation(Gf.Rotation(Gf.Quatd(w, x, y, z)))
        if not Gf.IsClose(current, target.GetMatrix(), _SAME_POSE):
            _set_local(prim, target.GetMatrix() * cache.GetParentToWorldTransform(prim).GetInverse())


def _set_local(prim: Usd.Prim, matrix: Gf.Matrix4d) -> None:
    """Author a transform in the translation and orientation that a prim has, else in one operation."""
    xform, target = UsdGeom.Xformable(prim), Gf.Transform(matrix)
    operations = {item.GetOpName(): item for item in xform.GetOrderedXformOps()}
    if {*_PLACED} <= operations.keys() <= {*_PLACED, "xformOp:scale"}:
        for name, value in zip(_PLACED, (target.GetTranslation(), target.GetRotation().GetQuat()), strict=True):
            operations[name].Set(type(operations[name].Get())(value))
    else:
        xform.MakeMatrixXform().Set(matrix)
