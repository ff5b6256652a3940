"""`Recording` holds the motion of joints, links and bodies that a simulation returns, with contacts and events.
`world_link_poses`, `spatial_velocities` and `velocities_after_step` compute poses and velocities from recorded states.
They run the step's own forward kinematics on arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import Array
from physx_runtime.dynamics import kinematics
from physx_runtime.dynamics.kinematics import state_kinematics
from physx_runtime.dynamics.spatial import linear_first
from physx_runtime.packing.model import NotSimulated, PackedModel
from physx_runtime.simulation.contacts import Contacts, friction_force, normal_force, require_paths
from physx_runtime.simulation.events import ContactEvent, TriggerEvent
from physx_runtime.solver.articulation.velocity import solver_link_velocities
from physx_schema.former_names import JSON_KEY, former_attribute
from physx_schema.text import html_table


@dataclass(frozen=True, slots=True)
class Recording:
    """Motion of a whole stage, or of one actor, in every world. Record 0 is the state before step 1."""

    time: NDArray[np.float64]           # (n_record,) s
    joint_names: tuple[str, ...]        # (n_dof,) joint prim path, or path:axis
    joint_position: Array               # (n_record, n_world, n_dof) rad or length
    joint_velocity: Array               # (n_record, n_world, n_dof) rad/s or length/s
    body_names: tuple[str, ...]         # (n_body,) prim path of every link and rigid body; kinematic ones last
    body_pose: Array                    # (n_record, n_world, n_body, 7) position, quaternion x y z w; world
    body_velocity: Array                # (n_record, n_world, n_body, 6) of the centre of mass, then angular; world
    iterations: tuple[int, int]         # position, velocity iterations of the first step; the most that an actor takes
    raised: str                         # whose counts these are instead of an actor's own; empty where they are its own
    not_simulated: tuple[NotSimulated, ...] = ()    # what moves something in PhysX and was left out
    diverged: tuple[str, ...] = ()      # which worlds diverged, when, and what was no longer finite
    kinematic_names: tuple[str, ...] = ()           # the bodies among `body_names` that no force moves
    breakable_names: tuple[str, ...] = ()           # (n_joint,) joints outside articulations that a force may break
    broken: Array = field(default_factory=lambda: np.zeros((0, 0, 0), np.bool_))    # (n_record, n_world, n_joint)
    # (n_maximal,) all joints outside articulations
    maximal_joint_names: tuple[str, ...] = field(default=(), metadata={JSON_KEY: "outside_joint_names"})
    # (n_record, n_world, n_maximal, 6) the force of each, as `SceneJoint.force`; with joint_forces alone
    maximal_joint_force: Array = field(default_factory=lambda: np.zeros((0, 0, 0, 6)),
                                       metadata={JSON_KEY: "outside_joint_force"})
    contacts: tuple[Contacts, ...] = ()             # (n_record,) of the step that leads to each; none at the first
    contact_events: tuple[tuple[ContactEvent, ...], ...] = ()       # (n_record,) likewise, what PhysX reports of it
    trigger_events: tuple[tuple[TriggerEvent, ...], ...] = ()       # (n_record,) likewise, what entered and left

    outside_joint_names = former_attribute("outside_joint_names", "maximal_joint_names")
    outside_joint_force = former_attribute("outside_joint_force", "maximal_joint_force")

    def __repr__(self) -> str:
        records, worlds = self.joint_position.shape[:2]
        return (f"Recording(records={records}, worlds={worlds}, dofs={len(self.joint_names)}, "
                f"bodies={len(self.body_names)}, diverged={len(self.diverged)})")

    def _repr_html_(self) -> str:
        return html_table(repr(self), ("of world 0", "first", "last", "lowest", "highest"), self._lines())

    def _lines(self) -> Iterator[tuple[str, ...]]:
        """The positions of joints, and where there are none those of bodies."""
        names, positions = (self.joint_names, self.joint_position[:, 0, :, None]) if self.joint_names else (
            self.body_names, self.body_pose[:, 0, :, :3])
        for name, x in zip(names, np.moveaxis(positions, 1, 0), strict=True):
            yield name, *(", ".join(f"{value:.4g}" for value in values)
                          for values in (x[0], x[-1], x.min(axis=0), x.max(axis=0)))

    @property
    def link_names(self) -> tuple[str, ...]:
        """Prim paths of links and free bodies, (n_link,), without kinematic bodies."""
        return self.body_names[:len(self.body_names) - len(self.kinematic_names)]

    @property
    def link_pose(self) -> Array:
        """World poses of the links in `link_names`, (n_record, n_world, n_link, 7)."""
        return self.body_pose[:, :, :len(self.link_names)]

    @property
    def link_velocity(self) -> Array:
        """World velocities of the links in `link_names`, (n_record, n_world, n_link, 6)."""
        return self.body_velocity[:, :, :len(self.link_names)]

    def net_contact_force(self, bodies: str | Sequence[str], partners: Sequence[str] | None = None) -> Array:
        """Return `Scene.net_contact_force` of the step before each record, (n_record, n_world, ...)."""
        return self._forces(normal_force, bodies, partners)

    def net_friction_force(self, bodies: str | Sequence[str], partners: Sequence[str] | None = None) -> Array:
        """Return `Scene.net_friction_force` of the step before each record, (n_record, n_world, ...)."""
        return self._forces(friction_force, bodies, partners)

    def _forces(self, force: Callable[..., Array], bodies: str | Sequence[str],
                partners: Sequence[str] | None) -> Array:
        known = frozenset(self.body_names).union(*(contacts.colliders.paths for contacts in self.contacts))
        require_paths(bodies, partners, known)
        return np.stack([force(contacts, self.body_pose.shape[1], bodies, partners) for contacts in self.contacts])


def _rows(model: PackedModel, state: Mapping[str, Array]) -> dict[str, Any]:
    """Parameters, and states whose last axis is the row's with that axis first; float64 whatever the states are."""
    frames = [x for position, rotation in model.link_frames for x in (*position, *rotation)]
    return {**model.tree_parameters, "link_frames": frames, **{name: _leading(x) for name, x in state.items()}}


