"""Recorded stages that were once simulated wrongly move as in real PhysX, by every door."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import Session, simulate
from pxr import Usd
from support.stages.session_stages import world_poses

# Stage -> prim path of the articulation to step.
ARTICULATIONS = {
    "welded_pair": "/R",
    "single_link": "/R",
}
PATHS = ("specialised", "generic")
# A quaternion's component may part by so many times what a position may.
QUATERNION_FACTOR = 5.0
# Of positions in float64, which does not round as PhysX does: a fall of 5 m at 10 m/s rounds by 2e-5 in 60 steps.
FLOAT64 = 5e-5


@dataclass(frozen=True, slots=True)
class Recorded:
    """A stage, and the motion of its bodies in real PhysX."""

    stage: Path
    dt: float
    bodies: tuple[str, ...]
    pose: NDArray[Any]              # (steps + 1, n_body, 7) prim frame
    velocity: NDArray[Any]          # (steps + 1, n_body, 6) linear at the centre of mass, angular
    tolerance: dict[str, dict[str, float]]

    @property
    def steps(self) -> int:
        """Steps after the authored state."""
        return len(self.pose) - 1

    def poses_apart(self, pose: NDArray[Any], least: float = 0.0) -> Iterator[str]:
        """Where poses are beyond the tolerance, and beyond `least`."""
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
        for last, tolerance in self.tolerance[name].items():
            error, most = float(np.abs(difference[:int(last) + 1]).max()), max(tolerance, least)
            if not error <= most:
                yield f"{name} to step {last}: {error:.1e} is more than {most:.1e}"


def recorded(folder: Path) -> Recorded:
    """The recorded case in a folder."""
    case, expected = json.loads((folder / "case.json").read_text()), np.load(folder / "expected.npz")
    return Recorded(folder / "stage.usda", case["dt"], tuple(map(str, expected["bodies"])),
                    *(expected[name].astype(np.float64) for name in ("pose", "velocity")), case["tolerance"])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", ARTICULATIONS)
def test_an_articulation_is_simulated_as_recorded(name: str, path: str, dtype: str, shared_cases: Path) -> None:
    real = recorded(shared_cases / "found" / name)
    ours = simulate(real.stage, real.dt, real.steps, worlds=2, articulation=ARTICULATIONS[name], path=path, dtype=dtype)
    own = [ours.link_names.index(body) for body in real.bodies]
    for world in range(2):
        apart = [*real.poses_apart(ours.link_pose[:, world, own], FLOAT64 if dtype == "float64" else 0.0),
                 *real.velocities_apart(ours.link_velocity[:, world, own])]
        assert not apart, "\n".join(apart)


@pytest.mark.parametrize("name", ARTICULATIONS)
def test_a_session_moves_the_stage_as_recorded(name: str, shared_cases: Path) -> None:
    real = recorded(shared_cases / "found" / name)
    stage = Usd.Stage.Open(str(real.stage))
    poses = [world_poses(stage, real.bodies)]
    with Session(stage) as session:
        for _ in range(real.steps):
            session.step(real.dt)
            poses.append(world_poses(stage, real.bodies))
        assert not [message for message in session.messages if message.severity != "info"]
    apart = list(real.poses_apart(np.array(poses)))
    assert not apart, "\n".join(apart)
