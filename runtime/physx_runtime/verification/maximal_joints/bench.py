"""`JointBench` measures one joint outside articulations with the bodies that it holds, loaded along one direction in
several worlds. A load along a joint's row leaves everything else at rest when the row balances it. The question is
therefore which load keeps a motion unchanged from step to step. Only at stops is the joint pressed until it rests.
`isolate_joint` takes the joint out of the stage; `RelativeMotion` moves and loads it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.dynamics.spatial import Vec3, conjugate, mul_quat, rotate, rotation_vector, sub
from physx_runtime.model.island import AXES
from physx_runtime.model.row_specs import EXTERNAL_FORCE, GROUPS, RowKey
from physx_runtime.packing.articulation import external_forces
from physx_runtime.packing.frames import IDENTITY_ROTATION, Frame, compose, inverse_frame
from physx_runtime.packing.maximal_joint import joint_frames
from physx_runtime.simulation.scene import Scene
from physx_runtime.verification.bench import PROBE_SPEED, Solver, stripped, with_dofs
from physx_runtime.verification.quantity import Measurement, UnsteadyError
from physx_schema.description.model import Articulation, Description, ExternalForce, JointAxis, Link, MaximalJoint
from physx_schema.description.model.joint import ROTATIONS, TRANSLATIONS
from physx_schema.description.scenes import SolverCounts, with_solver_counts

IDENTITY_FRAME: Frame = ((0.0, 0.0, 0.0), IDENTITY_ROTATION)
COUPLING_KINDS = ("gear", "rack")


@dataclass(frozen=True, slots=True)
class IsolatedJoint:
    """A joint, its frames rotated so that x is its axis, with its bodies; hinges of a gear or a rack too."""

    description: Description            # without joints outside articulations
    joint: MaximalJoint
    hinges: tuple[MaximalJoint, ...]    # outside articulations, neither limited nor driven
    solver: Solver
    dt: float                           # s
    poses: Mapping[str, Frame]          # where prims of bodies and links are at the start

    @property
    def name(self) -> str:
        """The solver's name, as an argument of a scene."""
        return "ideal" if self.solver.ideal else "physx"

    @property
    def key(self) -> tuple[object, ...]:
        """A key of what experiments depend on, equal for joints that differ only in names and poses."""
        d, j, names = self.description, self.joint, {"": ""}
        for body in d.bodies:
            names[body.path] = str(len(names))
        bodies = tuple(replace(body, path=names[body.path], external_forces=()) for body in d.bodies)
        joints = tuple(replace(joint, path="", body0=names.get(joint.body0, joint.body0), axes=_unnamed(joint),
                               body1=names.get(joint.body1, joint.body1)) for joint in (j, *self.hinges))
        return bodies, d.articulations, joints, d.scene, d.scenes, self.solver, self.dt


def isolate_joint(description: Description, joint: MaximalJoint, counts: Mapping[str, SolverCounts], dt: float,
                  solver: Solver) -> IsolatedJoint:
    """The joint alone with its bodies. counts: iteration counts of every actor that it holds, by root link."""
    hinges = tuple(other for other in description.separate_joints if joint.coupling is not None
                   and other.path in (joint.coupling.first, joint.coupling.second))
    body_paths = {body for item in (joint, *hinges) for body in (item.body0, item.body1)} - {""}
    loaded = body_paths if hinges or joint.coupling is not None else {joint.body0, joint.body1}
    robots = tuple(_articulation_at_rest(with_solver_counts(item, _solved(counts[item.links[0].path], solver)), solver,
                                         loaded)
                   for item in description.articulations
                   if item.enabled and body_paths & {link.path for link in item.links})
    links = {link.path for item in robots for link in item.links}
    bodies = tuple(_body_at_rest(body, counts.get(body.path), solver, loaded) for body in description.separate_bodies
                   if body.path in body_paths - links)
    stage = replace(
        description, articulations=robots, bodies=bodies, joints=(), problems=(), not_evaluated=(), unused=(),
        authored=(), applied=(), static_colliders=(), materials=(), collision_groups=(), filtered_pairs=(),
        mimic_declarations=(), body_paths=tuple(sorted(body_paths | links)),
        scene=replace(description.scene, forces_every_iteration=True),
        scenes=tuple(replace(scene, forces_every_iteration=True) for scene in description.scenes))
    result = IsolatedJoint(stage, _as_d6(joint), tuple(map(_unconstrained, hinges)), solver, dt, {})
    if not robots:
        result = _translated(result, bodies[0].pose[0])
    return replace(result, poses=_poses(result))


