"""`PhysXSimulation` steps one articulation in real PhysX with the interface of a bench's simulation. `PhysXBench` is
the bench, and `PhysXEngine` the engine, that use it. `with_rows` turns parameter rows back into a description, the
inverse of packing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import DoubleArray
from physx_runtime.dynamics import spatial as sp
from physx_runtime.model.owners import acting_fixed_tendons, acting_spatial_tendons, leaf_paths
from physx_runtime.model.row_specs import (
    ATTACHMENT,
    DOF,
    FIXED_TENDON,
    GROUPS,
    LEAF,
    MIMIC,
    PARAMETER,
    SPATIAL_TENDON,
    TENDON_AXIS,
    owner_prefix,
    rows_of,
)
from physx_runtime.packing.frames import internal_frame
from physx_runtime.verification.bench import Balance, Bench, Case, solve, with_dofs
from physx_runtime.verification.engines.physx.process import PhysXProcess
from physx_runtime.verification.engines.physx.stage import joint_name, stage_text
from physx_runtime.verification.quantity import UnsteadyError
from physx_runtime.worlds.store import AUTO
from physx_schema.description.model import Articulation, Attachment, Description, Dof, FixedTendon, Scene, SpatialTendon


class PhysXSimulation:
    """Worlds of one articulation in real PhysX; worlds with equal parameters are stepped one after another."""

    def __init__(self, process: PhysXProcess, scene: Scene, articulation: Articulation, worlds: int, dt: float) -> None:
        self._process, self._scene, self._articulation, self._dt = process, scene, articulation, dt
        self._rows: dict[str, DoubleArray] = {}
        self._count, self._size = worlds, len(articulation.dofs)
        self._q, self._v, self._effort = (np.zeros((worlds, self._size)) for _ in range(3))
        self._loaded: tuple[NDArray[np.intp], NDArray[np.intp]] | None = None

    @property
    def joint_position(self) -> DoubleArray:
        """(n_world, n_dof) rad or length."""
        return self._q.copy()

    @property
    def joint_velocity(self) -> DoubleArray:
        """(n_world, n_dof) rad/s or length/s."""
        return self._v.copy()

    @property
    def diverged(self) -> NDArray[np.bool_]:
        """Mask (n_world,) of worlds whose positions or velocities are not finite."""
        return np.asarray(~(np.isfinite(self._q) & np.isfinite(self._v)).all(axis=1))

    def set_row(self, name: str, values: DoubleArray) -> None:
        """Set a parameter, one for all worlds or one for each."""
        self._rows[name] = np.broadcast_to(np.asarray(values, dtype=np.float64), (self._count, np.shape(values)[-1]))
        self._loaded = None

    def set(self, name: str, values: DoubleArray) -> None:
        """Set the joint efforts."""
        assert name == "joint_effort"
        self._effort[:] = values

    def reset(self, joint_position: DoubleArray, joint_velocity: DoubleArray) -> None:
        """Set the state of every world."""
        self._q[:], self._v[:] = joint_position, joint_velocity

    def step(self, count: int = 1) -> None:
        """Step all worlds. Raises UnsupportedError where PhysX refuses the articulation."""
        if self._loaded is None:
            self._load()
        assert self._loaded is not None
        copies, order = self._loaded
        rounds = [np.flatnonzero(copies == copy) for copy in range(copies.max() + 1)]
        max_rounds = max(map(len, rounds))
        # of every copy its worlds in turn, its last one again where others have more
        worlds = np.array([np.pad(members, (0, max_rounds - len(members)), mode="edge") for members in rounds]).T
        q, v, effort = (x[worlds][:, :, order] for x in (self._q, self._v, self._effort))
        q, v = self._process.run(q, v, effort, self._dt, count)
        inverse_order = np.argsort(order)
        self._q[worlds], self._v[worlds] = q[:, :, inverse_order], v[:, :, inverse_order]

    def _load(self) -> None:
        """A copy of the articulation for every set of parameters."""
        rows = np.concatenate([self._rows[name] for name in self._rows] or [np.zeros((self._count, 1))], axis=1)
        _, first, copies = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        stage, roots = stage_text(self._scene, [
            with_rows(self._articulation, {name: values[world] for name, values in self._rows.items()})
            for world in first])
        names = self._process.load(stage, roots)
        self._loaded = copies.reshape(-1), np.array([_dof_index(name, self._articulation) for name in _numbered(names)])


def _numbered(names: list[str]) -> list[tuple[str, int]]:
    """(joint, index among its degrees of freedom) of each name, in PhysX's order."""
    joints = [name.partition(":")[0] for name in names]
    return [(joint, joints[:i].count(joint)) for i, joint in enumerate(joints)]


