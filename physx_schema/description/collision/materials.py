"""Physics materials: what they say, and which one PhysX gives to a collider."""

from __future__ import annotations

from typing import Any

from pxr import Tf, UsdShade

from physx_schema.definitions import attribute
from physx_schema.description.model import PhysicsMaterial
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import Reading
from physx_schema.description.opinions.view import unauthored

COMBINE_MODES = attribute("PhysxMaterialAPI", "frictionCombineMode").tokens
DEFAULT_FRICTION = 0.5
# The SDK's own, of colliders without a material.
DEFAULT_MATERIAL = PhysicsMaterial("", DEFAULT_FRICTION, DEFAULT_FRICTION, 0.0, 0.0, "average", "average", "average",
                                   0.0, 0.0, False)
_PURPOSES = ("material:binding:physics", "material:binding")


class Materials:
    """The materials of a stage by path, and the bindings to them."""

    def __init__(self, reading: Reading, scene: str) -> None:
        self._reading = reading
        self._bindings: dict[str, str] = {}
        found = reading.having("PhysicsMaterialAPI")
        self.by_path = {opinions.path: _material(reading, opinions) for opinions in found}
        self._default = self._bound(reading.prims[scene].prim) if scene in reading.prims else ""

    def of(self, prim: Any) -> str:
        """The material of a collider: the one bound for physics, then for all purposes, then the scene's."""
        return self._bound(prim) or self._default

    def density(self, prim: Any) -> float:
        """The density that a collider takes from the material bound to it, 0 without one; the scene's gives none."""
        material = self.by_path.get(self._bound(prim))
        return material.density if material is not None else 0.0

    def _bound(self, prim: Any) -> str:
        """The material bound to a prim as USD resolves it, "" where that is no physics material."""
        if not self.by_path:
            return ""
        path = str(prim.GetPath())
        if path not in self._bindings:
            self._bindings[path] = self._resolved(prim)
        return self._bindings[path]

    def _resolved(self, prim: Any) -> str:
        try:
            material = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")[0]
        except Tf.ErrorException:       # an attribute is authored in place of a binding, which is reported below
            material = None
        if material:
            path = str(material.GetPath())
            return path if path in self.by_path else ""
        return self._untyped(prim)

    def _untyped(self, prim: Any) -> str:
        """The material bound nearest by plain targets: of a prim that is no UsdShade.Material, or where USD raises."""
        while prim and not prim.IsPseudoRoot():
            for name in _PURPOSES:
                for target in self._reading.targets(prim, name):
                    return target if target in self.by_path else ""
            prim = prim.GetParent()
        return ""


def _material(reading: Reading, opinions: PrimOpinions) -> PhysicsMaterial:
    view, physx = opinions.view("PhysicsMaterialAPI"), opinions.view("PhysxMaterialAPI")
    modes = []
    for name in ("frictionCombineMode", "restitutionCombineMode", "dampingCombineMode"):
        mode, usual = physx.token(name), unauthored("PhysxMaterialAPI").token(name)
        if mode not in COMBINE_MODES:
            reading.problem(
                "material/combine-mode", opinions.path, physx.name(name), f"{mode!r} is no combine mode",
                f"PhysX works with {usual}", f"author one of {', '.join(COMBINE_MODES)}",
            )
            mode = usual
        modes.append(mode)
    static, dynamic = view.number("staticFriction"), view.number("dynamicFriction")
    restitution = view.number("restitution")
    refused = [name for name, sound in (
        ("staticFriction", static >= 0.0), ("dynamicFriction", dynamic >= 0.0), ("restitution", restitution <= 1.0),
    ) if not sound]
    if refused:
        reading.problem(
            "material/refused", opinions.path, view.name(refused[0]), f"{refused[0]} is out of range",
            "PhysX refuses the material and works with its default: friction 0.5, no restitution",
            "author frictions of 0 and more, and a restitution from 0 to 1",
        )
        static = dynamic = DEFAULT_FRICTION
        restitution = 0.0
    elif restitution < 0.0:
        reading.problem(
            "material/soft", opinions.path, view.name("restitution"), f"a restitution of {restitution:g}",
            "PhysX takes a restitution below 0 as the stiffness of a spring: bodies sink in", "author one from 0 to 1",
            "warning",
        )
    stiffness = physx.clamped("compliantContactStiffness")
    return PhysicsMaterial(
        opinions.path, static, dynamic, max(restitution, 0.0), _positive(view.number("density")), modes[0], modes[1],
        modes[2], stiffness if stiffness > 0.0 else max(-restitution, 0.0), physx.clamped("compliantContactDamping"),
        physx.flag("compliantContactAccelerationSpring"),
    )


def _positive(density: float) -> float:
    """A density; 0, a negative one and NaN are none."""
    return density if density > 0.0 else 0.0
