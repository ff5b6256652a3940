"""The processor that recordings were made on: estimates of 1 / x are each maker's own, in PhysX as in this step."""

from __future__ import annotations

from pathlib import Path

import llvmlite.binding as llvm

# PhysX clips edges of boxes by RCPSS, which is right to 12 bits, and so does this step: on any one processor both come
# to the same bits, but not to those of another maker's. Recordings are of an AMD processor; those that this changes
# beyond their tolerances were made again on an Intel one, and lie in a folder beside them.
RECORDED_HERE = llvm.get_host_cpu_name().startswith("znver")
AGAIN = "intel"
CLIPPED = 2e-4          # m: how far a point on an edge of up to a metre is from where it is on another processor


def recording(path: Path) -> Path:
    """A recording, or the one made again where this processor asks for it and there is one."""
    again = path.parent / AGAIN / path.name
    return again if again.is_file() and not RECORDED_HERE else path


def elsewhere(here: float, other: float) -> float:
    """The one on a processor like that of the recordings, the other elsewhere."""
    return here if RECORDED_HERE else other
