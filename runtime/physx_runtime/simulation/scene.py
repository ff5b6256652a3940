"""`Scene` steps all articulations and free bodies of a stage together in many worlds (PhysX PxScene). `assemble` makes
its parts: actors, islands, and batches for those of equal structure. `IndexMap` orders values of many actors, actor by
actor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.arrays import Array
from physx_runtime.model.row_specs import ACTOR_GROUP, owner_prefix
from physx_runtime.model.scene import SceneModel
from physx_runtime.model.topology import ActorTopology
from physx_runtime.packing.frames import Frame
from physx_runtime.packing.island import PackedIsland
from physx_runtime.packing.model import NotSimulated
from physx_runtime.packing.not_simulated import not_simulated_with_joints, warn_not_simulated
from physx_runtime.packing.scene import PackedScene, pack_scene
from physx_runtime.simulation.actor import Actor
from physx_runtime.simulation.actor_group import ActorGroup, as_stepped
from physx_runtime.simulation.arguments import (
    require_room,
    required_count,
    required_index,
    required_solver,
    required_time,
)
from physx_runtime.simulation.contacts import Contacts, friction_force, merge_contacts, normal_force, require_paths
from physx_runtime.simulation.events import ContactEvent, ContactReports, Overlap, TriggerEvent, Triggers
from physx_runtime.simulation.island_group import IslandGroup, SceneJoint
from physx_runtime.simulation.kinematic import KinematicBodies
from physx_runtime.simulation.parameters import Parameter, world_indices
from physx_runtime.simulation.queries import (
    Hit,
    QueryShape,
    SceneQueries,
    required_direction,
    required_distance,
    required_frame,
    required_shape,
)
from physx_runtime.simulation.scene_actor import SceneActor
from physx_runtime.simulation.scene_actor_group import SceneActorGroup
from physx_runtime.simulation.scene_parameters import SceneParameters
from physx_runtime.simulation.world_batch import WorldBatch
from physx_runtime.solver.batches import WorldSolverBatches, step_scene, update_iteration_counts
from physx_runtime.solver.settings import solver_settings
from physx_runtime.worlds.choice import DEVICES
from physx_runtime.worlds.store import AUTO
from physx_schema.arguments import label, required_choice, required_flag, required_text, suggestion
from physx_schema.description import describe
from physx_schema.description.model import ActorDescription, Description
from physx_schema.description.stages import StageSource
from physx_schema.former_names import former_method


@dataclass(frozen=True, slots=True)
class Assembly:
    """The actors, islands and batches of a scene."""

    actors: Mapping[str, SceneActor]        # by name, in the order of the scene
    islands: Sequence[IslandGroup]
    batches: Sequence[WorldBatch]
    solver: str


def assemble(packed: PackedScene, worlds: int, solver: str, sleeping: bool, **settings: Any) -> Assembly:
    """Actors and islands in many worlds; settings as of `WorldBatch`."""
    actors: dict[str, SceneActor] = {}
    groups: list[IslandGroup] = []
    batches: list[WorldBatch] = []
    names_by_structure: dict[tuple[ActorTopology, bool], list[str]] = {}
    for name, model in packed.single.items():
        names_by_structure.setdefault((model.topology, model.scene.sleeping), []).append(name)
    for names in names_by_structure.values():
        models = [as_stepped(packed.single[name], sleeping and solver != "ideal") for name in names]
        batches.append(WorldBatch(models[0].topology, [solver_settings(solver, model) for model in models], worlds,
                                  **settings))
        group = SceneActorGroup(models, batches[-1], solver, sleeping)
        actors |= {name: SceneActor(group, index) for index, name in enumerate(names)}
    for islands in _by_structure(packed.islands):
        batches.append(_batch_of(islands, worlds, solver, sleeping, **settings))
        groups.append(IslandGroup(islands, batches[-1]))
        actors |= _island_actors(groups[-1], batches[-1], solver, sleeping)
    return Assembly({name: actors[name] for name in packed.model.actors if name in actors}, groups, batches, solver)


def _by_structure(islands: Sequence[PackedIsland]) -> Iterable[list[PackedIsland]]:
    """Islands grouped by structure; each island with contacts is a group of its own."""
    groups: dict[object, list[PackedIsland]] = {}
    for index, island in enumerate(islands):
        groups.setdefault(island.topology if island.contacts is None else index, []).append(island)
    return groups.values()


def _batch_of(islands: Sequence[PackedIsland], worlds: int, solver: str, sleeping: bool, **settings: Any) -> WorldBatch:
    """A batch for islands of one structure."""
    first, sleeps = islands[0].topology, sleeping and solver != "ideal"
    topology = replace(first, actors=tuple(replace(actor, sleeping=actor.sleeping and sleeps)
                                           for actor in first.actors))
    solved = [solver_settings(solver, next(iter(island.actors.values()))) for island in islands]
    colliders = islands[0].contacts
    return WorldBatch(topology, solved, worlds, contacts=colliders.of_worlds(worlds) if colliders else None, **settings)


def _island_actors(island_group: IslandGroup, batch: WorldBatch, solver: str, sleeping: bool) -> dict[str, SceneActor]:
    """The actors of islands of one structure, by name."""
    actors, islands = dict[str, SceneActor](), island_group.islands
    for i in range(len(islands[0].actors)):
        names = [tuple(island.actors)[i] for island in islands]
        models = [as_stepped(island.actors[name], sleeping and solver != "ideal")
                  for island, name in zip(islands, names, strict=True)]
        group = SceneActorGroup(models, batch, solver, sleeping, owner_prefix(ACTOR_GROUP, i),
                                (island_group, i))
        actors |= {name: SceneActor(group, index) for index, name in enumerate(names)}
    return actors




def groups_of(actors: Sequence[Actor]) -> list[ActorGroup]:
    """The groups of actors, each once."""
    return list(dict.fromkeys(actor.group for actor in actors))


class IndexMap:
    """Maps items of which each actor has `count` from `ActorGroup`s to the actors' order."""

    def __init__(self, actors: Sequence[Actor], count: Callable[[Actor], int]) -> None:
        ends = np.cumsum([0, *map(count, actors)])
        self.count = int(ends[-1])
        self._indices: dict[ActorGroup, list[NDArray[np.int64]]] = {}     # (n_actor, n)
        for actor, first, end in zip(actors, ends, ends[1:], strict=False):
            self._indices.setdefault(actor.group, []).append(np.arange(first, end))

    def arrange(self, values: Sequence[Array], axis: int = 0) -> Array:
        """(..., n_world, n of all, ...) from arrays of each `ActorGroup`, (..., n_lane, n, ...); lanes along `axis`."""
        first_group, lead = next(iter(self._indices)), values[0].shape[:axis]
        out = np.empty((*lead, first_group.batch.worlds, self.count, *values[0].shape[axis + 2:]), values[0].dtype)
        for indices, array in zip(self._indices.values(), values, strict=True):
            split = array.reshape(*lead, len(indices), first_group.batch.worlds, *array.shape[axis + 1:])
            np.moveaxis(out, axis + 1, 0)[np.stack(indices)] = np.moveaxis(split, (axis, axis + 2), (0, 1))
        return out


