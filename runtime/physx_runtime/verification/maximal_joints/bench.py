"""Experiments on joints outside articulations, each with its bodies alone.

The bench of joints outside articulations: one joint, loaded along one of its directions, in several worlds.

A load in the very direction in which a joint's rows push leaves everything else at rest where it balances them,
whatever else may move. So the question is that of the other bench: which load leaves a motion as it is, step after
step? Only where a joint stops is it pressed there until it rests.

A joint outside articulations alone with what it holds: at rest, nothing else acting.

How what a joint holds moves along one of its directions, and loads in that direction.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from physx_runtime.dynamics.spatial import Vec3, conjugate, mul_quat, rotate, rotation_vector, sub
from physx_runtime.model.island import AXES
from physx_runtime.packing.articulation import pushes
from physx_runtime.packing.frames import IDENTITY_ROTATION, Frame, compose, inverse_frame
from physx_runtime.packing.maximal_joint import own_frames
from physx_runtime.simulation.scene import Scene
from physx_runtime.verification.bench import PROBE_SPEED, Solver, stripped, with_dofs
from physx_runtime.verification.quantity import Measured, UnsteadyError
from physx_schema.description.model import Articulation, Description, JointAxis, Link, OutsideJoint, Push
from physx_schema.description.opinions.schemas import ROTATIONS, TRANSLATIONS
from physx_schema.description.scenes import SolverCounts, as_solved

HERE: Frame = ((0.0, 0.0, 0.0), IDENTITY_ROTATION)
COUPLING_KINDS = ("gear", "rack")


@dataclass(frozen=True, slots=True)
class Isolated:
    """What a joint holds, and the joint, its frames turned so that x is its axis; hinges of a gear or a rack too."""

    description: Description            # without joints outside articulations
    joint: OutsideJoint
    hinges: tuple[OutsideJoint, ...]    # outside articulations, neither limited nor driven
    solver: Solver
    dt: float                           # s
    poses: Mapping[str, Frame]          # where prims of bodies and links are at the start

    @property
    def name(self) -> str:
        """Of the solver, as a scene takes it."""
        return "ideal" if self.solver.ideal else "physx"

    @property
    def key(self) -> tuple[object, ...]:
        """What experiments depend on, the same for joints that are alike but for names and places."""
        d, j, names = self.description, self.joint, {"": ""}
        for body in d.bodies:
            names[body.path] = str(len(names))
        bodies = tuple(replace(body, path=names[body.path], pushes=()) for body in d.bodies)
        joints = tuple(replace(joint, path="", body0=names.get(joint.body0, joint.body0), axes=_unnamed(joint),
                               body1=names.get(joint.body1, joint.body1)) for joint in (j, *self.hinges))
        return bodies, d.articulations, joints, d.scene, d.scenes, self.solver, self.dt


def isolated(description: Description, joint: OutsideJoint, counts: Mapping[str, SolverCounts], dt: float,
             solver: Solver) -> Isolated:
    """The joint alone; counts: of every body and articulation that it holds, by its root link."""
    hinges = tuple(other for other in description.separate_joints if joint.coupling is not None
                   and other.path in (joint.coupling.first, joint.coupling.second))
    held = {body for item in (joint, *hinges) for body in (item.body0, item.body1)} - {""}
    loaded = held if hinges or joint.coupling is not None else {joint.body0, joint.body1}
    robots = tuple(_still(as_solved(item, _solved(counts[item.links[0].path], solver)), solver, loaded)
                   for item in description.articulations
                   if item.enabled and held & {link.path for link in item.links})
    links = {link.path for item in robots for link in item.links}
    bodies = tuple(_settled(body, counts.get(body.path), solver, loaded) for body in description.separate_bodies
                   if body.path in held - links)
    whole = replace(
        description, articulations=robots, bodies=bodies, joints=(), problems=(), not_evaluated=(), unused=(),
        authored=(), applied=(), static_colliders=(), materials=(), collision_groups=(), filtered_pairs=(),
        mimic_declarations=(), body_paths=tuple(sorted(held | links)),
        scene=replace(description.scene, forces_every_iteration=True),
        scenes=tuple(replace(scene, forces_every_iteration=True) for scene in description.scenes))
    found = Isolated(whole, _on_axis(joint), tuple(map(_bare, hinges)), solver, dt, {})
    if not robots:
        found = _moved(found, bodies[0].pose[0])
    return replace(found, poses=_poses(found))


def free_axis(axis: JointAxis) -> JointAxis:
    """The axis without limits and drive."""
    return replace(axis, lower=-math.inf, upper=math.inf, limit_stiffness=0.0, limit_damping=0.0, restitution=0.0,
                   bounce_threshold=0.0, drive=None)


def standing(joint: OutsideJoint, poses: Mapping[str, Frame], stand: Frame) -> OutsideJoint:
    """The joint with one of its frames moved so that the second stands so in the first: the world's where it is one."""
    (frame0, frame1), pose0, pose1 = (joint.frame0, joint.frame1), poses.get(joint.body0), poses.get(joint.body1)
    if pose0 is None and pose1 is not None:
        return replace(joint, frame0=compose(compose(pose1, frame1), inverse_frame(stand)))
    there = compose(compose(pose0 or HERE, frame0), stand)
    return replace(joint, frame1=compose(inverse_frame(pose1), there) if pose1 is not None else there)


