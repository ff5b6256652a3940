"""`SessionActor` is one actor of a session: it takes edits, restores its state after a new reading, and gives states to
write. `edit_wakes` and `bodies_woken` say which edits wake sleeping actors, as measured in PhysX
(experiments/measure_waking_edits.py). `matching_actors` and `reused_actors` decide which actors keep running when the
stage is read again. `ResumeState` keeps states by prim path, from which links and joints go on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from pxr import Sdf, Usd, UsdGeom

from physx_runtime.arrays import DoubleArray
from physx_runtime.model.island import IslandTopology
from physx_runtime.model.row_specs import CONTROL, PERSISTENT, STATE, rows_by_maker
from physx_runtime.packing.body import pack_actor
from physx_runtime.packing.frames import root_frame, root_frame_in_link, root_link, root_rows
from physx_runtime.packing.island import PackedIsland
from physx_runtime.packing.model import PackedModel
from physx_runtime.packing.not_simulated import holding_joints, single_actor_model
from physx_runtime.packing.scene import PackedScene
from physx_runtime.session.link_states import MIN_VECTORIZED, Observer, links_of_many
from physx_runtime.session.messages import Message, Messages
from physx_runtime.session.resume import joint_states
from physx_runtime.simulation.actor_group import require_representable
from physx_runtime.simulation.divergence import Loss
from physx_runtime.simulation.scene_actor import SceneActor
from physx_runtime.simulation.scene_actor_group import SceneActorGroup
from physx_runtime.simulation.world_batch import WorldBatch
from physx_schema.description.model import ActorDescription, Articulation, Description, MaximalJoint, Scene
from physx_schema.description.records import Pose, Vec3
from physx_schema.description.scenes import with_solver_counts
from physx_schema.errors import UnsupportedError


def edit_wakes(before: ActorDescription, after: ActorDescription) -> bool:
    """Return whether PhysX wakes an articulation or body whose own values change from one to the other.

    Values of drives, limits, friction, armature and tendons do, and gravity that is switched on. The largest joint
    velocity does not, nor do mimic joints, masses, damping, frames, colliders and materials.
    """
    gravity_returns = any(new.gravity_enabled and not old.gravity_enabled
                          for old, new in zip(before.links, after.links, strict=False))
    return gravity_returns or _waking_values(before) != _waking_values(after)


def _waking_values(actor: ActorDescription) -> tuple[object, ...]:
    if not isinstance(actor, Articulation):
        return ()
    joints = tuple(replace(dof, max_velocity=0.0, position=0.0, velocity=0.0, sources=()) for dof in actor.dofs)
    return joints, actor.fixed_tendons, actor.spatial_tendons


def bodies_woken(before: Description, after: Description) -> frozenset[str]:
    """Return the paths of the bodies and links that PhysX wakes because joints outside articulations changed.

    Values of their drives and new frames wake what a joint holds; limits, springs and what breaks it do not.
    """
    old = {joint.path: _holding_values(joint) for joint in before.joints}
    changed = [joint for joint in after.joints if old.get(joint.path) not in (None, _holding_values(joint))]
    return frozenset(body for joint in changed for body in (joint.body0, joint.body1) if body)


def _holding_values(joint: MaximalJoint) -> tuple[object, ...]:
    return joint.frame0, joint.frame1, joint.drive_rotation, tuple((axis.axis, axis.drive) for axis in joint.axes)


MAX_POSE_NUMBER = 1e30      # length, and per s
AT_REST = np.array([0.0] * 6 + [1.0] + [0.0] * 6)   # position, quaternion x y z w, linear and angular velocity


@dataclass(slots=True)
class StateEdits:
    """States that were set on the stage between two steps, in radians and lengths; world frame."""

    positions: dict[str, float] = field(default_factory=dict)           # dof name
    rates: dict[str, float] = field(default_factory=dict)
    poses: dict[str, Pose] = field(default_factory=dict)                # path of the root link
    linear: dict[str, Vec3] = field(default_factory=dict)               # of the centre of mass
    angular: dict[str, Vec3] = field(default_factory=dict)


class SessionActor:
    """An articulation or a rigid body that a session's scene steps."""

    def __init__(self, actor: ActorDescription, scene: Scene, simulation: SceneActor) -> None:
        self.actor, self._scene, self.simulation = actor, scene, simulation
        self._observer = Observer.of(self.simulation.model)
        self.lost: Loss | None = None   # where it diverged
        self.links: DoubleArray = np.tile(AT_REST, (len(self.model.link_names), 1))
        self.refresh()

    @property
    def model(self) -> PackedModel:
        """The model in use."""
        return self.simulation.model

    @property
    def in_island(self) -> bool:
        """Whether joints outside articulations hold it."""
        return isinstance(self.simulation.group.batch.topology, IslandTopology)

    def _set_state(self, state: Mapping[str, DoubleArray], links: DoubleArray, diverged: bool) -> None:
        """Set the state after a step; a diverged actor stays at its last finite state."""
        self._state = state
        self.lost = self.simulation.divergence.lost if diverged else None
        self._set_links(links)

    def _set_links(self, links: DoubleArray) -> None:
        """Set the links to be written, or mark the actor as diverged if its numbers are too large."""
        if np.abs(links).max() < MAX_POSE_NUMBER:       # beyond it not even the rotations hold together
            self.links = links
        elif self.lost is None:
            self.simulation.divergence.halt(np.arange(1), "the velocity of a link")
            self.lost = self.simulation.divergence.lost

    def joints(self) -> tuple[DoubleArray, DoubleArray]:
        """Positions and velocities of the degrees of freedom, radians or lengths, (n_dof,) each."""
        size = self.simulation.topology.root_size
        return self._state["q"][0].astype(np.float64), self._state["v"][0, size:].astype(np.float64)

    def refresh_after_reset(self) -> None:
        """Read the state after a reset."""
        self.lost = None
        self.refresh()

    def retarget(self, actor: ActorDescription) -> bool:
        """Set new drive targets; False, with nothing set, where anything else about the joints differs."""
        if len(self.actor.dofs) != len(actor.dofs):
            return False
        for old, new in zip(self.actor.dofs, actor.dofs, strict=True):
            if old == new:
                continue
            if old.drive is None or new.drive is None:
                return False
            drive = replace(old.drive, target_position=new.drive.target_position,
                            target_velocity=new.drive.target_velocity)
            if replace(old, drive=drive) != new:
                return False
        drives = [dof.drive for dof in actor.dofs]
        self.simulation.set_row("target_position", [drive.target_position if drive else 0.0 for drive in drives])
        self.simulation.set_row("target_velocity", [drive.target_velocity if drive else 0.0 for drive in drives])
        self.actor = actor
        self.simulation.wake()
        return True

    def refit(self, actor: ActorDescription, scene: Scene) -> PackedModel | None:
        """The model with new values; None where the structure differs.

        Raises UnsupportedError, ValueError where the step does not handle it.
        """
        old = self.model
        if (actor, scene) == (self.actor, self._scene):
            return old
        model = self.simulation.adapt_model(pack_actor(with_solver_counts(actor, self.simulation.iterations), scene,
                                             self.simulation.solver))
        require_representable(model, self.simulation.dtype)
        equal = (model.topology, model.dof_names, model.link_names) == (old.topology, old.dof_names, old.link_names)
        return model if equal else None

    def repack(self, actor: ActorDescription, scene: Scene, model: PackedModel) -> None:
        """Set the values of a model of `refit` and keep the state; wake the actor if the edit wakes it in PhysX."""
        old = self.model
        if model is old:
            return
        state = self.simulation.state()
        self.simulation.repack(model)
        if edit_wakes(self.actor, actor):
            self.simulation.wake()
        self._observer = Observer.of(model)
        self.actor, self._scene = actor, scene
        if model.link_frames[0] != old.link_frames[0]:
            self._set_root_pose(self._root_pose(old, state))

    def continue_from(self, before: SessionActor) -> None:
        """Copy state, sleep and external forces from an actor of the same structure."""
        if before.model.topology.tree.link_forces:
            self.simulation.group.enable_link_forces()
        for name in rows_by_maker(self.model.topology, STATE, PERSISTENT, CONTROL):
            self.simulation.store.write(name, before.simulation.store.rows(name))
        if self.model.link_frames[0] != before.model.link_frames[0]:
            self._set_root_pose(self._root_pose(before.model, before.simulation.state()))
        self.lost = before.lost
        self.refresh()

    def resume(self, links: Mapping[str, DoubleArray], joints: Mapping[tuple[str, bool], tuple[float, float]],
               derived: Collection[tuple[str, bool]]) -> None:
        """Start from the last states of links, by path, and of degrees of freedom, by name and kind.

        derived: degrees of freedom whose states follow from those of their links.
        """
        axes = {dof.name: (dof.name, dof.angular) for dof in self.actor.dofs}
        states = {name: joints[axis] for name, axis in axes.items() if axis in joints}
        if any(axis in derived for axis in axes.values()):
            follow = joint_states(self.model, links)
            states |= {name: follow[name] for name, axis in axes.items() if axis in derived and name in follow}
        edits = StateEdits({name: state[0] for name, state in states.items()},
                           {name: state[1] for name, state in states.items()})
        root = self.model.link_names[0]
        if root in links and not self.actor.fixed_base:
            x = links[root].tolist()
            edits.poses[root] = (x[0], x[1], x[2]), (x[3], x[4], x[5], x[6])
            edits.linear[root], edits.angular[root] = (x[7], x[8], x[9]), (x[10], x[11], x[12])
        self.apply(edits)

    def apply(self, edits: StateEdits) -> None:
        """Apply the edits of this actor's states; they wake it even if no value changes."""
        q, v = self.simulation.get("q"), self.simulation.get("v")
        size, root = self.simulation.topology.root_size, self.model.link_names[0]
        for i, name in enumerate(self.model.dof_names):
            q[:, i] = edits.positions.get(name, q[:, i])
            v[:, size + i] = edits.rates.get(name, v[:, size + i])
        if size:
            v[:, 0:3] = edits.linear.get(root, v[:, 0:3])
            v[:, 3:6] = edits.angular.get(root, v[:, 3:6])
        joints, roots = edits.positions.keys() | edits.rates.keys(), edits.linear.keys() | edits.angular.keys()
        if not joints.isdisjoint(self.model.dof_names) or root in roots:
            self.simulation.set("q", q)
            self.simulation.set("v", v)
            self.simulation.wake()
        if root in edits.poses:
            self._set_root_pose(edits.poses[root])
            self.simulation.wake()

    def refresh(self) -> None:
        """Read the current state, to be written."""
        self._state = self.simulation.state()
        self._set_links(self._observer.links(self._state, self._state, 0.0))

    def root(self) -> DoubleArray:
        """Current pose and velocity of the root link, (13,)."""
        position, rotation = self._root_pose(self.model, self.simulation.state())
        velocity = self.simulation.get("v")[0, :6] if self.simulation.topology.root_size else np.zeros(6)
        return np.array([*position, *rotation, *velocity], dtype=np.float64)

    @staticmethod
    def _root_pose(model: PackedModel, state: Mapping[str, Any]) -> Pose:
        """The pose of the root's link frame, which its centre of mass does not move."""
        p, r = (_floats(state[name][0]) for name in ("root_position", "root_rotation"))
        return root_link(((p[0], p[1], p[2]), (r[0], r[1], r[2], r[3])), root_frame_in_link(model.actor))

    def _set_root_pose(self, pose: Pose) -> None:
        for name, values in root_rows(root_frame(pose, root_frame_in_link(self.model.actor))).items():
            self.simulation.set_row(name, values)


