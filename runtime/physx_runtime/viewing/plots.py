"""Plots as inline SVG that takes its colours and fonts from the page around it."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.viewing.poses import Snapshot
from physx_schema.errors import UnsupportedError

PLOT_SIZE = (3.3, 1.75)          # inches, which only set the proportions: the page scales the plot

# Colours that matplotlib is given, and the page's variables that they become.
INK, GRID, VALUE, BOUND, WANTED, PAPER, INTENDED = (f"#{i:06x}" for i in range(1, 8))
VARIABLES = {INK: "var(--muted)", GRID: "var(--line)", VALUE: "var(--value)", BOUND: "var(--bound)",
             WANTED: "var(--wanted)", PAPER: "var(--panel)", INTENDED: "var(--intended)"}

SETTINGS = {
    "svg.fonttype": "none",             # text stays text: selectable, and in the page's font
    "text.parse_math": False,           # a $ in a prim name is a $
    "font.family": ["sans-serif"], "font.sans-serif": ["DejaVu Sans"], "font.size": 8.0,
    "axes.edgecolor": INK, "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK, "text.color": INK,
    "axes.spines.top": False, "axes.spines.right": False, "axes.linewidth": 0.6,
    "axes.grid": True, "grid.color": GRID, "grid.linewidth": 0.6, "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
}


@dataclass(frozen=True, slots=True)
class Chart:
    """What one plot shows over time."""

    key: str                            # unique on the page, letters and digits
    title: str
    note: str                           # one line below the title, empty where there is nothing to say
    unit: str
    value: NDArray[np.float64]          # (n_record,)
    wanted: NDArray[np.float64] | None = None       # (n_record,) what the value is pulled towards
    bounds: tuple[float, ...] = ()      # limits, finite
    intended: NDArray[np.float64] | None = None     # (n_record,) the value without the solver's influence


def draw(time: NDArray[np.float64], chart: Chart) -> str:
    """The chart as an SVG element; equal input gives equal text.

    Raises UnsupportedError where matplotlib is not installed.
    """
    with _figure(chart.key, PLOT_SIZE) as (axes, svg):
        for bound in chart.bounds:
            axes.axhline(bound, color=BOUND, linestyle=(0, (4, 3)), linewidth=1.0)
        if chart.wanted is not None:
            axes.plot(time, chart.wanted, color=WANTED, linestyle=(0, (1, 1.5)), linewidth=1.4)
        axes.plot(time, chart.value, color=VALUE, linewidth=1.6)
        if chart.intended is not None:
            axes.plot(time, chart.intended, color=INTENDED, linewidth=0.8)
        axes.set_xlim(float(time[0]), float(time[-1]) if len(time) > 1 else float(time[0]) + 1.0)
        axes.set_ylabel(chart.unit)
        axes.locator_params(nbins=5)
        axes.margins(y=0.08)
    return svg[0]


def draw_poses(shots: Sequence[Snapshot]) -> list[str]:
    """Every snapshot as an SVG element, all to one scale; raises as :func:`draw`."""
    if not shots:
        return []
    ends = np.concatenate([shot.bones.reshape(-1, 2) for shot in shots])
    low, high = ends.min(axis=0), ends.max(axis=0)
    pad = 0.08 * float((high - low).max()) or 1.0
    width, height = high - low + 2.0 * pad
    pictures = []
    for i, shot in enumerate(shots):
        with _figure(f"s{i}", (1.6, float(np.clip(1.6 * height / width, 0.5, 3.2)))) as (axes, svg):
            for start, end in shot.bones:
                axes.plot(*zip(start, end, strict=True), color=VALUE, linewidth=4.0, solid_capstyle="round",
                          marker="o", markersize=2.2, markerfacecolor=PAPER, markeredgewidth=0.0)
            axes.set_xlim(low[0] - pad, high[0] + pad)
            axes.set_ylim(low[1] - pad, high[1] + pad)
            axes.set_aspect("equal")
            axes.set_axis_off()
        pictures += svg
    return pictures


@contextmanager
def _figure(key: str, size: tuple[float, float]) -> Iterator[tuple[Any, list[str]]]:
    """Axes to draw on, and a list that holds the SVG element once the block has ended."""
    matplotlib, figure_class = _matplotlib()
    svg: list[str] = []
    with matplotlib.rc_context(SETTINGS | {"svg.hashsalt": key}):
        figure = figure_class(figsize=size, layout="constrained")
        yield figure.subplots(), svg
        file = io.StringIO()
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    svg.append(_embedded(file.getvalue(), key))


def _matplotlib() -> tuple[Any, Any]:
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise UnsupportedError(
            "the HTML report needs matplotlib, which is not installed; run: pip install 'physx-schema[report]'"
        ) from None
    return matplotlib, Figure


def _embedded(svg: str, key: str) -> str:
    """The bare element: no prologue, metadata or size, ids of its own, the page's colours and font."""
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\b(id="|href="#|url\(#)', rf"\g<1>{key}-", svg)
    svg = re.sub(r'^<svg [^>]*?(viewBox="[^"]*")[^>]*>', r'<svg \1 aria-hidden="true" focusable="false">', svg)
    for colour, variable in VARIABLES.items():
        svg = svg.replace(colour, variable)
    return svg.replace("'DejaVu Sans'", "system-ui, sans-serif")
