"""Vectors and matrices of any size as lists of scalars: products, inverses, and Cholesky's factors to solve with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from physx_runtime.language.ops import Scalar, Scalars, sqrt

Matrix = list[list[Scalar]]
BLOCK_SIZE = 4        # sums that grow together, by measurement


def subtract(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    """a - b."""
    return [x - y for x, y in zip(a, b, strict=True)]


def plus(a: Scalars, b: Scalars) -> list[Scalar]:
    """a + b."""
    return [x + y for x, y in zip(a, b, strict=True)]


def times(matrix: Matrix, vector: Sequence[Scalar]) -> list[Scalar]:
    """minv row^T; the sums of a few lines grow together, so that a number of the row serves all of them at once."""
    out: list[Scalar] = [0.0] * len(matrix)
    for first in range(0, len(matrix), BLOCK_SIZE):
        for j, x in enumerate(vector):
            for i in range(first, min(first + BLOCK_SIZE, len(matrix))):
                out[i] = out[i] + matrix[i][j] * x
    return out


def inner(a: Scalars, b: Scalars) -> Scalar:
    """Sum of products."""
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def cholesky(A: Sequence[Sequence[Scalar]], pivot: Callable[[int, Scalar], Scalar] | None = None) -> Matrix:
    """L of A = L L^T for a symmetric positive definite matrix, with the inverse of its diagonal on the diagonal.

    pivot: makes of the square of the i-th diagonal entry what is taken in its place.
    """
    n = len(A)
    L: Matrix = [[0.0] * n for _ in range(n)]
    for i in range(n):
        # L_ij = (A_ij - sum_(k < j) L_ik L_jk) / L_jj, L_ii = sqrt(A_ii - sum_(k < i) L_ik^2)
        for j in range(i):
            L[i][j] = (A[i][j] - inner(L[i][:j], L[j][:j])) * L[j][j]
        square = A[i][i] - inner(L[i][:i], L[i][:i])
        L[i][i] = 1.0 / sqrt(pivot(i, square) if pivot else square)
    return L


def solve_lower(L: Matrix, b: Scalars) -> list[Scalar]:
    """y with L y = b, the inverse of L's diagonal on its diagonal."""
    y: list[Scalar] = []
    for i, value in enumerate(b):
        y.append((value - inner(L[i][:i], y)) * L[i][i])
    return y


def solve_symmetric(A: Sequence[Sequence[Scalar]], b: Sequence[Scalar]) -> list[Scalar]:
    """x with A x = b for a symmetric positive definite matrix."""
    n, L = len(b), cholesky(A)
    y = solve_lower(L, b)
    x: list[Scalar] = [0.0] * n
    # L^T x = y, from the last entry
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - inner([L[j][i] for j in range(i + 1, n)], x[i + 1:])) * L[i][i]
    return x


def inverse(M: Matrix) -> Matrix:
    """M^-1 of a symmetric positive definite matrix, by its LTL factorisation."""
    return inverse_of_factor(inverse_factor(M))


def inverse_factor(M: Matrix) -> Matrix:
    """X = L^-1 of the factorisation M = L^T L of a symmetric positive definite matrix, L lower triangular.

    Rows are eliminated from the last, which keeps the zeros of a branching tree (RBDA table 6.3): X[i][k] is not 0 only
    where k supports i.
    """
    n = len(M)
    L = [list(row) for row in M]
    # L_kj = (M_kj - sum_(i > k) L_ik L_ij) / L_kk  (RBDA table 6.3)
    for k in range(n - 1, -1, -1):
        for j in range(k + 1):
            for i in range(n - 1, k, -1):
                L[k][j] = L[k][j] - L[i][k] * L[i][j]
        pivot = 1.0 / sqrt(L[k][k])
        L[k] = [x * pivot for x in L[k][:k]] + [pivot]           # the inverse of the diagonal is kept
    return _inverse_of_lower(L)


def inverse_of_factor(X: Matrix) -> Matrix:
    """M^-1 = L^-1 L^-T = X X^T."""
    n = len(X)
    return [[_sum(X[i][k] * X[j][k] for k in range(min(i, j) + 1)) for j in range(n)] for i in range(n)]


def _inverse_of_lower(L: Matrix) -> Matrix:
    """L^-1, where L[i][i] already holds the inverse of the diagonal."""
    n = len(L)
    X: Matrix = [[0.0] * n for _ in range(n)]
    # X_ij = -L_ii^-1 sum_(j <= k < i) L_ik X_kj
    for j in range(n):
        X[j][j] = L[j][j]
        for i in range(j + 1, n):
            X[i][j] = -(L[i][i] * _sum(L[i][k] * X[k][j] for k in range(j, i)))
    return X


def _sum(values: Iterable[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for value in values:
        total = total + value
    return total
