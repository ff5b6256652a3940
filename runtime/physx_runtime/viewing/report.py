"""The report: one self-contained HTML file with values, findings, motion and settings.

`report_robot` checks, verifies and simulates a stage for it.
"""

from __future__ import annotations

import math
import platform
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import jinja2
from numpy.typing import NDArray
from pxr import Usd

from physx_runtime.packing.not_simulated import NotSimulatedWarning
from physx_runtime.progress import task
from physx_runtime.simulation.divergence import DivergenceWarning
from physx_runtime.simulation.recording import Recording
from physx_runtime.simulation.simulate import simulate
from physx_runtime.verification import verify
from physx_runtime.verification.report import (
    ALTERED,
    AS_AUTHORED,
    IGNORED,
    NOT_EVALUATED,
    OTHER_ENGINE,
    Row,
    Verification,
)
from physx_runtime.verification.text import measured, remedy_text
from physx_runtime.viewing.advice import advise, command_path, display_names
from physx_runtime.viewing.charts import (
    Chart,
    contact_charts,
    joint_charts,
    recorded_articulations,
    relation_charts,
)
from physx_runtime.viewing.comparison import Before, difference_headline, motion_differences, require_comparable
from physx_runtime.viewing.intention import intended_bodies, intends_motion
from physx_runtime.viewing.live.sliders import LiveStep, find_root_joint, live_step, with_fixed_base
from physx_runtime.viewing.motion import (
    as_authored_by_path,
    by_reason,
    by_rule,
    failed_by_path,
    ignored_by_reason,
    remedy_lines,
)
from physx_runtime.viewing.plot import draw, draw_poses
from physx_runtime.viewing.poses import snapshots
from physx_runtime.viewing.robot.figure import figure, script, script_hash
from physx_runtime.viewing.text import numeral
from physx_runtime.viewing.units import force_unit, length_unit
from physx_schema.checking import Report, check
from physx_schema.checking.engine.finding import BEHAVIOUR, DEFAULT_PROFILE, location
from physx_schema.description import describe
from physx_schema.description.model import Articulation, Description
from physx_schema.description.stages import open_stage
from physx_schema.errors import UnsupportedError, printable
from physx_schema.files import replacing
from physx_schema.outputs import files_of, require_output
from physx_schema.text import plural

MARKS = {AS_AUTHORED: ("ok", "\N{CHECK MARK}"), ALTERED: ("altered", "\N{ALMOST EQUAL TO}"),
         IGNORED: ("ignored", "\N{MULTIPLICATION X}"), NOT_EVALUATED: ("unknown", "?"),
         OTHER_ENGINE: ("unknown", "\N{MIDDLE DOT}")}
SEVERITIES = {"error": "ignored", "warning": "altered", "info": "unknown"}
PACKAGES = ("physx-schema", "usd-core", "numpy", "numba")
BAR_END_RATIO = 2.0           # the bars of effective against authored end at twice the authored value
DRAWN_MOMENTS = 6             # at which the articulations are drawn
MAX_PLOTS = 60              # more than this many joints make a page that nobody reads
MAX_FINDINGS = 12           # of one rule
MAX_DIFFERENCES = 20        # of the motion, between two stages
MAX_NAME = 46               # letters of a name; longer ones are cut in the middle
MAX_MISSING = 3             # sentences about what could not be done that nobody has to unfold


ChartMaker = Callable[[Sequence[Articulation], Recording, int, str], list[Chart]]


@dataclass(frozen=True, slots=True)
class _Figure:
    title: str
    note: str
    svg: str


