"""Which links of one articulation PhysX reads wrongly where a joint holds them together.

Chains with a loop over an ancestor move as in real PhysX, which misreads the velocities there.
"""

from __future__ import annotations

import copy
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from physx_runtime import Scene
from physx_runtime.model.body_kind import LINK, STATIC
from physx_runtime.model.island import SolverBody
from physx_runtime.solver.island.plan import ancestor_and_link
from support.chance.packed_models import HINGE, joint, random_tree
from support.stages.robots import opened

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
    assert misread(SolverBody(STATIC), SolverBody(LINK, 0, child)) is None


# --- ancestors in PhysX ----------------------------------------------------------------------------------------------

DT, STEPS = 1 / 60, 10
# m, m/s and rad/s of chains that swing at 5 m/s for ten steps in float32; 4e-6, 9e-5 and 4e-4 were measured, and up to
# 4e-4 m and 0.5 m/s with velocities read right, which six of the eight show.
PLACE, SPEED, SPIN = 2e-5, 3e-4, 1e-3
# Links of the loop, how many the chain has, whether its base is fixed; iterations. The root is the base, or where the
# chain floats the link in its middle; every other loop is over a link whose parent moves by a joint too.
LOOPS = (((0, 3), 6, True), ((1, 4), 6, True), ((4, 7), 8, False), ((6, 9), 10, False))
CASES = list(product(LOOPS, ((4, 1), (2, 3))))
Loop = tuple[tuple[int, int], int, bool]


def chain(prototype: SimpleNamespace, over: Loop, counts: tuple[int, int]) -> str:
    """Links with drives, two of them held together at a point half way between them and beside the chain."""
    links, count, fixed = over
    half = (links[1] - links[0]) / 2
    loop = prototype.spec.joint("Spherical", "loop", *(f"l{link}" for link in links), pos0=(half, 0, 0.4),
                                pos1=(-half, 0, 0.4), in_art=False)
    drives = {f"t{i}": {"drives": {"angular": {"stiffness": k, "damping": 0.1, "targetPosition": target}}}
              for i, k, target in ((links[0], 3.0, 40.0), (links[0] + 1, 3.0, 40.0), (links[1], 2.0, -60.0))}
    scene = prototype.scenes.serial(count, *counts, extra_joints=[loop], **drives)
    if not fixed:
        scene["joints"] = [joint for joint in scene["joints"] if joint["name"] != "fix"]
        scene["articulation"]["members"].remove("fix")
    return str(prototype.spec.usda(copy.deepcopy(scene)))


@pytest.fixture(scope="module")
def recorded(oracle_folder: Path, prototype: SimpleNamespace) -> list[tuple[str, dict[str, Any]]]:
    from scene_recorder import record

    texts = [chain(prototype, *case) for case in CASES]
    return list(zip(texts, record([{"usd": text, "dt": DT, "steps": STEPS} for text in texts]), strict=True))


@pytest.mark.parametrize("case", range(len(CASES)), ids=map(str, CASES))
def test_it_moves_as_in_physx(case: int, recorded: list[tuple[str, dict[str, Any]]]) -> None:
    text, real = recorded[case]
    scene = Scene(opened(text), dt=DT)
    order = [scene.body_names.index(path) for path in real["paths"]]
    for step in range(1, STEPS + 1):
        scene.step()
        pose, velocity = scene.body_pose[0, order], scene.body_velocity[0, order]
        assert np.abs(pose[:, :3] - real["pos"][step]).max() < PLACE
        assert np.abs(velocity[:, :3] - real["vel"][step]).max() < SPEED
        assert np.abs(velocity[:, 3:] - real["ang"][step]).max() < SPIN
