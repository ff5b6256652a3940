"""`step_motion` steps a stage for some seconds and returns its `Motion`, by which behaviour is judged."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from physx_runtime.arrays import Array, DoubleArray
from physx_runtime.behaviour.window import CONTACT_SAMPLES, MIDDLE_SAMPLE, SAMPLES, STEP, STEPS_PER_SAMPLE
from physx_runtime.packing.model import NotSimulated
from physx_runtime.packing.not_simulated import NotSimulatedWarning
from physx_runtime.progress import counted
from physx_runtime.simulation.contacts import Contacts
from physx_runtime.simulation.divergence import DivergenceWarning
from physx_runtime.simulation.scene import Scene
from physx_runtime.worlds.store import SCHEDULED
from physx_schema.description.model import Description
from physx_schema.errors import UnsupportedError


@dataclass(frozen=True, slots=True)
class Motion:
    """The motion of a stage from its authored start. Sample 0 is the start, sample 1 the state after one step."""

    time: DoubleArray               # (n_sample,) s
    joint_names: tuple[str, ...]    # (n_dof,) as `Recording.joint_names`
    position: DoubleArray           # (n_sample, n_dof) rad or length
    velocity: DoubleArray           # (n_sample, n_dof) rad/s or length/s
    body_names: tuple[str, ...]     # (n_body,)
    body_pose: DoubleArray          # (2, n_body, 7) some seconds before the end and at the end, position, x y z w
    body_velocity: DoubleArray      # (2, n_body, 6) likewise, linear, then angular
    contacts: tuple[Contacts, ...]  # of the first step, some in the first half second, and of the last step
    diverged: tuple[tuple[str, str], ...]       # actors, and the first quantity of each that was not finite
    not_simulated: tuple[NotSimulated, ...]     # simulated by PhysX, and not here

    def column(self, name: str) -> int:
        """The column of a degree of freedom."""
        return self.joint_names.index(name)


def step_motion(description: Description) -> Motion:
    """Step a stage from its authored start, sleeping as in PhysX. Raises UnsupportedError as `Scene`."""
    with warnings.catch_warnings():
        for reported in (NotSimulatedWarning, DivergenceWarning):
            warnings.simplefilter("ignore", reported)
        return _stepped(_scene(description))


def _scene(description: Description) -> Scene:
    try:
        return Scene(description, dt=STEP, path=SCHEDULED)
    except ValueError as error:     # a value that cannot be stepped, such as a gearing of NaN
        raise UnsupportedError(str(error)) from None


def _stepped(scene: Scene) -> Motion:
    """The motion of a scene. Nothing is compiled for a topology."""
    time, states, bodies = [0.0], [_state(scene)], []
    contacts: list[Contacts] = []
    taken = 0
    for count in counted("simulating until the robot settles", (1, *[STEPS_PER_SAMPLE] * (SAMPLES - 2))):
        scene.step(count)
        taken += count
        time.append(taken * STEP)
        states.append(_state(scene))
        if len(states) in (MIDDLE_SAMPLE + 1, SAMPLES):
            bodies.append((scene.body_pose[0], scene.body_velocity[0]))
        contacts += [scene.contacts] if len(contacts) < CONTACT_SAMPLES else []
    has_diverged = scene.diverged.any()     # read first, because it fills the reports
    losses = [scene[name].divergence.lost for name in scene.actors] if has_diverged else []
    contacts.append(_last_contacts(scene))
    position, velocity, pose, body_velocity = (
        np.stack(columns).astype(np.float64) for group in (states, bodies) for columns in zip(*group, strict=True))
    return Motion(np.array(time), scene.joint_names, position, velocity, scene.body_names, pose, body_velocity,
                  tuple(contacts),
                  tuple(dict.fromkeys((loss.path, loss.quantity) for loss in losses if loss is not None)),
                  scene.not_simulated)


def _last_contacts(scene: Scene) -> Contacts:
    """Wake all actors and return the contacts of one more step: sleeping actors report none."""
    for name in scene.actors:
        scene[name].wake()
    scene.step()
    return scene.contacts


def _state(scene: Scene) -> tuple[Array, Array]:
    return scene.joint_position[0].copy(), scene.joint_velocity[0].copy()