class Scene:
    """All articulations and free bodies of a stage, stepped together in many independent worlds.

    `scene["/Robot"]` is an actor: it has the attributes and methods of a `Simulation` except `step`. As in PhysX, all
    actors in a world use the same iteration counts. Kinematic bodies follow their time samples until a target or pose
    is set. Links and bodies collide with each other, with kinematic bodies and with static colliders; `contacts` lists
    the contact points.

    A diverged actor is not stepped until reset; other actors continue. `diverged` marks the actor, and one warning
    reports it. A NotSimulatedWarning reports physics that is left out, and `not_simulated` lists it.

    Example::

        scene = physx_runtime.Scene("table.usda", worlds=64, dt=1 / 120)
        scene.step(240)
        scene["/Robot"].joint_position      # (64, n_dof), rad or length units

    Args:
        stage: A stage, a file or a Description.
        worlds: Number of worlds. Every actor has a separate state, efforts and parameters in each world.
        dt: Time step in seconds.
        device: "cpu", "cuda", or "auto" for a GPU if one is available and supports the stage.
        dtype: "float32", as in PhysX, or "float64".
        solver: "physx" uses PhysX's iteration counts. "ideal" solves the same equations with many iterations.
            "sapien-3.0" is the PhysX of SAPIEN 3.0.
        path: Code that steps each actor; the choices are those of `path` of `Simulation`.
        sleeping: Whether actors sleep as in PhysX. With solver="ideal" no actor sleeps.

    Raises:
        UnreadableError: The file is not a stage.
        UnsupportedError: The stage has no moving body, or it has physics that the step does not support. The message
            has one line for each reason.
        ValueError: An argument is out of range.
    """

    def __init__(self, stage: StageSource | Description, worlds: int = 1, *,
                 dt: float = 1 / 60, device: str = "cpu", dtype: str = "float32", solver: str = "physx",
                 path: str = AUTO, sleeping: bool = True) -> None:
        description = stage if isinstance(stage, Description) else describe(stage)
        worlds, dt = required_count("worlds", worlds, 1), required_time(dt)
        required_choice("device", device, DEVICES)
        required_solver(solver)
        required_flag("sleeping", sleeping)
        packed = pack_scene(description, solver, device != "cuda")
        require_room(worlds, (*packed.single.values(), *packed.islands), dtype)
        parts = assemble(packed, worlds, solver, sleeping, dt=dt, device=device, dtype=dtype, path=path)
        self._initialize(description, packed.model, parts, worlds, dt)
        self.not_simulated: tuple[NotSimulated, ...] = not_simulated_with_joints(description, packed.model,
                                                                                 packed.touching)
        warn_not_simulated(self.not_simulated)
        update_iteration_counts(self._sharing, self._world_batches, self._batches)

    @classmethod
    def of(cls, description: Description, model: SceneModel, parts: Assembly, dt: float) -> Scene:
        """Return a scene of one world with given actors and given islands of connected actors, in their current states.
        The scene makes no checks and gives no warnings."""
        scene = cls.__new__(cls)
        scene._initialize(description, model, parts, 1, dt)
        scene.not_simulated = ()
        return scene

    def continue_from(self, before: Scene) -> None:
        """Copy the states of joints, contacts and triggers from another scene, to continue its motion in this scene.

        Joints and bodies are matched by path. Kinematic bodies start from their poses in the other scene.
        """
        for path in self._joints.keys() & before._joints.keys():
            self._joints[path].continue_from(before._joints[path])
        self.kinematic.continue_from(before.kinematic)
        for islands in self._islands:       # what touches goes on as if nothing had happened where nothing of it did
            any(islands.continue_from(other) for other in before._islands)
        self._triggers.continue_from(before._triggers)

    def _initialize(self, description: Description, model: SceneModel, parts: Assembly, worlds: int, dt: float) -> None:
        self.model, self.worlds, self.dt = model, worlds, dt
        self._actors, self._islands, self._world_batches = dict(parts.actors), parts.islands, parts.batches
        self._parameters = SceneParameters(list(self._actors.values()))
        self._joints = {path: SceneJoint(path, islands, index, joint) for islands in self._islands
                        for path, index, joint in islands.joints()}
        self._reports = ContactReports(description)
        for islands in self._islands if self._reports else ():
            islands.enable_contact_reports()
        self._batches = WorldSolverBatches(description, worlds)
        self.kinematic = KinematicBodies(model.kinematic, worlds)
        groups: dict[SceneActorGroup, list[ActorDescription]] = {}
        for name, actor in self._actors.items():
            groups.setdefault(actor.group, []).append(model.actors[name])
        self._groups, self._sharing = list(groups), [(described, group) for group, described in groups.items()]
        self._links = IndexMap(list(self._actors.values()), lambda actor: len(actor.model.link_names))
        self._queries = SceneQueries(description, self.body_names)
        self._triggers = Triggers(description, model, self.body_names, worlds, parts.solver)
        if any(batch.dt != dt for batch in self._world_batches):
            self.set_time_step(dt)

    def __repr__(self) -> str:
        return (f"Scene(actors={len(self._actors)}, joints={len(self._joints)}, kinematic={len(self.kinematic.paths)}, "
                f"worlds={self.worlds}, dt={self.dt:.6g})")

    # --- actors ------------------------------------------------------------------------------------------------------

    @property
    def actors(self) -> tuple[str, ...]:
        """Prim paths of the articulations, then of the free bodies. If several articulations share one root prim, their
        names are the paths of their root links."""
        return tuple(self._actors)

    def __getitem__(self, actor: str) -> SceneActor:
        """One of `actors`. Raises ValueError for a path that is none of them."""
        if required_text("actor", actor) not in self._actors:
            raise ValueError(f"{label(actor)} is not an actor of this scene; "
                             f"{suggestion(actor, self._actors, 'give one of')}")
        return self._actors[actor]

    # --- parameters --------------------------------------------------------------------------------------------------

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """Parameters of all actors by name, as of `Simulation`; their elements are in the order of `actors`."""
        return self._parameters.table

    def parameter(self, name: str) -> Array:
        """Return a parameter of all actors in every world, (n_world, *shape). Raises ValueError for an unknown name."""
        return self._parameters.read(name)

    def set_parameter(self, name: str, values: ArrayLike, worlds: ArrayLike | None = None) -> None:
        """Set a parameter of all actors that have it, as `Simulation.set_parameter` does for one actor."""
        self._parameters.assign(name, values, world_indices(worlds, self.worlds))

    # --- joints outside articulations --------------------------------------------------------------------------------

    @property
    def joints(self) -> tuple[str, ...]:
        """Prim paths of joints that hold actors but belong to no articulation, grouped by islands of actors."""
        return tuple(self._joints)

    def joint(self, path: str) -> SceneJoint:
        """Return a joint of `joints`: its parameters, its force, and whether it broke.

        Raises ValueError for a path that is not in `joints`.
        """
        if required_text("path", path) not in self._joints:
            raise ValueError(f"{label(path)} is not a simulated joint outside articulations; "
                             f"{suggestion(path, self._joints, 'give one of')}")
        return self._joints[path]

    def enable_joint_forces(self) -> None:
        """Record joint forces of every following step for `SceneJoint.force`. Steps become slightly slower."""
        for islands in self._islands:
            islands.enable_joint_forces()

    go_on = former_method("go_on", continue_from)
    keep_joint_forces = former_method("keep_joint_forces", enable_joint_forces)

    # --- stepping ----------------------------------------------------------------------------------------------------

    def set_time_step(self, dt: float) -> None:
        """Set the time step in seconds. Raises ValueError if the time step is not positive and finite."""
        self.dt = required_time(dt)
        for batch in self._world_batches:
            batch.set_time_step(dt)

    def step(self, count: int = 1) -> None:
        """Advance every world by `count` steps of dt. Raises ValueError if `count` is not an integer of at least 0."""
        count = required_count("count", count, 0)
        while count:
            # bodies on their way to a target arrive in the first step, and stand from the second on
            chunk = count if self.kinematic.is_current and not self._triggers else 1
            if self._triggers:
                self._triggers.update(self.body_pose)
            rows = self.kinematic.rows_for_step(self.dt)
            for islands in self._islands if rows else ():
                islands.write_kinematic(rows)
            step_scene(self._sharing, self._world_batches, self._batches, chunk)
            self.kinematic.stepped()
            count -= chunk

    def reset(self, worlds: ArrayLike | None = None) -> None:
        """Reset worlds to the authored state, as `Simulation.reset`.

        `worlds` is a mask (n_world,) or an array of world indices; None resets all worlds. Efforts, targets and
        parameters are unchanged.
        """
        indices = world_indices(worlds, self.worlds)
        for group in self._groups:
            group.reset(indices)
        for islands in self._islands:
            islands.reset(indices)
        self.kinematic.reset(indices)
        self._triggers.forget(indices)
        self._batches.restart(indices)

    # --- contacts ----------------------------------------------------------------------------------------------------

    @property
    def contacts(self) -> Contacts:
        """The contacts of the last step, generated from the poses at the start of the step."""
        return merge_contacts([islands.contacts() for islands in self._islands])

    @property
    def contact_events(self) -> tuple[ContactEvent, ...]:
        """Contact events of the last step for prims with PhysxContactReportAPI, as PhysX reports them."""
        if not self._reports:
            return ()
        return tuple(event for islands in self._islands for event in islands.contact_events(self._reports))

    @property
    def trigger_overlaps(self) -> tuple[Overlap, ...]:
        """The colliders inside triggers (PhysxTriggerAPI) at the start of the last step."""
        return self._triggers.overlaps

    @property
    def trigger_events(self) -> tuple[TriggerEvent, ...]:
        """Events of bodies that enter or leave triggers in the last step, computed as in PhysX from the poses at the
        start of that step."""
        return self._triggers.events

    def net_contact_force(self, bodies: str | Sequence[str], partners: Sequence[str] | None = None) -> Array:
        """Return the mean normal contact force on bodies or colliders over the last step, in world axes.

        The shape is (n_world, 3) for one path and (n_world, n_body, 3) for several. With `partners`, only contacts
        with these bodies or colliders are included. The shape is then (n_world, n_body, n_partner, 3), without n_body
        for one path. Friction is excluded; see `net_friction_force`.

        Raises ValueError for a path that is neither a body nor a collider with simulated contacts.
        """
        return normal_force(self._contacts_with(bodies, partners), self.worlds, bodies, partners)

    def net_friction_force(self, bodies: str | Sequence[str], partners: Sequence[str] | None = None) -> Array:
        """Return the mean friction force, with arguments as in `net_contact_force`. Torsional friction is excluded,
        because it gives only a torque."""
        return friction_force(self._contacts_with(bodies, partners), self.worlds, bodies, partners)

    def _contacts_with(self, bodies: str | Sequence[str], partners: Sequence[str] | None) -> Contacts:
        contacts = self.contacts
        require_paths(bodies, partners, contacts.colliders.paths.union(self.body_names))
        return contacts

    # --- queries -----------------------------------------------------------------------------------------------------

    def raycast(self, origin: ArrayLike, direction: ArrayLike, distance: float, world: int = 0) -> Hit | None:
        """Return the first collider that a ray hits within `distance`, or None. Triggers are ignored.

        `distance` is at least 0, or inf for no limit.

        Raises:
            UnsupportedError: coal (extra `queries`) is not installed, or a collider has an unsupported shape.
            ValueError: An argument is not valid.
        """
        return self._closest_hit(None, required_frame("origin", origin), direction, distance, world)

    def sweep(self, shape: QueryShape, origin: ArrayLike, direction: ArrayLike, distance: float,
              rotation: ArrayLike = (0.0, 0.0, 0.0, 1.0), world: int = 0) -> Hit | None:
        """Return the first collider that a moving `Ball` or `Block` hits, or None; arguments as in `raycast`.

        `rotation` is the quaternion x y z w of the shape.
        """
        pose = required_frame("origin", origin, rotation)
        return self._closest_hit(required_shape(shape), pose, direction, distance, world)

    def overlap(self, shape: QueryShape, position: ArrayLike, rotation: ArrayLike = (0.0, 0.0, 0.0, 1.0),
                world: int = 0) -> tuple[str, ...]:
        """Return the prim paths of the colliders that overlap a `Ball` or a `Block`; arguments as in `sweep`."""
        shape, pose = required_shape(shape), required_frame("position", position, rotation)
        return self._queries.overlapping(shape, pose, self._poses(world))

    def _closest_hit(self, shape: QueryShape | None, pose: Frame, direction: ArrayLike, distance: float,
                     world: int) -> Hit | None:
        unit_direction, max_distance = required_direction(direction), required_distance(distance)
        return self._queries.closest_hit(shape, pose, unit_direction, max_distance, self._poses(world))

    def _poses(self, world: int) -> dict[str, Array]:
        poses = self.body_pose[required_index("world", world, self.worlds)]
        return dict(zip(self.body_names, poses.astype(np.float64), strict=True))

    # --- kinematic bodies --------------------------------------------------------------------------------------------

    def set_kinematic_target(self, body: str, poses: ArrayLike, worlds: ArrayLike | None = None) -> None:
        """Set the world pose of a kinematic body after the next step (PhysX setKinematicTarget).

        In that step, the body has the velocity that moves it to the pose. Joints connected to the body use this
        velocity, and `body_velocity` reports it. The body stops after this step unless you set another target.

        Args:
            poses: (7,) for all selected worlds or (n_selected, 7): position, then quaternion x y z w.
            worlds: A mask (n_world,) or an array of world indices; None selects all worlds.

        Raises:
            ValueError: The path is not a kinematic body, or a pose has a wrong shape, a zero quaternion or numbers
                that are not finite.
        """
        self.kinematic.set_target(body, poses, world_indices(worlds, self.worlds))

    def set_kinematic_pose(self, body: str, poses: ArrayLike, worlds: ArrayLike | None = None) -> None:
        """Set the pose of a kinematic body directly, without velocity; arguments as in `set_kinematic_target`."""
        self.kinematic.set_pose(body, poses, world_indices(worlds, self.worlds))

    # --- state -------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, dict[str, Array]]:
        """The states of all actors: a dictionary from actor name and state quantity to an array (n_world, n)."""
        return {name: actor.state() for name, actor in self._actors.items()}

    @property
    def diverged(self) -> NDArray[np.bool_]:
        """Mask (n_world,) of worlds with a diverged actor; such an actor stays at its last finite state."""
        flags = [group.diverged_flags().reshape(-1, self.worlds) for group in self._groups]
        return np.asarray(np.concatenate(flags).any(axis=0))

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The name of every degree of freedom, in the order of actors: the joint's path, or path:axis if the joint has
        several axes."""
        return tuple(name for actor in self._actors.values() for name in actor.model.dof_names)

    @property
    def joint_position(self) -> Array:
        """Joint positions, (n_world, n_dof), in rad or length units."""
        return np.concatenate([actor.joint_position for actor in self._actors.values()], axis=1)

    @property
    def joint_velocity(self) -> Array:
        """Joint velocities, (n_world, n_dof), in rad/s or length units per second."""
        return np.concatenate([actor.joint_velocity for actor in self._actors.values()], axis=1)

    @property
    def body_names(self) -> tuple[str, ...]:
        """Prim paths of the links and bodies of all actors, in the order of actors, then of kinematic bodies."""
        return (*(name for actor in self._actors.values() for name in actor.model.link_names),
                *self.kinematic.paths)

    @property
    def body_pose(self) -> Array:
        """World poses of the prims in `body_names`, (n_world, n_body, 7): position, then quaternion x y z w."""
        return self._with_kinematic([group.link_pose() for group in self._groups], self.kinematic.pose)

    @property
    def body_velocity(self) -> Array:
        """World velocities, (n_world, n_body, 6), as in PhysX: linear velocity of the centre of mass, then angular
        velocity."""
        return self._with_kinematic([group.link_velocity() for group in self._groups], self.kinematic.velocity)

    def _with_kinematic(self, moving: list[Array], kinematic: Array) -> Array:
        """What links do, (n_lane, n_link, k) of each `ActorGroup`, and behind it what kinematic bodies do."""
        return np.concatenate([self._links.arrange(moving), kinematic.astype(moving[0].dtype)], axis=1)
