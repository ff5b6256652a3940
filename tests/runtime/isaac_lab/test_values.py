"""Values of a configuration: classes with the defaults of their bases, and parts that are not evaluated."""

from __future__ import annotations

from physx_runtime.isaac_lab.values import ConfigClass, Entry, NotEvaluated, Place, shortened, unknown_parts

PLACE = Place("cfg.py", 3)


def test_an_object_has_copies_of_the_defaults_of_all_bases() -> None:
    base = ConfigClass("Base", PLACE, ("ImplicitActuatorCfg",), {"a": Entry({"x": 1}, PLACE), "b": Entry(1, PLACE)}, {})
    kind = ConfigClass("Mine", PLACE, (base,), {"b": Entry(2, PLACE)}, {})
    made = kind.instance()
    assert made.kinds == ("Mine", "Base", "ImplicitActuatorCfg")
    assert (made.value("a"), made.value("b")) == ({"x": 1}, 2)
    assert made.value("a") is not base.fields["a"].value


def test_parts_that_are_not_evaluated_are_found_in_containers() -> None:
    part = NotEvaluated(PLACE, "KP", "why")
    assert list(unknown_parts({"a": [1, (part,)], "b": part})) == [part, part]
    assert str(part.place) == "cfg.py:3"


def test_a_long_expression_is_cut_to_one_line() -> None:
    assert shortened("a +\n  b") == "a + b"
    assert len(shortened("x" * 500)) < 100
