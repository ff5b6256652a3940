"""`step_motion` steps everything on a stage for some seconds and keeps what behaviour is judged by: `Motion`."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from physx_runtime.arrays import Array, DoubleArray
from physx_runtime.behaviour.window import CONTACT_SAMPLES, DURATION, STEP, STEPS_PER_SAMPLE
from physx_runtime.packing.model import NotSimulated
from physx_runtime.packing.not_simulated import NotSimulatedWarning
from physx_runtime.simulation.contacts import Contacts
from physx_runtime.simulation.divergence import DivergenceWarning
from physx_runtime.simulation.scene import Scene
from physx_runtime.worlds.store import SCHEDULED
from physx_schema.description.model import Description

@dataclass(frozen=True, slots=True)
class Motion:
    """The motion of a stage from its authored start. Sample 0 is the start, sample 1 the state after one step."""

    time: DoubleArray               # (n_sample,) s
    joint_names: tuple[str, ...]    # (n_dof,) as `Recording.joint_names`
    position: DoubleArray           # (n_sample, n_dof) rad or length
    velocity: DoubleArray           # (n_sample, n_dof) rad/s or length/s
    body_names: tuple[str, ...]     # (n_body,)
    body_pose: DoubleArray          # (2, n_body, 7) at the start and at the end
    body_velocity: DoubleArray      # (n_body, 6) at the end, linear, then angular
    contacts: tuple[Contacts, ...]  # of the first step, some in the first half second, and of the last step
    diverged: tuple[str, ...]       # what was no longer finite, and when
    not_simulated: tuple[NotSimulated, ...]     # what PhysX moves and this step leaves out

    def column(self, name: str) -> int:
        """The column of a degree of freedom."""
        return self.joint_names.index(name)


def step_motion(description: Description) -> Motion:
    """Step a stage from its authored start, sleeping as in PhysX. Raises UnsupportedError as `Scene`."""
    with warnings.catch_warnings():
        for reported in (NotSimulatedWarning, DivergenceWarning):
            warnings.simplefilter("ignore", reported)
        scene = Scene(description, dt=STEP, path=SCHEDULED)
        return _stepped(scene)


def _stepped(scene: Scene) -> Motion:
    """The motion of a scene. Nothing is compiled for a topology."""
    time, states, start_pose = [0.0], [_state(scene)], scene.body_pose[0]
    contacts: list[Contacts] = []
    taken = 0
    for count in (1, *[STEPS_PER_SAMPLE] * round(DURATION / (STEP * STEPS_PER_SAMPLE))):
        scene.step(count)
        taken += count
        time.append(taken * STEP)
        states.append(_state(scene))
        if len(contacts) < CONTACT_SAMPLES:
            contacts.append(scene.contacts)
    contacts.append(scene.contacts)
    lost = scene.diverged       # asked for before its messages, which it writes
    messages = [line for name in scene.actors for line in scene[name].divergence.messages] if lost.any() else []
    position, velocity = (np.stack(columns).astype(np.float64) for columns in zip(*states, strict=True))
    return Motion(np.array(time), scene.joint_names, position, velocity, scene.body_names,
                  np.stack([start_pose, scene.body_pose[0]]).astype(np.float64),
                  scene.body_velocity[0].astype(np.float64), tuple(contacts), tuple(dict.fromkeys(messages)),
                  scene.not_simulated)


def _state(scene: Scene) -> tuple[Array, Array]:
    return scene.joint_position[0].copy(), scene.joint_velocity[0].copy()
