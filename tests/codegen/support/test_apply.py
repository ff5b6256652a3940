"""author: many prims at once, as Apply would leave them prim by prim."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from pxr import Gf, Sdf, Tf, Usd, UsdPhysics
from support.schemas.authored import one_line, refusal

import physx_schema as PhysxSchema
from physx_schema import AuthoringError, author

Axis, Attachment, Root = (
    PhysxSchema.PhysxJointAxisAPI, PhysxSchema.PhysxTendonAttachmentAPI, PhysxSchema.PhysxTendonAxisRootAPI)
Body, Mimic, Scene = PhysxSchema.PhysxRigidBodyAPI, PhysxSchema.PhysxMimicJointAPI, PhysxSchema.PhysxSceneAPI
COUNT = 4
PATHS = [f"/World/joint{index}" for index in range(COUNT)]


def joints() -> Usd.Stage:
    stage = Usd.Stage.CreateInMemory()
    for path in PATHS:
        UsdPhysics.RevoluteJoint.Define(stage, path).CreateAxisAttr("Y")
    return stage


@pytest.fixture
def stage() -> Iterator[Usd.Stage]:
    yield joints()


def prims(stage: Usd.Stage) -> list[Usd.Prim]:
    return [stage.GetPrimAtPath(path) for path in PATHS]


def texts(stage: Usd.Stage) -> list[str]:
    return [layer.ExportToString() for layer in stage.GetLayerStack()]


def one_by_one(stage: Usd.Stage, schema: Any, instance: str, rows: list[dict[str, Any]]) -> None:
    """The same change through Apply."""
    for prim, row in zip(prims(stage), rows, strict=True):
        schema.Apply(prim, *([instance] if instance else []), **row)


def in_session(stage: Usd.Stage) -> Usd.EditTarget:
    return Usd.EditTarget(stage.GetSessionLayer())


def in_variant(stage: Usd.Stage) -> Usd.EditTarget:
    variants = stage.GetPrimAtPath("/World").GetVariantSets().AddVariantSet("size")
    variants.AddVariant("big")
    variants.SetVariantSelection("big")
    return variants.GetVariantEditTarget()


def in_root(stage: Usd.Stage) -> Usd.EditTarget:
    return Usd.EditTarget(stage.GetRootLayer())


@pytest.mark.parametrize("target", [in_root, in_session, in_variant])
@pytest.mark.parametrize(("schema", "instance", "bulk", "row"), [
    (Axis, "angular", {}, lambda i: {}),
    (Body, "", {}, lambda i: {}),
    (Axis, "angular", {"armature": 0.5}, lambda i: {"armature": 0.5}),
    (Axis, "angular", {"armature": [0.0, 1.0, 2.0, 3.0]}, lambda i: {"armature": float(i)}),
    (Axis, "angular", {"armature": np.arange(4, dtype=np.float32), "maxJointVelocity": np.full(4, np.inf)},
     lambda i: {"armature": float(i), "maxJointVelocity": float("inf")}),
    (Axis, "angular", {"staticFrictionEffort": np.arange(4), "dynamicFrictionEffort": (0, 1, 1, 1)},
     lambda i: {"staticFrictionEffort": i, "dynamicFrictionEffort": min(i, 1)}),
    (Body, "", {"linearDamping": np.linspace(0.0, 0.75, 4), "solverPositionIterationCount": np.array([1, 2, 3, 255])},
     lambda i: {"linearDamping": i / 4, "solverPositionIterationCount": [1, 2, 3, 255][i]}),
    (Root, "t", {"tendonEnabled": np.array([True, False, True, False])}, lambda i: {"tendonEnabled": i % 2 == 0}),
    (Root, "t", {"gearing": [1.0, 2.0], "jointAxis": ["rotX", "rotY"]},
     lambda i: {"gearing": [1.0, 2.0], "jointAxis": ["rotX", "rotY"]}),
    (Root, "t", {"gearing": [[], [1.0], [1.0, 2.0], [3.0]]}, lambda i: {"gearing": [[], [1.0], [1.0, 2.0], [3.0]][i]}),
    (Root, "t", {"gearing": np.arange(8.0).reshape(4, 2)}, lambda i: {"gearing": [2.0 * i, 2.0 * i + 1]}),
    (Root, "t", {"jointAxis": []}, lambda i: {"jointAxis": []}),
    (Attachment, "t", {"localPos": (1, 2, 3)}, lambda i: {"localPos": (1, 2, 3)}),
    (Attachment, "t", {"localPos": Gf.Vec3f(1, 2, 3), "parentLink": PATHS[0]},
     lambda i: {"localPos": (1, 2, 3), "parentLink": PATHS[0]}),
    (Attachment, "t", {"localPos": np.arange(12.0).reshape(4, 3)},
     lambda i: {"localPos": (3 * i, 3 * i + 1, 3 * i + 2)}),
    (Attachment, "t", {"localPos": [Gf.Vec3d(i) for i in range(4)], "parentLink": list(reversed(PATHS))},
     lambda i: {"localPos": (i, i, i), "parentLink": PATHS[3 - i]}),
    (Mimic, "rotX", {"referenceJointAxis": np.array(["rotX", "rotY", "rotZ", "rotX"]), "gearing": -1},
     lambda i: {"referenceJointAxis": ["rotX", "rotY", "rotZ", "rotX"][i], "gearing": -1}),
])
def test_the_stage_ends_as_after_apply_prim_by_prim(
    schema: Any, instance: str, bulk: dict[str, Any], row: Callable[[int], dict[str, Any]],
    target: Callable[[Usd.Stage], Usd.EditTarget],
) -> None:
    stages = joints(), joints()
    for stage in stages:
        stage.SetEditTarget(target(stage))
    author(stages[0], prims(stages[0]), schema, *([instance] if instance else []), **bulk)
    one_by_one(stages[1], schema, instance, [row(index) for index in range(COUNT)])
    assert texts(stages[0]) == texts(stages[1])
    assert all(prim.HasAPI(schema) for prim in prims(stages[0]))


def test_random_calls_end_as_after_apply_prim_by_prim() -> None:
    random.seed(7)
    stages = joints(), joints()
    for _ in range(40):
        instance = random.choice(Axis.definition.instances)
        keywords = random.sample(["armature", "viscousFrictionCoefficient", "maxJointVelocity"], random.randint(0, 3))
        rows = [{keyword: random.uniform(0.0, 9.0) for keyword in keywords} for _ in range(COUNT)]
        author(stages[0], PATHS, Axis, instance, **{keyword: [row[keyword] for row in rows] for keyword in keywords})
        one_by_one(stages[1], Axis, instance, rows)
    assert texts(stages[0]) == texts(stages[1])


def test_a_schema_joins_an_explicit_list_of_schemas_as_apply_does() -> None:
    stages = joints(), joints()
    for stage in stages:
        for path in PATHS:
            stage.GetRootLayer().GetPrimAtPath(path).SetInfo(
                "apiSchemas", Sdf.TokenListOp.CreateExplicit(["PhysicsDriveAPI:angular"]))
    author(stages[0], PATHS, Axis, "angular", armature=1.0)
    one_by_one(stages[1], Axis, "angular", [{"armature": 1.0}] * COUNT)
    assert texts(stages[0]) == texts(stages[1])


@pytest.mark.parametrize("given", [
    prims, lambda stage: PATHS, lambda stage: tuple(map(Sdf.Path, PATHS)), lambda stage: iter(PATHS),
    lambda stage: [UsdPhysics.Joint(prim) for prim in prims(stage)],
])
def test_prims_may_be_prims_paths_or_schema_objects(given: Callable[[Usd.Stage], Any], stage: Usd.Stage) -> None:
    author(stage, given(stage), Axis, "angular", armature=range(COUNT))
    assert [Axis(prim, "angular").GetArmatureAttr().Get() for prim in prims(stage)] == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize("given", [lambda prim: prim, lambda prim: prim.GetPath(), lambda prim: str(prim.GetPath())])
def test_a_single_prim_needs_no_list(given: Callable[[Usd.Prim], Any], stage: Usd.Stage) -> None:
    author(stage, given(prims(stage)[1]), Axis, "angular", armature=1.0)
    assert [prim.HasAPI(Axis) for prim in prims(stage)] == [False, True, False, False]


def test_no_prims_are_no_change(stage: Usd.Stage) -> None:
    before = texts(stage)
    author(stage, [], Axis, "angular", armature=1.0)
    assert texts(stage) == before


def test_one_change_is_announced_once(stage: Usd.Stage) -> None:
    notices: list[object] = []
    listener = Tf.Notice.Register(Usd.Notice.ObjectsChanged, lambda notice, sender: notices.append(notice), stage)
    author(stage, PATHS, Axis, "angular", armature=np.ones(COUNT), maxJointVelocity=2.0)
    listener.Revoke()
    assert len(notices) == 1


@pytest.mark.parametrize(("schema", "instance", "bulk"), [
    (Axis, "angular", {"armature": [1.0, -1.0, float("nan"), "x"], "viscousFrictionCoefficient": float("inf")}),
    (Axis, "angular", {"armatur": 1.0}),
    (Axis, "sideways", {"armature": 1.0}),
    (Axis, "angular", {"staticFrictionEffort": [0.0, 1.0, 2.0, 3.0], "dynamicFrictionEffort": 1.5}),
    (Root, "has space", {"stiffness": 1.0}),
    (Root, "t", {"gearing": [[1.0], [float("inf")], ["x"], [1.0]], "jointAxis": ["rotx"], "tendonEnabled": 1}),
    (Attachment, "t", {"localPos": [(1, 2, 3), (1, 2), (1, 2, 3), 5], "parentLink": "relative"}),
    (Body, "", {"solverPositionIterationCount": [1, 0, 256, 1.0]}),
])
def test_the_lines_are_those_of_apply_and_nothing_is_written(
    schema: Any, instance: str, bulk: dict[str, Any], stage: Usd.Stage
) -> None:
    expected, other = [], joints()
    for index, prim in enumerate(prims(other)):
        row = {key: value[index] if isinstance(value, list) and len(value) == COUNT else value
               for key, value in bulk.items()}
        try:
            schema.Apply(prim, *([instance] if instance else []), **row)
        except AuthoringError as error:
            expected += str(error).splitlines()
    lines = refusal(stage, lambda: author(stage, PATHS, schema, *([instance] if instance else []), **bulk))
    assert expected and lines == sorted(expected)


def test_a_property_authored_with_another_type_is_refused(stage: Usd.Stage) -> None:
    prims(stage)[2].CreateAttribute("physxJointAxis:angular:armature", Sdf.ValueTypeNames.Double)
    lines = refusal(stage, lambda: author(stage, PATHS, Axis, "angular", armature=1.0))
    one_line(lines, f"{PATHS[2]}.physxJointAxis:angular:armature: the property is already authored as double")


def test_a_clash_of_schemas_on_one_prim_is_refused(stage: Usd.Stage) -> None:
    Root.Apply(prims(stage)[1], "t")
    one_line(refusal(stage, lambda: author(stage, PATHS, Attachment, "t", gearing=1.0)),
             f"{PATHS[1]}: ", "'t' is already used by PhysxTendonAxisAPI")


@pytest.mark.parametrize("values", [{}, {"armature": 1.0}])
def test_a_prim_inside_an_instance_is_refused(values: dict[str, float], stage: Usd.Stage) -> None:
    stage.DefinePrim("/asset/link")
    copy = stage.DefinePrim("/copy")
    copy.GetReferences().AddInternalReference("/asset")
    copy.SetInstanceable(True)
    one_line(refusal(stage, lambda: author(stage, [*PATHS, "/copy/link"], Axis, "angular", **values)),
             "/copy/link: the prim is inside an instance")


@pytest.mark.parametrize("value", [[1.0, 2.0, 3.0], np.ones(5), []])
def test_a_wrong_number_of_values_is_refused(value: Any, stage: Usd.Stage) -> None:
    one_line(refusal(stage, lambda: author(stage, PATHS, Axis, "angular", armature=value)),
             f"{PATHS[0]}.physxJointAxis:angular:armature: {len(value)} values for 4 prims; give one value for all")


def test_a_prim_given_twice_is_refused(stage: Usd.Stage) -> None:
    one_line(refusal(stage, lambda: author(stage, [*PATHS, PATHS[1]], Axis, "angular", armature=1.0)),
             f"{PATHS[1]}: the prim is passed 2 times")


def test_a_prim_that_does_not_exist_is_refused(stage: Usd.Stage) -> None:
    one_line(refusal(stage, lambda: author(stage, [*PATHS, "/nowhere"], Axis, "angular", armature=1.0)),
             "/nowhere: no such prim")


def test_an_instance_name_is_needed_by_multiple_apply_schemas(stage: Usd.Stage) -> None:
    one_line(refusal(stage, lambda: author(stage, PATHS, Axis, armature=1.0)),
             f"{PATHS[0]}: PhysxJointAxisAPI is a multiple-apply schema; give an instance name")


def test_an_instance_name_is_refused_by_single_apply_schemas(stage: Usd.Stage) -> None:
    one_line(refusal(stage, lambda: author(stage, PATHS, Body, "angular", linearDamping=1.0)),
             f"{PATHS[0]}: PhysxRigidBodyAPI has no instances, found 'angular'")


@pytest.mark.parametrize("schema", [UsdPhysics.DriveAPI, "PhysxJointAxisAPI", None])
def test_other_classes_are_refused(schema: Any, stage: Usd.Stage) -> None:
    with pytest.raises(TypeError, match="is not an API class of this package"):
        author(stage, PATHS, schema, "angular")


def test_a_read_only_layer_is_refused(stage: Usd.Stage) -> None:
    stage.GetRootLayer().SetPermissionToEdit(False)
    lines = refusal(stage, lambda: author(stage, PATHS, Axis, "angular", armature=1.0))
    assert len(lines) == COUNT and all("is not editable; choose another edit target" in line for line in lines)
