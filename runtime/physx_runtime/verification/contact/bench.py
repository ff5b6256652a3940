"""Experiments on contact materials: a flat block on a slope and a ball above the ground measure friction and
restitution. `measure_static_friction`, `measure_dynamic_friction`, `measure_restitution`, `measure_bounce_threshold`
and `measure_rebound` are the experiments. `material_pairs` lists the materials that meet on a stage. `friction_of` and
`restitution_of` explain a combined value (PxCombineMode) and what to author.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, product
from typing import Any

import numpy as np
from pxr import Usd

from physx_runtime.arrays import DoubleArray
from physx_runtime.packing.contacts import later_mode
from physx_runtime.simulation.scene import Scene
from physx_runtime.verification.quantity import Measurement, UnsteadyError
from physx_schema.description import describe
from physx_schema.description.collision.materials import DEFAULT_MATERIAL
from physx_schema.description.filter import CollisionFilter, FilterShape
from physx_schema.description.model import Collider, Description, Link, PhysicsMaterial
from physx_schema.description.scenes import SolverCounts

EARTH_GRAVITY = 9.81            # m/s^2, whatever the scene's is
# Side of the block and radius of the ball, m.
BLOCK_SIDE, BALL_RADIUS = 1.0, 0.1
# The block is so flat that it slides long before it topples: of its side, over the steepest slope's tangent.
FLATNESS = 0.1
# Slopes tried at once, and how often the gap between one that holds and one that does not is divided.
SLOPES, REFINEMENTS = 9, 3
# Steps in which the block comes to rest, in which the ground is tilted, and in which the block is then left alone.
RESTING_STEPS, TILTING_STEPS, SLIDING_STEPS = 10, 10, 40
# A block that has gone less has held, of the way without friction: PhysX lets it creep by half of that.
STICKING_FRACTION = 5e-3
# By how much the steepest slope is steeper than the frictions say, and the tangent of frictionless ground's.
SLOPE_FACTOR, MIN_SLOPE = 1.5, 0.1
# Speeds of impacts and height of the drop, m/s and m.
IMPACT_SPEED, DROP_HEIGHT = 5.0, 1.0
SPEEDS, MIN_SPEED, MAX_SPEED = 33, 0.1, 10.0      # of impacts at once, in parts of the threshold
BOUNCE_TOLERANCE = 0.05     # of what restitution gives back, by how much a bounce may differ

_BLOCK, _BALL, _GROUND = "/block", "/ball", "/ground"
_STAGE = """#usda 1.0
(metersPerUnit = {meters})
def {kind} "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {{
    double {size} = {length}
    float3 xformOp:scale = (1, 1, {flat})
    double3 xformOp:translate = (0, 0, {height})
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
}}
def Plane "ground" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {{
    uniform token axis = "Z"
}}
"""


@dataclass(frozen=True, slots=True)
class Surfaces:
    """Two materials, and the settings of the scene that steps them."""

    description: Description            # whose first scene it is, and its units
    material: PhysicsMaterial                # of the block and the ball
    other: PhysicsMaterial              # of the ground
    counts: SolverCounts
    dt: float                           # s
    solver: str                         # "physx" or "ideal"

    @property
    def meter(self) -> float:
        """Length units in a metre."""
        return 1.0 / self.description.scene.meters_per_unit

    def scene(self, name: str, worlds: int, flat: float = 1.0) -> Scene:
        """Worlds of the block or the ball at rest on the ground."""
        block = name == _BLOCK
        length = (BLOCK_SIDE if block else BALL_RADIUS) * self.meter
        text = _STAGE.format(meters=self.description.scene.meters_per_unit, kind="Cube" if block else "Sphere",
                             name=name[1:], size="size" if block else "radius", length=length, flat=flat,
                             height=0.5 * length * flat if block else length)
        stage = Usd.Stage.CreateInMemory()
        stage.GetRootLayer().ImportFromString(text)
        description = describe(stage)
        material, other = replace(self.material, path=name), replace(self.other, path=_GROUND)
        description = replace(description, scene=self.description.scene, scenes=self.description.scenes,
                              materials=(material, other),
                              bodies=tuple(map(self._body, description.bodies)),
                              static_colliders=_of_material(description.static_colliders, _GROUND))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")     # what is left out is said below
            scene = Scene(description, worlds, dt=self.dt, dtype="float64", solver=self.solver, sleeping=False)
        if scene.not_simulated:
            raise UnsteadyError(f"these contacts are not simulated: {scene.not_simulated[0]}")
        return scene

    def without_restitution(self) -> Surfaces:
        """The same surfaces, rigid and without restitution."""
        material, other = (replace(x, restitution=0.0, compliant_stiffness=0.0) for x in (self.material, self.other))
        return replace(self, material=material, other=other)

    def _body(self, body: Link) -> Link:
        settings = body.body and replace(body.body, position_iterations=self.counts.position,
                                         velocity_iterations=self.counts.velocity)
        return replace(body, scene=self.description.scene.path, body=settings,
                       colliders=_of_material(body.colliders, body.path))


def _of_material(colliders: tuple[Collider, ...], path: str) -> tuple[Collider, ...]:
    return tuple(replace(collider, material=path) for collider in colliders)


# --- the slope -------------------------------------------------------------------------------------------------------

def measure_static_friction(surfaces: Surfaces) -> Measurement:
    """The tangent of the steepest slope below the first one on which a flat block starts to slide.

    The block lies on level ground, which is tilted then; restitution and compliance are taken away. Raises
    UnsteadyError where no slope answers.
    """
    max_slope = _max_slope(surfaces)
    low, high = 0.0, max_slope
    for _ in range(REFINEMENTS):
        slopes = np.linspace(low, high, SLOPES + 1)[1:]     # the ground itself is none: noise would do
        free = 0.5 * EARTH_GRAVITY * surfaces.meter * np.sin(np.arctan(slopes)) * (SLIDING_STEPS * surfaces.dt) ** 2
        slid = _slide_on_slopes(surfaces, slopes, max_slope)[0] > STICKING_FRACTION * free
        if not slid.any():
            slope = math.degrees(math.atan(high))
            raise UnsteadyError(f"a test block does not slide on a slope of {slope:.4g} degrees")
        first = int(np.argmax(slid))
        low, high = (slopes[first - 1] if first else low), slopes[first]
    middle = 0.5 * float(low + high)
    # a slope that is steeper by less than this lets the block go no farther than one that has held
    return Measurement(middle, 0.5 * float(high - low) + STICKING_FRACTION * middle)


def measure_dynamic_friction(surfaces: Surfaces) -> Measurement:
    """The deceleration of a sliding block by friction over its normal force per mass.

    Its uncertainty is the difference between the first and second half of the time.
    """
    max_slope = _max_slope(surfaces)
    halves = _slide_on_slopes(surfaces, np.array([max_slope]), max_slope)[1][:, 0] / (SLIDING_STEPS // 2 * surfaces.dt)
    cosine = math.cos(math.atan(max_slope))
    first, second = max_slope - halves / (EARTH_GRAVITY * surfaces.meter * cosine)
    return Measurement(0.5 * float(first + second), abs(float(second - first)))


def _max_slope(surfaces: Surfaces) -> float:
    frictions = [max(x.static_friction, x.dynamic_friction) for x in (surfaces.material, surfaces.other)]
    max_friction = max(*frictions, math.prod(frictions))
    if math.isinf(max_friction):
        raise UnsteadyError("friction is infinite; the test block slides on no slope")
    return SLOPE_FACTOR * max_friction + MIN_SLOPE


def _slide_on_slopes(surfaces: Surfaces, slopes: DoubleArray, max_slope: float) -> tuple[DoubleArray, DoubleArray]:
    """Distances that blocks slide down slopes of these tangents, (n,), and their gains of speed in each half of the
    time, (2, n)."""
    scene = surfaces.without_restitution().scene(_BLOCK, len(slopes), FLATNESS / max(max_slope, 1.0))
    block, gravity = scene[_BLOCK], EARTH_GRAVITY * surfaces.meter
    for tilt in (*np.zeros(RESTING_STEPS), *np.arange(1, TILTING_STEPS + 1) / TILTING_STEPS):
        angles = np.arctan(slopes * tilt)
        down = np.stack([np.sin(angles), np.zeros(len(slopes)), -np.cos(angles)], axis=1)
        block.set_row("gravity", gravity * down)
        scene.step()
    start, speeds = np.array(block.get("root_position")[:, 0]), [np.array(block.get("v")[:, 0])]
    for _ in range(2):
        scene.step(SLIDING_STEPS // 2)
        speeds.append(np.array(block.get("v")[:, 0]))
    return block.get("root_position")[:, 0] - start, np.diff(speeds, axis=0)


# --- impacts ---------------------------------------------------------------------------------------------------------

def measure_restitution(surfaces: Surfaces) -> Measurement:
    """The ratio of a ball's speeds after and before an impact on level ground, without gravity."""
    speed = max(IMPACT_SPEED * surfaces.meter, 2.0 * surfaces.description.scene.contact.bounce_threshold)
    return Measurement(float(_rebound_speeds(surfaces, np.array([speed]))[0] / speed), 0.0)


