"""The report of any robot: checked, verified, simulated, and stepped in the page, each where it can be."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from physx_runtime.packing.not_simulated import NotSimulatedWarning
from physx_runtime.simulation.divergence import DivergenceWarning
from physx_runtime.simulation.one_call import simulate
from physx_runtime.simulation.recording import Recording
from physx_runtime.verification import verify
from physx_runtime.verification.report import Verification
from physx_runtime.viewing.live.base import holder, with_fixed_base
from physx_runtime.viewing.live.step import LiveStep, live_step
from physx_runtime.viewing.report import write_report
from physx_schema.checking import check
from physx_schema.description import describe
from physx_schema.description.model import Description
from physx_schema.description.stages import open_stage
from physx_schema.errors import UnsupportedError
from physx_schema.outputs import files_of, require_output

T = TypeVar("T")


def report_robot(stage: Any, path: str | Path, dt: float = 1 / 60, steps: int = 240,
                 said: Callable[[str], None] = lambda line: None, engines: Sequence[str] = ("builtin",)) -> Path:
    """Write the report of a stage as one HTML file; return its path.

    dt: time step [s] of experiments and motion. said: is told what is done next. engines: as of `verify`.
    What cannot be verified, simulated or stepped in a page is said in the report with the reason.

    Raises:
        UnreadableError: the stage cannot be opened.
        UnsupportedError: matplotlib is not installed, or the path is a file of the stage.
    """
    path, stage = Path(path), open_stage(stage)
    require_output(path, files_of(stage), force=True)
    missing: list[str] = []

    def tried(what: str, made: Callable[[], T]) -> T | None:
        said(what)
        try:
            with warnings.catch_warnings():
                for told_elsewhere in (NotSimulatedWarning, DivergenceWarning):
                    warnings.simplefilter("ignore", told_elsewhere)
                return made()
        except UnsupportedError as error:
            missing.append(f"Not {what}: {'; '.join(str(error).splitlines())}.")
            return None

    said("checked")
    checked, description = check(stage), describe(stage)
    verification: Verification | None = tried("verified", lambda: verify(stage, engines, dt))
    recording: Recording | None = tried("simulated", lambda: simulate(description, dt=dt, steps=steps))
    intended: Recording | None = None
    if recording:
        missing += [f"{item}." for item in (*recording.not_simulated, *recording.diverged)]
        intended = tried("simulated as intended", lambda: simulate(description, dt=dt, steps=steps, solver="ideal"))
    said("written")
    return write_report(path, stage, checked, verification, recording, intended=intended,
                        live=_live(stage, description, dt), missing=missing)


def _live(stage: Any, description: Description, dt: float) -> LiveStep | str:
    """The step of the first articulation, or why there is none."""
    acting = [articulation for articulation in description.articulations if articulation.enabled]
    if not acting:
        return "there is no articulation"
    try:
        joint = holder(description, acting[0])
        if joint is None:
            return live_step(description, acting[0].path, dt)
        live = live_step(with_fixed_base(stage, acting[0], joint), joint.path, dt)
        return replace(live, left_out=(f"{joint.path} holds its root at the world, for which this step takes a fixed "
                                       "base; in PhysX such a joint gives way a little", *live.left_out))
    except UnsupportedError as error:
        return "; ".join(str(error).splitlines())
