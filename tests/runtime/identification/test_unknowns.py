"""Unknowns are chosen by name, joint and pattern, and x = 0 is what the stage authors."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.identification.rollouts import new_simulation
from physx_runtime.identification.unknowns import PARAMETERS, find_unknowns, selected_parameters
from support.identification.legs import draw_guess, joint_names, legs_stage
from support.stages.robots import opened

from physx_schema.description import describe

JOINTS = ("/Robot/hip", "/Robot/knee")


@pytest.mark.parametrize(("names", "expected"), [
    (["armature"], [("armature", 0), ("armature", 1)]),
    (["delay", "knee:stiffness"], [("stiffness", 1), ("delay", -1)]),
    (["/Robot/h*:damping", "damping"], [("damping", 0), ("damping", 1)]),
    (["joints"], [(name, i) for name in PARAMETERS for i in (0, 1)]),
])
def test_names_select_parameters_in_the_order_of_the_table(names: list[str], expected: list[tuple[str, int]]) -> None:
    assert selected_parameters(names, JOINTS) == expected


@pytest.mark.parametrize(("name", "message"), [
    ("links", "masses and inertias are not identified yet"), ("stifness", "stiffness"),
    ("ankle:stiffness", "no joint matches 'ankle'; joints are /Robot/hip, /Robot/knee")])
def test_a_name_that_selects_nothing_is_refused(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        selected_parameters([name], JOINTS)


def unknowns_of(**changes: float):      # type: ignore[no-untyped-def]
    values = draw_guess(1, 4) | {name: np.full(3, value) for name, value in changes.items()}
    description = describe(opened(legs_stage(1, values)))
    sim = new_simulation(description, None, 1, 1 / 240, PARAMETERS[1:3])
    return sim, find_unknowns(sim, selected_parameters(["joints", "delay"], sim.model.dof_names))


def test_the_start_is_what_the_stage_authors() -> None:
    sim, unknowns = unknowns_of()
    values = unknowns.parameters(np.zeros((1, len(unknowns))))
    for name in PARAMETERS:
        np.testing.assert_allclose(values[name], sim.parameter(name), rtol=1e-12)
    assert list(sim.model.dof_names) == [f"/Robot/{name}" for name in joint_names(1)]


def test_static_friction_moves_with_dynamic_friction() -> None:
    _, unknowns = unknowns_of()
    x = np.where([item.parameter == "dynamic_friction" for item in unknowns.items], 0.5, 0.0)
    values = unknowns.parameters(np.stack([0.0 * x, x]))
    np.testing.assert_allclose(values["static_friction"][1], np.exp(0.5) * values["static_friction"][0])


@pytest.mark.parametrize("name", ["armature", "viscous_friction", "dynamic_friction"])
def test_an_authored_zero_starts_from_a_typical_size(name: str) -> None:
    changes = {name: 0.0} | ({"static_friction": 0.0} if name == "dynamic_friction" else {})
    _, unknowns = unknowns_of(**changes)
    assert (unknowns.base[name] > 0.0).all()