def write_report(path: str | Path, stage: Any, checked: Report, verification: Verification | None,
                 recording: Recording | None, world: int = 0, *, intended: Recording | None = None,
                 live: LiveStep | str = "", missing: Sequence[str] = (), before: Before | None = None) -> Path:
    """Write one self-contained HTML file about a stage, and return its path.

    Equal input gives equal bytes: the page has no date and no random names.

    Args:
        verification: The verification, or None; `missing` then has the reason.
        recording: The recording, or None; `missing` then has the reason.
        intended: The motion of the stage with an ideal solver.
        live: The live step of its articulation, or the reason why there is none.
        missing: Sentences about everything that the page lacks.
        before: The stage and the motion to compare with.

    Raises:
        UnsupportedError: The path is a file of the stage.
        UnreadableError: The stage cannot be opened.
        ValueError: The recording is from another stage, or has no such world.
    """
    path, stage = Path(path), open_stage(stage)
    require_output(path, files_of(stage), force=True)
    description = describe(stage)
    value_context = _value_context(verification)
    motion_context = _motion_context(description, recording, intended, before, world)
    paths = [row.path for row in verification.rows] if verification else []
    paths += [finding.path for finding in checked.findings]
    robot_figure = figure(stage, description, checked.findings, paths, recording, intended,
                          live if isinstance(live, LiveStep) else None, world,
                          before if recording else None)
    text = _environment().get_template("report.html.jinja").render(
        source=Path(description.source).name,
        advice=advise(command_path(description.source), checked, verification, recording, display_names(stage)),
        marks=MARKS, severities=SEVERITIES, checked=checked, rules=by_rule(checked.causes),
        max_findings=MAX_FINDINGS, max_differences=MAX_DIFFERENCES, missing=missing, max_missing=MAX_MISSING,
        robot_notes=robot_figure.notes,
        packed=robot_figure.packed(), script=script(), script_hash=script_hash(),
        **_step_context(live), **value_context, **motion_context)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
    return path


def _step_context(live: LiveStep | str) -> dict[str, Any]:
    """What the template says of the step in the page."""
    if isinstance(live, str):
        return {"live_articulation": "", "not_live": live, "left_out": ()}
    return {"live_articulation": live.articulation, "not_live": "", "left_out": live.left_out}


def _value_context(verification: Verification | None) -> dict[str, Any]:
    """What the template says of numbers."""
    if verification is None:
        return {"totals": [], "altered": [], "equivalent_rows": lambda row: (), "ignored": [], "as_authored_groups": [],
                "as_authored_count": 0, "unmeasured": [], "of_other_engines": [], "step": [], "in_physx": False}
    as_authored = as_authored_by_path(verification)
    return {"totals": [(*MARKS[verdict], _count(verification, verdict), verdict) for verdict in MARKS
                       if verdict != OTHER_ENGINE or _count(verification, verdict)],
            "altered": failed_by_path(verification), "equivalent_rows": verification.equivalent_rows,
            "ignored": ignored_by_reason(verification), "as_authored_groups": as_authored,
            "as_authored_count": sum(len(rows) for _, rows in as_authored),
            "unmeasured": by_reason(verification, NOT_EVALUATED),
            "of_other_engines": by_reason(verification, OTHER_ENGINE),
            "step": [("Verification step", f"{numeral(verification.dt)} s"),
                     *([("Real PhysX", f"ovphysx {verification.physx}")] if verification.physx else [])],
            "in_physx": bool(verification.physx)}


def _motion_context(description: Description, recording: Recording | None, intended: Recording | None,
                    before: Before | None, world: int) -> dict[str, Any]:
    """What the template shows of a recording."""
    if recording is None:
        return {"shots": [], "joints": [], "relations": [], "contact_plots": [], "left_out_plots": 0, "overlaid": False,
                "before": "", "differences": [], "difference_headline": "", "facts": _versions()}
    worlds = recording.link_pose.shape[1]
    if not 0 <= world < worlds:
        raise ValueError(f"world is {world}; the recording has worlds 0 to {worlds - 1}")
    articulations = recorded_articulations(description, recording)
    length = length_unit(description)
    charts = [_overlaid(kind, description, recording, intended, before, world, length)
              for kind in (joint_charts, relation_charts)]
    charts.append(contact_charts(recording, world, force_unit(description)))
    differences = motion_differences(description, recording, before, world, length) if before else []
    shots = snapshots(articulations, recording, world, description.scene.up_axis, DRAWN_MOMENTS)
    joints, relations, touching = (_figures(group[:MAX_PLOTS], recording.time) for group in charts)
    return {"shots": [(shot.time, svg) for shot, svg in zip(shots, draw_poses(shots), strict=True)],
            "joints": joints, "relations": relations, "contact_plots": touching,
            "left_out_plots": sum(max(0, len(group) - MAX_PLOTS) for group in charts), "overlaid": intended is not None,
            "before": before.name if before else "", "differences": differences,
            "difference_headline": difference_headline(differences, before.name) if before else "",
            "facts": [*_facts(recording, articulations, world), *_maximal_joint_facts(description, recording, world),
                      *_versions()]}