def _stacked(rows: Mapping[str, Array], values: list[list[Any]]) -> Array:
    """(..., n_link, components)."""
    shape = rows["q"].shape[:-1]
    return np.stack([np.stack([np.broadcast_to(x, shape) for x in value], axis=-1) for value in values], axis=-2)


# Of a world that diverged the equations overflow, and of a maximum of 0 the clamp divides by it: what is lost shows in
# the result, and the report of divergence says it.
_quiet = np.errstate(all="ignore")


@_quiet
def world_link_poses(model: PackedModel, rows: Mapping[str, Array]) -> Array:
    """World poses of the link frames, (..., n_link, 7): position, quaternion x y z w.

    rows: q, root_position and root_rotation of the states, the row's axis last.
    """
    data = _rows(model, rows)
    return _stacked(rows, kinematics.link_poses(model.topology.tree, data, state_kinematics(model.topology.tree, data)))


@_quiet
def spatial_velocities(model: PackedModel, rows: Mapping[str, Array]) -> Array:
    """World velocities of the links at given states, (..., n_link, 6): linear at the centre of mass, angular.

    rows: q, v and root_rotation of the states, the row's axis last.
    """
    t, data = model.topology.tree, _rows(model, rows)
    return _stacked(rows, kinematics.link_velocities(t, state_kinematics(t, data), data["v"]))


@_quiet
def velocities_after_step(model: PackedModel, before: Mapping[str, Array], v: Array, dt: float) -> Array:
    """World velocities of the links of a fixed base as PhysX holds them after a step, (..., n_link, 6).

    They are not those of the new pose, but `solver_link_velocities` of the state `before` the step.
    """
    velocities = solver_link_velocities(model.topology.tree, {**_rows(model, before), "dt": [dt]}, _leading(v))
    return _stacked(before, [linear_first(motion) for motion in velocities])


def _leading(row: Array) -> Array:
    """A row with its own axis first, float64."""
    return np.moveaxis(row.astype(np.float64), -1, 0)
