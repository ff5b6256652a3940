"""The robots of `engine_speed.py` as stages of one form: /World/art without colliders, 32 position iterations and 1.

The samples and assets are read where they are installed and copied into a temporary folder only.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine_biped import build_biped
from pxr import Gf, Sdf, Usd, UsdPhysics

from physx_schema import authoring
from physx_schema.description import describe

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

from support.stages.tendon_stages import driven_arm, empty_world

POSITION_ITERATIONS, VELOCITY_ITERATIONS = 32, 1
FINGERS, PHALANGES = 5, 3


def models(folder: Path, newton: Path | None) -> Iterator[tuple[str, Path]]:
    """(name, stage) of every robot that is found; stages are written into `folder`."""
    sources = {"cart-pole": _samples() / "CartPole.usda", "ant": _samples() / "AntNoSelfColl.usda"}
    for name, build in (("arm", driven_arm), ("hand", build_hand), ("biped", build_biped)):
        sources[name] = folder / f"{name}_source.usda"
        build(sources[name])
    if newton:
        sources["humanoid"] = newton / "newton" / "examples" / "assets" / "humanoid.usda"
    for name in ("cart-pole", "arm", "ant", "hand", "humanoid", "biped"):
        if name in sources and sources[name].is_file():
            yield name, _plain(sources[name], folder / f"{name}.usda")


def _samples() -> Path:
    """The sample stages of the ovphysx wheel."""
    if "ORACLE_PYTHON" not in os.environ:
        return Path("no samples")
    code = "import importlib.util as u; print(u.find_spec('ovphysx').submodule_search_locations[0])"
    done = subprocess.run([os.environ["ORACLE_PYTHON"], "-c", code], capture_output=True, text=True, check=True)
    return Path(done.stdout.strip()) / "samples" / "data"


def build_hand(path: Path) -> None:
    """Two wrist joints and five fingers of four joints: a driven knuckle, three bones that one tendon closes."""
    stage, root = empty_world(path)

    def body(name: str, mass: float, size: float, position: tuple[float, float, float]) -> Any:
        inertia = 0.4 * mass * size * size
        return authoring.rigid_body(stage, f"/World/art/{name}", mass=mass, inertia=(inertia, inertia, 0.5 * inertia),
                                    position=position)

    def hinge(name: str, above: Any, below: Any, axis: str, anchor: tuple[float, float, float], bend: float) -> Any:
        joint = authoring.revolute_joint(stage, f"/World/art/{name}_joint", above, below, axis=axis, anchor=anchor,
                                         lower=-bend if axis == "X" else -5.0, upper=bend)
        authoring.joint_axis(joint, armature=1e-3, static_friction=1e-3, dynamic_friction=8e-4, viscous_friction=5e-6)
        return joint

    arm = body("arm", 1.0, 0.1, (0.0, 0.0, 0.0))
    authoring.fixed_joint(stage, "/World/art/anchor", None, arm)
    wrist, palm = body("wrist", 0.2, 0.05, (0.0, 0.0, 0.1)), body("palm", 0.4, 0.08, (0.0, 0.0, 0.16))
    authoring.articulation_root(root)
    for name, above, below, axis in (("wrist", arm, wrist, "X"), ("palm", wrist, palm, "Y")):
        joint = hinge(name, above, below, axis, (0.0, 0.0, 0.1), 60.0)
        authoring.drive(joint, stiffness=0.2, damping=0.02, max_force=20.0)
    for finger in range(FINGERS):
        x, axes = 0.02 * (finger - 2), []
        above = body(f"knuckle{finger}", 0.02, 0.015, (x, 0.0, 0.21))
        spread = hinge(f"knuckle{finger}", palm, above, "X", (x, 0.0, 0.2), 15.0)
        authoring.drive(spread, stiffness=0.02, damping=0.002, max_force=2.0)
        for bone in range(PHALANGES):
            anchor = (x, 0.0, 0.22 + 0.04 * bone)
            below = body(f"bone{finger}_{bone}", 0.03, 0.02, (x, 0.0, 0.24 + 0.04 * bone))
            axes.append((hinge(f"bone{finger}_{bone}", above, below, "Y", anchor, 90.0), 1.6e-4, 0.009))
            above = below
        authoring.fixed_tendon(stage, f"flexor{finger}", axes, stiffness=500.0, damping=0.2, rest_length=0.004)
    stage.Save()


def _plain(source: Path, target: Path) -> Path:
    """The stage's articulation as /World/art: explicit masses, no colliders, the benchmark's iteration counts."""
    stage = Usd.Stage.Open(str(source))
    articulation = describe(stage).articulations[0]
    flat, out = stage.Flatten(), Sdf.Layer.CreateNew(str(target))
    for key in ("metersPerUnit", "kilogramsPerUnit", "upAxis"):
        if flat.pseudoRoot.HasInfo(key):
            out.pseudoRoot.SetInfo(key, flat.pseudoRoot.GetInfo(key))
    out.defaultPrim = "World"
    Sdf.CreatePrimInLayer(out, "/World").specifier = Sdf.SpecifierDef
    Sdf.CopySpec(flat, _container(articulation), out, "/World/art")
    opened = Usd.Stage.Open(out)
    _copy_scene(stage, opened)
    for prim in opened.Traverse():
        for schema in ("PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", "PhysicsFilteredPairsAPI"):
            prim.RemoveAppliedSchema(schema)
    container = _container(articulation)
    for link in articulation.links:
        _write_mass(opened.GetPrimAtPath(link.path.replace(container, "/World/art", 1)), link)
    root = opened.GetPrimAtPath(articulation.path.replace(container, "/World/art", 1))
    root.AddAppliedSchema("PhysxArticulationAPI")
    for name, count in (("Position", POSITION_ITERATIONS), ("Velocity", VELOCITY_ITERATIONS)):
        name = f"physxArticulation:solver{name}IterationCount"
        root.CreateAttribute(name, Sdf.ValueTypeNames.Int).Set(count)
    out.Save()
    return target


def _container(articulation: Any) -> str:
    """The prim that holds the articulation's links and joints."""
    path = Sdf.Path(articulation.links[0].path)
    for link in articulation.links:
        path = path.GetCommonPrefix(Sdf.Path(link.path))
        if link.joint:
            path = path.GetCommonPrefix(Sdf.Path(link.joint.path))
    return str(path)


