"""How long generating everything takes, in process and as a command: `python benchmarks/codegen_speed.py`."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "codegen"))

from physx_codegen.generate import generate  # noqa: E402 - found through the path above
from physx_codegen.load_yaml import libraries, load  # noqa: E402
from physx_codegen.render import environment  # noqa: E402

REPEATS = 5


def best(call: object) -> float:
    """Seconds of the fastest of several calls."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()      # type: ignore[operator]
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print one line for each measurement."""
    schema = ROOT / "schema"
    start = time.perf_counter()
    files = generate(schema)
    cold = time.perf_counter() - start
    classes = [cls for folder in libraries(schema) for cls in load(folder).classes]
    properties = sum(len(cls.properties) for cls in classes)
    size = sum(map(len, files.values()))
    print(f"{len(classes)} classes, {properties} properties -> {len(files)} files, {size / 1e3:.0f} kB")
    print(f"first in a process (templates compiled)  {cold * 1e3:7.1f} ms")
    print(f"again in the process                     {best(lambda: generate(schema)) * 1e3:7.1f} ms")
    read = best(lambda: [load(folder) for folder in libraries(schema)])
    print(f"  reading the YAML                       {read * 1e3:7.1f} ms")
    print(f"  compiling the templates                {best(compile_templates) * 1e3:7.1f} ms")
    command = [sys.executable, "-c", "from physx_codegen.cli import generate; generate(['--check'])"]
    run = best(lambda: subprocess.run(command, check=True, env={"PYTHONPATH": str(ROOT / "codegen")}))
    print(f"as a command, generate --check           {run * 1e3:7.1f} ms")


def compile_templates() -> None:
    """Compile every template anew."""
    environment.cache_clear()
    for name in environment().list_templates():
        environment().get_template(name)


if __name__ == "__main__":
    main()
