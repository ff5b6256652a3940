"""The robot of a configuration is the only one, or the one that is named; its release is known by its fields."""

from __future__ import annotations

from pathlib import Path

import pytest
from physx_runtime.isaac_lab.selection import read_configuration
from support.isaac_lab import HEADER, implicit, robot

from physx_schema.errors import UnreadableError

GAINS = "stiffness=1.0, damping=0.1"
ENVIRONMENT = """
@configclass
class SceneCfg:
    robot: ArticulationCfg = ROBOT_CFG.replace(prim_path='/World/Robot')

@configclass
class EnvCfg:
    decimation = 4
    sim: SimulationCfg = SimulationCfg(dt=1 / 200)
    scene: SceneCfg = SceneCfg()
"""
YAML = """
sim:
  dt: 0.005
  physx: {solver_type: 1}
decimation: 4
scene:
  robot:
    class_type: isaaclab.assets.articulation.articulation:Articulation
    spawn:
      func: isaaclab.sim.spawners.from_files.from_files:spawn_from_usd
      rigid_props: {disable_gravity: false}
    init_state:
      pos: !!python/tuple [0.0, 0.0, 0.6]
      joint_pos: {.*hip: 0.1}
    actuators:
      legs:
        class_type: isaaclab.actuators.actuator_pd:DCMotor
        joint_names_expr: [.*]
        stiffness: {.*: 40.0}
        damping: 5.0
        saturation_effort: !!python/object/apply:os.system [true]
"""


def write(folder: Path, text: str, name: str = "cfg.py") -> Path:
    path = folder / name
    path.write_text(HEADER + text if name.endswith(".py") else text, encoding="utf-8")
    return path


def test_the_only_robot_is_taken(tmp_path: Path) -> None:
    path = write(tmp_path, robot(implicit(GAINS)))
    found = read_configuration(path)
    assert found.source == f"{path}:ROBOT_CFG"
    assert found.simulation is None and found.decimation is None


def test_the_environment_with_a_simulation_is_taken(tmp_path: Path) -> None:
    found = read_configuration(write(tmp_path, robot(implicit(GAINS)) + ENVIRONMENT))
    assert found.source.endswith(":EnvCfg.scene.robot")
    assert found.simulation is not None and found.simulation.value("dt") == 1 / 200
    assert found.decimation == 4


@pytest.mark.parametrize(("name", "message"), [
    ("", "2 robots, ROBOT_CFG, OTHER_CFG; name one"),
    (":OTHR_CFG", "OTHR_CFG is not a robot of the file; did you mean OTHER_CFG?")])
def test_several_robots_need_a_name_of_one(name: str, message: str, tmp_path: Path) -> None:
    path = write(tmp_path, robot(implicit(GAINS)) + "OTHER_CFG = ROBOT_CFG.copy()\n")
    with pytest.raises(UnreadableError) as caught:
        read_configuration(f"{path}{name}")
    assert message in str(caught.value)


def test_a_file_without_a_robot_is_refused_with_the_reason(tmp_path: Path) -> None:
    text = ("from robots_elsewhere import A\n@configclass\nclass EnvCfg:\n    scene = sim_utils.SceneCfg()\n"
            "    def __post_init__(self):\n        self.scene.robot = A.replace(x=1)\n")
    with pytest.raises(UnreadableError, match="A of robots_elsewhere is not in a file beside the configuration"):
        read_configuration(write(tmp_path, text))


@pytest.mark.parametrize(("fields", "release"), [
    ("effort_limit_sim=2.0", "2.3.2"), ("joint_effort_limit=2.0", "3.0.0"), ("actuator_velocity_limit=2.0", "3.0.0")])
def test_the_release_is_known_by_the_fields(fields: str, release: str, tmp_path: Path) -> None:
    path = write(tmp_path, robot(implicit(f"{GAINS}, {fields}")))
    assert read_configuration(path).release == release


def test_a_dumped_environment_is_read_without_making_objects(tmp_path: Path) -> None:
    found = read_configuration(write(tmp_path, YAML, "env.yaml"))
    motor = found.robot.value("actuators")["legs"]
    assert found.source.endswith("env.yaml:env.scene.robot")
    assert motor.kind == "DCMotorCfg" and motor.value("stiffness") == {".*": 40.0}
    assert found.robot.value("init_state").value("pos") == [0.0, 0.0, 0.6]
    assert motor.value("saturation_effort").reason == "the value is an object of Python"
    assert motor.fields["damping"].place.line == 20
    assert found.simulation is not None and found.simulation.kind == "SimulationCfg"


@pytest.mark.parametrize(("name", "text", "message"), [
    ("a.txt", "", "not a configuration"), ("a.yaml", "[1]", "the file has no fields"),
    ("a.yaml", "a: [", "invalid YAML"), ("a.py", "x = 1", "no ArticulationCfg is found")])
def test_other_files_are_refused(name: str, text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match=message):
        read_configuration(write(tmp_path, text, name))
