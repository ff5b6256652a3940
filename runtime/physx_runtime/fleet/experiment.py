"""`Experiment` is what a fleet does with a world: stage, variation, steps, and what is measured after the steps."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from physx_runtime.arrays import Array
from physx_runtime.fleet import draws
from physx_runtime.packing.not_simulated import NotSimulatedWarning
from physx_runtime.simulation.actor import Actor
from physx_runtime.simulation.divergence import DivergenceWarning
from physx_runtime.simulation.scene import Scene
from physx_runtime.simulation.variation import Spread, Variation, require_spreads, spread_elements
from physx_schema.arguments import display
from physx_schema.description import describe
from physx_schema.description.model import Description

Start = Callable[[Scene, range], None]      # sets states, targets and efforts of worlds with these numbers
Measure = Callable[[Scene], Mapping[str, ArrayLike]]     # of a stepped scene: numbers (n_world,) by name
JOINT_POSITION, JOINT_VELOCITY, BODY_POSITION = MEASURES = ("joint_position", "joint_velocity", "body_position")
DIVERGED = "diverged"


@dataclass(frozen=True, slots=True)
class Experiment:
    """The steps of worlds of a stage, and the numbers measured after them."""

    stage: str                              # path of a file
    variation: Variation
    steps: int
    measure: Measure | tuple[str, ...]      # a function of the stepped scene, or names of MEASURES
    start: Start | None = None              # called before the first step
    dt: float = 1 / 60                      # s
    device: str = "cpu"
    dtype: str = "float32"
    solver: str = "physx"

    def scene(self, worlds: range) -> Scene:
        """A scene of worlds with these numbers, before the first step."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotSimulatedWarning)        # `Fleet.not_simulated` lists it once
            scene = Scene(_described(self.stage), len(worlds), dt=self.dt, device=self.device, dtype=self.dtype,
                          solver=self.solver)
        actors = [scene[name] for name in scene.actors]
        require_spreads(actors, self.variation.parameters)
        for actor in actors:
            values = {name: self._values(actor, name, worlds) for name in self._names(actor)}
            if values:
                actor.set_parameters(values)
        if self.start is not None:
            self.start(scene, worlds)
        return scene

    def measured(self, worlds: range) -> dict[str, Array]:
        """The numbers of worlds after the steps, (n_world,) by name.

        Raises ValueError for a function that measures something else.
        """
        scene = self.scene(worlds)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DivergenceWarning)          # worlds that diverge are counted
            scene.step(self.steps)
        measured = dict(_named(scene, self.measure)) if isinstance(self.measure, tuple) else self.measure(scene)
        if not isinstance(measured, Mapping):
            raise ValueError(f"measure returns {display(measured)}; return a dictionary of arrays ({len(worlds)},)")
        result = {DIVERGED: scene.diverged}
        for name, values in measured.items():
            array = np.asarray(values)
            if array.shape != (len(worlds),):
                raise ValueError(f"measure returns {name} with shape {array.shape}; return ({len(worlds)},), a number "
                                 "for each world")
            result[name] = array
        return {name: array.astype(np.float64) for name, array in result.items()}

    def parameters(self, worlds: range) -> dict[str, Array]:
        """The parameters that vary in worlds, (n_world,) by parameter and element."""
        scene = self.scene(worlds)
        columns = dict[str, Array]()
        for actor in (scene[name] for name in scene.actors):
            for name in self._names(actor):
                values, elements = actor.parameter(name), actor.parameters[name].elements
                for i in spread_elements(actor.parameters[name], self.variation.parameters[name]):
                    numbers = values[:, i].reshape(len(worlds), -1)
                    for j in range(numbers.shape[1]):
                        label = f" {j}" if numbers.shape[1] > 1 else ""
                        columns[f"{name} {elements[i]}{label}"] = numbers[:, j].astype(np.float64)
        return columns

    def _names(self, actor: Actor) -> list[str]:
        return [name for name in self.variation.parameters if name in actor.parameters]

    def _values(self, actor: Actor, name: str, worlds: range) -> Array:
        """(n_world, *shape) of a parameter, with a number drawn for each element; world 0 has the authored values."""
        spread: Spread = self.variation.parameters[name]
        values, parameter = actor.parameter(name).astype(np.float64), actor.parameters[name]
        drawn = draws.uniform(self.variation.seed, f"{actor.model.actor.path} {name}", worlds, len(parameter.elements))
        drawn = spread.low + (spread.high - spread.low) * drawn
        drawn = drawn.reshape(*drawn.shape, *(1,) * (values.ndim - drawn.ndim))
        new = values * drawn if spread.relative else np.broadcast_to(drawn, values.shape).copy()
        if worlds.start == 0:
            new[0] = values[0]
        subset = spread_elements(parameter, spread)
        values[:, subset] = new[:, subset]
        return values


@cache
def _described(stage: str) -> Description:
    """The description of a file, read once in a process."""
    return describe(stage)


def _named(scene: Scene, names: Sequence[str]) -> Iterator[tuple[str, Array]]:
    """The columns of named measures: one for each joint axis, and three for each body."""
    for name in names:
        if name == BODY_POSITION:
            poses = scene.body_pose
            for i, path in enumerate(scene.body_names):
                yield from ((f"{name} {path} {axis}", poses[:, i, j]) for j, axis in enumerate("xyz"))
        else:
            values = scene.joint_position if name == JOINT_POSITION else scene.joint_velocity
            yield from ((f"{name} {path}", values[:, i]) for i, path in enumerate(scene.joint_names))
