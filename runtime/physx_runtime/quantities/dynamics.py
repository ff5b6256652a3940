"""`Dynamics` gives the equations of motion of all worlds at their states: M a + C + g = tau. It has inverse and forward
dynamics (RNEA, ABA), bias, mass matrix, Jacobian, operational-space inertia and derivatives. M includes armature,
unlike the mass matrix of PhysX's Direct GPU API.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from physx_runtime.arrays import Array, DeviceValues, Indices
from physx_runtime.dynamics.crba import mass_matrix, with_armature
from physx_runtime.dynamics.jacobian import link_jacobian, operational_inertia
from physx_runtime.dynamics.kinematics import state_kinematics
from physx_runtime.language.ops import Rows
from physx_runtime.model.topology import Topology
from physx_runtime.quantities import state as quantities
from physx_runtime.quantities.derivatives import inverse_derivatives
from physx_runtime.quantities.state import ArrayLines, WorldQuantities, lines_of
from physx_runtime.quantities.traced import StateQuantity
from physx_runtime.simulation.actor import Actor
from physx_runtime.simulation.arguments import required_numbers
from physx_runtime.simulation.parameters import rounded
from physx_runtime.worlds.gpu.arrays import is_on_device
from physx_runtime.worlds.gpu.views import required_gpu_rows
from physx_schema.arguments import display, required_choice, required_text, suggestion
from physx_schema.errors import UnsupportedError

# rows of a link's Jacobian
JACOBIAN_ROWS = {"linear": (0, 3), "angular": (3, 6), "both": (0, 6)}


class InverseDerivatives(NamedTuple):
    """Derivatives of the inverse dynamics force, (n_world, nv, nv) each: [w, i, j] is d tau_i by the j-th number."""

    position: Array         # by a displacement along generalised velocities
    velocity: Array
    acceleration: Array     # the mass matrix with armature


class ForwardDerivatives(NamedTuple):
    """Derivatives of the forward dynamics acceleration, (n_world, nv, nv) each."""

    position: Array
    velocity: Array
    force: Array            # the inverse of the mass matrix with armature


class Dynamics:
    """Dynamics of the articulation of a simulation: M(q) a + C(q, v) + g(q) = tau.

    Generalised velocities, accelerations and forces have nv numbers. A floating base has linear (at the root's centre
    of mass) and angular numbers first, in world axes; then there is one for each dof. In contrast to the Direct API, M
    includes armature, and links with disabled gravity have no weight. Drives, friction, damping, limits and tendons
    are not included.
    """

    def __init__(self, simulation: Actor) -> None:
        self._simulation = simulation
        self._quantities = WorldQuantities(simulation.model.topology)
        self._link_quantities: dict[tuple[int, str], StateQuantity] = {}

    def __repr__(self) -> str:
        return f"Dynamics({self._simulation!r})"

    @property
    def _all_worlds(self) -> Indices:
        return np.arange(self._simulation.worlds)

    def inverse_dynamics(self, acceleration: DeviceValues, out: DeviceValues | None = None) -> DeviceValues:
        """Return the generalised force for an acceleration (inverse dynamics), (n_world, nv).

        `acceleration` is (nv,) or (n_world, nv). The acceleration of the root is that of its centre of mass, not a
        spatial acceleration. Raises ValueError for a wrong shape and for numbers that are not finite.
        """
        return self._evaluate(quantities.force_at_acceleration, (self._quantities.topology.nv,), out,
                              acceleration=acceleration)

    def forward_dynamics(self, force: DeviceValues, out: DeviceValues | None = None) -> DeviceValues:
        """Return the acceleration under a force, (n_world, nv); `force` is (nv,) or (n_world, nv).

        Raises the errors of `inverse_dynamics`.
        """
        return self._evaluate(quantities.acceleration_under_force, (self._quantities.topology.nv,), out, force=force)

    def bias(self, out: DeviceValues | None = None) -> DeviceValues:
        """The force at zero acceleration, C(q, v) + g(q), (n_world, nv)."""
        return self._evaluate(quantities.bias_force, (self._quantities.topology.nv,), out)

    def mass_matrix(self, out: DeviceValues | None = None) -> DeviceValues:
        """The mass matrix M with armature, (n_world, nv, nv)."""
        nv = self._quantities.topology.nv
        return self._evaluate(quantities.mass_with_armature, (nv, nv), out)

    def jacobian(self, link: str, out: DeviceValues | None = None) -> DeviceValues:
        """Return the Jacobian of a link, (n_world, 6, nv): velocity of its centre of mass, then angular velocity.

        `link` is its prim path. Raises ValueError for a path that is not a link.
        """
        return self._evaluate(self._quantity_of_link(link, "jacobian"), (6, self._quantities.topology.nv), out)

    def operational_inertia(self, link: str, axes: str = "both", out: DeviceValues | None = None) -> DeviceValues:
        """Return the inertia (J M^-1 J^T)^-1 at the centre of mass of a link, (n_world, 6, 6).

        The result is NaN in worlds with a blocked direction, as for "both" of an arm with fewer than 6 dofs.

        Args:
            link: Prim path of the link.
            axes: `linear` or `angular` gives the (n_world, 3, 3) of these coordinates only. `both` is linear, then
                angular.

        Raises:
            ValueError: The link or the axes are unknown.
        """
        required_choice("axes", axes, JACOBIAN_ROWS)
        first, last = JACOBIAN_ROWS[axes]
        return self._evaluate(self._quantity_of_link(link, axes), (last - first, last - first), out)

    def inverse_dynamics_derivatives(self, acceleration: ArrayLike) -> InverseDerivatives:
        """Return exact derivatives of the force of `inverse_dynamics`, on the host.

        Raises the errors of `inverse_dynamics`, and UnsupportedError for a chain of more than 60 links.
        """
        array = self._validated("acceleration", acceleration)
        return InverseDerivatives(*self._derivatives(array), self.mass_matrix())

    def forward_dynamics_derivatives(self, force: ArrayLike) -> ForwardDerivatives:
        """Return derivatives of the acceleration of `forward_dynamics`: -M^-1 times those of inverse dynamics.

        Raises the errors of `inverse_dynamics_derivatives`.
        """
        position, velocity = self._derivatives(self.forward_dynamics(force))
        minv = np.linalg.inv(self.mass_matrix())
        return ForwardDerivatives(-minv @ position, -minv @ velocity, minv)

    def _derivatives(self, acceleration: Array) -> tuple[Array, Array]:
        t, worlds = self._quantities.topology, self._all_worlds
        if not self._quantities.compiled:
            raise UnsupportedError(f"{self._simulation.model.actor.path} has {len(t.links)} links; derivatives "
                                   "support chains of at most 60 links")
        # stored by columns, which kernels write in one piece
        derivatives = {name: np.zeros((len(worlds), t.nv * t.nv), self._simulation.dtype)
                       for name in ("position", "velocity")}
        for directions in inverse_derivatives(t):
            columns = {name: ArrayLines(array, lines_of(array).starts + directions.first * t.nv)
                       for name, array in derivatives.items()}
            self._quantities.run(directions, self._simulation.store, worlds, {"acceleration": acceleration}, columns)
        position, velocity = (array.reshape(len(worlds), t.nv, t.nv).transpose(0, 2, 1)
                              for array in derivatives.values())
        return position, velocity

    def _quantity_of_link(self, path: str, kind: str) -> StateQuantity:
        names = self._simulation.model.link_names
        if required_text("link", path) not in names:
            raise ValueError(f"{display(path)} is not a link; {suggestion(path, names)}")
        key = (names.index(path), kind)
        if key not in self._link_quantities:
            self._link_quantities[key] = _link_quantity(*key)
        return self._link_quantities[key]

    def _evaluate(self, quantity: StateQuantity, shape: tuple[int, ...], out: Any, **inputs: Any) -> Any:
        """The values of a quantity, (n_world, *shape), or `out` once they are put there."""
        if out is not None or any(is_on_device(values) for values in inputs.values()):
            return self._evaluate_on_gpu(quantity, shape, out, inputs)
        arrays = {name: self._validated(name, values) for name, values in inputs.items()}
        result = self._quantities.values(quantity, self._simulation.store, self._all_worlds, arrays)["values"]
        return result.reshape(self._simulation.worlds, *shape)

    def _evaluate_on_gpu(self, quantity: StateQuantity, shape: tuple[int, ...], out: Any,
                         inputs: Mapping[str, Any]) -> Any:
        rows, nv = required_gpu_rows("an argument", self._simulation.store), self._quantities.topology.nv
        if out is not None and not is_on_device(out):
            raise ValueError(f"out is {type(out).__name__}, which is not a GPU array; leave it out to get an array "
                             "on the host")
        selection = rows.all_worlds()
        arrays = {name: values if is_on_device(values) else self._validated(name, values) for name,
                  values in inputs.items()}
        views = {name: (rows.lines(name, values, selection, nv), nv) for name, values in arrays.items()}
        if out is None:
            computed = self._quantities.gpu.values(quantity, rows, selection, views)["values"]
            result: Any = computed.reshape(self._simulation.worlds, *shape)
        else:
            result, view = out, rows.elements("out", out, selection, shape, writable=True)
            self._quantities.gpu.run(quantity, rows, selection, views, {"values": view})
            rows.done(view)
        rows.done(*(view for view, _ in views.values()))
        return result

    def _validated(self, name: str, values: ArrayLike) -> Array:
        if is_on_device(values):
            raise ValueError(f"{name} is on a GPU, but derivatives are computed on the host; copy it to the host")
        array, count = rounded(required_numbers(name, values), self._simulation.dtype), self._simulation.worlds
        nv = self._quantities.topology.nv
        if array.shape not in ((nv,), (count, nv)):
            raise ValueError(f"{name} has shape {array.shape}; give ({nv},) or ({count}, {nv})")
        if not np.isfinite(array).all():
            raise ValueError(f"{name} contains {array[~np.isfinite(array)][0]}; give finite numbers")
        return np.broadcast_to(array, (count, nv))


def _link_quantity(link: int, kind: str) -> Callable[[Topology, Rows], Rows]:
    """The Jacobian or the operational-space inertia of a link."""
    def quantity(t: Topology, rows: Rows) -> Rows:
        k = state_kinematics(t, rows)
        J = link_jacobian(t, k, link)
        if kind == "jacobian":
            return {"values": quantities.flat(J)}
        first, last = JACOBIAN_ROWS[kind]
        M = with_armature(t, rows, mass_matrix(t, rows, k))
        return {"values": quantities.flat(operational_inertia(M, J[first:last]))}

    return quantity
