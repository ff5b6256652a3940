"""Stacked joints of an MJCF: several joints between the same two bodies, which act one after the other.

In PhysX the second one closes a loop. Small bodies between the joints make a chain of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, pairwise

from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from physx_schema.description.model import Description, Link

MASS_SHARE = 1e-3       # of the body beyond the joints: what a body between them weighs
_KINDS = ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint", "PhysicsSphericalJoint")


def chain_joints(stage: Usd.Stage, description: Description) -> Iterator[str]:
    """Put bodies between stacked joints, in the order of the file; what was done, in words."""
    links = {link.path: link for link in chain(description.separate_bodies, *(
        item.links for item in description.articulations))}
    stacks: dict[tuple[object, ...], list[UsdPhysics.Joint]] = {}
    for prim in stage.Traverse():
        joint = UsdPhysics.Joint(prim)
        if prim.GetTypeName() in _KINDS and not joint.GetExcludeFromArticulationAttr().Get():
            targets = (*joint.GetBody0Rel().GetTargets(), None, *joint.GetBody1Rel().GetTargets())
            stacks.setdefault(targets, []).append(joint)
    for targets, joints in stacks.items():
        link = links.get(str(targets[-1]))
        if len(joints) > 1 and link is not None:
            _filter(stage, joints[0], link.path)
            for first, second in pairwise(joints):
                _insert_body(stage, link, first, second)
            names = ", ".join(str(joint.GetPath()) for joint in joints)
            yield f"{names} lead to {link.path}: small bodies between them make a chain, where PhysX would see a loop"


def _filter(stage: Usd.Stage, joint: UsdPhysics.Joint, path: str) -> None:
    """Keep the two bodies of a joint from colliding, as PhysX does while a joint connects them."""
    for target in joint.GetBody0Rel().GetTargets():
        prim = stage.GetPrimAtPath(target)
        if prim.HasAPI(UsdPhysics.RigidBodyAPI):
            UsdPhysics.FilteredPairsAPI.Apply(prim).CreateFilteredPairsRel().AddTarget(path)


def _insert_body(stage: Usd.Stage, link: Link, first: UsdPhysics.Joint, second: UsdPhysics.Joint) -> None:
    """Put a body between two joints; its frame is that of the body beyond them."""
    beyond = stage.GetPrimAtPath(link.path)
    path = beyond.GetPath().GetParentPath().AppendChild(f"{beyond.GetName()}_{first.GetPrim().GetName()}")
    body = UsdGeom.Xform.Define(stage, path).GetPrim()
    layer = stage.GetEditTarget().GetLayer()
    for attribute in beyond.GetAuthoredAttributes():
        if attribute.GetName().startswith("xformOp"):
            Sdf.CopySpec(layer, attribute.GetPath(), layer, path.AppendProperty(attribute.GetName()))
    UsdPhysics.RigidBodyAPI.Apply(body)
    mass = UsdPhysics.MassAPI.Apply(body)
    mass.CreateMassAttr(MASS_SHARE * link.mass)
    mass.CreateDiagonalInertiaAttr(Gf.Vec3f(MASS_SHARE * sum(link.inertia[i][i] for i in range(3)) / 3.0))
    first.GetBody1Rel().SetTargets([path])
    second.GetBody0Rel().SetTargets([path])
    second.CreateLocalPos0Attr(second.GetLocalPos1Attr().Get())
    second.CreateLocalRot0Attr(second.GetLocalRot1Attr().Get())
