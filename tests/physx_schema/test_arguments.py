"""Checks of arguments name the argument, its value and what is allowed, in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from physx_schema import arguments

JOINTS = ("/Robot/shoulder", "/Robot/elbow")


@pytest.mark.parametrize(("value", "text"), [
    ("spam", "'spam'"), ("two\nlines", r"'two\\nlines'"), (np.zeros((2, 2)), "array([[0., 0.], [0., 0.]])"),
    (object(), "<object object>"), ("\u202e", r"'\\u202e'")], ids=["text", "lines", "array", "object", "direction"])
def test_a_value_is_shown_in_one_line(value: object, text: str) -> None:
    assert arguments.display(value) == text.replace("\\\\", "\\")


def test_a_long_value_is_shortened() -> None:
    assert len(arguments.display("y" * 100_000)) < 200


@pytest.mark.parametrize(("name", "meant"), [
    ("/Robot/shuolder", "/Robot/shoulder"), ("elbow", "/Robot/elbow"), ("/Arm/elbow", "/Robot/elbow")])
def test_a_similar_name_is_suggested(name: str, meant: str) -> None:
    assert arguments.suggestion(name, JOINTS) == f"did you mean {meant}?"


def test_every_name_is_listed_where_none_is_similar() -> None:
    assert arguments.suggestion("spam", JOINTS) == "choose from /Robot/shoulder, /Robot/elbow"


def test_some_of_many_names_are_listed() -> None:
    assert arguments.listed(map(str, range(100))).endswith("58, 59 and 40 more")


WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: arguments.required_text("name", 3), "name is 3; give a string"),
    (lambda: arguments.required_texts("select", "DJ"), "select is 'DJ'; give a list of strings"),
    (lambda: arguments.required_texts("select", np.array(0.3)), "select is array(0.3); give a list of strings"),
    (lambda: arguments.required_texts("select", ["DJ", 3]), "select contains 3; give a list of strings"),
    (lambda: arguments.required_choice("mode", "push", ("force", "impulse")),
     "mode is 'push'; allowed are 'force', 'impulse'"),
    (lambda: arguments.required_choice("mode", ["force"], ("force", "impulse")),
     "mode is ['force']; allowed are 'force', 'impulse'"),
    (lambda: arguments.required_choice("kind", "jacobean", ("jacobian", *"abcdefgh")),
     "kind is 'jacobean'; did you mean jacobian?"),
    (lambda: arguments.required_flag("local", 1), "local is 1; give True or False"),
    (lambda: arguments.required_mapping("values", [1]), "values is [1]; give a dict"),
    (lambda: arguments.required_mapping("values", {1: 2}), "values has the key 1; give strings as keys"),
    (lambda: arguments.required_instance("spread", 3, dict, "give a dict"), "spread is 3; give a dict"),
]


@pytest.mark.parametrize(("call", "message"), WRONG, ids=[message for _, message in WRONG])
def test_a_wrong_argument_is_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == message


def test_a_flag_of_numpy_is_a_flag() -> None:
    assert arguments.required_flag("local", np.True_) is True
