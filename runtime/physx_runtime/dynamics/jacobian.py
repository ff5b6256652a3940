"""Dense Jacobians of all links."""

from __future__ import annotations

from physx_runtime.dynamics.crba import Matrix
from physx_runtime.dynamics.kinematics import Kinematics, angular_jacobian, com_jacobian
from physx_runtime.model.topology import Topology


def dense_jacobian(t: Topology, k: Kinematics) -> Matrix:
    """J with [v_com; w] of every link = J v, world axes; six rows a link, those of a fixed root left out."""
    J: Matrix = []
    for link in range(1 if t.fixed_base else 0, len(t.links)):
        J += link_jacobian(t, k, link)
    return J


def link_jacobian(t: Topology, k: Kinematics, link: int) -> Matrix:
    """Six rows of nv: velocity of the link's centre of mass, then its angular velocity."""
    rows: Matrix = [[0.0] * t.nv for _ in range(6)]
    for first, columns in ((0, com_jacobian(t, k, link)), (3, angular_jacobian(t, k, link))):
        for column, vector in columns.items():
            for axis, value in enumerate(vector):
                rows[first + axis][column] = value
    return rows
