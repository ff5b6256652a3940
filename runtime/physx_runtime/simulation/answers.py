"""`ActorView` adds dynamics and PhysX's Direct GPU API (PxDirectGPUAPI) to an actor. It is the base class of
`Simulation` and `SceneActor`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from physx_runtime.simulation.actor import Actor

if TYPE_CHECKING:
    from physx_runtime.direct import Direct
    from physx_runtime.quantities.dynamics import Dynamics


class ActorView(Actor):
    """An actor with quantities that are computed from its state."""

    @functools.cached_property
    def dynamics(self) -> Dynamics:
        """Inverse and forward dynamics and their derivatives at the current states."""
        from physx_runtime.quantities.dynamics import Dynamics

        return Dynamics(self)

    @functools.cached_property
    def direct(self) -> Direct:
        """PhysX's Direct GPU API for this actor; every world is an articulation (docs/reference/direct_api.md)."""
        from physx_runtime.direct import Direct

        return Direct([self])
