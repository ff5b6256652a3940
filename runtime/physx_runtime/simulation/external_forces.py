"""`ExternalForces` applies forces, impulses, accelerations and velocity changes to links for one step (PhysX
PxForceMode). Each becomes a wrench about the link's centre of mass. It is added to the link_force and link_torque rows
before the step and taken out after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, get_args

import numpy as np
from numpy.typing import ArrayLike

from physx_runtime.arrays import Array, Indices
from physx_runtime.dynamics import spatial as sp
from physx_runtime.model.row_specs import LINK_FORCE_ROWS
from physx_runtime.packing.model import PackedModel
from physx_runtime.simulation.arguments import required_numbers
from physx_runtime.simulation.divergence import DivergenceReport
from physx_runtime.simulation.parameters import refusal, rounded
from physx_runtime.worlds.store import WorldRows
from physx_schema.arguments import label, listed, required_choice, required_flag, required_text, suggestion

ForceMode = Literal["force", "impulse", "acceleration", "velocity_change"]

MODES: tuple[ForceMode, ...] = get_args(ForceMode)
OF_A_STEP = ("impulse", "velocity_change")              # the integral over the step
PER_MASS = ("acceleration", "velocity_change")


class ForceTarget(Protocol):
    """The actor that external forces act on."""

    divergence: DivergenceReport

    @property
    def model(self) -> PackedModel:
        """The packed model that is stepped."""

    @property
    def worlds(self) -> int:
        """Number of worlds."""

    @property
    def dt(self) -> float:
        """Time of a step [s]."""

    @property
    def dtype(self) -> str:
        """ "float32" or "float64"."""

    @property
    def store(self) -> WorldRows:
        """The rows of its worlds."""

    @property
    def link_pose(self) -> Array:
        """World poses of the links, (n_world, n_link, 7)."""

    def parameter(self, name: str) -> Array:
        """Values of a parameter in every world."""


@dataclass(frozen=True, slots=True)
class ExternalForce:
    """A force and torque on one link, (n, 3) each, in world axes or in those of the link's prim."""

    force: Array
    torque: Array
    point: Array | None                 # from the origin of these axes; None: the centre of mass
    mode: ForceMode
    local: bool


