"""How long a machine with only Python takes to the first report of a robot, step by step: wall and processor time.

    python benchmarks/first_report.py physx_schema-0.1.0-py3-none-any.whl robot.usda

A new environment, packages installed without pip's cache, kernels compiled into an empty folder; then the report once
more with what is compiled, of which the difference is compiling. Times of everything that a step starts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

EXTRAS = "usd"
IMPORTS = "import physx_runtime.viewing.report"


def spent(name: str, command: list[str], environment: dict[str, str]) -> float:
    """Run a command, print the seconds that it took and when it said something on stderr; the wall time."""
    cpu, wall = sum(os.times()[2:4]), time.perf_counter()
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    said: list[str] = []

    def read() -> None:
        assert process.stderr is not None
        said.extend(f"    {time.perf_counter() - wall:6.1f}  {line.strip()}" for line in process.stderr)

    reader = threading.Thread(target=read)
    reader.start()
    if process.wait():
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}\n" + "\n".join(said))
    reader.join()
    took = time.perf_counter() - wall
    print(f"{name:34}{took:7.1f} s, processor {sum(os.times()[2:4]) - cpu:6.1f} s", *said, sep="\n", flush=True)
    return took


def main() -> None:
    """Measure with the wheel and the stage of the command line."""
    wheel, stage = (Path(name).resolve() for name in sys.argv[1:3])
    print(f"load before: {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        program = str(home / "venv/bin/python")
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("PYTHON", "PHYSX"))} | {"XDG_CACHE_HOME": str(home / "cache")}
        report = [str(home / "venv/bin/physx-schema"), "report", str(stage), "-o", str(home / "report.html")]
        whole = spent("python -m venv", [sys.executable, "-m", "venv", str(home / "venv")], environment)
        whole += spent(f"pip install '.[{EXTRAS}]'", [program, "-m", "pip", "install", "--quiet", "--no-cache-dir",
                       "--disable-pip-version-check", f"{wheel}[{EXTRAS}]"], environment)
        whole += spent("physx-schema report", report, environment)
        print(f"{'together':34}{whole:7.1f} s", flush=True)
        spent("once more: kernels are compiled", report, environment)
        spent("imports alone", [program, "-c", IMPORTS], environment)


if __name__ == "__main__":
    main()
