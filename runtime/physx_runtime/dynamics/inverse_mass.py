"""M^-1 of an articulation with the factor that it is made of.

The LTL factorisation M = L^T L keeps the zeros of a tree, and so does X = L^-1: X[i][k] is 0 unless velocity k supports
velocity i. This is branch-induced sparsity (Featherstone, Rigid Body Dynamics Algorithms, sections 6.4 and 6.5).
M^-1 = X X^T itself is dense.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from physx_runtime.dynamics.linear import Matrix, inner, inverse_factor, inverse_of_factor, times
from physx_runtime.language.ops import Scalar
from physx_runtime.model.topology import Topology

# Share of the products of M^-1 f above which X (X^T f) saves too little for sums that wait for each other: what is done
# once in a step takes 2 % less at a share of 0.67 (a humanoid), 4 % more at 0.83 (an ant).
MOST_SPARSE_PRODUCTS = 0.75


@dataclass(frozen=True, slots=True)
class InverseMass:
    """M^-1 by itself, and as X X^T."""

    matrix: Matrix
    factor: Matrix              # X
    sparse: bool                # M^-1 f takes fewer products through X

    def half_solve(self, force: Sequence[Scalar]) -> list[Scalar]:
        """y = X^T f, the first half of M^-1 f = X y."""
        n = len(force)
        return [inner([self.factor[i][k] for i in range(k, n)], force[k:]) for k in range(n)]

    def times(self, force: Sequence[Scalar]) -> list[Scalar]:
        """M^-1 f."""
        if not self.sparse:
            return times(self.matrix, force)
        y = self.half_solve(force)
        return [inner(self.factor[i][:i + 1], y[:i + 1]) for i in range(len(y))]


def inverse_mass(t: Topology, M: Matrix) -> InverseMass:
    """M^-1 of the mass matrix M of an articulation."""
    X = inverse_factor(M)
    products = 2 * sum(len(support) for support in supports(t))
    return InverseMass(inverse_of_factor(X), X, products < MOST_SPARSE_PRODUCTS * t.nv**2)


def supports(t: Topology) -> list[tuple[int, ...]]:
    """kappa(i) of every velocity i: those that move its link; of its own joint's dofs those up to i."""
    root = range(t.root_size)
    found = [tuple(range(i + 1)) for i in root]
    for dof, features in enumerate(t.dofs):
        path = sorted(d for link in t.path(features.link) for d in t.dofs_of(link) if d <= dof)
        found.append((*root, *(t.root_size + d for d in path)))
    return found
