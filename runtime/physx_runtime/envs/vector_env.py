"""`VectorEnv` makes the worlds of a `Scene` an environment of Gymnasium: observations, rewards and resets are functions
over arrays of all worlds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike

from physx_runtime.arrays import Array, DeviceValues, Flags, Indices
from physx_runtime.envs.action_map import ActionMap, Bounds
from physx_runtime.envs.array_kinds import array_kind
from physx_runtime.envs.episode_film import EpisodeFilm
from physx_runtime.envs.episode_parameters import EpisodeParameters
from physx_runtime.envs.world_random import WorldRandom
from physx_runtime.simulation.arguments import required_count
from physx_runtime.simulation.parameters import world_indices
from physx_runtime.simulation.scene import Scene
from physx_runtime.simulation.scene_actor import SceneActor
from physx_runtime.simulation.variation import Spread
from physx_schema.arguments import (
    display,
    required_instance,
    required_mapping,
    required_text,
    required_texts,
    suggestion,
)
from physx_schema.description import describe
from physx_schema.description.model import Description

Info: TypeAlias = dict[str, object]
Step: TypeAlias = tuple[DeviceValues, DeviceValues, DeviceValues, DeviceValues, Info]
JOINT_STATE = ("joint_position", "joint_velocity")
QUANTITIES = (*JOINT_STATE, "link_pose", "link_velocity", "contact_force")    # besides the rows of the robot


class VectorEnv(gymnasium.vector.VectorEnv[DeviceValues, DeviceValues, DeviceValues]):
    """Worlds of a stage as a `gymnasium.vector.VectorEnv`, with all contacts and joints of the stage.

    A world ends an episode if `done` marks it, if it diverges, or after `max_episode_steps`. The same call of `step`
    then starts its next episode (autoreset mode SAME_STEP). `info["final_obs"]` has the last observations, and the
    mask `info["_final_obs"]` marks the worlds that ended.

    Functions get the environment. They read arrays with `read`, and find `robot`, `scene`, `action` and
    `episode_steps` (the number of actions since the start of each world's episode).

    Example::

        env = physx_runtime.envs.VectorEnv(
            "cart_pole.usda", worlds=4096, joints=["slider"], action_range=(-10, 10), max_episode_steps=500,
            reward=lambda env: np.ones(env.num_envs),
            done=lambda env: np.abs(env.read("joint_position")[:, 1]) > 0.2)

    Args:
        stage: A stage, a file or a Description.
        worlds: Number of worlds, `num_envs` in Gymnasium.
        reward: Function of the environment that returns the reward of each world, (n_world,).
        done: Function that returns a mask (n_world,) of the worlds that end their episode; None if no world does.
        observe: Names for `read`, of which the values are joined, or a function that returns (n_world, n).
        act: The row that actions set: joint_effort, target_position or target_velocity.
        action_range: Lowest and highest action, numbers or (n_action,). Actions outside are clipped. None takes the
            authored limits of effort or position.
        joints: Joint axes that actions drive, by path or the end of a path; None takes all of the robot.
        robot: Prim path of the robot; required if the stage has several articulations.
        steps_per_action: Steps of dt for each action.
        max_episode_steps: Number of actions after which an episode is truncated; None for no limit.
        start: Function of the environment, the indices of worlds and their `WorldRandom`. It changes the authored
            state at the start of an episode, for example with `env.robot.reset(worlds, joint_position=...)`.
        randomize: Bounds of parameters by name. Each episode draws new values of these parameters.
        arrays: "numpy", or "torch" for tensors that share memory with the simulation's arrays.
        seed: Seed of all random numbers until `reset` gets another seed.
        dt: Time step in seconds.
        device: "cpu", "cuda" or "auto".
        dtype: "float32" or "float64".
        solver: As in `Simulation`.

    Raises:
        UnreadableError: The file is not a stage.
        UnsupportedError: The stage has physics that the step does not support, or a package is missing.
        ValueError: An argument is out of range, or a function returns a wrong shape.
    """

    metadata: Info = {      # noqa: RUF012, which Gymnasium declares so
        "autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}

    def __init__(self, stage: object, worlds: int = 1, *, reward: Callable[[VectorEnv], DeviceValues],
                 done: Callable[[VectorEnv], DeviceValues] | None = None,
                 observe: Sequence[str] | Callable[[VectorEnv], DeviceValues] = JOINT_STATE, act: str = "joint_effort",
                 action_range: Bounds | None = None, joints: Sequence[str] | None = None, robot: str | None = None,
                 steps_per_action: int = 1, max_episode_steps: int | None = None,
                 start: Callable[[VectorEnv, Indices, WorldRandom], None] | None = None,
                 randomize: Mapping[str, Spread] | None = None, arrays: str = "numpy", seed: int = 0,
                 dt: float = 1 / 60, device: str = "cpu", dtype: str = "float32", solver: str = "physx") -> None:
        self._stage, self._description = stage, stage if isinstance(stage, Description) else describe(stage)
        self.scene = Scene(self._description, worlds, dt=dt, device=device, dtype=dtype, solver=solver)
        self.robot = _robot(self.scene, robot)
        self.num_envs = self.scene.worlds
        self._arrays = array_kind(arrays, "cpu" if self.robot.store.is_host_memory else "cuda")
        self._actions = ActionMap(self.robot, act, joints, action_range)
        self._parameters = EpisodeParameters(self.scene, {} if randomize is None else _spreads(randomize))
        for name, function in (("reward", reward), ("done", done), ("start", start)):
            if not (callable(function) or (function is None and name != "reward")):
                raise ValueError(f"{name} is {display(function)}; give a function")
        self._reward, self._done, self._start = reward, done, start
        self._observed = observe if callable(observe) else required_texts("observe", observe)
        self.steps_per_action = required_count("steps_per_action", steps_per_action, 1)
        self.max_episode_steps = None if max_episode_steps is None else required_count(
            "max_episode_steps", max_episode_steps, 1)
        self.seed = required_count("seed", seed, 0)
        self.action = self._arrays.from_numpy(np.zeros((self.num_envs, len(self._actions.joints)), dtype))
        self.episode_steps, self.episodes = (np.zeros(self.num_envs, np.int64) for _ in range(2))
        self._films: list[EpisodeFilm] = []
        self.single_action_space = Box(self._actions.low, self._actions.high, dtype=self._actions.low.dtype.type)
        self.observation_size = int(self._observation().shape[1])
        self.single_observation_space = Box(-np.inf, np.inf, (self.observation_size,), self._actions.low.dtype.type)
        self.action_space, self.observation_space = (
            batch_space(space, self.num_envs) for space in (self.single_action_space, self.single_observation_space))

    def __repr__(self) -> str:
        return (f"VectorEnv({self.robot.model.actor.path!r}, worlds={self.num_envs}, "
                f"observations={self.observation_size}, actions={len(self._actions.joints)})")

    @property
    def action_joints(self) -> tuple[str, ...]:
        """The joint axes that an action drives, (n_action,)."""
        return self._actions.joints

    def read(self, name: str) -> DeviceValues:
        """Return a quantity of the robot in every world, (n_world, ...), as an array or a tensor.

        Quantities are joint_position, joint_velocity, link_pose (n_world, n_link, 7) and link_velocity (n_world,
        n_link, 6). The contact_force on each link is (n_world, n_link, 3). The rows and the parameters of the robot
        are quantities too. Raises ValueError for another name.
        """
        robot = self.robot
        if required_text("name", name) == "joint_position":
            return self._arrays.read_row(robot, "q")
        if name == "joint_velocity":
            return self._arrays.read_row(robot, "v")[:, robot.topology.root_size:]
        if name == "contact_force":
            return self._arrays.from_numpy(self.scene.net_contact_force(robot.model.link_names).astype(robot.dtype))
        if name in QUANTITIES:
            return self._arrays.from_numpy(getattr(robot, name))
        if name in robot.parameters:
            return self._arrays.from_numpy(robot.parameter(name))
        if name not in robot.model.settable:
            names = sorted({*QUANTITIES, *robot.parameters, *robot.model.settable})
            raise ValueError(f"{display(name)} is not a quantity of this robot; {suggestion(name, names)}")
        return self._arrays.read_row(robot, name)

    # --- Gymnasium ---------------------------------------------------------------------------------------------------

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[DeviceValues, Info]:
        """Start new episodes, and return the observations and an empty dictionary.

        Args:
            seed: New seed of all random numbers; the count of episodes starts again.
            options: {"reset_mask": mask (n_world,)} starts new episodes in these worlds only.

        Raises:
            ValueError: An option is unknown, or the seed is not a whole number of at least 0.
        """
        options = {} if options is None else dict(required_mapping("options", options))
        unknown = sorted(options.keys() - {"reset_mask"})
        if unknown:
            raise ValueError(f"{', '.join(unknown)} is not an option of reset; allowed is reset_mask")
        if seed is not None:
            self.seed = required_count("seed", seed, 0)
            self.episodes[:] = 0
        mask = options.get("reset_mask")
        self._begin(world_indices(None if mask is None else self._arrays.to_numpy(mask), self.num_envs))
        return self._observation(), {}

    def step(self, actions: DeviceValues) -> Step:
        """Act in every world, and return observations, rewards, terminations, truncations and infos.

        Args:
            actions: (n_world, n_action); values outside `action_range` are clipped.

        Raises:
            ValueError: The actions have a wrong shape or are not finite, or a function returns a wrong shape.
        """
        self.action = self._arrays.from_numpy(self._actions.apply(self.robot, self._checked_actions(actions)))
        self.scene.step(self.steps_per_action)
        self.episode_steps += 1
        for film in self._films:
            film.record()
        observation, reward = self._observation(), self._of_worlds("reward", self._reward(self))
        done = np.zeros(self.num_envs, np.bool_) if self._done is None else self._mask("done", self._done(self))
        terminated = done | self.scene.diverged
        truncated = (~terminated & (self.episode_steps >= self.max_episode_steps) if self.max_episode_steps is not None
                     else np.zeros_like(terminated))
        ended, info = terminated | truncated, Info()
        if ended.any():
            info = {"final_obs": observation, "_final_obs": ended}
            self._begin(np.flatnonzero(ended))
            observation = self._observation()
        return observation, reward, self._arrays.from_numpy(terminated), self._arrays.from_numpy(truncated), info

    def film(self, worlds: ArrayLike) -> EpisodeFilm:
        """Record these worlds from now on; `EpisodeFilm.write` writes a film of one of them.

        Raises ValueError for an index that is not a world.
        """
        film = EpisodeFilm(self._stage, self._description, self.scene, world_indices(worlds, self.num_envs),
                           self.scene.dt * self.steps_per_action)
        self._films.append(film)
        return film

    def close_extras(self, **kwargs: object) -> None:
        """End the recording of films."""
        self._films.clear()

    # --- episodes ----------------------------------------------------------------------------------------------------

    def _begin(self, worlds: Indices) -> None:
        """Start new episodes in worlds with these indices."""
        random = WorldRandom(self.seed, worlds, self.episodes[worlds])
        self.episodes[worlds] += 1
        self.episode_steps[worlds] = 0
        self._actions.clear(self.robot, worlds)
        self._parameters.draw(worlds, random)
        self.scene.reset(worlds)
        if self._start is not None:
            self._start(self, worlds, random)

    # --- what functions and callers give -----------------------------------------------------------------------------

    def _observation(self) -> DeviceValues:
        """The observations of all worlds, (n_world, n)."""
        if callable(self._observed):
            values = self._observed(self)
            if len(values.shape) != 2 or values.shape[0] != self.num_envs:
                raise ValueError(f"observe returns the shape {tuple(values.shape)}; return ({self.num_envs}, n)")
            return values
        parts = [self.read(name).reshape(self.num_envs, -1) for name in self._observed]
        return self._arrays.joined(parts)

    def _checked_actions(self, actions: DeviceValues) -> Array:
        array, shape = self._arrays.to_numpy(actions), (self.num_envs, len(self._actions.joints))
        if array.dtype.kind not in "fiu" or array.shape != shape:
            raise ValueError(f"actions have the shape {array.shape} and the type {array.dtype}; give numbers of the "
                             f"shape {shape}")
        if not np.isfinite(array).all():
            world, column = np.argwhere(~np.isfinite(array))[0]
            raise ValueError(f"the action of world {world} at {self._actions.joints[column]} is "
                             f"{array[world, column]:g}; give finite numbers")
        return array

    def _of_worlds(self, name: str, values: DeviceValues) -> DeviceValues:
        if tuple(getattr(values, "shape", ())) != (self.num_envs,):
            raise ValueError(f"{name} returns the shape {tuple(getattr(values, 'shape', ()))}; return "
                             f"({self.num_envs},)")
        return values

    def _mask(self, name: str, values: DeviceValues) -> Flags:
        mask = self._arrays.to_numpy(self._of_worlds(name, values))
        if mask.dtype != np.bool_:
            raise ValueError(f"{name} returns the type {mask.dtype}; return a mask of bool")
        return mask


def _spreads(randomize: Mapping[str, Spread]) -> Mapping[str, Spread]:
    """The bounds of parameters. Raises ValueError for anything else."""
    for name, spread in required_mapping("randomize", randomize).items():
        required_instance(f"randomize[{name!r}]", spread, Spread, "give a Spread")
    return randomize


def _robot(scene: Scene, path: str | None) -> SceneActor:
    """The actor of this path, or the only articulation of the scene."""
    if path is not None:
        return scene[path]
    articulations = [name for name in scene.actors if scene[name].model.dof_names]
    if len(articulations) != 1:
        raise ValueError(f"the stage has {len(articulations)} actors with joints; give robot=, one of "
                         f"{', '.join(articulations or scene.actors)}")
    return scene[articulations[0]]
