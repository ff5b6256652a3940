"""Described articulations as pinocchio models, and pinocchio's quantities in PhysX's coordinates.

Built from the description alone, joint by joint in pinocchio's own frames; links behind fixed joints are merged. A
joint that turns about two axes, which pinocchio has not, is a spherical one of which only those velocities are used.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from physx_schema.description import Articulation, Joint, Link

Array = NDArray[np.float64]


def se3(pose: tuple[tuple[float, ...], tuple[float, ...]]) -> pin.SE3:
    """A transform from (position, quaternion x y z w)."""
    return pin.SE3(pin.Quaternion(np.array(pose[1])).normalized().matrix(), np.array(pose[0]))


class PinocchioModel:
    """An articulation as a pinocchio model; states are set by `move`, quantities then read."""

    def __init__(self, articulation: Articulation, gravity: tuple[float, ...]) -> None:
        self.articulation, self.fixed = articulation, articulation.fixed_base
        self.model = pin.Model()
        self.model.gravity.linear = np.array(gravity)
        self._joint_of: dict[int, int] = {}             # link -> pinocchio joint
        self._link_in_joint: dict[int, pin.SE3] = {}
        self._own: dict[int, int] = {}                  # link with dofs -> its pinocchio joint
        self._add(0)
        self.frames = [self._frame(i, link) for i, link in enumerate(articulation.links)]
        self.data = self.model.createData()

    # --- building -----------------------------------------------------------------------------------------------------

    def _add(self, i: int) -> None:
        """A link and, depth first as crba wants, those beyond it."""
        link = self.articulation.links[i]
        parent = self._joint_of.get(link.parent, 0)
        if link.joint is None and self.fixed:
            self._joint_of[i], self._link_in_joint[i] = 0, se3(link.pose)
        elif link.joint is None:
            joint = self.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root")
            self._joint_of[i] = joint
            self._link_in_joint[i] = pin.SE3(np.eye(3), -np.array(link.center_of_mass))
        else:
            before = self._link_in_joint[link.parent] * se3(link.joint.parent_frame)
            child = se3(link.joint.child_frame).inverse()
            if link.joint.dofs:
                parent = self._own[i] = self.model.addJoint(parent, self._joint(link.joint), before, link.path)
                before = pin.SE3.Identity()
            self._joint_of[i], self._link_in_joint[i] = parent, before * child
        if self._joint_of[i]:
            inertia = pin.Inertia(link.mass, np.array(link.center_of_mass), np.array(link.inertia))
            self.model.appendBodyToJoint(self._joint_of[i], inertia, self._link_in_joint[i])
        for n, other in enumerate(self.articulation.links):
            if other.parent == i:
                self._add(n)

    @staticmethod
    def _joint(joint: Joint) -> pin.JointModel:
        axis = np.array(joint.dofs[0].axis) * (-1.0 if joint.reversed else 1.0)
        if joint.kind == "revolute":
            return pin.JointModelRevoluteUnaligned(*axis)
        return pin.JointModelPrismaticUnaligned(*axis) if joint.kind == "prismatic" else pin.JointModelSpherical()

    def _frame(self, i: int, link: Link) -> int:
        """A frame at the link's centre of mass, in link axes."""
        at = self._link_in_joint[i] * pin.SE3(np.eye(3), np.array(link.center_of_mass))
        return self.model.addFrame(pin.Frame(f"{link.path} com", self._joint_of[i], 0, at, pin.FrameType.OP_FRAME))

    # --- states -------------------------------------------------------------------------------------------------------

    def move(self, q: Array, v: Array, position: Array | None = None, rotation: Array | None = None) -> None:
        """Take a state: q (n_dof), v (nv), pose of a floating root link (quaternion x y z w)."""
        self.q, self.T = pin.neutral(self.model), np.zeros((self.model.nv, len(v)))
        root, dof = 0 if self.fixed else 6, 0
        if not self.fixed:
            R = pin.Quaternion(rotation).normalized().matrix()
            self.R = R
            center = np.array(self.articulation.links[0].center_of_mass)
            self.q[:7] = [*(position + R @ center), *pin.Quaternion(R).coeffs()]
            self.T[0:3, 0:3] = self.T[3:6, 3:6] = R.T
        for i, link in enumerate(self.articulation.links):
            if i in self._own:
                joint, sign = self.model.joints[self._own[i]], -1.0 if link.joint.reversed else 1.0
                count = len(link.joint.dofs)
                columns = range(root + dof, root + dof + count)
                if joint.nv == 1:
                    self.q[joint.idx_q] = q[dof]
                    self.T[joint.idx_v, columns[0]] = 1.0
                else:
                    axes = sign * np.array([d.axis for d in link.joint.dofs]).T
                    turn = pin.Quaternion(pin.exp3(axes @ q[dof:dof + count]))
                    self.q[joint.idx_q:joint.idx_q + 4] = turn.coeffs()
                    self.T[joint.idx_v:joint.idx_v + 3, columns] = axes
                dof += count
        self.v = self.T @ v
        # zero acceleration of ours is not zero of pinocchio's: its root velocity is in turning axes
        self.bias = np.zeros(self.model.nv)
        if not self.fixed:
            self.bias[:3] = -np.cross(self.v[3:6], self.v[:3])

    # --- quantities ---------------------------------------------------------------------------------------------------

    def mass(self) -> Array:
        """M without armature."""
        M = np.triu(pin.crba(self.model, self.data, self.q))
        return self.T.T @ (M + np.triu(M, 1).T) @ self.T

    def gravity(self) -> Array:
        """Force that holds the articulation still."""
        return self.T.T @ pin.computeGeneralizedGravity(self.model, self.data, self.q)

    def coriolis(self) -> Array:
        """Force at zero acceleration without gravity."""
        return self.T.T @ pin.rnea(self.model, self.data, self.q, self.v, self.bias) - self.gravity()

    def inverse(self, a: Array) -> Array:
        """Force of an acceleration, without armature."""
        return self.T.T @ pin.rnea(self.model, self.data, self.q, self.v, self.T @ a + self.bias)

    def forward(self, tau: Array, armature: Array) -> Array:
        """Acceleration under a force, by the articulated-body algorithm where the joints are pinocchio's own."""
        if self.T.shape[0] == self.T.shape[1]:
            self.model.armature = np.abs(self.T) @ armature     # T permutes dofs and flips signs
            a = pin.aba(self.model, self.data, self.q, self.v, np.linalg.solve(self.T.T, tau))
            self.model.armature = np.zeros(self.model.nv)
            return np.linalg.solve(self.T, a - self.bias)
        return np.linalg.solve(self.mass() + np.diag(armature), tau - self.coriolis() - self.gravity())

    def jacobian(self) -> Array:
        """[v_com; w] of all links, a fixed root left out."""
        pin.computeJointJacobians(self.model, self.data, self.q)
        pin.updateFramePlacements(self.model, self.data)
        return np.concatenate([
            pin.getFrameJacobian(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED) @ self.T
            for frame in self.frames[1 if self.fixed else 0:]])

    def drift(self) -> Array:
        """Jdot v of all links, [of v_com; of w], a fixed root left out."""
        pin.forwardKinematics(self.model, self.data, self.q, self.v, self.bias)
        pin.updateFramePlacements(self.model, self.data)
        return np.concatenate([
            pin.getFrameClassicalAcceleration(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED).vector
            for frame in self.frames[1 if self.fixed else 0:]])

    def center(self) -> Array:
        """Centre of mass; a fixed root, which pinocchio leaves out, is added."""
        com = np.array(pin.centerOfMass(self.model, self.data, self.q))
        if not self.fixed:
            return com
        links, total = self.articulation.links, sum(link.mass for link in self.articulation.links)
        own = [i for i in range(len(links)) if not self._joint_of[i]]
        pin.updateFramePlacements(self.model, self.data)
        still = sum(links[i].mass * self.data.oMf[self.frames[i]].translation for i in own)
        return (com * (total - sum(links[i].mass for i in own)) + still) / total

    def centroidal(self) -> Array:
        """[A, bias], 6 x (nv + 1), of a floating base."""
        A = pin.computeCentroidalMap(self.model, self.data, self.q) @ self.T
        pin.computeCentroidalMomentumTimeVariation(self.model, self.data, self.q, self.v, self.bias)
        return np.column_stack([A, self.data.dhg.vector])

    def inverse_derivatives(self, v: Array, a: Array) -> tuple[Array, Array]:
        """d tau by displacement and by velocity, from pinocchio's analytic ones by the chain rule."""
        given = self.T @ a + self.bias
        by_q, by_v, M = (np.array(x) for x in pin.computeRNEADerivatives(self.model, self.data, self.q, self.v, given))
        M = np.triu(M) + np.triu(M, 1).T
        n = len(v)
        v_by_q, a_by_q, a_by_v = (np.zeros((self.model.nv, n)) for _ in range(3))
        extra = np.zeros((n, n))
        if not self.fixed:
            skew, turned = pin.skew, self.R.T @ np.eye(3)
            linear, angular = self.v[:3], self.v[3:6]
            v_by_q[:3, 3:6], v_by_q[3:6, 3:6] = skew(linear) @ turned, skew(angular) @ turned
            # bias = -angular x linear
            a_by_q[:3, 3:6] = (skew(self.R.T @ a[:3]) @ turned + skew(linear) @ v_by_q[3:6, 3:6]
                               - skew(angular) @ v_by_q[:3, 3:6])
            a_by_q[3:6, 3:6] = skew(self.R.T @ a[3:6]) @ turned
            a_by_v[:3, :3], a_by_v[:3, 3:6] = -skew(angular) @ turned, skew(linear) @ turned
            tau = self.T.T @ pin.rnea(self.model, self.data, self.q, self.v, given)
            extra[:3, 3:6], extra[3:6, 3:6] = -skew(tau[:3]), -skew(tau[3:6])
        position = self.T.T @ (by_q @ self.T + by_v @ v_by_q + M @ a_by_q) + extra
        return position, self.T.T @ (by_v @ self.T + M @ a_by_v)

    def forward_derivatives(self, tau: Array, armature: Array) -> tuple[Array, Array, Array]:
        """d a by position, velocity and force, of a fixed base whose joints are pinocchio's own."""
        self.model.armature = np.abs(self.T) @ armature
        given = np.linalg.solve(self.T.T, tau)
        made = pin.computeABADerivatives(self.model, self.data, self.q, self.v, given)
        by_q, by_v, minv = (np.array(x) for x in made)
        self.model.armature = np.zeros(self.model.nv)
        inverse = np.linalg.inv(self.T)
        minv = np.triu(minv) + np.triu(minv, 1).T
        return inverse @ by_q @ self.T, inverse @ by_v @ self.T, inverse @ minv @ inverse.T
