"""A stage, its scenes, and its opinions, used or not. Angles of opinions are in degrees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from physx_schema.description.model.articulation import ActorDescription, Articulation, FreeBody, Link
from physx_schema.description.model.collision import (
    Collider,
    CollisionGroup,
    ContactReport,
    FilteredPair,
    PhysicsMaterial,
)
from physx_schema.description.model.joint import MaximalJoint, MimicDeclaration
from physx_schema.description.records import Vec3, record
from physx_schema.text import html_table


@record
@dataclass(frozen=True, slots=True)
class Authored:
    """A physics property as authored, whether PhysX uses it or not."""

    path: str                           # prim
    property: str                       # full property name
    value: object                       # at the default time; target paths of a relationship
    type_name: str                      # Sdf type name, "rel" for a relationship
    schema: str = ""                    # the schema on the prim that has the property, "" where none has
    base: str = ""                      # the property's name in that schema, such as "gearing"


@record
@dataclass(frozen=True, slots=True)
class AppliedSchema:
    """An API schema on a prim, for schemas that define where they belong or which instance names PhysX reads."""

    path: str                           # prim
    schema: str
    instance: str                       # "" for a single-apply schema
    host: frozenset[str]                # the prim's type, the types that one derives from, and the schemas applied


@record
@dataclass(frozen=True, slots=True)
class Opinion:
    """A physics property that PhysX ignores or this library does not evaluate."""

    path: str                           # prim
    property: str                       # full property name, "apiSchemas" for an applied schema, "" for the prim itself
    reason: str
    suggestion: str = ""                # the closest thing that would have worked
    code: str = ""                      # kind of reason: "misspelt-property", "not-applied", "wrong-instance" ...
    schema: str = ""                    # the applied schema that it is about, or that would make it count


@record
@dataclass(frozen=True, slots=True)
class Problem:
    """A problem on the stage that changes or prevents a fact."""

    code: str                           # "tendon/no-root"
    path: str
    property: str
    message: str                        # what was found
    why: str                            # what happens because of it
    fix: str
    severity: str = "error"             # "error" | "warning" | "info"


_INCOMPLETE = frozenset({"stage/composition", "stage/target-dropped"})


@dataclass(frozen=True, slots=True)
class IterationBounds:
    """The limits of a scene on the solver iterations of its actors, least and most as authored."""

    position: tuple[int, int]
    velocity: tuple[int, int]

    def position_count(self, count: int) -> int:
        """Return the position iterations of an object that requests `count`."""
        return _clamp(count, self.position)

    def velocity_count(self, count: int) -> int:
        """Return the velocity iterations of an object that requests `count`."""
        return _clamp(count, self.velocity)


def _clamp(count: int, bounds: tuple[int, int]) -> int:
    """A count in its bounds; PhysX lowers the least to the most where they are in the wrong order."""
    minimum, maximum = bounds
    return min(max(count, min(minimum, maximum)), maximum)


@dataclass(frozen=True, slots=True)
class SceneContact:
    """Contact settings of a scene."""

    bounce_threshold: float             # length/s; slower impacts do not bounce
    friction_offset_threshold: float    # length; farther contact points carry no friction
    friction_correlation_distance: float        # length; how far friction's anchors may part
    groups_inverted: bool               # physxScene:invertCollisionGroupFilter
    of_links_last: bool                 # physxScene:solveArticulationContactLast


@dataclass(frozen=True, slots=True)
class Scene:
    """A physics scene, with PhysX's defaults for values that are not authored."""

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
    stage_metadata: frozenset[str] = field(default=frozenset(), repr=False)     # authored: upAxis, kilogramsPerUnit ...


