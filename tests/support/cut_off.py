"""Commands that write, ended at points spread over all that they write, and run where the disk takes no more.

    PYTHONPATH=tests python -m support.cut_off [POINTS]

Prints JSON. Every run is a fork of this process, which opens no stage itself; the file-size limit of the operating
system ends or refuses what USD, numpy and zlib write at a byte, and `strikes` what Python asks of it at a call.
"""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from importlib import import_module
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from physx_schema.command_line.program import program
from support.places import SCHEMAS, STAGES
from support.stages.robots import finger
from support.strikes import NEED_ROOM, Strikes, failing, kill, struck

Held = dict[str, bytes]         # path in the folder -> what the file holds
SEMAPHORE = 64                  # bytes, at least, of the locks that numba makes as files
FAR = 1_000_000                 # more operations than any run has
PATIENCE = 120                  # seconds for a run
POINTS = 20                     # of each kind
DISK, PAGE = "64m", 4096        # of the small disk that is filled
IMPORTED = ("physx_runtime.simulation.simulate", "physx_runtime.verification.remedies.findings",
            "physx_runtime.viewing.report", "physx_runtime.viewing.motion")     # once, before the forks
OLD_JOINT = '#usda 1.0\n\ndef PhysicsRevoluteJoint "j" (\n    prepend apiSchemas = ["PhysxJointAPI"]\n)\n{\n' \
            '    float physxJoint:armature = 0.5\n}\n'
COMMANDS = {
    "generate": "generate --from schema --out made --pages reference",
    "convert": "convert schema --out made.usda --force",
    "convert to YAML": "convert made.usda --out yaml --force",
    "migrate --write": "migrate --write --isolate off old_one.usda old_two.usda",
    "migrate -o": "migrate --isolate off old_one.usda -o new.usda",
    "check --fix --in-place": "check --fix --isolate off -q bad_one.usda bad_two.usda --in-place",
    "check --fix -o": "check --fix --isolate off -q bad_one.usda -o new.usdc",
    "check --fix --override": "check --fix --isolate off -q bad_one.usda --override new.usda",
    "check --write-baseline": "check --isolate off -q bad_one.usda --force --write-baseline known",
    "explain --pages": "explain --pages pages",
    "verify --fix --in-place": "verify --fix --isolate off -q softened.usda --in-place",
    "simulate --out .npz": "simulate --isolate off -q robot.usda --steps 20 --force --out motion.npz",
    "simulate --out .csv": "simulate --isolate off -q robot.usda --steps 200 --force --out motion.csv",
    "simulate --out .usda": "simulate --isolate off -q robot.usda --steps 60 --force --out motion.usda",
    "simulate --out .usdc": "simulate --isolate off -q robot.usda --steps 60 --force --out motion.usdc",
    "simulate --out .html": "simulate --isolate off -q robot.usda --steps 20 --force --out motion.html",
    "report -o": "report --isolate off -q robot.usda --steps 20 --force -o motion.html",
}


@dataclass(slots=True)
class Row:
    """What became of a command's files: how often all were old, all new, or neither, after the next start."""

    command: str
    files: int
    bytes: int                      # of the largest
    sound: int                      # exit code where nothing is in the way
    killed: Counter[str] = field(default_factory=Counter)
    mixed: int = 0                  # kills that left some files old and others new until the next start
    torn: int = 0                   # kills that left a file that is neither old nor new
    beside: int = 0                 # kills that left something beside the files after the next start
    sufficed: int = 0               # runs that found room enough
    left: int = 0                   # refusals that left something beside the files
    refused: Counter[str] = field(default_factory=Counter)
    codes: Counter[int] = field(default_factory=Counter)
    lines: Counter[int] = field(default_factory=Counter)
    line: str = ""