def measure_bounce_threshold(surfaces: Surfaces) -> Measurement:
    """The speed of an impact, length/s, from which a ball bounces. Raises UnsteadyError where it never does."""
    threshold = surfaces.description.scene.contact.bounce_threshold
    speeds = threshold * np.geomspace(MIN_SPEED, MAX_SPEED, SPEEDS)
    for _ in range(REFINEMENTS):
        outgoing = _rebound_speeds(surfaces, speeds)
        restitution = float(outgoing[-1] / speeds[-1])
        bounced = np.abs(outgoing - restitution * speeds) <= BOUNCE_TOLERANCE * restitution * speeds
        if restitution <= 0.0:
            raise UnsteadyError("the test ball does not bounce")
        first = int(np.argmax(bounced))
        if first == 0:
            return Measurement(float(speeds[0]), float(speeds[0]))     # or any speed below it
        low, high = speeds[first - 1], speeds[first]
        speeds = np.linspace(low, high, SPEEDS)
    return Measurement(0.5 * float(low + high), 0.5 * float(high - low))


def measure_rebound(surfaces: Surfaces) -> float:
    """The rebound height, length, of a ball dropped from DROP_HEIGHT above level ground."""
    scene = surfaces.scene(_BALL, 1)
    ball, gravity = scene[_BALL], EARTH_GRAVITY * surfaces.meter
    start = ball.get("root_position").copy()
    rest_height = float(start[0, 2])
    start[0, 2] += DROP_HEIGHT * surfaces.meter
    ball.set_row("root_position", start)
    ball.set_row("gravity", np.array([[0.0, 0.0, -gravity]]))
    bounced, max_height = False, 0.0
    for _ in range(math.ceil(3.0 * math.sqrt(2.0 * DROP_HEIGHT / EARTH_GRAVITY) / surfaces.dt)):
        scene.step()
        bounced = bounced or float(ball.get("v")[0, 2]) > 0.0
        max_height = max(max_height, float(ball.get("root_position")[0, 2]) - rest_height) if bounced else 0.0
    return max_height


