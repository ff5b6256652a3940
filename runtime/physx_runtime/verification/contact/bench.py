"""Experiments on contacts.

The bench for materials: a flat block on a slope and a ball above the ground, both of one material on another.

Which physics materials meet on a stage, and on what.

Why two materials come to another number than one of them authors, and what to author instead.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Usd

from physx_runtime.packing.contacts import later_mode
from physx_runtime.simulation.scene import Scene
from physx_runtime.verification.quantity import Measured, UnsteadyError
from physx_schema.description import describe
from physx_schema.description.collision.materials import DEFAULT_MATERIAL
from physx_schema.description.filter import ColliderSide, CollisionFilter
from physx_schema.description.model import Collider, Description, Link, PhysicsMaterial
from physx_schema.description.scenes import SolverCounts

Array = NDArray[np.float64]

EARTH_GRAVITY = 9.81            # m/s^2, whatever the scene's is
# Side of the block and radius of the ball, m.
BLOCK_SIDE, BALL_RADIUS = 1.0, 0.1
# The block is so flat that it slides long before it topples: of its side, over the steepest slope's tangent.
FLATNESS = 0.1
# Slopes tried at once, and how often the gap between one that holds and one that does not is divided.
SLOPES, ROUNDS = 9, 3
# Steps in which the block comes to rest, in which the ground is tilted, and in which the block is then left alone.
RESTING_STEPS, TILTING_STEPS, LEFT_STEPS = 10, 10, 40
# A block that has gone less has held, of the way without friction: PhysX lets it creep by half of that.
HELD_SHARE = 5e-3
# By how much the steepest slope is steeper than the frictions say, and the tangent of frictionless ground's.
STEEPER, LEAST_SLOPE = 1.5, 0.1
# Speeds of impacts and height of the drop, m/s and m.
IMPACT_SPEED, DROP_HEIGHT = 5.0, 1.0
SPEEDS, LEAST_SPEED, LARGEST_SPEED = 33, 0.1, 10.0      # of impacts at once, in parts of the threshold
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
    """Two materials, and how a scene steps what is made of them."""

    description: Description            # whose first scene it is, and its units
    own: PhysicsMaterial                # of the block and the ball
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
        made = describe(stage)
        own, other = replace(self.own, path=name), replace(self.other, path=_GROUND)
        made = replace(made, scene=self.description.scene, scenes=self.description.scenes, materials=(own, other),
                       bodies=tuple(map(self._body, made.bodies)),
                       static_colliders=_of_material(made.static_colliders, _GROUND))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")     # what is left out is said below
            scene = Scene(made, worlds, dt=self.dt, dtype="float64", solver=self.solver, sleeping=False)
        if scene.not_simulated:
            raise UnsteadyError(f"contacts are not simulated here: {scene.not_simulated[0]}")
        return scene

    def rough(self) -> Surfaces:
        """The same surfaces, rigid and without restitution."""
        own, other = (replace(x, restitution=0.0, compliant_stiffness=0.0) for x in (self.own, self.other))
        return replace(self, own=own, other=other)

    def _body(self, body: Link) -> Link:
        settings = body.body and replace(body.body, position_iterations=self.counts.position,
                                         velocity_iterations=self.counts.velocity)
        return replace(body, scene=self.description.scene.path, body=settings,
                       colliders=_of_material(body.colliders, body.path))


def _of_material(colliders: tuple[Collider, ...], path: str) -> tuple[Collider, ...]:
    return tuple(replace(collider, material=path) for collider in colliders)


# --- the slope -------------------------------------------------------------------------------------------------------

def measure_static_friction(surfaces: Surfaces) -> Measured:
    """The tangent of the steepest slope below the first one on which a flat block starts to slide.

    The block lies on level ground, which is tilted then; restitution and compliance are taken away. Raises
    UnsteadyError where no slope answers.
    """
    steepest = _steepest(surfaces)
    low, high = 0.0, steepest
    for _ in range(ROUNDS):
        slopes = np.linspace(low, high, SLOPES + 1)[1:]     # the ground itself is none: noise would do
        free = 0.5 * EARTH_GRAVITY * surfaces.meter * np.sin(np.arctan(slopes)) * (LEFT_STEPS * surfaces.dt) ** 2
        slid = _tilted(surfaces, slopes, steepest)[0] > HELD_SHARE * free
        if not slid.any():
            raise UnsteadyError(f"a block does not slide on a slope of {math.degrees(math.atan(high)):.4g} degrees")
        first = int(np.argmax(slid))
        low, high = (slopes[first - 1] if first else low), slopes[first]
    middle = 0.5 * float(low + high)
    # a slope that is steeper by less than this lets the block go no farther than one that has held
    return Measured(middle, 0.5 * float(high - low) + HELD_SHARE * middle)


def measure_dynamic_friction(surfaces: Surfaces) -> Measured:
    """What friction takes from a sliding block's speed, of the force that presses it to the slope.

    It may be off by as much as it differs between the first half of the way and the second.
    """
    steepest = _steepest(surfaces)
    halves = _tilted(surfaces, np.array([steepest]), steepest)[1][:, 0] / (LEFT_STEPS // 2 * surfaces.dt)
    cosine = math.cos(math.atan(steepest))
    first, second = steepest - halves / (EARTH_GRAVITY * surfaces.meter * cosine)
    return Measured(0.5 * float(first + second), abs(float(second - first)))


def _steepest(surfaces: Surfaces) -> float:
    frictions = [max(x.static_friction, x.dynamic_friction) for x in (surfaces.own, surfaces.other)]
    largest = max(*frictions, math.prod(frictions))
    if math.isinf(largest):
        raise UnsteadyError("friction is infinite, and no slope is steep enough")
    return STEEPER * largest + LEAST_SLOPE


def _tilted(surfaces: Surfaces, slopes: Array, steepest: float) -> tuple[Array, Array]:
    """How far a block goes down slopes of these tangents while it is left alone, (n,), and what it gains in speed
    in each half of that time, (2, n)."""
    scene = surfaces.rough().scene(_BLOCK, len(slopes), FLATNESS / max(steepest, 1.0))
    block, gravity = scene[_BLOCK], EARTH_GRAVITY * surfaces.meter
    for tilt in (*np.zeros(RESTING_STEPS), *np.arange(1, TILTING_STEPS + 1) / TILTING_STEPS):
        angles = np.arctan(slopes * tilt)
        down = np.stack([np.sin(angles), np.zeros(len(slopes)), -np.cos(angles)], axis=1)
        block.set_row("gravity", gravity * down)
        scene.step()
    place, speeds = np.array(block.get("root_position")[:, 0]), [np.array(block.get("v")[:, 0])]
    for _ in range(2):
        scene.step(LEFT_STEPS // 2)
        speeds.append(np.array(block.get("v")[:, 0]))
    return block.get("root_position")[:, 0] - place, np.diff(speeds, axis=0)


# --- impacts ---------------------------------------------------------------------------------------------------------

def measure_restitution(surfaces: Surfaces) -> Measured:
    """What a ball has of its speed after an impact on level ground, without gravity."""
    speed = max(IMPACT_SPEED * surfaces.meter, 2.0 * surfaces.description.scene.contact.bounce_threshold)
    return Measured(float(_thrown(surfaces, np.array([speed]))[0] / speed), 0.0)


def measure_bounce_threshold(surfaces: Surfaces) -> Measured:
    """The speed of an impact, length/s, from which a ball bounces. Raises UnsteadyError where it never does."""
    threshold = surfaces.description.scene.contact.bounce_threshold
    speeds = threshold * np.geomspace(LEAST_SPEED, LARGEST_SPEED, SPEEDS)
    for _ in range(ROUNDS):
        left = _thrown(surfaces, speeds)
        restitution = float(left[-1] / speeds[-1])
        bounced = np.abs(left - restitution * speeds) <= BOUNCE_TOLERANCE * restitution * speeds
        if restitution <= 0.0:
            raise UnsteadyError("a ball does not bounce")
        first = int(np.argmax(bounced))
        if first == 0:
            return Measured(float(speeds[0]), float(speeds[0]))     # or any speed below it
        low, high = speeds[first - 1], speeds[first]
        speeds = np.linspace(low, high, SPEEDS)
    return Measured(0.5 * float(low + high), 0.5 * float(high - low))


def measure_rebound(surfaces: Surfaces) -> float:
    """How high a ball comes back, length, that is let go DROP_HEIGHT above level ground."""
    scene = surfaces.scene(_BALL, 1)
    ball, gravity = scene[_BALL], EARTH_GRAVITY * surfaces.meter
    start = ball.get("root_position").copy()
    rest = float(start[0, 2])
    start[0, 2] += DROP_HEIGHT * surfaces.meter
    ball.set_row("root_position", start)
    ball.set_row("gravity", np.array([[0.0, 0.0, -gravity]]))
    bounced, highest = False, 0.0
    for _ in range(math.ceil(3.0 * math.sqrt(2.0 * DROP_HEIGHT / EARTH_GRAVITY) / surfaces.dt)):
        scene.step()
        bounced = bounced or float(ball.get("v")[0, 2]) > 0.0
        highest = max(highest, float(ball.get("root_position")[0, 2]) - rest) if bounced else 0.0
    return highest


def _thrown(surfaces: Surfaces, speeds: Array) -> Array:
    """Speeds upward, (n,), once balls thrown to the ground have met it."""
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
class Meeting:
    """A material and one that it meets, on the first two colliders of them that may touch."""

    own: PhysicsMaterial
    other: PhysicsMaterial
    collider: str               # prims of the colliders
    partner: str
    body: str                   # prim of the one of both that moves

    @property
    def other_name(self) -> str:
        """What to call the other material: its prim, or PhysX's own on the collider that has none."""
        return self.other.path or f"PhysX's default material on {self.partner}"


