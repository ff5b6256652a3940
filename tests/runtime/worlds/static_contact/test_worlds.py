"""Worlds of links on static ground that share their instructions, against such worlds stepped one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime.collision.pair_table import ContactTable
from physx_runtime.collision.static_pairs import build_static_pairs
from physx_runtime.model.island import IslandTopology
from physx_runtime.model.island_rows import island_input_rows, island_output_rows
from physx_runtime.packing.island import PackedIsland
from physx_runtime.packing.scene import pack_scene
from physx_runtime.solver.contact import static_slots
from physx_runtime.solver.settings import solver_settings
from physx_runtime.solver.sleep import WAKE_TIME
from physx_runtime.worlds.contact.worlds import ContactStore, ContactWorlds
from physx_runtime.worlds.static_contact import worlds as worlds_module
from physx_runtime.worlds.static_contact.worlds import StaticContactWorlds

from physx_schema.description import describe

Array = NDArray[Any]
WORLDS, ITERATIONS = 37, (8, 1)         # in two blocks, the last with lanes that have no world
STEPS = {"float64": 8, "float32": 3}
# Both ways part by the last bits, and impacts amplify them. Over so many steps they part in float64 by 2e-13 (places)
# and 2e-10 (velocities), in float32 by 1.6e-5 and 1.4e-2. From float64 part worlds stepped one by one in float32
# by 1.5e-2, those stepped together by 4.6e-3; a start 1e-7 m higher moves the same worlds by 3e-6 and 6.2e-3.
PLACES = ("actor0_q", "actor0_root_position")
PLACES_APART = {"float64": 1e-9, "float32": 3e-5}
APART = {"float64": 1e-8, "float32": 2e-2}
# Contacts are made of float32 poses: where a last bit of float64 rounds otherwise they part by 1e-7, and hundreds of
# steps in contact make that 3e-6.
LONG_APART = 1e-5                       # m and rad
# Pairs that meet again take places of PhysX's pool, which worlds stepped together do not know, and legs share the balls
# at their joints: whose bounds are lower is a last bit's. Either changes the order of contacts.
UNDIVIDED = 3
STILL = 0.3                             # m^2/s^2, an energy below which these ants rest


@dataclass(slots=True)
class Both:
    """The same worlds, stepped together and one by one."""

    t: IslandTopology
    together: ContactStore
    alone: ContactStore

    def write(self, name: str, values: Array) -> None:
        for worlds in (self.together, self.alone):
            worlds.write(name, values.astype(worlds.dtype))

    def step(self, count: int) -> None:
        for worlds in (self.together, self.alone):
            worlds.step(count, *ITERATIONS)

    def agree(self) -> bool:
        dtype = self.alone.dtype
        return (all(self.apart(name) < PLACES_APART[dtype] for name in PLACES)
                and self.apart("actor0_v") < APART[dtype])

    def apart(self, name: str) -> float:
        return float(np.abs(self.together.rows(name) - self.alone.rows(name)).max())


def island_of(stage: Path) -> PackedIsland:
    return next(iter(pack_scene(describe(str(stage)), "physx").islands))


def made(island: PackedIsland, dtype: str, worlds: int = WORLDS, sleeping: bool = False) -> Both:
    t = replace(island.topology, actors=tuple(replace(actor, sleeping=sleeping) for actor in island.topology.actors))
    found = build_static_pairs(table_of(island, worlds), worlds)
    assert found is not None
    both = Both(t, StaticContactWorlds(t, worlds, dtype, found),
                ContactWorlds(t, worlds, dtype, table_of(island, worlds)))
    times = {f"actor0_{name}": value for name, value in solver_settings("physx", next(
        iter(island.actors.values()))).rows(1 / 60).items()}
    for name, values in {**island.parameters, **island.state, **times}.items():
        if f"{name}_0" in both.together.layout:
            both.write(name, np.repeat(np.atleast_1d(np.asarray(values, float))[None], worlds, axis=0))
    return both


def table_of(island: PackedIsland, worlds: int) -> ContactTable:
    assert island.contacts is not None
    return island.contacts.of_worlds(worlds)


@pytest.fixture
def ant(shared_cases: Path) -> PackedIsland:
    """An ant above a plane."""
    return island_of(shared_cases / "scenes" / "ant_on_plane" / "stage.usda")


@pytest.fixture(params=["float64"])
def ants(request: pytest.FixtureRequest, ant: PackedIsland) -> Both:
    """Ants at all heights, in which other slots touch."""
    both = made(ant, request.param)
    random = np.random.default_rng(3)
    q, root = both.alone.rows("actor0_q"), both.alone.rows("actor0_root_position")
    turn = both.alone.rows("actor0_root_rotation") + random.normal(0.0, 0.4, (WORLDS, 4))
    both.write("actor0_q", q + random.uniform(-0.4, 0.4, q.shape))
    both.write("actor0_root_position", root - [0.0, 0.0, 1.0] * random.uniform(0.0, 0.3, (WORLDS, 1)))
    both.write("actor0_root_rotation", turn / np.linalg.norm(turn, axis=1, keepdims=True))
    return both


@pytest.mark.parametrize("ants", APART, indirect=True)
def test_worlds_that_share_instructions_move_as_contact_worlds_do(ants: Both) -> None:
    ants.step(STEPS[ants.alone.dtype])
    assert ants.agree()


@pytest.fixture
def swept(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Impulses are passed on from link to link, as in articulations too large for M^-1."""
    monkeypatch.setattr(static_slots, "MAX_VELOCITIES", 0)
    static_slots.slot_program.cache_clear()
    yield
    static_slots.slot_program.cache_clear()


