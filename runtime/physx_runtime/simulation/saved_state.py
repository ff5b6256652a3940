"""`write_state` and `read_state` keep the worlds of a simulation in a file of plain arrays. The motion continues from
the file with the same bits. A file for another robot, other settings or another version is refused.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from physx_runtime.arrays import Array
from physx_runtime.model.row_specs import PERSISTENT
from physx_runtime.model.topology import Topology
from physx_runtime.simulation.actor import Actor
from physx_runtime.simulation.world_batch import rows_by
from physx_schema.arguments import display, label
from physx_schema.errors import UnreadableError
from physx_schema.files import replacing, unwritable

VERSION = 1             # of the file; another version is refused
_META, _ROW, _MASS = "meta", "row ", "mass "


def write_state(actor: Actor, path: str | Path) -> None:
    """Write rows and parameters of all worlds to an .npz file, which appears complete or not at all.

    Raises ValueError if a force of `apply_force` waits for the next step, and UnsupportedError if the file cannot be
    written.
    """
    target = _checked_path(path)
    if "_external_forces" in actor.__dict__ and actor._external_forces.is_pending:
        raise ValueError("a force of apply_force waits for the next step; step before saving")
    values = actor.parameter_values
    meta = {**_identity(actor), "steps_taken": actor.steps_taken, "rows_set": sorted(values.rows_set),
            "link_forces": actor.topology.link_forces}
    arrays = {_ROW + name: actor.store.rows(name) for name in rows_by(actor.model.topology)}
    arrays |= {_MASS + name: array for name, array in values.mass_properties.values.items()}
    try:
        with replacing(target) as temporary, temporary.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **{_META: np.array(json.dumps(meta))}, **arrays)
    except OSError as error:
        raise unwritable(target, error) from None


def read_state(actor: Actor, path: str | Path) -> None:
    """Continue from the worlds in a file that `write_state` wrote; nothing changes if the file is refused.

    Raises UnreadableError for another file, and ValueError for a state of another robot, of other settings or of
    another version.
    """
    source = _checked_path(path)
    arrays = _arrays(source)
    meta = _meta(source, arrays)
    for key, value in _identity(actor).items():
        if meta.get(key) != value:
            raise ValueError(f"{source}: the saved simulation has {key} {display(meta.get(key))}, and this one has "
                             f"{display(value)}; create the Simulation with the same stage and arguments")
    if meta["link_forces"]:
        actor.group.enable_link_forces()
    rows = {name: actor.store.rows(name) for name in rows_by(actor.model.topology)}
    values = actor.parameter_values.mass_properties.values
    expected = {_ROW + name: row for name, row in rows.items()} | {_MASS + name: row for name, row in values.items()}
    undefined = {_ROW + name for name in rows_by(actor.model.topology, PERSISTENT)}     # in worlds that diverged
    for name, array in expected.items():
        saved = arrays.get(name)
        if saved is None or saved.shape != array.shape or saved.dtype != array.dtype or (
                name not in undefined and np.isnan(saved).any()):
            raise UnreadableError(f"{source}: the array {name!r} is missing or damaged; use another file")
    for name in rows:
        actor.store.write(name, arrays[_ROW + name])
    values.update({name: arrays[_MASS + name] for name in values})
    actor.parameter_values.rows_set.update(meta["rows_set"])
    actor.group.was_loaded(int(meta["steps_taken"]))
    actor.state_was_loaded()


def _identity(actor: Actor) -> dict[str, Any]:
    """What a state belongs to; a file has the same values."""
    model, batch = actor.model, actor.group.batch
    topology = replace(model.topology, link_forces=False)
    if isinstance(topology, Topology):
        topology = replace(topology, tendon_impulses=False)
    robot = hashlib.sha256(repr((topology, model.dof_names, model.link_names, model.link_frames)).encode())
    iterations = hashlib.sha256(np.ascontiguousarray(batch.iterations).tobytes())
    return {"version": VERSION, "worlds": actor.worlds, "dt": actor.dt, "dtype": actor.dtype, "solver": actor.solver,
            "iterations": iterations.hexdigest(), "robot": robot.hexdigest()}


def _checked_path(path: str | Path) -> Path:
    if not isinstance(path, str | Path) or Path(path).suffix != ".npz":
        raise ValueError(f"path is {display(path)}; give the path of an .npz file")
    return Path(path)


def _arrays(path: Path) -> dict[str, Array]:
    """The arrays of a file. Raises FileNotFoundError, and UnreadableError for a file of another format."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except FileNotFoundError:
        raise FileNotFoundError(f"{label(str(path))}: there is no such file; give a file that save wrote") from None
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, AttributeError) as error:
        raise _not_saved(path, error) from None


def _meta(path: Path, arrays: Mapping[str, Array]) -> dict[str, Any]:
    try:
        meta = json.loads(str(arrays[_META]))
        complete = isinstance(meta["rows_set"], list) and isinstance(meta["steps_taken"], int) and "link_forces" in meta
    except (KeyError, ValueError, TypeError) as error:
        raise _not_saved(path, error) from None
    if not complete:
        raise _not_saved(path, ValueError("wrong types"))
    return dict(meta)


def _not_saved(path: Path, error: Exception) -> UnreadableError:
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    return UnreadableError(f"{label(str(path))}: not a state that save wrote ({reason}); give a file that save wrote")
