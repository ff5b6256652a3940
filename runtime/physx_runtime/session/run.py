"""One actor of a session: what is read from it and set, and how its state outlives another reading of the stage."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.model.island import IslandTopology
from physx_runtime.model.rows import ACTING, KEPT, STATE, rows_made
from physx_runtime.packing.actor import pack_actor
from physx_runtime.packing.frames import root_frame, root_link, root_place, root_rows
from physx_runtime.packing.model import PackedModel
from physx_runtime.session.joint_coordinates import joint_states
from physx_runtime.session.observer import FEWEST_AT_ONCE, Observer, links_of_many
from physx_runtime.session.waking import edit_wakes
from physx_runtime.simulation.alike import require_held
from physx_runtime.simulation.alike_in_scene import AlikeInScene
from physx_runtime.simulation.divergence import Loss
from physx_runtime.simulation.scene_actor import SceneActor
from physx_schema.description.model import ActorDescription, Scene
from physx_schema.description.poses import Pose, Vec3
from physx_schema.description.solver_batches import as_solved

Array = NDArray[np.float64]
LARGEST_POSE_NUMBER = 1e30      # length, and per s
AT_REST = np.array([0.0] * 6 + [1.0] + [0.0] * 6)   # position, quaternion x y z w, linear and angular velocity


@dataclass(slots=True)
class StateEdits:
    """What somebody set on the stage between two steps, in radians and lengths; world frame."""

    positions: dict[str, float] = field(default_factory=dict)           # dof name
    rates: dict[str, float] = field(default_factory=dict)
    poses: dict[str, Pose] = field(default_factory=dict)                # path of the root link
    linear: dict[str, Vec3] = field(default_factory=dict)               # of the centre of mass
    angular: dict[str, Vec3] = field(default_factory=dict)


class Run:
    """An articulation or a body that a session's scene steps."""

    def __init__(self, actor: ActorDescription, scene: Scene, simulation: SceneActor) -> None:
        self.actor, self._scene, self.simulation = actor, scene, simulation
        self._observer = Observer.of(self.simulation.model)
        self.lost: Loss | None = None   # where it diverged
        self.links: Array = np.tile(AT_REST, (len(self.model.link_names), 1))
        self.look()

    @property
    def model(self) -> PackedModel:
        """The model in use."""
        return self.simulation.model

    @property
    def held(self) -> bool:
        """Whether joints outside articulations hold it."""
        return isinstance(self.simulation.alike.lanes.topology, IslandTopology)

    def _take(self, state: Mapping[str, Array], links: Array, diverged: bool) -> None:
        """Take the state after a step; what diverges stands still at its last finite state."""
        self._state = state
        self.lost = self.simulation.divergence.lost if diverged else None
        self._show(links)

    def _show(self, links: Array) -> None:
        """Take what is to be written, or lose the actor where its numbers are beyond all bounds."""
        if np.abs(links).max() < LARGEST_POSE_NUMBER:       # beyond it not even the rotations hold together
            self.links = links
        elif self.lost is None:
            self.simulation.divergence.halt(np.arange(1), "the velocity of a link")
            self.lost = self.simulation.divergence.lost

    def joints(self) -> tuple[Array, Array]:
        """Positions and velocities of the degrees of freedom, radians or lengths, (n_dof,) each."""
        size = self.simulation.topology.root_size
        return self._state["q"][0].astype(np.float64), self._state["v"][0, size:].astype(np.float64)

    def look_anew(self) -> None:
        """Take the state after a reset."""
        self.lost = None
        self.look()

    def retarget(self, actor: ActorDescription) -> bool:
        """Take new targets of drives; False where anything else about the joints differs, and nothing is taken."""
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

    def refitted(self, actor: ActorDescription, scene: Scene) -> PackedModel | None:
        """The model with new values; None where the structure is another one.

        Raises UnsupportedError, ValueError where the step does not handle it.
        """
        own = self.model
        if (actor, scene) == (self.actor, self._scene):
            return own
        model = self.simulation.adapted(pack_actor(as_solved(actor, self.simulation.iterations), scene,
                                             self.simulation.solver))
        require_held(model, self.simulation.dtype)
        alike = (model.topology, model.dof_names, model.link_names) == (own.topology, own.dof_names, own.link_names)
        return model if alike else None

    def repack(self, actor: ActorDescription, scene: Scene, model: PackedModel) -> None:
        """Take the values of a model that `refitted` made, keeping the state; those that wake in PhysX wake it."""
        own = self.model
        if model is own:
            return
        state = self.simulation.state()
        self.simulation.repack(model)
        if edit_wakes(self.actor, actor):
            self.simulation.wake()
        self._observer = Observer.of(model)
        self.actor, self._scene = actor, scene
        if model.link_frames[0] != own.link_frames[0]:
            self._place_root(self._root_pose(own, state))

    def go_on(self, before: Run) -> None:
        """Have the very state of a run of the same structure, asleep or awake, and what acts on it."""
        if before.model.topology.tree.link_forces:
            self.simulation.alike.heed_link_forces()
        for name in rows_made(self.model.topology, STATE, KEPT, ACTING):
            self.simulation.store.write(name, before.simulation.store.rows(name))
        if self.model.link_frames[0] != before.model.link_frames[0]:
            self._place_root(self._root_pose(before.model, before.simulation.state()))
        self.lost = before.lost
        self.look()

    def recall(self, links: Mapping[str, Array], joints: Mapping[tuple[str, bool], tuple[float, float]],
               loose: Collection[tuple[str, bool]]) -> None:
        """Go on from the states that links, by path, and degrees of freedom, by name and kind, were last in.

        loose: degrees of freedom whose states follow from those of their links.
        """
        axes = {dof.name: (dof.name, dof.angular) for dof in self.actor.dofs}
        states = {name: joints[axis] for name, axis in axes.items() if axis in joints}
        if any(axis in loose for axis in axes.values()):
            follow = joint_states(self.model, links)
            states |= {name: follow[name] for name, axis in axes.items() if axis in loose and name in follow}
        edits = StateEdits({name: state[0] for name, state in states.items()},
                           {name: state[1] for name, state in states.items()})
        root = self.model.link_names[0]
        if root in links and not self.actor.fixed_base:
            x = links[root].tolist()
            edits.poses[root] = (x[0], x[1], x[2]), (x[3], x[4], x[5], x[6])
            edits.linear[root], edits.angular[root] = (x[7], x[8], x[9]), (x[10], x[11], x[12])
        self.apply(edits)

    def apply(self, edits: StateEdits) -> None:
        """Set what is this articulation's own among the edits; if only to what it is, that wakes it."""
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
            self._place_root(edits.poses[root])
            self.simulation.wake()

    def look(self) -> None:
        """Take the state as it is now for what is to be written."""
        self._state = self.simulation.state()
        self._show(self._observer.links(self._state, self._state, 0.0))

    def root(self) -> Array:
        """Pose and velocity of the root link, (13,), as they are set now."""
        position, rotation = self._root_pose(self.model, self.simulation.state())
        velocity = self.simulation.get("v")[0, :6] if self.simulation.topology.root_size else np.zeros(6)
        return np.array([*position, *rotation, *velocity], dtype=np.float64)

    @staticmethod
    def _root_pose(model: PackedModel, state: Mapping[str, Any]) -> Pose:
        """The pose of the root's link frame, which its centre of mass does not move."""
        p, r = (_floats(state[name][0]) for name in ("root_position", "root_rotation"))
        return root_link(((p[0], p[1], p[2]), (r[0], r[1], r[2], r[3])), root_place(model.actor))

    def _place_root(self, pose: Pose) -> None:
        for name, values in root_rows(root_frame(pose, root_place(self.model.actor))).items():
            self.simulation.set_row(name, values)


