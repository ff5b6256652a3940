"""Physics materials, and contact and rest offsets.

Physics materials: what they say, and which one PhysX gives to a collider.

The contact and rest offset of a collider, as PhysX takes them from its own opinions and Newton's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from pxr import Tf, UsdShade

from physx_schema.definitions import attribute
from physx_schema.description.collision.hull import Single
from physx_schema.description.model import PhysicsMaterial, Scene
from physx_schema.description.opinions.prim import PrimOpinions, read_property
from physx_schema.description.opinions.reading import ReadContext
from physx_schema.description.opinions.view import SchemaView, unauthored
from physx_schema.description.units import STEPS_PER_SECOND

COMBINE_MODES = attribute("PhysxMaterialAPI", "frictionCombineMode").tokens
DEFAULT_FRICTION = 0.5
# The SDK's own, of colliders without a material.
DEFAULT_MATERIAL = PhysicsMaterial("", DEFAULT_FRICTION, DEFAULT_FRICTION, 0.0, 0.0, "average", "average", "average",
                                   0.0, 0.0, False)
_PURPOSES = ("material:binding:physics", "material:binding")


class Materials:
    """The materials of a stage by path, and the bindings to them."""

    def __init__(self, context: ReadContext, scene: str) -> None:
        self._reading = context
        self._bindings: dict[str, str] = {}
        materials = context.prims_with("PhysicsMaterialAPI")
        self.by_path = {opinions.path: _material(context, opinions) for opinions in materials}
        self._default = self._bound(context.prims[scene].prim) if scene in context.prims else ""

    def of(self, prim: Any) -> str:
        """The material of a collider: the one bound for physics, then for all purposes, then the scene's."""
        return self._bound(prim) or self._default

    def density(self, prim: Any) -> float:
        """The density that a collider takes from the material bound to it, 0 without one; the scene's gives none."""
        material = self.by_path.get(self._bound(prim))
        return material.density if material is not None else 0.0

    def binds(self, prim: Any) -> bool:
        """Whether a prim binds a material for physics by a relationship of its own."""
        if not self.by_path:
            return False
        targets = read_property(prim, _PURPOSES[0]).value
        return isinstance(targets, tuple) and any(target in self.by_path for target in targets)

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


