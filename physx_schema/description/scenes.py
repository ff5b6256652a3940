"""Physics scenes: gravity and solver settings with PhysX's defaults filled in, and which scene a body is stepped by."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from pxr import Usd, UsdGeom

from physx_schema.description.conversions import as_number, as_vector
from physx_schema.description.model import IterationBounds, Scene, SceneContact
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import Reading, path_key
from physx_schema.description.opinions.retirement import retired_schema
from physx_schema.description.opinions.schemas import split_name
from physx_schema.description.opinions.view import View, unauthored
from physx_schema.description.poses import Vec3
from physx_schema.description.units import default_gravity

# Schemas that PhysX sees a scene with.
_BESIDE_A_SCENE = frozenset({
    "CollectionAPI", "MaterialBindingAPI", "PhysxResidualReportingAPI", "PhysxSceneQuasistaticAPI",
    "PhysxVehicleContextAPI",
})
_LEAST_BOUNCE = 1e-6        # length / s, the bounce threshold that PhysX takes for less
_UNIT = 1e-3        # how far the length of an authored gravity direction may be from 1 before it is worth a word


class Scenes:
    """The scenes of a stage by path, the one for bodies without an owner first."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        every = sorted(reading.having("PhysicsScene"), key=lambda opinions: path_key(opinions.path))
        found = [opinions for opinions in every if not _is_hidden(reading, opinions)]
        self.by_path: Mapping[str, Scene] = {opinions.path: _scene(reading, opinions) for opinions in found}
        for extra in found[1:]:
            reading.problem(
                "scene/several", extra.path, "", f"one of {len(found)} scenes; the first by path is {found[0].path}",
                f"PhysX steps bodies without physics:simulationOwner in {found[0].path}",
                "give bodies of this scene a physics:simulationOwner", "info",
            )
        self.default = next(iter(self.by_path.values()), None) or _made_scene(reading)

    def bounds(self, path: str) -> IterationBounds:
        """Bounds on iterations in a scene."""
        return self.by_path.get(path, self.default).iterations

    def owner(self, body: View) -> str | None:
        """The path of the scene that steps a body ("" without any PhysicsScene), None where PhysX drops the body.

        `body` holds the properties of its PhysicsRigidBodyAPI.
        """
        targets = body.targets("simulationOwner")
        if not targets:
            return self.default.path
        known = [target for target in targets if target in self.by_path]
        if not known:
            self._reading.problem(
                "body/no-scene", body.path, body.name("simulationOwner"),
                f"{', '.join(targets)} is no PhysicsScene that PhysX sees",
                "PhysX leaves the body out of the simulation",
                f"point it at {self.default.path}" if self.by_path else "remove it, or define a PhysicsScene there",
            )
            return None
        if len(targets) > 1:
            self._reading.problem(
                "body/several-scenes", body.path, body.name("simulationOwner"), f"{len(targets)} targets",
                f"PhysX steps the body in the first that is a PhysicsScene, {known[0]}", "keep one target", "warning",
            )
        return known[0]


def _is_hidden(reading: Reading, opinions: PrimOpinions) -> bool:
    """Whether PhysX does not see a PhysicsScene for a schema applied to it."""
    if opinions.has("PhysxSceneAPI"):
        return False
    hiding = [applied for applied in opinions.applied if _hides(split_name(applied)[0])]
    if hiding:
        reading.problem(
            "scene/hidden", opinions.path, "apiSchemas", f"{', '.join(hiding)} without PhysxSceneAPI",
            "PhysX does not see the scene: it makes one with Earth's gravity, and drops bodies that this one owns",
            "apply PhysxSceneAPI as well", "warning",
        )
    return bool(hiding)


def _hides(schema: str) -> bool:
    """Whether a schema is one that PhysX knows and does not expect on a scene; measured for every one of them."""
    known = schema.startswith("Newton") or Usd.SchemaRegistry.GetAPITypeFromSchemaTypeName(schema)
    return bool(known) and schema not in _BESIDE_A_SCENE and retired_schema(schema) is None


def _scene(reading: Reading, opinions: PrimOpinions) -> Scene:
    gravity, source = _gravity(reading, opinions)
    return _settled(reading, opinions.path, gravity, source, opinions.view("PhysxSceneAPI"))


