"""The one table of rows: sizes, owners and labels, and what the schemas say about parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime import Simulation
from physx_runtime.model.owners import owners_of, row_label
from physx_runtime.model.row_specs import PARAMETER, TABLE, input_rows, output_rows, state_rows
from physx_runtime.simulation.parameters import ordered_pairs, range_text
from physx_runtime.solver import settings

from physx_schema.definitions import attribute, definitions

DATA = Path(__file__).parents[2] / "data" / "dynamics"
STAGES = [DATA / name / "stage.usda" for name in (
    "fixed_tendon_finger", "spatial_tendon_chain", "spherical_pendulum", "mimic_hard")]


def simulation(name: str) -> Simulation:
    return Simulation(DATA / name / "stage.usda")


@pytest.mark.parametrize("stage", STAGES, ids=lambda path: path.parent.name)
def test_every_number_of_every_row_has_an_owner(stage: Path) -> None:
    model = Simulation(stage).model
    t = replace(model.topology, link_forces=True)
    found = owners_of(t, model.actor, model.scene)
    for name, size in (output_rows(t) | input_rows(t)).items():
        labels = [row_label(found, name, i) for i in range(size)]
        assert all(labels) and len(set(labels)) == size, (name, labels)


@pytest.mark.parametrize(("stage", "row", "index", "owner"), [
    ("fixed_tendon_finger", "mass", 2, "/World/art/l1"),
    ("fixed_tendon_finger", "armature", 1, "/World/art/j_l1"),
    ("fixed_tendon_finger", "inertia", 6 * 3 + 4, "/World/art/l2 xz"),
    ("fixed_tendon_finger", "gravity", 1, "/World/scene y"),
    ("fixed_tendon_finger", "fixed_tendon0_stiffness", 0, "/World/art/j_l0:t"),
    ("fixed_tendon_finger", "fixed_tendon0_gearing", 2, "/World/art/j_l2:t"),
    ("fixed_tendon_finger", "root_position", 2, "/World/art/base z"),
])
def test_a_number_is_labelled_by_what_its_row_belongs_to(stage: str, row: str, index: int, owner: str) -> None:
    model = simulation(stage).model
    assert row_label(owners_of(model.topology, model.actor, model.scene), row, index) == owner


def test_no_two_parameters_have_one_public_name() -> None:
    names = [row.public_name for row in TABLE if row.maker == PARAMETER and not row.derived]
    shared = {name for name in names if names.count(name) > 1}
    assert not shared


@pytest.mark.parametrize("row", [row for row in TABLE if row.schema], ids=lambda row: row.public_name)
def test_a_schema_defines_the_attribute_that_a_row_takes_its_range_from(row: object) -> None:
    assert attribute(row.schema, row.attribute).type in ("float", "float[]")       # type: ignore[attr-defined]


COUPLINGS = ("PhysxTendonAxisRootAPI", "PhysxTendonAxisAPI", "PhysxTendonAttachmentRootAPI",
             "PhysxTendonAttachmentLeafAPI", "PhysxTendonAttachmentAPI", "PhysxMimicJointAPI",
             "PhysxDrivePerformanceEnvelopeAPI")


@pytest.mark.parametrize("schema", COUPLINGS)
def test_every_number_of_a_coupling_has_a_row(schema: str) -> None:
    numbers = {name for name, item in definitions()[schema].declared.items()
               if getattr(item, "type", "") in ("float", "float[]")}
    assert {row.attribute for row in TABLE if row.schema == schema} == numbers


class Noting(dict[str, Any]):
    """Rows that note which of them were read."""

    read: set[str]

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return super().__getitem__(name)

    def __or__(self, other: Mapping[str, Any]) -> Noting:       # type: ignore[override]
        joined = Noting(super().__or__(dict(other)))
        joined.read = self.read
        return joined


@pytest.mark.parametrize("stage", ["fixed_tendon_finger", "spatial_tendon_chain"])
def test_every_number_of_a_tendon_enters_an_equation_of_the_step(stage: str) -> None:
    sim = simulation(stage)
    rows = Noting({name: list(sim.get(name)[0]) for name in state_rows(sim.topology) | input_rows(sim.topology)})
    rows.read = set()
    t, begun = sim.topology, rows | settings.begin(sim.topology, rows)
    settings.iterate(t, begun, False)
    numbers = {name for name in input_rows(t) if name.startswith(("fixed_tendon", "spatial_tendon"))}
    assert numbers and numbers <= rows.read


@pytest.mark.parametrize(("row", "owner"), [
    ("inertia", "/World/art/base xx"), ("fixed_tendon0_stiffness", "/World/art/j_l0:t"), ("mass", "/World/art/base"),
])
def test_a_nan_is_refused_at_what_its_row_belongs_to(row: str, owner: str) -> None:
    sim = simulation("fixed_tendon_finger")
    values = sim.get(row)[0]
    values[0] = float("nan")
    with pytest.raises(ValueError, match=f"{row} of world 0 at {owner} is nan; give "):
        sim.set_row(row, values)


def test_ranges_of_parameters_are_those_of_the_schemas() -> None:
    found = {row.public_name: range_text(row) for row in TABLE if row.maker == PARAMETER}
    assert (found["cfm_scale"], found["armature"], found["fixed_tendon_offset"]) == (
        "[0, 1]", "[0, inf)", "(-inf, inf)")
    # ends that are another attribute
    assert (found["dynamic_friction"], found["fixed_tendon_lower_limit"]) == ("[0, inf)", "[-inf, inf]")
    assert set(ordered_pairs()) == {
        ("dynamic_friction", "static_friction"), ("fixed_tendon_lower_limit", "fixed_tendon_upper_limit"),
        ("spatial_tendon_lower_limit", "spatial_tendon_upper_limit")}


def test_set_refuses_what_set_parameters_refuses() -> None:
    sim = simulation("fixed_tendon_finger")
    for name, value in (("mass", 0.0), ("stiffness", 1.0), ("fixed_tendon_stiffness", -1.0), ("armature", -1.0)):
        messages = []
        for door in (sim.set, sim.set_parameter):
            with pytest.raises(ValueError, match=name) as refusal:
                door(name, value)
            messages.append(str(refusal.value))
        assert messages[0] == messages[1]


@pytest.mark.parametrize("name", ["com", "inertia", "velocity_clamp", "fixed_tendon0_stiffness", "length_scale"])
def test_set_takes_no_row_that_follows_from_other_numbers(name: str) -> None:
    sim = simulation("fixed_tendon_finger")
    advice = "(choose from .*center_of_mass|did you mean )"
    with pytest.raises(ValueError, match=f"'{name}' cannot be set in this model; {advice}"):
        sim.set(name, sim.get(name)[0])


def test_one_set_reads_back_as_the_parameter() -> None:
    sim = simulation("spatial_tendon_chain")
    for name in sim.parameters:
        values = sim.parameter(name)
        sim.set(name, values)
        assert np.array_equal(sim.parameter(name), values), name
        sim.set(name, values.reshape(1, -1)[0])
        assert np.array_equal(sim.parameter(name), values), name