def measured(command: str, points: int) -> Row:
    """Kill a command and refuse it room, at so many points of each kind."""
    with tempfile.TemporaryDirectory() as name, _small_disk(Path(name)) as has_disk:
        root = Path(name).resolve()
        os.environ["XDG_STATE_HOME"] = str(root / "state")
        forked(lambda: lay_out(root / "before"))
        _fresh(root)
        code, said = forked(lambda: _call(root, command))
        assert code in (0, 1), f"{command}: {code}: {said}"
        old, new = held(root / "before"), held(root / "work")
        changed = [path for path in new if new[path] != old.get(path)]
        row = Row(command, len(changed), max(len(new[path]) for path in changed), code)
        _fresh(root)
        count = forked(lambda: _counted(root, command))
        for act in _spread(count, points, lambda number: lambda: _struck(root, command, number, kill)):
            _kill(root, row, old, new, act)
        for act in _spread(row.bytes, points, lambda size: lambda: _limited(root, command, size, signal.SIG_DFL)):
            _kill(root, row, old, new, act)
        full = failing(errno.ENOSPC, once=False)
        for act in _spread(count, points, lambda number: lambda: _struck(root, command, number, full, NEED_ROOM)):
            _refuse(root, row, old, new, act)
        for act in _spread(row.bytes, points, lambda size: lambda: _limited(root, command, size, signal.SIG_IGN)):
            _refuse(root, row, old, new, act)
        pages = 4 * len(changed) + sum(len(new[path]) for path in changed) // PAGE if has_disk else 0
        for act in _spread(pages, points if has_disk else 0, lambda left: lambda: _filled(root, command, left - 1)):
            _refuse(root, row, old, new, act)
    return row


def _kill(root: Path, row: Row, old: Held, new: Held, act: Callable[[], Any]) -> None:
    _fresh(root)
    if forked(act) is not None:
        row.killed["not reached"] += 1
        return
    found = held(root / "work")
    row.torn += any(found.get(path) not in (old.get(path), new.get(path)) for path in {*old, *new, *found})
    row.mixed += found not in (old, new)
    code, _ = forked(lambda: _call(root, "", "explain", "joint/locked"))
    assert code == 0, row.command
    row.killed[_which(held(root / "work"), old, new)] += 1
    row.beside += _litter(root) > 0


def _refuse(root: Path, row: Row, old: Held, new: Held, act: Callable[[], Any]) -> None:
    _fresh(root)
    answer = forked(act)
    assert answer is not None, f"{row.command}: ended without a word"
    code, said = answer
    became = _which(held(root / "work"), old, new)
    if code == row.sound:
        row.sufficed += 1
        assert became == "new", row.command
    else:
        row.refused[became] += 1
        row.left += _litter(root) > 0
        row.codes[code] += 1
        row.lines[len(said)] += 1
        row.line = said[-1].replace(f"{root}/work/", "") if said else ""


def _which(found: Held, old: Held, new: Held) -> str:
    return "old" if found == old else "new" if found == new else "half"


def _spread(count: int, points: int, made: Callable[[int], Callable[[], Any]]) -> Iterator[Callable[[], Any]]:
    """Points from the first to the last, all of them where they are few."""
    for number in sorted({1 + round(place * (count - 1) / max(points - 1, 1)) for place in range(points)}):
        yield made(number)


