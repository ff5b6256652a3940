"""Experiments on drives of joints outside articulations: a body on one joint to the world, a small load, and rest."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from physx_runtime.dynamics.spatial import conjugate, mul_quat, rotate, rotation_vector
from physx_runtime.packing.frames import compose
from physx_runtime.packing.outside_joint import own_frames
from physx_runtime.simulation.scene import Scene
from physx_runtime.verification.bench import PROBE_LENGTH, PROBE_SPEED, Solver
from physx_runtime.verification.quantity import Findings, Key, UnsteadyError
from physx_schema.description.model import Description, Drive, JointAxis, Link, OutsideJoint
from physx_schema.description.solver_batches import SolverBatches, SolverCounts
from physx_schema.errors import UnsupportedError

Array = NDArray[np.float64]

# A motion that decays by e this often is over, in float64; steps that are always taken, and more than which are not.
DECAYS, LEAST_STEPS, MOST_STEPS = 25.0, 100, 4000
# Of what is measured, what it may still change by in the last tenth of the steps.
REST_TOLERANCE = 1e-6
NOTHING_HOLDS = "it is 0, so that nothing holds against a load"


@dataclass(slots=True)
class OutsideDrive:
    """The drive of a revolute or prismatic joint between a body and the world, and what is measured of it, once each.

    The joint stands at 0, where its drive aims, without limits; the body has no gravity, dampings and forces.
    """

    description: Description
    joint: OutsideJoint
    body: Link
    counts: SolverCounts
    dt: float
    _found: dict[Solver, Findings] = field(default_factory=dict)

    @property
    def axis(self) -> JointAxis:
        """The one that the joint leaves."""
        return self.joint.axes[0]

    def found(self, solver: Solver) -> Findings:
        """Stiffness and damping under a solver, per rad or length."""
        if solver not in self._found:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")     # what is left out is said once, of the stage
                self._found[solver] = self._measured(solver)
        return self._found[solver]

    def causes(self, _key: Key, _described: float) -> Iterator[str]:
        """What turns a described value into the effective one."""
        yield f"PhysX solves the joint in {self.counts.position} position iterations"

    def _measured(self, solver: Solver) -> Findings:
        drive, found = self.axis.drive, Findings()
        if drive is None:
            return found
        stiffness, damping = (Key(drive.path, drive.prefix + name) for name in ("stiffness", "damping"))
        try:
            bench = _Loaded(self._alone(), self.joint, self.body, self.dt, "ideal" if solver.ideal else "physx")
            response = bench.response()
        except (UnsupportedError, UnsteadyError) as error:
            found.failures.update(dict.fromkeys((stiffness, damping), "; ".join(str(error).splitlines())))
        else:
            with found.attempt(stiffness):
                found.values[stiffness] = bench.stiffness(drive, response)
            with found.attempt(damping):
                found.values[damping] = bench.damping(drive, response)
        return found

    def _alone(self) -> Description:
        """The stage with nothing but this body on this joint."""
        settings = self.body.body
        body = replace(
            self.body, linear_damping=0.0, angular_damping=0.0, max_linear_velocity=math.inf,
            max_angular_velocity=math.inf, gravity_enabled=False, linear_velocity=(0.0, 0.0, 0.0),
            angular_velocity=(0.0, 0.0, 0.0), colliders=(), pushes=(), body=settings and replace(
                settings, position_iterations=self.counts.position, velocity_iterations=self.counts.velocity))
        drive = self.axis.drive and replace(self.axis.drive, target_position=0.0, target_velocity=0.0,
                                            max_force=math.inf)
        free = replace(self.axis, lower=-math.inf, upper=math.inf, drive=drive)
        first = self.joint.body0 == body.path
        standing = compose(body.pose, self.joint.frame0 if first else self.joint.frame1)
        joint = replace(self.joint, axes=(free,), aim=(0.0, 0.0, 0.0), break_force=math.inf, break_torque=math.inf,
                        frame0=self.joint.frame0 if first else standing,
                        frame1=standing if first else self.joint.frame1)
        return replace(self.description, articulations=(), bodies=(body,), body_paths=(body.path,), joints=(joint,),
                       problems=(), not_evaluated=(), static_colliders=())


class _Loaded:
    """A body on its joint in two worlds, pushed along or about the joint's axis one way and the other."""

    def __init__(self, alone: Description, joint: OutsideJoint, body: Link, dt: float, solver: str) -> None:
        self.scene = Scene(alone, worlds=2, dt=dt, dtype="float64", solver=solver, sleeping=False)
        self.actor, self.joint = self.scene[body.path], self.scene.joint(joint.path)
        self.angular, self.dt = joint.axes[0].angular, dt
        unit = 1.0 if self.angular else 1.0 / alone.scene.meters_per_unit
        self.length, self.speed = PROBE_LENGTH * unit, PROBE_SPEED * unit
        frame = own_frames(joint)[0 if joint.body0 == body.path else 1]
        self.axis = np.array(rotate(body.pose[1], rotate(frame[1], (1.0, 0.0, 0.0))))
        self.inertia = float(np.trace(body.inertia)) if self.angular else body.mass

    def response(self) -> float:
        """Velocity gained per impulse, the drive off: one step from rest."""
        load = self.inertia * self.speed / self.dt
        if not math.isfinite(load):
            raise UnsteadyError("the body's mass or inertia is not finite")
        self._push(load, 0.0, 0.0)
        self.scene.step()
        response = self._apart(self._velocity()) / (load * self.dt)
        if not (math.isfinite(response) and response * self.inertia > REST_TOLERANCE):
            raise UnsteadyError("the body does not answer a load along the joint's axis")
        return response

    def stiffness(self, drive: Drive, response: float) -> float:
        """Load per displacement at rest, critically damped."""
        if drive.stiffness == 0.0:
            raise UnsteadyError(NOTHING_HOLDS)
        scale = response if drive.acceleration else 1.0
        rate = math.sqrt(drive.stiffness * response / scale)
        load = drive.stiffness / scale * self.length
        self._push(load, drive.stiffness, 2.0 * rate * scale / response)
        return scale * load / self._settled(self._position, rate)

    def damping(self, drive: Drive, response: float) -> float:
        """Load per velocity once that is steady, the spring off."""
        if drive.damping == 0.0:
            raise UnsteadyError(NOTHING_HOLDS)
        scale = response if drive.acceleration else 1.0
        load = drive.damping / scale * self.speed
        self._push(load, 0.0, drive.damping)
        return scale * load / self._settled(self._velocity, drive.damping * response / scale)

    def _push(self, load: float, stiffness: float, damping: float) -> None:
        """Start again with the drive's gains, under a load."""
        self.scene.reset()
        self.joint.set_parameters({"stiffness": stiffness, "damping": damping})
        row = "link_torque" if self.angular else "link_force"
        self.actor.set_row(row, load * np.stack([self.axis, -self.axis]))

    def _settled(self, seen: Callable[[], Array], rate: float) -> float:
        """What becomes of a position or a velocity that approaches its rest at a rate [1/s]."""
        steps = LEAST_STEPS + math.ceil(min(DECAYS / (rate * self.dt), 1e9))
        if steps > MOST_STEPS:
            raise UnsteadyError(f"it is too soft to come to rest within {MOST_STEPS} steps")
        self.scene.step(steps - steps // 10)
        before = self._apart(seen())
        self.scene.step(steps // 10)
        after = self._apart(seen())
        if not abs(after - before) <= REST_TOLERANCE * abs(after):
            raise UnsteadyError(f"the body does not come to rest under a load within {steps} steps")
        return after

    @staticmethod
    def _apart(values: Array) -> float:
        return float(values[0] - values[1]) / 2.0

    def _velocity(self) -> Array:
        velocity = self.scene.body_velocity[:, 0]
        return np.asarray((velocity[:, 3:] if self.angular else velocity[:, :3]) @ self.axis)

    def _position(self) -> Array:
        """(2,) how far the body went or, from the pose of the other world, turned."""
        pose = self.scene.body_pose[:, 0]
        if not self.angular:
            return np.asarray(pose[:, :3] @ self.axis)
        (x, y, z, w), (a, b, c, d) = pose[:, 3:].tolist()
        between = mul_quat((x, y, z, w), conjugate((a, b, c, d)))
        turned = float(np.array(rotation_vector(between)) @ self.axis)
        return np.array([turned, -turned]) / 2.0


def outside_drives(description: Description, batches: SolverBatches, dt: float) -> Iterator[OutsideDrive]:
    """Those that are measured: of revolute and prismatic joints between a body and the world."""
    bodies = {body.path: body for body in description.bodies if not body.kinematic}
    for joint in description.joints:
        if joint.kind not in ("revolute", "prismatic") or not joint.axes or joint.axes[0].drive is None:
            continue
        held = {joint.body0, joint.body1} - {""}
        if len(held) == 1 and held <= bodies.keys():
            body = bodies[held.pop()]
            yield OutsideDrive(description, joint, body, batches.counts(body), dt)