def meetings(description: Description) -> Iterator[Meeting]:
    """Every material with each that it may meet, itself included, materials by path; none that meets nothing."""
    filtered = CollisionFilter(description)
    materials = {material.path: material for material in description.materials}
    groups: dict[str, list[int]] = {}
    movers: dict[str, list[int]] = {}
    for number, side in enumerate(filtered.sides):
        groups.setdefault(side.collider.material, []).append(number)
        if side.moves:
            movers.setdefault(side.collider.material, []).append(number)
    for path, other in product(sorted(groups.keys() & materials.keys()), sorted(groups)):
        # one of two that meet moves; the ground may be thousands of colliders
        candidates = chain(product(movers.get(path, ()), groups[other]), product(groups[path], movers.get(other, ())))
        pair = next((pair for pair in candidates if filtered.meet(*pair)), None)
        if pair is not None:
            side, partner = (filtered.sides[number] for number in pair)
            yield Meeting(materials[path], materials.get(other, DEFAULT_MATERIAL), side.collider.path,
                          partner.collider.path, _mover(side, partner))


def _mover(side: ColliderSide, partner: ColliderSide) -> str:
    return side.body if side.moves else partner.body


@dataclass(frozen=True, slots=True)
class Combining:
    """One number of two materials that meet, and how PhysX combines them."""

    meeting: Meeting
    name: str                   # "static friction"
    own: float
    other: float
    mode: str
    largest: float              # that PhysX takes of one material

    def reason(self) -> str:
        """How both come together and what to author; empty where they are alike."""
        if self.own == self.other and self.mode != "multiply":
            return ""
        how = {"average": "averages", "min": "takes the lesser of", "max": "takes the larger of",
               "multiply": "multiplies"}[self.mode]
        return (f"PhysX {how} it and the {self.other:g} of {self.meeting.other_name} "
                f"({self.meeting.collider} on {self.meeting.partner}); {self._advice()}")

    def _advice(self) -> str:
        """What gives the authored number on this partner."""
        wanted: float | None = None
        if self.mode == "average":
            wanted = 2.0 * self.own - self.other
        elif self.mode == "multiply" and self.other > 0.0:
            wanted = self.own / self.other
        there = {"min": "no less than ", "max": "no more than "}.get(self.mode, "")
        there = f"{there}{1.0 if self.mode == 'multiply' else self.own:g} for {self.meeting.other_name}"
        if wanted is None or not 0.0 <= wanted <= self.largest:
            return f"author {there} to get {self.own:g}"
        return f"author {wanted:g} here, or {there}, to get {self.own:g}"


def friction_of(meeting: Meeting, *, static: bool) -> Combining:
    """The static or the dynamic friction of two materials."""
    a, b = meeting.own, meeting.other
    own, other = (a.static_friction, b.static_friction) if static else (a.dynamic_friction, b.dynamic_friction)
    return Combining(meeting, f"{'static' if static else 'dynamic'} friction", own, other,
                     later_mode(a.friction_combine, b.friction_combine), float("inf"))


def restitution_of(meeting: Meeting) -> Combining:
    """The restitution of two materials."""
    a, b = meeting.own, meeting.other
    return Combining(meeting, "restitution", a.restitution, b.restitution,
                     later_mode(a.restitution_combine, b.restitution_combine), 1.0)
