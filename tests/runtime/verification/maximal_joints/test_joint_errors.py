"""Verification says how far joints outside articulations stay open, as they do in PhysX."""

from __future__ import annotations

import importlib
import json
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from physx_runtime.verification import Verification, verify
from physx_runtime.verification.maximal_joints.joint_errors import measure_joint_errors
from physx_runtime.verification.text import verification_json, verification_lines
from pxr import Gf, Usd, UsdGeom, UsdPhysics
from support.places import ROOT

from physx_schema.description import describe

DT, SHORTER = 1 / 60, 1 / 240
RUN_UP, WATCHED = 0.5, 0.5      # s
# mm: PhysX has poses in float32, 6e-5 mm at 1 m, and the largest of many noisy gaps along axes is compared.
ROUNDING = 5e-4
LOOP = "/FourBar/joints/coupler_to_rocker"


@pytest.fixture
def four_bar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The example's stage."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    path = tmp_path / "four_bar.usda"
    importlib.import_module("four_bar").build(path)
    return path


@pytest.fixture
def verified(four_bar: Path) -> Iterator[Verification]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield verify(four_bar, dt=DT)


def gap_in_physx(path: Path, dt: float) -> float:
    """Largest distance of the loop's anchors along the axes of its frame on body0, mm."""
    from physx_oracle import simulate

    stage = Usd.Stage.Open(str(path))
    joint = UsdPhysics.Joint(stage.GetPrimAtPath(LOOP))
    found = simulate(path, dt, round((RUN_UP + WATCHED) / dt))
    names, sides = [str(name) for name in found["link_names"]], []
    for body, position in ((joint.GetBody0Rel(), joint.GetLocalPos0Attr()), (joint.GetBody1Rel(),
                                                                            joint.GetLocalPos1Attr())):
        place = next(i for i, name in enumerate(names) if str(body.GetTargets()[0]).endswith(name))
        sides.append((found["link_pose"][round(RUN_UP / dt) + 1:, place].astype(float), position.Get()))
    turn = joint.GetLocalRot0Attr().Get()
    largest = 0.0
    for first, second in zip(sides[0][0], sides[1][0], strict=True):
        (a, rotation), (b, _) = (world(pose, side[1]) for pose, side in zip((first, second), sides, strict=True))
        frame = Gf.Rotation(Gf.Quatd(turn.GetReal(), Gf.Vec3d(turn.GetImaginary()))) * rotation
        largest = max(largest, *map(abs, frame.GetInverse().TransformDir(b - a)))
    return 1000.0 * largest


def world(pose: np.ndarray, local: Gf.Vec3f) -> tuple[Gf.Vec3d, Gf.Rotation]:
    """Place of a point of a body, and the body's rotation."""
    x, y, z, *turn = map(float, pose)
    rotation = Gf.Rotation(Gf.Quatd(turn[3], *turn[:3]))
    return rotation.TransformDir(Gf.Vec3d(local)) + Gf.Vec3d(x, y, z), rotation


@pytest.mark.parametrize("locked", [(), ("rotX", "rotY")])
def test_a_generic_joint_that_locks_no_translation_has_no_opening(locked: tuple[str, ...]) -> None:
    stage = Usd.Stage.CreateInMemory()
    UsdPhysics.Scene.Define(stage, "/scene")
    body = UsdPhysics.RigidBodyAPI.Apply(UsdGeom.Sphere.Define(stage, "/body").GetPrim())
    joint = UsdPhysics.Joint.Define(stage, "/joint")
    joint.CreateBody1Rel().SetTargets([body.GetPath()])
    for axis in locked:
        limit = UsdPhysics.LimitAPI.Apply(joint.GetPrim(), axis)
        limit.CreateLowAttr(1.0)
        limit.CreateHighAttr(-1.0)
    description = describe(stage)
    assert [found.path for found in description.separate_joints] == ["/joint"]
    assert measure_joint_errors(description, DT) == ()


def test_a_loop_opens_as_far_as_in_physx(oracle_folder: Path, four_bar: Path) -> None:
    opening, = measure_joint_errors(describe(four_bar), DT)
    assert opening.path == LOOP
    assert opening.authored == pytest.approx(gap_in_physx(four_bar, DT), abs=ROUNDING)
    assert opening.steps == pytest.approx(gap_in_physx(four_bar, SHORTER), abs=ROUNDING)
    stage = Usd.Stage.Open(str(four_bar))
    root = stage.GetPrimAtPath("/FourBar")
    root.GetAttribute("physxArticulation:solverPositionIterationCount").Set(64)
    root.GetAttribute("physxArticulation:solverVelocityIterationCount").Set(4)
    stage.Save()
    assert opening.iterations == pytest.approx(gap_in_physx(four_bar, DT), abs=ROUNDING)


def test_the_text_says_what_closes_a_loop(verified: Verification) -> None:
    opening, = verified.joint_errors
    assert opening.steps < opening.iterations < opening.authored
    line, = (line for line in verification_lines(verified) if "joint error up to" in line)
    assert line == (f"{LOOP}: joint error up to {opening.authored:.2g} mm at {opening.position}/{opening.velocity} "
                    f"iterations; {opening.iterations:.2g} mm at 64/4 iterations, "
                    f"{opening.steps:.2g} mm with dt 1/240 s")
    assert (opening.position, opening.velocity) == (32, 1)


def test_an_error_that_more_iterations_raise_is_reported(verified: Verification) -> None:
    opening, = verified.joint_errors
    assert "; 9 mm at 64/4 iterations, " in str(replace(opening, iterations=9.0))


def test_the_widest_come_first_and_the_rest_in_one_line(verified: Verification) -> None:
    opening, = verified.joint_errors
    many = replace(verified, joint_errors=tuple(replace(opening, path=f"/j{i}", authored=float(i)) for i in range(8)))
    lines = [line for line in verification_lines(many) if "joint error up to" in line or "more joints" in line]
    assert [line.partition(":")[0] for line in lines] == [
        "/j7", "/j6", "/j5", "/j4", "/j3", "and 3 more joints with smaller errors"]


def test_the_json_has_every_opening(verified: Verification) -> None:
    found, = json.loads(verification_json(verified))["openings"]
    assert found["path"] == LOOP
    assert found["authored"] == pytest.approx(verified.joint_errors[0].authored, rel=1e-3)


def test_a_stage_without_such_joints_has_no_openings(shared_cases: Path) -> None:
    assert measure_joint_errors(describe(shared_cases / "direct_api" / "fixed_spherical.usda"), DT) == ()
