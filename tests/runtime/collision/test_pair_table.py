"""Pairs that touch are listed as PhysX lists them: those within an articulation close a gap with their last one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime.collision.pair_table import LISTED, order_touching
from physx_runtime.collision.shapes import FREE, PAIR, SHAPE

Array = NDArray[Any]

ROBOT, OTHER = 1, 2             # articulations
COUNT = 8                       # of links of each, and of bodies


class World:
    """Pairs of a world, one in each row, that touch or do not."""

    def __init__(self, sides: Sequence[tuple[int, int]]) -> None:
        self.shapes = np.zeros(3 * COUNT, SHAPE)
        self.shapes["articulation"] = np.repeat([0, ROBOT, OTHER], COUNT)
        self.rows = np.zeros(len(sides), PAIR)
        self.rows["shape0"], self.rows["shape1"] = np.array(sides).T
        self.rows["creation_index"] = self.rows["slot"] = np.arange(len(sides))
        self.listed = np.zeros(0, LISTED)

    def step(self, *touching: int) -> list[int]:
        """The rows of pairs that touch, in their order."""
        self.rows["contacts"] = np.isin(np.arange(len(self.rows)), touching)
        awake = np.ones(len(self.rows), np.bool_)
        found, self.listed = order_touching(self.rows, self.shapes, self.listed, awake)
        return [int(row) for row in found]


def within(articulation: int, count: int) -> list[tuple[int, int]]:
    """Pairs of links of one articulation."""
    first = articulation * COUNT
    return [(first, first + 1 + i) for i in range(count)]


def test_pairs_that_begin_in_one_step_are_listed_by_their_places_in_the_pool() -> None:
    world = World(within(ROBOT, 3))
    world.rows["slot"] = [2, 0, 1]
    assert world.step(0, 1, 2) == [1, 2, 0]


def test_the_last_pair_within_an_articulation_takes_the_place_of_one_that_parts() -> None:
    world = World(within(ROBOT, 5))
    world.step(0, 1, 2, 3, 4)
    assert world.step(0, 2, 3, 4) == [0, 2, 3, 4]           # the step in which it parts keeps the order
    assert world.step(0, 2, 3, 4) == [0, 4, 2, 3]


def test_a_pair_that_begins_as_another_parts_is_the_last_one() -> None:
    world = World(within(ROBOT, 4))
    world.step(0, 1, 2)
    world.step(1, 2, 3)
    assert world.step(1, 2, 3) == [3, 1, 2]


@pytest.mark.parametrize("sides", [[(i, i + 1) for i in range(4)], [(i, COUNT) for i in range(4)],
                                   [(COUNT + i, 2 * COUNT + i) for i in range(4)]])
def test_pairs_of_bodies_and_between_articulations_close_ranks(sides: list[tuple[int, int]]) -> None:
    world = World(sides)
    world.step(0, 1, 2, 3)
    world.step(0, 2, 3)
    assert world.step(0, 2, 3) == [0, 2, 3]


def test_the_gap_of_an_articulation_is_closed_by_its_own_pair() -> None:
    world = World([*within(ROBOT, 3), *within(OTHER, 2)])
    world.step(0, 1, 2, 3, 4)
    world.step(1, 2, 3, 4)
    assert world.step(1, 2, 3, 4) == [2, 1, 3, 4]


def test_articulations_of_two_worlds_close_their_own_gaps() -> None:
    world = World([*within(ROBOT, 3), *within(OTHER, 2)])
    world.shapes["articulation"] = ROBOT
    world.shapes["world"] = np.repeat([0, 0, 1], COUNT)
    world.step(0, 1, 2, 3, 4)
    world.step(1, 2, 3, 4)
    assert world.step(1, 2, 3, 4) == [2, 1, 3, 4]


def test_of_several_that_part_in_one_step_those_go_first_whose_bounds_part() -> None:
    world = World(within(ROBOT, 5))
    world.step(0, 1, 2, 3, 4)
    world.rows["shape0"][1] = FREE
    world.step(2, 3, 4)
    assert world.step(2, 3, 4) == [3, 4, 2]


def test_of_several_that_part_in_one_step_and_stay_near_those_go_first_whose_place_in_the_pool_is_lower() -> None:
    world = World(within(ROBOT, 5))
    world.step(0, 1, 2, 3, 4)
    world.step(2, 3, 4)
    assert world.step(2, 3, 4) == [4, 3, 2]


def test_a_row_that_another_pair_has_taken_is_not_listed_for_it() -> None:
    world = World(within(ROBOT, 3))
    world.step(0, 1, 2)
    world.rows["creation_index"][0], world.rows["touching"][0] = 9, 0
    assert world.step(0, 1, 2) == [1, 2, 0]
