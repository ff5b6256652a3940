"""Physics scenes."""

from __future__ import annotations

from dataclasses import dataclass

from physx_schema.description.poses import Vec3


@dataclass(frozen=True, slots=True)
class IterationBounds:
    """A scene's bounds on the solver iterations of what it steps, least and most as authored."""

    position: tuple[int, int]
    velocity: tuple[int, int]

    def position_count(self, wanted: int) -> int:
        """The position iterations that an object gets."""
        return _within(wanted, self.position)

    def velocity_count(self, wanted: int) -> int:
        """The velocity iterations that an object gets."""
        return _within(wanted, self.velocity)


def _within(wanted: int, bounds: tuple[int, int]) -> int:
    """A count in its bounds; PhysX lowers the least to the most where they are in the wrong order."""
    least, most = bounds
    return min(max(wanted, min(least, most)), most)


@dataclass(frozen=True, slots=True)
class SceneContact:
    """What a scene says of all contacts in it."""

    bounce_threshold: float             # length/s; slower impacts do not bounce
    friction_offset_threshold: float    # length; farther contact points carry no friction
    friction_correlation_distance: float        # length; how far friction's anchors may part
    groups_inverted: bool               # physxScene:invertCollisionGroupFilter
    of_links_last: bool                 # physxScene:solveArticulationContactLast


@dataclass(frozen=True, slots=True)
class Scene:
    """The physics scene, PhysX's defaults filled in."""

    path: str                           # "" where the stage has no PhysicsScene
    gravity: Vec3                       # length / s^2
    meters_per_unit: float              # m / length
    kilograms_per_unit: float           # kg / mass
    up_axis: str                        # "X" | "Y" | "Z"; PhysX takes X for Z
    solver_type: str                    # "TGS" | "PGS"
    forces_every_iteration: bool        # physxScene:enableExternalForcesEveryIteration; never with PGS
    sleeping: bool                      # whether anything falls asleep
    gravity_source: str                 # the property of another engine that decided about gravity, as newton:...
    iterations: IterationBounds
    contact: SceneContact
