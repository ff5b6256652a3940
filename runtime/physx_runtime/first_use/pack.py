"""``python -m physx_runtime.first_use.pack FILE`` writes the bundle of precompiled kernels of this process.

The process must begin with an empty kernel cache; the level is that of NUMBA_CPU_NAME.
"""

from __future__ import annotations

import sys
from pathlib import Path

from physx_runtime.compiling.numba_functions import compiled_kernels
from physx_runtime.compiling.precompiled import write_bundle
from physx_runtime.first_use.scenes import call_kernels

if __name__ == "__main__":
    call_kernels()
    write_bundle(Path(sys.argv[1]), compiled_kernels())
