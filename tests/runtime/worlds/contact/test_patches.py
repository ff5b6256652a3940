"""Patches in blocks: every patch in one of them, side by side with what has its turn and its structure."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from physx_runtime.worlds.contact.patches import DUMMY_ROWS, PatchBlocks, make_blocks

# Of three structures: how many of it are side by side, and the rows of one.
KNOWN: Any = SimpleNamespace(vector_widths=np.array([4, 1, 4]), sizes=np.array([10, 7, 3]))
SIZE = 50       # rows of a program


def blocks_of(numbers: list[int], turns: list[int]) -> PatchBlocks:
    owners = np.zeros(len(numbers), np.int64), np.zeros(len(numbers), np.int64)
    return make_blocks(KNOWN, np.array(numbers, np.int64), np.array(turns, np.int64), owners, SIZE)


def members_of(blocks: PatchBlocks) -> list[list[int]]:
    return [blocks.members[a:b].tolist() for a, b in zip(blocks.starts[:-1], blocks.starts[1:], strict=True)]


def test_patches_of_one_turn_and_structure_share_blocks_of_so_many() -> None:
    blocks = blocks_of([0, 0, 2, 0, 0, 0, 0, 2], [1, 0, 0, 0, 0, 0, 0, 0])
    assert members_of(blocks) == [[1, 3, 4, 5], [6], [2, 7], [0]]
    assert blocks.structures.tolist() == [0, 0, 2, 0]


def test_patches_without_a_turn_come_last_each_by_itself() -> None:
    blocks = blocks_of([1, 0, 1, 0], [-1, 3, -1, 3])
    assert members_of(blocks) == [[1, 3], [0], [2]]


def test_no_two_patches_have_a_row_in_common_nor_one_with_what_empty_lanes_touch() -> None:
    random = np.random.default_rng(0)
    numbers = random.integers(0, 3, 60)
    blocks = blocks_of(numbers.tolist(), random.integers(0, 5, 60).tolist())
    first, _ = blocks.locations
    used = np.concatenate([first[i] + np.arange(KNOWN.sizes[kind]) * KNOWN.vector_widths[kind]
                           for i, kind in enumerate(numbers.tolist())])
    assert len(np.unique(used)) == len(used)
    assert blocks.dummy_row >= SIZE
    assert used.min() >= blocks.dummy_row + DUMMY_ROWS
    assert used.max() < blocks.size


def test_nothing_that_touches_makes_no_block() -> None:
    assert len(blocks_of([], []).base) == 0
