"""The worker of the PhysX oracle, which can also write properties of joints through PhysX's tensors, as Isaac Lab does.

    python tensor_driver.py --worker FOLDER, with the folder of the oracle in PHYSX_ORACLE
"""

from __future__ import annotations

import os
import sys

sys.path.insert(0, os.environ["PHYSX_ORACLE"])
import physx_oracle

WRITTEN = ("dof_stiffness", "dof_damping", "dof_max_force", "dof_max_velocity", "dof_armature", "dof_friction")

if __name__ == "__main__":
    names = {**physx_oracle.EXTRA, **physx_oracle.DYNAMICS}
    physx_oracle.WRITABLE.update({name: names[name] for name in WRITTEN})
    physx_oracle._worker(sys.argv[2])
