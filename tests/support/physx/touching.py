"""Colliders of a stage as the arrays of the narrow phase, and where real PhysX has them touch, step by step.

Recorded motions of touching bodies, kept small in a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from physx_runtime.collision import shapes as kinds
from physx_runtime.collision.broad_phase.pair_order import creation_ranks
from physx_runtime.collision.meshes.triangle_mesh import meshes_of
from physx_runtime.collision.pair_table import PairTable, generate
from physx_runtime.collision.shapes import CONTACT, EMPTY, NO_OWNER, SHAPE, Geometry, Hulls
from physx_runtime.packing.hulls import pack_geometry
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from physx_schema.description import describe
from physx_schema.description.model import Collider

Array = NDArray[Any]
NO_MESH = SimpleNamespace(cooked=None)      # a collider of which nothing is cooked
SIN_45 = np.float32(0.70710683)         # as the engine turns axes: not quite of unit length
TURNS = {"X": (0, 0, 0, 1), "Y": (0, 0, SIN_45, SIN_45), "Z": (0, -SIN_45, 0, SIN_45)}
PLANE_TURNS = {"X": (0, 0, 0, 1), "Y": (SIN_45, SIN_45, 0, 0), "Z": (SIN_45, 0, SIN_45, 0)}         # half turns
CAPSULE_TURNS = {"X": (0, 0, 0, 1), "Y": (SIN_45, -SIN_45, 0, 0), "Z": (SIN_45, 0, -SIN_45, 0)}


@dataclass(frozen=True)
class Touching:
    """A recorded motion: shapes, their bodies' poses at the start of each step, and PhysX's contacts of that step."""

    shapes: Array               # of dtype SHAPE
    bodies: tuple[str, ...]     # paths; the first `moving` are moved by forces
    moving: int
    apart: tuple[tuple[int, int], ...]      # shapes that do not meet
    poses: Array                # (steps, bodies, 7)
    contacts: tuple[dict[tuple[int, int], Array], ...]    # by step and bodies (side 0, side 1): CONTACT rows in order
    meshes: tuple[tuple[Array, Array, Array], ...] = ()     # of shapes: points, triangles, scale
    geometry: Geometry = EMPTY  # hulls of the shapes
    metre: float = 1.0          # in the stage's unit


def shapes_of(stage: Usd.Stage, offsets: Mapping[str, Sequence[float]],
              ) -> tuple[Array, Geometry, list[str], int, Array, tuple[tuple[Array, Array, Array], ...]]:
    """Shapes and what they are made of, paths of bodies, how many of them move, the poses of all, and meshes.

    offsets: contact offsets as the engine has them, by body.
    """
    cache = UsdGeom.XformCache()
    colliders, moving = _colliders(stage), list(_moving(stage))
    static = [prim.GetPath().pathString for prim in colliders if not _body(prim)]
    bodies = moving + static
    shapes = np.zeros(len(colliders), SHAPE)
    links = [path for path, body in _moving(stage).items() if _is_link(body)]
    free = moving[len(links):]
    ranks = creation_ranks(len(free), len(static))
    precedence = {path: -rank for path, rank in zip(free, ranks, strict=False)}     # behind them those of statics
    precedence |= {path: -len(bodies) - k for k, path in enumerate(links)}
    used: dict[str, int] = {}
    meshes: list[tuple[Array, Array, Array]] = []
    cooked = _meshes(stage)
    for shape, prim in zip(shapes, colliders, strict=True):
        home = _body(prim) or prim
        path = home.GetPath().pathString
        shape["body"] = bodies.index(path)
        shape["precedence"] = precedence.get(path, len(bodies))
        shape["owner"] = _calm_owner(home)
        local, scale = _local(prim, home, cache)
        shape["geometry"] = -1
        if prim.IsA(UsdGeom.Mesh) and prim.GetPath().pathString not in cooked:
            shape["kind"], shape["geometry"], turn = kinds.MESH, len(meshes), TURNS["X"]
            turned = cache.GetLocalToWorldTransform(prim).GetDeterminant() < 0.0
            meshes.append(_mesh(prim, -scale if turned else scale))
        else:
            shape["kind"], shape["size"], turn = _geometry(prim, scale)
        shape["position"], shape["rotation"] = local[:3], _product(local[3:], turn)
        known = offsets.get(path)
        authored = prim.GetAttribute("physxCollision:contactOffset")
        if known is not None:
            shape["contact_offset"] = known[used.get(path, 0)]
        elif authored and authored.HasAuthoredValue():
            shape["contact_offset"] = authored.Get()
        else:
            shape["contact_offset"] = _automatic_offset(shape, 1.0 / UsdGeom.GetStageMetersPerUnit(stage))
        used[path] = used.get(path, 0) + 1
    geometry = pack_geometry(shapes, [cooked.get(prim.GetPath().pathString, NO_MESH) for prim in colliders])
    poses = np.array([_pose(cache.GetLocalToWorldTransform(stage.GetPrimAtPath(path))) for path in bodies], np.float32)
    return shapes, geometry, bodies, len(moving), poses, tuple(meshes)


def recorded(stages: Sequence[str], steps: int, dt: float = 1 / 60) -> list[Touching]:
    """What PhysX does with stages, given by USDA text or path; the oracle's folder must be on sys.path."""
    from scene_recorder import record

    opened = [_reporting(stage) for stage in stages]
    jobs = [{"usd": stage.ExportToString(), "dt": dt, "steps": steps,
             "contacts": list(_moving(stage))} for stage in opened]
    return [_touching(stage, result) for stage, result in zip(opened, record(jobs), strict=True)]


