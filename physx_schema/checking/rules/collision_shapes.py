"""Rules on bodies with a collision shape that differs from the visible one: none, or the hull of a hollow mesh."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import DRIVEN, Finding
from physx_schema.checking.engine.rule import Rule, finder
from physx_schema.description import Articulation, Collider, Description, Link

_OPEN = 0.1             # share of a hull's surface; a coarse sphere leaves 0.085 of the hull of 64 corners, a cube none
_SIZE = {"double size": "0.1"}
_APPROXIMATION = "uniform token physics:approximation"
# An open box without its upper side, whose hull is the whole box.
_OPEN_BOX = {
    "point3f[] points": "[(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]",
    "int[] faceVertexCounts": "[4, 4, 4, 4, 4]",
    "int[] faceVertexIndices": "[0, 3, 2, 1, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7]"}


def _thing(*schemas: str) -> str:
    """A body that is seen, and another with a collider."""
    shape = usda.prim("Cube", "shape", _SIZE, *schemas)
    return usda.body(children=shape) + usda.body(name="other", children=usda.cube())


def _open_box(approximation: str) -> str:
    """A body that is an open box."""
    mesh = usda.prim("Mesh", "shape", {**_OPEN_BOX, _APPROXIMATION: f'"{approximation}"'}, "PhysicsCollisionAPI",
                     "PhysicsMeshCollisionAPI")
    return usda.body(children=mesh)


NO_COLLIDER = Rule("body/no-collider", "warning", """
    Visible body without a collider

    A body with rendered geometry but no collider passes through everything. For a link on a fixed joint the severity is
    info.

    Measured: A body falls through the ground to height -4.405 in one second. With PhysicsCollisionAPI the body rests at
    height 0.500.
    (`experiments/measure_plausibility.py`)
    """,
    why="the body passes through everything",
    fix="apply PhysicsCollisionAPI to the body's geometry, or to simpler shapes below the body",
    example=_thing(),
    remedy=_thing("PhysicsCollisionAPI"),
)

SHAPELESS = Rule("body/shapeless", "error", """
    Body without any collider

    SimReady RB.013, unlike PhysX, requires a collider on or below every enabled body, including sensor frames and
    kinematic bodies.

    Measured: A body without a collider starts above the ground and is at height -4.405 after one second.
    (`experiments/measure_plausibility.py`)
    """,
    why="the body has no contacts; SimReady RB.013 requires a collider on every body",
    fix="apply PhysicsCollisionAPI to a shape below the body, or replace the body by an Xform below the body that "
        "carries it",
    profiles=(DRIVEN,),
)

HULL_FOR_MESH = Rule("collider/hull-for-mesh", "warning", """
    Hollow mesh that collides as its convex hull

    On a dynamic body PhysX uses the convex hull of a mesh if the approximation is none, meshSimplification, unknown or
    missing. A convex hull closes the hollows and openings of the mesh.

    Measured: A ball rests on the rim of a dynamic tray, at height 0.700. With the approximation sdf the ball rests on
    the tray's floor, at height 0.200.
    (`experiments/measure_plausibility.py`)
    """,
    why="other bodies rest on the convex hull instead of inside the mesh; PhysX logs no message",
    fix="author physics:approximation with PhysicsMeshCollisionAPI: convexDecomposition or sdf keeps the hollow, "
        "convexHull confirms the hull",
    example=_open_box("none"),
    remedy=_open_box("convexDecomposition"),
)


@finder("bodies-without-colliders", NO_COLLIDER, SHAPELESS)
def without_colliders(description: Description) -> Iterator[Finding]:
    """Find bodies without colliders."""
    links = chain(description.bodies, *(item.links for item in description.articulations))
    solid = bool(description.static_colliders) or any(link.colliders for link in links)
    for item in description.articulations:
        yield from _of_robot(item, solid)
    for body in description.bodies:
        if not body.has_collider:
            yield _bare(body) if solid and not body.kinematic else _shapeless(body)


def _of_robot(robot: Articulation, solid: bool) -> Iterator[Finding]:
    """Findings of links; a fixed base on a stage where nothing is solid has nothing to pass through."""
    bare = [link for link in robot.links if not link.has_collider]
    shown = sum(link.shows_geometry for link in bare)
    if len(bare) < len(robot.links):
        yield from map(_bare, bare)
        return
    if shown and (solid or not robot.fixed_base):
        yield NO_COLLIDER.at(robot.path, "",
                             f"none of the {len(bare)} links has a collider, although {shown} have rendered geometry")
    yield from map(_shapeless, bare)


def _bare(body: Link) -> Finding:
    if not body.shows_geometry:
        return _shapeless(body)
    welded = body.joint is not None and not body.joint.dofs
    return NO_COLLIDER.at(body.path, "", "the body has rendered geometry and no collider",
                          severity="info" if welded else "warning")


def _shapeless(body: Link) -> Finding:
    return SHAPELESS.at(body.path, "", "the body has no collider")


@finder("hulls-for-meshes", HULL_FOR_MESH)
def hulls_for_meshes(description: Description) -> Iterator[Finding]:
    """Find meshes of moving bodies with a surface that differs from their hull."""
    authored = {item.path for item in description.authored if item.property == "physics:approximation"}
    links = chain(description.bodies, *(item.links for item in description.articulations))
    for collider in chain.from_iterable(link.colliders for link in links):
        share = collider.uncovered() if collider.uncovered is not None and collider.enabled else 0.0
        if share > _OPEN:
            yield _hull(collider, share, collider.path in authored)


def _hull(collider: Collider, share: float, authored: bool) -> Finding:
    token = f"approximation {collider.approximation!r}" if authored else "no approximation"
    where = "" if collider.geometry == collider.path else f" of {collider.geometry}"
    return HULL_FOR_MESH.at(
        collider.path, "physics:approximation",
        f"{token} on a moving body; PhysX uses the convex hull{where}; {share:.0%} of the hull's surface is not "
        "covered by the mesh",
    )
