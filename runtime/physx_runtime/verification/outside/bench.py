"""The bench of joints outside articulations: one joint, loaded along one of its directions, in several worlds.

A load in the very direction in which a joint's rows push leaves everything else at rest where it balances them,
whatever else may move. So the question is that of the other bench: which load leaves a motion as it is, step after
step? Only where a joint stops is it pressed there until it rests.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from physx_runtime.packing.frames import Frame
from physx_runtime.simulation.scene import Scene
from physx_runtime.verification.bench import PROBE_SPEED
from physx_runtime.verification.outside.isolation import HERE, Isolated, standing
from physx_runtime.verification.outside.motion import Array, Direction, RelativeMotion
from physx_runtime.verification.quantity import Measured, UnsteadyError
from physx_schema.description.model import OutsideJoint

# The last correction of a load that holds, of the load.
HOLDING_TOLERANCE = 1e-6
MOST_CORRECTIONS = 6
# Of the motion under a load on a body by itself, less than which is no answer.
NO_ANSWER = 1e-9
# A joint is pressed against its limits as if it bore its own weight, m/s^2 or rad/s^2.
PRESSING = 10.0
# Between looks for rest, and at most, steps; what it may still move from look to look, rad or m.
LOOK, MOST_STEPS, REST = 20, 300, 1e-5


def stepped(scene: Scene, count: int) -> None:
    """Step; the caller says what became of an experiment that diverges."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scene.step(count)


def scene_of(held: Isolated, joints: tuple[OutsideJoint, ...], worlds: int) -> Scene:
    """Worlds of what a joint holds, with these joints."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")         # what is left out is said once, of the stage
        return Scene(replace(held.description, joints=joints), worlds=worlds, dt=held.dt, dtype="float64",
                     solver=held.name, sleeping=False)


class JointBench:
    """A joint with what it holds, its second frame standing so in its first. Loads are forces or torques."""

    def __init__(self, held: Isolated, joint: OutsideJoint, direction: Direction, stand: Frame = HERE,
                 worlds: int = 2) -> None:
        self.dt, self.worlds = held.dt, worlds
        placed = standing(joint, held.poses, stand)
        self.scene = scene_of(held, (placed, *held.hinges), worlds)
        self.joint = self.scene.joint(joint.path)
        self.motion = RelativeMotion(self.scene, held.description, placed, held.poses, direction)
        self.unit = 1.0 if direction.angular else 1.0 / held.description.scene.meters_per_unit
        self._inertia = self.motion.inertia()
        self.least = self._inertia * PROBE_SPEED * self.unit / self.dt      # a load that moves it a little
        if not 0.0 < self.least < math.inf:
            raise UnsteadyError("a mass or an inertia that the joint holds is 0 or not finite")

    def set(self, name: str, values: Array | float, element: str = "") -> None:
        """Set a parameter of the joint, of one axis of several, in all worlds alike or one by one."""
        held, own = self.joint.parameter(name), self.joint.parameters[name]
        column = [place.endswith(f":{element}") for place in own.elements].index(True) if element else 0
        held[:, column] = values
        self.joint.set_parameters({name: held})

    def restart(self) -> None:
        """Everything as at the start, without loads; parameters stay."""
        self.scene.reset()
        self.load(0.0)

    def load(self, loads: Array | float) -> None:
        """Load every world from now on."""
        self.motion.load(np.broadcast_to(np.asarray(loads, dtype=np.float64), (self.worlds,)))

    def gained(self, loads: Array | float) -> Array:
        """(n_world,) velocities after a step under loads."""
        self.load(loads)
        stepped(self.scene, 1)
        return self.motion.velocity()

    def response(self, way: float = 1.0) -> float:
        """Velocity gained per impulse, one way or the other (-1.0): one step from rest."""
        self.restart()
        found = way * float(self.gained(way * self.least)[0]) / (self.least * self.dt)
        if not math.isfinite(found) or found * self._inertia <= NO_ANSWER:
            raise UnsteadyError("nothing that the joint holds answers a load in its direction")
        return found

    def balance(self, prepare: Callable[[], None]) -> list[Measured]:
        """The loads, n_world / 2, under which a step leaves velocities as they are after `prepare`.

        Each takes two neighbouring worlds, alike in all but loads. Raises UnsteadyError where no load does.
        """
        loads, size = np.zeros(self.worlds // 2), np.full(self.worlds // 2, self.least)
        for _ in range(MOST_CORRECTIONS):
            prepare()
            before = self.motion.velocity()
            change = (self.gained(np.stack([loads, loads + size], axis=1).ravel()) - before).reshape(-1, 2)
            with np.errstate(all="ignore"):
                correction = -change[:, 0] * size / (change[:, 1] - change[:, 0])
            loads = loads + correction
            if not np.isfinite(loads).all():
                break
            if (np.abs(correction) <= HOLDING_TOLERANCE * np.maximum(np.abs(loads), self.least)).all():
                return [Measured(*pair) for pair in zip(loads.tolist(), np.abs(correction).tolist(), strict=True)]
            size = np.maximum(np.abs(correction), self.least)
        raise UnsteadyError("no load holds the joint from one step to the next, as if this were unstable")

    def rested(self) -> Measured | None:
        """How far a load takes the first world until it rests; None where nothing stops it.

        It may be off by what it still moved between two looks.
        """
        last = self._at()
        for _ in range(MOST_STEPS // LOOK):
            stepped(self.scene, LOOK)
            now = self._at()
            if abs(now - last) <= REST * self.unit:
                return Measured(now, abs(now - last))
            last = now
        # half as fast as if nothing had been in the way
        if abs(float(self.motion.velocity()[0])) > 0.5 * PRESSING * self.unit * MOST_STEPS * self.dt:
            return None
        raise UnsteadyError(f"pressed, it does not come to rest within {MOST_STEPS} steps")

    def _at(self) -> float:
        return float(self.motion.coordinate()[0])
