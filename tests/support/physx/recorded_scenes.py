"""Recorded motions of whole stages, in the form of `cases/scenes`: bodies in the world, each with a tolerance."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from physx_runtime import Recording
from pxr import Usd

# A quaternion's component may part by so many times what a position may.
QUATERNION_FACTOR = 5.0
# Scenes of rigid bodies that touch and of nothing else.
TOUCHING = (
    "box_friction_multiply", "box_on_static_box", "box_static_dynamic_friction", "box_tumble", "capsule_fall",
    "capsule_on_box", "compound_body", "cylinder_on_plane", "depenetration", "iterations_4_1", "slope_stick",
    "sphere_bounce", "sphere_on_box", "sphere_over_edge", "sphere_slide_to_roll", "sphere_torsion", "spheres_converge",
    "stack_3_equal", "stack_5",
)
# Scenes with links that touch the ground, bodies and each other.
LINKS_TOUCHING = ("ant_on_plane", "ant_tilted", "arm_hits_ball", "arm_hits_plane", "self_collision", "three_links_fall")


@dataclass(frozen=True, slots=True)
class Recorded:
    """A stage, and the motion of its bodies in real PhysX."""

    stage: Path | Usd.Stage
    dt: float
    steps: NDArray[Any]             # (T,) steps taken at each record; 0 is the start
    bodies: tuple[str, ...]
    pose: NDArray[Any]              # (T, n_body, 7) prim frame
    velocity: NDArray[Any]          # (T, n_body, 6) linear at the centre of mass, angular
    tolerance: dict[str, dict[str, float]]      # of the quantities that are compared, up to steps
    joint_position: dict[str, float] = field(default_factory=dict)      # written before step 1
    kinematic: Mapping[str, NDArray[Any]] = field(default_factory=dict)     # body: (steps, 7) before each step
    teleports: bool = False         # whether kinematic poses are written instead of targets

    def poses_apart(self, pose: NDArray[Any], least: float = 0.0) -> Iterator[str]:
        """Where poses, record by record, are beyond the tolerance, and beyond `least`."""
        sign = np.sign((pose[..., 3:] * self.pose[..., 3:]).sum(axis=-1, keepdims=True))
        found = np.concatenate([pose[..., :3], pose[..., 3:] * sign / QUATERNION_FACTOR], axis=-1)
        real = np.concatenate([self.pose[..., :3], self.pose[..., 3:] / QUATERNION_FACTOR], axis=-1)
        yield from self._apart("position", found - real, least)

    def velocities_apart(self, velocity: NDArray[Any]) -> Iterator[str]:
        """Where velocities are beyond the tolerance."""
        difference = velocity - self.velocity
        yield from self._apart("velocity", difference[..., :3])
        yield from self._apart("angular_velocity", difference[..., 3:])

    def _apart(self, name: str, difference: NDArray[Any], least: float = 0.0) -> Iterator[str]:
        for last, tolerance in self.tolerance.get(name, {}).items():
            error = float(np.abs(difference[self.steps <= int(last)]).max())
            most = max(tolerance, least)
            if not error <= most:
                yield f"{name} to step {last}: {error:.1e} is more than {most:.1e}"


def recorded(folder: Path, times: float = 1.0) -> Recorded:
    """The recorded case in a folder, with so many times its tolerances."""
    case, expected = json.loads((folder / "case.json").read_text()), np.load(folder / "expected.npz")
    moved = case.get("kinematic") or {"bodies": [], "how": ""}
    return Recorded(
        folder / "stage.usda", case["dt"], expected["step"], tuple(map(str, expected["bodies"])),
        expected["pose"].astype(np.float64), expected["velocity"].astype(np.float64),
        {name: {mark: times * most for mark, most in marks.items()} for name, marks in case["tolerance"].items()},
        (case.get("start") or {}).get("joint_position", {}),
        {path: expected[f"kinematic_{path.rpartition('/')[2]}"].astype(np.float64) for path in moved["bodies"]},
        "pose" in moved["how"])


def apart(real: Recorded, ours: Recording, world: int = 0, least: float = 0.0) -> list[str]:
    """Where bodies of a world are beyond the tolerance; every step is in our recording."""
    own = [ours.body_names.index(body) for body in real.bodies]
    pose, velocity = (values[real.steps, world][:, own] for values in (ours.body_pose, ours.body_velocity))
    return [*real.poses_apart(pose, least), *real.velocities_apart(velocity)]
