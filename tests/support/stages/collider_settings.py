"""Stages of colliders: every setting, filtered pairs, and triggers.

Colliders of every shape and owner with one of the settings that PhysX reads, each under a ball that shows it.

The ball falls fast and spins. A contact offset decides whether it stops on the surface or in it, a rest offset how high
it stays, a torsional patch how long it spins, and a hull's limit where its surface is.

Stages of bodies in one another with filtered pairs, and which of them meet all the same, as measured in PhysX.

A stage of bodies of many shapes that fall through static triggers of many shapes, each body through its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from support.physx.falling_through import PAIRS as TRIGGER_PAIRS
from support.stages.meshes import ball, box, mesh_prim
from support.stages.parts import Attributes
from support.stages.robots import HEAD, joint, link, placed, prim, robot

DT, STEPS = 1 / 60, 24
STATIC, KINEMATIC, BODY, LINK = OWNERS = ("static", "kinematic", "body", "link")
RADIUS, TOP = 0.1, 0.5      # m, of the ball; of what it falls on
GAP, ASIDE = 0.18, (0.02, 0.01)     # m, how far above and beside the middle it begins
APART = 4.0                 # m, between colliders
SPEED, SPIN = -4.0, 1000.0  # m/s, degrees/s
HEAVY = 1e6                 # kg, of what the ball does not move
PRIMITIVES: Mapping[str, Attributes] = {
    "Cube": {"double size": 1.0}, "Sphere": {"double radius": 0.5},
    "Capsule": {"double radius": 0.3, "double height": 0.4}, "Cylinder": {"double radius": 0.5, "double height": 1.0},
    "Cone": {"double radius": 0.5, "double height": 1.0},
}
PLANE = "Plane"
APPROXIMATIONS = ("none", "convexHull", "boundingCube", "boundingSphere", "convexDecomposition", "meshSimplification",
                  "sdf", "sphereFill")
MESH_APIS = {"convexHull": "PhysxConvexHullCollisionAPI", "convexDecomposition": "PhysxConvexDecompositionCollisionAPI",
             "sdf": "PhysxSDFMeshCollisionAPI", "sphereFill": "PhysxSphereFillCollisionAPI",
             "meshSimplification": "PhysxTriangleMeshSimplificationCollisionAPI",
             "none": "PhysxTriangleMeshCollisionAPI"}


class Cell(NamedTuple):
    """A collider: what has it, and what it is, a type of USD or an approximation of a mesh."""

    owner: str
    shape: str


CELLS = tuple(Cell(owner, shape) for shape in (*PRIMITIVES, *APPROXIMATIONS) for owner in OWNERS)
# A body that forces move has no plane.
PLANES = tuple(Cell(owner, PLANE) for owner in (STATIC, KINEMATIC))
OWN = "PhysxCollisionAPI"
# What is authored on colliders, by the schemas applied for it.
SETTINGS: Mapping[str, tuple[tuple[str, ...], Attributes]] = {
    "nothing": ((), {}),
    "contactOffset": ((OWN,), {"float physxCollision:contactOffset": 0.3}),
    "restOffset": ((OWN,), {"float physxCollision:restOffset": 0.03}),
    "torsionalPatchRadius": ((OWN,), {"float physxCollision:torsionalPatchRadius": 0.5}),
    "minTorsionalPatchRadius": ((OWN,), {"float physxCollision:minTorsionalPatchRadius": 0.1}),
    "contactMargin": ((), {"float newton:contactMargin": 0.03}),
    "contactGap": ((), {"float newton:contactGap": 0.3}),
    "margin and gap": ((), {"float newton:contactMargin": 0.03, "float newton:contactGap": 0.001}),
    "both contacts": ((OWN,), {"float physxCollision:contactOffset": 0.3, "float newton:contactGap": 0.0}),
    "rest and gap": ((OWN,), {"float physxCollision:restOffset": 0.03, "float newton:contactGap": 0.001}),
    "rest above contact": (
        (OWN,), {"float physxCollision:contactOffset": 0.01, "float physxCollision:restOffset": 0.02}),
    "margin above contact": (
        (OWN,), {"float physxCollision:contactOffset": 0.01, "float newton:contactMargin": 0.02}),
    "negative rest": ((OWN,), {"float physxCollision:restOffset": -0.03}),
    "hullVertexLimit": ((), {"int physxConvexHullCollision:hullVertexLimit": 8}),
    "maxHullVertices": ((), {"int newton:maxHullVertices": 8}),
    "margin of a core": ((), {"float physxConvexGeometry:margin": 0.05}),
}


def stages(setting: str) -> Iterator[tuple[tuple[Cell, ...], str]]:
    """Stages with the cells in them: one of all that can be beside each other, and one for each plane."""
    yield CELLS, _stage(CELLS, setting)
    for plane in PLANES:
        yield (plane,), _stage((plane,), setting)


def ball_of(place: int) -> str:
    """The ball over a cell, by its place among those of the stage."""
    return f"/World/ball{place:02}"


def place_of(place: int, cell: Cell) -> str:
    """The collider of a cell, likewise."""
    link = "/link" if cell.owner == LINK else ""
    return f"/World/c{place:02}{link}/{'mesh' if cell.shape in APPROXIMATIONS else 'shape'}"


def _stage(cells: Sequence[Cell], setting: str) -> str:
    schemas, values = SETTINGS[setting]
    parts = []
    for i, cell in enumerate(cells):
        at = (APART * (i % 8 - 3.5), APART * (i // 8 - 3.5), 0.0)
        parts += [_owned(cell, f"c{i:02}", at, _collider(cell, schemas, values)), _ball(f"ball{i:02}", at)]
    return (HEAD.format(meters=1, kilograms=1).replace("Robot", "World")
            + prim("Xform", "World", (), {}, prim("PhysicsScene", "scene") + "".join(parts)))


def _collider(cell: Cell, schemas: Sequence[str], values: Attributes) -> str:
    if cell.shape == PLANE:
        return prim(PLANE, "shape", ("PhysicsCollisionAPI", *schemas),
                    {"uniform token axis": "Z", **placed((0.0, 0.0, TOP)), **values})
    if cell.shape in PRIMITIVES:
        return prim(cell.shape, "shape", ("PhysicsCollisionAPI", *schemas), {**PRIMITIVES[cell.shape], **values})
    own = (MESH_APIS[cell.shape],) if cell.shape in MESH_APIS else ()
    return mesh_prim(ball(12, 8), cell.shape, (*own, *schemas), more=values)


def _owned(cell: Cell, name: str, at: tuple[float, ...], shape: str) -> str:
    if cell.owner == STATIC:
        return prim("Xform", name, (), placed(at), shape)
    if cell.owner == KINEMATIC:
        return prim("Xform", name, ("PhysicsRigidBodyAPI",), {"bool physics:kinematicEnabled": True, **placed(at)},
                    shape)
    heavy: Attributes = {"float physics:mass": HEAVY, "float3 physics:diagonalInertia": (HEAVY, HEAVY, HEAVY),
                         "bool physxRigidBody:disableGravity": True}
    body = ("PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI")
    if cell.owner == BODY:
        return prim("Xform", name, body, {**heavy, **placed(at)}, shape)
    path = f"/World/{name}"
    return prim("Xform", name, ("PhysicsArticulationRootAPI",), placed(at), prim("Xform", "base", body, heavy)
                + prim("Xform", "link", body, heavy, shape)
                + prim("PhysicsFixedJoint", "anchor", (), {"rel physics:body1": f"<{path}/base>",
                                                           "point3f physics:localPos0": at})
                + prim("PhysicsFixedJoint", "joint", (), {"rel physics:body0": f"<{path}/base>",
                                                          "rel physics:body1": f"<{path}/link>"}))


def _ball(name: str, at: tuple[float, ...]) -> str:
    place = (at[0] + ASIDE[0], at[1] + ASIDE[1], TOP + RADIUS + GAP)
    values: Attributes = {"float physics:mass": 1.0, "vector3f physics:velocity": (0.0, 0.0, SPEED),
                          "vector3f physics:angularVelocity": (0.0, 0.0, SPIN),
                          "float physxRigidBody:sleepThreshold": 0.0, **placed(place)}
    return prim("Xform", name, ("PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI"), values,
                prim("Sphere", "shape", ("PhysicsCollisionAPI",), {"double radius": RADIUS}))


# --- filtered pairs --------------------------------------------------------------------------------------------------

ROOT, PAIRS = "PhysicsArticulationRootAPI", "PhysicsFilteredPairsAPI"
CUBE = prim("Cube", "shape", ("PhysicsCollisionAPI",))
TREE = ("base", "base/a", "base/a/b", "base/a/b/c")        # each body in the one before
ROW = ("base", "a", "b", "c")


class Filtered(NamedTuple):
    """Bodies under /Robot, by their names the pairs that touch."""

    text: str
    meeting: frozenset[str]


def body(name: str, inside: str = "", pairs: str = "", schemas: Iterable[str] = (),
         more: Mapping[str, object] | None = None) -> str:
    """A cube that moves; pairs: the prim under /Robot with which it is filtered."""
    more = {**(more or {}), **({"rel physics:filteredPairs": f"</Robot{pairs}>"} if pairs else {})}
    return link(name, (0.1, 0, 0), (*schemas, *((PAIRS,) if pairs else ())), children=CUBE + inside, more=more)


def tree(base: str = "", a: str = "", c: str = "", schemas: Iterable[str] = (ROOT,)) -> str:
    """Bodies in one another, filtered with these."""
    return body("base", body("a", body("b", body("c", pairs=c)), a), base, schemas)


def joints(names: tuple[str, ...]) -> str:
    """From each body to the next."""
    return "".join(joint("Revolute", f"j{i}", *names[i:i + 2]) for i in range(len(names) - 1))


def row(within: str = "", of_c: str = "") -> str:
    """Links beside one another."""
    return "".join(body(name, pairs=of_c if name == "c" else "") for name in ROW) + joints(ROW) + within


def group(name: str, inside: str) -> str:
    """A prim above others that PhysX makes nothing of."""
    return prim("Xform", name, (), {}, inside)


def made(text: str, meeting: str, root: bool = False, outside: str = "") -> Filtered:
    """A stage; meeting: names of bodies, such as "a-c b-c"."""
    return Filtered(robot(text, schemas=(ROOT,) if root else (), outside=outside), frozenset(meeting.split()))


FREE_OF_ROW = "a-c b-base base-c"
_OTHERS = "a-free b-free base-free c-free"
FILTERED = {
    "a root link and its child": made(tree(base="/base/a") + joints(TREE), "b-base base-c"),
    "a link and the root link above it": made(tree(a="/base") + joints(TREE), "b-base base-c"),
    "a link and one above it": made(tree(c="/base/a") + joints(TREE), "b-base base-c"),
    "a body and one in it": made(tree(base="/base/a", schemas=()), "a-b a-c b-base b-c base-c"),
    "a body and one around it": made(tree(c="/base", schemas=()), "a-b a-c a-base b-base b-c"),
    "a body and a robot": made(row() + body("free", pairs="/base", schemas=()), "a-free b-free c-free " + FREE_OF_ROW,
                               root=True),
    "a body and a prim with a robot of nested links": made(
        group("over", tree().replace("</Robot", "</Robot/over"))
        + joints(TREE).replace("</Robot", "</Robot/over") + body("free", pairs="/over"), "a-c b-base base-c"),
    "a body and a prim with bodies in one another": made(
        group("over", body("p") + body("q", body("r"))) + body("free", pairs="/over"), "free-r p-q p-r q-r"),
    "a body and a prim with a body without colliders": made(
        group("over", link("p", children=body("q"))) + body("free", pairs="/over"), "free-q"),
    "a body and one without colliders": made(link("p", children=body("q")) + body("free", pairs="/p"), "free-q"),
    "a body and a collider in a collider": made(
        link("p", children=prim("Cube", "shape", ("PhysicsCollisionAPI",), {}, CUBE))
        + body("free", pairs="/p/shape"), "free-p"),
    "a body and a disabled body": made(
        body("p", body("q"), more={"bool physics:rigidBodyEnabled": False}) + body("free", pairs="/p"),
        "free-q p-q"),
    "a body and a joint": made(row() + body("free", pairs="/j0"), f"{FREE_OF_ROW} {_OTHERS}", root=True),
    "a body and a collision group": made(
        row(prim("PhysicsCollisionGroup", "all", ("CollectionAPI:colliders",),
                 {"rel collection:colliders:includes": "</Robot>"})) + body("free", pairs="/all"),
        f"{FREE_OF_ROW} {_OTHERS}", root=True),
}


# --- trigger stages --------------------------------------------------------------------------------------------------

TRIGGER_GAP, HIGH = 3.0, 1.6
TURN = (0.8446232, 0.1910485, 0.3820971, 0.3223604)
SHAPES: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "ball": ("Sphere", {"double radius": 0.3}),
    "box": ("Cube", {"double size": 0.5}),
    "capsule": ("Capsule", {"double radius": 0.2, "double height": 0.4, "uniform token axis": "X"}),
    "cylinder": ("Cylinder", {"double radius": 0.25, "double height": 0.5, "uniform token axis": "Z"}),
    "cone": ("Cone", {"double radius": 0.3, "double height": 0.5, "uniform token axis": "Z"}),
}


def shape(kind: str, name: str, schemas: tuple[str, ...], place: Mapping[str, object]) -> str:
    if kind == "hull":
        return mesh_prim(box(0.5, 0.3, 0.4), "convexHull", schemas, name, more=place)
    of_type, sizes = SHAPES[kind]
    return prim(of_type, name, ("PhysicsCollisionAPI", *schemas), {**sizes, **place})


def falling() -> str:
    """Zones in a row and bodies above them, a little aside so that they graze."""
    head = '#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n'
    return head + prim("PhysicsScene", "scene") + "".join(_pairs())


def _pairs() -> Iterator[str]:
    for i, (zone, other) in enumerate(TRIGGER_PAIRS):
        x = TRIGGER_GAP * i
        yield shape(zone, f"zone_{zone}_{other}", ("PhysxTriggerAPI",), placed((x, 0.0, 0.0), orient=TURN))
        yield prim("Xform", f"body_{zone}_{other}", ("PhysicsRigidBodyAPI",), {
            **placed((x + 0.33, 0.1, HIGH), orient=TURN[::-1]), "vector3f physics:angularVelocity": (90.0, 40.0, 0.0)},
            shape(other, "shape", (), {}))