def within(axis: JointAxis, position: float) -> float:
    """The position, or the limit of the axis before it."""
    return min(max(position, axis.lower), axis.upper)


def resting(joint: OutsideJoint, axis: str, position: float) -> Frame:
    """Where the second frame stands in the first, one axis at a position, the others at 0 or the limit next to it."""
    at = {other.axis: within(other, 0.0) for other in joint.axes} | {axis: position}
    turn = IDENTITY_ROTATION
    for place, name in enumerate(ROTATIONS):
        half = 0.5 * at.get(name, 0.0)
        own = [math.sin(half) if place == i else 0.0 for i in range(3)]
        turn = mul_quat((own[0], own[1], own[2], math.cos(half)), turn)
    x, y, z = (at.get(name, 0.0) for name in TRANSLATIONS)
    return (x, y, z), turn


def _poses(found: Isolated) -> dict[str, Frame]:
    """Where bodies and links are at the start."""
    poses: dict[str, Frame] = {body.path: body.pose for body in found.description.bodies}
    if found.description.articulations:
        scene = Scene(found.description, dt=found.dt, dtype="float64", solver=found.name, sleeping=False)
        for path, (x, y, z, *turn) in zip(scene.body_names, scene.body_pose[0].tolist(), strict=True):
            poses[path] = (x, y, z), (turn[0], turn[1], turn[2], turn[3])
    return poses


def _unnamed(joint: OutsideJoint) -> tuple[JointAxis, ...]:
    return tuple(replace(axis, name="", path="", drive=axis.drive and replace(axis.drive, path=""))
                 for axis in joint.axes)


def _solved(counts: SolverCounts, solver: Solver) -> SolverCounts:
    return counts if solver.velocity_iterations else replace(counts, velocity=0)


def _still(articulation: Articulation, solver: Solver, loaded: Collection[str]) -> Articulation:
    """An articulation at rest, nothing acting on its joints and links."""
    bare = with_dofs(stripped(articulation), lambda dof: replace(dof, velocity=0.0))
    return replace(bare, fixed_base=articulation.fixed_base,
                   links=tuple(_at_rest(link, solver, loaded) for link in bare.links))


def _settled(body: Link, counts: SolverCounts | None, solver: Solver, loaded: Collection[str]) -> Link:
    """A body at rest with the counts that it is solved under."""
    found = _at_rest(body, solver, loaded)
    if body.body is None or counts is None:
        return found
    counts = _solved(counts, solver)
    return replace(found, body=replace(body.body, position_iterations=counts.position, starts_asleep=False,
                                       velocity_iterations=counts.velocity))


def _at_rest(link: Link, solver: Solver, loaded: Collection[str]) -> Link:
    """A link at rest, with a push of 0 to load it by."""
    push = Push(link.path, True, True, False, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), None)
    pushes = (push,) if link.path in loaded and not link.kinematic else ()
    return replace(
        link, linear_damping=0.0, angular_damping=0.0, max_linear_velocity=math.inf, max_angular_velocity=math.inf,
        gravity_enabled=False, linear_velocity=(0.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, 0.0), colliders=(),
        pushes=pushes, samples=(), cfm_scale=link.cfm_scale if solver.softened else 0.0)


def _on_axis(joint: OutsideJoint) -> OutsideJoint:
    """A D6 joint as the generic one that PhysX makes of it."""
    frame0, frame1 = own_frames(joint)
    kind = joint.kind if joint.kind in ("distance", *COUPLING_KINDS) else "d6"
    return replace(joint, kind=kind, axis=0, frame0=frame0, frame1=frame1)


def _bare(joint: OutsideJoint) -> OutsideJoint:
    return replace(joint, axes=tuple(map(free_axis, joint.axes)), aim=(0.0, 0.0, 0.0), break_force=math.inf,
                   break_torque=math.inf)


