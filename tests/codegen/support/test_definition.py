"""Retired classes and properties are marked for tools, and warned about where they are authored.

Those that the newest release merely deprecates say so in their documentation alone: PhysX reads them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
from pxr import Usd

import physx_schema as PhysxSchema


@pytest.fixture
def prim() -> Any:
    stage = Usd.Stage.CreateInMemory()
    yield stage.DefinePrim("/joint", "PhysicsRevoluteJoint")


CALLS: dict[str, Callable[[Usd.Prim], Any]] = {
    "Apply": lambda prim: PhysxSchema.PhysxJointAPI.Apply(prim),
    "Apply with values": lambda prim: PhysxSchema.PhysxJointAPI.Apply(prim, armature=1.0),
    "Define": lambda prim: PhysxSchema.PhysxPhysicsAttachment.Define(prim.GetStage(), "/attachment"),
    "set": lambda prim: PhysxSchema.PhysxJointAPI(prim).set(armature=1.0),
    "Create": lambda prim: PhysxSchema.PhysxSceneAPI(prim).CreateEnableResidualReportingAttr(True),
    "Create without value": lambda prim: PhysxSchema.PhysxSceneAPI(prim).CreateEnableResidualReportingAttr(),
    "Create of a relationship": lambda prim: PhysxSchema.PhysxPhysicsAttachment(
        prim.GetStage().DefinePrim("/attachment", "PhysxPhysicsAttachment")).CreateActor0Rel(),
}


@pytest.mark.parametrize("what", CALLS)
def test_authoring_what_is_deprecated_warns_where_it_is_called(what: str, prim: Usd.Prim) -> None:
    prim.ApplyAPI("PhysxSceneAPI")
    if what == "set":
        prim.ApplyAPI("PhysxJointAPI")
    with pytest.warns(DeprecationWarning, match="is deprecated: ") as caught:
        CALLS[what](prim)
    assert len(caught) == 1 and caught[0].filename == __file__


def test_reading_does_not_warn(prim: Usd.Prim) -> None:
    prim.ApplyAPI("PhysxJointAPI")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert PhysxSchema.PhysxJointAPI(prim).GetArmatureAttr().Get() == 0.0
        assert PhysxSchema.PhysxJointAPI.Get(prim.GetStage(), "/joint") and prim.HasAPI(PhysxSchema.PhysxJointAPI)
        assert not PhysxSchema.PhysxSceneAPI(prim).GetEnableResidualReportingAttr()


def test_classes_and_methods_are_marked_for_tools() -> None:
    assert "PhysxJointAxisAPI" in PhysxSchema.PhysxJointAPI.__deprecated__
    assert "Deprecated: " in PhysxSchema.PhysxJointAPI.__doc__
    method = PhysxSchema.PhysxSceneAPI.CreateEnableResidualReportingAttr
    assert method.__deprecated__ and "Deprecated: " in PhysxSchema.PhysxSceneAPI.GetEnableResidualReportingAttr.__doc__
    assert not hasattr(PhysxSchema.PhysxSceneAPI, "__deprecated__")
    assert not hasattr(PhysxSchema.PhysxSceneAPI.CreateBounceThresholdAttr, "__deprecated__")


DEPRECATED: dict[str, Callable[[Usd.Prim], Any]] = {
    "Apply": lambda prim: PhysxSchema.PhysxMimicJointAPI.Apply(prim, "rotX"),
    "Apply with values": lambda prim: PhysxSchema.PhysxSceneAPI.Apply(prim, timeStepsPerSecond=60),
    "set": lambda prim: PhysxSchema.PhysxMimicJointAPI.Apply(prim, "rotX").set(gearing=2.0),
    "Create": lambda prim: PhysxSchema.PhysxCollisionAPI.Apply(prim).CreateContactOffsetAttr(0.1),
}


@pytest.mark.parametrize("what", DEPRECATED)
def test_authoring_what_is_deprecated_but_read_does_not_warn(what: str, prim: Usd.Prim) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DEPRECATED[what](prim)


def test_what_is_deprecated_but_read_says_so_in_its_documentation_alone() -> None:
    mimic = PhysxSchema.PhysxMimicJointAPI
    assert "Deprecated: use NewtonMimicAPI" in mimic.__doc__ and not hasattr(mimic, "__deprecated__")
    assert "NewtonMimicAPI" in PhysxSchema.describe_class(mimic).deprecated
    collision = PhysxSchema.PhysxCollisionAPI
    assert "Deprecated: use newton:contactGap" in collision.GetContactOffsetAttr.__doc__
    assert not hasattr(collision.CreateContactOffsetAttr, "__deprecated__")


def test_a_retired_property_is_authored_with_its_own_type(prim: Usd.Prim) -> None:
    with pytest.warns(DeprecationWarning):
        created = PhysxSchema.PhysxSceneAPI.Apply(prim).CreateGpuMaxSoftBodyContactsAttr(7)
    assert created.Get() == 7 and str(created.GetTypeName()) == "uint" and not created.IsCustom()
