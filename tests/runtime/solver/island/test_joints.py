"""Recorded stages of bodies on joints, stepped on plain numbers: the solver's formulas without what compiles them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime.dynamics import spatial as sp
from physx_runtime.model.island_rows import KINEMATIC_GROUP
from physx_runtime.model.row_specs import ACTOR_GROUP
from physx_runtime.packing.frames import Frame, compose, inverse_frame
from physx_runtime.packing.island import PackedIsland, islands_of
from physx_runtime.packing.scene import scene_model
from support.mechanics.body_islands import Rows, step
from support.physx.recorded_scenes import Recorded, recorded

from physx_schema.description import Description, describe

SCENES = ("break_force", "bridge", "chain3", "chain3_names", "d6_drives_limits", "d6_pyramid", "d6_universal",
          "distance_kinds", "fixed_snap", "forces_once", "gear_rack", "islands_share_iterations", "kinematic_pose",
          "kinematic_target", "locked_axes", "prismatic_drive_soft_limit", "random_bodies", "revolute_drive_limit",
          "revolute_world", "spherical_cone", "spherical_cone_soft", "star_order")
STEPS = 10      # all kinds of rows act by then; the compiled step goes to the end of the recordings


@pytest.mark.parametrize("dtype", ("float32", "float64"))
@pytest.mark.parametrize("name", SCENES)
def test_bodies_on_joints_move_as_recorded(name: str, dtype: str, shared_cases: Path) -> None:
    real = recorded(shared_cases / "scenes" / name)
    description = describe(real.stage)
    model = scene_model(description, [body for body in description.bodies if not body.kinematic])
    for island in islands_of(description, model):
        found = [*_apart(island, description, real, np.dtype(dtype).type)]
        assert not found, "\n".join(found)


def _apart(island: PackedIsland, description: Description, real: Recorded, number: type) -> Iterator[str]:
    """Where the bodies of an island are beyond the tolerance of the recording."""
    own = [real.bodies.index(packed.link_names[0]) for packed in island.actors.values()]
    at = [k for k, done in enumerate(real.steps) if done <= STEPS]
    rows = _begun(island, real, own, number)
    poses, velocities = [_poses(island, rows)], [_velocities(island, rows)]
    packed = next(iter(island.actors.values()))
    for n in range(STEPS):
        ends = dict(_driven(island, description, real, rows, n, number))
        rows = step(island.topology, rows, (packed.position_iterations, packed.velocity_iterations)) | ends
        poses.append(_poses(island, rows))
        velocities.append(_velocities(island, rows))
    part = Recorded(real.stage, real.dt, real.steps[at], real.bodies, real.pose[at][:, own], real.velocity[at][:, own],
                    {name: {step: most for step, most in marks.items() if int(step) <= STEPS}
                     for name, marks in real.tolerance.items()})
    yield from part.poses_apart(np.array(poses)[part.steps])
    yield from part.velocities_apart(np.array(velocities)[part.steps])


def _begun(island: PackedIsland, real: Recorded, own: list[int], number: type) -> Rows:
    """Rows at the recording's start."""
    rows: Rows = {**island.parameters, **island.state}
    for i, (packed, body) in enumerate(zip(island.actors.values(), own, strict=True)):
        pose = real.pose[0, body]
        place, rotation = compose((tuple(pose[:3]), tuple(pose[3:])), inverse_frame(packed.link_frames[0]))
        rows |= {f"{ACTOR_GROUP}{i}_{name}": values for name, values in (
            ("root_position", place), ("root_rotation", rotation), ("v", real.velocity[0, body]), ("dt", [real.dt]),
            ("h", [real.dt / packed.position_iterations]))}
    return {name: [number(x) for x in values] for name, values in rows.items()}


def _frame(values: NDArray[np.float64]) -> Frame:
    return tuple(values[:3]), sp.normalized(tuple(values[3:]))


def _driven(island: PackedIsland, description: Description, real: Recorded, rows: Rows, n: int,
            number: type) -> Iterator[tuple[str, list[Any]]]:
    """Puts kinematic bodies where they are in a step, with the velocity towards their targets; where they end."""
    bodies = {body.path: body for body in description.bodies}
    for k, path in enumerate(island.kinematic):
        own, prefix = (bodies[path].center_of_mass, (0.0, 0.0, 0.0, 1.0)), f"{KINEMATIC_GROUP}{k}_"
        start = _frame(real.pose[0, real.bodies.index(path)]) if n == 0 else _frame(real.kinematic[path][n - 1])
        end = compose(_frame(real.kinematic[path][n]), own)
        now = end if real.teleports else compose(start, own)
        turn = sp.rotation_vector(sp.mul_quat(end[1], sp.conjugate(now[1])))
        velocity = np.array([*np.subtract(end[0], now[0]), *turn]) / real.dt
        given = {"position": now[0], "rotation": now[1], "velocity": velocity}
        rows |= {prefix + name: [number(x) for x in values] for name, values in given.items()}
        yield from ((prefix + name, [number(x) for x in values]) for name, values in (("position", end[0]),
                                                                                     ("rotation", end[1])))


def _poses(island: PackedIsland, rows: Rows) -> NDArray[np.float64]:
    found = []
    for i, packed in enumerate(island.actors.values()):
        place = np.array(rows[f"{ACTOR_GROUP}{i}_root_position"], float)
        frame = compose(_frame(np.array([*place, *map(float, rows[f"{ACTOR_GROUP}{i}_root_rotation"])])),
                        packed.link_frames[0])
        found.append([*frame[0], *frame[1]])
    return np.array(found)


def _velocities(island: PackedIsland, rows: Rows) -> NDArray[np.float64]:
    return np.array([rows[f"{ACTOR_GROUP}{i}_v"] for i in range(len(island.actors))], float)
