"""How blocks are shared among threads."""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np
import pytest
from physx_runtime.targets.interpreter import LoadedProgram


def test_a_process_that_may_run_on_one_core_steps_all_blocks_in_its_own_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[int, int]] = []

    def note(program: LoadedProgram, data: int, size: int, blocks: int, *others: Any) -> None:
        ran.append((threading.get_ident(), blocks))

    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0}, raising=False)
    monkeypatch.setattr(LoadedProgram, "_run", note)
    LoadedProgram(0, [], [], 0, 0)(np.zeros((3, 1, 8)), 1)
    assert ran == [(threading.get_ident(), 3)]
