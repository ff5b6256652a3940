"""Values of a result have the property and the unit of USD, and only what explains a log counts as explained."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from physx_runtime.identification.result import Identification, Prediction, property_of
from support.places import ROOT

from physx_schema.description import describe

DOF = describe(ROOT / "tests" / "data" / "identification" / "leg.usda").articulations[0].dofs[0]


@pytest.mark.parametrize(("parameter", "name", "unit"), [
    ("armature", "physxJointAxis:angular:armature", 1.0),
    ("static_friction", "physxJointAxis:angular:staticFrictionEffort", 1.0),
    ("viscous_friction", "physxJointAxis:angular:viscousFrictionCoefficient", math.pi / 180.0),
    ("stiffness", "drive:angular:physics:stiffness", math.pi / 180.0)])
def test_parameters_have_the_property_and_unit_of_usd(parameter: str, name: str, unit: float) -> None:
    assert property_of(DOF, parameter) == (DOF.path, name, pytest.approx(unit))


def test_a_joint_without_axis_schema_gets_its_property_name_from_its_kind() -> None:
    assert property_of(replace(DOF, axis_prefix=None), "armature")[1] == "physxJointAxis:angular:armature"
    assert property_of(replace(DOF, axis_prefix=None, angular=False), "armature")[1] == "physxJointAxis:linear:armature"


def test_the_gain_of_a_joint_without_drive_is_refused() -> None:
    with pytest.raises(ValueError, match="has no drive, so its stiffness cannot be identified"):
        property_of(replace(DOF, drive=None), "stiffness")


@pytest.mark.parametrize(("fitted", "predicted", "explained"), [(1.1, 1.1, True), (1.3, 1.0, False), (1.0, 1.3, False)])
def test_a_log_is_explained_only_where_both_parts_are(fitted: float, predicted: float, explained: bool) -> None:
    result = Identification((), None, (), fitted, Prediction(1e-3, 2e-3, 6.0, predicted), (), 0, 0.01, {})
    assert result.explained is explained
