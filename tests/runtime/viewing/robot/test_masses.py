"""Mass ellipsoids, whose inertia is that of the body by the closed form of an even ellipsoid."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.viewing.poses import transform_point
from physx_runtime.viewing.robot.marks import body_index
from physx_runtime.viewing.robot.masses import mass_ellipsoids
from pxr import Gf, UsdPhysics
from support.stages.recorded_arm import LINKS, arm

from physx_schema.description import describe

MOMENTS = (0.3, 0.5, 0.6)


def test_an_ellipsoid_has_the_inertia_of_its_body() -> None:
    stage = arm()
    mass = UsdPhysics.MassAPI(stage.GetPrimAtPath(LINKS[1]))
    mass.GetDiagonalInertiaAttr().Set(Gf.Vec3f(*MOMENTS))
    mass.CreatePrincipalAxesAttr(Gf.Quatf(0.5, 0.5, -0.5, 0.5))
    mass.CreateMassAttr(2.0)
    description = describe(stage)
    found = next(e for e in mass_ellipsoids(description, body_index(LINKS)) if e.body == 1)
    a, b, c = np.square(found.semi_axes)
    # I = m / 5 diag(b^2 + c^2, ...) along the ellipsoid's axes
    own = found.mass / 5.0 * np.diag([b + c, a + c, a + b])
    axes = np.stack([transform_point(np.array([0.0, 0.0, 0.0, *found.rotation]), axis)
                     for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))], axis=1)
    np.testing.assert_allclose(axes @ own @ axes.T, description.articulations[0].links[1].inertia, atol=1e-6)


def test_a_ball_has_its_radius() -> None:
    stage = arm()
    mass = UsdPhysics.MassAPI(stage.GetPrimAtPath(LINKS[1]))
    mass.GetDiagonalInertiaAttr().Set(Gf.Vec3f(0.4 * 0.2**2))
    found = next(e for e in mass_ellipsoids(describe(stage), body_index(LINKS)) if e.body == 1)
    assert found.semi_axes == pytest.approx((0.2,) * 3, rel=1e-5)
