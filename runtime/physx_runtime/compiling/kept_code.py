"""What numba compiled, kept with the other kernels.

numba's own cache loads whatever lies in its files and raises where it cannot write, so ours is put in its place.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from typing import Any

from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from physx_runtime.compiling.kernel_cache import keep, kept


class KeptCode(NullCache):  # type: ignore[misc]
    """Compiled signatures of the function of a name in the kernel cache; `sources` hashes their Python code."""

    def __init__(self, name: str, sources: Callable[[], str]) -> None:
        self._name, self._sources = name, sources

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled signature, None where it was not kept."""
        target_context.refresh()
        data = kept(self._file(sig, target_context.codegen()))
        return None if data is None else CompileResult._rebuild(target_context, *pickle.loads(data))

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled signature."""
        keep(self._file(sig, data.codegen), dumps(data._reduce()))

    def _file(self, sig: Any, codegen: Any) -> str:
        identity = f"{self._name} {sig} {codegen.magic_tuple()} {self._sources()}"
        return f"loop_{hashlib.sha256(identity.encode()).hexdigest()[:24]}.pickle"