def _dof_index(name: tuple[str, int], articulation: Articulation) -> int:
    """This runtime's index of a degree of freedom."""
    names = [(joint_name(i), n) for i, link in enumerate(articulation.links) if link.joint
             for n in range(len(link.joint.dofs))]
    return names.index(name)


# --- rows back into descriptions -------------------------------------------------------------------------------------

def with_rows(articulation: Articulation, rows: Mapping[str, DoubleArray]) -> Articulation:
    """The articulation with these parameters of one world, the inverse of packing; disabled tendons are left out."""
    changed = replace(
        articulation,
        fixed_tendons=tuple(_fixed_tendon(tendon, rows, owner_prefix(GROUPS[FIXED_TENDON], i))
                            for i, tendon in enumerate(acting_fixed_tendons(articulation))),
        spatial_tendons=_spatial_tendons(articulation, rows),
        mimics=tuple(replace(mimic, **_facts(MIMIC, rows, 0, owner_prefix(GROUPS[MIMIC], i)))
                     for i, mimic in enumerate(articulation.mimics)))
    indices = iter(range(len(articulation.dofs)))
    return with_dofs(changed, lambda dof: _dof(dof, rows, next(indices)))


def _facts(owner: str, rows: Mapping[str, DoubleArray], index: int, prefix: str = "") -> dict[str, Any]:
    """What a description calls the numbers of one owner that are set."""
    return {row.fact or row.name: float(rows[prefix + row.name][index])
            for row in rows_of(owner, PARAMETER) if prefix + row.name in rows}


def _dof(dof: Dof, rows: Mapping[str, DoubleArray], index: int) -> Dof:
    """The numbers of a degree of freedom, of its drive and of that one's envelope."""
    facts = _facts(DOF, rows, index)
    drive = dof.drive and replace(dof.drive, **_fields_of(dof.drive, facts))
    if drive and drive.envelope:
        drive = replace(drive, envelope=replace(drive.envelope, **_fields_of(drive.envelope, facts)))
    return replace(dof, **_fields_of(dof, facts), drive=drive)


def _fields_of(item: object, facts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if hasattr(item, name)}


def _fixed_tendon(tendon: FixedTendon, rows: Mapping[str, DoubleArray], prefix: str) -> FixedTendon:
    axes = tuple(replace(axis, **_facts(TENDON_AXIS, rows, n, prefix)) for n, axis in enumerate(tendon.axes))
    return replace(tendon, axes=axes, **_facts(FIXED_TENDON, rows, 0, prefix))


def _spatial_tendons(articulation: Articulation, rows: Mapping[str, DoubleArray]) -> tuple[SpatialTendon, ...]:
    """Every leaf with a row of its own as a tendon of one path; they share only the positions of attachments."""
    acting = acting_spatial_tendons(articulation)
    tendons = []
    for i, (tendon_index, path) in enumerate(leaf_paths(articulation)):
        tendon, prefix = acting[tendon_index], owner_prefix(GROUPS[LEAF], i)
        local = rows.get(f"{prefix}position")
        attachments = []
        for n, index in enumerate(path):
            item = replace(tendon.attachments[index], parent=n - 1)
            facts = _facts(ATTACHMENT, rows, n, prefix) | (_facts(LEAF, rows, 0, prefix) if item.leaf else {})
            if local is not None:
                facts |= {"local_position": _mass_frame(articulation, item, local[3 * n:3 * n + 3])}
            attachments.append(replace(item, **facts))
        tendons.append(replace(tendon, attachments=tuple(attachments), **_facts(SPATIAL_TENDON, rows, 0, prefix)))
    return tuple(tendons)


