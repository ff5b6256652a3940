"""Colours of shapes, against values of the sRGB standard and what usdview draws."""

from __future__ import annotations

from typing import Any

import pytest
from physx_runtime.viewing.robot.colours import COLOUR, colour
from physx_runtime.viewing.robot.shapes import visible_shapes
from pxr import Gf, Sdf, Usd, UsdGeom, UsdShade

GREY = 0.735357         # sRGB of linear 0.5


def stage_with_material(name: str, linear: tuple[float, ...], context: str = "") -> tuple[Any, Any]:
    """A stage, and a material whose surface has this colour as an input."""
    stage = Usd.Stage.CreateInMemory()
    material = UsdShade.Material.Define(stage, "/material")
    shader = UsdShade.Shader.Define(stage, "/material/surface")
    shader.CreateInput(name, Sdf.ValueTypeNames.Color3f).Set(Gf.Vec3f(*linear))
    material.CreateSurfaceOutput(context).ConnectToSource(shader.ConnectableAPI(), "surface")
    return stage, material


def bind(prim: Usd.Prim, material: Any) -> None:
    UsdShade.MaterialBindingAPI.Apply(prim).Bind(material)


@pytest.mark.parametrize(("name", "context"), [
    ("diffuseColor", ""), ("diffuse_color_constant", "mdl"), ("base_color", "mtlx")])
def test_a_bound_material_colours_a_shape(name: str, context: str) -> None:
    stage, material = stage_with_material(name, (1.0, 0.5, 0.0), context)
    cube = UsdGeom.Cube.Define(stage, "/cube")
    cube.CreateDisplayColorAttr([(0, 1, 0)])
    bind(cube.GetPrim(), material)
    assert colour(cube.GetPrim()) == pytest.approx((1.0, GREY, 0.0), abs=1e-5)


def test_a_colour_of_the_materials_interface_counts() -> None:
    stage, material = stage_with_material("diffuseColor", (0.0, 0.0, 0.0))
    material.CreateInput("tint", Sdf.ValueTypeNames.Color3f).Set(Gf.Vec3f(0.5))
    UsdShade.Shader(stage.GetPrimAtPath("/material/surface")).GetInput("diffuseColor").ConnectToSource(
        material.GetInput("tint"))
    cube = UsdGeom.Cube.Define(stage, "/cube").GetPrim()
    bind(cube, material)
    assert colour(cube) == pytest.approx((GREY,) * 3, abs=1e-5)


def test_a_texture_leaves_the_display_colour() -> None:
    stage, material = stage_with_material("diffuseColor", (0.0, 0.0, 0.0))
    texture = UsdShade.Shader.Define(stage, "/material/texture")
    UsdShade.Shader(stage.GetPrimAtPath("/material/surface")).GetInput("diffuseColor").ConnectToSource(
        texture.ConnectableAPI(), "rgb")
    cube = UsdGeom.Cube.Define(stage, "/cube")
    cube.CreateDisplayColorAttr([(0, 1, 0)])
    bind(cube.GetPrim(), material)
    assert colour(cube.GetPrim()) == (0.0, 1.0, 0.0)


def test_the_display_colour_is_inherited() -> None:
    stage = Usd.Stage.CreateInMemory()
    parent = UsdGeom.Xform.Define(stage, "/robot")
    UsdGeom.PrimvarsAPI(parent).CreatePrimvar("displayColor", Sdf.ValueTypeNames.Color3fArray).Set([(1, 0, 0)])
    assert colour(UsdGeom.Cube.Define(stage, "/robot/cube").GetPrim()) == (1.0, 0.0, 0.0)


def test_a_shape_without_a_colour_has_the_pages() -> None:
    assert colour(UsdGeom.Cube.Define(Usd.Stage.CreateInMemory(), "/cube").GetPrim()) == COLOUR


def test_faces_with_a_material_of_their_own_are_a_shape_of_its_colour() -> None:
    stage, material = stage_with_material("diffuseColor", (1.0, 0.0, 0.0))
    mesh = UsdGeom.Mesh.Define(stage, "/mesh")
    mesh.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0)])
    mesh.CreateFaceVertexCountsAttr([4, 3])
    mesh.CreateFaceVertexIndicesAttr([0, 1, 2, 3, 1, 4, 2])
    subset = UsdShade.MaterialBindingAPI(mesh.GetPrim()).CreateMaterialBindSubset("red", [0])
    bind(subset.GetPrim(), material)
    found = [(shape.colour, len(shape.triangles.faces)) for shape in visible_shapes(stage, []).shapes]
    assert found == [((1.0, 0.0, 0.0), 2), (COLOUR, 1)]
