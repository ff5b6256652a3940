"""Trees of rigid bodies worked out plainly with 3x3 matrices: an independent account of poses, velocities and energies.

Nothing here uses the algorithms of the runtime; it reads only a tree's structure and parameter rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from physx_runtime.model.topology import Topology

from support.chance.packed_models import Rows

Array = NDArray[np.float64]


def rotation(q: Array) -> Array:
    """The matrix of a quaternion (x, y, z, w)."""
    x, y, z, w = q / np.linalg.norm(q)
    skew = cross_matrix(np.array([x, y, z]))
    return np.eye(3) + 2.0 * (w * skew + skew @ skew)


def cross_matrix(a: Array) -> Array:
    """The matrix of a x."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def about(r: Array) -> Array:
    """The rotation by a rotation vector (Rodrigues' formula)."""
    angle = float(np.linalg.norm(r))
    if angle == 0.0:
        return np.eye(3)
    k = cross_matrix(r / angle)
    return np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * k @ k


def rotation_vector(R: Array) -> Array:
    """The rotation vector of a matrix, for angles well below pi."""
    twice_sine = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine = 0.5 * float(np.linalg.norm(twice_sine))
    angle = np.arctan2(sine, 0.5 * (np.trace(R) - 1.0))
    return 0.5 * twice_sine * (angle / sine if sine > 0.0 else 1.0)


def quaternion(R: Array) -> Array:
    """The quaternion (x, y, z, w) of a matrix, for angles well below pi."""
    r = rotation_vector(R)
    angle = float(np.linalg.norm(r))
    return np.array([*(r / angle * np.sin(0.5 * angle) if angle else r), np.cos(0.5 * angle)])


@dataclass(frozen=True)
class Configuration:
    """Where a tree is: its root, a scalar per hinge or slider, a rotation per spherical joint."""

    t: Topology
    rows: Rows
    root_rotation: Array
    root_position: Array
    q: Array                        # used for hinges and sliders
    balls: dict[int, Array]         # link -> rotation of F against its place at q = 0

    @classmethod
    def of(cls, t: Topology, rows: Rows) -> Configuration:
        """The configuration in the rows."""
        balls = {link: about(cls._parts(t, link, rows["q"])) for link in t.spherical_links}
        return cls(t, rows, rotation(rows["root_rotation"]), rows["root_position"], rows["q"], balls)

    @staticmethod
    def _parts(t: Topology, link: int, values: Array) -> Array:
        """A spherical joint's coordinates or velocities along the axes of F."""
        out = np.zeros(3)
        for dof in t.dofs_of(link):
            out[t.dofs[dof].axis] = -values[dof] if t.links[link].flipped else values[dof]
        return out

    def moved(self, v: Array, time: float) -> Configuration:
        """After moving with constant generalised velocity; angular velocities stay in world or child axes."""
        t, root = self.t, self.t.root_size
        linear, angular = (v[0:3], v[3:6]) if root else (np.zeros(3), np.zeros(3))
        balls = {link: R @ about(time * self._parts(t, link, v[root:])) for link, R in self.balls.items()}
        return Configuration(t, self.rows, about(time * angular) @ self.root_rotation,
                             self.root_position + time * linear, self.q + time * v[root:], balls)

    def as_rows(self) -> Rows:
        """The rows of this configuration, for the algorithms under test; locked axes must not have turned."""
        q = self.q.copy()
        for link, R in self.balls.items():
            r = rotation_vector(R)
            for dof in self.t.dofs_of(link):
                part = r[self.t.dofs[dof].axis]
                q[dof] = -part if self.t.links[link].flipped else part
        return self.rows | {"q": q, "root_position": self.root_position,
                            "root_rotation": quaternion(self.root_rotation)}

    def frames(self) -> list[tuple[Array, Array]]:
        """World rotation and origin of every F."""
        out: list[tuple[Array, Array]] = []
        for i, link in enumerate(self.t.links):
            if link.parent < 0:
                out.append((self.root_rotation, self.root_position))
                continue
            R, p = out[link.parent]
            p = p + R @ self.rows["tree_position"][3 * i:3 * i + 3]
            R = R @ rotation(self.rows["tree_rotation"][4 * i:4 * i + 4])
            dofs = self.t.dofs_of(i)
            if link.kind == "revolute":
                R = R @ about(np.array([self.q[dofs[0]], 0.0, 0.0]))
            elif link.kind == "prismatic":
                p = p + R[:, 0] * self.q[dofs[0]]
            elif link.kind == "spherical":
                R = R @ self.balls[i]
            out.append((R, p))
        return out

    def centers(self) -> Array:
        """World positions of the centres of mass, (n_link, 3)."""
        com = self.rows["com"].reshape(-1, 3)
        return np.array([p + R @ c for (R, p), c in zip(self.frames(), com, strict=True)])

    def inertias(self) -> list[Array]:
        """Moments of inertia about the centres of mass, in world axes."""
        out = []
        for (R, _), s in zip(self.frames(), self.rows["inertia"].reshape(-1, 6), strict=True):
            xx, yy, zz, xy, xz, yz = s
            out.append(R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T)
        return out

    def potential(self) -> float:
        """-sum m g . c."""
        return -float(self.rows["mass"] @ (self.centers() @ self.rows["gravity"]))

    def velocities(self, v: Array, step: float = 2e-3) -> tuple[Array, Array]:
        """Velocities of the centres of mass and angular velocities, (n_link, 3) each, as differences of poses.

        Fourth-order central differences: 1e-12 for motion of size 1.
        """
        near, far = ((self.moved(v, h), self.moved(v, -h)) for h in (step, 2.0 * step))
        linear = [(a.centers() - b.centers()) / (2.0 * h) for h, (a, b) in ((step, near), (2.0 * step, far))]
        angular = [np.array([rotation_vector(R @ S.T) for (R, _), (S, _) in zip(a.frames(), b.frames(), strict=True)])
                   / (2.0 * h) for h, (a, b) in ((step, near), (2.0 * step, far))]
        return (4.0 * linear[0] - linear[1]) / 3.0, (4.0 * angular[0] - angular[1]) / 3.0

    def kinetic(self, v: Array) -> float:
        """sum 1/2 m |v_i|^2 + 1/2 w_i . I_i w_i."""
        linear, angular = self.velocities(v)
        turning = sum(w @ inertia @ w for w, inertia in zip(angular, self.inertias(), strict=True))
        return 0.5 * float(self.rows["mass"] @ (linear ** 2).sum(axis=1) + turning)

    def momentum(self, v: Array) -> Array:
        """Linear momentum, and angular momentum about the centre of mass of the whole, world axes."""
        linear, angular = self.velocities(v)
        mass, centers = self.rows["mass"], self.centers()
        middle = mass @ centers / mass.sum()
        spin = sum(inertia @ w for w, inertia in zip(angular, self.inertias(), strict=True))
        orbital = np.cross(centers - middle, mass[:, None] * linear).sum(axis=0)
        return np.concatenate([mass @ linear, spin + orbital])
