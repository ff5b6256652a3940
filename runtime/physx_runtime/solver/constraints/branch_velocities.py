"""Velocities during an iteration, updated branch by branch of the tree: v + dv + X (y - y_in)."""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics.inverse_mass import Branches
from physx_runtime.dynamics.linear import inner, plus
from physx_runtime.language.ops import Rows, Scalar, Scalars

BLOCK_SIZE = 4        # velocities that are summed together, tuned by measurement


class BranchVelocities:
    """All velocities in an iteration: v + dv + X (y - y_in), with dv by branch.

    y = X^T F of the impulses F so far; y_in is the part already in the dv of a branch. Impulses on a branch change its
    own dv by the block of M^-1, and y at once. `update` adds the rest of y to the dv of a branch. Tendons and mimic
    joints read the missing part as well. With a single branch y is empty, and M^-1 is complete.
    """

    def __init__(self, branches: Branches, rows: Rows, dv: Sequence[Scalar]) -> None:
        self.branches, self.dv = branches, list(dv)
        self._rows, self._n = rows, len(self.dv)
        self._y: list[Scalar] = [0.0] * self._n
        self._y_in = [list(self._y) for _ in branches.velocities]
        self._impulses: list[tuple[int, Scalar]] = []     # of the current branch: velocity, impulse
        self._applied = [0] * self._n                    # number of them in dv

    def _factor(self, i: int, k: int) -> Scalar:
        """X[i][k]."""
        return self._rows["minv_factor"][i * self._n + k]

    def _missing(self, branch: int) -> dict[int, Scalar]:
        """y - y_in of a branch, where that is not 0."""
        y_in = self._y_in[branch]
        return {k: self._y[k] - y_in[k] for k in self.branches.trunks[branch] if self._y[k] is not y_in[k]}

    def current(self, i: int) -> Scalar:
        """v + dv of one velocity, up to date."""
        # v_i + dv_i + sum_k X_ik (y_k - y_in_k)
        v = self._rows["v"][i] + self.dv[i]
        for k, y in self._missing(self.branches.branch_of[i]).items():
            if k in self.branches.supports[i]:
                v = v + self._factor(i, k) * y
        return v

    def rate(self, row: Scalars) -> Scalar:
        """row (v + dv), up to date.

        Branches that lack the same y share a product; its factor row X does not change in a step.
        """
        # J (v + dv) + sum_k (J X)_k (y_k - y_in_k)
        total = inner(row, plus(self._rows["v"], self.dv))
        factors: dict[tuple[int, int], tuple[Scalar, Scalar]] = {}      # k and which y_in -> (factor, y - y_in)
        for branch, velocities in enumerate(self.branches.velocities):
            for k, y in self._missing(branch).items():
                factor = inner([row[i] for i in velocities if k in self.branches.supports[i]],
                               [self._factor(i, k) for i in velocities if k in self.branches.supports[i]])
                key = k, id(self._y_in[branch][k])
                factors[key] = factors.get(key, (0.0, y))[0] + factor, y
        for factor, y in factors.values():
            total = total + factor * y
        return total

    def add(self, *responses: tuple[Scalars, Scalar]) -> None:
        """Change all velocities by each (column of M^-1, impulse along its row)."""
        # dv += M^-1 J^T F
        for i in range(self._n):
            for column, impulse in responses:
                self.dv[i] = self.dv[i] + column[i] * impulse

    def add_within(self, branch: int, *responses: tuple[Scalars, Scalars, Scalar]) -> None:
        """The same for rows within a branch and its trunk: (column, y of the trunk for a unit impulse, impulse)."""
        y_in = self._y_in[branch]
        # y_k += (X^T J^T)_k F, and the branch has it in its dv at once
        for index, k in enumerate(self.branches.trunks[branch]):
            for _, y, impulse in responses:
                change = y[index] * impulse
                self._y[k], y_in[k] = self._y[k] + change, y_in[k] + change
        for i in self.branches.velocities[branch]:
            for column, _, impulse in responses:
                self.dv[i] = self.dv[i] + column[i] * impulse

    def update(self, branch: int) -> None:
        """dv += X (y - y_in), and make this branch the current one."""
        for k, y in self._missing(branch).items():
            for i in self.branches.velocities[branch]:
                if k in self.branches.supports[i]:
                    self.dv[i] = self.dv[i] + self._factor(i, k) * y
        self._y_in[branch] = list(self._y)

    def add_impulse(self, i: int, impulse: Scalar) -> None:
        """Add an impulse on one velocity of the current branch; `apply_impulses` adds it to dv."""
        self._impulses.append((i, impulse))
        # y_k += X_ik F
        for k in self.branches.trunk_of[i]:
            self._y[k] = self._y[k] + self._factor(i, k) * impulse

    def apply_impulses(self, velocities: Sequence[int]) -> None:
        """dv += M^-1 F of the impulses of this branch so far, for these of its velocities.

        A few velocities are summed together, shortly before they are read. That keeps fewer values alive than if every
        impulse changed all velocities at once.
        """
        # dv_i += (M^-1)_ij F_j
        for index in range(min(self._applied[i] for i in velocities), len(self._impulses)):
            source, impulse = self._impulses[index]
            for i in velocities:
                if self._applied[i] <= index:
                    self.dv[i] = self.dv[i] + self._rows["minv"][i * self._n + source] * impulse
        for i in velocities:
            self._applied[i] = len(self._impulses)

    def finish_branch(self, branch: int) -> None:
        """Apply the impulses of a branch to all its velocities."""
        velocities = self.branches.velocities[branch]
        for first in range(0, len(velocities), BLOCK_SIZE):
            self.apply_impulses(velocities[first:first + BLOCK_SIZE])
        self._y_in[branch] = list(self._y)
        self._impulses, self._applied = [], [0] * self._n
