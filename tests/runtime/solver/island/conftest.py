"""The measured prototype of loops, which lies beside the recorded cases."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest


@pytest.fixture(scope="module")
def prototype(shared_cases: Path) -> Iterator[SimpleNamespace]:
    """The modules of the prototype by name."""
    folder = shared_cases.parent / "reference" / "proofs" / "maximal"
    if not folder.is_dir():
        pytest.skip(f"no prototype at {folder}")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield SimpleNamespace(**{name: importlib.import_module(name) for name in ("artloop", "spec", "scenes")})