def test_worlds_of_large_articulations_move_as_contact_worlds_do(swept: None, ants: Both) -> None:
    ants.step(STEPS[ants.alone.dtype])
    assert ants.agree()


def test_an_arm_on_a_fixed_base_moves_as_in_contact_worlds(shared_cases: Path) -> None:
    arms = made(island_of(shared_cases / "scenes" / "arm_hits_plane" / "stage.usda"), "float64", 3)
    q = arms.alone.rows("actor0_q")
    arms.write("actor0_q", q + np.array([[0.0], [0.01], [0.02]]))
    arms.step(90)
    assert len(arms.together.touching)
    assert arms.agree()


def test_plane_pairs_of_blocks_are_those_of_worlds_one_by_one_to_the_bit(
        monkeypatch: pytest.MonkeyPatch, ant: PackedIsland, ants: Both) -> None:
    at_once = ants.together
    monkeypatch.setattr(worlds_module, "plane_pair_kinds", lambda *_: {})
    found = build_static_pairs(table_of(ant, WORLDS), WORLDS)
    assert found is not None
    one_by_one = StaticContactWorlds(ants.t, WORLDS, "float64", found)
    for name in island_output_rows(ants.t) | island_input_rows(ants.t):
        one_by_one.write(name, at_once.rows(name))
    random = np.random.default_rng(5)
    for _ in range(24):
        efforts = random.uniform(-3.0, 3.0, at_once.rows("actor0_q").shape)
        for worlds in (at_once, one_by_one):
            worlds.write("actor0_joint_effort", efforts)
            worlds.step(1, *ITERATIONS)
        for name in island_output_rows(ants.t):
            np.testing.assert_array_equal(at_once.rows(name), one_by_one.rows(name), err_msg=name)
        for name in ("contacts", "impulses", "frictions", "touching"):
            np.testing.assert_array_equal(getattr(at_once, name), getattr(one_by_one, name), err_msg=name)
        for name in ("points", "anchors", "broken", "creation_index", "anchor0", "anchor1", "normal0", "normal1"):
            np.testing.assert_array_equal(at_once.patches[name], one_by_one.patches[name], err_msg=name)


def test_contacts_impulses_and_friction_are_those_of_contact_worlds(ants: Both) -> None:
    ants.step(STEPS[ants.alone.dtype])
    kept = []
    for worlds in (ants.together, ants.alone):
        found, patches, shapes = worlds.contacts, worlds.patches, worlds.table.pairs.shapes
        pair, of_patch = worlds.table.pairs.rows[found["pair"]], worlds.table.pairs.rows[patches["pair"]]
        order, patch_order = (np.lexsort((np.maximum(rows["shape0"], rows["shape1"]),
                                          np.minimum(rows["shape0"], rows["shape1"]))) for rows in (pair, of_patch))
        kept.append((shapes["kind"][pair["shape0"]][order], found["point"][order], worlds.impulses[order],
                     worlds.frictions[patch_order], worlds.centers[patches["body0"]][patch_order]))
    assert len(kept[0][0]) > WORLDS
    for together, alone in zip(*kept, strict=True):
        np.testing.assert_allclose(together, alone, atol=APART[ants.alone.dtype], rtol=0)


def test_parameters_of_each_world_act_as_in_contact_worlds(ants: Both) -> None:
    mass = ants.alone.rows("actor0_mass")
    ants.write("actor0_mass", mass * np.linspace(0.5, 2.0, WORLDS)[:, None])
    ants.step(STEPS[ants.alone.dtype])
    assert ants.agree()


def test_worlds_that_are_set_anew_repeat_bit_for_bit(ants: Both) -> None:
    worlds, names = ants.together, island_output_rows(ants.t)
    start = {name: worlds.rows(name) for name in names}
    worlds.step(12, *ITERATIONS)
    first = worlds.rows("actor0_q")
    again = np.arange(0, WORLDS, 3)
    worlds.forget(again)
    for name, values in start.items():
        now = worlds.rows(name)
        now[again] = values[again]
        worlds.write(name, now)
    worlds.step(12, *ITERATIONS)
    np.testing.assert_array_equal(worlds.rows("actor0_q")[again], first[again])


def test_worlds_under_counts_of_their_own_move_as_contact_worlds_do(ants: Both) -> None:
    counts = np.array([(4, 1), (8, 2)])[np.arange(WORLDS) % 2]
    for worlds in (ants.together, ants.alone):
        for _ in range(UNDIVIDED):
            worlds.step_under(counts)
    assert ants.agree()


def test_worlds_rest_and_wake_with_the_steps_with_which_contact_worlds_do(ant: PackedIsland) -> None:
    ants, turns = made(ant, "float64", 3, sleeping=True), []
    ants.write("actor0_wake_counter", np.full_like(ants.alone.rows("actor0_wake_counter"), WAKE_TIME))
    ants.write("actor0_sleep_threshold", np.array([[STILL], [STILL], [0.0]]))
    for step in range(215):
        if step == 175:
            ants.write("actor0_wake_request", np.array([[1.0], [0.0], [0.0]]))
        ants.step(1)
        turns.append([(worlds.rows("actor0_asleep").ravel().tolist(), told(worlds), len(worlds.touching))
                      for worlds in (ants.together, ants.alone)])
    assert [together for together, _ in turns] == [alone for _, alone in turns]
    assert all(ants.apart(name) < LONG_APART for name in PLACES)
    asleep = np.array([together[0] for together, _ in turns])
    assert np.abs(np.diff(asleep, axis=0)).sum(axis=0).tolist() == [3, 1, 0]
    assert [together[1] for together, _ in turns][174] == 4


def told(worlds: ContactStore) -> int:
    """How many contacts of the last step are of worlds that are awake."""
    return int(worlds.reported_pairs(worlds.contacts["pair"]).sum())