def free_axis(axis: JointAxis) -> JointAxis:
    """The axis without limits and drive."""
    return replace(axis, lower=-math.inf, upper=math.inf, limit_stiffness=0.0, limit_damping=0.0, restitution=0.0,
                   bounce_threshold=0.0, drive=None)


def with_relative_frame(joint: MaximalJoint, poses: Mapping[str, Frame], relative_frame: Frame) -> MaximalJoint:
    """The joint with one frame moved so that the second has this pose in the first; the world's frame if any."""
    (frame0, frame1), pose0, pose1 = (joint.frame0, joint.frame1), poses.get(joint.body0), poses.get(joint.body1)
    if pose0 is None and pose1 is not None:
        return replace(joint, frame0=compose(compose(pose1, frame1), inverse_frame(relative_frame)))
    second_frame = compose(compose(pose0 or IDENTITY_FRAME, frame0), relative_frame)
    return replace(joint, frame1=compose(inverse_frame(pose1), second_frame) if pose1 is not None else second_frame)


def clamped(axis: JointAxis, position: float) -> float:
    """The position, clamped to the axis' limits."""
    return min(max(position, axis.lower), axis.upper)


def relative_frame_at(joint: MaximalJoint, axis: str, position: float) -> Frame:
    """The second frame in the first, with one axis at a position, the others at 0 or the nearest limit."""
    positions = {other.axis: clamped(other, 0.0) for other in joint.axes} | {axis: position}
    rotation = IDENTITY_ROTATION
    for index, name in enumerate(ROTATIONS):
        half = 0.5 * positions.get(name, 0.0)
        half_axis = [math.sin(half) if index == i else 0.0 for i in range(3)]
        rotation = mul_quat((half_axis[0], half_axis[1], half_axis[2], math.cos(half)), rotation)
    x, y, z = (positions.get(name, 0.0) for name in TRANSLATIONS)
    return (x, y, z), rotation


def _poses(isolated: IsolatedJoint) -> dict[str, Frame]:
    """Where bodies and links are at the start."""
    poses: dict[str, Frame] = {body.path: body.pose for body in isolated.description.bodies}
    if isolated.description.articulations:
        scene = Scene(isolated.description, dt=isolated.dt, dtype="float64", solver=isolated.name, sleeping=False)
        for path, (x, y, z, *rotation) in zip(scene.body_names, scene.body_pose[0].tolist(), strict=True):
            poses[path] = (x, y, z), (rotation[0], rotation[1], rotation[2], rotation[3])
    return poses


def _unnamed(joint: MaximalJoint) -> tuple[JointAxis, ...]:
    return tuple(replace(axis, name="", path="", drive=axis.drive and replace(axis.drive, path=""))
                 for axis in joint.axes)


def _solved(counts: SolverCounts, solver: Solver) -> SolverCounts:
    return counts if solver.velocity_iterations else replace(counts, velocity=0)


def _articulation_at_rest(articulation: Articulation, solver: Solver, loaded: Collection[str]) -> Articulation:
    """An articulation at rest, nothing acting on its joints and links."""
    bare = with_dofs(stripped(articulation), lambda dof: replace(dof, velocity=0.0))
    return replace(bare, fixed_base=articulation.fixed_base,
                   links=tuple(_link_at_rest(link, solver, loaded) for link in bare.links))


def _body_at_rest(body: Link, counts: SolverCounts | None, solver: Solver, loaded: Collection[str]) -> Link:
    """A body at rest with the counts that it is solved under."""
    result = _link_at_rest(body, solver, loaded)
    if body.body is None or counts is None:
        return result
    counts = _solved(counts, solver)
    return replace(result, body=replace(body.body, position_iterations=counts.position, starts_asleep=False,
                                        velocity_iterations=counts.velocity))


