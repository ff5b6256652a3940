"""How blocks are shared among threads.

A process that is forked from one that steps, as data loaders are, steps too, and as its parent does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.solver.scheduled.fragments.joint import set_one
from physx_runtime.targets.interpreter import (
    LoadedProgram,
    bytecode_of,
    guards_of,
    load_fragments,
    resolve_guards,
    run_blocks,
)
from support.stages.session_stages import arm


def test_a_process_that_may_run_on_one_core_steps_all_blocks_in_its_own_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[int, int]] = []

    def note(program: LoadedProgram, data: int, size: int, blocks: int, *others: Any) -> None:
        ran.append((threading.get_ident(), blocks))

    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0}, raising=False)
    monkeypatch.setattr(LoadedProgram, "_run", note)
    LoadedProgram(0, [], [], 0, 0)(np.zeros((3, 1, 8)), 1)
    assert ran == [(threading.get_ident(), 3)]


@pytest.mark.parametrize(("flags", "any_done", "none_done"), [((0, 0), 0, 1), ((0, 1), 1, 0), ((1, 1), 1, 0)])
def test_a_part_is_done_by_whether_a_row_is_0_in_all_lanes(flags: tuple[int, int], any_done: int,
                                                           none_done: int) -> None:
    lanes, schedule, part, other = 8, Schedule(), Schedule(), Schedule()
    part.do(set_one, ones=Span(1, 1))
    other.do(set_one, ones=Span(2, 1))
    schedule.where_any(Span(0, 1), part)
    schedule.where_none(Span(0, 1), other)
    where = load_fragments((i.fragment for i in schedule.instructions), "float64", lanes)
    x = np.zeros((3, lanes))
    x[0, :2] = flags
    run_blocks(x, [np.array([*bytecode_of(schedule.instructions, where, 8 * lanes), 0], np.int64)], (1,))
    assert x[1:, 0].tolist() == [any_done, none_done]


@pytest.mark.parametrize("outer", [0, 1])
@pytest.mark.parametrize("inner", [0, 1])
def test_words_without_guards_do_what_the_guards_let_through(outer: int, inner: int) -> None:
    lanes, schedule, part, nested = 8, Schedule(), Schedule(), Schedule()
    nested.do(set_one, ones=Span(2, 1))
    part.do(set_one, ones=Span(3, 1))
    part.where_none(Span(1, 1), nested)
    schedule.where_any(Span(0, 1), part)
    schedule.do(set_one, ones=Span(4, 1))
    where = load_fragments((i.fragment for i in schedule.instructions), "float64", lanes)
    words = np.array([*bytecode_of(schedule.instructions, where, 8 * lanes), 0], np.int64)
    guarded = np.zeros((5, lanes))
    guarded[:2, 3] = outer, inner
    bare, settled = guarded.copy(), np.empty_like(words)
    resolve_guards.py_func(words, guards_of(schedule.instructions).view(np.recarray), bare, settled)
    run_blocks(guarded, [words], (1,))
    run_blocks(bare, [settled], (1,))
    np.testing.assert_array_equal(bare, guarded)
    assert bare[2:, 0].tolist() == [outer * (1 - inner), outer, 1]
    guards = {where[i.fragment] for i in schedule.instructions if i.count}
    assert not guards.intersection(settled[:np.flatnonzero(settled == 0)[0]].tolist())


def test_guards_that_a_pass_changes_itself_are_refused() -> None:
    schedule, part = Schedule(), Schedule()
    part.do(set_one, ones=Span(1, 1))
    schedule.where_none(Span(0, 1), part)
    schedule.do(set_one, ones=Span(0, 1))
    with pytest.raises(ValueError, match=r"the pass writes rows \[0\]"):
        guards_of(schedule.instructions)


# --- forked processes ------------------------------------------------------------------------------------------------

MAKE = {
    "simulation": "from physx_runtime import Simulation\nmade = Simulation(path, worlds=3)\n",
    "generic": "from physx_runtime import Simulation\nmade = Simulation(path, path='generic')\n",
    "scene": "from physx_runtime import Scene\nmade = Scene(path)\n",
}
# the forked process and its parent each take the second step, and write what comes of it
FORK = """
made.step()
child = os.fork()
made.step()
os.write(1, made.joint_position.tobytes().hex().encode() + b" ")      # at once, so that neither is within the other
if not child:
    os._exit(0)
sys.exit(os.waitpid(child, 0)[1])
"""


@pytest.mark.parametrize("kind", MAKE)
def test_a_forked_process_steps_to_the_same_bits(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "arm.usda"
    path.write_text(arm())
    code = f"import os, sys\npath = sys.argv[1]\n{MAKE[kind]}{FORK}"
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=300,
                          check=False)
    assert (done.returncode, done.stderr) == (0, "")
    first, second = done.stdout.split()
    assert first == second and int(first, 16)