def _moved(found: Isolated, origin: tuple[float, float, float]) -> Isolated:
    """Everything moved so that what was at `origin` is at the world's."""

    def there(pose: Frame) -> Frame:
        return sub(pose[0], origin), pose[1]

    def joined(joint: OutsideJoint) -> OutsideJoint:
        return replace(joint, frame0=joint.frame0 if joint.body0 else there(joint.frame0),
                       frame1=joint.frame1 if joint.body1 else there(joint.frame1))

    bodies = tuple(replace(body, pose=there(body.pose)) for body in found.description.bodies)
    return replace(found, description=replace(found.description, bodies=bodies), joint=joined(found.joint),
                   hinges=tuple(map(joined, found.hinges)))


Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Direction:
    """Along or about what a joint is loaded."""

    angular: bool
    axis: Vec3                  # in the joint's first frame

    @staticmethod
    def of(axis: str) -> Direction:
        """One of a D6 joint's six axes."""
        place = AXES.index(axis)
        x, y, z = (1.0 if place % 3 == i else 0.0 for i in range(3))
        return Direction(place >= 3, (x, y, z))


class RelativeMotion:
    """The second frame of a joint as seen from the first, in every world of a scene, along or about one direction.

    A load is a force along the direction at the second frame's origin, or a torque about it, on the joint's second
    side, and its opposite on the first: so the joint's own rows push. poses: of bodies and links at the start.
    """

    def __init__(self, scene: Scene, description: Description, joint: OutsideJoint, poses: Mapping[str, Frame],
                 direction: Direction) -> None:
        self.scene, self.joint, self.angular, self._local = scene, joint, direction.angular, direction.axis
        self._names, self._poses = list(scene.body_names), poses
        self._links: dict[str, Link] = {link.path: link for link in (
            *description.bodies, *(link for item in description.articulations for link in item.links))}
        # the actor and the number of the push by which a body or a link is loaded
        self._pushes = {push.path: (name, i) for name in scene.actors
                        for i, (_, push) in enumerate(pushes(scene[name].model.actor))}
        first, second = (compose(poses.get(body, HERE), own) for body, own in self._sides())
        self._axis, self._point = np.array(rotate(first[1], direction.axis)), second[0]
        self._start = self._seen()[0]

    def load(self, loads: Array) -> None:
        """Load the worlds, (n_world,), from now on."""
        wrenches = {body: np.zeros((2, len(loads), 3)) for body, _ in self._sides() if body in self._pushes}
        for (body, _), sign in zip(self._sides(), (-1.0, 1.0), strict=True):
            if body in wrenches:
                wrenches[body] += sign * loads[:, None] * self._wrench(body)[:, None]
        for body, (force, torque) in wrenches.items():
            actor, push = self._pushes[body]
            self.scene[actor].set_row(f"push{push}_force", force)
            self.scene[actor].set_row(f"push{push}_torque", torque)

    def coordinate(self) -> Array:
        """(n_world,) how far the second frame went from its start, rad or length."""
        if self.angular:
            back = conjugate(self._start[1])
            went = [rotation_vector(mul_quat(turn, back)) for _, turn in self._seen()]
        else:
            went = [sub(place, self._start[0]) for place, _ in self._seen()]
        return np.asarray(np.array(went) @ np.array(self._local))

    def velocity(self) -> Array:
        """(n_world,) how fast it goes, rad/s or length/s."""
        (body0, _), (body1, _) = self._sides()
        return np.asarray(self._velocity(body1) - self._velocity(body0))

    def inertia(self) -> float:
        """Mass or moment of inertia of what is loaded, the lighter one's."""
        return min(sum(link.inertia[i][i] for i in range(3)) if self.angular else link.mass
                   for body, _ in self._sides() if (link := self._links.get(body)) and not link.kinematic)

    def _sides(self) -> tuple[tuple[str, Frame], tuple[str, Frame]]:
        return (self.joint.body0, self.joint.frame0), (self.joint.body1, self.joint.frame1)

    def _wrench(self, body: str) -> Array:
        """(2, 3) force and torque about the centre of mass of a unit load on a body."""
        if self.angular:
            return np.stack([np.zeros(3), self._axis])
        center = compose(self._poses[body], (self._links[body].center_of_mass, HERE[1]))[0]
        return np.stack([self._axis, np.cross(np.array(sub(self._point, center)), self._axis)])

    def _velocity(self, body: str) -> Array:
        if body not in self._names:
            return np.zeros(self.scene.worlds)
        force, torque = self._wrench(body)
        found = self.scene.body_velocity[:, self._names.index(body)]
        return np.asarray(found[:, :3] @ force + found[:, 3:] @ torque)

    def _seen(self) -> list[Frame]:
        """The second frame in the first, world by world."""
        found = []
        for poses in self.scene.body_pose:
            first, second = (self._frame(body, own, poses) for body, own in self._sides())
            back = conjugate(first[1])
            found.append((rotate(back, sub(second[0], first[0])), mul_quat(back, second[1])))
        return found

    def _frame(self, body: str, own: Frame, poses: Array) -> Frame:
        if body not in self._names:
            return own
        x, y, z, a, b, c, d = poses[self._names.index(body)].tolist()
        return compose(((x, y, z), (a, b, c, d)), own)


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
