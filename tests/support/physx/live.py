"""A stage running in real PhysX that is written to between steps, as its own users write to it.

A question of `engine.py`: a script, {step: [Write]}, is written before that step (the first is 1): attributes of the
engine's objects (`wake`, `linearVelocity`, `kinematicTargetPosition`, `jointPositionTarget`, ...) or properties on the
stage.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from support.physx.engine import answers, serve

Array = NDArray[np.float64]
STAGE = "STAGE"                 # instead of a type of object: the property of a prim on the stage
TIME = "TIME"                   # instead of a type of object: the stage is put to a time [s] of its samples
Write = tuple[str, str, str, Any]       # type of object, prim path, attribute, value
Script = Mapping[int, Sequence[Write]]
BODY, LINK, JOINT = "RIGID_BODY", "ARTICULATION_LINK", "ARTICULATION_JOINT"
RECORDED = {"position": 3, "orientation": 4, "linearVelocity": 3, "angularVelocity": 3, "isSleeping": 1}
_SCRIPTS = "PHYSX_LIVE_SCRIPTS"         # where the engine's process finds what to do


class Recorded:
    """What a stage did from a step on, (n_step, ...) by path: positions, quaternions x y z w, velocities, sleep."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        if "refused" in found:
            raise RuntimeError(found["refused"])
        self.paths = tuple(found["paths"])
        self._values = {name: np.array(values, dtype=np.float64) for name, values in found["values"].items()}

    def of(self, name: str, path: str) -> Array:
        """(n_step, n) of one body."""
        return self._values[name][:, self.paths.index(path)]

    def asleep(self, path: str) -> NDArray[np.bool_]:
        """(n_step,) whether a body or link sleeps."""
        return np.asarray(self.of("isSleeping", path)[:, 0] > 0.5)


def record_live(jobs: Sequence[tuple[str, float, int, int, Script]]) -> list[Recorded]:
    """Stages stepped in one process of the engine: text or path, dt [s], the first step that is recorded (0 is the
    start), the last one, script.

    Raises RuntimeError where the engine refuses a stage or ends.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "scripts.json")
        file.write_text(json.dumps([[dt, first, last, {str(step): list(writes) for step, writes in script.items()}]
                                    for _, dt, first, last, script in jobs]), encoding="utf-8")
        os.environ[_SCRIPTS] = str(file)
        return [Recorded(found) for found in answers("support.physx.live", [stage for stage, *_ in jobs])]


# --- in the engine's process -----------------------------------------------------------------------------------------

def _question(physx: Any, stage: Any) -> Any:
    dt, first, last, script = _JOBS.pop(0)
    frames = [] if first else [_states(physx, stage)]
    ordinal = 1
    for step in range(1, last + 1):
        for kind, path, name, value in script.get(str(step), ()):
            ordinal += 1
            if kind in (STAGE, TIME):
                _edit(physx, stage, kind, path, name, value, ordinal)
            else:
                _write(physx, stage, kind, path, name, value)
        physx.step_sync(dt)
        if step >= first:
            frames.append(_states(physx, stage))
    paths = sorted(frames[0])
    return {"paths": paths, "values": {
        name: [[frame[path].get(name, [0.0] * width) for path in paths] for frame in frames]
        for name, width in RECORDED.items()}}


def _states(physx: Any, stage: Any) -> dict[str, dict[str, list[float]]]:
    """Every body and link by path."""
    import ovstage
    from ovphysx.types import ObjectScope, SimObjectType

    found: dict[str, dict[str, list[float]]] = {}
    for kind in (SimObjectType.RIGID_BODY, SimObjectType.ARTICULATION_LINK):
        with (physx.read_sync(kind, list(RECORDED), scope=ObjectScope.ALL) as result,
              ovstage.PathDictionary(stage) as names):
            for group in result.groups:
                name = str(names.token_to_string(group.attribute))
                paths = list(names.get_path_strings(group.prim_list))
                paths = paths[group.prim_offset:group.prim_offset + group.prim_count] or paths
                values = np.concatenate([np.ravel(np.array(tensor.numpy(), dtype=float)) for tensor in group.tensors])
                for path, row in zip(paths, values.reshape(len(paths), RECORDED[name]), strict=True):
                    found.setdefault(str(path), {})[name] = row.tolist()
            result.groups.clear()
    return found


def _write(physx: Any, stage: Any, kind: str, path: str, name: str, value: Any) -> None:
    """Set an attribute of one object of the engine."""
    import ovstage
    from ovphysx.types import ObjectScope, SimObjectType

    with ovstage.PathDictionary(stage) as names:
        chosen = [names.intern_path(path)]
        session = physx.write_sync(getattr(SimObjectType, kind), [name], scope=ObjectScope.ALL, prim_paths=chosen)
        for group in list(session.groups):
            for tensor in group.tensors:
                held = tensor.numpy()
                held[...] = np.asarray(value, dtype=held.dtype).reshape(held.shape)
            session.commit_sync(group)
        session.groups.clear()
        session.close_sync()


def _edit(physx: Any, stage: Any, kind: str, path: str, name: str, value: Any, ordinal: int) -> None:
    """Set a property on the running stage, or put it to a time, and let the engine take it."""
    import ovstage

    if kind == TIME:
        ovstage.population.update_from_usd_time(stage, ordinal, value)
    else:
        data = np.array(value, dtype=np.uint8 if isinstance(value, bool) else np.float64 if name.startswith(
            "omni:") else np.float32).ravel()
        code = ovstage.DLDataTypeCode.kDLBool if isinstance(value, bool) else ovstage.DLDataTypeCode.kDLFloat
        column = ovstage.make_dltensor(data, dtype=ovstage.DLDataType(code, data.itemsize * 8, data.size), shape=[1],
                                       ndim=1)
        with ovstage.PathDictionary(stage) as names:
            listed = names.create_path_list_from_strings([path])
            query = stage.query_from_path_list(listed)
            stage.write_attribute(query, name, ordinal, column, is_array=False).wait()
            stage.release_query(query).wait()
            names.destroy_path_list(listed)
    stage.advance_write_floor(ordinal=ordinal).wait()
    physx.wait_task(physx.update_from_ovstage(ordinal, ordinal))


if __name__ == "__main__":
    _JOBS = json.loads(Path(os.environ[_SCRIPTS]).read_text(encoding="utf-8"))
    serve(_question)