def refresh_after_step(actors: Iterable[SessionActor]) -> None:
    """Read the states after a step, actors of one structure together; diverged actors stay."""
    by_group: dict[SceneActorGroup, list[SessionActor]] = {}
    for actor in actors:
        if actor.lost is None:
            by_group.setdefault(actor.simulation.group, []).append(actor)
    for actor_group, members in by_group.items():
        after, diverged = actor_group.state(), actor_group.diverged_flags()
        before = {**after, **actor_group.last.before}
        indices = [actor.simulation.index for actor in members]
        for actor, index, links in zip(members, indices, _links_of(members, before, after, indices), strict=True):
            actor._set_state({name: row[index:index + 1] for name, row in after.items()}, links, bool(diverged[index]))


def _links_of(actors: Sequence[SessionActor], before: Mapping[str, DoubleArray], after: Mapping[str, DoubleArray],
              indices: list[int]) -> Iterable[DoubleArray]:
    """Link states after a step of actors of one structure, whose rows have these indices."""
    dt = actors[0].simulation.dt
    if len(actors) >= MIN_VECTORIZED:
        observers = [actor._observer for actor in actors]
        return links_of_many(observers, _rows_at(indices, before), _rows_at(indices, after), dt)
    return [actor._observer.links(_rows_at(index, before), _rows_at(index, after), dt)
            for actor, index in zip(actors, indices, strict=True)]


