"""Contact forces as arrows."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime import Scene
from physx_runtime.live_view.contact_arrows import MAX_SHARE, SHARE, arrows, length_per_force
from physx_runtime.simulation.contacts import NO_CONTACTS
from pxr import Usd, UsdGeom, UsdPhysics

from physx_schema import authoring, describe

BOX = "/World/box"
SIZE = 2.0              # of the drawing


@pytest.fixture(scope="module")
def stage() -> Usd.Stage:
    """A box of mass 3 at rest on the ground."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.Xform.Define(stage, "/World")
    UsdPhysics.Scene.Define(stage, "/World/scene")
    ground = UsdGeom.Plane.Define(stage, "/World/ground")
    UsdPhysics.CollisionAPI.Apply(ground.GetPrim())
    authoring.rigid_body(stage, BOX, mass=3.0, inertia=(0.5, 0.5, 0.5), position=(0.0, 0.0, 0.5))
    cube = UsdGeom.Cube.Define(stage, f"{BOX}/shape")
    cube.CreateSizeAttr(1.0)
    UsdPhysics.CollisionAPI.Apply(cube.GetPrim())
    return stage


@pytest.fixture(scope="module")
def scene(stage: Usd.Stage) -> Scene:
    """The scene after half a second, in which the box does not sleep yet."""
    scene = Scene(stage)
    scene.step(20)
    return scene


def test_a_resting_body_has_an_upward_arrow_of_its_weight(stage: Usd.Stage, scene: Scene) -> None:
    shown = arrows(scene.contacts, [BOX], length_per_force(describe(stage), SIZE), SIZE)
    assert (shown.body, shown.largest) == (BOX, pytest.approx(3.0 * 9.81, rel=0.01))
    (ends,) = shown.points
    np.testing.assert_allclose(ends[0], [0.0, 0.0, 0.0], atol=1e-3)
    np.testing.assert_allclose(ends[1] - ends[0], [0.0, 0.0, SHARE * SIZE], atol=0.02)


def test_arrows_are_no_longer_than_the_drawing(scene: Scene) -> None:
    ((begin, end),) = arrows(scene.contacts, [BOX], 1e6, SIZE).points
    assert np.linalg.norm(end - begin) == pytest.approx(MAX_SHARE * SIZE)


def test_weak_forces_have_no_arrow_and_are_counted(scene: Scene) -> None:
    shown = arrows(scene.contacts, [BOX], 1e-9, SIZE)
    assert len(shown.points) == 0
    assert shown.largest > 1.0


def test_without_contacts_there_is_no_arrow() -> None:
    shown = arrows(NO_CONTACTS, [BOX], 1.0, SIZE)
    assert (shown.points.shape, shown.largest, shown.body) == ((0, 2, 3), 0.0, "")