def look_after_step(runs: Iterable[Run]) -> None:
    """Take the states after a step, those alike at once; what is lost stays where it is."""
    alike: dict[AlikeInScene, list[Run]] = {}
    for run in runs:
        if run.lost is None:
            alike.setdefault(run.simulation.alike, []).append(run)
    for made, group in alike.items():
        after, diverged = made.state(), made.told_diverged()
        before = {**after, **made.last.before}
        places = [run.simulation.place for run in group]
        for run, own, links in zip(group, places, _links_of(group, before, after, places), strict=True):
            run._take({name: row[own:own + 1] for name, row in after.items()}, links, bool(diverged[own]))


def _links_of(runs: Sequence[Run], before: Mapping[str, Array], after: Mapping[str, Array],
              places: list[int]) -> Iterable[Array]:
    """The links of articulations alike after a step, whose states are at these places of the rows."""
    dt = runs[0].simulation.dt
    if len(runs) >= FEWEST_AT_ONCE:
        observers = [run._observer for run in runs]
        return links_of_many(observers, _rows_at(places, before), _rows_at(places, after), dt)
    return [run._observer.links(_rows_at(own, before), _rows_at(own, after), dt)
            for run, own in zip(runs, places, strict=True)]


def _rows_at(place: int | list[int], rows: Mapping[str, Array]) -> dict[str, Array]:
    return {name: row[place] for name, row in rows.items()}


def _floats(values: Iterable[Any]) -> list[float]:
    return [float(x) for x in values]