@dataclass(frozen=True, slots=True)
class Description:
    """All physics on a stage, as PhysX reads it; the result of `describe`."""

    source: str                         # file name or layer identifier
    scene: Scene                        # the one that steps bodies without an owner
    articulations: tuple[Articulation, ...]
    bodies: tuple[Link, ...] = ()       # rigid bodies outside articulations
    body_paths: tuple[str, ...] = ()    # of every rigid body that PhysX makes, links too, in traversal order
    joints: tuple[MaximalJoint, ...] = ()       # joints outside articulations
    mimic_declarations: tuple[MimicDeclaration, ...] = ()
    problems: tuple[Problem, ...] = ()
    unused: tuple[Opinion, ...] = ()
    not_evaluated: tuple[Opinion, ...] = ()     # physics that PhysX reads but this library does not
    consumed: frozenset[str] = field(default_factory=frozenset)     # property paths that became facts or need none
    authored: tuple[Authored, ...] = ()         # every physics property with an opinion
    applied: tuple[AppliedSchema, ...] = ()     # the schemas whose definitions say where they belong
    scenes: tuple[Scene, ...] = ()      # every PhysicsScene by path; `scene` is the first where there is any
    static_colliders: tuple[Collider, ...] = ()     # without a rigid body, or with a disabled one
    materials: tuple[PhysicsMaterial, ...] = ()     # every prim with PhysicsMaterialAPI
    collision_groups: tuple[CollisionGroup, ...] = ()
    filtered_pairs: tuple[FilteredPair, ...] = ()
    contact_reports: tuple[ContactReport, ...] = ()

    def __repr__(self) -> str:
        return (f"Description({self.source!r}, articulations={len(self.articulations)}, bodies={len(self.bodies)}, "
                f"joints={len(self.joints)}, unused={len(self.unused)}, problems={len(self.problems)})")

    def _repr_html_(self) -> str:
        return html_table(repr(self), ("what", "path", "holds"), self._lines())

    def _lines(self) -> Iterator[tuple[str, str, str]]:
        """What there is, where, and the least to say of it: problems first."""
        yield from ((item.severity, item.path, item.message) for item in self.problems)
        for robot in self.articulations:
            count = len(robot.fixed_tendons) + len(robot.spatial_tendons)
            yield "articulation", robot.path, (
                f"links {len(robot.links)}, dofs {len(robot.dofs)}, tendons {count}, mimic joints {len(robot.mimics)}")
        yield from (("body", body.path, f"mass {body.mass:.4g}") for body in self.bodies)
        yield from (("joint", joint.path, joint.kind) for joint in self.joints)

    @property
    def incomplete(self) -> bool:
        """Whether a part of the stage is missing, because a layer does not compose or USD drops a target."""
        return any(item.severity == "error" and item.code in _INCOMPLETE for item in self.problems)

    @property
    def loose_bodies(self) -> tuple[Link, ...]:
        """Bodies outside articulations that move freely: they are not kinematic and have no joint."""
        joined_paths = {path for joint in self.joints for path in (joint.body0, joint.body1)}
        return tuple(body for body in self.bodies if not body.kinematic and body.path not in joined_paths)

    @property
    def separate_bodies(self) -> tuple[Link, ...]:
        """All bodies that PhysX steps outside articulations: `bodies`, and the links of disabled articulations."""
        return (*self.bodies, *(link for item in self.articulations for link in item.loose_links))

    @property
    def separate_joints(self) -> tuple[MaximalJoint, ...]:
        """All joints that PhysX solves outside articulations: `joints`, and the joints of disabled articulations."""
        return (*self.joints, *(joint for item in self.articulations for joint in item.loose_joints))

    def only(self, actor: ActorDescription) -> Description:
        """Return the description with only this articulation or body, which can come from another stage."""
        articulations, bodies = ((), actor.links) if isinstance(actor, FreeBody) else ((actor,), ())
        return replace(self, articulations=articulations, bodies=bodies,
                       body_paths=tuple(body.path for body in bodies), joints=(), problems=(),
                       not_evaluated=(), static_colliders=())

    def scene_of(self, item: ActorDescription | Link) -> Scene:
        """Return the scene that steps an articulation or a body."""
        path = item.scene if isinstance(item, Link) else item.links[0].scene
        return next((scene for scene in (self.scene, *self.scenes) if scene.path == path), self.scene)