def _touching(stage: Usd.Stage, result: Mapping[str, Any]) -> Touching:
    offsets = {path: row["contactOffset"] for path, row in result["props"].items() if "contactOffset" in row}
    shapes, geometry, bodies, moving, start, meshes = shapes_of(stage, offsets)
    poses = np.repeat(start[None], len(result["contacts"]), axis=0)
    for column, path in enumerate(result["paths"]):
        if path in bodies:
            place = bodies.index(path)
            poses[:, place, :3] = result["pos"][:-1, column]
            poses[:, place, 3:] = result["quat"][:-1, column]
    return Touching(shapes, tuple(bodies), moving, tuple(joined_shapes(stage, shapes, bodies)), poses,
                    tuple(_by_bodies(rows, bodies) for rows in result["contacts"]), meshes, geometry,
                    1.0 / UsdGeom.GetStageMetersPerUnit(stage))


def _by_bodies(rows: Sequence[Any], bodies: Sequence[str]) -> dict[tuple[int, int], Array]:
    found: dict[tuple[int, int], list[Any]] = {}
    for body, other, _, point, normal, separation in rows:
        sides = bodies.index(body), bodies.index(other)
        if sides[0] < sides[1]:     # between reporting bodies each contact is told from either side
            found.setdefault(sides, []).append((0, point, normal, separation))
    return {sides: np.array(contacts, CONTACT) for sides, contacts in found.items()}


def differences(touching: Touching) -> Iterator[tuple[int, tuple[int, int], Array, Array]]:
    """Per step and pair of bodies the contacts made here of the recorded poses, and PhysX's.

    Where two bodies have several pairs of shapes, PhysX's report of a step begins with those that begin to touch in it.
    """
    table = PairTable(touching.shapes, touching.moving, excluded_pairs=touching.apart,
                      geometry=touching.geometry._replace(meshes=meshes_of(touching.meshes)),
                      tolerance_length=touching.metre)
    known: set[int] = set()     # pairs that touched a step ago, by birth
    for step, poses in enumerate(touching.poses):
        contacts = generate(table, np.ascontiguousarray(poses))
        own: dict[tuple[int, int], list[int]] = {}
        born = table.rows["creation_index"][contacts["pair"]]
        for row in sorted(range(len(contacts)), key=lambda row: int(born[row]) in known):
            pair = table.rows[contacts["pair"][row]]
            sides = sorted(int(touching.shapes["body"][pair[name]]) for name in ("shape0", "shape1"))
            own.setdefault((sides[0], sides[1]), []).append(row)
        known = set(born.tolist())
        for sides in own.keys() | touching.contacts[step].keys():
            yield step, sides, contacts[own.get(sides, [])], touching.contacts[step].get(sides, np.zeros(0, CONTACT))


def _reporting(stage: str) -> Usd.Stage:
    """A stage whose moving bodies report all their contacts."""
    if stage.lstrip().startswith("#usda"):
        opened = Usd.Stage.CreateInMemory()
        opened.GetRootLayer().ImportFromString(stage)
    else:
        opened = Usd.Stage.Open(stage)
        opened.SetEditTarget(opened.GetSessionLayer())
    for prim in _moving(opened).values():
        prim.AddAppliedSchema("PhysxContactReportAPI")
        prim.CreateAttribute("physxContactReport:threshold", Sdf.ValueTypeNames.Float).Set(0.0)
    return opened


