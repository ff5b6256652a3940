"""Applying with values at any edit target: what is written takes effect, or an error names the opinion that wins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pxr import Sdf, Usd, UsdPhysics

import physx_schema as PhysxSchema
from physx_schema import AuthoringError

Body, Limit = PhysxSchema.PhysxRigidBodyAPI, PhysxSchema.PhysxLimitAPI
API = "PhysxRigidBodyAPI"


@pytest.fixture
def stage() -> Usd.Stage:
    """A root layer over a sublayer, with one prim in the sublayer."""
    made = Usd.Stage.CreateInMemory()
    weak = Sdf.Layer.CreateAnonymous("weak")
    made.GetRootLayer().subLayerPaths.append(weak.identifier)
    made.SetEditTarget(weak)
    made.DefinePrim("/body", "Xform")
    return made


def weak(stage: Usd.Stage) -> Sdf.Layer:
    return Sdf.Layer.Find(stage.GetRootLayer().subLayerPaths[0])


def opinion(layer: Sdf.Layer, path: str = "/body", **items: list[str]) -> None:
    """Author the list of API schemas of a prim spec: explicit, prepended, appended or deleted items."""
    entries = Sdf.TokenListOp()
    if "explicit" in items:
        entries = Sdf.TokenListOp.CreateExplicit(items["explicit"])
    for kind in items.keys() - {"explicit"}:
        setattr(entries, f"{kind}Items", items[kind])
    Sdf.CreatePrimInLayer(layer, path).SetInfo("apiSchemas", entries)


def refused(stage: Usd.Stage, call: Callable[[], Any]) -> str:
    """The error a call ends in; no layer may have changed."""
    before = [layer.ExportToString() for layer in stage.GetUsedLayers()]
    with pytest.raises(AuthoringError) as caught:
        call()
    assert [layer.ExportToString() for layer in stage.GetUsedLayers()] == before
    return str(caught.value)


@pytest.mark.parametrize(("items", "what"), [
    ({"deleted": [API]}, "removes this schema"), ({"explicit": ["PhysicsMassAPI"]}, "sets another list of API schemas"),
    ({"explicit": []}, "sets another list of API schemas"),
])
@pytest.mark.parametrize("above", ["session", "root"])
def test_an_opinion_of_a_stronger_layer_that_wins_is_named(
    items: dict[str, list[str]], what: str, above: str, stage: Usd.Stage
) -> None:
    layer = stage.GetSessionLayer() if above == "session" else stage.GetRootLayer()
    opinion(layer, **items)
    prim = stage.GetPrimAtPath("/body")
    message = refused(stage, lambda: Body.Apply(prim, linearDamping=1.0))
    assert message.startswith(f"/body: {API} has no effect where it is authored") and what in message
    assert layer.identifier in message
    refused(stage, lambda: Body.Apply(prim, strict=True))
    refused(stage, lambda: PhysxSchema.author(stage, [prim], Body, linearDamping=1.0))
    assert not Body.Apply(prim)         # as compiled bindings do


@pytest.mark.parametrize("items", [
    {"explicit": [API, "PhysicsMassAPI"]}, {"prepended": [API]}, {"appended": [API], "deleted": ["PhysicsMassAPI"]},
])
def test_a_stronger_layer_that_applies_it_too_is_no_obstacle(items: dict[str, list[str]], stage: Usd.Stage) -> None:
    opinion(stage.GetRootLayer(), **items)
    assert Body.Apply(stage.GetPrimAtPath("/body"), linearDamping=1.0)
    assert weak(stage).GetAttributeAtPath("/body.physxRigidBody:linearDamping").default == 1.0


@pytest.mark.parametrize(("items", "expected"), [
    ({"explicit": ["PhysicsMassAPI"]}, ["PhysicsMassAPI", API]), ({"deleted": [API]}, [API]),
    ({"appended": ["PhysicsMassAPI"]}, [API, "PhysicsMassAPI"]),
])
def test_the_list_at_the_edit_target_is_extended_as_usd_does(
    items: dict[str, list[str]], expected: list[str], stage: Usd.Stage
) -> None:
    opinion(weak(stage), **items)
    prim = stage.GetPrimAtPath("/body")
    assert Body.Apply(prim, linearDamping=1.0) and prim.HasAPI(Body)
    ours = weak(stage).GetPrimAtPath("/body").GetInfo("apiSchemas")
    assert sorted(prim.GetAppliedSchemas()) == sorted(expected)
    opinion(weak(stage), **items)
    prim.ApplyAPI(API)
    assert weak(stage).GetPrimAtPath("/body").GetInfo("apiSchemas") == ours


def test_session_layers_are_written_where_they_are_the_edit_target(stage: Usd.Stage) -> None:
    opinion(stage.GetRootLayer(), deleted=[API])
    stage.SetEditTarget(stage.GetSessionLayer())
    assert Body.Apply(stage.GetPrimAtPath("/body"), linearDamping=1.0)
    assert stage.GetSessionLayer().GetAttributeAtPath("/body.physxRigidBody:linearDamping").default == 1.0


def test_muted_layers_are_refused(stage: Usd.Stage) -> None:
    layer = Sdf.Layer.CreateAnonymous("muted")
    stage.GetRootLayer().subLayerPaths.append(layer.identifier)
    stage.SetEditTarget(layer)
    stage.MuteLayer(layer.identifier)
    message = refused(stage, lambda: Body.Apply(stage.GetPrimAtPath("/body"), linearDamping=1.0))
    assert "is muted or not a layer of the stage; choose another edit target" in message


def in_variant(stage: Usd.Stage) -> Any:
    """The edit context of a selected variant of /body, which has no spec yet."""
    variants = stage.GetPrimAtPath("/body").GetVariantSets().AddVariantSet("kind")
    variants.AddVariant("heavy")
    variants.SetVariantSelection("heavy")
    return variants.GetVariantEditContext()


def test_local_opinions_win_over_variants(stage: Usd.Stage) -> None:
    context = in_variant(stage)
    opinion(stage.GetRootLayer(), deleted=[API])
    prim = stage.GetPrimAtPath("/body")
    with context:
        message = refused(stage, lambda: Body.Apply(prim, linearDamping=1.0))
        assert f"the stronger layer {stage.GetRootLayer().identifier} removes this schema at </body>" in message
        assert Limit.Apply(prim, "rotX", damping=2.0)
        refused(stage, lambda: Body.Apply(prim, linearDamping=1.0))         # beside what is there
    assert prim.GetAppliedSchemas() == ["PhysxLimitAPI:rotX"]


@pytest.fixture
def referenced(stage: Usd.Stage) -> Usd.Stage:
    """/robot references /asset of another layer; the edit target leads there."""
    asset = Sdf.Layer.CreateAnonymous("asset")
    Sdf.CreatePrimInLayer(asset, "/asset/link").specifier = Sdf.SpecifierDef
    robot = stage.DefinePrim("/robot", "Xform")
    robot.GetReferences().AddReference(asset.identifier, "/asset")
    stage.SetEditTarget(Usd.EditTarget(asset, robot.GetPrimIndex().rootNode.children[0]))
    return stage


def test_values_go_across_a_reference(referenced: Usd.Stage) -> None:
    link = referenced.GetPrimAtPath("/robot/link")
    layer = referenced.GetEditTarget().GetLayer()
    Limit.Apply(link, "rotX", damping=2.0)
    PhysxSchema.PhysxTendonAttachmentAPI.Apply(link, "t", parentLink="/robot/link", gearing=1.0)
    assert link.GetAppliedSchemas() == ["PhysxLimitAPI:rotX", "PhysxTendonAttachmentAPI:t"]
    assert layer.GetAttributeAtPath("/asset/link.physxLimit:rotX:damping").default == 2.0
    targets = layer.GetRelationshipAtPath("/asset/link.physxTendon:t:parentLink").targetPathList
    assert list(targets.explicitItems) == [Sdf.Path("/asset/link")]


def test_an_edit_target_behind_a_reference_does_not_reach_other_prims(referenced: Usd.Stage) -> None:
    message = refused(referenced, lambda: Body.Apply(referenced.GetPrimAtPath("/body"), linearDamping=1.0))
    assert "does not contain this prim; choose another" in message


def test_local_opinions_win_over_references(referenced: Usd.Stage) -> None:
    opinion(referenced.GetRootLayer(), "/robot/link", explicit=["PhysicsMassAPI"])
    message = refused(referenced, lambda: Body.Apply(referenced.GetPrimAtPath("/robot/link"), linearDamping=1.0))
    assert f"{referenced.GetRootLayer().identifier} sets another list of API schemas at </robot/link>" in message


@pytest.mark.parametrize("where", ["proxy", "prototype"])
def test_prims_of_instances_are_refused(where: str, stage: Usd.Stage) -> None:
    stage.DefinePrim("/asset/link", "Xform")
    copy = stage.DefinePrim("/copy")
    copy.GetReferences().AddInternalReference("/asset")
    copy.SetInstanceable(True)
    prim = (stage.GetPrimAtPath("/copy/link") if where == "proxy" else copy.GetPrototype().GetChild("link"))
    for call in (lambda: Body.Apply(prim, linearDamping=1.0), lambda: Body.Apply(prim, strict=True),
                 lambda: PhysxSchema.author(stage, [prim], Body, linearDamping=1.0)):
        assert "is inside an instance; author on the instanced asset" in refused(stage, call)
    for cls in (Body, UsdPhysics.RigidBodyAPI):
        with pytest.raises(RuntimeError):
            cls.Apply(prim)             # as compiled bindings do


def test_setting_values_follows_the_edit_target(referenced: Usd.Stage) -> None:
    link = referenced.GetPrimAtPath("/robot/link")
    body = Body.Apply(link, linearDamping=1.0)
    body.set(linearDamping=2.0)
    layer = referenced.GetEditTarget().GetLayer()
    assert layer.GetAttributeAtPath("/asset/link.physxRigidBody:linearDamping").default == 2.0
    referenced.SetEditTarget(referenced.GetRootLayer())
    body.set(linearDamping=3.0)
    assert referenced.GetRootLayer().GetAttributeAtPath("/robot/link.physxRigidBody:linearDamping").default == 3.0
