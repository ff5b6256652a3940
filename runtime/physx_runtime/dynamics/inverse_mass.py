"""The inverse of the mass matrix, dense or by branches of the tree.

M^-1 of an articulation with the factor that it is made of.

The LTL factorisation M = L^T L keeps the zeros of a tree, and so does X = L^-1: X[i][k] is 0 unless velocity k supports
velocity i. This is branch-induced sparsity (Featherstone, Rigid Body Dynamics Algorithms, sections 6.4 and 6.5).
M^-1 = X X^T itself is dense.

Branches of a tree: groups of velocities that answer each other's impulses by M^-1, and other groups through a trunk.

With M = L^T L and X = L^-1 an impulse F changes velocities by M^-1 F = X y, y = X^T F. X[i][k] is 0 unless velocity k
supports velocity i (branch-induced sparsity, Featherstone, Rigid Body Dynamics Algorithms, section 6.4). So a branch
needs only those y of other branches that support both: for fingers on a wrist two, for limbs of a floating base six.
Within a branch the block of the dense M^-1 takes fewer products than two by X.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from physx_runtime.dynamics.linear import Matrix, inner, inverse_factor, inverse_of_factor, times
from physx_runtime.language.ops import Scalar
from physx_runtime.model.topology import Topology

# Share of the products of M^-1 f above which X (X^T f) saves too little for sums that wait for each other: what is done
# once in a step takes 2 % less at a share of 0.67 (a humanoid), 4 % more at 0.83 (an ant).
MAX_SPARSE_PRODUCT_RATIO = 0.75


@dataclass(frozen=True, slots=True)
class InverseMass:
    """M^-1 by itself, and as X X^T."""

    matrix: Matrix
    factor: Matrix              # X
    sparse: bool                # M^-1 f takes fewer products through X

    def half_solve(self, force: Sequence[Scalar]) -> list[Scalar]:
        """y = X^T f, the first half of M^-1 f = X y."""
        n = len(force)
        # y_k = sum_(i >= k) X_ik f_i
        return [inner([self.factor[i][k] for i in range(k, n)], force[k:]) for k in range(n)]

    def times(self, force: Sequence[Scalar]) -> list[Scalar]:
        """M^-1 f."""
        if not self.sparse:
            return times(self.matrix, force)
        y = self.half_solve(force)
        return [inner(self.factor[i][:i + 1], y[:i + 1]) for i in range(len(y))]


def inverse_mass(t: Topology, M: Matrix) -> InverseMass:
    """M^-1 of the mass matrix M of an articulation."""
    # M = L^T L, X = L^-1, M^-1 = X X^T
    X = inverse_factor(M)
    products = 2 * sum(len(support) for support in supports(t))
    return InverseMass(inverse_of_factor(X), X, products < MAX_SPARSE_PRODUCT_RATIO * t.nv**2)


def supports(t: Topology) -> list[tuple[int, ...]]:
    """kappa(i) of every velocity i: those that move its link; of its own joint's dofs those up to i."""
    root = range(t.root_size)
    result = [tuple(range(i + 1)) for i in root]
    for dof, features in enumerate(t.dofs):
        path = sorted(d for link in t.path(features.link) for d in t.dofs_of(link) if d <= dof)
        result.append((*root, *(t.root_size + d for d in path)))
    return result


# Share of the products of one dense M^-1 above which branches save too little for the sums between them.
MAX_PRODUCT_RATIO = 0.93


@dataclass(frozen=True)
class Branches:
    """All velocities, each in one branch."""

    velocities: tuple[tuple[int, ...], ...]     # per branch, a floating root's first, in the order of turns
    trunks: tuple[tuple[int, ...], ...]         # per branch: the velocities that support it and another branch as well
    supports: tuple[tuple[int, ...], ...]       # per velocity: those that support it, itself included

    @functools.cached_property
    def branch_of(self) -> dict[int, int]:
        """Velocity -> its branch."""
        return {i: branch for branch, velocities in enumerate(self.velocities) for i in velocities}

    @functools.cached_property
    def trunk_of(self) -> dict[int, tuple[int, ...]]:
        """Velocity -> the velocities of its branch's trunk that support it."""
        return {i: tuple(k for k in self.trunks[branch] if k in self.supports[i])
                for i, branch in self.branch_of.items()}

    def branch_containing(self, velocities: Iterable[int]) -> int | None:
        """The branch that these velocities are all in, None where they are in several."""
        branches = {self.branch_of[i] for i in velocities}
        return branches.pop() if len(branches) == 1 else None

    def in_trunk(self, branch: int, y: Sequence[Scalar]) -> list[Scalar]:
        """Of y = X^T F, what other branches need of an impulse F on this one."""
        return [y[k] for k in self.trunks[branch]]