def _moving(stage: Usd.Stage) -> dict[str, Usd.Prim]:
    """Bodies with colliders by path, links first."""
    bodies = [body for prim in _colliders(stage) if (body := _body(prim))]
    found = {body.GetPath().pathString: body for body in bodies}
    return dict(sorted(found.items(), key=lambda item: (not _is_link(item[1]), item[0])))


def _colliders(stage: Usd.Stage) -> list[Usd.Prim]:
    return [prim for prim in stage.Traverse() if prim.HasAPI(UsdPhysics.CollisionAPI)]


def _body(prim: Usd.Prim) -> Usd.Prim | None:
    while prim and not prim.HasAPI(UsdPhysics.RigidBodyAPI):
        prim = prim.GetParent()
    return prim or None


def _is_link(prim: Usd.Prim) -> bool:
    while prim and not prim.HasAPI(UsdPhysics.ArticulationRootAPI):
        prim = prim.GetParent()
    return bool(prim)


def _calm_owner(prim: Usd.Prim) -> int:
    """0 for links of an articulation that does not collide with itself; the stages have one at most."""
    while prim and not prim.HasAPI(UsdPhysics.ArticulationRootAPI):
        prim = prim.GetParent()
    authored = prim.GetAttribute("physxArticulation:enabledSelfCollisions") if prim else None
    return 0 if authored and authored.Get() is False else NO_OWNER


