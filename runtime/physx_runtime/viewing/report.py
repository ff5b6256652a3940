"""The report: one HTML file with verdicts, findings, plots and how they were made, which needs nothing else."""

from __future__ import annotations

import math
import platform
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

import jinja2
from numpy.typing import NDArray

from physx_runtime.simulation.recording import Recording
from physx_runtime.verification.fold import Fold, folded
from physx_runtime.verification.report import ALTERED, AS_AUTHORED, IGNORED, NOT_EVALUATED, Row, Verification
from physx_runtime.verification.text import remedy_text
from physx_runtime.viewing.charts import joint_charts, recorded_articulations, relation_charts
from physx_runtime.viewing.contact_charts import contact_charts
from physx_runtime.viewing.plots import Chart, draw, draw_poses
from physx_runtime.viewing.poses import snapshots
from physx_runtime.viewing.text import listed, numeral
from physx_schema.checking import Report
from physx_schema.checking.engine.finding import location
from physx_schema.cli.text import plural, printable
from physx_schema.description import describe
from physx_schema.description.model import Articulation, Description
from physx_schema.files import replacing

MARKS = {AS_AUTHORED: ("ok", "\N{CHECK MARK}"), ALTERED: ("altered", "\N{ALMOST EQUAL TO}"),
         IGNORED: ("ignored", "\N{MULTIPLICATION X}"), NOT_EVALUATED: ("unknown", "?")}
SEVERITIES = {"error": "ignored", "warning": "altered", "info": "unknown"}
PACKAGES = ("physx-schema", "usd-core", "numpy", "numba", "matplotlib")
LENGTH_UNITS = {1.0: "m", 0.1: "dm", 0.01: "cm", 0.001: "mm", 0.0254: "in", 0.3048: "ft"}
BAR_END_RATIO = 2.0           # the bars of effective against authored end at twice the authored value
DRAWN_MOMENTS = 6             # at which the articulations are drawn
MOST_PLOTS = 60              # more than this many joints make a page that nobody reads


@dataclass(frozen=True, slots=True)
class _Figure:
    title: str
    note: str
    svg: str


def write_report(path: str | Path, stage: Any, checked: Report, verification: Verification, recording: Recording,
                 world: int = 0) -> Path:
    """Write one self-contained HTML file about a stage; return its path.

    Equal input gives equal bytes: the page holds no date and no random names.

    Raises:
        UnsupportedError: matplotlib is not installed.
        UnreadableError: the stage cannot be opened.
        ValueError: the recording is of another stage, or has no such world.
    """
    worlds = recording.link_pose.shape[1]
    if not 0 <= world < worlds:
        raise ValueError(f"world is {world}; the recording has worlds 0 to {worlds - 1}")
    description = describe(stage)
    articulations = recorded_articulations(description, recording)
    scale = description.scene.meters_per_unit
    length = LENGTH_UNITS.get(scale, f"{numeral(scale)} m")
    joints = joint_charts(articulations, recording, world, length)
    relations = relation_charts(articulations, recording, world, length)
    touching = contact_charts(recording, world, _force_unit(description))
    shots = snapshots(articulations, recording, world, description.scene.up_axis, DRAWN_MOMENTS)
    text = _environment().get_template("report.html.jinja").render(
        source=Path(description.source).name,
        headline=headline(checked, verification),
        sound=not (verification.failed or checked.errors),
        totals=[(*MARKS[verdict], _count(verification, verdict), verdict) for verdict in MARKS],
        groups=_by_path(row for row in verification.rows if row.verdict != NOT_EVALUATED),
        unmeasured=_by_reason(row for row in verification.rows if row.verdict == NOT_EVALUATED),
        marks=MARKS, severities=SEVERITIES, checked=checked,
        shots=[(shot.time, svg) for shot, svg in zip(shots, draw_poses(shots), strict=True)],
        joints=_figures(joints[:MOST_PLOTS], recording.time),
        relations=_figures(relations[:MOST_PLOTS], recording.time),
        touching=_figures(touching[:MOST_PLOTS], recording.time),
        left_out=sum(max(0, len(charts) - MOST_PLOTS) for charts in (joints, relations, touching)),
        facts=[*_facts(verification, recording, articulations, world), *_outside(description, recording, world)],
    )
    path = Path(path)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
    return path


def _force_unit(description: Description) -> str:
    scene = description.scene
    return "N" if scene.meters_per_unit == scene.kilograms_per_unit == 1.0 else "units of force"


