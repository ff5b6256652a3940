"""The root of an articulation and its solver settings."""

from __future__ import annotations

from physx_generated import PhysxArticulationAPI
from pxr import Usd, UsdPhysics

from physx_schema.authoring.prims import not_none, refuse, stage_of, why_not_editable


def articulation_root(
    prim: Usd.Prim | Usd.SchemaBase, *, position_iterations: int | None = None, velocity_iterations: int | None = None,
) -> PhysxArticulationAPI:
    """Make the bodies and joints at and below a prim an articulation, or change the settings of one.

    Apply it above the bodies, once they are there; a body held to the world by a joint gives a fixed base.
    position_iterations: substeps per time step. velocity_iterations: each applies tendons once more and solves
    compliant mimic joints hard, so 0 gives them the strength that is authored. What is left out keeps the default of
    PhysxArticulationAPI.

    Writes PhysicsArticulationRootAPI, and PhysxArticulationAPI with the iteration counts given. Raises AuthoringError,
    nothing written, for counts out of range, inside another articulation, and where there is no body to hold.
    """
    stage_of(prim)
    root = prim.GetPrim()
    refuse([*why_not_editable(root), *_nested(root), *_empty(root)])
    values = not_none(
        solverPositionIterationCount=position_iterations, solverVelocityIterationCount=velocity_iterations,
    )
    api = PhysxArticulationAPI.Apply(root, **values)        # type: ignore[arg-type]
    UsdPhysics.ArticulationRootAPI.Apply(root)
    return api


def _nested(root: Usd.Prim) -> list[str]:
    """Lines for articulation roots above or below, of which PhysX refuses the inner one."""
    others = [prim for prim in Usd.PrimRange(root) if prim != root]
    above = root.GetParent()
    while above:
        others.append(above)
        above = above.GetParent()
    return [f"{root.GetPath()}: {prim.GetPath()} is an articulation root, and PhysX refuses nested ones; remove one"
            for prim in others if prim.HasAPI(UsdPhysics.ArticulationRootAPI)]


def _empty(root: Usd.Prim) -> list[str]:
    if root.IsA(UsdPhysics.Joint) or any(prim.HasAPI(UsdPhysics.RigidBodyAPI) for prim in Usd.PrimRange(root)):
        return []
    return [f"{root.GetPath()}: no rigid body at or below it, so PhysX makes no articulation; give a prim above the "
            f"bodies, once they are there"]
