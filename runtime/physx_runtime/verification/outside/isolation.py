"""A joint outside articulations alone with what it holds: at rest, nothing else acting."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from physx_runtime.dynamics.spatial import mul_quat, sub
from physx_runtime.packing.frames import IDENTITY_ROTATION, Frame, compose, inverse_frame
from physx_runtime.packing.outside_joint import own_frames
from physx_runtime.simulation.scene import Scene
from physx_runtime.verification.bench import Solver, stripped, with_dofs
from physx_schema.description.model import Articulation, Description, JointAxis, Link, OutsideJoint, Push
from physx_schema.description.opinions.schemas import ROTATIONS, TRANSLATIONS
from physx_schema.description.solver_batches import SolverCounts, as_solved

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