def _rows_at(index: int | list[int], rows: Mapping[str, DoubleArray]) -> dict[str, DoubleArray]:
    return {name: row[index] for name, row in rows.items()}


def _floats(values: Iterable[Any]) -> list[float]:
    return [float(x) for x in values]


Matches = Mapping[str, tuple[SessionActor, PackedModel]]


def matching_actors(description: Description, packed: PackedScene, old_actors: Iterable[SessionActor]) -> Matches:
    """Actors in no island whose structure is unchanged, and their models with new values, by name."""
    constrained = _island_actors(packed)
    old = {old_actor.model.link_names[0]: old_actor for old_actor in old_actors if not old_actor.in_island}
    matches: dict[str, tuple[SessionActor, PackedModel]] = {}
    for name, actor in packed.model.actors.items():
        old_actor = old.get(actor.links[0].path)
        if old_actor is not None and name not in constrained and not _joints_holding(description, actor):
            model = _try_refit(old_actor, actor, description.scene_of(actor))
            if model is not None:
                matches[name] = old_actor, model
    return matches


def reused_actors(description: Description, packed: PackedScene, matches: Matches) -> dict[str, SessionActor]:
    """Actors that keep their buffer and take new values: all or none of those that share a buffer."""
    sharing: dict[WorldBatch, list[str]] = {}
    for name, (old_actor, _) in matches.items():
        sharing.setdefault(old_actor.simulation.group.batch, []).append(name)
    reused: dict[str, SessionActor] = {}
    for batch, names in sharing.items():
        if [matches[name][0].simulation.index for name in names] == list(range(len(batch.settings))):
            for name in names:
                (old_actor, model), actor = matches[name], packed.model.actors[name]
                old_actor.repack(actor, description.scene_of(actor), model)
                reused[name] = old_actor
    return reused


