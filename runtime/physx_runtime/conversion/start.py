"""Where a converted robot starts: joints within their limits, links where their joints put them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from pxr import Gf, Sdf, UsdGeom

from physx_schema.description.articulation.axes import instance_of
from physx_schema.description.frames import start_poses
from physx_schema.description.model import Articulation, Dof, Joint

_PLACED = ("xformOp:translate", "xformOp:orient")
_SAME_PLACE = 1e-6      # of a matrix: rounding of authored transforms


def set_start_within_limits(stage: Any, articulation: Articulation) -> Iterator[str]:
    """Author the joint state nearest to the start for each joint outside its limits; what was done, in words."""
    for link in articulation.links:
        for dof in link.joint.dofs if link.joint is not None else ():
            bound = min(max(dof.position, dof.lower), dof.upper)
            if bound != dof.position and dof.lower < dof.upper and link.joint is not None:
                yield _set_state(stage, link.joint, dof, bound)


def _set_state(stage: Any, joint: Joint, dof: Dof, position: float) -> str:
    prim, instance = stage.GetPrimAtPath(dof.path), instance_of(joint, dof)
    prim.AddAppliedSchema(f"PhysicsJointStateAPI:{instance}")
    for name, number in (("position", _authored(dof, position)), ("velocity", 0.0)):
        prim.CreateAttribute(f"state:{instance}:physics:{name}", Sdf.ValueTypeNames.Float, custom=False).Set(number)
    unit = "degrees" if dof.angular else "length units"
    return (f"{dof.path} starts at {_authored(dof, position):.4g} {unit}, because its limits exclude "
            f"{_authored(dof, dof.position):.4g}")


def _authored(dof: Dof, position: float) -> float:
    """A position in the unit of stages."""
    return math.degrees(position) if dof.angular else position


def place_links(stage: Any, articulation: Articulation) -> None:
    """Move the prims of links to where their joints put them at the start: PhysX does so, and viewers do not."""
    for link, (position, (x, y, z, w)) in zip(articulation.links, start_poses(articulation), strict=True):
        prim, cache = stage.GetPrimAtPath(link.path), UsdGeom.XformCache()
        current = cache.GetLocalToWorldTransform(prim)
        place = Gf.Transform(current)
        place.SetTranslation(Gf.Vec3d(*position))
        place.SetRotation(Gf.Rotation(Gf.Quatd(w, x, y, z)))
        if not Gf.IsClose(current, place.GetMatrix(), _SAME_PLACE):
            _set_local(prim, place.GetMatrix() * cache.GetParentToWorldTransform(prim).GetInverse())


def _set_local(prim: Any, matrix: Any) -> None:
    """Author a transform in the translation and orientation that a prim has, else in one operation."""
    xform, place = UsdGeom.Xformable(prim), Gf.Transform(matrix)
    operations = {item.GetOpName(): item for item in xform.GetOrderedXformOps()}
    if {*_PLACED} <= operations.keys() <= {*_PLACED, "xformOp:scale"}:
        for name, value in zip(_PLACED, (place.GetTranslation(), place.GetRotation().GetQuat()), strict=True):
            operations[name].Set(type(operations[name].Get())(value))
    else:
        xform.MakeMatrixXform().Set(matrix)