def held(folder: Path) -> Held:
    """The files that a user sees."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*"))
            if path.is_file() and not path.name.startswith(".")}


def _litter(root: Path) -> int:
    """How many files lie beside, journals among them."""
    return sum(path.is_file() and path.name.startswith(".") for path in (root / "work").rglob("*")) + len(
        list((root / "state/physx_schema").glob("*.*")))


def _fresh(root: Path) -> None:
    """Have the folder hold its old files, and no journal lie about."""
    for name in ("work", "state"):
        shutil.rmtree(root / name, ignore_errors=True)
    shutil.copytree(root / "before", root / "work")
    (root / "state/physx_schema").mkdir(parents=True)


def lay_out(folder: Path) -> None:
    """What the commands read and what they will replace."""
    from support.stages.verified_robots import chain, drive

    shutil.copytree(SCHEMAS / "small/schema", folder / "schema")
    for name in ("one", "two"):
        (folder / f"old_{name}.usda").write_text(OLD_JOINT, encoding="utf-8")
        shutil.copyfile(STAGES / "mimic_transz.usda", folder / f"bad_{name}.usda")
    (folder / "robot.usda").write_text(finger(), encoding="utf-8")
    softened = chain(drive("linear", type="acceleration", stiffness=150.0, damping=12.0))
    softened.GetRootLayer().Export(str(folder / "softened.usda"))
    for name in ("known", "motion.npz", "motion.csv", "motion.html"):
        (folder / name).write_text("old\n", encoding="utf-8")
    for name in ("motion.usda", "motion.usdc"):
        (folder / name).write_text("#usda 1.0\n", encoding="utf-8")
    for arguments in ("convert schema --out made.usda", "convert made.usda --out yaml", "explain --pages pages",
                      "generate --from schema --out made --pages reference"):
        _run(folder, *arguments.split())
    for path in (*(folder / "made").glob("*.py"), *(folder / "reference").glob("*.md"), *(folder / "pages").glob("*"),
                 *(folder / "yaml").glob("*"), folder / "made.usda"):
        path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")


def _call(root: Path, command: str, *arguments: str) -> tuple[int, list[str]]:
    """Run a command; its exit code and the lines on stderr."""
    return _run(root / "work", *(arguments or COMMANDS[command].split()))


def _run(folder: Path, *arguments: str) -> tuple[int, list[str]]:
    os.chdir(folder)
    result = CliRunner().invoke(program(), list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stderr.splitlines()


def _counted(root: Path, command: str) -> int:
    strikes = Strikes(FAR, kill)
    with struck(strikes):
        _call(root, command)
    return strikes.count


def _struck(root: Path, command: str, number: int, act: Callable[[str], object], *names: tuple[str, ...]) -> Any:
    with struck(Strikes(number, act, *names)):
        return _call(root, command)


def _limited(root: Path, command: str, size: int, how: signal.Handlers) -> Any:
    """Run a command that may write no file beyond some bytes; how: whether it is ended there, or refused."""
    signal.signal(signal.SIGXFSZ, how)
    with _no_file_beyond(max(size - 1, SEMAPHORE)):
        return _call(root, command)


def _filled(root: Path, command: str, left: int) -> Any:
    """Run a command on a disk that has so many pages left."""
    disk, filler = os.statvfs(root), root / "filler"
    with filler.open("wb") as stream:
        os.posix_fallocate(stream.fileno(), 0, (disk.f_bavail - left) * disk.f_bsize)
    try:
        return _call(root, command)
    finally:
        filler.unlink()


@contextmanager
def _small_disk(folder: Path) -> Iterator[bool]:
    """Have a folder be a disk of its own in memory; whether it is, which takes root."""
    made = not subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)],
                              capture_output=True, check=False).returncode
    try:
        yield made
    finally:
        if made:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def _no_file_beyond(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def forked(work: Callable[[], Any]) -> Any:
    """What some work answers in a process of its own; None where it was killed."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            signal.alarm(PATIENCE)
            os.write(write, json.dumps([work()]).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(write)
    with os.fdopen(read, "rb") as stream:
        text = stream.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) in (signal.SIGKILL, signal.SIGXFSZ), f"ended by signal {os.WTERMSIG(status)}"
        return None
    assert os.WEXITSTATUS(status) == 0, "the work failed by itself"
    return json.loads(text)[0]


def main() -> None:
    """Print a row of every command, as JSON."""
    points = int(sys.argv[1]) if len(sys.argv) > 1 else POINTS
    names = sys.argv[2:] or list(COMMANDS)
    group: Any = program()
    for name in {arguments.split()[0] for arguments in COMMANDS.values()}:
        group.get_command(None, name)
    for name in IMPORTED:
        import_module(name)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for name in names:
        row = measured(name, points)
        print(json.dumps({item.name: getattr(row, item.name) for item in fields(row)}), flush=True)


if __name__ == "__main__":
    main()
