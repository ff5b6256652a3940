"""The program `physx-schema`: stopped in a line at any time, started beside the process that opens files first."""

from __future__ import annotations

import gc
import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130       # 128 + SIGINT


def main() -> None:
    """Run the program with the arguments of the process."""
    previous_handler = signal.getsignal(signal.SIGINT)         # a shell lets programs in the background ignore it
    if previous_handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
    gc.disable()        # a tenth of the time of the imports
    from physx_runtime.start import prepare_program

    run = prepare_program()
    gc.enable()
    gc.freeze()         # what was imported stays
    signal.signal(signal.SIGINT, previous_handler)
    run()


def _stop(number: int, frame: FrameType | None) -> None:
    """End during imports, which write nothing and turn exceptions into others."""
    os.write(sys.stderr.fileno(), b"interrupted\n")
    os._exit(INTERRUPTED)
