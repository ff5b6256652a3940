"""What a report plots, against plane trigonometry on an arm of two unit bones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from physx_runtime.viewing.charts import joint_charts, recorded_articulations, relation_charts
from physx_runtime.viewing.poses import snapshots
from support.stages.recorded_arm import ELBOW, SHOULDER, arm, swing

from physx_schema.description import describe

DEGREES = [(0.0, 0.0), (30.0, 20.0), (60.0, -10.0)]


def described(stage: Any) -> Any:
    return describe(stage).articulations[0]


def test_joints_are_plotted_in_degrees_with_their_limits() -> None:
    charts = joint_charts([described(arm())], swing(DEGREES), 0, "m")
    assert [(chart.title, chart.unit) for chart in charts] == [(SHOULDER, "deg"), (ELBOW, "deg")]
    np.testing.assert_allclose([chart.value for chart in charts], np.transpose(DEGREES), atol=1e-9)
    np.testing.assert_allclose([chart.bounds for chart in charts], [(-30.0, 60.0)] * 2, atol=1e-5)


def test_a_fixed_tendon_is_plotted_as_its_geared_length() -> None:
    (chart,) = relation_charts([described(arm(tendon=True))], swing(DEGREES), 0, "m")
    np.testing.assert_allclose(chart.value, [0.1 + 0.02 * a + 0.01 * b for a, b in DEGREES], rtol=1e-6)
    np.testing.assert_allclose(chart.target, 0.3, rtol=1e-6)


def test_a_spatial_tendon_is_plotted_as_its_geared_length() -> None:
    (chart,) = relation_charts([described(arm(spatial=True))], swing(DEGREES), 0, "m")
    turned = np.radians([(a, a + b) for a, b in DEGREES])
    tip = np.sin(turned).sum(axis=1), np.cos(turned).sum(axis=1)
    np.testing.assert_allclose(chart.value, 0.25 + 2.0 * np.hypot(tip[0] - 1.0, tip[1]), rtol=1e-6)


def test_a_mimic_joint_is_plotted_with_what_it_asks_for() -> None:
    (chart,) = relation_charts([described(arm(mimic=True))], swing(DEGREES), 0, "m")
    # q + gearing q_reference + offset = 0 with gearing -0.5 and offset 3
    np.testing.assert_allclose(chart.target, [0.5 * a - 3.0 for a, _ in DEGREES], atol=1e-5)


def test_a_recording_of_another_stage_is_refused() -> None:
    renamed = replace(swing(DEGREES), joint_names=("/a", "/b"))
    with pytest.raises(ValueError, match="the recording is from another stage"):
        recorded_articulations(describe(arm()), renamed)


def test_bones_run_from_joint_to_joint_and_past_the_last_centre_of_mass() -> None:
    shots = snapshots([described(arm())], swing(DEGREES), 0, "Z", 3)
    turned = np.radians([(a, a + b) for a, b in DEGREES])
    for shot, (upper, lower) in zip(shots, turned, strict=True):
        elbow = np.array([np.sin(upper), np.cos(upper)])
        hand = elbow + np.array([np.sin(lower), np.cos(lower)])
        np.testing.assert_allclose(shot.bones[1:], [[(0.0, 0.0), elbow], [elbow, hand]], atol=1e-6)


def test_moments_span_the_recording() -> None:
    shots = snapshots([described(arm())], swing([(0.0, float(i)) for i in range(11)]), 0, "Z", 3)
    np.testing.assert_allclose([shot.time for shot in shots], [0.0, 0.5, 1.0])