def _material(context: ReadContext, opinions: PrimOpinions) -> PhysicsMaterial:
    view, physx = opinions.view("PhysicsMaterialAPI"), opinions.view("PhysxMaterialAPI")
    modes = []
    for name in ("frictionCombineMode", "restitutionCombineMode", "dampingCombineMode"):
        mode, default = physx.token(name), unauthored("PhysxMaterialAPI").token(name)
        if mode not in COMBINE_MODES:
            context.problem(
                "material/combine-mode", opinions.path, physx.name(name), f"{mode!r} is not a combine mode",
                f"PhysX uses {default}", f"author one of {', '.join(COMBINE_MODES)}",
            )
            mode = default
        modes.append(mode)
    static, dynamic = view.number("staticFriction"), view.number("dynamicFriction")
    restitution = view.number("restitution")
    refused = [name for name, is_valid in (
        ("staticFriction", static >= 0.0), ("dynamicFriction", dynamic >= 0.0), ("restitution", restitution <= 1.0),
    ) if not is_valid]
    if refused:
        context.problem(
            "material/refused", opinions.path, view.name(refused[0]), f"{refused[0]} is out of range",
            "PhysX ignores the material and uses friction 0.5 and no restitution",
            "author frictions of at least 0 and a restitution from 0 to 1",
        )
        static = dynamic = DEFAULT_FRICTION
        restitution = 0.0
    elif restitution < 0.0:
        context.problem(
            "material/soft", opinions.path, view.name("restitution"), f"the restitution is {restitution:g}",
            "PhysX reads a restitution below 0 as the stiffness of a spring; bodies sink into each other",
            "author a restitution from 0 to 1",
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


OFFSET_OF_SIZE = 0.02       # automatic contact offset, of the smallest extent; of a plane in metres
UNSET = -math.inf           # what PhysX's own offsets say where they say nothing
_MIN_GRAVITY = 1.0        # length / s^2, what PhysX counts with where gravity is weaker
_MIN_GAP = 1e-4           # of a contact offset over a rest offset that would reach it, in the stage's lengths


@dataclass(frozen=True, slots=True)
class AuthoredOffsets:
    """What a collider says of its offsets; None where it says nothing that counts."""

    contact: float | None
    rest: float | None
    margin: float           # Newton's rest offset; 0 where PhysX's own is there
    gap: float | None       # Newton's contact offset over the rest offset; None where PhysX's own is there

    @property
    def authored_rest(self) -> float:
        """The rest offset before what the contact offset makes of it."""
        return self.margin if self.rest is None else self.rest


def authored_offsets(opinions: PrimOpinions, default: float | None = None) -> AuthoredOffsets:
    """PhysX's own opinions and Newton's; `default` is the contact offset of a plane."""
    view, newton = opinions.view("PhysxCollisionAPI"), opinions.view("NewtonCollisionAPI")
    if view.silent and newton.silent and (default is None or not view.applied):
        return _unauthored_offsets()
    return _read_offsets(view, newton, default)


@cache
def _unauthored_offsets() -> AuthoredOffsets:
    return _read_offsets(unauthored("PhysxCollisionAPI"), unauthored("NewtonCollisionAPI"), None)


def _read_offsets(view: SchemaView, newton: SchemaView, default: float | None) -> AuthoredOffsets:
    """PhysX's own offsets hide Newton's also where they are no offsets: such a rest offset counts as 0.

    On a plane PhysxCollisionAPI, once applied, has the default for a contact offset that is not authored.
    """
    contact, rest = view.number("contactOffset"), view.number("restOffset")
    is_read = contact != UNSET or (default is not None and view.applied and not view.authored("contactOffset"))
    usable = _not_negative(contact)
    return AuthoredOffsets(
        default if is_read and usable is None else usable,
        None if rest == UNSET else rest if math.isfinite(rest) else 0.0,
        (_not_negative(newton.number("contactMargin")) or 0.0) if rest == UNSET else 0.0,
        None if is_read else _not_negative(newton.number("contactGap")))


def _not_negative(value: float) -> float | None:
    """A length that PhysX takes; None for what is none."""
    return value if math.isfinite(value) and value >= 0.0 else None


def effective_offsets(authored: AuthoredOffsets, default: float | None = None) -> tuple[float | None, float]:
    """The offsets that PhysX takes; `default` for the contact offset where none is there or both are dropped.

    Newton's are looked at where PhysX's are not both there. A contact offset that is not above the rest offset is put a
    least gap above it, but for PhysX's own two.
    """
    contact, rest = authored.contact, authored.rest
    contact_or_default = default if contact is None else contact
    if contact_or_default is not None and rest is not None:
        if rest > contact_or_default:
            return default, 0.0
        rest = rest if rest < contact_or_default else 0.0
    else:
        rest = authored.authored_rest
    if contact is None:
        contact = rest + authored.gap if authored.gap is not None and rest + authored.gap >= 0.0 else default
    if contact is not None and contact <= rest:
        contact = rest + _MIN_GAP
    return contact, rest


def offset_of_plane(meters_per_unit: float) -> float:
    """The contact offset of a plane that has none of its own, in single floats as PhysX multiplies it."""
    return float(Single(OFFSET_OF_SIZE) * Single(1.0 / meters_per_unit))


def automatic_offset(smallest: float, rest: float, min_offset: float) -> float:
    """The contact offset of a shape whose smallest side is that long, in single floats (createShape, UsdInterface.cpp).

    Its last bits shift bounds, by whose last bits PhysX finds pairs in an order.
    """
    with np.errstate(over="ignore"):        # of sizes that a single float cannot hold
        return float(Single(max(float(Single(smallest) * Single(OFFSET_OF_SIZE)), min_offset)) + Single(max(rest, 0.0)))


def min_contact_offset(context: ReadContext, scene: Scene) -> float:
    """The least automatic contact offset: twice the way that gravity moves a body in a step, likewise."""
    steps = context.prims[scene.path].peek("physxScene:timeStepsPerSecond") if scene.path in context.prims else None
    rate = float(steps) if isinstance(steps, int | float) and steps > 0 else STEPS_PER_SECOND
    gravity = math.hypot(*scene.gravity)
    if not math.isfinite(gravity):
        return 0.0
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):     # of rates that a single float cannot hold
        dt = Single(1.0) / Single(rate)
        offset = float(Single(2.0) * dt * dt * Single(max(gravity, _MIN_GRAVITY)))
    return 0.0 if math.isnan(offset) else offset
