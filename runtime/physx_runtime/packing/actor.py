"""Whatever is stepped by itself -> topology and parameter rows."""

from __future__ import annotations

from physx_runtime.packing.articulation import pack
from physx_runtime.packing.body import pack_body
from physx_runtime.packing.model import PackedModel
from physx_schema.description.model import ActorDescription, FreeBody, Scene


def pack_actor(actor: ActorDescription, scene: Scene, solver: str = "physx") -> PackedModel:
    """The model of an articulation or a body, for solver="physx" or "ideal".

    Raises UnsupportedError, naming every prim that the step does not handle.
    """
    return pack_body(actor, scene, solver) if isinstance(actor, FreeBody) else pack(actor, scene, solver)
