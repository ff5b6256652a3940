"""What of a body is seen: geometry that nothing collides with, and colliders that are not seen."""

from __future__ import annotations

from typing import Any

from pxr import Usd, UsdGeom

from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import ReadContext

_UNSEEN = frozenset({UsdGeom.Tokens.guide, UsdGeom.Tokens.proxy})
_COLLIDER, _BODY = "PhysicsCollisionAPI", "PhysicsRigidBodyAPI"


def shows_geometry(context: ReadContext, body: PrimOpinions) -> bool:
    """Whether geometry of a body is rendered; bodies below it have their own."""
    prims = iter(Usd.PrimRange(body.prim, Usd.TraverseInstanceProxies()))
    for prim in prims:
        opinions = context.prims.get(str(prim.GetPath()))
        if opinions is not None and opinions is not body and opinions.has(_BODY):
            prims.PruneChildren()
        elif prim.IsA(UsdGeom.Gprim) and _is_rendered(UsdGeom.Imageable(prim)):
            return True
    return False


def has_collider(context: ReadContext, body: PrimOpinions) -> bool:
    """Whether a body or a prim below it, that is no other body's, asks for a collider."""
    return body.has(_COLLIDER) or any(
        context.prims[path].has(_COLLIDER) and context.body_of(path) == body.path for path in context.below(body.path))


def _is_rendered(geometry: Any) -> bool:
    return geometry.ComputeVisibility() != UsdGeom.Tokens.invisible and geometry.ComputePurpose() not in _UNSEEN


def invisible_purpose(prim: Any) -> str:
    """The purpose of a prim that is invisible, "" of one that is seen."""
    geometry = UsdGeom.Imageable(prim)
    return str(geometry.ComputePurpose()) if geometry.ComputeVisibility() == UsdGeom.Tokens.invisible else ""
