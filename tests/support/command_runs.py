"""Commands, options and stages put together by chance, to see that none ends in an internal error.

    PYTHONPATH=tests python -m support.command_runs [COUNT [FIRST]]

Each case follows from its number. Cases run in processes of their own, some at once, which a case may crash or hang.
"""

from __future__ import annotations

import faulthandler
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from support.places import DATA, ROOT, SCHEMAS, SHARED

CAMPAIGN = 2000         # cases
AT_ONCE = 2             # processes
SHORTEST = 20           # cases of a process, whose start takes longer than most of them
HANG = 600              # seconds of a case; the slowest of a stage of the corpus takes a tenth on an idle machine
LARGE = 300_000         # bytes of a stage that is not stepped, which would take minutes
SUFFIXES = (".usda", ".usdc", ".usd", ".usdz", ".xml", ".urdf")
INTERNAL, CODES = 4, (0, 1, 2, 3, 5, 6)
FORMATS = ("text", "json", "sarif", "html", "github")
PROFILES = ("physx", "simready", "driven", "physx+driven", "physx+simready", "nobody")
RULES = ("DJ.007", "joint", "value/range", "unused", "no/such", "DJ.007/limits-clip,scene")
PLACES = ("/World/art", "/Robot", "/absent", "", "/World/art/j0", "not a path")
TIMES = ("1/60", "0.01", "1e-9", "1e9", "0", "-1", "nan", "1/0")
MEASURING_TIMES = tuple("1e-3" if time == "1e-9" else time for time in TIMES)   # of experiments of a second
OUTPUTS = (".npz", ".csv", ".html", ".usda", ".usdc", ".usd", ".gif", ".txt", "", "/below/a.html")
NAMES = ("out", "a b", "ü", "new\nline", "q'\"", "x" * 300, "@at@", "[b]", "%41", "-dash")


@dataclass(frozen=True, slots=True)
class Case:
    """Arguments of the program; STAGE is a file of the corpus, and COPY one that may be written."""

    number: int
    stage: Path
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"case {self.number}: {' '.join(self.arguments)} with {self.stage}"


@cache
def corpus() -> tuple[Path, ...]:
    """Stages and robots of the tests and of the recorded cases, hostile ones too, and things that are no stages."""
    folders = (DATA / "stages", DATA / "dynamics", DATA / "legacy", ROOT / "examples", SHARED / "cases")
    found = [path for folder in folders if folder.is_dir() for path in sorted(folder.rglob("*"))
             if path.suffix in SUFFIXES and path.is_file()]
    return (*found, Path("/no/such.usda"), Path("/"), Path(os.devnull), ROOT / "README.md")


def case(number: int) -> Case:
    """The case of a number."""
    chance = Random(f"commands {number}")
    stage = chance.choice(corpus())
    if chance.random() < 0.3:           # one of the reports of others, which were made to be hard
        stage = chance.choice([path for path in corpus() if path.parent.name in ("said", "hostile")] or corpus())
    weights = {"check": 30, "describe": 8, "migrate": 14, "simulate": 18, "verify": 6, "report": 3, "explain": 3,
               "diff": 5, "convert": 5, "generate": 3, "doctor": 1, "unknown": 2}
    if stage.is_file() and stage.stat().st_size > LARGE:
        weights |= {"simulate": 0, "verify": 0, "report": 0}
    (name,) = chance.choices([*weights], [*weights.values()])
    return Case(number, stage, tuple(MADE[name](chance)))


def _some(chance: Random, options: Sequence[tuple[str, ...]], most: int = 3) -> Iterator[str]:
    for option in chance.sample(options, chance.randint(0, min(most, len(options)))):
        yield from option


def _out(chance: Random, suffixes: Sequence[str]) -> str:
    return f"OUT{chance.choice(NAMES) if chance.random() < 0.3 else 'out'}{chance.choice(suffixes)}"


