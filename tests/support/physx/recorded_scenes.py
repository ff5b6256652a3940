"""Recorded motions of whole stages, with the processor that they are of and what rounding makes of them.

Recorded motions of whole stages, in the form of `cases/scenes`: bodies in the world, each with a tolerance.

Recorded cases that float64 misses: the sums of PhysX in a few lines, none of them of our solver.

PhysX adds the same small change of velocity to a growing one in every iteration. In float32 each addition rounds the
same way as the one before, as long as the velocity keeps its power of two, so that the sum drifts.

The processor that recordings were made on: estimates of 1 / x are each maker's own, in PhysX as in this step.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
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


# --- rounded sums ----------------------------------------------------------------------------------------------------

G, GRAVITY = 10.0, 9.81         # of the falls, and of the pendulum
LINK, FRAME = 0.1, 1.1          # kg m2 about the pendulum's pin: what angular damping brakes, and all that swings
DAMPING = 0.05                  # 1/s, PhysX's default angular damping


@dataclass(frozen=True, slots=True)
class RoundedSum:
    """How a case's motion is summed, and how far PhysX's is from the exact one."""

    iterations: int
    float64: float              # m, how far poses in float64 may be off
    position: Callable[[Recorded], NDArray[np.float64]]         # (T,) the coordinate that is summed, of PhysX
    acceleration: Callable[[float], float] = lambda position: -G
    damping: float = 0.0        # 1/s, of the velocity at the start of a step
    start: float = 0.0          # the velocity that it starts with


def height(*mass: float, body: int = 0) -> Callable[[Recorded], NDArray[np.float64]]:
    """The height of a body, or of the mass centre of several."""
    def found(real: Recorded) -> NDArray[np.float64]:
        return np.average(real.pose[:, :, 2], axis=1, weights=mass) if mass else real.pose[:, body, 2]
    return found


def turn(real: Recorded) -> NDArray[np.float64]:
    """Of the tip of the pendulum, which is its second body."""
    return np.unwrap(np.arctan2(-real.pose[:, 1, 2], real.pose[:, 1, 0]))


# The loop joint of `fourbar` is one that PhysX drops: a rod whose tip, 1 kg at 1 m, does not turn.
ROUNDED = {
    "fourbar": RoundedSum(32, 1.4e-5, turn, lambda angle: GRAVITY * math.cos(angle) / FRAME, DAMPING * LINK / FRAME),
    "iterations_beside_body": RoundedSum(16, 1.1e-5, height(body=2)),
    "iterations_beside_robot": RoundedSum(32, 8.0e-6, height(body=1)),
    "single_link": RoundedSum(32, 2.3e-5, height()),
    # Turns with 40 deg/s about its first body, its mass centre 2/3 m from there.
    "welded_pair": RoundedSum(32, 2.2e-5, height(1.0, 2.0), start=-math.radians(40.0) * 2.0 / 3.0),
}


def summed(case: RoundedSum, dt: float, steps: int, velocity: type, position: type) -> NDArray[np.float64]:
    """The positions after each step, velocity and position rounded to a type after every addition."""
    h, v, x = dt / case.iterations, velocity(case.start), position(0.0)
    found = [0.0]
    for _ in range(steps):
        v = velocity(v - velocity(dt * case.damping * float(v)))
        change = velocity(h * case.acceleration(float(x)))
        for _ in range(case.iterations):
            v = velocity(v + change)
            x = position(x + position(h * float(v)))
        found.append(float(x))
    return np.array(found)


# --- processor -------------------------------------------------------------------------------------------------------

# PhysX clips edges of boxes by RCPSS, which is right to 12 bits, and so does this step: on any one processor both come
# to the same bits, but not to those of another maker's. Recordings are of an AMD processor; those that this changes
# beyond their tolerances were made again on an Intel one, and lie in a folder beside them.
RECORDED_HERE = llvm.get_host_cpu_name().startswith("znver")
AGAIN = "intel"
CLIPPED = 2e-4          # m: how far a point on an edge of up to a metre is from where it is on another processor


def recording(path: Path) -> Path:
    """A recording, or the one made again where this processor asks for it and there is one."""
    again = path.parent / AGAIN / path.name
    return again if again.is_file() and not RECORDED_HERE else path


def elsewhere(here: float, other: float) -> float:
    """The one on a processor like that of the recordings, the other elsewhere."""
    return here if RECORDED_HERE else other