def _rebound_speeds(surfaces: Surfaces, speeds: DoubleArray) -> DoubleArray:
    """Upward speeds, (n,), of balls after their impact on the ground."""
    # no further than its radius in a step
    dt = min(surfaces.dt, BALL_RADIUS * surfaces.meter / float(speeds.max()))
    scene = replace(surfaces, dt=dt).scene(_BALL, len(speeds))
    ball: Any = scene[_BALL]
    velocities = np.zeros((len(speeds), 6))
    velocities[:, 2] = -speeds
    position = ball.get("root_position").copy()
    position[:, 2] += 0.5 * speeds * dt
    ball.set_row("root_position", position)
    ball.set_row("gravity", np.zeros((len(speeds), 3)))
    ball.set_row("v", velocities)
    scene.step(3)
    return np.asarray(ball.get("v")[:, 2], dtype=np.float64).copy()


@dataclass(frozen=True, slots=True)
class MaterialPair:
    """A material and another one, on their first two colliders that may touch."""

    material: PhysicsMaterial
    other: PhysicsMaterial
    collider: str               # prims of the colliders
    partner: str
    body: str                   # prim of the one of both that moves

    @property
    def other_name(self) -> str:
        """The name of the other material: its prim, or PhysX's default on a collider without one."""
        return self.other.path or f"PhysX's default material on {self.partner}"


