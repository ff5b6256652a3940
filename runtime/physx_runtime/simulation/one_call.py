"""Simulate a stage in one call and record its motion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from physx_runtime.simulation.arguments import require_recordable
from physx_runtime.simulation.articulation import Simulation
from physx_runtime.simulation.contacts import NO_CONTACTS
from physx_runtime.simulation.given_values import GivenValues, Values, given_values
from physx_runtime.simulation.kinematic import KinematicBodies, KinematicMotion
from physx_runtime.simulation.recorder import Recorded, Recorder
from physx_runtime.simulation.recording import Recording
from physx_runtime.simulation.scene import Scene
from physx_runtime.simulation.scene_joint import SceneJoint
from physx_runtime.simulation.variation import Variation
from physx_runtime.worlds.path import AUTO


def simulate(stage: Any | str | Path, dt: float = 1 / 60, steps: int = 600, worlds: int = 1, device: str = "cpu",
             dtype: str = "float32", solver: str = "physx", joint_position: Values | None = None,
             joint_velocity: Values | None = None, joint_effort: Values | None = None, every: int = 1,
             articulation: str | None = None, link_force: Values | None = None,
             link_torque: Values | None = None, path: str = AUTO,
             sleeping: bool = True, kinematic_target: Mapping[str, ArrayLike] | None = None,
             kinematic_pose: Mapping[str, ArrayLike] | None = None, joint_forces: bool = False,
             joint_target: Values | None = None, variation: Variation | None = None) -> Recording:
    """Step a stage and record every `every`-th state; steps beyond the last such state are not taken.

    Everything that moves is stepped together, as by `Scene`; with `articulation`, the prim path of one articulation or
    free body, that one by itself, as by `Simulation`.
    joint_position, joint_velocity: (n_dof,) or (n_world, n_dof) at the start, the authored state where None.
    joint_target: (n_dof,) or (n_world, n_dof) positions that drives hold, the authored targets where None.
    joint_effort: (n_dof,) or (n_world, n_dof) force or torque, written before every step, so that its actors do not
    sleep.
    link_force, link_torque: (n_link, 3) or (n_world, n_link, 3) at the centres of mass, world axes, held throughout.
    All of these may be {joint or link name: value, or a value for each world} instead, for those that are named.
    kinematic_target: {body path: (n_step, 7) or (n_step, n_world, 7)} where kinematic bodies are after each step, to
    which they move with a velocity; kinematic_pose likewise, where they are put before each step, without a velocity;
    the others follow their time samples.
    joint_forces: whether to record what joints outside articulations gave, `Recording.outside_joint_force`.
    variation: parameters drawn for every world but the first, whose number it says instead of `worlds`.
    path: the code that steps, one for the whole run; "auto" chooses by the structure (docs/batches.md).
    dt [s]; the orders of dofs and links are `Recording.joint_names` and `link_names`. Raises as `Scene` and
    `Simulation`, and ValueError for arrays that do not fit and names that are not simulated.
    """
    if steps < 0 or every < 1:
        raise ValueError(f"steps is {steps} and every is {every}; give at least 0 and 1")
    worlds = variation.worlds if variation else worlds
    run: Simulation | Scene
    actors: list[Recorded]
    if articulation is None:
        run = Scene(stage, worlds, dt=dt, device=device, dtype=dtype, solver=solver, path=path, sleeping=sleeping)
        actors, kinematic = [run[name] for name in run.actors], run.kinematic
    else:
        run = Simulation(stage, worlds, dt=dt, device=device, dtype=dtype, solver=solver, articulation=articulation,
                         path=path, sleeping=sleeping)
        actors, kinematic = [run], KinematicBodies((), run.worlds)
    if variation:
        variation.apply(actors)
    _start(actors, joint_position, joint_velocity)
    for actor, given in _of_joints(actors, "joint_target", joint_target):
        actor.set_parameter("target_position", given.into(actor.parameter("target_position")))
    _push(actors, {"link_force": link_force, "link_torque": link_torque})
    efforts = _of_joints(actors, "joint_effort", joint_effort)
    moved = [KinematicMotion(kinematic, argument, poses, steps) for argument, poses in (
        ("kinematic_target", kinematic_target), ("kinematic_pose", kinematic_pose)) if poses]
    recorder = Recorder(actors, kinematic, _joints(run, joint_forces), joint_forces,
                        lambda: (run.contacts, run.contact_events, run.trigger_events) if isinstance(run, Scene)
                        else (NO_CONTACTS, (), ()))
    require_recordable(steps, every, recorder.size)
    for record in range(steps // every):
        _advance(run, range(record * every, (record + 1) * every - 1), efforts, moved)
        recorder.take_before()
        _advance(run, range((record + 1) * every - 1, (record + 1) * every), efforts, moved)
        recorder.take()
    return recorder.recording(run.dt * every, run.not_simulated)


def _joints(run: Simulation | Scene, forces: bool) -> list[SceneJoint]:
    """The joints outside articulations, which keep their forces from now on where these are asked for."""
    if not isinstance(run, Scene):
        return []
    if forces:
        run.keep_joint_forces()
    return [run.joint(path) for path in run.joints]


def _start(actors: Sequence[Recorded], position: Values | None, velocity: Values | None) -> None:
    """Put joints where they are given to start."""
    for actor, given in _of_joints(actors, "joint_position", position):
        actor.set("q", given.into(actor.get("q")))
    for actor, given in _of_joints(actors, "joint_velocity", velocity):
        v, root = actor.get("v"), actor.topology.root_size
        actor.set("v", np.concatenate([v[:, :root], given.into(v[:, root:])], axis=1))


def _push(actors: Sequence[Recorded], pushes: Mapping[str, Values | None]) -> None:
    """Apply forces and torques at links from now on."""
    for row, values in pushes.items():
        names = [actor.model.link_names for actor in actors]
        for actor, given in _shares(actors, row, values, names, (3,)):
            links = given.into(np.zeros((actor.worlds, len(actor.model.link_names), 3)))
            actor.set(row, links.reshape(actor.worlds, -1))


def _of_joints(actors: Sequence[Recorded], argument: str, values: Values | None) -> list[tuple[Recorded, GivenValues]]:
    return list(_shares(actors, argument, values, [actor.model.dof_names for actor in actors], ()))


def _shares(actors: Sequence[Recorded], argument: str, values: Values | None, names: Sequence[tuple[str, ...]],
            item: tuple[int, ...]) -> Iterator[tuple[Recorded, GivenValues]]:
    """What an argument gives for each actor's own `names`; actors that get nothing are left out."""
    if values is None:
        return
    given = given_values(argument, values, list(chain.from_iterable(names)), actors[0].worlds, item)
    first = 0
    for actor, own in zip(actors, names, strict=True):
        share = given.of(slice(first, first + len(own)))
        first += len(own)
        if share.named.any():
            yield actor, share


def _advance(run: Simulation | Scene, steps: range, efforts: Sequence[tuple[Recorded, GivenValues]],
             moved: Sequence[KinematicMotion]) -> None:
    """Take steps, before each of which efforts are written and kinematic bodies sent or put somewhere."""
    if not efforts and not moved:
        run.step(len(steps))
        return
    for step in steps:
        for actor, given in efforts:
            actor.set("joint_effort", given.into(actor.get("joint_effort")))
        for motion in moved:
            motion.before_step(step)
        run.step()
