"""Plots and side views as inline SVG, in the colours and fonts of the page around them.

The lines of a plot are in the units of its data below one transformation, so the page's script reads values from
them, and zooms by another transformation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from physx_runtime.viewing.charts import Chart
from physx_runtime.viewing.poses import Snapshot

WIDTH, HEIGHT = 330.0, 178.0                # of a plot, in its own units; the page scales it
LEFT, RIGHT, TOP, BOTTOM = 42.0, 8.0, 14.0, 20.0      # margins around the lines
INNER_WIDTH, INNER_HEIGHT = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
MARGIN = 0.06                               # of the range of values, above and below
FLAT = 0.05                                 # half the range where all values are equal, relative above 1
TICKS = 4                                   # about so many on an axis
POSE_WIDTH, POSE_HEIGHTS = 115.0, (36.0, 230.0)

# The lines of a plot from back to front: field of the chart, word for readers, style.
LINES = (("target", "target", "stroke: var(--wanted); stroke-dasharray: 1.5 3; stroke-width: 1.6px"),
         ("before", "before", "stroke: var(--before); stroke-dasharray: 6 3; stroke-width: 1.4px"),
         ("value", "value", "stroke: var(--value); stroke-width: 1.9px"),
         ("intended", "intended", "stroke: var(--intended); stroke-width: 1.1px"))


def draw(time: NDArray[np.float64], chart: Chart) -> str:
    """The chart as an SVG element; equal input gives equal text."""
    lines = [(name, style, values) for field, name, style in LINES if (values := getattr(chart, field)) is not None]
    first = float(time[0])
    last = float(time[-1]) if time[-1] > first else first + 1.0
    low, high = _range([values for _, _, values in lines], chart.bounds)
    scale = INNER_WIDTH / (last - first), INNER_HEIGHT / (high - low)
    bounds = [f'<path class="bound" d="M{_short(first)} {_short(bound)}H{_short(last)}" '
              'style="stroke: var(--bound); stroke-dasharray: 5 4; stroke-width: 1.1px"/>' for bound in chart.bounds]
    paths = [f'<polyline data-name="{name}" points="{points}" style="{style}"/>'
             for name, style, values in lines for points in _pieces(time, values)]
    matrix = " ".join(f"{x:.6g}" for x in (scale[0], 0.0, 0.0, -scale[1], -first * scale[0], high * scale[1]))
    return (
        f'<svg class="plot" id="{chart.key}" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" tabindex="0" role="img" '
        f'aria-label="{escape(chart.title)} over time" data-unit="{escape(chart.unit)}" '
        f'data-range="{first:.6g} {last:.6g} {low:.6g} {high:.6g}">'
        f'<g class="grid">{"".join(_grid(first, last, low, high))}</g>'
        f'<text x="{LEFT - 4:g}" y="8" text-anchor="end">{escape(chart.unit)}</text>'
        f'<svg x="{LEFT:g}" y="{TOP:g}" width="{INNER_WIDTH:g}" height="{INNER_HEIGHT:g}">'
        f'<g class="lines" transform="matrix({matrix})">{"".join((*bounds, *paths))}</g></svg></svg>')


def _range(lines: Sequence[NDArray[np.float64]], bounds: Sequence[float]) -> tuple[float, float]:
    """The lowest and the highest value to show, with a margin."""
    values = np.concatenate([*lines, np.array(bounds, np.float64)])
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    flat = FLAT * max(1.0, abs(low), abs(high))
    margin = MARGIN * (high - low) if high - low > 1e-6 * flat else flat
    return low - margin, high + margin


def _pieces(time: NDArray[np.float64], values: NDArray[np.float64]) -> Iterator[str]:
    """Points of a line, in pieces where values are not finite; two points where all values are equal."""
    finite = np.isfinite(values)
    if finite.all() and len(values) > 2 and (values == values[0]).all():
        time, values, finite = time[[0, -1]], values[[0, -1]], finite[[0, -1]]
    edges = np.flatnonzero(np.diff(np.r_[False, finite, False]))
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        yield " ".join(f"{_short(t)},{_short(x)}" for t, x in zip(time[start:end].tolist(), values[start:end].tolist(),
                                                                  strict=True))


def _short(value: float) -> str:
    return f"{value:.5g}"


def _grid(first: float, last: float, low: float, high: float) -> Iterator[str]:
    """Lines and numbers of both axes."""
    for value, text in ticks(first, last):
        x = LEFT + (value - first) / (last - first) * INNER_WIDTH
        yield f'<path d="M{x:.1f} {TOP:g}V{TOP + INNER_HEIGHT:g}"/>'
        yield f'<text x="{x:.1f}" y="{HEIGHT - 6:g}" text-anchor="middle">{text}</text>'
    for value, text in ticks(low, high):
        y = TOP + (high - value) / (high - low) * INNER_HEIGHT
        yield f'<path d="M{LEFT:g} {y:.1f}H{LEFT + INNER_WIDTH:g}"/>'
        yield f'<text x="{LEFT - 4:g}" y="{y + 3:.1f}" text-anchor="end">{text}</text>'


def ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Round values between two, at steps of 1, 2 or 5 times a power of ten, with their texts."""
    raw = (high - low) / TICKS
    power = 10.0 ** math.floor(math.log10(raw))
    step = power * min((1.0, 2.0, 5.0, 10.0), key=lambda factor: abs(math.log(factor * power / raw)))
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    values = [i * step for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]
    wide = max(map(abs, values), default=0.0) >= 1e5 or digits > 4
    return [(value, (f"{value:.3g}" if wide else f"{value + 0.0:.{digits}f}").replace("-", "\N{MINUS SIGN}"))
            for value in values]


def draw_poses(shots: Sequence[Snapshot]) -> list[str]:
    """Every snapshot as an SVG element, all to one scale."""
    if not shots:
        return []
    ends = np.concatenate([shot.bones.reshape(-1, 2) for shot in shots])
    low, high = ends.min(axis=0), ends.max(axis=0)
    pad = 0.08 * float((high - low).max()) or 1.0
    low, size = low - pad, high - low + 2.0 * pad
    height = float(np.clip(POSE_WIDTH * size[1] / size[0], *POSE_HEIGHTS))
    scale = min(POSE_WIDTH / size[0], height / size[1])
    inset = (np.array([POSE_WIDTH, height]) - scale * size) / 2.0
    return [f'<svg viewBox="0 0 {POSE_WIDTH:g} {height:.1f}" aria-hidden="true" focusable="false">'
            + "".join(_bones((shot.bones - low) * scale + inset, height)) + "</svg>" for shot in shots]


def _bones(bones: NDArray[np.float64], height: float) -> Iterator[str]:
    """A line for each bone, and a dot at each of its ends."""
    for (x0, y0), (x1, y1) in bones.tolist():
        yield (f'<path d="M{x0:.1f} {height - y0:.1f}L{x1:.1f} {height - y1:.1f}" '
               'style="stroke: var(--value); stroke-width: 5; stroke-linecap: round"/>')
    for x, y in bones.reshape(-1, 2).tolist():
        yield f'<circle cx="{x:.1f}" cy="{height - y:.1f}" r="1.4" style="fill: var(--panel)"/>'
