"""What a log determines: directions of the smooth unknowns that it does not show, and the variances of the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from physx_runtime.arrays import DoubleArray, Flags
from physx_runtime.identification.residuals import Linearization
from physx_runtime.identification.unknowns import Unknowns

MAX_SIGMA = 0.3             # of the logarithm of an unknown or a direction, above which it is not determined
NO_EFFECT = 10.0            # of a logarithm's standard deviation, above which the unknown does not act
NAMED = 4                   # members of a direction that are named
MIN_MEMBER = 0.2            # weight in a direction from which a member is named


@dataclass(frozen=True, slots=True)
class Determinacy:
    """Standard deviations of smooth unknowns and the directions that the log does not determine."""

    sigma: DoubleArray              # (n_column,) of x
    determined: Flags               # (n_column,)
    directions: tuple[str, ...]     # in words


def determinacy(linear: Linearization, unknowns: Unknowns, mean_square: float, more: DoubleArray) -> Determinacy:
    """From derivatives with small steps, without priors.

    mean_square: of the residuals, the scale of the variances. more: (n_column,) variance from what has no derivatives.
    """
    columns = linear.columns
    if not len(columns):
        return Determinacy(np.zeros(0), np.zeros(0, np.bool_), ())
    information = linear.information() / mean_square
    values, vectors = np.linalg.eigh(information)
    sigmas = 1.0 / np.sqrt(np.maximum(values, 1e-24))
    lost = sigmas > MAX_SIGMA
    without_prior = np.sqrt((vectors**2) @ sigmas**2)
    names = [unknowns.items[i].name for i in columns]
    words = tuple(_in_words(vectors[:, k], float(sigmas[k]), names) for k in np.flatnonzero(lost)[::-1])
    # the prior keeps what is not seen finite
    covariance = np.linalg.inv(information + np.diag(1.0 / unknowns.prior[columns]**2))
    sigma = np.sqrt(np.diagonal(covariance) + more)
    return Determinacy(sigma, without_prior <= MAX_SIGMA, words)


def _in_words(direction: DoubleArray, sigma: float, names: list[str]) -> str:
    order = [int(i) for i in np.argsort(-np.abs(direction))[:NAMED] if abs(direction[i]) >= MIN_MEMBER]
    if len(order) == 1:
        if sigma > NO_EFFECT:
            return f"{names[order[0]]}: it has no effect on the logged motion"
        return f"{names[order[0]]}: its size is known to a factor of {np.exp(sigma):.3g} only"
    same = {bool(direction[i] > 0.0) for i in order}
    members = " and ".join([", ".join(names[i] for i in order[:-1]), names[order[-1]]])
    known = ("their ratio may be known, their common size is not" if len(same) == 1
             else "they may be exchanged for each other")
    return f"{members} together: {known}"
