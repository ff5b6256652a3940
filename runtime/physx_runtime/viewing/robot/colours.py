"""Colours of shapes: what a bound material's surface says, else the display colour of the prim or its ancestors.

USD's colours are linear; those here are encoded in sRGB, as screens show them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from pxr import Usd, UsdGeom, UsdShade

Colour = tuple[float, ...]      # red, green, blue, 0 to 1
COLOUR = (0.62, 0.65, 0.7)      # of a shape without any
RENDER_CONTEXTS = ("", "mdl", "mtlx")
# Inputs of surfaces with a plain colour: UsdPreviewSurface, OmniPBR, MaterialX's standard surface.
COLOUR_INPUTS = ("diffuseColor", "diffuse_color_constant", "base_color")


def colour(prim: Usd.Prim) -> Colour:
    """The colour of a shape; of several display colours their mean."""
    material = material_colour(prim)
    if material is not None:
        return material
    values = UsdGeom.PrimvarsAPI(prim).FindPrimvarWithInheritance(UsdGeom.Tokens.primvarsDisplayColor).Get()
    return _encoded(np.array(values, np.float64).mean(axis=0)) if values else COLOUR


def material_colour(prim: Usd.Prim) -> Colour | None:
    """The colour of the bound material's surface; None where it has no plain one, such as a texture."""
    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
    for context in RENDER_CONTEXTS if material else ():
        shader = material.ComputeSurfaceSource(context)[0]
        for name in COLOUR_INPUTS if shader else ():
            value = _plain_value(shader.GetInput(name))
            if value is not None:
                return _encoded(value)
    return None


def _plain_value(shader_input: UsdShade.Input) -> NDArray[np.float64] | None:
    """The value of an input, its own or that of the material's interface; None where another shader makes it."""
    if not shader_input:
        return None
    sources = shader_input.GetValueProducingAttributes()
    value = sources[0].Get() if len(sources) == 1 and not UsdShade.Output.IsOutput(sources[0]) else None
    return np.array(value, np.float64) if value is not None and len(value) == 3 else None


def face_colours(prim: Usd.Prim) -> Iterator[tuple[NDArray[np.int64], Colour]]:
    """The faces of a mesh's subsets with a material of their own, and its colour."""
    if not prim.IsA(UsdGeom.Mesh):
        return
    for subset in UsdShade.MaterialBindingAPI(prim).GetMaterialBindSubsets():
        value = material_colour(subset.GetPrim())
        if value is not None:
            yield np.array(subset.GetIndicesAttr().Get() or (), np.int64), value


def _encoded(linear: NDArray[np.float64]) -> Colour:
    """The sRGB transfer function (IEC 61966-2-1)."""
    x = np.clip(np.nan_to_num(linear), 0.0, 1.0)
    return tuple(np.where(x <= 0.0031308, 12.92 * x, 1.055 * x ** (1.0 / 2.4) - 0.055).round(6).tolist())
