"""`simulate` steps a stage in one call and returns the motion as a `Recording`. `start_values` reads its arguments by
joint name from a JSON file or command line options. `named_values` turns arrays or values by name into arrays of all
worlds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.arrays import Array
from physx_runtime.progress import task
from physx_runtime.simulation.arguments import require_recordable, required_count, required_numbers
from physx_runtime.simulation.contacts import NO_CONTACTS
from physx_runtime.simulation.island_group import SceneJoint
from physx_runtime.simulation.kinematic import KinematicBodies, KinematicMotion
from physx_runtime.simulation.recorder import Recorded, Recorder
from physx_runtime.simulation.recording import Recording
from physx_runtime.simulation.scene import Scene
from physx_runtime.simulation.simulation import Simulation
from physx_runtime.simulation.variation import Variation
from physx_runtime.worlds.store import AUTO
from physx_schema.arguments import listed, required_flag, required_instance, required_mapping, suggestion
from physx_schema.description.model import Description
from physx_schema.description.stages import StageSource
from physx_schema.files import read_text

DEGREES = "deg"
ARGUMENTS = ("joint_position", "joint_velocity", "joint_target", "joint_effort")
JointValues = dict[str, dict[str, float]]         # argument of `simulate` -> joint -> value


def start_values(file: Path | None, options: Mapping[str, Sequence[str]], joints: Sequence[str]) -> JointValues:
    """Return the arguments of `simulate` from a JSON file and from NAME=VALUE options, which override the file.

    The file holds {argument: {joint: value}}. A joint is named by its full name, or by the end of its path if that is
    unique. Values are in stage units with rad, or in degrees as in "30deg".

    Raises ValueError, in one line, for a wrong file, name or value, and OSError for a missing file.
    """
    from_file = _read(file) if file else {}
    texts = {argument: {**from_file.get(argument, {}), **dict(_split(argument, pairs))}
             for argument, pairs in {**dict.fromkeys(ARGUMENTS, ()), **options}.items()}
    return {argument: {_joint(name, joints): _number(argument, name, value) for name, value in pairs.items()}
            for argument, pairs in texts.items() if pairs}


def _read(file: Path) -> dict[str, dict[str, Any]]:
    try:
        data = json.loads(read_text(file))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file}: invalid JSON: {error}") from None
    if not isinstance(data, dict) or not all(isinstance(value, dict) for value in data.values()):
        raise ValueError(f"{file}: the format is wrong; write {{argument: {{joint: value}}}}, with the arguments "
                         f"{', '.join(ARGUMENTS)}")
    if unknown := sorted(set(data) - set(ARGUMENTS)):
        raise ValueError(f"{file}: {', '.join(unknown)} is not an argument; choose from {', '.join(ARGUMENTS)}")
    return data


def _split(argument: str, pairs: Iterable[str]) -> Iterable[tuple[str, str]]:
    for pair in pairs:
        name, equals, value = pair.rpartition("=")
        if not (name and equals):
            raise ValueError(f"{argument}: {pair!r} is not JOINT=VALUE; write for example knuckle=30deg")
        yield name, value


def _joint(name: str, joints: Sequence[str]) -> str:
    """The full name of a joint."""
    ending = [joint for joint in joints if joint == name or joint.endswith(f"/{name.lstrip('/')}")]
    if len(ending) == 1 or name in joints:
        return name if name in joints else ending[0]
    if ending:
        raise ValueError(f"{name} is ambiguous; it matches {' and '.join(ending)}; give more of the path")
    short = {joint.rpartition("/")[2]: joint for joint in joints}
    close = get_close_matches(name.rpartition("/")[2], list(short), 1)
    suggestion = f"did you mean {short[close[0]]}?" if close else f"joints are {', '.join(joints) or 'none'}"
    raise ValueError(f"{name} is not a simulated joint; {suggestion}")


def _number(argument: str, name: str, value: Any) -> float:
    text = str(value).strip()
    in_degrees = text.endswith(DEGREES)
    try:
        number = float(text.removesuffix(DEGREES))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{argument} of {name}: {text!r} is not a finite number; "
                         "write rad, length units, or degrees such as 30deg")
    return math.radians(number) if in_degrees else number


Values = ArrayLike | Mapping[str, ArrayLike]


@dataclass(frozen=True, slots=True)
class NamedValues:
    """Values in every world, and the mask of joints or links that have one."""

    values: NDArray[np.float64]     # (n_world, n, *item)
    mask: NDArray[np.bool_]        # (n,)

    def of(self, window: slice) -> NamedValues:
        """Those of some of the joints or links."""
        return NamedValues(self.values[:, window], self.mask[window])

    def merged_into(self, values: Array) -> NDArray[np.float64]:
        """Values held, (n_world, n, *item), with the given ones in their place."""
        out = values.astype(np.float64)
        out[:, self.mask] = self.values[:, self.mask]
        return out


def named_values(argument: str, argument_data: Values, names: Sequence[str], worlds: int, item: tuple[int, ...] = ()
                 ) -> NamedValues:
    """Return the values of an argument: (n, *item), (n_world, n, *item), or {name: item or (n_world, *item)}.

    Raises ValueError for arrays with a wrong shape and for unknown names.
    """
    shape = (len(names), *item)
    if not isinstance(argument_data, Mapping):
        array = _checked_array(argument, argument_data, shape, worlds)
        return NamedValues(np.broadcast_to(array, (worlds, *shape)), np.ones(len(names), dtype=np.bool_))
    unknown = sorted(set(required_mapping(argument, argument_data)) - set(names))
    if unknown:
        raise ValueError(f"{argument} names {listed(unknown)}; {suggestion(unknown[0], names, 'allowed are')}")
    values, mask = np.zeros((worlds, *shape)), np.array([name in argument_data for name in names], dtype=np.bool_)
    for name, value in argument_data.items():
        values[:, names.index(name)] = _checked_array(f"{argument} of {name}", value, item, worlds)
    return NamedValues(values, mask)


def _checked_array(name: str, value: ArrayLike, shape: tuple[int, ...], worlds: int) -> NDArray[np.float64]:
    """An array of one world's shape or of all worlds'."""
    array = required_numbers(name, value)
    if array.shape not in (shape, (worlds, *shape)):
        raise ValueError(f"{name} has shape {array.shape}; give {shape} or {(worlds, *shape)}")
    return array


def simulate(stage: StageSource | Description, dt: float = 1 / 60, steps: int = 600, worlds: int = 1,
             device: str = "cpu", dtype: str = "float32", solver: str = "physx", joint_position: Values | None = None,
             joint_velocity: Values | None = None, joint_effort: Values | None = None, every: int = 1,
             articulation: str | None = None, link_force: Values | None = None,
             link_torque: Values | None = None, path: str = AUTO,
             sleeping: bool = True, kinematic_target: Mapping[str, ArrayLike] | None = None,
             kinematic_pose: Mapping[str, ArrayLike] | None = None, joint_forces: bool = False,
             joint_target: Values | None = None, variation: Variation | None = None) -> Recording:
    """Step a stage in one call and return the motion as a `Recording`.

    All articulations and bodies are stepped together, as in `Scene`. With `articulation`, only this actor is stepped,
    as in `Simulation`. One state is recorded every `every` steps. The simulation ends with the last recorded state.

    Arguments for joints or links are arrays, or dictionaries {name: value} for some of the joints or links. To set a
    different value in each world, give an array with a first axis (n_world,). Joints and links are in the order of
    `Recording.joint_names` and `Recording.link_names`. Angles are in radians, lengths in stage units.

    Example::

        recording = physx_runtime.simulate("hand.usda", steps=240, joint_position={"/Hand/knuckle": 0.5})
        recording.joint_position[-1, 0]     # the final joint positions of world 0

    Args:
        stage: A stage, a file or a Description.
        dt: Time step in seconds.
        joint_position: Initial positions, (n_dof,) or (n_world, n_dof); None is the authored state.
        joint_velocity: Initial velocities, with the shapes of `joint_position`.
        joint_effort: Forces or torques, (n_dof,) or (n_world, n_dof), written before every step. They keep actors
            awake.
        joint_target: Target positions of drives, (n_dof,) or (n_world, n_dof); None is the authored target.
        link_force: Constant forces at the centres of mass, world axes, (n_link, 3) or (n_world, n_link, 3).
        link_torque: Constant torques, with the shapes of `link_force`.
        kinematic_target: {body path: poses after each step}, (n_step, 7) or (n_step, n_world, 7). The body moves from
            pose to pose with the corresponding velocity. Kinematic bodies without target follow their time samples.
        kinematic_pose: {body path: poses before each step}; the body jumps to each pose without a velocity.
        path: Code that steps each actor; the choices are those of `path` of `Simulation`.
        joint_forces: Whether to record forces of joints outside articulations in `Recording.maximal_joint_force`.
        variation: Random parameters for all worlds except the first. It replaces `worlds`.

    Raises:
        UnreadableError: The file is not a stage.
        UnsupportedError: The stage has no moving body, or it has physics that the step does not support.
        ValueError: An argument is out of range, an array has a wrong shape, or a name is not simulated.
    """
    # a recording has its own limit of steps
    steps, every = required_count("steps", steps, 0, math.inf), required_count("every", every, 1, math.inf)
    required_flag("joint_forces", joint_forces)
    if variation is not None:
        required_instance("variation", variation, Variation, "give a Variation, or read_variation(file)")
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
    for actor, values in _of_joints(actors, "joint_target", joint_target):
        actor.set_parameter("target_position", values.merged_into(actor.parameter("target_position")))
    _set_link_forces(actors, {"link_force": link_force, "link_torque": link_torque})
    efforts = _of_joints(actors, "joint_effort", joint_effort)
    motions = [KinematicMotion(kinematic, argument, poses, steps) for argument, poses in (
        ("kinematic_target", kinematic_target), ("kinematic_pose", kinematic_pose)) if poses is not None]
    recorder = Recorder(actors, kinematic, _joints(run, joint_forces), joint_forces,
                        lambda: (run.contacts, run.contact_events, run.trigger_events) if isinstance(run, Scene)
                        else (NO_CONTACTS, (), ()))
    require_recordable(steps, every, recorder.size)
    with task("step", steps) as stepping:
        for record in range(steps // every):
            _advance(run, range(record * every, (record + 1) * every - 1), efforts, motions)
            recorder.record_before_step()
            _advance(run, range((record + 1) * every - 1, (record + 1) * every), efforts, motions)
            recorder.record()
            stepping.done += every
    return recorder.recording(run.dt * every, run.not_simulated)


def _joints(run: Simulation | Scene, forces: bool) -> list[SceneJoint]:
    """The joints outside articulations, which keep their forces from now on where these are asked for."""
    if not isinstance(run, Scene):
        return []
    if forces:
        run.enable_joint_forces()
    return [run.joint(path) for path in run.joints]


def _start(actors: Sequence[Recorded], position: Values | None, velocity: Values | None) -> None:
    """Set the given joint positions and velocities at the start."""
    for actor, values in _of_joints(actors, "joint_position", position):
        actor.set("q", values.merged_into(actor.get("q")))
    for actor, values in _of_joints(actors, "joint_velocity", velocity):
        v, root = actor.get("v"), actor.topology.root_size
        actor.set("v", np.concatenate([v[:, :root], values.merged_into(v[:, root:])], axis=1))


def _set_link_forces(actors: Sequence[Recorded], link_forces: Mapping[str, Values | None]) -> None:
    """Apply forces and torques at links from now on."""
    for row, argument in link_forces.items():
        names = [actor.model.link_names for actor in actors]
        for actor, split in _split_by_actor(actors, row, argument, names, (3,)):
            links = split.merged_into(np.zeros((actor.worlds, len(actor.model.link_names), 3)))
            actor.set(row, links.reshape(actor.worlds, -1))


def _of_joints(actors: Sequence[Recorded], argument: str, values: Values | None) -> list[tuple[Recorded, NamedValues]]:
    return list(_split_by_actor(actors, argument, values, [actor.model.dof_names for actor in actors], ()))


def _split_by_actor(actors: Sequence[Recorded], argument: str, values: Values | None, names: Sequence[tuple[str, ...]],
                    item: tuple[int, ...]) -> Iterator[tuple[Recorded, NamedValues]]:
    """What an argument gives for each actor's own `names`; actors that get nothing are left out."""
    if values is None:
        return
    all_values = named_values(argument, values, list(chain.from_iterable(names)), actors[0].worlds, item)
    first = 0
    for actor, actor_names in zip(actors, names, strict=True):
        part = all_values.of(slice(first, first + len(actor_names)))
        first += len(actor_names)
        if part.mask.any():
            yield actor, part


def _advance(run: Simulation | Scene, steps: range, efforts: Sequence[tuple[Recorded, NamedValues]],
             motions: Sequence[KinematicMotion]) -> None:
    """Take steps; before each, write efforts and set targets or poses of kinematic bodies."""
    if not efforts and not motions:
        run.step(len(steps))
        return
    for step in steps:
        for actor, values in efforts:
            actor.set("joint_effort", values.merged_into(actor.get("joint_effort")))
        for motion in motions:
            motion.before_step(step)
        run.step()
