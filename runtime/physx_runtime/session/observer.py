"""Poses and velocities of all links from one state, quickly: the step's own kinematics traced once into plain Python.

The algorithms run on floats as they are; traced, a hand of twenty joints takes a fifth of the time.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.compiling.python_source import python_function
from physx_runtime.compiling.trace import row_scalars, scalar_names, trace
from physx_runtime.dynamics.kinematics import state_kinematics
from physx_runtime.dynamics.link_state import link_poses, link_velocities
from physx_runtime.dynamics.spatial import linear_first
from physx_runtime.language.ops import Rows
from physx_runtime.model.rows import input_rows, state_rows
from physx_runtime.model.topology import Topology
from physx_runtime.packing.model import PackedModel
from physx_runtime.solver.articulation.link_velocity import held_velocities

Array = NDArray[np.float64]
State = Mapping[str, NDArray[Any]]
NUMBERS_A_LINK = 13      # position, quaternion x y z w, velocity of the centre of mass, angular velocity
BEFORE_STEP = "start_"    # before the row names of the state at the step's start


@dataclass(frozen=True, slots=True)
class Observer:
    """Where the links of one articulation are and how they move, in world axes."""

    model: PackedModel
    _parameters: list[float]

    @staticmethod
    def of(model: PackedModel) -> Observer:
        """The observer of a model; a structure seen before needs no tracing."""
        frames = [x for position, rotation in model.link_frames for x in (*position, *rotation)]
        t, parameters = model.topology.tree, model.tree_parameters
        rows = (np.ravel(parameters[name]).tolist() for name in _parameter_rows(t))
        return Observer(model, [*(x for row in rows for x in row), *frames])

    def links(self, before: State, after: State, dt: float) -> Array:
        """(n_link, 13): pose, then velocity as PhysX reports it after the step of dt [s] from `before` to `after`."""
        names = state_rows(self.model.topology)
        states = (np.ravel(state[name]).tolist() for state in (before, after) for name in names)
        values = _traced(self.model.topology.tree)([dt, *(x for row in states for x in row), *self._parameters])
        return np.array(values, dtype=np.float64).reshape(-1, NUMBERS_A_LINK)


def _parameter_rows(t: Topology) -> list[str]:
    """The parameters that poses and velocities follow from."""
    return [name for name in input_rows(t) if name in (
        "tree_position", "tree_rotation", "com", "velocity_clamp", "max_linear_velocity", "max_angular_velocity")]


def _observe(t: Topology, rows: Rows) -> list[Any]:
    """Pose and velocity of every link, flat."""
    k = state_kinematics(t, rows)
    poses = link_poses(t, rows, k)
    velocities = _after_step(t, rows) if t.fixed_base else link_velocities(t, k, rows["v"])
    return [x for pose, velocity in zip(poses, velocities, strict=True) for x in (*pose, *velocity)]


def _after_step(t: Topology, rows: Rows) -> list[list[Any]]:
    """Velocities of a fixed base as PhysX holds them."""
    start = {**rows, **{name: rows[BEFORE_STEP + name] for name in state_rows(t)}}
    return [linear_first(motion) for motion in held_velocities(t, start, rows["v"])]


@functools.lru_cache(maxsize=64)
def _traced(t: Topology) -> Callable[[Sequence[float]], list[float]]:
    """`_observe` as one function of dt, the state before, the state after, parameters and link frames."""
    sizes = {"dt": 1, **{BEFORE_STEP + name: size for name, size in state_rows(t).items()}, **state_rows(t)}
    sizes |= {name: input_rows(t)[name] for name in _parameter_rows(t)} | {"link_frames": 7 * len(t.links)}
    code, _ = trace(lambda rows: {"links": _observe(t, rows)}, row_scalars(sizes))
    return python_function(code.pruned({row for row, _ in code.outputs}), scalar_names(sizes))
