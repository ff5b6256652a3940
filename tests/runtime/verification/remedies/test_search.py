"""Root finding on laws whose roots are known in closed form."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import pytest
from physx_runtime.verification.remedies.search import SOLVED_TOLERANCE, Search, solve

Laws = Mapping[str, Callable[[Mapping[str, float]], float | None]]


def solved(laws: Laws, **wanted: float) -> dict[str, Search]:
    """The searches for these effects under these laws, solved or not."""
    searches = {name: Search(value, value) for name, value in wanted.items()}
    solve(searches, lambda values: {name: laws[name](values) for name in laws if name in values}, lambda *_: None)
    return searches


@pytest.mark.parametrize(("law", "root"), [
    (lambda x: 0.5 * x, 200.0),
    (lambda x: x / (1.0 + x / 300.0), 150.0),
    (lambda x: x ** 2 / 40.0, math.sqrt(4000.0)),
    (lambda x: x + 7.0, 93.0),
    (lambda x: -3.0 * x, -100.0 / 3.0),
    (lambda x: 1e-6 * x, 1e8),
    (lambda x: None if x > 130.0 else 0.8 * x, 125.0),
])
def test_value_with_the_wanted_effect_is_found(law: Callable[[float], float | None], root: float) -> None:
    search = solved({"a": lambda values: law(values["a"])}, a=100.0)["a"]
    assert search.solved
    assert search.value == pytest.approx(root, rel=2.0 * SOLVED_TOLERANCE)


def test_values_that_act_on_each_other_are_found_together() -> None:
    # stiffness k and damping d of an implicit spring: both are divided by 1 + k + d
    laws: Laws = {"k": lambda v: v["k"] / (1.0 + 0.01 * v["k"] + 0.02 * v["d"]),
                  "d": lambda v: v["d"] / (1.0 + 0.01 * v["k"] + 0.02 * v["d"])}
    found = solved(laws, k=20.0, d=10.0)
    share = 1.0 / (1.0 - 0.2 - 0.2)         # with effects K and D the divisor is 1 / (1 - 0.01 K - 0.02 D)
    assert [found[name].value for name in "kd"] == pytest.approx([20.0 * share, 10.0 * share],
                                                                 rel=4.0 * SOLVED_TOLERANCE)


def test_a_value_that_is_found_first_follows_the_others() -> None:
    # b is right at once, and no longer when a has grown
    laws: Laws = {"a": lambda v: v["a"] / (1.0 + v["a"] / 300.0),
                  "b": lambda v: v["b"] * (1.0 + 1e-3 * (v["a"] - 100.0))}
    found = solved(laws, a=100.0, b=10.0)
    assert [found[name].value for name in "ab"] == pytest.approx([150.0, 10.0 / 1.05], rel=4.0 * SOLVED_TOLERANCE)


def test_an_effect_that_saturates_below_is_given_up_near_its_end() -> None:
    searches = {"a": Search(100.0, 100.0)}
    assert solve(searches, lambda v: {"a": 80.0 * v["a"] / (5.0 + v["a"])}, lambda *_: None) == set()
    nearest = searches["a"].closest
    assert nearest is not None
    assert nearest[1] == pytest.approx(80.0, rel=1e-2)
    assert searches["a"].value == 100.0


def test_values_stay_within_their_bounds() -> None:
    searches = {"a": Search(1.0, 1.0, upper=2.0)}
    assert solve(searches, lambda v: {"a": 0.25 * v["a"]}, lambda *_: None) == set()
    assert searches["a"].closest == (2.0, 0.5)


def test_a_number_that_the_trials_alter_joins_them() -> None:
    searches = {"a": Search(1.0, 1.0)}

    def measured(values: Mapping[str, float]) -> dict[str, float | None]:
        a, b = values["a"], values.get("b", 1.0)
        return {"a": 0.5 * a, "b": b / a}

    joined = solve(searches, measured, lambda name, effect: Search(1.0, 1.0) if abs(effect - 1.0) > 0.01 else None)
    assert joined == {"a", "b"}
    assert {name: search.value for name, search in searches.items()} == {"a": 2.0, "b": 2.0}


def test_four_digits_are_authored_where_they_do() -> None:
    search = solved({"a": lambda values: values["a"] / 3.0}, a=1.0)["a"]
    assert search.value == 3.0
