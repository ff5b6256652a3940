"""How what a joint holds moves along one of its directions, and loads in that direction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from physx_runtime.dynamics.spatial import Vec3, conjugate, mul_quat, rotate, rotation_vector, sub
from physx_runtime.model.island import AXES
from physx_runtime.packing.frames import Frame, compose
from physx_runtime.packing.pushes import pushes
from physx_runtime.simulation.scene import Scene
from physx_runtime.verification.outside.isolation import HERE
from physx_schema.description.model import Description, Link, OutsideJoint

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
