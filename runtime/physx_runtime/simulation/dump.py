"""`dump` and `dump_step` print the intermediate quantities of a step by name, to compare two engines stage by stage.
The order is velocities v, accelerations a, forces f, then generalised forces tau.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.arrays import DoubleArray
from physx_runtime.dynamics.crba import mass_matrix
from physx_runtime.dynamics.kinematics import forward_kinematics, link_motions
from physx_runtime.dynamics.rnea import coriolis_force, gravity_force, inertial_forces
from physx_runtime.dynamics.spatial import quaternion
from physx_runtime.model.row_specs import input_rows, state_rows
from physx_runtime.simulation.arguments import required_index, required_numbers
from physx_runtime.simulation.recording import spatial_velocities, velocities_after_step, world_link_poses
from physx_runtime.simulation.scene_actor import SceneActor
from physx_runtime.simulation.simulation import Simulation
from physx_runtime.solver.program import stages
from physx_schema.arguments import display, required_mapping
from physx_schema.description.model import Description
from physx_schema.description.stages import StageSource

DumpSource = Simulation | SceneActor
ROOT_NAMES = ("root vx", "root vy", "root vz", "root wx", "root wy", "root wz")


def dump(stage: StageSource | Description, joint_position: ArrayLike | None = None,
         joint_velocity: ArrayLike | None = None) -> str:
    """Return a text table of the velocities, accelerations and forces of links, and of the generalised forces, in one
    state.

    Axes are world axes. `a` is the linear acceleration Jdot v of the link's centre of mass, and `alpha` the angular
    acceleration. `f` is the force that accelerates the link by `a`. `tau` lists compensation forces for Coriolis and
    gravity, and the diagonal of the mass matrix without armature. The first lines name physics that is left out: joints
    outside articulations and contacts.

    `joint_position` is (n_dof,) in rad or length units, and `joint_velocity` is (n_dof,) in these units per second.
    With None, the authored state is used. Raises the same errors as `Simulation`, and ValueError for arrays with a
    wrong shape.
    """
    sim = Simulation(stage, dtype="float64")
    state = {argument: _checked(argument, values, (len(sim.topology.dofs),)) for argument, values in (
        ("joint_position", joint_position), ("joint_velocity", joint_velocity)) if values is not None}
    rows = {name: sim.get(name)[0] for name in {**sim.model.parameters, **sim.model.state}}
    if "joint_position" in state:
        rows["q"] = state["joint_position"]
    if "joint_velocity" in state:
        rows["v"] = np.concatenate([rows["v"][:sim.topology.root_size], state["joint_velocity"]])
    return "\n".join([*_left_out(sim), *_lines(sim, rows)])


def _left_out(sim: DumpSource) -> Iterator[str]:
    """What acts on an actor and is not in its own dynamics, a line each."""
    if isinstance(sim, SceneActor):
        yield from (f"left out: {influence}; the scene's step includes this"
                    for influence in sim.group.acting_on(sim.index))
    else:
        yield from (f"left out: {item}" for item in sim.not_simulated)


def _lines(sim: DumpSource, rows: dict[str, Any]) -> Iterator[str]:
    t, rows = sim.topology, {**sim.model.tree_parameters, **rows}
    k = forward_kinematics(t, rows, rows["q"], quaternion(rows, "root_rotation", 0))
    motions = link_motions(t, k, rows["v"])
    forces = inertial_forces(t, rows, k, motions)
    for i, name in enumerate(sim.model.link_names):
        yield name
        yield f"  v {_numbers(motions[i].velocity.linear)}   w {_numbers(motions[i].velocity.angular)}"
        yield f"  a {_numbers(motions[i].acceleration.linear)}   alpha {_numbers(motions[i].acceleration.angular)}"
        yield f"  f {_numbers(forces[i].linear)}   n {_numbers(forces[i].angular)}"
    coriolis, gravity, M = coriolis_force(t, rows, k, motions), gravity_force(t, rows, k), mass_matrix(t, rows, k)
    names = [*ROOT_NAMES[:t.root_size], *sim.model.dof_names]
    for i, name in enumerate(names):
        yield f"{name}\n  tau coriolis {coriolis[i]:.9g}   gravity {gravity[i]:.9g}   M {M[i][i]:.9g}"


def _checked(name: str, values: ArrayLike, shape: tuple[int, ...]) -> DoubleArray:
    """Finite numbers of this shape. Raises ValueError for others."""
    array = required_numbers(name, values)
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}; give {shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} contains {array[~np.isfinite(array)][0]}; give finite numbers")
    return array


def _numbers(values: Any) -> str:
    return "(" + ", ".join(f"{float(x):.9g}" for x in values) + ")"


# --- a step --------------------------------------------------------------------------------------------------------

def dump_step(sim: DumpSource, world: int = 0, reported: Mapping[str, ArrayLike] | None = None) -> str:
    """Return a text table of the next step of a world, stage by stage. `sim` is not changed.

    The table begins with the start state as in `dump`. The table then lists the velocities v and positions q after each
    stage of the step, in float32 and float64. The velocity of a floating root comes first. The table ends with the
    poses and velocities of links.

    Args:
        sim: A Simulation, or an actor of a Scene. The table's step ignores contacts and joints outside articulations;
            the first lines of the table name them.
        world: Index of the world.
        reported: Results of another engine after the same step, to compare with the float32 results. Keys:
            joint_position and joint_velocity (n_dof,), link_pose (n_link, 7), link_velocity (n_link, 6). The units are
            those of `Recording`.

    Raises:
        ValueError: The world does not exist, or `reported` has an unknown name or a wrong shape.
    """
    if not isinstance(sim, Simulation | SceneActor):
        raise ValueError(f"sim is {display(sim)}; give a Simulation or an actor of a Scene")
    required_index("world", world, sim.worlds)
    expected = _reported(sim, {} if reported is None else required_mapping("reported", reported))
    t = sim.model.topology
    start = {name: sim.get(name)[world].astype(np.float64) for name in state_rows(t) | input_rows(t)}
    step_stages = [stages(t, {name: list(x.astype(kind)) for name, x in start.items()}, sim.settings)
                   for kind in (np.float32, np.float64)]
    lines = [f"step of {sim.dt:.9g} s, {sim.settings.position_iterations} position and "
             f"{sim.settings.velocity_iterations} velocity iterations", *_left_out(sim), *_lines(sim, start)]
    if sim.asleep[world]:
        lines.insert(1, "the world is asleep; this table shows its step as if it were awake")
    names = [*ROOT_NAMES[:t.root_size], *sim.model.dof_names]
    for (stage, single), (_, double) in zip(*step_stages, strict=True):
        lines.append(f"{stage}: v, q in float32 and float64")
        for i, name in enumerate(names):
            dof = i - t.root_size
            q = "" if dof < 0 else f"   q {single['q'][dof]:.9g} {double['q'][dof]:.12g}"
            lines.append(f"  {name}  v {single['v'][i]:.9g} {double['v'][i]:.12g}{q}")
    return "\n".join([*lines, *_comparison(sim, start, single, expected)])


def _reported(sim: DumpSource, reported: Mapping[str, ArrayLike]) -> dict[str, DoubleArray]:
    """The results of another engine as arrays. Raises ValueError unless they are quantities of the simulation."""
    dofs, links = len(sim.topology.dofs), len(sim.topology.links)
    shapes = {"joint_position": (dofs,), "joint_velocity": (dofs,),
              "link_pose": (links, 7), "link_velocity": (links, 6)}
    for name in reported:
        if name not in shapes:
            raise ValueError(f"reported names {name!r}; allowed are {', '.join(shapes)}")
    return {name: _checked(f"reported {name}", values, shapes[name]) for name, values in reported.items()}


def _comparison(sim: DumpSource, start: Mapping[str, NDArray[Any]], end: Mapping[str, Any],
                reported: Mapping[str, NDArray[np.float64]]) -> Iterator[str]:
    """The end of the float32 step compared with what is reported."""
    t, model = sim.topology, sim.model
    rows = {name: np.array([float(x) for x in end[name]]) for name in state_rows(t)}
    velocity = (velocities_after_step(model, start, rows["v"], sim.dt) if t.fixed_base else
                spatial_velocities(model, rows))
    computed = {"joint_position": rows["q"], "joint_velocity": rows["v"][t.root_size:],
                "link_pose": world_link_poses(model, rows), "link_velocity": velocity}
    for quantity, values in computed.items():
        yield f"end: {quantity}" + (", reported, difference" if quantity in reported else "")
        for i, name in enumerate(model.dof_names if quantity.startswith("joint") else model.link_names):
            line = f"  {name}  {_numbers(np.atleast_1d(values[i]))}"
            if quantity in reported:
                expected = np.atleast_1d(reported[quantity][i]).copy()
                if quantity == "link_pose" and expected[3:] @ values[i][3:] < 0.0:
                    expected[3:] *= -1.0      # the same rotation
                line += f"   {_numbers(expected)}   {np.abs(np.atleast_1d(values[i]) - expected).max():.1e}"
            yield line