@functools.lru_cache(maxsize=64)
def branches_of(t: Topology) -> Branches:
    """The branches with the fewest products in an iteration; one of all velocities where others save too little.

    Trees are cut at links that bear several joints. From a cut at all of them and from none, cuts are made or taken
    back one by one, as long as that saves products.
    """
    forks, uncut = frozenset(forks_of(t)), cut_at(t, frozenset())
    candidates = [_improved(t, cuts, forks) for cuts in (forks, frozenset[int]())]
    best = min(candidates, key=lambda b: products(t, b))
    return best if products(t, best) < MAX_PRODUCT_RATIO * products(t, uncut) else uncut


def _improved(t: Topology, cuts: frozenset[int], forks: frozenset[int]) -> Branches:
    """Branches that no single cut made or taken back improves, starting from these."""
    best = cut_at(t, cuts)
    while forks:
        count, fork = min((products(t, cut_at(t, cuts ^ {fork})), fork) for fork in forks)
        if count >= products(t, best):
            break
        cuts ^= {fork}
        best = cut_at(t, cuts)
    return best


def forks_of(t: Topology) -> list[int]:
    """Links with several children that bear dofs."""
    has_dofs = [bool(t.dofs_of(i)) for i in range(len(t.links))]
    for i in range(len(t.links) - 1, 0, -1):
        has_dofs[t.links[i].parent] |= has_dofs[i]
    return [i for i in range(len(t.links)) if sum(has_dofs[child] for child in t.children(i)) > 1]


def cut_at(t: Topology, cuts: frozenset[int]) -> Branches:
    """Branches that begin behind these links; a floating root is one by itself, unless nothing is cut."""
    branch_starts = [0]        # per link: the link behind a cut, or the root, that its branch begins with
    for i, link in enumerate(t.links[1:], 1):
        branch_starts.append(i if link.parent in cuts else branch_starts[link.parent])
    root = tuple(range(t.root_size))
    members: dict[int, list[int]] = {-1 if cuts else 0: list(root)} if root else {}
    for dof in t.depth_first():
        members.setdefault(branch_starts[t.dofs[dof].link], []).append(t.root_size + dof)
    velocities, support = tuple(map(tuple, members.values())), supports(t)
    supported: dict[int, set[int]] = {}         # velocity -> the branches that it supports
    for branch, run in enumerate(velocities):
        for i in run:
            for k in support[i]:
                supported.setdefault(k, set()).add(branch)
    trunks = tuple(tuple(sorted({k for i in run for k in support[i] if len(supported[k]) > 1})) for run in velocities)
    return Branches(velocities, trunks, tuple(support))


def products(t: Topology, b: Branches) -> int:
    """Products of M^-1 and X in an iteration over all dofs, without tendons and mimic joints."""
    trunks = {i: frozenset(b.trunk_of[i]) for i in range(t.nv)}
    missing: list[set[int]] = [set() for _ in b.velocities]     # per branch: the y that have changed since its turn
    visits = [(branch, list(run)) for branch, run in itertools.groupby(
        t.depth_first(), lambda dof: b.branch_of[t.root_size + dof])]
    count = 0
    for branch, dofs in [*visits, *((branch, []) for branch in range(len(missing)))]:
        count += sum(len(missing[branch] & trunks[i]) for i in b.velocities[branch])
        count += sum(len(b.velocities[branch]) + len(trunks[t.root_size + dof]) for dof in dofs)
        for y in missing:
            y.update(*(trunks[t.root_size + dof] for dof in dofs))
        missing[branch].clear()
    return count