def joined_shapes(stage: Usd.Stage, shapes: Array, bodies: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of shapes whose bodies a joint holds together."""
    pairs = []
    for prim in stage.Traverse():
        if joint := UsdPhysics.Joint(prim):
            sides = [targets[0].pathString if (targets := side.GetTargets()) else ""
                     for side in (joint.GetBody0Rel(), joint.GetBody1Rel())]
            if set(sides) <= set(bodies):
                ends = [np.flatnonzero(shapes["body"] == bodies.index(path)) for path in sides]
                pairs += [(int(i), int(j)) for i in ends[0] for j in ends[1]]
    return pairs


def _meshes(stage: Usd.Stage) -> dict[str, Collider]:
    """The colliders of meshes whose hulls PhysX cooks."""
    found = describe(stage)
    bodies = [*found.bodies, *(link for item in found.articulations for link in item.links)]
    colliders = [*found.static_colliders, *(shape for body in bodies for shape in body.colliders)]
    return {shape.path: shape for shape in colliders if shape.kind == "convex-hull"}


def _pose(matrix: Gf.Matrix4d) -> list[float]:
    rotation = matrix.RemoveScaleShear().ExtractRotationQuat().GetNormalized()
    return [*matrix.ExtractTranslation(), *rotation.GetImaginary(), rotation.GetReal()]


def _local(prim: Usd.Prim, home: Usd.Prim, cache: Any) -> tuple[Array, Array]:
    """Where a collider is in its body, and how it is scaled."""
    world, body = cache.GetLocalToWorldTransform(prim), cache.GetLocalToWorldTransform(home).RemoveScaleShear()
    scale = np.array([Gf.Vec3d(*world.GetRow3(k)).GetLength() for k in range(3)])
    return np.array(_pose(world.RemoveScaleShear() * body.GetInverse()), np.float32), scale


def _geometry(prim: Usd.Prim, scale: Array) -> tuple[int, tuple[float, ...], tuple[Any, ...]]:
    """Kind, size, and how its axis is turned."""
    value = {name: prim.GetAttribute(name).Get() for name in ("size", "radius", "height", "axis")
             if prim.HasAttribute(name)}
    if prim.IsA(UsdGeom.Cube):
        return kinds.BOX, tuple(np.float32(value["size"] / 2) * np.float32(scale)), TURNS["X"]
    if prim.IsA(UsdGeom.Sphere):
        return kinds.SPHERE, (value["radius"] * scale[0], 0, 0), TURNS["X"]
    if prim.IsA(UsdGeom.Plane):
        return kinds.PLANE, (0, 0, 0), PLANE_TURNS[value["axis"]]
    if prim.IsA(UsdGeom.Capsule):
        size = (value["radius"] * scale[0], value["height"] * scale[0] / 2, 0)
        return kinds.CAPSULE, size, CAPSULE_TURNS[value["axis"]]
    if prim.IsA(UsdGeom.Cylinder) or prim.IsA(UsdGeom.Cone):
        size = (value["radius"] * scale[0], value["height"] * scale[0] / 2, 0)
        return kinds.CYLINDER if prim.IsA(UsdGeom.Cylinder) else kinds.CONE, size, TURNS[value["axis"]]
    if prim.IsA(UsdGeom.Mesh):
        return kinds.CONVEX, (0, 0, 0), TURNS["X"]
    raise ValueError(f"{prim.GetPath()} is a {prim.GetTypeName()}, which this reader of colliders does not know")


def _mesh(prim: Usd.Prim, scale: Array) -> tuple[Array, Array, Array]:
    """Points and triangles (faces are triangles already), mirrored by a scale as `meshes_of` has them, and that."""
    mesh = UsdGeom.Mesh(prim)
    triangles = np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)
    if mesh.GetOrientationAttr().Get() == "leftHanded":
        triangles = triangles[:, (0, 2, 1)]
    turned = triangles[:, (1, 0, 2)] if np.prod(scale) < 0.0 else triangles
    points = np.array(mesh.GetPointsAttr().Get(), np.float32) * np.sign(scale).astype(np.float32)
    return points, turned, scale.astype(np.float32)


def _automatic_offset(shape: Any, metre: float) -> float:
    """As the engine chooses it at 60 steps a second under the gravity of the earth."""
    if shape["kind"] == kinds.PLANE:
        return 0.02 * metre
    if shape["kind"] == kinds.MESH:
        raise ValueError("author the contact offset of a static mesh")
    if shape["kind"] == kinds.CONVEX:
        return 0.0      # follows from the hull
    kind, size = shape["kind"], shape["size"]
    side = min(size) if kind == kinds.BOX else min(size[:2]) if kind in (kinds.CYLINDER, kinds.CONE) else size[0]
    return max(2 / 60**2 * 9.81 * metre, 0.02 * 2 * float(side))


def _product(a: Sequence[Any], b: Sequence[Any]) -> tuple[Any, ...]:
    ax, ay, az, aw = (np.float32(x) for x in a)
    bx, by, bz, bw = (np.float32(x) for x in b)
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by + ay * bw + az * bx - ax * bz,
            aw * bz + az * bw + ax * by - ay * bx, aw * bw - ax * bx - ay * by - az * bz)


# --- touching files --------------------------------------------------------------------------------------------------

PARTS = ("points", "triangles", "scale")        # of a mesh
HULLS = "hulls."        # names of what a file keeps of hulls begin so


def write(path: Path, touching: Touching) -> None:
    """Write a motion; what it holds is read back bit for bit."""
    rows = [(step, *sides, len(contacts)) for step, found in enumerate(touching.contacts)
            for sides, contacts in found.items()]
    contacts = [found[sides] for found in touching.contacts for sides in found]
    meshes = {f"{name}{k}": part for k, mesh in enumerate(touching.meshes)
              for name, part in zip(PARTS, mesh, strict=True)}
    np.savez_compressed(path, **meshes, shapes=touching.shapes, bodies=np.array(touching.bodies),
                        moving=touching.moving,
                        apart=np.array(touching.apart, np.int64).reshape(-1, 2), poses=touching.poses,
                        rows=np.array(rows, np.int64).reshape(-1, 4),
                        contacts=np.concatenate([np.zeros(0, CONTACT), *contacts]),
                        **{HULLS + name: part for name, part in touching.geometry.hulls._asdict().items()})


def read(path: Path) -> Touching:
    """A motion that was written."""
    with np.load(path) as file:
        data = {name: file[name] for name in file.files}
    steps: list[dict[tuple[int, int], np.ndarray]] = [{} for _ in data["poses"]]
    first = 0
    for step, body0, body1, count in data["rows"]:
        steps[step][int(body0), int(body1)] = data["contacts"][first:first + count]
        first += count
    meshes = sum(name.startswith("points") for name in data)
    return Touching(_shapes(data["shapes"]), tuple(data["bodies"].tolist()), int(data["moving"]),
                    tuple((int(i), int(j)) for i, j in data["apart"]), data["poses"], tuple(steps),
                    tuple((data[f"points{k}"], data[f"triangles{k}"], data[f"scale{k}"]) for k in range(meshes)),
                    _stored_geometry(data))


def _stored_geometry(data: dict[str, np.ndarray]) -> Geometry:
    """Hulls, where the file has any."""
    hulls = (data.get(HULLS + name, none) for name, none in EMPTY.hulls._asdict().items())
    return EMPTY._replace(hulls=Hulls(*hulls))


def _shapes(kept: np.ndarray) -> np.ndarray:
    """Shapes of which the file may keep fewer fields: of such as have no geometry."""
    shapes = np.zeros(len(kept), SHAPE)
    shapes["scale"] = 1.0
    for name in kept.dtype.names or ():
        shapes[name] = kept[name]
    return shapes