def _fix(chance: Random) -> Iterator[str]:
    """Ways to write repairs."""
    layers = (".usda", ".usdc", ".usd", ".txt")
    yield "--fix"
    yield from _some(chance, [("--unsafe-fixes",), ("--in-place",), ("-o", _out(chance, layers)),
                              ("--override", _out(chance, layers)), ("--strict",), ("--force",)])


def _check(chance: Random) -> Iterator[str]:
    yield from ("check", "COPY")
    if chance.random() < 0.3:
        yield from _fix(chance)
        return
    yield from _some(chance, [
        ("--format", chance.choice(FORMATS)), ("--profile", chance.choice(PROFILES)),
        ("--select", chance.choice(RULES)), ("--ignore", chance.choice(RULES)), ("--strict",), ("-q",),
        ("--fail-on", chance.choice(("error", "warning", "info"))), ("--max-findings", chance.choice(("0", "1", "9"))),
        ("-o", _out(chance, (".txt", ".json", ".usda", ""))), ("--write-baseline", _out(chance, (".json", ""))),
        ("--baseline", chance.choice(("STAGE", "/no/such"))), ("--config", chance.choice(("STAGE", "/no/such"))),
        ("STAGE",), ("OUT",)])


def _describe(chance: Random) -> Iterator[str]:
    yield from ("describe", "STAGE")
    yield from _some(chance, [("--json",)])


def _migrate(chance: Random) -> Iterator[str]:
    yield from ("migrate", "COPY")
    yield from _some(chance, [
        ("--to", chance.choice(("25.11.2", "105.0", "latest", ""))), ("--write",), ("--json",), ("STAGE",),
        ("-o", _out(chance, (".usda", ".usdc", ""))), ("--package", chance.choice(("json", "STAGE", "no_such"))),
        ("--changes", "STAGE"), ("--force",)])


def _simulate(chance: Random) -> Iterator[str]:
    yield from ("simulate", "STAGE", "--steps", chance.choice(("0", "1", "3", "-1", "10000000000000")))
    yield from _some(chance, [
        ("--dt", chance.choice(TIMES)), ("--every", chance.choice(("1", "2", "0", "9" * 30))), ("--strict",), ("-q",),
        ("--articulation", chance.choice(PLACES)), ("--out", _out(chance, OUTPUTS)), ("--joint-forces",),
        ("--joint-position", chance.choice(("j0=1", "a=nan", "=", "j0=30deg", "shoulder=1e300"))),
        ("--joint-target", "j0=0.5"), ("--joint-effort", "absent=1"), ("--start", "STAGE"), ("--worlds", "STAGE")])


def _verify(chance: Random) -> Iterator[str]:
    yield from ("verify", "COPY")
    if chance.random() < 0.2:
        yield from _fix(chance)
        return
    yield from _some(chance, [("--format", "json"), ("--dt", chance.choice(MEASURING_TIMES)), ("--strict",),
                              ("--all",), ("-q",)])


def _report(chance: Random) -> Iterator[str]:
    yield from ("report", "STAGE", "--steps", "3", "-o", _out(chance, (".html", "", ".usda")))
    yield from _some(chance, [("--dt", chance.choice(MEASURING_TIMES)), ("-q",)])


def _explain(chance: Random) -> Iterator[str]:
    yield from ("explain", *_some(chance, [(chance.choice(RULES),), ("--pages", _out(chance, ("",)))], 1))


def _diff(chance: Random) -> Iterator[str]:
    sides = ("STAGE", "SCHEMA", "physx_generated", "json", "/no/such", "OUT")
    yield from ("diff", chance.choice(sides), chance.choice(sides))
    yield from _some(chance, [("--json",)])


def _convert(chance: Random) -> Iterator[str]:
    yield from ("convert", chance.choice(("STAGE", "SCHEMA", "OUT")), "--out", _out(chance, (".usda", "")))
    yield from _some(chance, [("--force",)])


def _generate(chance: Random) -> Iterator[str]:
    yield from ("generate", "--from", chance.choice(("STAGE", "SCHEMA", "OUT")), "--out", _out(chance, ("",)))
    yield from _some(chance, [("--check",)])


