"""What touches goes on with all that it remembers when a stage is read again for a value that is not its own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from physx_runtime import Session
from pxr import Gf, Usd, UsdPhysics
from support.stages.iteration_stages import opened
from support.stages.resting_stages import CASES
from support.stages.resting_stages import DT as CONTACT_DT
from support.stages.session_stages import world_poses

STACK = CASES["a velocity of 0 in a stack"].text
BOXES = ("/T0", "/T1", "/T2")
FALLING, RESTING = 20, 45       # steps after which a stack still settles, and after which it sleeps


def of_friction(stage: Usd.Stage) -> None:
    """A material that nothing is made of."""
    UsdPhysics.MaterialAPI.Apply(stage.DefinePrim("/unused", "Material")).CreateStaticFrictionAttr(0.1)


def of_filtering(stage: Usd.Stage) -> None:
    """A collision group of nothing."""
    UsdPhysics.CollisionGroup.Define(stage, "/group")


def moved(steps: int, edit: Callable[[Usd.Stage], None] | None, after: int = 40) -> tuple[np.ndarray, int, int]:
    """The poses of a stack some steps after an edit, how many contacts it then has, and how many with the first one."""
    stage = opened(STACK)
    session = Session(stage)
    for _ in range(steps):
        session.step(CONTACT_DT)
    if edit:
        edit(stage)
    session.step(CONTACT_DT)
    first = len(session.contacts)
    for _ in range(after):
        session.step(CONTACT_DT)
    return world_poses(stage, BOXES), len(session.contacts), first


@pytest.mark.parametrize("edit", [of_friction, of_filtering])
@pytest.mark.parametrize("steps", [FALLING, RESTING])
def test_a_stack_goes_on_as_without_an_edit_that_is_not_its_own(steps: int, edit: Callable[[Usd.Stage], None]) -> None:
    left, edited = moved(steps, None), moved(steps, edit)
    assert edited[1:] == left[1:]
    assert np.array_equal(edited[0], left[0])


def test_a_body_that_is_placed_when_the_stage_is_read_again_falls_from_there() -> None:
    def edit(stage: Usd.Stage) -> None:
        of_friction(stage)
        stage.GetPrimAtPath(BOXES[2]).GetAttribute("xformOp:translate").Set(Gf.Vec3d(0, 0, 4))

    poses, _, _ = moved(RESTING, edit, after=20)
    assert 4 - poses[2, 2] == pytest.approx(9.81 / 2 * (21 * CONTACT_DT) ** 2, rel=0.1)
