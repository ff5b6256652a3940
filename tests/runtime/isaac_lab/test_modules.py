"""Files are read in order: names, fields, classes with __post_init__, loops, conditions and imports from the folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from physx_runtime.isaac_lab.modules import Reader, Statements, read_module
from physx_runtime.isaac_lab.values import ConfigClass, ConfigObject, NotEvaluated
from support.isaac_lab import HEADER

from physx_schema.errors import UnreadableError


def names(folder: Path, text: str) -> dict[str, object]:
    path = folder / "module.py"
    path.write_text(HEADER + text, encoding="utf-8")
    return read_module(path).names


def instance(folder: Path, text: str, name: str) -> ConfigObject:
    path = folder / "module.py"
    path.write_text(HEADER + text, encoding="utf-8")
    reader = Reader()
    module = reader.module(path, str(path))
    kind = module.names[name]
    assert isinstance(kind, ConfigClass)
    return Statements(reader, module).construct(kind, {}, kind.place)


def test_fields_are_changed_in_place(tmp_path: Path) -> None:
    found = names(tmp_path, "A = ImplicitActuatorCfg(stiffness=1.0)\nB = A\nB.stiffness = 2.0\nB.stiffness *= 3\n")["A"]
    assert isinstance(found, ConfigObject) and found.value("stiffness") == 6.0


def test_items_of_dictionaries_are_changed_in_place(tmp_path: Path) -> None:
    text = "A = {'x': {'y': 1}}\nA['x']['y'] = 2\nA.update({'z': 3})\n"
    assert names(tmp_path, text)["A"] == {"x": {"y": 2}, "z": 3}


def test_the_place_of_a_field_is_the_line_that_gives_it(tmp_path: Path) -> None:
    found = names(tmp_path, "A = ImplicitActuatorCfg(\n    stiffness=1.0,\n    damping=2.0)\nA.armature = 3.0\n")["A"]
    assert isinstance(found, ConfigObject)
    first = HEADER.count("\n") + 1
    assert [found.fields[name].place.line - first for name in ("stiffness", "damping", "armature")] == [1, 2, 3]


def test_loops_and_conditions_run(tmp_path: Path) -> None:
    text = "A = {}\nfor i, n in enumerate('ab'):\n    A[n] = i\nif len(A) == 2:\n    B = 1\nelse:\n    B = 2\n"
    found = names(tmp_path, text)
    assert (found["A"], found["B"]) == ({"a": 0, "b": 1}, 1)


def test_names_under_an_unknown_condition_are_not_evaluated(tmp_path: Path) -> None:
    found = names(tmp_path, "from other import FLAG\nA = 1\nif FLAG:\n    A = 2\n")["A"]
    assert isinstance(found, NotEvaluated)
    assert found.reason.startswith("the condition is not evaluated: FLAG of other")


ENVIRONMENT = """
@configclass
class Base:
    decimation = 2
    sim: SimulationCfg = SimulationCfg(dt=0.01)
    def __post_init__(self):
        self.decimation = 4
        self.sim.render_interval = self.decimation

@configclass
class Task(Base):
    def __post_init__(self):
        super().__post_init__()
        self.sim.dt = self.sim.dt / 2
        self.sim.physx.bounce_threshold_velocity = 0.2
"""


def test_a_class_is_made_with_the_post_init_of_its_base(tmp_path: Path) -> None:
    found = instance(tmp_path, ENVIRONMENT, "Task")
    simulation = found.value("sim")
    assert found.value("decimation") == 4
    assert (simulation.value("dt"), simulation.value("render_interval")) == (0.005, 4)
    assert simulation.value("physx").value("bounce_threshold_velocity") == 0.2


def test_objects_of_a_class_do_not_share_fields(tmp_path: Path) -> None:
    text = ENVIRONMENT + "a = Base()\nb = Base()\na.sim.dt = 1.0\n"
    found = names(tmp_path, text)["b"]
    assert isinstance(found, ConfigObject) and found.value("sim").value("dt") == 0.01


@pytest.mark.parametrize("line", ["from robots import KP", "from .robots import KP", "from pkg.gains import KP",
                                  "from pkg import KP", "import robots"])
def test_files_beside_the_configuration_are_read(line: str, tmp_path: Path) -> None:
    (tmp_path / "robots.py").write_text("KP = 40.0\n", encoding="utf-8")
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("from .gains import *\n", encoding="utf-8")
    (tmp_path / "pkg" / "gains.py").write_text("KP = 40.0\n", encoding="utf-8")
    name = "robots.KP" if line == "import robots" else "KP"
    assert names(tmp_path, f"{line}\nA = {name} / 2\n")["A"] == 20.0


def test_files_that_import_each_other_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("from module import A\nB = 2\n", encoding="utf-8")
    assert names(tmp_path, "from other import B\nA = B + 1\n")["A"] == 3


def test_an_assignment_to_physics_that_is_not_run_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("from other import ENV\nENV.sim.dt = 0.1\nENV.viewer.eye = 3\n", encoding="utf-8")
    assert [item.expression for item in read_module(path).unresolved] == ["ENV.sim.dt = 0.1"]


@pytest.mark.parametrize(("text", "message"), [
    ("x = (", "not Python: '(' was never closed"), ("x = \0", "not Python")])
def test_a_file_that_is_not_python_is_refused_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableError) as caught:
        read_module(tmp_path / "bad.py")
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="cannot be read: No such file"):
        read_module(tmp_path / "none.py")
