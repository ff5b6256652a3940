"""The poses along time samples are facts of kinematic bodies outside articulations, and of nothing else."""

from __future__ import annotations

import json
from math import cos, radians, sin

import pytest
from pxr import Gf
from support.stages.iteration_stages import KINEMATIC, free, opened, prim, stage

from physx_schema import describe
from physx_schema.description.model import Link
from physx_schema.description.records import interpolate
from physx_schema.reports.json_output import description_json

SLIDING = {"double3 xformOp:translate.timeSamples": "{ 10: (1, 0, 0), 34: (1, 3, 0) }"}
TURNING = {"float xformOp:rotateZ.timeSamples": "{ 0: 0, 24: 36000 }",
           "uniform token[] xformOpOrder": '["xformOp:translate", "xformOp:rotateZ"]'}


def body(*prims: str) -> Link:
    """The only body of a stage."""
    found, = describe(opened(stage(*prims))).bodies
    return found


def test_straight_way_is_its_samples_in_seconds_from_the_start_of_the_stage() -> None:
    text = stage(free("K", more={**KINEMATIC, **SLIDING})).replace("(\n", "(\n    startTimeCode = 4\n", 1)
    found, = describe(opened(text)).bodies
    assert [sample.time for sample in found.samples] == pytest.approx([0.25, 1.25])
    assert [sample.pose[0] for sample in found.samples] == [(1.0, 0.0, 0.0), (1.0, 3.0, 0.0)]
    assert found.pose[0] == (50.0, 0.0, 0.0)


def test_whole_turns_between_two_samples_are_seen() -> None:
    found = body(free("K", more={**KINEMATIC, **TURNING}))
    for a, b in zip(found.samples, found.samples[1:], strict=False):
        assert (b.time - a.time) * 36000 < 180


@pytest.mark.parametrize("more", [
    {}, SLIDING, {**KINEMATIC}, {**KINEMATIC, "double3 xformOp:translate.timeSamples": "{ 10: (1, 0, 0) }"}])
def test_what_is_not_kinematic_or_does_not_vary_has_no_samples(more: dict[str, str]) -> None:
    assert body(free("K", more=more)).samples == ()


def test_samples_above_a_body_are_its_own() -> None:
    found = body(prim("Xform", "P", "", {**SLIDING, "uniform token[] xformOpOrder": '["xformOp:translate"]'},
                      free("K", x=2.0, more=KINEMATIC)))
    assert [sample.pose[0] for sample in found.samples] == [(3.0, 0.0, 0.0), (3.0, 3.0, 0.0)]


def test_a_way_that_is_not_finite_is_reported_and_not_followed() -> None:
    found = describe(opened(stage(free("K", more={
        **KINEMATIC, "double3 xformOp:translate.timeSamples": "{ 0: (1, 0, 0), 5: (inf, 0, 0) }"}))))
    assert found.bodies[0].samples == ()
    assert "time samples move the body to a pose that is not finite" in [item.message for item in found.problems]


def test_samples_are_in_the_json_of_a_description() -> None:
    found = json.loads(description_json(describe(opened(stage(free("K", more={**KINEMATIC, **SLIDING}))))))
    assert found["bodies"][0]["samples"][1] == {
        "time": pytest.approx(34 / 24), "pose": [[1.0, 3.0, 0.0], [0.0, 0.0, 0.0, 1.0]]}


@pytest.mark.parametrize("degrees", [1e-7, 30.0, 200.0, 359.0])
def test_the_way_between_two_poses_turns_as_that_of_usd(degrees: float) -> None:
    half = radians(degrees) / 2
    x, y, z, w = interpolate(((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)),
                             ((2.0, 0.0, 0.0), (0.0, 0.0, sin(half), cos(half))),
                             0.25)[1]
    usd = Gf.Slerp(0.25, Gf.Quatd(1.0), Gf.Quatd(cos(half), 0.0, 0.0, sin(half)))
    side = 1.0 if w * usd.GetReal() > 0.0 else -1.0
    assert [side * value for value in (x, y, z, w)] == pytest.approx([*usd.GetImaginary(), usd.GetReal()], abs=1e-12)


@pytest.mark.parametrize(("text", "severity", "message"), [
    (free("K", more={**KINEMATIC, **SLIDING}), "info", "this kinematic body has a transform with time samples"),
    (free("K", more=SLIDING), "warning", "this dynamic body has a transform with time samples"),
    (prim("Xform", "P", "", {**SLIDING, "uniform token[] xformOpOrder": '["xformOp:translate"]'}, free("K")), "warning",
     "this dynamic body is below /P, which time samples move"),
])
def test_an_animated_body_has_one_finding_that_says_who_moves_it(text: str, severity: str, message: str) -> None:
    found = [item for item in describe(opened(stage(text))).problems if item.path.endswith("/K")]
    assert [(item.code, item.severity, item.message) for item in found] == [("body/animated", severity, message)]


def test_one_sample_animates_no_body() -> None:
    found = describe(opened(stage(free("K", more={"double3 xformOp:translate.timeSamples": "{ 10: (1, 0, 0) }"}))))
    assert "body/animated" not in [item.code for item in found.problems]