def _mass_frame(articulation: Articulation, item: Attachment, position: DoubleArray) -> sp.Vec3:
    """A place in F in the link's mass frame, in which stages have it."""
    link = articulation.links[item.link]
    origin, rotation = internal_frame(link, articulation.fixed_base)
    x, y, z = map(float, position)
    local = sp.add(origin, sp.rotate(rotation, (x, y, z)))
    return sp.rotate(sp.conjugate(link.principal_axes), sp.sub(local, link.center_of_mass))


# Probing motions are this much larger: float32 must resolve them next to positions of some rad or m.
LARGER_PROBES = 100.0
# Corrections of the efforts that hold here until they hold in PhysX, and what the last one may still be of them.
CORRECTIONS, HOLDING_TOLERANCE = 3, 2e-3


class PhysXBench(Bench):
    """A bench whose worlds real PhysX steps. Efforts found with this runtime are corrected until they hold in PhysX."""

    # float32 shows no less
    speed_tolerance = 1e-3
    settled_tolerance = 1e-4

    def __init__(self, process: PhysXProcess, description: Description, articulation: Articulation, dt: float) -> None:
        super().__init__(description, articulation, dt)
        self._process = process
        self.speeds, self.lengths = LARGER_PROBES * self.speeds, LARGER_PROBES * self.lengths
        self.length *= LARGER_PROBES

    def simulation(self, worlds: int, path: str = AUTO) -> PhysXSimulation:
        """Worlds in PhysX."""
        return PhysXSimulation(self._process, self._description.scene, self.articulation, worlds, self.dt)

    def variant(self, articulation: Articulation) -> PhysXBench:
        """The same bench with another articulation on it."""
        return PhysXBench(self._process, self._description, articulation, self.dt)

    def balance(self, cases: Sequence[Case]) -> Balance:
        """Efforts and velocities that hold in PhysX, from those of this runtime and its slope."""
        builtin = super().balance(cases)
        # PhysX's start, so that a step's displacement is distinct from rounding
        start = builtin.start.astype(np.float32).astype(np.float64)
        sim, solution = self._simulation_of(cases), builtin.solution
        for _ in range(CORRECTIONS):
            residual = self.residuals(sim, start, builtin.target_velocity, solution)
            if not np.isfinite(residual).all():
                raise UnsteadyError("positions or velocities in PhysX are not finite")
            change = solve(builtin.slope, residual) * builtin.scale
            solution = solution - change[:, None, :]
        efforts = np.abs(solution[:, 0, :self.size]).max(axis=1, keepdims=True)
        min_effort = builtin.scale[:, :self.size].min(axis=1, keepdims=True)
        if not (np.abs(change[:, :self.size]) <= HOLDING_TOLERANCE * np.maximum(efforts, min_effort)).all():
            raise UnsteadyError("the experiment finds no joint efforts that hold the pose for one step in PhysX")
        return Balance(start, builtin.target_velocity, builtin.scale, builtin.slope, solution,
                       np.abs(change[:, :self.size]))


class PhysXEngine(PhysXProcess):
    """Real PhysX as an engine that repeats experiments."""

    def __enter__(self) -> PhysXEngine:
        return self

    def bench(self, description: Description, articulation: Articulation, dt: float) -> PhysXBench:
        """A bench whose worlds PhysX steps."""
        return PhysXBench(self, description, articulation, dt)
