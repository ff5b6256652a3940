"""`compute` gives one quantity of an articulation at given states without a simulation: Jacobian, mass matrix,
compensations, centre of mass, momentum.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from physx_runtime.arrays import Array
from physx_runtime.dynamics import spatial as sp
from physx_runtime.model.topology import Topology
from physx_runtime.packing.body import pack_actor
from physx_runtime.packing.frames import inverse_frame, root_frame, root_frame_in_link, root_rows
from physx_runtime.packing.model import PackedModel
from physx_runtime.packing.not_simulated import select_actor
from physx_runtime.quantities import state as quantities
from physx_runtime.quantities.state import evaluate
from physx_runtime.quantities.traced import StateQuantity
from physx_runtime.simulation.arguments import required_numbers
from physx_runtime.simulation.parameters import is_rotation
from physx_schema.arguments import required_choice, required_mapping
from physx_schema.description import describe
from physx_schema.description.model import Description
from physx_schema.description.stages import StageSource


class LinkState(NamedTuple):
    """Link poses and velocities. For n states, each array has a first axis of length n."""

    pose: Array         # (n_link, 7) position, quaternion x y z w; world
    velocity: Array     # (n_link, 6) linear at the centre of mass, angular; world

    def __repr__(self) -> str:
        return f"LinkState(pose=<{self.pose.dtype} {self.pose.shape}>, velocity=<{self.velocity.dtype} " \
               f"{self.velocity.shape}>)"


# kind -> quantity; the last three are deprecated in PhysX
QUANTITIES_BY_KIND: dict[str, StateQuantity] = {
    "update_kinematic": quantities.link_state,
    "jacobian": quantities.jacobian,
    "mass_matrix": quantities.mass_without_armature,
    "gravity_compensation": quantities.gravity_compensation,
    "coriolis_compensation": quantities.coriolis_compensation,
    "com_world": quantities.com_world,
    "com_root": quantities.com_root,
    "centroidal_momentum": quantities.centroidal_momentum_at_state,
    "generalized_mass_matrix": quantities.generalized_mass,
    "generalized_gravity": quantities.generalized_gravity,
    "generalized_coriolis": quantities.generalized_coriolis,
}
ArrayKind: TypeAlias = Literal[
    "jacobian", "mass_matrix", "gravity_compensation", "coriolis_compensation", "com_world", "com_root",
    "centroidal_momentum", "generalized_mass_matrix", "generalized_gravity", "generalized_coriolis"]
ROOT_STATE_SIZES = {"position": 3, "rotation_wxyz": 4, "linear_velocity": 3, "angular_velocity": 3}


@overload
def compute(stage: StageSource | Description, q: ArrayLike, qd: ArrayLike, kind: Literal["update_kinematic"],
            root: Mapping[str, ArrayLike] | None = None, *, articulation: str | None = None, dtype: str = "float64"
            ) -> LinkState: ...


@overload
def compute(stage: StageSource | Description, q: ArrayLike, qd: ArrayLike, kind: ArrayKind,
            root: Mapping[str, ArrayLike] | None = None, *, articulation: str | None = None, dtype: str = "float64"
            ) -> Array: ...


@overload
def compute(stage: StageSource | Description, q: ArrayLike, qd: ArrayLike, kind: str,
            root: Mapping[str, ArrayLike] | None = None, *, articulation: str | None = None, dtype: str = "float64"
            ) -> LinkState | Array: ...


def compute(stage: StageSource | Description, q: ArrayLike, qd: ArrayLike, kind: str,
            root: Mapping[str, ArrayLike] | None = None, *, articulation: str | None = None, dtype: str = "float64"
            ) -> LinkState | Array:
    """Return one quantity of an articulation (docs/reference/direct_api.md defines the quantities).

    In the shapes, nv is n_dof for a fixed base and 6 + n_dof for a floating base. PhysX deprecates the kinds
    `generalized_mass_matrix`, `generalized_gravity` and `generalized_coriolis`.

    Args:
        stage: A stage, a file or a Description.
        q: Joint positions, (n_dof,) or (n, n_dof) for n states, in rad or length units. The order of joints is that of
            `Recording.joint_names`. For n states, the result has a first axis of length n.
        qd: Joint velocities, with the shape of `q`, in rad/s or length units per second.
        kind: `update_kinematic` returns a LinkState. `jacobian` returns (6 n_link, nv), without the rows of a fixed
            root link. `mass_matrix` returns (nv, nv). `gravity_compensation` and `coriolis_compensation` return (nv,).
            `com_world` and `com_root` return (3,). `centroidal_momentum` returns (6, nv + 1), with the bias in the
            last column.
        root: State of a floating root link: position, rotation_wxyz, linear_velocity of its centre of mass and
            angular_velocity, in world axes. Omitted values are taken from the stage.
        articulation: Prim path; required if the stage has several articulations.
        dtype: Precision of the computation, "float64" or "float32".

    Raises:
        UnreadableError: The file is not a stage.
        UnsupportedError: The stage has no articulation, or physics that the step does not support.
        ValueError: A kind, a name or a shape is wrong, or a number is not finite. For an articulation with a fixed
            base, `root` was given or the centroidal momentum was requested.
    """
    description = stage if isinstance(stage, Description) else describe(stage)
    actor = select_actor(description, articulation)
    model = pack_actor(actor, description.scene_of(actor))
    t = model.topology.tree
    required_choice("kind", kind, QUANTITIES_BY_KIND)
    if kind == "centroidal_momentum" and t.fixed_base:
        raise ValueError(f"{model.link_names[0]}: centroidal_momentum needs a floating base; this base is fixed")
    required_choice("dtype", dtype, ("float32", "float64"))
    single, rows = _rows(model, q, qd, root, dtype)
    outputs = evaluate(QUANTITIES_BY_KIND[kind], t, rows)
    shaped = {name: values.reshape(len(values), *_shape(t, kind if name == "values" else name)).astype(dtype)
              for name, values in outputs.items()}
    if kind == "centroidal_momentum":
        shaped = {kind: np.concatenate([shaped["matrix"], shaped["bias"][..., None]], axis=-1)}
    results = [values[0] if single else values for values in shaped.values()]
    return LinkState(*results) if kind == "update_kinematic" else results[0]


def _shape(t: Topology, name: str) -> tuple[int, ...]:
    joints, links = len(t.dofs), len(t.links)
    return {"jacobian": (6 * (links - t.fixed_base), t.nv), "mass_matrix": (t.nv, t.nv),
            "generalized_mass_matrix": (joints, joints), "matrix": (6, t.nv), "pose": (links, 7),
            "velocity": (links, 6)}.get(name, (-1,))


def _rows(model: PackedModel, q: ArrayLike, qd: ArrayLike, root: Mapping[str, ArrayLike] | None,
          dtype: str) -> tuple[bool, dict[str, Array]]:
    """Whether one state is given, and the rows of all states, (n, n_state)."""
    t, root = model.topology.tree, None if root is None else required_mapping("root", root)
    inputs = {"q": (q, len(t.dofs)), "qd": (qd, len(t.dofs))}
    inputs |= {f"root {name}": (value, ROOT_STATE_SIZES.get(name, 0)) for name, value in (root or {}).items()}
    unknown = sorted(set(root or {}) - set(ROOT_STATE_SIZES))
    if unknown or (root and t.fixed_base):
        raise ValueError(f"root has {', '.join(unknown)}; allowed are {', '.join(ROOT_STATE_SIZES)}" if unknown else
                         f"{model.link_names[0]}: root is given, but the base is fixed; leave it out")
    states = {name: _checked(name, value, size, dtype) for name, (value, size) in inputs.items()}
    single = all(x.ndim == 1 for x in states.values())
    counts = {len(x) for x in states.values() if x.ndim == 2}
    if len(counts) > 1:
        raise ValueError(f"q, qd and root have {', '.join(map(str, sorted(counts)))} states; give equal numbers of "
                         "states")
    count = counts.pop() if counts else 1
    rows = {name: np.repeat(values[:, None], count, axis=1)
            for name, values in {**model.tree_parameters, **model.state}.items()}
    rows |= _root_rows(model, {name: np.broadcast_to(states[f"root {name}"], (count, size)).T
                               for name, size in ROOT_STATE_SIZES.items() if f"root {name}" in states}, rows)
    rows["q"], joints = (np.broadcast_to(states[name], (count, len(t.dofs))).T for name in ("q", "qd"))
    rows["v"] = np.concatenate([rows["v"][:t.root_size], joints])
    frames = np.array([[*position, *rotation] for position, rotation in model.link_frames]).reshape(-1, 1)
    inverse_rotation = inverse_frame(root_frame_in_link(model.actor))[1]
    axes = np.array(sp.mul_quat(inverse_rotation, model.actor.links[0].principal_axes)).reshape(-1, 1)
    rows |= {"link_frames": np.repeat(frames, count, axis=1), "root_axes": np.repeat(axes, count, axis=1)}
    return single, {name: values.astype(dtype) for name, values in rows.items()}


def _checked(name: str, value: ArrayLike, size: int, dtype: str) -> Array:
    array = required_numbers(name, value)
    if array.ndim not in (1, 2) or array.shape[-1] != size or (array.ndim == 2 and not len(array)):
        raise ValueError(f"{name} has shape {array.shape}; give ({size},) or (n, {size})")
    with np.errstate(over="ignore"):
        invalid = ~np.isfinite(array.astype(dtype))
    if invalid.any():
        raise ValueError(f"{name} contains {array[invalid][0]}; give numbers that are finite in {dtype}")
    if name == "root rotation_wxyz" and not is_rotation(array).all():
        raise ValueError(f"{name} is zero; give a quaternion w x y z")
    return array


def _root_rows(model: PackedModel, root: Mapping[str, Array], rows: Mapping[str, Array]) -> dict[str, Array]:
    """Rows of a floating root from its link's pose and velocity; parts left out stay as authored."""
    if not root:
        return {}
    authored = model.actor.links[0].pose
    position = tuple(root.get("position", np.array(authored[0])[:, None]))
    x, y, z, w = root["rotation_wxyz"][[1, 2, 3, 0]] if "rotation_wxyz" in root else np.array(authored[1])[:, None]
    link = (position[0], position[1], position[2]), sp.normalized((x, y, z, w))
    frame_rows = root_rows(root_frame(link, root_frame_in_link(model.actor)))
    v = rows["v"].copy()
    for name, first in (("linear_velocity", 0), ("angular_velocity", 3)):
        if name in root:
            v[first:first + 3] = root[name]
    return {"v": v} | {name: np.broadcast_to(x, (v.shape[1], x.shape[-1])).T for name, x in frame_rows.items()}
