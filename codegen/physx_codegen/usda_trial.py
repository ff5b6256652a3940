"""Text that USD reads in a process of its own first, which deep nesting ends or keeps busy without an end."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import suppress

SECONDS = 5             # and one for each MB of text
BYTES_A_SECOND = 1 << 20
READ = """
import resource, sys
from pxr import Sdf, Tf
text, seconds = sys.stdin.buffer.read().decode(), int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
try:
    Sdf.Layer.CreateAnonymous(".usda").ImportFromString(text)
except Tf.ErrorException:
    pass
"""


def failure(text: str) -> str:
    """How USD ends over a text, "" where it reads or refuses it."""
    seconds = SECONDS + len(text) // BYTES_A_SECOND
    process = subprocess.run([sys.executable, "-P", "-c", READ, str(seconds)], input=text.encode(), check=False,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if not process.returncode:
        return ""
    name = str(process.returncode)
    with suppress(ValueError):
        name = signal.Signals(-process.returncode).name
    return (f"USD does not finish reading it within {seconds} s" if name in ("SIGXCPU", "SIGKILL") else
            f"USD crashes while it reads it ({name})")