def _unknown(chance: Random) -> Iterator[str]:
    yield from chance.choice((("chekc", "STAGE"), ("check",), ("simulate", "STAGE", "--no-such"), ("--version",),
                              ("report", "--help"), ()))


MADE = {"check": _check, "describe": _describe, "migrate": _migrate, "simulate": _simulate, "verify": _verify,
        "report": _report, "explain": _explain, "diff": _diff, "convert": _convert, "generate": _generate,
        "doctor": lambda chance: iter(("doctor",)), "unknown": _unknown}


def faults(first: int, count: int) -> tuple[list[str], Counter[int]]:
    """What went wrong in the cases from a number on, a text each, and how often each exit code came."""
    found, codes = list[str](), Counter[int]()
    step = max(SHORTEST, -(-count // (AT_ONCE * 5)))
    ranges = [(begin, min(begin + step, first + count)) for begin in range(first, first + count, step)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for wrong, seen in pool.map(lambda ends: _part(*ends), ranges):
            found += wrong
            codes += seen
    return found, codes


def _part(begin: int, end: int) -> tuple[list[str], Counter[int]]:
    """Cases one after another in a process, and in a new one after each that ends it."""
    found, codes = list[str](), Counter[int]()
    while begin < end:
        done = subprocess.run([sys.executable, "-m", "support.command_runs", "--child", str(begin), str(end)],
                              capture_output=True, text=True, errors="replace", check=False,
                              env=os.environ | {"PYTHONPATH": str(ROOT / "tests")})
        for line in done.stdout.splitlines():
            number, code, fault = json.loads(line)
            begin = number + 1
            codes[code] += 1
            if fault:
                found.append(f"{case(number)}\n{fault}")
        if begin < end and done.returncode:
            found.append(f"{case(begin)}\nits process ended with {done.returncode}\n{done.stderr[-3000:]}")
            begin += 1
    return found, codes


def run_child(begin: int, end: int) -> None:
    """Run cases in this process; a line of JSON for each."""
    from click.testing import CliRunner

    from physx_schema.command_line.program import program

    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for number in range(begin, end):
        faulthandler.dump_traceback_later(HANG, exit=True)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            os.environ["XDG_STATE_HOME"] = f"{folder}/state"
            done = CliRunner().invoke(program(), _filled(case(number), Path(folder)))
            os.chdir("/")
        fault = done.exit_code not in CODES or "Traceback (most recent" in done.output
        print(json.dumps([number, done.exit_code, _said(done) if fault else ""]), file=answers, flush=True)
    faulthandler.cancel_dump_traceback_later()


def _filled(one: Case, folder: Path) -> list[str]:
    """The arguments with names of files in them."""
    copy, out = folder / f"copy{one.stage.suffix}", folder / "made"
    out.mkdir()
    if one.stage.is_file():
        shutil.copyfile(one.stage, copy)
    named = {"STAGE": str(one.stage), "COPY": str(copy), "SCHEMA": str(SCHEMAS / "small/schema"), "OUT": str(out)}
    return [named.get(word) or word.replace("OUT", f"{out}/", 1) for word in one.arguments]


def _said(done: object) -> str:
    import traceback

    error = getattr(done, "exception", None)
    trace = "" if error is None or isinstance(error, SystemExit) else "".join(traceback.format_exception(error))
    return f"exit code {getattr(done, 'exit_code', None)}\n{getattr(done, 'output', '')[-1500:]}\n{trace[-3000:]}"


def main() -> int:
    """Run a campaign; 1 where anything was wrong."""
    if sys.argv[1:2] == ["--child"]:
        run_child(int(sys.argv[2]), int(sys.argv[3]))
        return 0
    count, first = int(sys.argv[1]) if sys.argv[1:] else CAMPAIGN, int(sys.argv[2]) if sys.argv[2:] else 0
    found, codes = faults(first, count)
    print(*found, sep="\n\n")
    print(f"{count} cases from {first}: {len(found)} wrong; exit codes "
          + ", ".join(f"{code}: {often}" for code, often in sorted(codes.items())))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
