"""Charts of a recording.

What a report plots: every joint with its limits, every tendon with its rest length, every mimic with its rule.

What a report plots of contacts: for every two bodies that press on each other, how hard over time.

Plots as inline SVG that takes its colours and fonts from the page around it.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import DoubleArray
from physx_runtime.simulation.events import touching_pairs
from physx_runtime.simulation.recording import Recording
from physx_runtime.solver.constraints.fixed_tendon import fixed_tendon_length
from physx_runtime.viewing.poses import Snapshot, recorded_link_poses, transform_point
from physx_runtime.viewing.text import numeral
from physx_schema.description.articulation.spatial_tendons import position_in_link
from physx_schema.description.model import Articulation, Description, Dof, FixedTendon, Mimic, SpatialTendon
from physx_schema.errors import UnsupportedError

PLOT_SIZE = (3.3, 1.75)          # inches, which only set the proportions: the page scales the plot

# Colours that matplotlib is given, and the page's variables that they become.
INK, GRID, VALUE, BOUND, TARGET, PAPER, INTENDED = (f"#{i:06x}" for i in range(1, 8))
VARIABLES = {INK: "var(--muted)", GRID: "var(--line)", VALUE: "var(--value)", BOUND: "var(--bound)",
             TARGET: "var(--wanted)", PAPER: "var(--panel)", INTENDED: "var(--intended)"}

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
    target: NDArray[np.float64] | None = None       # (n_record,) what the value is pulled towards
    bounds: tuple[float, ...] = ()      # limits, finite
    intended: NDArray[np.float64] | None = None     # (n_record,) the value without the solver's influence


def draw(time: NDArray[np.float64], chart: Chart) -> str:
    """The chart as an SVG element; equal input gives equal text.

    Raises UnsupportedError where matplotlib is not installed.
    """
    with _figure(chart.key, PLOT_SIZE) as (axes, svg):
        for bound in chart.bounds:
            axes.axhline(bound, color=BOUND, linestyle=(0, (4, 3)), linewidth=1.0)
        if chart.target is not None:
            axes.plot(time, chart.target, color=TARGET, linestyle=(0, (1, 1.5)), linewidth=1.4)
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
    svg.append(_inline_svg(file.getvalue(), key))


def _matplotlib() -> tuple[Any, Any]:
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise UnsupportedError(
            "the HTML report needs matplotlib, which is not installed; run: pip install 'physx-schema[report]'"
        ) from None
    return matplotlib, Figure


def _inline_svg(svg: str, key: str) -> str:
    """The bare element: no prologue, metadata or size, ids of its own, the page's colours and font."""
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\b(id="|href="#|url\(#)', rf"\g<1>{key}-", svg)
    svg = re.sub(r'^<svg [^>]*?(viewBox="[^"]*")[^>]*>', r'<svg \1 aria-hidden="true" focusable="false">', svg)
    for colour, variable in VARIABLES.items():
        svg = svg.replace(colour, variable)
    return svg.replace("'DejaVu Sans'", "system-ui, sans-serif")




def joint_charts(articulations: Sequence[Articulation], recording: Recording, world: int, length: str) -> list[Chart]:
    """Position over time of every degree of freedom, with limits and drive target; `length` names the stage's unit."""
    dof_positions = [dof_positions for articulation in articulations
                     for dof_positions in zip(articulation.dofs, recorded_positions(articulation, recording, world),
                                              strict=True)]
    return [_joint(i, dof, position, length) for i, (dof, position) in enumerate(dof_positions)]


def relation_charts(articulations: Sequence[Articulation], recording: Recording, world: int, length: str,
                    ) -> list[Chart]:
    """Length over time of every tendon, and what every mimic joint asks of its follower."""
    charts: list[Chart] = []
    for articulation in articulations:
        positions = recorded_positions(articulation, recording, world)
        charts += [_mimic(articulation, mimic, positions, length) for mimic in articulation.mimics]
        charts += [_fixed_tendon(tendon, positions, length) for tendon in articulation.fixed_tendons]
        for tendon in articulation.spatial_tendons:
            charts += _spatial_tendon(tendon, recording, articulation, world, length)
    return [_with_key(chart, i) for i, chart in enumerate(charts)]


def recorded_articulations(description: Description, recording: Recording) -> list[Articulation]:
    """The articulations that were recorded with their joints; a disabled one is only separate bodies.

    Raises ValueError where the recording is of another stage, or of none.
    """
    links, joints = set(recording.link_names), set(recording.joint_names)
    recorded = [articulation for articulation in description.articulations
                if articulation.enabled and links.issuperset(link.path for link in articulation.links)]
    body_paths = {link.path for articulation in recorded for link in articulation.links}
    body_paths.update(body.path for body in description.separate_bodies)
    axes = {dof.name for articulation in recorded for dof in articulation.dofs}
    if not (recorded or links) or not links <= body_paths or joints != axes:
        raise ValueError("the recording is from another stage: no articulation has its links and joints")
    return recorded


def recorded_positions(articulation: Articulation, recording: Recording, world: int) -> DoubleArray:
    """(n_dof, n_record), rad or length, in the articulation's order."""
    order = [recording.joint_names.index(dof.name) for dof in articulation.dofs]
    return recording.joint_position[:, world, order].T.astype(np.float64)


def _with_key(chart: Chart, i: int) -> Chart:
    return Chart(f"r{i}", chart.title, chart.note, chart.unit, chart.value, chart.target, chart.bounds)


def _display_values(value: float | DoubleArray, angular: bool) -> DoubleArray:
    return np.asarray(np.degrees(value) if angular else value, dtype=np.float64)


def _unit(angular: bool, length: str) -> str:
    return "deg" if angular else length


def _joint(i: int, dof: Dof, position: DoubleArray, length: str) -> Chart:
    bounds = tuple(float(_display_values(bound, dof.angular)) for bound in (dof.lower, dof.upper)
                   if math.isfinite(bound))
    unit, notes = _unit(dof.angular, length), []
    target = None
    if dof.drive is not None and dof.drive.stiffness > 0.0:
        target = np.full_like(position, _display_values(dof.drive.target_position, dof.angular))
        notes.append(f"drive target {numeral(float(target[0]))} {unit}")
    notes.append(f"limits {numeral(bounds[0])} to {numeral(bounds[1])} {unit}" if len(bounds) == 2 else "no limits")
    return Chart(f"j{i}", dof.name, ", ".join(notes), unit, _display_values(position, dof.angular), target, bounds)


def _mimic(articulation: Articulation, mimic: Mimic, positions: DoubleArray, length: str) -> Chart:
    follower, reference = articulation.dofs[mimic.follower], articulation.dofs[mimic.reference]
    target = -(mimic.gearing * positions[mimic.reference] + mimic.offset)
    return Chart("", f"{mimic.path} follows {reference.name}", "dotted line: target of the follower joint",
                 _unit(follower.angular, length), _display_values(positions[mimic.follower], follower.angular),
                 _display_values(target, follower.angular))


def recorded_tendon_length(tendon: FixedTendon, positions: DoubleArray) -> DoubleArray:
    """(n_record,) from joint positions (n_dof, n_record)."""
    length = fixed_tendon_length([axis.gearing for axis in tendon.axes], [positions[axis.dof] for axis in tendon.axes],
                                 tendon.offset)
    return np.full(positions.shape[1], length)


def spatial_tendon_lengths(tendon: SpatialTendon, articulation: Articulation, poses: DoubleArray) -> list[DoubleArray]:
    """(n_record,) from the root to every attachment, the offset with it; poses: (n_record, n_link, 7)."""
    points = [transform_point(poses[:, a.link], position_in_link(articulation.links[a.link], a))
              for a in tendon.attachments]
    geared = [np.full(len(poses), tendon.offset)]       # along the path from the root; its own gearing does not count
    for attachment, point in zip(tendon.attachments[1:], points[1:], strict=True):
        distance = np.linalg.norm(point - points[attachment.parent], axis=-1)
        geared.append(geared[attachment.parent] + attachment.gearing * distance)
    return geared


def _fixed_tendon(tendon: FixedTendon, positions: DoubleArray, length: str) -> Chart:
    value = recorded_tendon_length(tendon, positions)
    kind = "fixed tendon" if tendon.enabled else "fixed tendon, disabled"
    return _length(f"{tendon.path} {tendon.name}", kind, value, tendon.rest_length,
                   (tendon.lower_limit, tendon.upper_limit), length)


def _spatial_tendon(tendon: SpatialTendon, recording: Recording, articulation: Articulation, world: int,
                    length: str) -> Iterator[Chart]:
    """One chart a leaf: PhysX treats every leaf as a tendon of its own."""
    lengths = spatial_tendon_lengths(tendon, articulation, recorded_link_poses(articulation, recording, world))
    kind = "spatial tendon" if tendon.enabled else "spatial tendon, disabled"
    for attachment, value in zip(tendon.attachments, lengths, strict=True):
        if attachment.leaf:
            yield _length(f"{attachment.path} {attachment.name}", kind, value, attachment.rest_length,
                          (attachment.lower_limit, attachment.upper_limit), length)


def _length(title: str, kind: str, value: DoubleArray, rest_length: float, limits: tuple[float, float],
            unit: str) -> Chart:
    bounds = tuple(bound for bound in limits if math.isfinite(bound))
    note = f"{kind}, rest length {numeral(rest_length)} {unit} (dotted)"
    return Chart("", title, note, unit, value, np.full_like(value, rest_length), bounds)


def contact_charts(recording: Recording, world: int, force: str) -> list[Chart]:
    """Pressure and friction between every two bodies, by their paths; `force` names the stage's unit."""
    records = [{(pair.first, pair.second): pair for pair in touching_pairs(contacts, world)}
               for contacts in recording.contacts]
    charts = []
    for i, pair in enumerate(sorted(set[tuple[str, str]]().union(*records))):
        pressure, friction = (np.array([getattr(record[pair], name) if pair in record else 0.0 for record in records])
                              for name in ("pressure", "friction"))
        note = (f"solid line: normal force, maximum {numeral(float(pressure.max()))} {force}; dotted line: friction "
                "force")
        charts.append(Chart(f"c{i}", f"{pair[0]} and {pair[1]}", note, force, pressure, friction))
    return charts
