"""How long generating everything takes: `python benchmarks/codegen_speed.py`.

Every row is the median of fresh processes, timed inside the process after its imports, since a template is compiled and
USD is loaded once per process; the last row is a whole command. The output is compared with what is committed.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROCESSES = 20

PREPARE = """
import sys, time
from pathlib import Path
sys.path.insert(0, "codegen")
from physx_codegen import generate_command, pages
from physx_codegen.generate import assemble, load_valid
from physx_codegen.proof import prove
schema, out, docs = Path("schema"), Path("generated/physx_generated"), Path("docs/reference/classes")
start = time.perf_counter()
"""
REPORT = """
print(time.perf_counter() - start)
"""
# What is timed, and the seconds it may take.
ROWS = {
    "classes, tokens, usda and plugInfo": ("files = assemble(load_valid(schema))", 0.35),
    "the same and all reference pages": ("found = load_valid(schema); files = assemble(found)\n"
                                         "files = files | pages.render(tuple(library for _, library in found))", 1.35),
    "classes and plugin, tried in another process": (
        "found = load_valid(schema); prove([library for _, library in found], assemble(found))", 1.5),
    "an unchanged --check": ("assert generate_command.compare(schema, out, docs) == 0", 0.2),
}
WHOLE = "from physx_codegen.generate_command import generate_command; generate_command(['--check'])"


def seconds(code: str, environment: dict[str, str]) -> float:
    """What one process reports of its own time."""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True,
                          check=True)
    return float(done.stdout)


def main() -> None:
    """Print one line for each measurement."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {"XDG_CACHE_HOME": cache, "PYTHONPATH": str(ROOT / "codegen")}
        command = [sys.executable, "-c", WHOLE]
        subprocess.run(command, cwd=ROOT, env=environment, check=True)      # fails where the output is out of date
        print(f"{'in process, median of ' + str(PROCESSES):45} {'ms':>7} {'bar':>6}")
        for name, (code, bar) in ROWS.items():
            taken = statistics.median(seconds(PREPARE + code + REPORT, environment) for _ in range(PROCESSES))
            print(f"{name:45} {taken * 1e3:7.0f} {bar * 1e3:6.0f}")
        times = []
        for _ in range(PROCESSES):
            start = time.perf_counter()
            subprocess.run(command, cwd=ROOT, env=environment, check=True)
            times.append(time.perf_counter() - start)
        print(f"{'an unchanged --check, whole process':45} {statistics.median(times) * 1e3:7.0f}")


if __name__ == "__main__":
    main()