class ExternalForces:
    """The external forces on an actor's links in the next step; it watches that step."""

    def __init__(self, actor: ForceTarget) -> None:
        self._actor = actor
        shape = (len(LINK_FORCE_ROWS), actor.worlds, len(actor.model.link_names), 3)
        self._forces, self._impulses = np.zeros(shape), np.zeros(shape)
        self._persistent_forces: dict[str, Array] = {}

    @property
    def is_pending(self) -> bool:
        """Whether a force waits for the next step."""
        return bool(self._forces.any() or self._impulses.any())

    def link_of(self, path: str | None) -> int:
        """The link at a prim path, the only one for None. Raises ValueError where there is none."""
        names = self._actor.model.link_names
        if path is None and len(names) == 1:
            return 0
        if path is None:
            raise ValueError(f"no link is given; give one of {listed(names)}")
        if required_text("link", path) not in names:
            raise ValueError(f"{label(path)} is not a link of {self._actor.model.actor.path}; "
                             f"{suggestion(path, names, 'give one of')}")
        return names.index(path)

    def checked(self, worlds: Indices, link: int, force: ArrayLike, torque: ArrayLike | None, point: ArrayLike | None,
                mode: ForceMode, local: bool) -> ExternalForce:
        """The checked arguments of `Actor.apply_force`; raises ValueError as that does."""
        required_choice("mode", mode, MODES)
        required_flag("local", local)
        name = self._actor.model.link_names[link]
        return ExternalForce(_triples("force", force, name, worlds),
                             _triples("torque", np.zeros(3) if torque is None else torque, name, worlds),
                             None if point is None else _triples("point", point, name, worlds), mode, local)

    def add(self, external: ExternalForce, link: int, worlds: Indices) -> None:
        """Add a force to the next step. Raises ValueError for one that is too large."""
        wrench = self._wrench(external, link, worlds)
        of_a_step = external.mode in OF_A_STEP
        acting = rounded(wrench / self._actor.dt if of_a_step else wrench, self._actor.dtype)
        for values, name in zip(acting, LINK_FORCE_ROWS, strict=True):
            _require_finite(name, values, self._actor.model.link_names[link], worlds)
        (self._impulses if of_a_step else self._forces)[:, worlds, link] += wrench

    def clear(self, worlds: Indices) -> None:
        """Clear the forces in worlds with these indices."""
        self._forces[:, worlds] = self._impulses[:, worlds] = 0.0

    def _wrench(self, external: ExternalForce, link: int, worlds: Indices) -> Array:
        """Force and torque about the link's centre of mass, world axes, (2, n, 3), or their integral over the step."""

        def of_link(name: str) -> Array:
            return np.asarray(self._actor.parameter(name)[worlds, link], dtype=np.float64)

        pose = self._actor.link_pose[worlds, link].astype(np.float64)
        origin, rotation = _triple(pose[:, :3]), sp.normalized(_quat(pose[:, 3:]))
        force, torque = _triple(external.force), _triple(external.torque)
        if external.local:
            force, torque = sp.rotate(rotation, force), sp.rotate(rotation, torque)
        if external.mode in PER_MASS:
            x, y, z = _triple(of_link("diagonal_inertia"))
            axes = sp.mul_quat(rotation, sp.normalized(_quat(of_link("principal_axes"))))
            zero = np.zeros_like(x)
            force = sp.scale(of_link("mass"), force)
            torque = sp.mul_sv(sp.rotate_sym(sp.matrix(axes), (x, y, z, zero, zero, zero)), torque)
        if external.point is not None:
            point = _triple(external.point)
            in_world = sp.add(origin, sp.rotate(rotation, point)) if external.local else point
            center = sp.add(origin, sp.rotate(rotation, _triple(of_link("center_of_mass"))))
            torque = sp.add(torque, sp.cross(sp.sub(in_world, center), force))
        return np.stack([np.stack(force, axis=-1), np.stack(torque, axis=-1)])

    # --- as a watcher of the step ------------------------------------------------------------------------------------

    def about_to_step(self) -> None:
        """Add the forces to the link_force and link_torque rows."""
        store = self._actor.store
        self._persistent_forces = {name: store.rows(name) for name in LINK_FORCE_ROWS}
        forces = self._forces + self._impulses / self._actor.dt
        for (name, persistent), acting in zip(self._persistent_forces.items(), forces, strict=True):
            store.write(name, persistent + rounded(acting.reshape(persistent.shape), self._actor.dtype))

    def stepped(self) -> None:
        """Report divergence from the forces, then restore the link_force and link_torque rows."""
        self._actor.divergence.flags()
        for name, persistent in self._persistent_forces.items():
            self._actor.store.write(name, persistent)
        self.clear(np.arange(self._actor.worlds))


def _triples(name: str, value: ArrayLike, link: str, worlds: Indices) -> Array:
    """Three numbers for every world with these indices, (n, 3)."""
    array = required_numbers(f"{name} on {link}", value)
    if array.shape not in ((3,), (len(worlds), 3)):
        raise ValueError(f"{name} on {link} has shape {array.shape}; give (3,) or ({len(worlds)}, 3)")
    values = np.broadcast_to(array, (len(worlds), 3))
    _require_finite(name, values, link, worlds)
    return values


def _require_finite(name: str, values: Array, link: str, worlds: Indices) -> None:
    if not np.isfinite(values).all():
        raise ValueError(refusal(name, values, ~np.isfinite(values), worlds, lambda i: f"{link} {'xyz'[i]}",
                                 "give finite numbers"))


def _triple(values: Array) -> sp.Vec3:
    x, y, z = values.T
    return x, y, z


def _quat(values: Array) -> sp.Quat:
    x, y, z, w = values.T
    return x, y, z, w