def _copy_scene(source: Any, target: Any) -> None:
    """A TGS scene with the source's gravity."""
    scene = UsdPhysics.Scene.Define(target, "/World/scene")
    for prim in source.Traverse():
        if prim.IsA(UsdPhysics.Scene):
            for name in ("physics:gravityDirection", "physics:gravityMagnitude"):
                if prim.GetAttribute(name).HasAuthoredValue():
                    scene.GetPrim().GetAttribute(name).Set(prim.GetAttribute(name).Get())
            break


def _write_mass(prim: Any, link: Any) -> None:
    """Explicit mass properties, as the shapes gave them."""
    from numpy import array, linalg

    api = UsdPhysics.MassAPI.Apply(prim)
    moments, axes = linalg.eigh(array(link.inertia))
    if linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    turn = Gf.Matrix3d(*axes.T.ravel()).ExtractRotation().GetQuat()
    api.CreateMassAttr(link.mass)
    api.CreateCenterOfMassAttr(Gf.Vec3f(*link.center_of_mass))
    api.CreateDiagonalInertiaAttr(Gf.Vec3f(*moments))
    api.CreatePrincipalAxesAttr(Gf.Quatf(turn))


def replicate(source: Path, target: Path, worlds: int) -> list[str]:
    """Copies of /World/art for an engine that has no worlds of its own; the paths of their articulation roots."""
    root = describe(str(source)).articulations[0].path
    layer, out = Sdf.Layer.FindOrOpen(str(source)), Sdf.Layer.CreateNew(str(target))
    out.TransferContent(layer)
    for i in range(worlds):
        Sdf.CreatePrimInLayer(out, f"/World/env{i}").specifier = Sdf.SpecifierDef
        Sdf.CopySpec(layer, "/World/art", out, f"/World/env{i}/art")
    del out.GetPrimAtPath("/World").nameChildren["art"]
    out.Save()
    return [root.replace("/World/", f"/World/env{i}/", 1) for i in range(worlds)]
