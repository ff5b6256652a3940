"""The files that a URDF names are found in its folder and in ROS packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from physx_schema.description.urdf_files import find_file, missing_files, package_folders


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    """A robot in the package arms, with the package grippers in the same folder."""
    for name in ("arms/urdf", "arms/meshes", "grippers/meshes"):
        (tmp_path / "src" / name).mkdir(parents=True)
    for name in ("arms/meshes/link.stl", "grippers/meshes/link.stl", "arms/urdf/beside.stl"):
        (tmp_path / "src" / name).touch()
    return tmp_path / "src" / "arms" / "urdf" / "arm.urdf"


@pytest.mark.parametrize(("name", "place"), [
    ("beside.stl", "arms/urdf/beside.stl"), ("../meshes/link.stl", "arms/urdf/../meshes/link.stl"),
    ("package://arms/meshes/link.stl", "arms/meshes/link.stl"),
    ("package://grippers/meshes/link.stl", "grippers/meshes/link.stl"),
    ("package://arms_cloned_elsewhere/meshes/link.stl", "arms/meshes/link.stl")])
def test_file_is_found_beside_the_urdf_and_in_packages_above_it(urdf: Path, name: str, place: str) -> None:
    assert find_file(name, urdf) == urdf.parents[2] / place


def test_file_url_is_a_path(urdf: Path) -> None:
    assert find_file(f"file://{urdf.parent}/beside.stl", urdf) == urdf.parent / "beside.stl"


@pytest.mark.parametrize(("variable", "inside"), [("ROS_PACKAGE_PATH", ""), ("AMENT_PREFIX_PATH", "share")])
def test_package_is_found_where_ros_has_it(
    urdf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, inside: str,
) -> None:
    mesh = tmp_path / "ros" / inside / "hands" / "palm.stl"
    mesh.parent.mkdir(parents=True)
    mesh.touch()
    assert find_file("package://hands/palm.stl", urdf) is None
    monkeypatch.setenv(variable, str(tmp_path / "ros"))
    assert find_file("package://hands/palm.stl", urdf) == mesh


def test_relative_path_of_the_urdf_finds_the_same(urdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(urdf.parent)
    assert find_file("package://arms/meshes/link.stl", Path("arm.urdf")) == urdf.parents[1] / "meshes" / "link.stl"


def test_folders_of_packages_are_those_of_the_files(urdf: Path) -> None:
    urdf.write_text('<mesh filename="package://grippers/meshes/link.stl"/><mesh filename="package://no/x.stl"/>\n',
                    encoding="utf-8")
    assert package_folders(urdf) == {"grippers": urdf.parents[2] / "grippers"}


def test_missing_files_are_one_line_with_the_first(urdf: Path) -> None:
    urdf.write_text('<a/>\n<mesh filename="a.stl"/>\n<mesh filename="beside.stl"/>\n<mesh filename="b.stl"/>\n',
                    encoding="utf-8")
    assert missing_files(urdf) == "no file a.stl (line 2) and 1 more"
