"""Strictness on request: what is refused, where, and that nothing is authored when it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pxr import Sdf, Usd

import physx_schema as PhysxSchema
from physx_schema import AuthoringError, strict

Root, Leaf, Attachment = (PhysxSchema.PhysxTendonAxisRootAPI, PhysxSchema.PhysxTendonAttachmentLeafAPI,
                          PhysxSchema.PhysxTendonAttachmentAPI)
Axis, Body, Scene = PhysxSchema.PhysxJointAxisAPI, PhysxSchema.PhysxRigidBodyAPI, PhysxSchema.PhysxSceneAPI
Limit, Gear = PhysxSchema.PhysxLimitAPI, PhysxSchema.PhysxPhysicsGearJoint
Dropped = PhysxSchema.PhysxJointAPI


@pytest.fixture
def joint() -> Iterator[Usd.Prim]:
    stage = Usd.Stage.CreateInMemory()
    yield stage.DefinePrim("/joint", "PhysicsRevoluteJoint")


def refusal(prim: Usd.Prim, call: Callable[[], Any]) -> list[str]:
    """The lines of the error that a call ends in; the layer must be as before."""
    layer = prim.GetStage().GetRootLayer()
    before = layer.ExportToString()
    with pytest.raises(AuthoringError) as caught:
        call()
    assert layer.ExportToString() == before
    return str(caught.value).splitlines()


CALLS: dict[str, tuple[Callable[[Usd.Prim], Any], str]] = {
    "a value out of range": (
        lambda prim: Limit(prim, "rotX").CreateDampingAttr(-1.0),
        "/joint.physxLimit:rotX:damping: -1 is outside [0, inf)"),
    "a value that is no number": (
        lambda prim: Limit(prim, "rotX").CreateDampingAttr("much"), "rotX:damping: 'much' is not a number"),
    "a sparse value out of range": (
        lambda prim: Limit(prim, "rotX").CreateDampingAttr(-1.0, True), "rotX:damping: -1 is outside"),
    "a value on an instance that is not applied": (
        lambda prim: Limit(prim, "rotY").CreateDampingAttr(1.0), "is not on this prim; apply or define this"),
    "an attribute on an instance that is not applied": (
        lambda prim: Limit(prim, "rotY").CreateDampingAttr(), "is not on this prim; apply or define this"),
    "a relationship on an instance that is not applied": (
        lambda prim: Attachment(prim, "t").CreateParentLinkRel(), "is not on this prim; apply or define this"),
    "a token": (
        lambda prim: Root(prim, "t").CreateJointAxisAttr(["rotx"]), "did you mean 'rotX'?"),
    "an instance name PhysX ignores": (lambda prim: Axis.Apply(prim, "spin"), "PhysX reads only these"),
    "a property's name": (lambda prim: Root.Apply(prim, "stiffness"), "is also the name of a property of this schema"),
    "a taken name": (lambda prim: Leaf.Apply(prim, "t"), "is already used by PhysxTendonAxisAPI"),
    "the wrong kind of prim": (lambda prim: Scene.Apply(prim), "PhysxSceneAPI has no effect on PhysicsRevoluteJoint"),
    "another type at the path": (
        lambda prim: Gear.Define(prim.GetStage(), "/joint"), "the prim is a PhysicsRevoluteJoint, which"),
    "a dropped class": (lambda prim: Dropped.Apply(prim), "PhysxJointAPI was dropped in release"),
    "a dropped class with values": (
        lambda prim: Dropped.Apply(prim, armature=1.0), "PhysxJointAPI was dropped in release"),
    "a dropped type": (
        lambda prim: PhysxSchema.PhysxPhysicsAttachment.Define(prim.GetStage(), "/scene/attachment"),
        "PhysxPhysicsAttachment was dropped in release"),
    "a dropped property": (
        lambda prim: Scene(prim.GetStage().GetPrimAtPath("/scene")).CreateEnableResidualReportingAttr(True),
        "PhysxSceneAPI has no physxScene:enableResidualReporting since release"),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("what", CALLS)
def test_a_call_is_refused_within_strict_and_works_outside(what: str, joint: Usd.Prim) -> None:
    call, message = CALLS[what]
    Limit.Apply(joint, "rotX")
    Root.Apply(joint, "t")
    Scene.Apply(joint.GetStage().DefinePrim("/scene", "PhysicsScene"))
    with strict():
        (line,) = [line for line in refusal(joint, lambda: call(joint)) if message in line]
    assert line.startswith(("/joint", "/scene"))
    if "no number" not in what:
        call(joint)


def test_apply_define_and_set_take_strict_as_a_keyword(joint: Usd.Prim) -> None:
    refusal(joint, lambda: Scene.Apply(joint, strict=True))
    refusal(joint, lambda: Root.Apply(joint, "stiffness", strict=True))
    refusal(joint, lambda: Gear.Define(joint.GetStage(), "/joint", strict=True))
    scene = Scene.Apply(joint)
    scene.set(bounceThreshold=1.0)
    assert "has no effect on" in refusal(joint, lambda: scene.set(bounceThreshold=2.0, strict=True))[0]
    assert Root.Apply(joint, "t", strict=True) and Gear.Define(joint.GetStage(), "/gear", strict=True, gearRatio=2.0)


def test_every_problem_of_a_call_is_reported_at_once(joint: Usd.Prim) -> None:
    with strict():
        lines = refusal(joint, lambda: Attachment.Apply(joint, "gearing", gearing="x", localPos=(1, 2)))
    assert [line.partition(": ")[0] for line in lines] == [
        "/joint.physxTendon:gearing:gearing", "/joint.physxTendon:gearing:localPos", "/joint", "/joint"]


def test_good_calls_author_the_same_within_strict(joint: Usd.Prim) -> None:
    def author(prim: Usd.Prim) -> None:
        root = Root.Apply(prim, "t")
        root.CreateStiffnessAttr(5)
        root.CreateGearingAttr([1.0, 2.0])
        root.CreateDampingAttr(0.0, True)
        root.CreateOffsetAttr()
        Limit.Apply(prim, "rotX").CreateDampingAttr(1.0).Set(2.0)

    stage = Usd.Stage.CreateInMemory()
    author(stage.DefinePrim("/joint", "PhysicsRevoluteJoint"))
    with strict():
        author(joint)
    assert joint.GetStage().GetRootLayer().ExportToString() == stage.GetRootLayer().ExportToString()


def test_strict_blocks_nest_and_end(joint: Usd.Prim) -> None:
    with strict():
        with strict(False):
            Scene.Apply(joint)
            with strict():
                refusal(joint, lambda: Root.Apply(joint, "stiffness"))
        refusal(joint, lambda: Root.Apply(joint, "stiffness"))
    Root.Apply(joint, "stiffness")


def test_strict_ends_with_an_error(joint: Usd.Prim) -> None:
    with pytest.raises(KeyError), strict():
        raise KeyError
    Scene.Apply(joint)


def test_strict_decorates_a_function(joint: Usd.Prim) -> None:
    @strict()
    def author() -> None:
        Scene.Apply(joint)

    refusal(joint, author)
    refusal(joint, author)
    Scene.Apply(joint)


def test_strict_holds_for_one_task_alone(joint: Usd.Prim) -> None:
    async def careful() -> None:
        with strict():
            await asyncio.sleep(0)
            refusal(joint, lambda: Root.Apply(joint, "stiffness"))

    async def careless() -> None:
        await asyncio.sleep(0)
        Scene.Apply(joint.GetStage().DefinePrim("/untyped"))

    async def both() -> None:
        await asyncio.gather(careful(), careless())

    asyncio.run(both())


def test_reading_is_never_refused(joint: Usd.Prim) -> None:
    with strict():
        assert not Limit(joint, "rotX") and not Limit(joint, "rotX").GetDampingAttr()
        assert Limit.Get(joint, "nonsense").GetPath() == Sdf.Path("/joint")


def test_bulk_authoring_follows_strict(joint: Usd.Prim) -> None:
    PhysxSchema.author(joint.GetStage(), [joint], Scene, bounceThreshold=1.0)
    joint.RemoveAPI(Scene)
    with strict():
        refusal(joint, lambda: PhysxSchema.author(joint.GetStage(), [joint], Scene, bounceThreshold=2.0))


def test_a_taken_name_is_refused_with_values_even_without_strict(joint: Usd.Prim) -> None:
    Root.Apply(joint, "t")
    refusal(joint, lambda: Attachment.Apply(joint, "t", gearing=2.0))
    assert Body.Apply(joint, linearDamping=1.0)