def material_pairs(description: Description) -> Iterator[MaterialPair]:
    """Every material with each that it may touch, itself included, ordered by path."""
    filtered = CollisionFilter(description)
    materials = {material.path: material for material in description.materials}
    groups: dict[str, list[int]] = {}
    movers: dict[str, list[int]] = {}
    for index, shape in enumerate(filtered.shapes):
        groups.setdefault(shape.collider.material, []).append(index)
        if shape.moves:
            movers.setdefault(shape.collider.material, []).append(index)
    for path, other in product(sorted(groups.keys() & materials.keys()), sorted(groups)):
        # one of two that meet moves; the ground may be thousands of colliders
        candidates = chain(product(movers.get(path, ()), groups[other]), product(groups[path], movers.get(other, ())))
        pair = next((pair for pair in candidates if filtered.can_collide(*pair)), None)
        if pair is not None:
            shape, partner = (filtered.shapes[index] for index in pair)
            yield MaterialPair(materials[path], materials.get(other, DEFAULT_MATERIAL), shape.collider.path,
                               partner.collider.path, _mover(shape, partner))


def _mover(shape: FilterShape, partner: FilterShape) -> str:
    return shape.body if shape.moves else partner.body


@dataclass(frozen=True, slots=True)
class CombinedValue:
    """One number of two materials in contact, and how PhysX combines them."""

    pair: MaterialPair
    name: str                   # "static friction"
    value: float
    other: float
    mode: str
    max_value: float              # that PhysX takes of one material

    def reason(self) -> str:
        """How the two values combine and what to author; empty where they are equal."""
        if self.value == self.other and self.mode != "multiply":
            return ""
        verb = {"average": "averages", "min": "takes the smaller of", "max": "takes the larger of",
                "multiply": "multiplies"}[self.mode]
        return (f"PhysX {verb} this value and the value {self.other:g} of {self.pair.other_name} "
                f"({self.pair.collider} on {self.pair.partner}); {self._advice()}")

    def _advice(self) -> str:
        """What gives the authored number on this partner."""
        solution: float | None = None
        if self.mode == "average":
            solution = 2.0 * self.value - self.other
        elif self.mode == "multiply" and self.other > 0.0:
            solution = self.value / self.other
        other_value = {"min": "at least ", "max": "at most "}.get(self.mode, "")
        other_value = f"{other_value}{1.0 if self.mode == 'multiply' else self.value:g} for {self.pair.other_name}"
        if solution is None or not 0.0 <= solution <= self.max_value:
            return f"author {other_value} to get {self.value:g}"
        return f"author {solution:g} here, or {other_value}, to get {self.value:g}"


def friction_of(pair: MaterialPair, *, static: bool) -> CombinedValue:
    """The static or the dynamic friction of two materials."""
    a, b = pair.material, pair.other
    value, other = (a.static_friction, b.static_friction) if static else (a.dynamic_friction, b.dynamic_friction)
    return CombinedValue(pair, f"{'static' if static else 'dynamic'} friction", value, other,
                         later_mode(a.friction_combine, b.friction_combine), float("inf"))


def restitution_of(pair: MaterialPair) -> CombinedValue:
    """The restitution of two materials."""
    a, b = pair.material, pair.other
    return CombinedValue(pair, "restitution", a.restitution, b.restitution,
                         later_mode(a.restitution_combine, b.restitution_combine), 1.0)
