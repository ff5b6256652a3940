"""Names of rows: what each says of its owner, and that one parser reads them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from physx_runtime.model.island import LINK, SolverBody
from physx_runtime.model.island_rows import island_input_rows, island_output_rows
from physx_runtime.model.row_specs import (
    ACTOR_GROUP,
    GROUPS,
    MIMIC,
    TABLE,
    RowKey,
    groups,
    input_rows,
    output_rows,
    rows_by_maker,
)
from support.chance.packed_models import EVERYTHING, LARGE, SMALL, joint, packed_robot, random_body, random_island
from support.places import ROOT

RUNTIME = ROOT / "runtime" / "physx_runtime"
MAKERS = {row.maker for row in TABLE}
# Splits of a text at an underscore, as names of rows would be taken apart.
SPLIT = re.compile(r"""partition\(\s*["']_["']|split\(\s*["']_["']""")
# The first takes scalars apart, a row and its component; the second names of tools.
PARSERS = {"compiling/code.py", "model_context/workers.py"}


@pytest.mark.parametrize("robot", [*SMALL, *LARGE, *EVERYTHING])
def test_every_row_of_a_robot_has_a_key_with_its_text(robot: str) -> None:
    t = replace(packed_robot(robot)[0], link_forces=True, tendon_impulses=True, sleeping=True)
    owners = {row.name: row.owner for row in TABLE}
    prefixes = {prefix for owner in owners.values() for prefix, _ in groups(t, owner)}
    names = rows_by_maker(t, *MAKERS)
    assert names
    for name in names:
        key = RowKey.parse(name)
        assert str(key) == name
        assert key.prefix in prefixes
        assert key.field in owners


def test_every_row_of_an_island_has_a_key_of_its_owner() -> None:
    sides = SolverBody(LINK, 0, 1), SolverBody(LINK, 1, 1)
    robots = [packed_robot("all constraints"), packed_robot("arm"), random_body(1)]
    t, _ = random_island(5, robots, [joint("lllfll", *sides)])
    for name in island_output_rows(t) | island_input_rows(t):
        key = RowKey.parse(name)
        assert str(key) == name
        assert key.owner in {ACTOR_GROUP, *GROUPS.values()}
        if key.owner == ACTOR_GROUP:
            assert key.field in output_rows(t.actors[key.index]) | input_rows(t.actors[key.index])
            assert str(RowKey.parse(key.field)) == key.field


@pytest.mark.parametrize(("text", "key"), [
    ("q", RowKey("", 0, "q")), ("joint_effort", RowKey("", 0, "joint_effort")),
    ("frame0_position", RowKey("", 0, "frame0_position")),
    ("joint12_frame0_position", RowKey("joint", 12, "frame0_position")),
    ("fixed_tendon0_stiffness", RowKey("fixed_tendon", 0, "stiffness")),
    ("actor3_fixed_tendon10_offset", RowKey(ACTOR_GROUP, 3, "fixed_tendon10_offset")),
    ("mimic007_gearing", RowKey("", 0, "mimic007_gearing"))])
def test_a_text_is_the_key_that_it_says(text: str, key: RowKey) -> None:
    assert RowKey.parse(text) == key
    assert str(key) == text


def test_keys_of_random_owners_come_back_from_their_texts() -> None:
    random = np.random.default_rng(7)
    for group in {ACTOR_GROUP, *GROUPS.values()}:
        for field in ("stiffness", "lower_limit", f"{GROUPS[MIMIC]}2_offset"):
            key = RowKey(group, int(random.integers(0, 10_000)), field)
            assert RowKey.parse(str(key)) == key


def test_no_other_file_takes_names_of_rows_apart() -> None:
    found = {path.relative_to(RUNTIME).as_posix() for path in RUNTIME.rglob("*.py")
             if SPLIT.search(path.read_text(encoding="utf-8"))}
    assert found == PARSERS
