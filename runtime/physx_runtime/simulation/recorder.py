"""Taking down what actors do, record by record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.model.scene import SceneModel
from physx_runtime.packing.not_simulated import NotSimulated
from physx_runtime.simulation.articulation import Simulation
from physx_runtime.simulation.recording import Recording, spatial_velocities, velocities_after_step, world_link_poses
from physx_runtime.simulation.scene_actor import SceneActor

Array = NDArray[Any]
Recorded = Simulation | SceneActor


class Recorder:
    """The states of actors that are stepped together; the first record is taken at once."""

    def __init__(self, actors: Sequence[Recorded]) -> None:
        self._actors = actors
        self._states = [[actor.state()] for actor in actors]
        self._before = [[states[0]] for states in self._states]     # a step earlier; of the first record, unused
        self._iterations = [(actor.settings.position_iterations, actor.settings.velocity_iterations)
                            for actor in actors]
        self._raised = [(actor.model.actor.path, actor.iterations.raised) for actor in actors]

    def take_before(self) -> None:
        """Take the states before the last step to the next record."""
        for actor, before in zip(self._actors, self._before, strict=True):
            before.append(actor.state())

    def take(self) -> None:
        """Take a record."""
        for actor, states in zip(self._actors, self._states, strict=True):
            states.append(actor.state())

    def recording(self, interval: float, model: SceneModel, not_simulated: tuple[NotSimulated, ...]) -> Recording:
        """Everything taken, a record each `interval` seconds, and where the kinematic bodies of a model stand."""
        parts = [_motion(*taken) for taken in zip(self._actors, self._states, self._before, strict=True)]
        position, velocity, pose, moving = (np.concatenate(kind, axis=2) for kind in zip(*parts, strict=True))
        still = np.broadcast_to(model.kinematic_pose, (*pose.shape[:2], *model.kinematic_pose.shape))
        kinematic = tuple(body.path for body in model.kinematic)
        links = (name for actor in self._actors for name in actor.model.link_names)
        positions, velocities = zip(*self._iterations, strict=True)
        return Recording(
            time=np.arange(len(pose), dtype=np.float64) * interval,
            joint_names=tuple(name for actor in self._actors for name in actor.model.dof_names),
            joint_position=position, joint_velocity=velocity, body_names=(*links, *kinematic),
            body_pose=np.concatenate([pose, still.astype(pose.dtype)], axis=2),
            body_velocity=np.concatenate([moving, np.zeros_like(still[..., :6], moving.dtype)], axis=2),
            iterations=(max(positions), max(velocities)), raised=self._whose_counts(), not_simulated=not_simulated,
            diverged=tuple(line for actor in self._actors for line in actor.divergence.said),
            kinematic_names=kinematic)

    def _whose_counts(self) -> str:
        if len(self._raised) == 1:
            return self._raised[0][1]
        return "; ".join(f"{path}: {raised}" for path, raised in self._raised if raised)


def _motion(actor: Recorded, states: list[dict[str, Array]], befores: list[dict[str, Array]],
            ) -> tuple[Array, Array, Array, Array]:
    """Joint positions and velocities, link poses and velocities at every record; `befores` are a step earlier."""
    rows, before = ({name: np.stack([state[name] for state in taken]) for name in taken[0]}
                    for taken in (states, befores))
    velocity = spatial_velocities(actor.model, rows)
    if actor.topology.fixed_base:
        velocity[1:] = velocities_after_step(actor.model, before, rows["v"], actor.dt)[1:]
    with np.errstate(over="ignore"):        # links of a world that diverged; the report says it
        poses, velocity = world_link_poses(actor.model, rows).astype(actor.dtype), velocity.astype(actor.dtype)
    return rows["q"], rows["v"][..., actor.topology.root_size:], poses, velocity
