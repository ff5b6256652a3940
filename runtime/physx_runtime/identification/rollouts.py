"""Predictions of windows by batched worlds: every pair of a window and a column of unknowns is a world."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.identification.unknowns import Unknowns
from physx_runtime.identification.windows import Windows
from physx_runtime.packing.not_simulated import NotSimulatedWarning
from physx_runtime.simulation.divergence import DivergenceWarning
from physx_runtime.simulation.simulation import Simulation
from physx_schema.description.model import Description

MAX_WORLDS = 1500


class Rollouts:
    """Steps worlds of a robot from given start states along a table of commands.

    commands: name -> (n_step, n_joint), in the order of the simulation's joints.
    """

    def __init__(self, description: Description, articulation: str | None, dt: float, randomize: Collection[str],
                 unknowns: Unknowns, commands: Mapping[str, DoubleArray]) -> None:
        self.unknowns, self.commands, self.dt = unknowns, commands, dt
        self._description, self._articulation, self._randomize = description, articulation, randomize
        self._simulations: dict[int, Simulation] = {}
        self.world_steps = 0

    def predict(self, windows: Windows, x: DoubleArray, z: DoubleArray) -> DoubleArray:
        """Predictions (n_window, n_record, n_channel, n_column).

        x: (n_column, n_unknown); z: (n_column, n_window, 2 n_joint) start states.
        """
        size = max(1, MAX_WORLDS // len(windows))
        parts = [self._predict(windows, x[i:i + size], z[i:i + size]) for i in range(0, len(x), size)]
        return np.concatenate(parts, axis=3) if len(parts) > 1 else parts[0]

    def _predict(self, windows: Windows, x: DoubleArray, z: DoubleArray) -> DoubleArray:
        columns, count, joints = len(x), len(windows), z.shape[2] // 2
        motion = self.follow(x, z, np.tile(windows.start, columns), windows.steps)
        channels = windows.measured.shape[2]
        states = np.concatenate([motion["q"], motion["v"]] if channels > joints else [motion["q"]], axis=2)
        states = states.reshape(windows.steps + 1, columns, count, channels)
        which = np.arange(count)[:, None]
        before = states[windows.step, :, which]         # (n_window, n_record, n_column, n_channel)
        if windows.fraction.any():
            after = states[windows.step + 1, :, which]
            before = before + windows.fraction[:, :, None, None] * (after - before)
        return before.transpose(0, 1, 3, 2)

    def follow(self, x: DoubleArray, z: DoubleArray, start: DoubleArray, steps: int) -> dict[str, DoubleArray]:
        """Rows q and v (n_step + 1, n_world, n) of worlds, column by column of x and within it window by window."""
        count = z.shape[1]
        worlds = len(x) * count
        sim = self._simulation(worlds)
        sim.set_parameters({name: np.repeat(values, count, axis=0)
                            for name, values in self.unknowns.parameters(x).items()})
        states = z.reshape(worlds, -1)
        joints = states.shape[1] // 2
        sim.reset(joint_position=states[:, :joints], joint_velocity=states[:, joints:])
        self.world_steps += worlds * steps
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DivergenceWarning)      # such a trial is rejected by its residuals
            return sim.follow(self.commands, start, steps=steps, delay=np.repeat(self.unknowns.delays(x), count))

    def _simulation(self, worlds: int) -> Simulation:
        if worlds not in self._simulations:
            self._simulations[worlds] = new_simulation(self._description, self._articulation, worlds, self.dt,
                                                       self._randomize)
        return self._simulations[worlds]


def new_simulation(description: Description, articulation: str | None, worlds: int, dt: float,
                   randomize: Collection[str] = ()) -> Simulation:
    """A simulation in float64 whose worlds do not sleep. What it leaves out is in its `not_simulated`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotSimulatedWarning)
        return Simulation(description, worlds, dt=dt, dtype="float64", articulation=articulation, randomize=randomize,
                          sleeping=False)
