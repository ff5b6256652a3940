"""Migration of random layers: every spec that the report does not name is the same before and after.

Random schemas and stages: what both schemas can hold reads as before, everything else is named, once is enough.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from pxr import Sdf, Usd
from support.chance.schema_changes import new_package, new_yaml, random_change
from support.schemas.migrated_values import random_case
from support.schemas.packages import generated_package

from physx_schema import migration
from physx_schema.definitions import definitions_of
from physx_schema.migration import LayerChange, composition, leftovers, migrate, plan, rewrite

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


# --- random migrations -----------------------------------------------------------------------------------------------

QUICK, ALL, BATCH = 60, 2000, 20
BATCHES = [pytest.param(start, marks=() if start < QUICK else (pytest.mark.sweep,)) for start in range(0, ALL, BATCH)]
# A planted error is found by one of these, most by the first few.
LOOKED_AT = 60


def faults(seeds: range, folder: Path) -> dict[int, list[str]]:
    """Seed to what its migration got wrong."""
    found = {seed: list(random_case(seed, folder / str(seed)).faults()) for seed in seeds}
    return {seed: texts for seed, texts in found.items() if texts}


@pytest.mark.parametrize("start", BATCHES)
def test_every_value_reads_as_before_through_the_new_schema_or_is_named(start: int, tmp_path: Path) -> None:
    assert faults(range(start, start + BATCH), tmp_path) == {}


def test_definitions_of_a_random_schema_are_those_that_generate_makes(tmp_path: Path) -> None:
    change = random_change(random.Random(7))
    (tmp_path / "new").mkdir()
    (tmp_path / "new/parts.yaml").write_text(new_yaml(change), encoding="utf-8")
    made = generated_package(tmp_path / "new", tmp_path / "made", "parts_of_chance")
    facts = ("identifier", "kind", "prefix", "properties", "includes", "renamed_from")
    ours, generated = ({item.identifier: (*(getattr(item, name) for name in facts), names_of(item.inherited))
                        for item in definitions_of(package)} for package in (new_package(change), made))
    assert ours == generated


def names_of(definitions: Any) -> list[str]:
    return [item.identifier for item in definitions]


def nothing(*_: Any) -> None:
    """Does not do what it stands for."""


def without_samples(spec: Any, kind: str) -> None:
    """Another type as `retype` gives it, but for the samples."""
    kept = spec.default
    spec.ClearInfo("timeSamples")
    spec.SetInfo("typeName", kind)
    spec.default = kept


PLANTED: dict[str, tuple[Any, str, Any]] = {
    "targets do not follow": (rewrite.Rewriter, "_paths", nothing),
    "orders do not follow": (rewrite.Rewriter, "_order", nothing),
    "a layer's value moves where another's stays": (plan.Plan, "_spread", nothing),
    "other variants are not looked at": (migration, "other_variants", lambda *_: []),
    "values are cut to the new type": (plan, "holds", lambda *_: True),
    "samples are lost with a type": (rewrite, "retype", without_samples),
    "another fallback is not said": (leftovers, "present", lambda *_: ()),
    "built-in classes do not count": (composition.Composition, "schemas_of", lambda *_: set()),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_error_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*PLANTED[name])
    assert any(faults(range(seed, seed + 1), tmp_path) for seed in range(LOOKED_AT))