def _link_at_rest(link: Link, solver: Solver, loaded: Collection[str]) -> Link:
    """A link at rest, with an external force of 0 as its load."""
    load = ExternalForce(link.path, True, True, False, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), None)
    loads = (load,) if link.path in loaded and not link.kinematic else ()
    return replace(
        link, linear_damping=0.0, angular_damping=0.0, max_linear_velocity=math.inf, max_angular_velocity=math.inf,
        gravity_enabled=False, linear_velocity=(0.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, 0.0), colliders=(),
        external_forces=loads, samples=(), cfm_scale=link.cfm_scale if solver.softened else 0.0)


def _as_d6(joint: MaximalJoint) -> MaximalJoint:
    """A D6 joint as PhysX's generic joint."""
    frame0, frame1 = joint_frames(joint)
    kind = joint.kind if joint.kind in ("distance", *COUPLING_KINDS) else "d6"
    return replace(joint, kind=kind, axis=0, frame0=frame0, frame1=frame1)


def _unconstrained(joint: MaximalJoint) -> MaximalJoint:
    return replace(joint, axes=tuple(map(free_axis, joint.axes)), drive_rotation=(0.0, 0.0, 0.0), break_force=math.inf,
                   break_torque=math.inf)


def _translated(isolated: IsolatedJoint, origin: tuple[float, float, float]) -> IsolatedJoint:
    """Everything translated so that `origin` is at the world's origin."""

    def translated(pose: Frame) -> Frame:
        return sub(pose[0], origin), pose[1]

    def translated_joint(joint: MaximalJoint) -> MaximalJoint:
        return replace(joint, frame0=joint.frame0 if joint.body0 else translated(joint.frame0),
                       frame1=joint.frame1 if joint.body1 else translated(joint.frame1))

    bodies = tuple(replace(body, pose=translated(body.pose)) for body in isolated.description.bodies)
    return replace(isolated, description=replace(isolated.description, bodies=bodies),
                   joint=translated_joint(isolated.joint),
                   hinges=tuple(map(translated_joint, isolated.hinges)))




@dataclass(frozen=True, slots=True)
class Direction:
    """The direction along or about which a joint is loaded."""

    angular: bool
    axis: Vec3                  # in the joint's first frame

    @staticmethod
    def of(axis: str) -> Direction:
        """The direction of one of a D6 joint's six axes."""
        index = AXES.index(axis)
        x, y, z = (1.0 if index % 3 == i else 0.0 for i in range(3))
        return Direction(index >= 3, (x, y, z))