def headline(checked: Report, verification: Verification) -> str:
    """The verdict in one sentence."""
    total = len(verification.rows)
    measured = total - _count(verification, NOT_EVALUATED)
    counts = {verdict: _count(verification, verdict) for verdict in (ALTERED, IGNORED)}
    failed = [f"{count} {verdict}" for verdict, count in counts.items() if count]
    if not total:
        effect = "Nothing was authored that verification measures"
    elif not measured:
        effect = f"The {plural(total, 'authored value')} could not be measured"
    elif not failed:
        subject = "The only measured value takes" if measured == 1 else f"All {measured} measured values take"
        effect = f"{subject} effect as authored"
    else:
        effect = f"{plural(measured, 'value')} measured: {listed(failed)}, the others as authored"
    found = [plural(checked.count(severity), severity) for severity in ("error", "warning") if checked.count(severity)]
    return f"{effect}; the check found {listed(found) if found else 'no errors'}."


def _count(verification: Verification, verdict: str) -> int:
    return sum(row.verdict == verdict for row in verification.rows)


def _by_path(rows: Iterable[Row]) -> list[tuple[str, list[Row]]]:
    """Prims with their rows."""
    return [(path, list(members)) for path, members in groupby(rows, lambda row: row.path)]


def _by_reason(rows: Iterable[Row]) -> list[tuple[str, int, list[Fold]]]:
    """Reasons, how many values have them, and these in folds."""
    found = [(reason, list(members)) for reason, members in groupby(sorted(rows, key=_reason), _reason)]
    return [(reason, len(members), list(folded(members))) for reason, members in found]


def _reason(row: Row) -> str:
    return row.reason


def _figures(charts: list[Chart], time: NDArray[Any]) -> list[_Figure]:
    return [_Figure(chart.title, chart.note, draw(time, chart)) for chart in charts]


def share(row: Row) -> float | None:
    """Effective value over the one that is wanted; None where that says nothing."""
    if isinstance(row.wanted, tuple) or isinstance(row.effective, tuple) or row.effective is None:
        return None
    if row.wanted == 0.0 or not math.isfinite(row.effective / row.wanted):
        return None
    return row.effective / row.wanted


def percent(value: float) -> str:
    """A share in percent, with decimals only near the authored value, where they matter."""
    digits = 1 if 0.9 <= value <= 1.1 else 0
    return f"{100.0 * value:.{digits}f} %".replace("-", "\N{MINUS SIGN}")


def _facts(verification: Verification, recording: Recording, articulations: Sequence[Articulation],
           world: int) -> list[tuple[str, str]]:
    """How it was made: names and values."""
    records, worlds = recording.link_pose.shape[:2]
    return [
        ("Verification step", f"{numeral(verification.dt)} s"),
        ("Position iterations", str(recording.iterations[0])),
        ("Velocity iterations", str(recording.iterations[1])),
        *([("Iterations", recording.raised)] if recording.raised else []),
        ("Simulated", f"{numeral(float(recording.time[-1]))} s, {records} records, world {world + 1} of {worlds}"),
        *(("Articulation", articulation.path) for articulation in articulations),
        *((package, _version(package)) for package in PACKAGES),
        ("Python", platform.python_version()),
    ]


def _outside(description: Description, recording: Recording, world: int) -> Iterator[tuple[str, str]]:
    """The joints outside articulations: what each holds, and when it broke."""
    for joint in description.joints:
        if joint.path not in recording.outside_joint_names:
            continue
        text = f"{joint.path}: {joint.kind}, from {joint.body0 or 'the world'} to {joint.body1 or 'the world'}"
        gone: list[int] = []
        if joint.path in recording.breakable_names:
            gone = recording.broken[:, world, recording.breakable_names.index(joint.path)].nonzero()[0].tolist()
        said = f", broken by {numeral(float(recording.time[gone[0]]))} s" if gone else ""
        yield "Joint outside articulations", text + said


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "run from source"


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True,
        finalize=lambda value: printable(value) if type(value) is str else value,
    )
    environment.filters |= {"numeral": numeral, "percent": percent, "parts": parts, "plural": plural}
    environment.globals |= {"share": share, "remedy_text": remedy_text, "location": location, "bar_end": BAR_END_RATIO}
    return environment


def _template(name: str) -> str:
    return files("physx_runtime.viewing").joinpath("templates", name).read_text(encoding="utf-8")


def parts(name: str) -> list[str]:
    """A path or property name in pieces between which a line may break."""
    return re.split(r"(?<=[/:])(?=.)", name)