def representable_islands(sorted_islands: tuple[Sequence[PackedIsland], Mapping[str, tuple[str, ...]]], dtype: str,
                          ) -> tuple[tuple[PackedIsland, ...], dict[str, tuple[str, ...]]]:
    """Islands that the dtype can represent, and the actors that are not stepped with the reasons."""
    islands, refused = [], dict(sorted_islands[1])
    for island in sorted_islands[0]:
        try:
            for model in island.actors.values():
                require_representable(model, dtype)
            islands.append(island)
        except ValueError as error:
            refused |= dict.fromkeys(island.actors, (str(error),))
    return tuple(islands), refused


def pack_singles(description: Description, packed: PackedScene, reused: Collection[str], settings: Mapping[str, Any],
                 messages: Messages) -> dict[str, PackedModel]:
    """Pack the actors in no island that are not reused; report those that cannot be stepped."""
    constrained = _island_actors(packed)
    models: dict[str, PackedModel] = {}
    for name, actor in packed.model.actors.items():
        if name in constrained or name in reused:
            continue
        if holding := _joints_holding(description, actor):
            messages.add(Message("not-simulated", "warning", "session/held", actor.path, "",
                                 f"not simulated: joint {holding} outside articulations holds this actor; the actor "
                                 "stays in place"))
            continue
        try:
            model = pack_actor(actor, description.scene_of(actor), settings["solver"])
            require_representable(model, settings["dtype"])
            models[name] = model
        except (UnsupportedError, ValueError) as error:
            messages.unsupported(str(error).splitlines(), actor.path)
    return models


def _island_actors(packed: PackedScene) -> set[str]:
    return {name for island in packed.islands for name in island.actors}


def _joints_holding(description: Description, actor: ActorDescription) -> str:
    """The joints outside articulations that hold an actor."""
    return ", ".join(item.path for item in holding_joints(single_actor_model(description, actor)))


