"""Calls of every public function and method with arguments by chance: each works, or is refused in one line.

A call follows from its number. An error is ours where its last frame is a `raise` statement of this project; Python's
own is right for an unknown or missing argument alone, of which there are none here.
"""

from __future__ import annotations

import inspect
import io
import linecache
import random
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, redirect_stderr
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import physx_runtime
from physx_runtime.envs import VectorEnv
from pxr import Usd

import physx_schema
from physx_schema import authoring
from physx_schema.errors import PhysxSchemaError
from support.fuzzing.python_arguments import (
    ACTORS,
    JOINTS,
    RIGHT,
    WORLDS,
    WRONG,
    new_stage,
    right,
    shared_stage,
)
from support.fuzzing.spoiling import require_line
from support.places import ROOT

PACKAGES = tuple(str(ROOT / part) for part in ("runtime", "physx_schema", "generated", "codegen"))
LIFETIME = 60           # calls after which objects are made anew
INTERNAL = {            # for this project's own modules, which give them what is right
    "adapt_model", "batch_indices", "group_was_reset", "model_of_worlds", "repack", "use_store", "watch", "of",
    "buffer", "require_outputs", "selected_indices", "only", "scene_of", "continue_from", "go_on", "give", "alike",
    "keep_joint_forces", "equivalent_rows", "iterations", "close", "standalone", "first", "apply"}
ALIVE: deque[Usd.Stage] = deque(maxlen=8)       # stages of which prims were given
KEYWORDS = ("armature", "frictionType", "maxJointVelocity", "spam", "stiffness", "gearing", "enableCCD",
            "maxBiasCoefficient")       # of generated classes
SLOW = ("verify", "tune", "check")      # seconds, where the arguments are right


@dataclass(frozen=True)
class Target:
    """A public function or method."""

    name: str
    owner: str                  # the object whose method it is, "" for a function
    function: Callable[..., Any]

    def bound(self, objects: dict[str, Any]) -> Callable[..., Any]:
        """What is called."""
        if not self.owner:
            return self.function
        method = getattr(objects[self.owner], self.name.rpartition(".")[2])
        assert callable(method)
        return method


def subjects() -> dict[str, Any]:
    """An object of every class with methods."""
    stage = shared_stage()
    scene = physx_runtime.Scene(stage, worlds=WORLDS)
    actor = scene[ACTORS[0]]
    return {"Simulation": physx_runtime.Simulation(stage, worlds=WORLDS, articulation="/Robot"), "Scene": scene,
            "SceneActor": actor, "SceneJoint": scene.joint(scene.joints[0]), "Dynamics": actor.dynamics,
            "VectorEnv": new_environment(),
            "Session": physx_runtime.Session(new_stage()),
            "Recording": physx_runtime.simulate(stage, steps=2, worlds=2),
            "Direct": physx_runtime.Simulation(stage, worlds=WORLDS, articulation="/Robot").direct,
            "Report": physx_schema.check(stage), "Parameter": actor.parameters["mass"]}


def new_environment() -> VectorEnv:
    """An environment of the arm."""
    return VectorEnv(shared_stage(), worlds=WORLDS, reward=lambda env: np.ones(env.num_envs), robot=ACTORS[0],
                     action_range=(-1.0, 1.0))


def targets(objects: dict[str, Any]) -> list[Target]:
    """Every public function, class and method that takes arguments."""
    found = [Target(name, "", getattr(module, name)) for module in (physx_runtime, physx_schema, authoring)
             for name in sorted(module.__all__) if _is_called(name, getattr(module, name))]
    found += [Target(f"{cls}.{method}", "", getattr(getattr(physx_schema, cls), method))
              for cls in ("PhysxJointAxisAPI", "PhysxSceneAPI", "PhysxTendonAxisRootAPI", "PhysxPhysicsMimicJointAPI")
              if hasattr(physx_schema, cls) for method in ("Apply", "Get")]
    found.append(Target("PhysxSceneAPI.set", "", lambda **values: physx_schema.PhysxSceneAPI.Apply(
        prim_of_new_stage("/scene")).set(**values)))
    for owner, thing in objects.items():
        found += [Target(f"{owner}.{name}", owner, member) for name, member in inspect.getmembers(type(thing))
                  if not name.startswith("_") and name not in INTERNAL and inspect.isroutine(member)
                  and member.__module__.startswith("physx_")]
    found.append(Target("VectorEnv", "", VectorEnv))
    found.append(Target("Scene.__getitem__", "Scene", physx_runtime.Scene.__getitem__))
    return [target for target in found if target.name == "PhysxSceneAPI.set" or parameters(target)]


def _is_called(name: str, value: Any) -> bool:
    """Whether a public name is a function, or a class of ours that users make."""
    if isinstance(value, type):
        return name in ("Ball", "Block", "Direct", "Scene", "Session", "Simulation", "Spread", "Variation",
                        "Attachment", "Axis")
    return inspect.isfunction(value)


