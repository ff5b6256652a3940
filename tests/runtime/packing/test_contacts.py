"""Colliders and materials become what contacts are made and answered from, with the numbers that PhysX showed.

Frictions and springs: experiments/measure_contact_facts.py.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from physx_runtime.model.body_kind import BODY, KINEMATIC, LINK
from physx_runtime.model.topology import SAPIEN
from physx_runtime.packing.contacts import Mover, rank_by_creation, side_precedence, surfaces
from physx_runtime.packing.scene import pack_scene
from support.chance.meetings import meeting
from support.stages.robots import opened, prim
from support.stages.units import UNITS, in_unit

from physx_schema.description import describe
from physx_schema.description.collision.materials import COMBINE_MODES, DEFAULT_MATERIAL

# Frictions of 0.1 and 0.3 as PhysX combines them, by the mode that counts.
FRICTION = {"average": 0.2, "min": 0.1, "multiply": 0.03, "max": 0.3}
# Stiffnesses of 1000 and 200 likewise: kept as negative restitutions, of which the least is the stiffest.
STIFFNESS = {"average": 600.0, "min": 1000.0, "multiply": 200000.0, "max": 200.0}


@pytest.mark.parametrize("first", COMBINE_MODES)
@pytest.mark.parametrize("second", COMBINE_MODES)
def test_the_later_mode_combines_frictions(first: str, second: str) -> None:
    a = replace(DEFAULT_MATERIAL, static_friction=0.1, dynamic_friction=0.1, friction_combine=first)
    b = replace(DEFAULT_MATERIAL, static_friction=0.3, dynamic_friction=0.3, friction_combine=second)
    mode = COMBINE_MODES[max(COMBINE_MODES.index(first), COMBINE_MODES.index(second))]
    found = surfaces([a, b])
    assert found["dynamic_friction"][0, 1] == found["dynamic_friction"][1, 0] == pytest.approx(FRICTION[mode], 1e-6)


def test_a_static_friction_below_the_dynamic_one_is_raised_to_it() -> None:
    slippery = replace(DEFAULT_MATERIAL, static_friction=0.05, dynamic_friction=0.2)
    assert surfaces([slippery])["static_friction"][0, 0] == np.float32(0.2)


@pytest.mark.parametrize("mode", COMBINE_MODES)
def test_two_springs_are_combined_by_the_mode_of_restitution(mode: str) -> None:
    a = replace(DEFAULT_MATERIAL, compliant_stiffness=1000.0)
    b = replace(DEFAULT_MATERIAL, compliant_stiffness=200.0, restitution_combine=mode)
    assert surfaces([a, b])["stiffness"][0, 1] == pytest.approx(STIFFNESS[mode])


def test_a_spring_of_acceleration_counts_alone() -> None:
    a = replace(DEFAULT_MATERIAL, compliant_stiffness=1000.0, compliant_damping=50.0, compliant_acceleration=True)
    b = replace(DEFAULT_MATERIAL, compliant_stiffness=200.0, compliant_damping=90.0)
    found = surfaces([a, b])[0, 1]
    assert (found["stiffness"], found["damping"], found["acceleration_spring"]) == (1000.0, 50.0, 1.0)


def test_one_soft_material_makes_the_pair_soft_and_keeps_it_from_bouncing() -> None:
    soft = replace(DEFAULT_MATERIAL, compliant_stiffness=1000.0)
    rubber = replace(DEFAULT_MATERIAL, restitution=0.8)
    found = surfaces([soft, rubber])[0, 1]
    assert (found["stiffness"], found["restitution"], found["acceleration_spring"]) == (1000.0, 0.0, 0.0)


@pytest.mark.parametrize("metres", UNITS)
@pytest.mark.parametrize(("solver", "usual"), [("physx", 1.0), (SAPIEN, 0.1)])
def test_pairs_of_every_world_know_the_usual_length_in_the_unit_of_the_stage(
        solver: str, usual: float, metres: float) -> None:
    """PxTolerancesScale::length, as PhysxScene.cpp sets it: 1 / metersPerUnit; SAPIEN's scenes have a tenth of it."""
    packed = pack_scene(describe(opened(in_unit(meeting("Plane", "Cube", seed=0), metres))), solver)
    [contacts] = [island.contacts for island in packed.islands if island.contacts is not None]
    pairs = contacts.of_worlds(2).pairs
    records = pairs.records(np.array([(0, len(pairs.shapes) - 1), (1, len(pairs.shapes) - 1)], np.int32))
    assert records["tolerance_length"].tolist() == [np.float32(usual / metres)] * 2


def test_links_are_sides_before_bodies_and_the_last_created_first() -> None:
    """As PhysX orders the actors of a pair; free bodies by `collision.broad_phase.pair_order`."""
    parts = [("/R/base", LINK, 0, 0, True), ("/R/a", LINK, 0, 1, False), ("/R/b", LINK, 0, 2, False),
             ("/S/base", LINK, 1, 0, False), ("/ball", BODY, 2, 0, False), ("/box", BODY, 3, 0, False),
             ("/plate", KINEMATIC, 0, 0, False)]
    [body] = describe(opened("#usda 1.0\n" + prim("Xform", "body", ("PhysicsRigidBodyAPI",)))).bodies
    frame = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)
    movers = [Mover(replace(body, path=path), kind, owner, link, frame, held)
              for path, kind, owner, link, held in parts]
    created = rank_by_creation(movers, statics=1)
    before = side_precedence(movers, created)
    ordered = [movers[i].body.path for i in sorted(range(len(movers)), key=before.__getitem__)]
    assert ordered == ["/R/b", "/R/a", "/S/base", "/ball", "/box", "/R/base", "/plate"]
    assert created == [5, 6, 7, 4, 3, 2, 1, 0]      # the static collider first, articulations last
