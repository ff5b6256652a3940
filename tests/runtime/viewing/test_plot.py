"""Plots as SVG: their lines are the data, their axes have round numbers, their colours are the page's."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from physx_runtime.viewing.charts import Chart
from physx_runtime.viewing.plot import draw, draw_poses, ticks
from physx_runtime.viewing.poses import snapshots
from support.stages.recorded_arm import arm, swing

from physx_schema.description import describe

TIME = np.linspace(0.0, 1.0, 5)
DEGREES = [(0.0, 0.0), (30.0, 20.0), (60.0, -10.0)]


def chart(value: np.ndarray = TIME, **others: object) -> Chart:
    return Chart("j0", "a < b", "", "deg", value, **others)     # type: ignore[arg-type]


def lines(svg: str) -> dict[str, list[np.ndarray]]:
    """The points of every line, by its name."""
    found: dict[str, list[np.ndarray]] = {}
    for element in ElementTree.fromstring(svg).iter("polyline"):
        points = np.array([pair.split(",") for pair in element.attrib["points"].split()], np.float64)
        found.setdefault(element.attrib["data-name"], []).append(points)
    return found


def test_lines_are_in_the_units_of_the_data() -> None:
    found = lines(draw(TIME, chart(10.0 * TIME, intended=TIME**2)))
    np.testing.assert_allclose(found["value"], [np.stack([TIME, 10.0 * TIME], axis=1)])
    np.testing.assert_allclose(found["intended"], [np.stack([TIME, TIME**2], axis=1)], rtol=1e-4)


def test_a_line_has_a_gap_where_its_values_are_not_finite() -> None:
    found = lines(draw(TIME, chart(np.array([0.0, 1.0, np.nan, 3.0, np.inf]))))
    assert [points[:, 1].tolist() for points in found["value"]] == [[0.0, 1.0], [3.0]]


def test_every_limit_is_a_dashed_line() -> None:
    svg = draw(TIME, chart(bounds=(-1.0, 2.0)))
    assert len(re.findall(r"var\(--bound\)[^\"]*stroke-dasharray", svg)) == 2


@pytest.mark.parametrize("values", [np.zeros(5), np.full(5, 1e-12), np.full(5, 1e9), np.full(5, np.nan)])
def test_a_value_that_stays_has_a_range_around_it(values: np.ndarray) -> None:
    *_, low, high = map(float, re.search(r'data-range="([^"]*)"', draw(TIME, chart(values)))[1].split())   # type: ignore[index]
    assert low < high
    assert np.isnan(values).all() or low < values[0] < high


def test_plots_take_their_colours_from_the_page() -> None:
    assert re.findall(r"(?:stroke|fill): ?(#\w+)", draw(TIME, chart(target=TIME, bounds=(-1.0,)))) == []


def test_names_in_a_plot_are_text() -> None:
    assert "a &lt; b over time" in draw(TIME, chart())


def test_plots_are_the_same_every_time() -> None:
    assert draw(TIME, chart(target=TIME)) == draw(TIME, chart(target=TIME))


@pytest.mark.parametrize(("low", "high", "texts"), [
    (0.0, 4.0, ["0", "1", "2", "3", "4"]), (-5.7, 95.7, ["0", "20", "40", "60", "80"]),
    (-0.05, 0.05, ["\N{MINUS SIGN}0.04", "\N{MINUS SIGN}0.02", "0.00", "0.02", "0.04"]),
    (0.0, 2e6, ["0", "5e+05", "1e+06", "1.5e+06", "2e+06"])])
def test_ticks_are_round(low: float, high: float, texts: list[str]) -> None:
    assert [text for _, text in ticks(low, high)] == texts


def test_poses_share_one_scale() -> None:
    pictures = draw_poses(snapshots([describe(arm()).articulations[0]], swing(DEGREES), 0, "Z", 3))
    assert len({re.search(r'viewBox="([^"]*)"', svg).group(1) for svg in pictures}) == 1     # type: ignore[union-attr]
