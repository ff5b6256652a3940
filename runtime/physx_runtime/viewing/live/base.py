"""Robots whose floating root a fixed joint holds at the world, as converters write them: with a fixed base instead."""

from __future__ import annotations

from typing import Any

from pxr import Sdf, Usd

from physx_schema.description import describe
from physx_schema.description.model import Articulation, Description, OutsideJoint


def holder(description: Description, articulation: Articulation) -> OutsideJoint | None:
    """The fixed joint outside the articulation that holds its root at the world; None where there is none."""
    root = articulation.links[0].path
    ends = {("", root), (root, "")}
    return None if articulation.fixed_base else next(
        (joint for joint in description.separate_joints
         if joint.kind == "fixed" and (joint.body0, joint.body1) in ends), None)


def with_fixed_base(stage: Any, articulation: Articulation, joint: OutsideJoint) -> Description:
    """The description of a stage with the articulation root moved to this joint; the stage stays as it is."""
    session = Sdf.Layer.CreateAnonymous()
    session.TransferContent(stage.GetSessionLayer())
    changed = Usd.Stage.Open(stage.GetRootLayer(), session)
    changed.SetEditTarget(session)
    root, held = changed.GetPrimAtPath(articulation.path), changed.GetPrimAtPath(joint.path)
    # GetAppliedSchemas leaves out what this USD has no definition of
    for name in root.GetMetadata("apiSchemas").GetAddedOrExplicitItems():
        if "Articulation" in name:
            root.RemoveAppliedSchema(name)
            held.AddAppliedSchema(name)
    return describe(changed)
