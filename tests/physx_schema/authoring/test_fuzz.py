"""On random trees the helpers accept exactly what the reader makes whole tendons and sound mimic joints of."""

from __future__ import annotations

import numpy as np
import pytest
from pxr import Usd
from support.schemas.authored import text
from support.stages.robots import base, joint, link, opened, robot

from physx_schema import AuthoringError, PhysxMimicJointAPI, PhysxTendonAxisAPI, PhysxTendonAxisRootAPI, check
from physx_schema.authoring import fixed_tendon, mimic
from physx_schema.description import describe

pytestmark = pytest.mark.sweep

KINDS = ("Revolute", "Prismatic", "Fixed")
STAGES = 150


def random_tree(random: np.random.Generator) -> tuple[str, list[str]]:
    """A robot of 3 to 8 links with random parents, kinds, limits and body order; paths of its joints."""
    count = int(random.integers(3, 9))
    names = ["base", *(f"l{index}" for index in range(count))]
    parts = [base(), *(link(name, (index + 1, 0, 0)) for index, name in enumerate(names[1:]))]
    for index, name in enumerate(names[1:]):
        bodies = [names[int(random.integers(0, index + 1))], name]
        if random.random() < 0.3:
            bodies.reverse()
        values: dict[str, object] = {}
        if random.random() < 0.7:
            values = {"float physics:lowerLimit": -45.0, "float physics:upperLimit": 45.0}
        if random.random() < 0.1:
            values["bool physics:excludeFromArticulation"] = True
        parts.append(joint(str(random.choice(KINDS, p=(0.6, 0.3, 0.1))), f"j{index}", *bodies, (), values))
    return robot(*parts), [f"/Robot/j{index}" for index in range(count)]


def accepts(stage: Usd.Stage, call: object) -> bool:
    """Whether a helper accepts; a refusal leaves the stage as it was."""
    before = text(stage)
    try:
        call()                          # type: ignore[operator]
    except AuthoringError:
        assert text(stage) == before
        return False
    return True


@pytest.mark.parametrize("seed", range(STAGES))
def test_fixed_tendon_is_accepted_where_the_reader_finds_all_of_it(seed: int) -> None:
    random = np.random.default_rng(seed)
    source, joints = random_tree(random)
    size = int(random.integers(1, min(4, len(joints)) + 1))
    chosen = [str(path) for path in random.choice(joints, size, replace=False)]
    if random.random() < 0.7:
        chosen.sort()
    raw, helped = opened(source), opened(source)
    for index, path in enumerate(chosen):
        api = PhysxTendonAxisAPI if index else PhysxTendonAxisRootAPI
        api.Apply(raw.GetPrimAtPath(path), "t", gearing=[1.0])
    tendons = [tendon for item in describe(raw).articulations for tendon in item.fixed_tendons]
    whole = len(tendons) == 1 and {axis.path for axis in tendons[0].axes} == set(chosen)
    axes = [(path, 1.0, 1.0) for path in chosen]
    assert accepts(helped, lambda: fixed_tendon(helped, "t", axes, stiffness=1.0)) == whole


@pytest.mark.parametrize("seed", range(STAGES))
def test_mimic_is_accepted_where_the_reader_finds_it_and_no_rule_calls_it_an_error(seed: int) -> None:
    random = np.random.default_rng(seed)
    source, joints = random_tree(random)
    follower, leader = (str(path) for path in random.choice(joints, 2))
    instance = str(random.choice(["rotX", "rotY", "rotZ", "transX"], p=(0.4, 0.2, 0.2, 0.2)))
    gearing = float(random.choice([0.0, 1.0, -2.0], p=(0.1, 0.7, 0.2)))
    raw, helped = opened(source), opened(source)
    api = PhysxMimicJointAPI.Apply(raw.GetPrimAtPath(follower), instance)
    api.CreateReferenceJointRel().SetTargets([leader])
    api.set(gearing=gearing, naturalFrequency=60.0, dampingRatio=0.0)
    errors = [item for item in check(raw, "physx+simready+newton", select=["DJ.007"]).findings
              if item.severity == "error"]
    found = [item.path for articulation in describe(raw).articulations for item in articulation.mimics]
    author = accepts(helped, lambda: mimic(helped.GetPrimAtPath(follower), leader, gearing=gearing, instance=instance))
    assert author == (found == [follower] and not errors)