def parameters(target: Target) -> list[inspect.Parameter]:
    """Its parameters, without `self`."""
    signature = inspect.signature(target.function)
    return [each for each in signature.parameters.values() if each.name != "self"]


def arguments(target: Target, rng: random.Random) -> tuple[list[Any], dict[str, Any]]:
    """Positional and keyword arguments, each right or wrong; what takes long mostly has one that is wrong."""
    every, share = parameters(target), rng.choice((0.0, 0.7, 0.9, 0.9))
    wrong = rng.choice(every).name if target.name in SLOW and rng.random() < 0.9 else ""
    positional, keywords = list[Any](), dict[str, Any]()
    for parameter in every:
        if parameter.kind is parameter.VAR_KEYWORD:
            keywords |= {name: rng.choice(WRONG)() for name in rng.sample(KEYWORDS, 2)}
            continue
        is_optional = parameter.default is not parameter.empty and parameter.kind is not parameter.POSITIONAL_ONLY
        if parameter.kind is parameter.VAR_POSITIONAL or (
                is_optional and parameter.name != wrong and rng.random() < 0.6):
            continue
        value = argument(target, parameter.name, 0.0 if parameter.name == wrong else share, rng)
        if parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(value)
        else:
            keywords[parameter.name] = value
    return positional, keywords


def argument(target: Target, name: str, share: float, rng: random.Random) -> Any:
    """One argument; functions that write get a stage of their own."""
    if rng.random() >= share or name not in RIGHT:
        return rng.choice(WRONG)()
    if target.function.__module__.startswith(("physx_schema.authoring", "physx_generated")):
        if name == "stage":
            return new_stage()
        if name in ("joint", "prim"):
            return prim_of_new_stage(rng.choice((*JOINTS, "/Robot", "/scene")))
    if name == "worlds" and not target.owner:
        return rng.choice((1, 2))
    if name == "name" and target.owner in ("SceneJoint", "Parameter"):
        return "break_force"
    return right(name, rng)


def prim_of_new_stage(path: str) -> Usd.Prim:
    """A prim on a stage that stays open for some calls."""
    ALIVE.append(new_stage())
    return ALIVE[-1].GetPrimAtPath(path)


@dataclass(frozen=True)
class Call:
    """A call, and the fault of its answer, "" where there is none."""

    number: int
    text: str
    error: BaseException | None
    fault: str


def calls(first: int, count: int) -> Iterator[Call]:
    """Calls with these numbers, and how each ended."""
    objects: dict[str, Any] = {}
    every: list[Target] = []
    for number in range(first, first + count):
        rng = random.Random(number)
        if number % LIFETIME == 0 or not objects:
            if "Session" in objects:
                objects["Session"].close()
            objects = quietly(subjects)
            every = every or targets(objects)
        target = every[number % len(every)]
        positional, keywords = arguments(target, rng)
        text = f"{target.name}{positional or ''}({', '.join(f'{k}={shown(v)}' for k, v in keywords.items())})"
        error = quietly(lambda: ended(target, objects, positional, keywords))   # noqa: B023 - called at once
        yield Call(number, text, error, "" if error is None else fault(error))


def quietly(act: Callable[[], Any]) -> Any:
    """What an act returns; what it warns of is not shown."""
    with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        return act()


def ended(target: Target, objects: dict[str, Any], positional: list[Any], keywords: dict[str, Any]
          ) -> BaseException | None:
    """The error of a call, None where it has none."""
    try:
        answer = target.bound(objects)(*positional, **keywords)
        if isinstance(answer, AbstractContextManager) and not isinstance(answer, Usd.SchemaBase):
            with answer:
                pass
    except Exception as error:      # which error it is, is the question
        return error
    return None


def fault(error: BaseException) -> str:
    """Why an error is not an answer of ours, "" where it is."""
    file, line = raised_at(error.__traceback__)
    statement = linecache.getline(file, line).strip()
    if not file.startswith(PACKAGES) or not statement.startswith("raise "):
        return f"not raised here: {type(error).__name__} at {Path(file).name}:{line} {statement}"
    try:
        if isinstance(error, PhysxSchemaError):         # a line for each problem
            for message in str(error).splitlines():
                require_line(ValueError(message))
        else:
            require_line(error)         # type: ignore[arg-type]
    except AssertionError as wrong:
        return f"{wrong} at {Path(file).name}:{line}"
    return ""


def raised_at(trace: TracebackType | None) -> tuple[str, int]:
    """File and line of the last frame."""
    assert trace is not None
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_filename, trace.tb_lineno


def shown(value: Any) -> str:
    """An argument, short."""
    return " ".join(repr(value)[:80].split())
