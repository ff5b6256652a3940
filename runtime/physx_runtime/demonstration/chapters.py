"""What happened to the hand, in a few sentences with its real numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from physx_runtime.demonstration.hand import (
    COUPLING_RATIO,
    DRIVE_TYPE,
    FINGER,
    INVALID_INSTANCE,
    KNUCKLE_INERTIA,
    MISSPELT,
    PHALANGES,
    THUMB,
    Finger,
)
from physx_runtime.simulation.recording import Recording
from physx_runtime.verification.report import IGNORED, Row, Verification
from physx_runtime.verification.text import VERDICTS
from physx_runtime.viewing.poses import transform_point
from physx_runtime.viewing.text import listed, numeral
from physx_schema.checking import Report
from physx_schema.description import Description
from physx_schema.reports.findings import summary
from physx_schema.text import plural

WIDTH, INDENT = 112, 11
MILLIMETRES = 1000.0


def chapter(heading: str, sentences: Iterable[str]) -> Iterator[str]:
    """Sentences beside a heading, each on a line of its own or on several where it is long."""
    for sentence in sentences:
        yield from textwrap.wrap(
            sentence, WIDTH, initial_indent=heading.ljust(INDENT), subsequent_indent=" " * (INDENT + 2),
            break_long_words=False, break_on_hyphens=False,
        )
        heading = ""


def describe_authored(path: Path, description: Description) -> Iterator[str]:
    """What is on the stage."""
    hand = description.articulations[0]
    counts = {
        "link": len(hand.links), "joint": len(hand.dofs), "drive": sum(dof.drive is not None for dof in hand.dofs),
        "mimic joint": len(hand.mimics), "flexor": len(hand.fixed_tendons), "extensor": len(hand.spatial_tendons),
    }
    parts = listed([plural(count, noun) for noun, count in counts.items()])
    yield f"{path}: a palm and two fingers with {parts}."


def describe_check(report: Report) -> Iterator[str]:
    """What the check found."""
    yield f"{summary(report)}."
    for finding in report.findings:
        yield f"{finding.severity} {finding.code}: {finding.path}: {finding.message}"


def describe_simulation(description: Description, recording: Recording) -> Iterator[str]:
    """How the hand closed."""
    hand = description.articulations[0]
    yield (f"{numeral(float(recording.time[-1]))} s in {len(recording.time) - 1} PhysX steps, each with "
           f"{plural(hand.position_iterations, 'position iteration')} and "
           f"{plural(hand.velocity_iterations, 'velocity iteration')}.")
    gaps = [_gap(recording, record) * MILLIMETRES for record in (0, -1)]
    bends = listed([f"{_angle(recording, FINGER, i):.0f}" for i in range(len(PHALANGES))])
    yield (f"The hand closes: the finger bends by {bends} degrees, and the gap between the tips shrinks from "
           f"{gaps[0]:.0f} to {gaps[1]:.0f} mm.")
    ratio = _angle(recording, FINGER, 2) / _angle(recording, FINGER, 1)
    yield (f"The mimic joint keeps the angle of the finger's last joint at {ratio:.3f} times the angle of the middle "
           f"joint; the authored factor is {COUPLING_RATIO:g}.")


def describe_verification(verification: Verification) -> Iterator[str]:
    """What authored values come to, and the flexor's stiffness as the example."""
    counts = [f"{count} {verdict}" for verdict in VERDICTS
              if (count := sum(row.verdict == verdict for row in verification.rows))]
    yield f"{plural(len(verification.rows), 'authored value')}: {', '.join(counts)}."
    row = _row(verification, f"physxTendon:{FINGER.name}_flexor:stiffness")
    yield f"The flexor's stiffness of {numeral(row.authored)} N/m acts as {numeral(row.effective)} N/m, because"
    yield from (f"- {reason}" for reason in row.reason.split("; "))


def describe_faults(path: Path, report: Report, verification: Verification) -> Iterator[str]:
    """What check and verify say about the two planted faults."""
    yield (f"{path}: a copy with mimic instance '{INVALID_INSTANCE}' and drive type '{MISSPELT}'. USD opens it "
           "without a warning.")
    yield from (f"check:  {_leaf(finding.path)}: {finding.message}; {finding.why}" for finding in report.errors)
    yield from (f"verify: {_leaf(row.path)}: {row.property} is ignored; {row.reason}"
                for row in verification.failed if row.verdict == IGNORED)
    drive = DRIVE_TYPE.partition(".")[0]
    row = _row(verification, "drive:angular:physics:stiffness", drive)
    yield (f"verify: {_leaf(drive)}: the stiffness of {numeral(row.effective)} now has the unit {row.unit} and is "
           f"{1.0 / KNUCKLE_INERTIA:.0f} times the intended value")


def _leaf(path: str) -> str:
    return path.rpartition("/")[2]


def _row(verification: Verification, name: str, path: str | None = None) -> Row:
    return next(row for row in verification.rows if row.property == name and path in (None, row.path))


def _angle(recording: Recording, finger: Finger, joint: int) -> float:
    """How far a joint has closed at the end, degrees."""
    index = recording.joint_names.index(finger.joint(PHALANGES[joint]))
    return finger.closing * float(np.degrees(recording.joint_position[-1, 0, index]))


def _gap(recording: Recording, record: int) -> float:
    """Distance between the surfaces of the two fingertips, m."""
    tip = PHALANGES[-1]
    poses = np.array([recording.link_pose[record, 0, recording.link_names.index(finger.link(tip))]
                      for finger in (FINGER, THUMB)])
    ends = transform_point(poses, (0.0, 0.0, 0.5 * tip.length))
    return float(np.linalg.norm(ends[0] - ends[1])) - 2.0 * tip.radius
