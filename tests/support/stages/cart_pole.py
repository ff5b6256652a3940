"""Stages of environments: the cart-pole of the examples, two of them, and a ball that rests on a plane."""

from __future__ import annotations

import runpy
import tempfile
from pathlib import Path

from pxr import Sdf, Usd, UsdGeom, UsdPhysics

from physx_schema.authoring import articulation_root, prismatic_joint, rigid_body
from support.places import ROOT


def cart_pole() -> Usd.Stage:
    """The cart-pole of examples/cart_pole.py."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "cart_pole.usda")
        runpy.run_path(str(ROOT / "examples" / "cart_pole.py"))["build"](path)
        text = Path(path).read_text(encoding="utf-8")
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(text)
    return stage


def two_cart_poles() -> Usd.Stage:
    """Two cart-poles, /Left and /Right, with relative joints."""
    source, stage = cart_pole(), Usd.Stage.CreateInMemory()
    for name in ("/Left", "/Right"):
        Sdf.CopySpec(source.GetRootLayer(), "/CartPole", stage.GetRootLayer(), name)
    return stage


def resting_ball() -> Usd.Stage:
    """A base and a ball of 2 kg on a vertical slider, which a plane carries."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    plane = UsdGeom.Plane.Define(stage, "/Ground")
    plane.CreateAxisAttr("Z")
    UsdPhysics.CollisionAPI.Apply(plane.GetPrim())
    base = rigid_body(stage, "/Robot/base", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 2))
    ball = rigid_body(stage, "/Robot/ball", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.5))
    sphere = UsdGeom.Sphere.Define(stage, "/Robot/ball/shape")
    sphere.CreateRadiusAttr(0.5)
    UsdPhysics.CollisionAPI.Apply(sphere.GetPrim())
    hold = UsdPhysics.FixedJoint.Define(stage, "/Robot/hold")
    hold.CreateBody1Rel().SetTargets([base.GetPath()])
    hold.CreateLocalPos0Attr((0, 0, 2))
    slide = prismatic_joint(stage, "/Robot/slide", base, ball, axis="Z")
    drive = UsdPhysics.DriveAPI.Apply(slide.GetPrim(), "linear")
    drive.CreateMaxForceAttr(5.0)
    articulation_root(stage.GetPrimAtPath("/Robot"))
    return stage