def _try_refit(session_actor: SessionActor, actor: ActorDescription, scene: Scene) -> PackedModel | None:
    try:
        return session_actor.refit(actor, scene)
    except (UnsupportedError, ValueError):      # which is reported where it is rebuilt
        return None


Axis = tuple[str, bool]     # name of a degree of freedom, whether it is angular


@dataclass(slots=True)
class ResumeState:
    """States by prim path of actors that are or were simulated."""

    links: dict[str, DoubleArray] = field(default_factory=dict)       # pose and velocity in the world, (13,)
    joints: dict[Axis, tuple[float, float]] = field(default_factory=dict)       # position and velocity
    derived: set[Axis] = field(default_factory=set)       # whose links moved otherwise since, from which they follow
    _moved_links: dict[Axis, str] = field(default_factory=dict)       # the link that a joint moves

    def remember(self, actors: Iterable[SessionActor]) -> None:
        """Store the current states of actors; states that are not finite are skipped."""
        for actor in actors:
            links = dict(zip(actor.model.link_names, actor.links, strict=True))
            links[actor.model.link_names[0]] = actor.root()
            self.links |= {path: row.copy() for path, row in links.items() if np.isfinite(row).all()}
            dof_links = [(dof, link.path) for link in actor.actor.links if link.joint for dof in link.joint.dofs]
            for (dof, link), *state in zip(dof_links, *(values.tolist() for values in actor.joints()), strict=True):
                if np.isfinite(state).all():
                    self.joints[dof.name, dof.angular] = state[0], state[1]
                    self._moved_links[dof.name, dof.angular] = link
            axes = {(dof.name, dof.angular) for dof in actor.actor.dofs}
            self.derived |= {axis for axis, link in self._moved_links.items() if link in links and axis not in axes}
            self.derived -= axes

    def set_poses(self, poses: Mapping[str, Pose]) -> None:
        """Set the stored poses of links."""
        for path, (position, rotation) in poses.items():
            if path in self.links:
                self.links[path][:7] = (*position, *rotation)

    def rename(self, old: str, new: str) -> None:
        """Rename a prim and all prims below it."""
        self.links = {_renamed(path, old, new): row for path, row in self.links.items()}
        self.joints = {(_renamed(name, old, new), angular): state for (name, angular), state in self.joints.items()}
        self.derived = {(_renamed(name, old, new), angular) for name, angular in self.derived}
        self._moved_links = {(_renamed(name, old, new), angular): _renamed(link, old, new)
                             for (name, angular), link in self._moved_links.items()}

    def forget(self, stage: Usd.Stage) -> None:
        """Forget prims that are no longer on the stage; inactive and unloaded ones may come back."""
        self.links = {path: row for path, row in self.links.items() if not _is_removed(stage, path)}
        self.joints = {axis: state for axis, state in self.joints.items()
                       if not _is_removed(stage, axis[0].partition(":")[0])}

    def static_poses(self, stage: Usd.Stage, actors: Sequence[SessionActor]) -> dict[str, DoubleArray]:
        """Poses (7,) of links on the stage that are no longer simulated."""
        moving = {path for actor in actors for path in actor.model.link_names}
        prims = {path: stage.GetPrimAtPath(path) for path in self.links.keys() - moving}
        static = {path: row for path, row in self.links.items()
                  if path in prims and UsdGeom.Xformable(prims[path]) and prims[path].IsActive()}
        for row in static.values():
            row[7:] = 0.0
        self.joints |= {axis: (self.joints[axis][0], 0.0) for axis, link in self._moved_links.items()
                        if link in static and axis in self.joints}
        return {path: row[:7] for path, row in static.items()}


def _renamed(path: str, old: str, new: str) -> str:
    return new + path[len(old):] if path == old or path.startswith((old + "/", old + ":")) else path


def _is_removed(stage: Usd.Stage, path: str) -> bool:
    """Whether a prim was removed, not just switched off with one above it."""
    for above in reversed(Sdf.Path(path).GetPrefixes()):
        prim = stage.GetPrimAtPath(above)
        if prim:
            return bool(str(above) != path and prim.IsActive() and prim.IsLoaded())
    return True
