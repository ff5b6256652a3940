"""`EpisodeFilm` records chosen worlds of an environment while it is stepped, and writes them as films."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from physx_runtime.arrays import Array, Indices
from physx_runtime.simulation.recording import Recording
from physx_runtime.simulation.scene import Scene
from physx_runtime.viewing.film.writing import FORMATS, write_film
from physx_schema.description.model import Description


class EpisodeFilm:
    """The motion of chosen worlds, one record for each action; the first record is the state at the start."""

    def __init__(self, stage: object, description: Description, scene: Scene, worlds: Indices, interval: float) -> None:
        self.worlds = worlds
        self._stage, self._description, self._scene, self._interval = stage, description, scene, interval
        self._records: list[tuple[Array, ...]] = []
        self.record()

    def __repr__(self) -> str:
        return f"EpisodeFilm(worlds={self.worlds.tolist()}, records={len(self._records)})"

    def record(self) -> None:
        """Add the present state to the records."""
        scene = self._scene
        self._records.append(tuple(values[self.worlds] for values in (
            scene.joint_position, scene.joint_velocity, scene.body_pose, scene.body_velocity)))

    @property
    def recording(self) -> Recording:
        """The motion of the chosen worlds, in their order."""
        scene = self._scene
        position, velocity, pose, spatial = (np.stack(kind) for kind in zip(*self._records, strict=True))
        settings = next(iter(scene[actor].settings for actor in scene.actors))
        return Recording(
            time=np.arange(len(pose), dtype=np.float64) * self._interval, joint_names=scene.joint_names,
            joint_position=position, joint_velocity=velocity, body_names=scene.body_names, body_pose=pose,
            body_velocity=spatial,
            iterations=(settings.position_iterations, settings.velocity_iterations), raised="",
            not_simulated=scene.not_simulated, kinematic_names=scene.kinematic.paths)

    def write(self, path: str | Path, world: int) -> None:
        """Write the film of a world as .gif or .mp4.

        Raises:
            ValueError: The world is not recorded, or the suffix is another one.
            UnsupportedError: The film's format needs an extra that is not installed, or the stage shows nothing.
            OSError: The file cannot be written.
        """
        path, worlds = Path(path), self.worlds.tolist()
        if world not in worlds:
            raise ValueError(f"world {world} is not recorded; choose from {', '.join(map(str, worlds))}")
        if path.suffix not in FORMATS:
            raise ValueError(f"{path} is not a film; give a name that ends in {' or '.join(FORMATS)}")
        write_film(self._stage, self._description, self.recording, path, worlds.index(world))
