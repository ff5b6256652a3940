"""Dataclasses print the fields that differ from their defaults, and of arrays the shape."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from physx_schema.field_text import fields_repr


@dataclass(frozen=True)
class Sample:
    """A dataclass of every kind of field."""

    name: str
    value: float = 0.0
    values: Any = None
    hidden: int = field(default=1, repr=False)
    parts: tuple[int, ...] = field(default_factory=tuple)

    __repr__ = fields_repr


def test_fields_with_their_defaults_are_left_out() -> None:
    assert repr(Sample("a")) == "Sample(name='a')"


def test_fields_that_differ_are_printed() -> None:
    assert repr(Sample("a", 1 / 3, "x", 2, (1, 2))) == "Sample(name='a', value=0.333333, values='x', parts=(1, 2))"


def test_of_an_array_type_and_shape_are_printed() -> None:
    assert repr(Sample("a", values=np.zeros((9, 3)))) == "Sample(name='a', values=<float64 (9, 3)>)"


def test_a_short_vector_is_printed_whole() -> None:
    assert repr(Sample("a", values=np.array([0.5, 1.0]))) == "Sample(name='a', values=[0.5, 1])"
