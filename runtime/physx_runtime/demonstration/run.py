"""The demonstration from start to end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from physx_runtime.demonstration import chapters
from physx_runtime.demonstration.chapters import chapter
from physx_runtime.demonstration.hand import break_hand, build_hand
from physx_runtime.simulation.simulate import simulate
from physx_runtime.verification import verify
from physx_runtime.viewing.live.sliders import live_step
from physx_runtime.viewing.motion import write_motion
from physx_runtime.viewing.report import write_report
from physx_schema.checking import check
from physx_schema.description import describe
from physx_schema.files import replacing
from physx_schema.outputs import require_copy, require_output

DT, STEPS = 1 / 60, 150


def run_demonstration(out: Path, force: bool = False) -> Iterator[str]:
    """Do everything the demonstration does, a line of its story at a time.

    Leaves hand.usda, hand_motion.usda, hand_broken.usda and report.html in `out`. Raises UnsupportedError, before
    anything is written, where one of them is there and another's, unless `force` is given.
    """
    hand, motion, broken, report = (out / name for name in (
        "hand.usda", "hand_motion.usda", "hand_broken.usda", "report.html"))
    stage = build_hand()
    require_copy(hand, lambda path: stage.GetRootLayer().Export(str(path)), force=force)
    require_copy(broken, lambda path: break_hand(stage.GetRootLayer().ExportToString(), path), force=force)
    for path in (motion, report):
        require_output(path, force=force)
    with replacing(hand) as temporary:
        stage.GetRootLayer().Export(str(temporary))
    description = describe(hand)
    yield from chapter("Authored", chapters.describe_authored(hand, description))
    checked = check(hand)
    yield from chapter("Checked", chapters.describe_check(checked))
    recording = simulate(description, dt=DT, steps=STEPS)
    yield from chapter("Simulated", chapters.describe_simulation(description, recording))
    verification = verify(hand, dt=DT)
    yield from chapter("Verified", chapters.describe_verification(verification))
    write_motion(hand, recording, motion)
    intended = simulate(description, dt=DT, steps=STEPS, solver="ideal")
    write_report(report, hand, checked, verification, recording, intended=intended, live=live_step(description, dt=DT))
    break_hand(hand.read_text(encoding="utf-8"), broken)
    yield from chapter("Broken", chapters.describe_faults(broken, check(broken), verify(broken, dt=DT)))
    yield from chapter("Open", [f"{report} in a browser, and {motion} in usdview."])
