"""`read_yaml` reads the params/env.yaml that Isaac Lab writes for a training, and makes no objects of its tags."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from physx_runtime.isaac_lab.modules import LARGEST_FILE
from physx_runtime.isaac_lab.values import ConfigObject, Entry, Location, NotEvaluated, shortened
from physx_schema.errors import UnreadableError

_TUPLE = "tag:yaml.org,2002:python/tuple"
_MAX_NODES = 400_000
# Fields that hold values by names of joints, bodies or prims: dictionaries, and no objects.
_BY_NAME = frozenset({"joint_pos", "joint_vel", "actuators", "stiffness", "damping", "armature", "friction",
                      "dynamic_friction", "viscous_friction", "effort_limit", "velocity_limit", "effort_limit_sim",
                      "velocity_limit_sim", "joint_effort_limit", "joint_velocity_limit", "actuator_effort_limit",
                      "actuator_velocity_limit", "saturation_effort", "variants"})


def read_yaml(path: Path) -> ConfigObject:
    """The whole configuration as one object.

    Raises UnreadableError for a file that is missing, too large or no YAML.
    """
    import yaml

    try:
        if path.stat().st_size > LARGEST_FILE:
            raise UnreadableError(f"{path}: larger than {LARGEST_FILE >> 20} MB; give the params/env.yaml of Isaac Lab")
        root = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except OSError as error:
        raise UnreadableError(f"{path}: cannot be read: {error.strerror}; give the path of a configuration as .py or "
                              ".yaml") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UnreadableError(f"{path}: invalid YAML: {shortened(str(error))}; give the params/env.yaml of Isaac "
                              "Lab") from None
    if not isinstance(root, yaml.MappingNode):
        raise UnreadableError(f"{path}: not a configuration: the file has no fields; give the params/env.yaml of Isaac "
                              "Lab")
    return _Nodes(str(path)).mapping(root, "env")


class _Nodes:
    """The values of YAML nodes."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.count = 0

    def place(self, node: Any) -> Location:
        """The line of a node."""
        return Location(self.file, node.start_mark.line + 1)

    def mapping(self, node: Any, name: str) -> ConfigObject:
        """A mapping as an object of the class that its fields class_type or func name."""
        fields: dict[str, Entry] = {}
        for key, item in node.value:
            fields[str(key.value)] = Entry(self.value(item, str(key.value)), self.place(key))
        return ConfigObject((_kind(name, fields),), self.place(node), fields)

    def value(self, node: Any, name: str) -> Any:
        """The value of a node. name: the field that holds it."""
        import yaml

        self.count += 1
        if self.count > _MAX_NODES:     # aliases of aliases can stand for more than any file holds
            raise UnreadableError(f"{self.file}: too many values; give the params/env.yaml of Isaac Lab")
        if isinstance(node, yaml.MappingNode):
            if name in _BY_NAME:
                return {str(key.value): self.value(item, "item") for key, item in node.value}
            return self.mapping(node, name)
        if isinstance(node, yaml.SequenceNode) and node.tag in (_TUPLE, "tag:yaml.org,2002:seq"):
            return [self.value(item, "item") for item in node.value]
        if isinstance(node, yaml.ScalarNode) and node.tag.startswith("tag:yaml.org,2002:") and "python" not in node.tag:
            return yaml.SafeLoader("").construct_object(node)
        return NotEvaluated(self.place(node), f"{name}: {node.tag}", "the value is an object of Python")


def _kind(name: str, fields: dict[str, Entry]) -> str:
    """The name of the class of a mapping: "DCMotorCfg" of "isaaclab.actuators.actuator_pd:DCMotor"."""
    for key in ("class_type", "func"):
        value = fields[key].value if key in fields else None
        if isinstance(value, str):
            last = value.rpartition(":")[2].rpartition(".")[2]
            return "UsdFileCfg" if last == "spawn_from_usd" else f"{last}Cfg"
    return "SimulationCfg" if name == "sim" else name
