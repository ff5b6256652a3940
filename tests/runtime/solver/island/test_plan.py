"""Which links of one articulation PhysX reads wrongly where a joint holds them together."""

from __future__ import annotations

import pytest
from physx_runtime.model.island import LINK, WORLD, SolverBody
from physx_runtime.solver.island.plan import ancestor_and_link
from support.chance.packed_islands import HINGE, joint
from support.chance.packed_trees import random_tree

CHAIN = random_tree(0, 4, False, "rrr")[0]
PARENTS = [link.parent for link in CHAIN.links]


def misread(first: SolverBody, second: SolverBody) -> tuple[int, int] | None:
    return ancestor_and_link(CHAIN, joint(HINGE, first, second))


@pytest.mark.parametrize("link", range(1, len(PARENTS)))
def test_a_link_and_the_root_are_read_right(link: int) -> None:
    assert misread(SolverBody(LINK, 0, 0), SolverBody(LINK, 0, link)) is None
    assert misread(SolverBody(LINK, 0, link), SolverBody(LINK, 0, 0)) is None


def test_a_link_and_its_ancestor_are_misread_whichever_is_named_first() -> None:
    child = next(i for i, parent in enumerate(PARENTS) if parent > 0)
    assert misread(SolverBody(LINK, 0, PARENTS[child]), SolverBody(LINK, 0, child)) == (PARENTS[child], child)
    assert misread(SolverBody(LINK, 0, child), SolverBody(LINK, 0, PARENTS[child])) == (PARENTS[child], child)


def test_links_of_different_articulations_and_the_world_are_read_right() -> None:
    child = next(i for i, parent in enumerate(PARENTS) if parent > 0)
    assert misread(SolverBody(LINK, 0, PARENTS[child]), SolverBody(LINK, 1, child)) is None
    assert misread(SolverBody(WORLD), SolverBody(LINK, 0, child)) is None
