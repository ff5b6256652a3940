"""Functions of scenes that fleets run: in worker processes, which import them."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
from physx_runtime import Scene
from physx_runtime.arrays import Array

MARKER = "FLEET_MARKER"     # environment variable with a path


def tilt(scene: Scene, worlds: range) -> None:
    """Start each pole at an angle that follows from the number of its world."""
    angles = 0.1 + 0.001 * (np.asarray(worlds) % 100)
    scene["/CartPole"].reset(joint_position=np.stack([np.zeros(len(worlds)), angles], axis=-1))


def angle(scene: Scene) -> dict[str, Array]:
    """The angle of each pole in rad."""
    return {"angle": scene.joint_position[:, 1]}


def angle_after_a_kill(scene: Scene) -> dict[str, Array]:
    """The same; the first worker that asks is killed."""
    marker = Path(os.environ[MARKER])
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return angle(scene)


def angle_of_one_world(scene: Scene) -> dict[str, Array]:
    """An array with a wrong shape."""
    return {"angle": scene.joint_position[:1, 1]}
