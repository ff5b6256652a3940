"""The process of real PhysX, for an interpreter that has ovphysx and need not have this package. It reads one JSON line
for each job and answers each with a line that begins with ANSWER. The job {"stage": file, "roots": [paths]} loads a
stage and answers with the names of its degrees of freedom. The job {"file": npz, "dt": s, "steps": n} steps from states
q, v, (n_round, n_copy, n_dof), under efforts. It writes the last q and v to the file.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import numpy as np

REPLY_PREFIX = "physx: "


class Engine:
    """PhysX on the CPU, with one stage after another."""

    def __init__(self, plugins: list[str]) -> None:
        import ovphysx
        import ovstage

        ovphysx.PhysX.set_cpu_mode(True)
        self._physx, self._stages = ovphysx.PhysX(), ovstage
        ovstage.population.register_usd_schemas(plugins)
        self._stage: Any = None
        self._bound: dict[str, Any] = {}
        self._count = 0

    def load(self, path: str, roots: list[str]) -> list[str]:
        """The names of the degrees of freedom, the same of every root."""
        from ovphysx.types import TensorType

        self.close()
        self._count += 1
        stage = self._stage = self._stages.Stage(f"stage{self._count}")
        self._stages.population.open_usd(stage, path, ordinal=1, domains=self._stages.PopulationDomain.ALL)
        stage.advance_write_floor(ordinal=1).wait()
        self._physx.wait_task(self._physx.attach_ovstage(stage, read_ordinal=1))
        self._physx.wait_all()
        for name, kind in (("q", "POSITION"), ("v", "VELOCITY"), ("effort", "ACTUATION_FORCE")):
            self._bound[name] = self._physx.create_tensor_binding(
                prim_paths=roots, tensor_type=getattr(TensorType, f"ARTICULATION_DOF_{kind}"))
        if self._bound["q"].count != len(roots):
            raise RuntimeError(f"PhysX created {self._bound['q'].count} of {len(roots)} articulations")
        return [str(name) for name in self._bound["q"].dof_names]

    def run(self, path: str, dt: float, steps: int) -> None:
        """Step every round of states."""
        with np.load(path) as data:
            states = {name: np.ascontiguousarray(data[name], dtype=np.float32) for name in ("q", "v", "effort")}
        for index in range(len(states["q"])):
            for name in ("q", "v"):
                self._bound[name].write(states[name][index])
            for _ in range(steps):
                self._bound["effort"].write(states["effort"][index])
                self._physx.step_sync(dt)
            for name in ("q", "v"):
                self._bound[name].read(states[name][index])
        np.savez(path, q=states["q"], v=states["v"])

    def close(self) -> None:
        """Release the stage."""
        for binding in self._bound.values():
            binding.destroy()
        self._bound = {}
        if self._stage is not None:
            if self._physx.is_stage_attached(self._stage):
                self._physx.wait_task(self._physx.detach_ovstage())
            self._stage.destroy()
            self._stage = None


def main() -> None:
    """Answer jobs until there are no more; the schemas' plugin folders are the arguments."""
    os.environ.setdefault("OVPHYSX_LOG", "error")
    import ovphysx

    engine = Engine(sys.argv[1:])
    _reply({"version": ovphysx.__version__})
    for line in sys.stdin:
        job = json.loads(line)
        try:
            if "stage" in job:
                _reply({"dofs": engine.load(job["stage"], job["roots"])})
            else:
                engine.run(job["file"], job["dt"], job["steps"])
                _reply({})
        except RuntimeError as error:       # what PhysX refuses; TaskError of ovphysx among it
            _reply({"refused": str(error).rpartition(": ")[2].strip()})
    engine.close()


def _reply(reply: dict[str, Any]) -> None:
    print(REPLY_PREFIX + json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
