"""Edits of a stage between the steps of a session: in any layer, of any prim, with any value."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from physx_runtime import Session
from pxr import Sdf, Tf, Usd, UsdGeom

from physx_schema.errors import PhysxSchemaError
from support.fuzzing.spoiling import require_ours
from support.stages.session_stages import DT, arm, link

Edit = Callable[[Usd.Stage, Sdf.Layer], object]     # of a stage, in one of its layers, which is the edit target
PRIMS = ("/Robot", "/Robot/base", "/Robot/upper", "/Robot/lower", "/Robot/anchor", "/Robot/shoulder", "/Robot/elbow",
         "/crate", "/scene", "/new", "/Robot/new")
SCHEMAS = ("PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsDriveAPI:angular", "PhysicsArticulationRootAPI",
           "PhysicsLimitAPI:rotX", "PhysxJointAxisAPI:angular", "PhysxTendonAxisRootAPI:t", "PhysxMimicJointAPI:rotY",
           "PhysicsJointStateAPI:angular", "PhysxArticulationAPI", "PhysxRigidBodyAPI")
TYPES = ("", "Xform", "Scope", "Cube", "PhysicsRevoluteJoint", "PhysicsPrismaticJoint", "PhysicsFixedJoint",
         "PhysicsJoint", "PhysicsScene")
NUMBERS = (0.0, 1.0, -30.0, 200.0, float("nan"), float("inf"), -1e38, 1e-30)
FLOATS = ("physics:mass", "physics:density", "physics:lowerLimit", "physics:upperLimit", "physics:breakForce",
          "drive:angular:physics:stiffness", "drive:angular:physics:damping", "drive:angular:physics:maxForce",
          "drive:angular:physics:targetPosition", "state:angular:physics:position", "state:angular:physics:velocity",
          "physxJointAxis:angular:armature", "physxJoint:maxJointVelocity", "physics:gravityMagnitude")
FLAGS = ("physics:kinematicEnabled", "physics:rigidBodyEnabled", "physics:jointEnabled", "physics:startsAsleep",
         "physxRigidBody:disableGravity", "physxArticulation:enabledSelfCollisions")
TOKENS = ("physics:axis", "drive:angular:physics:type", "purpose", "visibility")
VECTORS = {"physics:velocity": "vector3f", "physics:angularVelocity": "vector3f", "physics:centerOfMass": "point3f",
           "physics:localPos0": "point3f", "physics:diagonalInertia": "float3", "physics:gravityDirection": "vector3f",
           "xformOp:translate": "double3", "xformOp:scale": "float3"}
OPERATIONS = ("xformOp:translate", "xformOp:orient", "xformOp:scale", "!resetXformStack!", "xformOp:nope")
prim = st.sampled_from(PRIMS)
number = st.sampled_from(NUMBERS)
vector = st.tuples(number, number, number)


def authored(path: str, name: str, kind: str, value: object, time: float | None) -> Edit:
    def edit(stage: Usd.Stage, layer: Sdf.Layer) -> None:
        attribute = stage.OverridePrim(path).CreateAttribute(name, Sdf.ValueTypeNames.Find(kind), False)
        attribute.Set(value, Usd.TimeCode.Default() if time is None else time)
    return named(edit, f"{path}.{name} = {value!r} at {time}")


def values() -> SearchStrategy[Edit]:
    """An attribute gets a value."""
    times = st.sampled_from((None, None, None, 0.0, 12.0))
    of_kind = [st.tuples(st.sampled_from(FLOATS), st.just("float"), number),
               st.tuples(st.sampled_from(FLAGS), st.just("bool"), st.booleans()),
               st.tuples(st.sampled_from(TOKENS), st.just("token"), st.sampled_from(("X", "Z", "", "guide", "force"))),
               st.sampled_from(sorted(VECTORS.items())).flatmap(
                   lambda item: st.tuples(st.just(item[0]), st.just(item[1]), vector))]
    return st.one_of(*of_kind).flatmap(
        lambda found: st.builds(authored, prim, *map(st.just, found), times))


def structure() -> SearchStrategy[Edit]:
    """A prim or property comes, goes, or is another."""
    def of_prim(what: str, act: Callable[[Usd.Prim], object]) -> Callable[[str], Edit]:
        return lambda path: named(lambda stage, layer: act(stage.OverridePrim(path)), f"{path} {what}")
    choices: list[Callable[[str], Edit]] = [
        of_prim("off", lambda it: it.SetActive(False)), of_prim("on", lambda it: it.SetActive(True)),
        of_prim("without order", lambda it: it.RemoveProperty("xformOpOrder")),
        of_prim("without body1", lambda it: it.RemoveProperty("physics:body1")),
        of_prim("cleared", lambda it: it.GetRelationship("physics:body0").ClearTargets(True)),
        *(of_prim(f"has {schema}", lambda it, schema=schema: it.AddAppliedSchema(schema)) for schema in SCHEMAS),
        *(of_prim(f"lacks {schema}", lambda it, schema=schema: it.RemoveAppliedSchema(schema)) for schema in SCHEMAS),
        *(of_prim(f"is {kind}", lambda it, kind=kind: it.SetTypeName(kind)) for kind in TYPES),
        *(of_prim(f"to {other}", lambda it, other=other: it.CreateRelationship("physics:body1").SetTargets([other]))
          for other in PRIMS),
        *(of_prim(f"refers {other}", lambda it, other=other: it.GetReferences().AddInternalReference(other))
          for other in PRIMS),
        lambda path: named(lambda stage, layer: stage.RemovePrim(path), f"{path} removed")]
    return st.builds(lambda choice, path: choice(path), st.sampled_from(choices), prim)


def renamed(path: str, name: str) -> Edit:
    def edit(stage: Usd.Stage, layer: Sdf.Layer) -> None:
        batch = Sdf.BatchNamespaceEdit()
        batch.Add(Sdf.NamespaceEdit.Rename(path, name))
        if layer.GetPrimAtPath(path) and layer.CanApply(batch):
            layer.Apply(batch)
    return named(edit, f"{path} is called {name}")


def ordered(path: str, names: list[str]) -> Edit:
    return named(lambda stage, layer: UsdGeom.Xformable(stage.OverridePrim(path)).GetXformOpOrderAttr().Set(names)
                 if stage.OverridePrim(path).IsA(UsdGeom.Xformable) else None, f"{path} in order {names}")


def of_layers() -> SearchStrategy[Edit]:
    """A layer is muted, heard again, emptied, or given as a whole."""
    def whole(stage: Usd.Stage, layer: Sdf.Layer) -> None:
        if layer == stage.GetRootLayer():
            kept = list(layer.subLayerPaths)
            layer.ImportFromString(sound())
            layer.subLayerPaths[:] = kept
    return st.sampled_from([
        named(lambda stage, layer: stage.MuteLayer(layer.identifier)
              if layer != stage.GetRootLayer() else None, "mute"),
        named(lambda stage, layer: [stage.UnmuteLayer(each) for each in stage.GetMutedLayers()], "unmute"),
        named(lambda stage, layer: layer.Clear() if layer != stage.GetRootLayer() else None, "clear"),
        named(lambda stage, layer: UsdGeom.SetStageMetersPerUnit(stage, 0.01)
              if layer == stage.GetRootLayer() else None, "centimetres"),
        named(whole, "anew")])


def named(edit: Edit, name: str) -> Edit:
    """An edit that failing cases print by name."""
    edit.__name__ = edit.__qualname__ = name
    return edit


edits = st.one_of(
    values(), values(), structure(), st.builds(renamed, prim, st.sampled_from(("other", "upper", "lower"))),
    st.builds(ordered, prim, st.lists(st.sampled_from(OPERATIONS), max_size=3, unique=True)), of_layers())
CASES = st.lists(st.tuples(st.sampled_from(("root", "session", "below")), edits, st.integers(0, 1)), min_size=1,
                 max_size=8)


@cache
def sound() -> str:
    """An arm of two joints, and a crate."""
    return arm() + link("crate", (5, 0, 0))


def made() -> tuple[Usd.Stage, dict[str, Sdf.Layer]]:
    """The stage, and its layers."""
    root, below = (Sdf.Layer.CreateAnonymous(f"{name}.usda") for name in ("root", "below"))
    root.ImportFromString(sound())
    root.subLayerPaths.append(below.identifier)
    stage = Usd.Stage.Open(root)
    return stage, {"root": root, "session": stage.GetSessionLayer(), "below": below}


def hold(case: list[tuple[str, Edit, int]]) -> None:
    """A session follows edits, and reset and stepped is where one of an equal stage is; or refuses in one line."""
    stage, layers = made()
    try:
        with Session(stage) as session:
            session.step(DT)
            for name, edit, steps in case:
                change(stage, layers[name], edit)
                for _ in range(steps):
                    session.step(DT)
            session.reset()
            other = copied(stage, layers)
            after = stepped(session, stage)
        with Session(other) as fresh:
            expected = stepped(fresh, other)
    except PhysxSchemaError as error:
        require_ours(error)
        return
    assert after.keys() == expected.keys()
    for path, transform in after.items():
        assert np.array_equal(transform, expected[path], equal_nan=True), (path, transform, expected[path])


def change(stage: Usd.Stage, layer: Sdf.Layer, edit: Edit) -> None:
    """Make an edit; what USD itself refuses was none."""
    if stage.IsLayerMuted(layer.identifier) and edit.__name__ != "unmute":
        return
    try:
        with Usd.EditContext(stage, layer):
            edit(stage, layer)
    except (Tf.ErrorException, RuntimeError):
        return


def copied(stage: Usd.Stage, layers: dict[str, Sdf.Layer]) -> Usd.Stage:
    """A stage of layers that say the same."""
    other, others = made()
    for name, layer in layers.items():
        others[name].TransferContent(layer)
    others["root"].subLayerPaths[:] = [others["below"].identifier]
    for name, layer in layers.items():
        if stage.IsLayerMuted(layer.identifier):
            other.MuteLayer(others[name].identifier)
    return other


def stepped(session: Session, stage: Usd.Stage) -> dict[str, Any]:
    """Where every prim is after two steps, by path."""
    session.step(DT)
    session.step(DT)
    transforms, found = UsdGeom.XformCache(), {}
    for each in stage.TraverseAll():
        with suppress(Tf.ErrorException):           # of operations that USD does not know
            found[str(each.GetPath())] = np.array(transforms.GetLocalToWorldTransform(each))
    return found
