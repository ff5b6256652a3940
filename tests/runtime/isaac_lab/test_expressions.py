"""Expressions of a configuration are evaluated from their syntax, and what is not evaluated is named."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from physx_runtime.isaac_lab.modules import read_module
from physx_runtime.isaac_lab.values import ConfigObject, NotEvaluated
from support.isaac_lab import HEADER

from physx_schema.errors import UnreadableError


def value(folder: Path, expression: str, before: str = "") -> object:
    path = folder / "values.py"
    path.write_text(f"{HEADER}import numpy as np\nfrom other import OTHER, make\n{before}\nx = {expression}\n",
                    encoding="utf-8")
    return read_module(path).names["x"]


@pytest.mark.parametrize("expression", [
    "2 * 3.5 + 1", "-(4 ** 0.5)", "7 // 2", "10 % 4", "'a' + 'b' * 3", "[1, 2] + [3]", "(1, 2) * 2",
    "{'a': 1} | {'b': 2}", "{**{'a': 1}, 'b': 2}", "[*range(3), 9]", "f'joint_{1 + 1}'", "f'{3.14159:.2f}'",
    "{f'joint_{i}': 0.1 * i for i in range(4) if i % 2}", "[a + b for a in 'xy' for b in 'uv']", "1 < 2 < 3",
    "'a' if not False else 'b'", "None or 5", "[1, 2, 3][-1]", "[1, 2, 3][1:]", "{'a': {'b': 7}}['a']['b']",
    "max(1, 2, abs(-3))", "sorted([3, 1])", "sum([1, 2])", "dict(a=1)", "len('abc')", "list({'a': 1}.items())",
    "[(a, b) for a, b in zip([1, 2], [3, 4])]", "'ABC'.lower()", "round(2.345, 1)", "{'a': 1}.get('b', 4)"])
def test_the_value_is_that_of_python(expression: str, tmp_path: Path) -> None:
    assert value(tmp_path, expression) == eval(expression)


@pytest.mark.parametrize(("expression", "expected"), [
    ("math.pi / 2", math.pi / 2), ("math.radians(90)", math.pi / 2), ("np.deg2rad(180.0)", math.pi),
    ("np.inf", math.inf)])
def test_the_functions_of_mathematics_are_known(expression: str, expected: float, tmp_path: Path) -> None:
    assert value(tmp_path, expression) == pytest.approx(expected)


@pytest.mark.parametrize(("expression", "reason"), [
    ("[OTHER][0]", "OTHER of other is not in a file beside the configuration"),
    ("2 * OTHER", "OTHER of other is not in a file beside the configuration"),
    ("make(3)", "the function make of other is not run"),
    ("missing + 1", "the name missing is not defined in the file"),
    ("open('/etc/passwd').read()", "the name open is not defined in the file"),
    ("__import__('os').system('true')", "the name __import__ is not defined in the file"),
    ("(lambda: 1)()", "expressions of this kind are not evaluated"),
    ("1 / 0", "evaluating the expression fails: division by zero"),
    ("10 ** 10 ** 10", "the operation is not evaluated"),
    ("'a' * 10 ** 9", "the operation is not evaluated"),
    ("list(range(10 ** 7))", "the value has more than 100000 items"),
    ("'%1000000000d' % 1", "the operation is not evaluated"),
    ("f'{1:>1000000000}'", "the text has a part that is not a number or a text"),
    ("().__class__.__base__", "the configuration does not give __class__"),
    ("getattr(1, 'real')", "the name getattr is not defined in the file"),
    ("'{0.__class__}'.format(1)", "the method format is not run")])
def test_what_is_not_evaluated_has_its_line_expression_and_reason(expression: str, reason: str, tmp_path: Path) -> None:
    found = value(tmp_path, expression)
    assert isinstance(found, NotEvaluated)
    assert found.reason == reason
    assert found.place.line == HEADER.count("\n") + 4


def test_a_deep_expression_is_refused_in_one_line(tmp_path: Path) -> None:
    found = value(tmp_path, "+".join(["1"] * 200))
    assert isinstance(found, NotEvaluated)
    assert found.reason == "the expression is nested too deeply"


def test_a_loop_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "loops.py"
    path.write_text("for a in range(90000):\n    for b in range(90000):\n        c = a\n", encoding="utf-8")
    with pytest.raises(UnreadableError, match="takes too many steps"):
        read_module(path)


def test_a_copy_has_its_own_fields(tmp_path: Path) -> None:
    found = value(tmp_path, "A.replace(damping=2.0)", "A = ImplicitActuatorCfg(stiffness={'a': 1.0}, damping=1.0)")
    assert isinstance(found, ConfigObject)
    assert (found.value("stiffness"), found.value("damping")) == ({"a": 1.0}, 2.0)


def test_nothing_of_a_configuration_runs(tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    found = value(tmp_path, f"open({str(trace)!r}, 'w').write('ran')",
                  f"import pathlib\npathlib.Path({str(trace)!r}).touch()\nimport os\nos.mkdir({str(trace)!r})\n")
    assert isinstance(found, NotEvaluated)
    assert not trace.exists()
