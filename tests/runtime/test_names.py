"""What `physx_runtime` offers: every public name is found and listed, before any of them is used."""

from __future__ import annotations

import subprocess
import sys

import physx_runtime
import pytest


@pytest.mark.parametrize("name", physx_runtime.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(physx_runtime, name) is not None


def test_a_fresh_process_lists_the_public_names_and_nothing_else() -> None:
    code = "import physx_runtime; print(*(name for name in dir(physx_runtime) if not name.startswith('__')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == sorted(physx_runtime.__all__)


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="module 'physx_runtime' has no attribute 'no_such_name'"):
        physx_runtime.no_such_name  # noqa: B018