def _overlaid(kind: ChartMaker, description: Description, recording: Recording, intended: Recording | None,
              before: Before | None, world: int, length: str) -> list[Chart]:
    """The charts of a kind, each with the intended motion and the motion before where these have a chart of its title.

    Only articulations that intend a motion have an intended one.
    """
    articulations = recorded_articulations(description, recording)
    charts = kind(articulations, recording, world, length)
    ideal, old = list[Chart](), list[Chart]()
    if intended is not None:
        ideal = kind([item for item in articulations if intends_motion(item)], intended, world, length)
    if before is not None:
        old = kind(recorded_articulations(before.description, before.recording), before.recording, 0, length)
    intended_values, old_values = ({chart.title: chart.value for chart in group} for group in (ideal, old))
    return [replace(chart, intended=intended_values.get(chart.title), before=old_values.get(chart.title))
            for chart in charts]


def _count(verification: Verification, verdict: str) -> int:
    return sum(row.verdict == verdict for row in verification.rows)


def _figures(charts: list[Chart], time: NDArray[Any]) -> list[_Figure]:
    return [_Figure(chart.title, chart.note, draw(time, chart)) for chart in charts]


def effective_ratio(row: Row) -> float | None:
    """Return effective over intended value; None if the ratio has no meaning."""
    if isinstance(row.intended_effect, tuple) or isinstance(row.effective, tuple) or row.effective is None:
        return None
    if row.intended_effect == 0.0 or not math.isfinite(row.effective / row.intended_effect):
        return None
    return row.effective / row.intended_effect


def percent(value: float) -> str:
    """Return a fraction in percent, with a decimal only near the authored value."""
    digits = 1 if 0.9 <= value <= 1.1 else 0
    return f"{100.0 * value:.{digits}f} %".replace("-", "\N{MINUS SIGN}")


def _facts(recording: Recording, articulations: Sequence[Articulation], world: int) -> list[tuple[str, str]]:
    """How it was made: names and values."""
    records, worlds = recording.link_pose.shape[:2]
    return [
        ("Position iterations", str(recording.iterations[0])),
        ("Velocity iterations", str(recording.iterations[1])),
        *([("Iterations", recording.raised)] if recording.raised else []),
        ("Simulated", f"{numeral(float(recording.time[-1]))} s, {records} records, world {world + 1} of {worlds}"),
        *(("Articulation", articulation.path) for articulation in articulations),
    ]


def _versions() -> list[tuple[str, str]]:
    """What made it."""
    return [*((package, _version(package)) for package in PACKAGES), ("Python", platform.python_version())]


def _maximal_joint_facts(description: Description, recording: Recording, world: int) -> Iterator[tuple[str, str]]:
    """The joints outside articulations: what each holds, and when it broke."""
    for joint in description.joints:
        if joint.path not in recording.maximal_joint_names:
            continue
        text = f"{joint.path}: {joint.kind}, from {joint.body0 or 'the world'} to {joint.body1 or 'the world'}"
        broken_records: list[int] = []
        if joint.path in recording.breakable_names:
            broken_records = recording.broken[:, world,
                                              recording.breakable_names.index(joint.path)].nonzero()[0].tolist()
        suffix = f", broken at {numeral(float(recording.time[broken_records[0]]))} s" if broken_records else ""
        yield "Joint outside articulations", text + suffix


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
    environment.filters |= {"numeral": numeral, "percent": percent, "parts": parts, "plural": plural,
                            "shortened": shortened}
    environment.globals |= {"effective_ratio": effective_ratio, "measured": measured, "remedy_text": remedy_text,
                            "remedy_lines": remedy_lines, "location": location, "bar_end": BAR_END_RATIO}
    return environment


def _template(name: str) -> str:
    return files("physx_runtime.viewing").joinpath("templates", name).read_text(encoding="utf-8")