class RelativeMotion:
    """The second frame of a joint relative to the first, in every world of a scene, along or about one direction.

    A load is a force along the direction at the second frame's origin, or a torque about it, on the joint's second
    side, and its opposite on the first, as the joint's own rows do. poses: of bodies and links at the start.
    """

    def __init__(self, scene: Scene, description: Description, joint: MaximalJoint, poses: Mapping[str, Frame],
                 direction: Direction) -> None:
        self.scene, self.joint, self.angular, self._local = scene, joint, direction.angular, direction.axis
        self._names, self._poses = list(scene.body_names), poses
        self._links: dict[str, Link] = {link.path: link for link in (
            *description.bodies, *(link for item in description.articulations for link in item.links))}
        # the actor and the index of the external force that loads a body or a link
        self._load_rows = {force.path: (name, i) for name in scene.actors
                           for i, (_, force) in enumerate(external_forces(scene[name].model.actor))}
        first, second = (compose(poses.get(body, IDENTITY_FRAME), frame) for body, frame in self._body_frames())
        self._axis, self._point = np.array(rotate(first[1], direction.axis)), second[0]
        self._start = self._relative_frames()[0]

    def load(self, loads: DoubleArray) -> None:
        """Load the worlds, (n_world,), from now on."""
        wrenches = {body: np.zeros((2, len(loads), 3)) for body, _ in self._body_frames() if body in self._load_rows}
        for (body, _), sign in zip(self._body_frames(), (-1.0, 1.0), strict=True):
            if body in wrenches:
                wrenches[body] += sign * loads[:, None] * self._wrench(body)[:, None]
        for body, (force, torque) in wrenches.items():
            actor, index = self._load_rows[body]
            for field, values in (("force", force), ("torque", torque)):
                self.scene[actor].set_row(str(RowKey(GROUPS[EXTERNAL_FORCE], index, field)), values)

    def coordinate(self) -> DoubleArray:
        """(n_world,) displacement of the second frame from its start, rad or length."""
        if self.angular:
            inverse_start = conjugate(self._start[1])
            displacements = [rotation_vector(mul_quat(rotation, inverse_start)) for _,
                             rotation in self._relative_frames()]
        else:
            displacements = [sub(position, self._start[0]) for position, _ in self._relative_frames()]
        return np.asarray(np.array(displacements) @ np.array(self._local))

    def velocity(self) -> DoubleArray:
        """(n_world,) velocity of the displacement, rad/s or length/s."""
        (body0, _), (body1, _) = self._body_frames()
        return np.asarray(self._velocity(body1) - self._velocity(body0))

    def inertia(self) -> float:
        """Mass or moment of inertia of the lighter of the loaded bodies."""
        return min(sum(link.inertia[i][i] for i in range(3)) if self.angular else link.mass
                   for body, _ in self._body_frames() if (link := self._links.get(body)) and not link.kinematic)

    def _body_frames(self) -> tuple[tuple[str, Frame], tuple[str, Frame]]:
        return (self.joint.body0, self.joint.frame0), (self.joint.body1, self.joint.frame1)

    def _wrench(self, body: str) -> DoubleArray:
        """(2, 3) force and torque about the centre of mass of a unit load on a body."""
        if self.angular:
            return np.stack([np.zeros(3), self._axis])
        center = compose(self._poses[body], (self._links[body].center_of_mass, IDENTITY_FRAME[1]))[0]
        return np.stack([self._axis, np.cross(np.array(sub(self._point, center)), self._axis)])

    def _velocity(self, body: str) -> DoubleArray:
        if body not in self._names:
            return np.zeros(self.scene.worlds)
        force, torque = self._wrench(body)
        velocities = self.scene.body_velocity[:, self._names.index(body)]
        return np.asarray(velocities[:, :3] @ force + velocities[:, 3:] @ torque)

    def _relative_frames(self) -> list[Frame]:
        """The second frame in the first, world by world."""
        frames = []
        for poses in self.scene.body_pose:
            first, second = (self._frame(body, frame, poses) for body, frame in self._body_frames())
            inverse_rotation = conjugate(first[1])
            frames.append((rotate(inverse_rotation, sub(second[0], first[0])), mul_quat(inverse_rotation, second[1])))
        return frames

    def _frame(self, body: str, frame: Frame, poses: DoubleArray) -> Frame:
        if body not in self._names:
            return frame
        x, y, z, a, b, c, d = poses[self._names.index(body)].tolist()
        return compose(((x, y, z), (a, b, c, d)), frame)


# The last correction of a load that holds, of the load.
HOLDING_TOLERANCE = 1e-6
MAX_CORRECTIONS = 6
# Of the motion under a load on a body by itself, less than which is no answer.
MIN_RESPONSE = 1e-9
# A joint is pressed against its limits as if it bore its own weight, m/s^2 or rad/s^2.
TEST_ACCELERATION = 10.0
# Between looks for rest, and at most, steps; what it may still move from look to look, rad or m.
CHECK_STEPS, MAX_STEPS, REST_TOLERANCE = 20, 300, 1e-5


def step_quietly(scene: Scene, count: int) -> None:
    """Step without divergence warnings; the caller reports divergence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scene.step(count)


def scene_of(isolated: IsolatedJoint, joints: tuple[MaximalJoint, ...], worlds: int) -> Scene:
    """A scene of the joint's bodies with these joints."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")         # what is left out is said once, of the stage
        return Scene(replace(isolated.description, joints=joints), worlds=worlds, dt=isolated.dt, dtype="float64",
                     solver=isolated.name, sleeping=False)


