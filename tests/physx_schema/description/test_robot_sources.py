"""The elements of a robot's file that the prims of its converted stage were made of."""

from __future__ import annotations

from pathlib import Path

import pytest
from pxr import Usd

from physx_schema.description.robot_sources import Element, Origins, RobotText, read_robot_text

URDF = """<robot name="arm.7">
  <link name="base"/>
  <link name="link_0.1">
    <inertial><mass value="1"/></inertial>
    <collision><geometry><box size="1 1 1"/></geometry></collision>
  </link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="link_0.1"/>
    <limit effort="1"/>
  </joint>
  <transmission name="motor"><joint name="other"/></transmission>
</robot>
"""
MJCF = """<mujoco model="arm">
  <worldbody>
    <body name="upper">
      <joint name="upper"/>
      <geom name="shell" size="1"/>
      <body name="fore"/>
    </body>
  </worldbody>
</mujoco>
"""
STAGE = """#usda 1.0
(
    defaultPrim = "tn__arm7_x"
)
def Xform "tn__arm7_x" (displayName = "arm.7")
{
    def Scope "Geometry"
    {
        def Xform "base"
        {
            def Xform "tn__link_01_y" (displayName = "link_0.1")
            {
                def Cube "box" {}
            }
        }
    }
    def Scope "Physics"
    {
        def PhysicsFixedJoint "root_joint" {}
        def PhysicsRevoluteJoint "turn" {}
    }
}
"""
LINK = "/tn__arm7_x/Geometry/base/tn__link_01_y"


@pytest.fixture
def origins(tmp_path: Path) -> Origins:
    (tmp_path / "arm.urdf").write_text(URDF, encoding="utf-8")
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(STAGE)
    return Origins(stage, read_robot_text(tmp_path / "arm.urdf"))


@pytest.mark.parametrize(("path", "name"), [
    (LINK, "link link_0.1"), (f"{LINK}/box", "box of link link_0.1"), ("/tn__arm7_x", "robot arm.7"),
    ("/tn__arm7_x/Physics/turn", "joint turn"), ("/tn__arm7_x/Physics/root_joint", "root_joint"), ("/other", "/other")])
def test_prim_has_the_name_of_its_element(origins: Origins, path: str, name: str) -> None:
    assert origins.name(path) == name


def test_paths_in_a_text_become_names(origins: Origins) -> None:
    text = f"{LINK}.physics:mass: on {LINK}, below /tn__arm7_x; /tn__arm7_xyz and file/tn__arm7_x stay"
    assert origins.renamed(text) == ("link link_0.1.physics:mass: on link link_0.1, below robot arm.7; "
                                     "/tn__arm7_xyz and file/tn__arm7_x stay")


@pytest.mark.parametrize(("name", "property_name", "position"), [
    ("link base", "", (2, 3)), ("link link_0.1", "", (3, 3)), ("link link_0.1", "physics:mass", (4, 15)),
    ("box of link link_0.1", "", (3, 3)), ("joint turn", "physics:lowerLimit", (8, 5)),
    ("joint turn", "physics:axis", (7, 3)), ("robot arm.7", "", (1, 1)), ("root_joint", "", None)])
def test_name_has_the_position_of_its_element_or_of_the_part_with_the_property(
    origins: Origins, name: str, property_name: str, position: tuple[int, int] | None,
) -> None:
    assert origins.position(name, property_name) == position


def test_robot_is_not_its_link_of_the_same_name() -> None:
    stage = Usd.Stage.CreateInMemory()
    for path in ("/arm", "/arm/Geometry/arm"):
        stage.DefinePrim(path, "Xform")
    stage.SetDefaultPrim(stage.GetPrimAtPath("/arm"))
    origins = Origins(stage, RobotText("robot", elements={("link", "arm"): Element("link", "arm", (2, 3))}))
    assert (origins.name("/arm"), origins.name("/arm/Geometry/arm")) == ("robot arm", "link arm")


def test_joint_inside_a_transmission_is_no_joint_of_the_robot(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF, encoding="utf-8")
    text = read_robot_text(tmp_path / "arm.urdf")
    assert (text.root_link, ("joint", "other") in text.elements) == ("base", False)


def test_body_and_joint_of_one_name_are_two_elements(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(MJCF, encoding="utf-8")
    elements = read_robot_text(tmp_path / "arm.xml").elements
    assert {key: item.position[0] for key, item in elements.items()} == {
        ("body", "upper"): 3, ("joint", "upper"): 4, ("geom", "shell"): 5, ("body", "fore"): 6}


def test_file_that_is_no_xml_has_no_elements(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text("<robot>", encoding="utf-8")
    assert read_robot_text(tmp_path / "arm.urdf").elements == {}
