"""Bodies pushed and pulled with a pointer: a damped spring from the picked point to the pointer.

The spring's stiffness is the apparent mass of the body at that point times the square of a frequency. Light and heavy
bodies therefore follow the pointer equally fast, and the spring stays stable at 60 steps per second.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from physx_runtime.arrays import DoubleArray
from physx_runtime.quantities.computation import compute
from physx_runtime.session import Session
from physx_runtime.simulation.scene_actor import SceneActor
from physx_runtime.viewing.poses import transform_point
from physx_schema.description.model import Articulation, Description
from physx_schema.errors import UnsupportedError

FREQUENCY = 10.0            # rad/s of the spring at strength 1
MIN_STRENGTH, MAX_STRENGTH = 0.1, 10.0      # times the stiffness; more would not be stable at 60 steps per second
MAX_NUMBER = 1e9            # length or force units
MIN_MOBILITY = 1e-12        # 1/mass: nothing moves


@dataclass(frozen=True, slots=True)
class Pull:
    """A spring on one point of a body."""

    actor: str                          # of the session
    link: str                           # prim path of the body
    index: int                          # of the link in the actor
    local: tuple[float, float, float]   # the picked point, in the body's frame
    target: DoubleArray                 # (3,) the pointer, in the world
    mass: float                         # apparent mass at the point


class Pulls:
    """The springs that act now, each by a key of whoever holds the pointer."""

    def __init__(self, session: Session, description: Description) -> None:
        self._session, self._description = session, description
        self._pulls: dict[Hashable, Pull] = {}
        self.strength = 1.0
        self.forces: dict[Hashable, DoubleArray] = {}       # (3,) of the last step, in the world

    def grab(self, key: Hashable, body: str, point: ArrayLike) -> None:
        """Attach a spring to a body where it is picked, at a point of the world.

        Raises UnsupportedError for a body that no force moves.
        """
        name, index = self._find(body)
        actor = self._session.simulation(name)
        at = np.asarray(point, np.float64)
        self._pulls[key] = Pull(name, body, index, _in_body(actor.link_pose[0, index].astype(np.float64), at), at,
                                apparent_mass(self._description, actor, index, at))

    def move(self, key: Hashable, target: ArrayLike) -> None:
        """Move the far end of a spring to a point of the world; nothing for a key without a spring."""
        if key in self._pulls:
            self._pulls[key] = replace(self._pulls[key], target=np.asarray(target, np.float64))

    def release(self, key: Hashable) -> None:
        """Take a spring away."""
        self._pulls.pop(key, None)
        self.forces.pop(key, None)

    def release_all(self) -> None:
        """Take every spring away."""
        self._pulls.clear()
        self.forces.clear()

    def apply(self) -> None:
        """Apply the force of every spring to its body for the next step."""
        for key, pull in self._pulls.items():
            actor = self._session.simulation(pull.actor)
            point, velocity = point_motion(actor, pull.index, pull.local)
            force = spring_force(pull.target - point, velocity, pull.mass, self.strength)
            if np.abs([point, force]).max() < MAX_NUMBER:       # a body that diverges is not pulled
                actor.apply_force(force, link=pull.link, point=point)
                self.forces[key] = force

    def lines(self) -> DoubleArray:
        """(n, 2, 3) from the picked point of each body to the pointer, in the world."""
        ends = [(transform_point(self._session.simulation(pull.actor).link_pose[0, pull.index].astype(np.float64),
                                 pull.local), pull.target) for pull in self._pulls.values()]
        return np.array(ends, np.float64).reshape(-1, 2, 3)

    @property
    def force_by_body(self) -> Mapping[str, float]:
        """The bodies that are held, and the size of the force on each in the last step."""
        return {pull.link: float(np.linalg.norm(self.forces.get(key, np.zeros(3)))) for key, pull in
                self._pulls.items()}

    def _find(self, body: str) -> tuple[str, int]:
        """The actor of a body, and the index of its link there."""
        for name in self._session.articulations:
            links = self._session.simulation(name).model.link_names
            if body in links:
                return name, links.index(body)
        raise UnsupportedError(f"{body} is kinematic or not simulated; no force moves it")


def spring_force(distance: DoubleArray, velocity: DoubleArray, mass: float, strength: float) -> DoubleArray:
    """(3,) the force of a critically damped spring on a point.

    distance: (3,) from the point to the pointer. velocity: (3,) of the point. mass: apparent mass at the point.
    """
    frequency = FREQUENCY * strength ** 0.5
    force: DoubleArray = mass * frequency * (frequency * distance - 2.0 * velocity)
    return force


def point_motion(actor: SceneActor, index: int, local: tuple[float, float, float]) -> tuple[DoubleArray, DoubleArray]:
    """(3,) position and (3,) velocity in the world of a point that is fixed in a link."""
    pose, motion = (rows[0, index].astype(np.float64) for rows in (actor.link_pose, actor.link_velocity))
    point = transform_point(pose, local)
    return point, motion[:3] + np.cross(motion[3:], point - _mass_center(actor, index))


def apparent_mass(description: Description, actor: SceneActor, index: int, point: DoubleArray) -> float:
    """The mass that a force at a point of a link feels, as a mean over the directions of the world.

    Raises UnsupportedError for a link that cannot move.
    """
    arm = point - _mass_center(actor, index)
    if isinstance(actor.model.actor, Articulation):
        mobility = _articulation_mobility(description, actor, index, arm)
    else:
        mobility = _body_mobility(actor, arm)
    if not mobility > MIN_MOBILITY / actor.parameter("mass")[0].sum():
        raise UnsupportedError(f"{actor.model.link_names[index]} is fixed to the world; no force moves it")
    return 1.0 / mobility


def _body_mobility(actor: SceneActor, arm: DoubleArray) -> float:
    """A third of the trace of the inverse mass at a point of a rigid body; arm: (3,) from the centre of mass."""
    (link,) = actor.model.actor.links
    axes = _matrix(actor.link_pose[0, 0, 3:].astype(np.float64))
    inverse = np.linalg.pinv(axes @ np.array(link.inertia) @ axes.T)
    return float(1.0 / link.mass + np.trace(_cross(arm) @ inverse @ _cross(arm).T) / 3.0)


def _articulation_mobility(description: Description, actor: SceneActor, index: int, arm: DoubleArray) -> float:
    """The same for a point of a link."""
    articulation = actor.model.actor
    q = actor.joint_position[0].astype(np.float64)
    still = np.zeros(len(q))
    root = None
    if not articulation.fixed_base:
        x, y, z, *quaternion = actor.link_pose[0, 0].astype(np.float64).tolist()
        root = {"position": (x, y, z), "rotation_wxyz": (quaternion[3], *quaternion[:3])}
    row = index - articulation.fixed_base
    if row < 0:
        return 0.0
    mass, jacobian = (np.asarray(compute(description.only(articulation), q, still, kind, root))
                      for kind in ("mass_matrix", "jacobian"))
    armature = [dof.armature for dof in articulation.dofs]
    mass = mass + np.diag([*np.zeros(len(mass) - len(armature)), *armature])
    linear, angular = jacobian[6 * row:6 * row + 3], jacobian[6 * row + 3:6 * row + 6]
    at_point = linear - _cross(arm) @ angular
    return float(np.trace(at_point @ np.linalg.pinv(mass) @ at_point.T) / 3.0)


def _mass_center(actor: SceneActor, index: int) -> DoubleArray:
    x, y, z = actor.parameter("center_of_mass")[0, index].astype(np.float64).tolist()
    return transform_point(actor.link_pose[0, index].astype(np.float64), (x, y, z))


def _in_body(pose: DoubleArray, point: DoubleArray) -> tuple[float, float, float]:
    """A point of the world in the frame of a pose."""
    x, y, z = (_matrix(pose[3:]).T @ (point - pose[:3])).tolist()
    return x, y, z


def _matrix(quaternion: DoubleArray) -> DoubleArray:
    """(3, 3) the rotation of a quaternion x y z w."""
    x, y, z, w = quaternion / np.linalg.norm(quaternion)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def _cross(v: DoubleArray) -> DoubleArray:
    """(3, 3) the matrix of a cross product with a vector."""
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