class JointBench:
    """A joint with its bodies and a pose of its second frame in its first. Loads are forces or torques."""

    def __init__(self, isolated: IsolatedJoint, joint: MaximalJoint, direction: Direction,
                 relative_frame: Frame = IDENTITY_FRAME,
                 worlds: int = 2) -> None:
        self.dt, self.worlds = isolated.dt, worlds
        placed = with_relative_frame(joint, isolated.poses, relative_frame)
        self.scene = scene_of(isolated, (placed, *isolated.hinges), worlds)
        self.joint = self.scene.joint(joint.path)
        self.motion = RelativeMotion(self.scene, isolated.description, placed, isolated.poses, direction)
        self.unit = 1.0 if direction.angular else 1.0 / isolated.description.scene.meters_per_unit
        self._inertia = self.motion.inertia()
        self.min_load = self._inertia * PROBE_SPEED * self.unit / self.dt      # a load that moves it a little
        if not 0.0 < self.min_load < math.inf:
            raise UnsteadyError("a mass or an inertia of the joint's bodies is 0 or not finite")

    def set(self, name: str, values: DoubleArray | float, element: str = "") -> None:
        """Set a parameter of the joint, or of one axis, one value for all worlds or one for each."""
        rows, parameter = self.joint.parameter(name), self.joint.parameters[name]
        column = [label.endswith(f":{element}") for label in parameter.elements].index(True) if element else 0
        rows[:, column] = values
        self.joint.set_parameters({name: rows})

    def restart(self) -> None:
        """Reset all states and loads; parameters stay."""
        self.scene.reset()
        self.load(0.0)

    def load(self, loads: DoubleArray | float) -> None:
        """Load every world from now on."""
        self.motion.load(np.broadcast_to(np.asarray(loads, dtype=np.float64), (self.worlds,)))

    def step_velocity(self, loads: DoubleArray | float) -> DoubleArray:
        """(n_world,) velocities after a step under loads."""
        self.load(loads)
        step_quietly(self.scene, 1)
        return self.motion.velocity()

    def response(self, sign: float = 1.0) -> float:
        """Velocity gained per impulse, in one direction or the other (-1.0), from one step from rest."""
        self.restart()
        response = sign * float(self.step_velocity(sign * self.min_load)[0]) / (self.min_load * self.dt)
        if not math.isfinite(response) or response * self._inertia <= MIN_RESPONSE:
            raise UnsteadyError("a load in the joint's direction moves neither body")
        return response

    def balance(self, prepare: Callable[[], None]) -> list[Measurement]:
        """The loads, n_world / 2, under which a step keeps the velocities that `prepare` sets.

        Each uses two neighbouring worlds that differ only in loads. Raises UnsteadyError where no load does.
        """
        loads, size = np.zeros(self.worlds // 2), np.full(self.worlds // 2, self.min_load)
        for _ in range(MAX_CORRECTIONS):
            prepare()
            before = self.motion.velocity()
            change = (self.step_velocity(np.stack([loads, loads + size], axis=1).ravel()) - before).reshape(-1, 2)
            with np.errstate(all="ignore"):
                correction = -change[:, 0] * size / (change[:, 1] - change[:, 0])
            loads = loads + correction
            if not np.isfinite(loads).all():
                break
            if (np.abs(correction) <= HOLDING_TOLERANCE * np.maximum(np.abs(loads), self.min_load)).all():
                return [Measurement(*pair) for pair in zip(loads.tolist(), np.abs(correction).tolist(), strict=True)]
            size = np.maximum(np.abs(correction), self.min_load)
        raise UnsteadyError("the experiment finds no load that holds the joint for one step; the joint seems unstable")

    def settled_displacement(self) -> Measurement | None:
        """Displacement of the first world at rest under its load; None where nothing stops it.

        Its uncertainty is the motion between the last two checks.
        """
        last = self._position()
        for _ in range(MAX_STEPS // CHECK_STEPS):
            step_quietly(self.scene, CHECK_STEPS)
            now = self._position()
            if abs(now - last) <= REST_TOLERANCE * self.unit:
                return Measurement(now, abs(now - last))
            last = now
        # half as fast as if nothing had been in the way
        if abs(float(self.motion.velocity()[0])) > 0.5 * TEST_ACCELERATION * self.unit * MAX_STEPS * self.dt:
            return None
        raise UnsteadyError(f"the joint does not settle under load within {MAX_STEPS} steps")

    def _position(self) -> float:
        return float(self.motion.coordinate()[0])
