"""Centre of mass and centroidal momentum of an articulation."""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import Kinematics
from physx_runtime.dynamics.spatial import force_of, linear_first
from physx_runtime.language.ops import Rows, Scalar, Scalars
from physx_runtime.model.topology import Topology


def center_of_mass(t: Topology, rows: Rows, k: Kinematics) -> sp.Vec3:
    """sum m_i c_i / M from the root's anchor, in world axes."""
    return mass_and_center(t, rows, k)[1]


def mass_and_center(t: Topology, rows: Rows, k: Kinematics) -> tuple[Scalar, sp.Vec3]:
    """Mass of all links together, and their centre of mass from the root's anchor, in world axes."""
    mass: Scalar = 0.0
    moment = sp.ZERO3
    for i in range(len(t.links)):
        mass, moment = with_mass(mass, moment, rows["mass"][i], sp.add(k.position[i], k.com[i]))
    return mass, sp.scale(1.0 / mass, moment)


def with_mass(mass: Scalar, moment: sp.Vec3, m: Scalar, center: sp.Vec3) -> tuple[Scalar, sp.Vec3]:
    """Mass and first moment with those of one more link."""
    return mass + m, sp.add(moment, sp.scale(m, center))


def centroidal_momentum(t: Topology, M: Sequence[Sequence[Scalar]],
                        coriolis: Scalars) -> tuple[list[list[Scalar]], list[Scalar]]:
    """(A, b) of a floating base: momentum A v and its rate A a + b, [linear; angular] at the centre of mass.

    A = X M[0:6], b = X C[0:6] with X = [[E, 0], [-[c]x, E]]; c, from the root's centre of mass to that of the whole,
    stands in M itself (PxArticulationReducedCoordinate.h, computeCentroidalMomentumMatrix).
    """
    per_mass = 1.0 / M[0][0]
    c = (-M[2][4] * per_mass, -M[0][5] * per_mass, -M[1][3] * per_mass)
    columns = [linear_first(force_of([M[row][column] for row in range(6)]).at(c)) for column in range(t.nv)]
    return [[column[row] for column in columns] for row in range(6)], linear_first(force_of(coriolis).at(c))