def parts(name: str) -> list[str]:
    """Return a path or property name in pieces, between which a line may break."""
    return re.split(r"(?<=[/:])(?=.)", name)


def shortened(name: str) -> str:
    """Return a long path with an ellipsis in place of its middle: the first part of it, and as many last ones as fit.

    The parts of a path end with "/"; those of a property's name are kept together with the last prim.
    """
    pieces = re.split(r"(?<=/)", name)
    if len(name) <= MAX_NAME or len(pieces) < 4:
        return name
    head, tail = "".join(pieces[:2]), ""
    for piece in reversed(pieces[2:]):
        if tail and len(head) + len(piece) + len(tail) + 2 > MAX_NAME:
            break
        tail = piece + tail
    return f"{head}\N{HORIZONTAL ELLIPSIS}/{tail}" if len(head) + len(tail) + 2 < len(name) else name


T = TypeVar("T")


def report_robot(stage: Any, path: str | Path, dt: float = 1 / 60, steps: int = 240,
                 engines: Sequence[str] = ("builtin",), before: str | Path | Usd.Stage | None = None) -> Path:
    """Check, verify and simulate a stage, write its report as one HTML file, and return the path.

    The report lists everything that cannot be verified or simulated, with the reason.

    Args:
        dt: Time step in seconds of experiments and motion.
        steps: Number of steps of the motion.
        engines: As in `verify`.
        before: A stage to compare the motion with; its robot is drawn translucent over this one.

    Raises:
        UnreadableError: A stage cannot be opened.
        UnsupportedError: The path is a file of the stage.
    """
    path, stage = Path(path), open_stage(stage)
    before_stage = None if before is None else open_stage(before)
    require_output(path, files_of(stage), force=True)
    if before_stage is not None:
        require_output(path, files_of(before_stage), force=True)
    missing: list[str] = []

    def attempt(what: str, make: Callable[[], T]) -> T | None:
        try:
            with task(f"being {what}"), warnings.catch_warnings():
                for reported_warning in (NotSimulatedWarning, DivergenceWarning):
                    warnings.simplefilter("ignore", reported_warning)
                return make()
        except UnsupportedError as error:
            missing.append(f"Not {what}: {'; '.join(str(error).splitlines())}.")
            return None

    with task("being checked"):
        checked, description = check(stage, f"{DEFAULT_PROFILE}+{BEHAVIOUR}"), describe(stage)
    verification: Verification | None = attempt("verified", lambda: verify(stage, engines, dt))
    recording: Recording | None = attempt("simulated", lambda: simulate(description, dt=dt, steps=steps))
    intended: Recording | None = None
    if recording:
        missing += [f"{item}." for item in (*recording.not_simulated, *recording.diverged)]
        if intended_bodies(description):
            intended = attempt("simulated as intended",
                               lambda: simulate(description, dt=dt, steps=steps, solver="ideal"))
    compared: Before | None = None
    if recording and before_stage is not None:
        compared = attempt("compared", lambda: _before(description, before_stage, dt, steps))
    with task("being written"):
        return write_report(path, stage, checked, verification, recording, intended=intended,
                            live=_live(stage, description, dt), missing=missing, before=compared)


def _before(description: Description, stage: Usd.Stage, dt: float, steps: int) -> Before:
    """The stage to compare a description with, and its motion."""
    before = describe(stage)
    require_comparable(description, before)
    return Before(stage, before, simulate(before, dt=dt, steps=steps))


def _live(stage: Any, description: Description, dt: float) -> LiveStep | str:
    """The step of the first articulation, or why there is none."""
    acting = [articulation for articulation in description.articulations if articulation.enabled]
    if not acting:
        return "the stage has no articulation"
    try:
        joint = find_root_joint(description, acting[0])
        if joint is None:
            return live_step(description, acting[0].path, dt)
        live = live_step(with_fixed_base(stage, acting[0], joint), joint.path, dt)
        return replace(live, left_out=(f"{joint.path} connects the robot's root to the world; this step uses a fixed "
                                       "base instead; in PhysX the joint yields slightly", *live.left_out))
    except UnsupportedError as error:
        return "; ".join(str(error).splitlines())
