"""`read_configuration` finds the robot, its simulation and its decimation in a configuration file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from physx_runtime.isaac_lab.modules import Module, Reader, Statements
from physx_runtime.isaac_lab.values import ConfigClass, ConfigObject, Data, NotEvaluated
from physx_runtime.isaac_lab.yaml_files import read_yaml
from physx_schema.arguments import display, listed, suggestion
from physx_schema.errors import UnreadableError

ARTICULATION = "ArticulationCfg"
MAX_DEPTH = 4               # fields between an environment and its robot: env.scene.robot
_NAME = re.compile(r"[A-Za-z_][\w.]*")
# What only the third release of Isaac Lab has: fields, and classes of one schema each.
_FIELDS_OF_3 = frozenset({"joint_effort_limit", "joint_velocity_limit", "actuator_effort_limit",
                          "actuator_velocity_limit", "joint_ordering"})
_CLASSES_OF_3 = frozenset({"PhysxRigidBodyCfg", "PhysxArticulationCfg", "UsdPhysicsRigidBodyCfg", "PhysxCollisionCfg",
                           "UsdPhysicsCollisionCfg", "MassCfg", "UsdPhysicsDriveCfg", "PhysxJointCfg",
                           "NewtonArticulationCfg"})
RELEASES = ("2.3.2", "3.0.0")       # the releases whose rules are known


@dataclass(frozen=True, slots=True)
class Configuration:
    """A robot of a configuration, with the simulation that steps it."""

    source: str                         # the file and the name in it: "my_cfg.py:MY_ROBOT_CFG"
    robot: ConfigObject
    simulation: ConfigObject | None     # None where the configuration is of a robot alone
    decimation: object                  # steps of an action; None where the configuration gives none
    release: str                        # of Isaac Lab, whose rules hold
    unresolved: tuple[NotEvaluated, ...]    # statements on physics that are not evaluated


def read_configuration(source: str | Path) -> Configuration:
    """The robot that a configuration file gives. source: a .py or .yaml file, with ":NAME" where it has several robots.

    A name may have dots: "my_env_cfg.py:MyEnvCfg.scene.robot". Raises UnreadableError for a file that cannot be read,
    has no robot, or has several and no name is given.
    """
    if not isinstance(source, str | Path):
        raise UnreadableError(f"isaac_lab is {display(source)}; give the path of a .py or .yaml file")
    path, name = _path_and_name(str(source))
    suffix = path.suffix.lower()
    if suffix not in (".py", ".yaml", ".yml"):
        raise UnreadableError(f"{path}: not a configuration; give a .py file, or the params/env.yaml of Isaac Lab")
    if suffix == ".py":
        roots, module = _roots(path)
    else:
        roots, module = {"env": read_yaml(path)}, None
    candidates = {label: pair for root, value in roots.items() for label, pair in _robots(root, value)}
    label = _selected_label(path, name, candidates, roots)
    robot, environment = candidates[label]
    simulation = environment.value("sim") if environment is not None else None
    return Configuration(
        f"{path}:{label}", robot, simulation if isinstance(simulation, ConfigObject) else None,
        environment.value("decimation") if environment is not None else None,
        RELEASES[1] if _is_of_3(robot) or (environment is not None and _is_of_3(simulation)) else RELEASES[0],
        tuple(module.unresolved) if module else ())


def _path_and_name(source: str) -> tuple[Path, str]:
    """The file, and the name after the last colon; a colon may also belong to the path."""
    path, colon, name = source.rpartition(":")
    if colon and path.endswith((".py", ".yaml", ".yml")) and _NAME.fullmatch(name):
        return Path(path), name
    return Path(source), ""


def _roots(path: Path) -> tuple[dict[str, ConfigObject], Module]:
    """The configuration objects of a Python file, and an object of each of its classes."""
    reader = Reader()
    module = reader.module(path, str(path))
    statements = Statements(reader, module)
    roots: dict[str, ConfigObject] = {}
    for name in module.names:
        value = module.names[name]
        if name in module.own and isinstance(value, ConfigObject):
            roots[name] = value
        elif name in module.own and isinstance(value, ConfigClass):
            roots[name] = statements.construct(value, {}, value.place)
    return roots, module


def _robots(label: str, value: ConfigObject) -> Iterator[tuple[str, tuple[ConfigObject, ConfigObject | None]]]:
    """The robots inside an object by their names, each with the environment around it."""
    if ARTICULATION in value.kinds or "actuators" in value.fields:
        yield label, (value, None)
        return
    for inner, robot in _inner_robots(label, value, MAX_DEPTH):
        yield inner, (robot, value)


def _inner_robots(label: str, value: Data, depth: int) -> Iterator[tuple[str, ConfigObject]]:
    items: Mapping[str, Data] = {}
    if isinstance(value, ConfigObject):
        items = {name: entry.value for name, entry in value.fields.items()}
    for name, item in items.items() if depth else ():
        if isinstance(item, ConfigObject) and (ARTICULATION in item.kinds or isinstance(item.value("actuators"), dict)):
            yield f"{label}.{name}", item
        else:
            yield from _inner_robots(f"{label}.{name}", item, depth - 1)


def _selected_label(path: Path, name: str, candidates: Mapping[str, Data], roots: Mapping[str, ConfigObject]) -> str:
    """The robot that a name means, or the only one."""
    if not candidates:
        raise UnreadableError(f"{path}: no {ARTICULATION} is found{_why_not(roots)}; give a file that defines one, or "
                              "the params/env.yaml of Isaac Lab")
    if not name:
        simulated = [label for label, (_, environment) in candidates.items()
                     if environment is not None and "sim" in environment.fields]
        if len(simulated) == 1:
            return simulated[0]
        if len(candidates) > 1:
            first = next(iter(candidates))
            raise UnreadableError(f"{path}: {len(candidates)} robots, {listed(candidates)}; name one: {path}:{first}")
        return next(iter(candidates))
    inside = [label for label in candidates if label == name or label.startswith(f"{name}.")]
    if len(inside) == 1:
        return inside[0]
    if inside:
        raise UnreadableError(f"{path}:{name}: {len(inside)} robots, {listed(inside)}; name one")
    raise UnreadableError(f"{path}: {name} is not a robot of the file; {suggestion(name, list(candidates))}")


def _why_not(roots: Mapping[str, ConfigObject]) -> str:
    """The field for a robot that is not evaluated, and why; "" where there is none."""
    for value in roots.values():
        scene = value.value("scene")
        entry = scene.fields.get("robot") if isinstance(scene, ConfigObject) else None
        if entry is not None and isinstance(entry.value, NotEvaluated):
            return f" (not evaluated: {entry.value.place}: {entry.value.expression}: {entry.value.reason})"
    return ""


def _is_of_3(value: Data) -> bool:
    """Whether an object has fields or classes that only the third release has."""
    if isinstance(value, ConfigObject):
        return bool(_FIELDS_OF_3 & value.fields.keys() or _CLASSES_OF_3 & set(value.kinds)
                    or any(_is_of_3(entry.value) for entry in value.fields.values())
                    or ("SimulationCfg" in value.kinds and "physics" in value.fields))
    return any(map(_is_of_3, value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()))