def _settled(reading: Reading, path: str, gravity: Vec3, source: str, physx: View) -> Scene:
    """The scene with the solver's settings, which `physx` holds."""
    solver = physx.token("solverType")
    return Scene(
        path, gravity, reading.meters_per_unit, reading.kilograms_per_unit, _up_axis(reading), solver,
        solver != "PGS" and physx.flag("enableExternalForcesEveryIteration"),
        not physx.flag("disableSleeping"), source, _bounds(physx), _contact(reading.meters_per_unit, physx),
    )


def _contact(meters_per_unit: float, physx: View) -> SceneContact:
    """Settings of all contacts; the defaults of lengths are ones in metres."""
    offset, correlation = (
        physx.clamped(name) / (1.0 if physx.authored(name) else meters_per_unit)
        for name in ("frictionOffsetThreshold", "frictionCorrelationDistance"))
    return SceneContact(max(physx.clamped("bounceThreshold"), _LEAST_BOUNCE), offset, correlation,
                        physx.flag("invertCollisionGroupFilter"), physx.flag("solveArticulationContactLast"))


def _made_scene(reading: Reading) -> Scene:
    """The scene that PhysX makes where the stage defines none."""
    gravity = _times(_down(_up_axis(reading)), default_gravity(reading.meters_per_unit))
    return _settled(reading, "", gravity, "", unauthored("PhysxSceneAPI"))


def _up_axis(reading: Reading) -> str:
    return str(UsdGeom.GetStageUpAxis(reading.stage))


def _down(up_axis: str) -> Vec3:
    """The direction of unauthored gravity: PhysX knows Y, and takes every other axis for Z."""
    return (0.0, -1.0, 0.0) if up_axis == "Y" else (0.0, 0.0, -1.0)


def _gravity(reading: Reading, opinions: PrimOpinions) -> tuple[Vec3, str]:
    """Gravity as PhysX multiplies it out, neither value checked nor the direction normalised, and where it is from.

    Time samples alone count as authored, and PhysX reads its defaults of them: -inf and no direction.
    """
    view, newton = opinions.view("PhysicsScene"), opinions.view("NewtonSceneAPI")
    enabled = newton.flag("gravityEnabled")
    magnitude, direction = view.number("gravityMagnitude"), view.vector("gravityDirection")
    if not _says(opinions, view.name("gravityMagnitude"), as_number):
        magnitude = default_gravity(reading.meters_per_unit)
    if not _says(opinions, view.name("gravityDirection"), as_vector):
        direction = _down(_up_axis(reading))
    if not enabled:
        return (0.0, 0.0, 0.0), newton.name("gravityEnabled")
    _check_direction(reading, opinions, direction, magnitude)
    for base, values in (("gravityMagnitude", (magnitude,)), ("gravityDirection", direction)):
        if not all(map(math.isfinite, values)):
            reading.problem(
                "scene/gravity", opinions.path, view.name(base), f"{base} is {', '.join(f'{v:g}' for v in values)}",
                "PhysX multiplies it out, and whatever falls has no place any more after the first step",
                "author finite numbers, or remove the opinion for Earth's gravity",
            )
    return _times(direction, magnitude), ""


def _says(opinions: PrimOpinions, name: str, convert: Callable[[Any], object]) -> bool:
    """Whether PhysX takes gravity from a property: a value that it cannot read is none."""
    if opinions.authors(name):
        return convert(opinions.peek(name)) is not None
    return name in opinions.properties and opinions.only_samples(name)


def _check_direction(reading: Reading, opinions: PrimOpinions, direction: Vec3, magnitude: float) -> None:
    length = math.hypot(*direction)
    if length > 0.0 and not abs(length - 1.0) > _UNIT:
        return
    found = f"{direction} has length {length:g}"
    why = ("PhysX takes it as it is: there is no gravity" if length == 0.0 else
           f"PhysX does not normalise it: gravity is {length * magnitude:g} and not {magnitude:g}")
    if math.isfinite(length):
        reading.problem("scene/gravity-direction", opinions.path, "physics:gravityDirection", found, why,
                        "author a direction of length 1", "warning")


def _times(direction: Vec3, magnitude: float) -> Vec3:
    return direction[0] * magnitude, direction[1] * magnitude, direction[2] * magnitude


def _bounds(view: View) -> IterationBounds:
    return IterationBounds(
        (view.count("minPositionIterationCount"), view.count("maxPositionIterationCount")),
        (view.count("minVelocityIterationCount"), view.count("maxVelocityIterationCount")),
    )
