"""Functions that workers run: they crash, hang, and need memory on request."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from physx_schema.library.outcomes import Done


def act(item: str) -> str:
    """Do what an item says; return the item in capitals."""
    verb, _, argument = item.partition(" ")
    if verb == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif verb == "hang":
        time.sleep(600.0)
    elif verb == "allocate":
        bytearray(int(argument) << 20)
    elif verb == "raise":
        raise ValueError("no such value")
    elif verb == "exit":
        os._exit(int(argument))
    elif verb == "crash-once":
        marker = Path(argument)
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return item.upper()


def act_on(path: str) -> Done[str]:
    """Do what a path says, as the work of a command."""
    return Done(act(path))
