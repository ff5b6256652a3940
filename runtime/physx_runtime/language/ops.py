"""The functions algorithms use besides + - * /: one name for floats, NumPy arrays and symbols alike.

Called on numbers they compute, so a float run of an algorithm is its float64 reference and an array run evaluates it
for many worlds at once; called on symbols they record.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from physx_runtime.arrays import Array
from physx_runtime.arrays import Scalar as Scalar
from physx_runtime.language.symbols import Symbol

# The scalars of one row group, and all row groups by name.
Scalars = Sequence[Scalar] | Array
Rows = Mapping[str, Scalars]

# pi/2 in three parts; the first two have few bits, so their products with small integers are exact in float32 too.
HALF_PI_HIGH, HALF_PI_MIDDLE = 1.5703125, 4.8351287841796875e-04
HALF_PI_LOW = 3.139164786504813e-07
TWO_OVER_PI = 0.6366197723675814
# Taylor coefficients up to x^15 and x^16: below one ulp of float64 on [-pi/4, pi/4].
SIN_SERIES = (-1 / 6, 1 / 120, -1 / 5040, 1 / 362880, -1 / 39916800, 1 / 6227020800, -1 / 1307674368000)
# Of atan(t)/t in t^2, below one ulp of float64 for t up to tan(pi/16).
ATAN_SERIES = tuple((-1) ** n / (2 * n + 1) for n in range(12))
COS_SERIES = (-1 / 2, 1 / 24, -1 / 720, 1 / 40320, -1 / 3628800, 1 / 479001600, -1 / 87178291200, 1 / 20922789888000)


def first_symbol(*values: Scalar) -> Symbol | None:
    """The first symbol among `values`, None where all are numbers."""
    return next((v for v in values if isinstance(v, Symbol)), None)


def where(condition: Scalar, a: Scalar, b: Scalar) -> Scalar:
    """`a` where the condition holds, else `b`; both are evaluated."""
    if type(condition) is bool:
        return a if condition else b
    symbol = first_symbol(condition, a, b)
    if symbol is None:
        # of single numbers the chosen one itself, so that a constant does not turn float32 into float64
        return np.where(condition, a, b) if np.ndim(condition) else (a if condition else b)
    if not isinstance(condition, Symbol):
        return a if condition else b
    return symbol.graph.apply("select", condition, a, b)


def logical_not(condition: Scalar) -> Scalar:
    """Where the condition does not hold."""
    if type(condition) is bool:
        return not condition
    return ~condition if isinstance(condition, Symbol) else np.logical_not(condition)


def unlikely(condition: Scalar) -> Scalar:
    """The condition, said to hold in few worlds: what only selections under it need may be left out where none asks."""
    return condition.graph.apply("rarely", condition) if isinstance(condition, Symbol) else condition


def minimum(a: Scalar, b: Scalar) -> Scalar:
    """The smaller value; `a` where they do not compare, so a NaN in `a` is kept."""
    return where(b < a, b, a)


def maximum(a: Scalar, b: Scalar) -> Scalar:
    """The larger value; `a` where they do not compare, so a NaN in `a` is kept."""
    return where(a < b, b, a)


def clamp(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """`x` moved into [low, high]; NaN stays NaN."""
    return minimum(maximum(x, low), high)


def sqrt(x: Scalar) -> Scalar:
    """Square root."""
    if isinstance(x, Unfused | Single):
        return type(x)(sqrt(x.value))
    return x.graph.apply("sqrt", x) if isinstance(x, Symbol) else np.sqrt(x)


def single(x: Scalar) -> Scalar:
    """`x` rounded to float32, in its own precision."""
    return x.graph.apply("single", x) if isinstance(x, Symbol) else np.float32(x) * np.ones_like(x)


def floor(x: Scalar) -> Scalar:
    """Largest integer not above `x`, as a floating-point number."""
    if type(x) is float and -math.inf < x < math.inf:
        return x // 1.0
    return x.graph.apply("floor", x) if isinstance(x, Symbol) else np.floor(x)


def sincos(x: Scalar) -> tuple[Scalar, Scalar]:
    """(sin x, cos x) by Cody-Waite reduction and polynomials: no branch, the same on every target.

    Error below 2 ulp for |x| up to 1e4.
    """
    quarter_turns = floor(x * TWO_OVER_PI + 0.5)
    r = ((x - quarter_turns * HALF_PI_HIGH) - quarter_turns * HALF_PI_MIDDLE) - quarter_turns * HALF_PI_LOW
    r2 = r * r
    sine = r + r * r2 * polynomial(SIN_SERIES, r2)
    cosine = 1.0 + r2 * polynomial(COS_SERIES, r2)
    half = floor(0.5 * quarter_turns)
    odd = half < 0.5 * quarter_turns                            # a quarter turn more: sine and cosine change places
    half_odd = floor(0.5 * half) < 0.5 * half             # a half turn more: the sine's sign changes
    s, c = where(odd, cosine, sine), where(odd, sine, cosine)
    sine, cosine = where(half_odd, -s, s), where((odd & logical_not(half_odd)) | (logical_not(odd) & half_odd), -c, c)
    if isinstance(x, Symbol):
        x.graph.slopes[sine.number] = (x.number, cosine.number, 1.0)
        x.graph.slopes[cosine.number] = (x.number, sine.number, -1.0)
    return sine, cosine


class Single:
    """A number whose sums, products and quotients are rounded to float32, whatever the precision of all the others."""

    __slots__ = ("value",)
    __array_ufunc__ = None          # numpy's float32 leaves arithmetic with it to the methods here

    def __init__(self, value: Scalar) -> None:
        self.value = single(value)

    def __add__(self, other: Single | float) -> Single:
        return Single(self.value + _plain(other))

    def __sub__(self, other: Single | float) -> Single:
        return Single(self.value - _plain(other))

    def __mul__(self, other: Single | float) -> Single:
        return Single(self.value * _plain(other))

    def __rsub__(self, other: float) -> Single:
        return Single(other - self.value)

    def __rtruediv__(self, other: float) -> Single:
        return Single(other / self.value)

    def __neg__(self) -> Single:
        return Single(-self.value)

    def __abs__(self) -> Single:
        return Single(abs(self.value))

    __radd__, __rmul__ = __add__, __mul__


def rounded(x: Scalar) -> Scalar:
    """`x` rounded by itself: a product does not become part of an fma."""
    return x.graph.apply("rounded", x) if isinstance(x, Symbol) else x


class Unfused:
    """A number whose sums round every product by itself, as code without fma does."""

    __slots__ = ("value",)

    def __init__(self, value: Scalar) -> None:
        self.value = value

    def __add__(self, other: Unfused | float) -> Unfused:
        return Unfused(self.value + _plain(other))

    def __sub__(self, other: Unfused | float) -> Unfused:
        return Unfused(self.value - _plain(other))

    def __mul__(self, other: Unfused | float) -> Unfused:
        return Unfused(rounded(self.value * _plain(other)))

    def __truediv__(self, other: Unfused) -> Unfused:
        return Unfused(self.value / other.value)

    def __rsub__(self, other: float) -> Unfused:
        return Unfused(other - self.value)

    def __rtruediv__(self, other: float) -> Unfused:
        return Unfused(other / self.value)

    def __neg__(self) -> Unfused:
        return Unfused(-self.value)

    __rmul__ = __mul__


def unfused(values: Scalars) -> list[Scalar]:
    """Each of the numbers as one that is `Unfused`."""
    return [Unfused(x) for x in values]


def plain(values: Scalars) -> list[Scalar]:
    """The numbers again, from those that are `Unfused`."""
    return [_plain(x) for x in values]


def _plain(x: Scalar) -> Scalar:
    if isinstance(x, Unfused | Single):
        return x.value
    return float(x) if isinstance(x, np.float32) else x


def arctan_series(square: Scalar) -> Scalar:
    """atan(t)/t of t^2, for |t| up to tan(pi/16)."""
    return polynomial(ATAN_SERIES, square)


def arctan2(y: Scalar, x: Scalar) -> Scalar:
    """The angle of the point (x, y), in [-pi, pi]; 0 at the origin. Error below 2 ulp of pi, relatively below 4 ulp."""
    abs_y, abs_x = abs(y), abs(x)
    steep = abs_x < abs_y
    larger = where(steep, abs_y, abs_x)
    u = where(steep, abs_x, abs_y) / where(larger > 0.0, larger, 1.0)
    for _ in range(2):                                  # the tangent of half the angle, down to the series' range
        u = u / (1.0 + sqrt(1.0 + u * u))
    angle = 4.0 * u * arctan_series(u * u)
    angle = where(steep, 0.5 * math.pi - angle, angle)
    angle = where(x < 0.0, math.pi - angle, angle)
    return where(y < 0.0, -angle, angle)


def polynomial(coefficients: tuple[float, ...], x: Scalar) -> Scalar:
    """The sum of coefficients times powers of x, the constant one first."""
    result: Scalar = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        result = result * x + coefficient
    return result
