"""Random changes to the physics of a stage, most of which make no sense."""

from __future__ import annotations

import math
import random
from typing import Any

from pxr import Gf, Sdf, Usd

DAMAGE_NUMBERS = (math.nan, math.inf, -math.inf, 0.0, -1.0, 1e38, -1e38, 3.4e38, 1e-30)


def damage(stage: Usd.Stage, rng: random.Random) -> None:
    """One random change to a random prim's physics; a stage whose references are not there may have none."""
    authored = [prim for prim in stage.Traverse() if prim.GetAuthoredPropertyNames()]
    if not authored:
        return
    prim = rng.choice(authored)
    paths = [prim.GetPath() for prim in stage.Traverse()]
    kind = rng.randrange(6)
    if kind == 0 and prim.GetAuthoredAttributes():
        spoil(rng.choice(prim.GetAuthoredAttributes()), rng)
    elif kind == 1 and prim.GetAuthoredRelationships():
        targets = rng.sample(paths, rng.randrange(min(3, len(paths)) + 1)) + [Sdf.Path("/absent")] * rng.randrange(2)
        rng.choice(prim.GetAuthoredRelationships()).SetTargets(targets)
    elif kind == 2 and prim.GetAppliedSchemas():
        prim.RemoveAppliedSchema(rng.choice(prim.GetAppliedSchemas()))
    elif kind == 3:
        prim.AddAppliedSchema(rng.choice((
            "PhysxMimicJointAPI:rotX", "PhysxTendonAxisAPI:t", "PhysxTendonAttachmentLeafAPI:r", "PhysicsRigidBodyAPI",
            "PhysicsArticulationRootAPI", "PhysicsCollisionAPI", "PhysxTendonAxisRootAPI", "PhysicsDriveAPI:a:b")))
    elif kind == 4:
        prim.RemoveProperty(rng.choice(prim.GetAuthoredPropertyNames()))
    else:
        types = ("PhysicsRevoluteJoint", "PhysicsJoint", "PhysicsDistanceJoint", "Cube", "Cone", "")
        prim.SetTypeName(rng.choice(types))


def spoil(attribute: Usd.Attribute, rng: random.Random) -> None:
    """A value of the attribute's type that means nothing good."""
    value: Any = attribute.Get()
    number = rng.choice(DAMAGE_NUMBERS)
    if isinstance(value, bool):
        attribute.Set(not value)
    elif isinstance(value, float):
        attribute.Set(number)
    elif isinstance(value, str):
        word = rng.choice(("", "W", "rotX"))
        spec = attribute.GetStage().GetRootLayer().GetAttributeAtPath(attribute.GetPath())
        if spec:
            spec.default = word         # Set refuses where the schema declares another type
        else:
            attribute.Set(word)
    elif isinstance(value, Gf.Vec3f | Gf.Vec3d):
        attribute.Set(type(value)(number, value[1], value[2]))
    elif isinstance(value, Gf.Quatf):
        attribute.Set(Gf.Quatf(0, 0, 0, 0))
