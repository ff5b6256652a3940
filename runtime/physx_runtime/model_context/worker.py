"""The process that works for a server: a line of JSON on stdin for each call, and one on stdout for each answer.

Whoever ends it ends what runs in it. It ends by itself as soon as its stdin does, whatever it is busy with.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from queue import SimpleQueue

from physx_runtime.model_context.tools import TOOLS, with_faults


def main() -> None:
    """Answer calls until stdin ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)           # what libraries print is no answer
    calls: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_read, args=(calls,), daemon=True).start()
    tools = {tool.__name__: with_faults(tool) for tool in TOOLS}
    while True:
        name, arguments = json.loads(calls.get())
        answers.write(json.dumps(tools[name](**arguments)) + "\n")
        answers.flush()


def _read(calls: SimpleQueue[str]) -> None:
    for line in sys.stdin:
        calls.put(line)
    os._exit(0)             # while the main thread may be in the middle of a step


if __name__ == "__main__":
    main()
