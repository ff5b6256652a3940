"""`IslandTopology` is the structure of an island: its actors and the joints outside articulations between them.
`JointTopology` is the structure of one such joint, `SolverBody` one side of it. Like `topology.Topology` they are cache
keys; parameter values never enter them. One program steps all islands of one structure.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from physx_runtime.model.body_kind import BODY, LINK, BodyKind
from physx_runtime.model.topology import ActorTopology, BodyTopology

# What a joint lets one of its axes do.
FREE, LIMITED, LOCKED = "free", "limited", "locked"
# Every fixed, revolute, prismatic, spherical and generic joint is a D6 joint outside articulations.
D6, DISTANCE, GEAR, RACK = "d6", "distance", "gear", "rack"
AXES = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")


@dataclass(frozen=True, slots=True)
class SolverBody:
    """One side of a joint or contact."""

    kind: BodyKind
    owner: int = 0      # which of the island's actors, or of its kinematic bodies
    link: int = 0       # which of the actor's links

    @property
    def moves(self) -> bool:
        """Whether forces move it."""
        return self.kind in (BODY, LINK)

    @property
    def rotates_itself(self) -> bool:
        """Whether it rotates by its own velocity and not by joints to its root."""
        return self.kind == BODY or (self.kind == LINK and self.link == 0)

    @property
    def canonical(self) -> SolverBody:
        """The body reduced to its kind: a root or another link."""
        return SolverBody(self.kind, link=min(self.link, 1))


@dataclass(frozen=True, slots=True)
class AxisTopology:
    """One axis of a D6 joint."""

    motion: str = FREE              # FREE, LIMITED or LOCKED
    soft: bool = False              # its limit is a spring
    bounces: bool = False           # off its hard limit
    drive: str | None = None        # "force" | "acceleration"


@dataclass(frozen=True, slots=True)
class HingeTopology:
    """A joint whose coordinate a gear or a rack couples: one outside articulations, or a degree of freedom."""

    joint: int = -1                 # which of the island's joints, -1 for a degree of freedom
    actor: int = -1                 # whose degree of freedom it is
    dof: int = -1
    holds_first: bool = False       # its body0 is one of the gear's bodies: its turns count against it


@dataclass(frozen=True, slots=True)
class JointTopology:
    """One joint outside articulations, from body0 to body1."""

    kind: str                                   # D6, DISTANCE, GEAR or RACK
    solver_bodies: tuple[SolverBody, SolverBody]
    axes: tuple[AxisTopology, ...] = ()         # six of a D6 joint, in the order of AXES
    cone: str | None = None                     # "hard" | "bouncing" | "soft": both swings are limited together
    distance: str | None = None                 # "hard" | "soft": limits how far its free translations go together
    range: str = ""                             # of a distance joint: "both" limits, "least", "most", or "equal"
    spring: bool = False                        # of a distance joint
    hinges: tuple[HingeTopology, ...] = ()      # two of a gear or a rack
    breaks: bool = False                        # a force or torque takes it away
    stores_force: bool = False                   # a step leaves what it gave in it
    exact: bool = False                         # its twist is limited exactly; PhysX sees it by a float32 cosine
    pgs: bool = False                           # every iteration repeats the whole step
    sapien: bool = False                        # springs are those of SAPIEN 3.0

    @property
    def measures_force(self) -> bool:
        """Whether its force is computed at the end of a step."""
        return self.breaks or self.stores_force

    @property
    def bounces(self) -> bool:
        """Whether it bounces off a limit."""
        return self.cone == "bouncing" or any(axis.bounces for axis in self.axes)

    @property
    def canonical(self) -> JointTopology:
        """The joint with bodies reduced to their kinds, on which its equations depend."""
        first, second = (body.canonical for body in self.solver_bodies)
        hinges = tuple(HingeTopology(holds_first=hinge.holds_first) for hinge in self.hinges)
        return replace(self, solver_bodies=(first, second), hinges=hinges)


@dataclass(frozen=True, slots=True)
class IslandTopology:
    """Connected actors, in the order of their scene, and their joints in PhysX's creation order."""

    actors: tuple[ActorTopology, ...]
    joints: tuple[JointTopology, ...]
    kinematic: int = 0              # how many kinematic bodies joints hold them at
    coupled: bool = False           # whether links of one articulation answer an impulse on two of them together:
                                    # PhysX leaves that out, the ideal solver does not
    # whether what holds links comes behind their own joints' drives and limits, but for
    articulation_contact_last: bool = False
                                    # limits of speed: physxScene:solveArticulationContactLast

    @property
    def pgs(self) -> bool:
        """Whether an iteration repeats the whole step (PGS)."""
        return any(actor.pgs for actor in self.actors)

    @property
    def sapien(self) -> bool:
        """Whether contacts are solved as in SAPIEN 3.0."""
        return any(actor.sapien for actor in self.actors)

    @property
    def bodies(self) -> list[int]:
        """Mask of actors that are rigid bodies."""
        return [i for i, actor in enumerate(self.actors) if isinstance(actor, BodyTopology)]
