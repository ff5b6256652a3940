"""Migration of random layers: every spec that the report does not name is the same before and after."""

from __future__ import annotations

import random
from typing import Any

import pytest
from pxr import Sdf, Usd

from physx_schema.migration import LayerChange, migrate

SEEDS = 40
TYPES = ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint", "PhysicsJoint", "PhysicsSphericalJoint", "PhysicsFixedJoint",
         "PhysicsScene", "Xform", "Mesh", "PhysxPhysicsAttachment", "SomeoneElses", "")
SCHEMAS = ("PhysxJointAPI", "PhysxJointAxisAPI:angular", "PhysxJointAxisAPI:rotX", "PhysxSceneAPI",
           "PhysicsRigidBodyAPI", "PhysxParticleClothAPI", "OtherAPI:a:b", "PhysxJointAPI:strange")
NAMES = ("physxJoint:armature", "physxJoint:maxJointVelocity", "physxJoint:jointFriction", "physxJoint:unknown",
         "physxJointAxis:angular:armature", "physxJointAxis:rotY:armature", "physxScene:gpuMaxSoftBodyContacts",
         "physxScene:enableResidualReporting", "physxDeformable:enableCCD", "physics:mass", "mine",
         "mine:physxJoint:armature")
LISTS = ("explicitItems", "prependedItems", "appendedItems", "deletedItems")
CHANGED = ("renamed", "moved", "conflict")


def random_layer(rng: random.Random) -> Sdf.Layer:
    """Prims with what is retired, what looks like it, and what is none of it, in variants too."""
    layer = Sdf.Layer.CreateAnonymous(".usda")
    for index in range(rng.randrange(1, 6)):
        path = Sdf.Path(f"/p{index}") if rng.random() < 0.6 else Sdf.Path(f"/group/p{index}")
        spec = Sdf.CreatePrimInLayer(layer, path)
        spec.specifier = rng.choice((Sdf.SpecifierDef, Sdf.SpecifierOver, Sdf.SpecifierClass))
        kind = rng.choice(TYPES)
        if kind:
            spec.typeName = kind
        fill(spec, rng)
        if rng.random() < 0.4:
            for name in ("one", "two"):
                variants = spec.variantSets.get("v") or Sdf.VariantSetSpec(spec, "v")
                fill(Sdf.VariantSpec(variants, name).primSpec, rng)
            if rng.random() < 0.7:
                spec.variantSelections["v"] = "one"
    return layer


def fill(spec: Sdf.PrimSpec, rng: random.Random) -> None:
    """Random schemas, properties and metadata."""
    if rng.random() < 0.8:
        listed = Sdf.TokenListOp()
        for field in ("explicitItems",) if rng.random() < 0.2 else rng.sample(LISTS[1:], rng.randrange(1, 4)):
            setattr(listed, field, rng.sample(SCHEMAS, rng.randrange(1, 4)))
        spec.SetInfo("apiSchemas", listed)
    spec.SetInfo("customData", {"seed": rng.randrange(9)})
    for name in rng.sample(NAMES, rng.randrange(len(NAMES))):
        kind = rng.choice((Sdf.ValueTypeNames.Float,) * 4 + (Sdf.ValueTypeNames.Double, Sdf.ValueTypeNames.String))
        if rng.random() < 0.1:
            Sdf.RelationshipSpec(spec, name).targetPathList.prependedItems = random_paths(rng)
            continue
        attribute = Sdf.AttributeSpec(spec, name, Sdf.ValueTypeNames.UInt if "gpuMax" in name else kind)
        if rng.random() < 0.8:
            attribute.default = str(rng.random()) if kind == Sdf.ValueTypeNames.String and "gpuMax" not in name else (
                rng.randrange(4))
        if rng.random() < 0.3 and attribute.typeName == Sdf.ValueTypeNames.Float:
            spec.layer.SetTimeSample(attribute.path, rng.random(), rng.random())
        if rng.random() < 0.2:
            attribute.connectionPathList.prependedItems = random_paths(rng)[:1]
        if rng.random() < 0.3:
            attribute.customData = {"note": rng.random()}


def random_paths(rng: random.Random) -> list[Sdf.Path]:
    return [Sdf.Path(f"/p{index}") if rng.random() < 0.4 else Sdf.Path(f"/p{index}.{rng.choice(NAMES)}")
            for index in rng.sample(range(5), 2)]


def contents(layer: Sdf.Layer) -> dict[str, dict[str, Any]]:
    """Every spec's fields, by path; what lies below targets belongs to the property."""
    paths: list[Sdf.Path] = []
    layer.Traverse(Sdf.Path.absoluteRootPath, paths.append)
    found = {}
    for path in paths:
        spec = layer.GetObjectAtPath(path)
        if spec and not path.IsTargetPath():
            found[str(path)] = {key: str(spec.GetInfo(key)) for key in spec.ListInfoKeys()}
            if isinstance(spec, Sdf.AttributeSpec):
                found[str(path)]["samples"] = str(
                    [(time, layer.QueryTimeSample(path, time)) for time in layer.ListTimeSamplesForPath(path)])
    return found


def assert_only_the_report_changed(change: LayerChange) -> None:
    """Compare layer and copy spec by spec, leaving out what the report names."""
    before, after = contents(change.layer), contents(change.copy)
    named = {(note.path, note.property) for note in change.notes if note.kind in CHANGED}
    created = {f"{note.path}.{name}" for note in change.notes for name in note.became}
    for path in before.keys() | after.keys():
        old, new = dict(before.get(path, {})), dict(after.get(path, {}))
        owner, _, name = path.partition(".")
        if (owner, name) in named or path in created:
            continue
        for key, place in (("apiSchemas", (path, "apiSchemas")), ("typeName", (path, "typeName"))):
            if place in named:
                old.pop(key, None)
                new.pop(key, None)
        assert old == new, f"{path} changed and is not in the report"


@pytest.mark.parametrize("seed", range(SEEDS))
def test_every_spec_that_is_not_reported_is_the_same_before_and_after(seed: int) -> None:
    source = Usd.Stage.Open(random_layer(random.Random(seed)))
    found = migrate([source])
    for change in found.layers:
        assert_only_the_report_changed(change)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_second_migration_changes_nothing(seed: int) -> None:
    source = Usd.Stage.Open(random_layer(random.Random(seed)))
    (copy,) = (change.copy for change in migrate([source]).layers)
    again = migrate([Usd.Stage.Open(copy)])
    assert not again.changed, [note for note in again.notes if note.kind in CHANGED]


def test_a_lost_spec_would_be_noticed() -> None:
    (change,) = migrate([Usd.Stage.Open(random_layer(random.Random(0)))]).layers
    prim = next(spec for spec in change.copy.rootPrims if not spec.nameChildren)
    Sdf.AttributeSpec(prim, "unasked", Sdf.ValueTypeNames.Float)
    with pytest.raises(AssertionError, match="not in the report"):
        assert_only_the_report_changed(change)
