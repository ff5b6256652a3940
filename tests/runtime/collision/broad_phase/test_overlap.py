"""Pairs of shapes whose bounds overlap: all of them, no others, kept as long as they do, and in PhysX's order."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.collision.broad_phase.pair_order import SLAB, PairCreationOrder, creation_ranks
from physx_runtime.collision.meshes.triangle_mesh import meshes_of
from physx_runtime.collision.pair_table import PairTable, generate, supported
from physx_runtime.collision.shapes import (
    CONVEX,
    CYLINDER,
    EMPTY,
    EVERY_WORLD,
    FREE,
    MESH,
    NO_OWNER,
    PLANE,
    SHAPE,
    SPHERE,
)
from physx_runtime.packing.hulls import pack_hulls
from support.chance.touching_writer import Shape, prims
from support.stages.robots import base, described, link, robot


def spheres(count: int, **fields: object) -> np.ndarray:
    shapes = np.zeros(count, SHAPE)
    shapes["kind"], shapes["body"], shapes["owner"] = SPHERE, np.arange(count), NO_OWNER
    shapes["precedence"], shapes["rotation"][:, 3] = np.arange(count), 1
    shapes["size"][:, 0], shapes["contact_offset"] = 0.1, 0.02
    for name, value in fields.items():
        shapes[name] = value
    return shapes


def poses_at(places: np.ndarray) -> np.ndarray:
    poses = np.zeros((len(places), 7), np.float32)
    poses[:, :3], poses[:, 6] = places, 1
    return poses


def paired(table: PairTable) -> set[tuple[int, int]]:
    rows = table.rows[table.rows["shape0"] != FREE]
    return {(int(min(row["shape0"], row["shape1"])), int(max(row["shape0"], row["shape1"]))) for row in rows}


def near(places: np.ndarray, moving: int) -> set[tuple[int, int]]:
    reach = np.float32(0.24)
    apart = np.abs(places[:, None] - places[None]).max(axis=2)
    return {(int(i), int(j)) for i, j in np.argwhere(apart <= reach) if i < min(j, moving)}


def test_pairs_are_those_that_trying_all_finds_at_every_step() -> None:
    rng = np.random.default_rng(3)
    places = rng.uniform(-1, 1, (200, 3)).astype(np.float32)
    table = PairTable(spheres(200), 150)
    for _ in range(20):
        generate(table, poses_at(places))
        assert paired(table) == near(places, 150)
        places += rng.normal(scale=0.1, size=places.shape).astype(np.float32)


def test_shapes_of_different_worlds_do_not_meet_but_what_is_in_every_world() -> None:
    shapes = spheres(4, world=[0, 1, 1, EVERY_WORLD])
    table = PairTable(shapes, 3)
    generate(table, poses_at(np.zeros((4, 3))))
    assert paired(table) == {(1, 2), (0, 3), (1, 3), (2, 3)}


def test_shapes_kept_apart_do_not_meet() -> None:
    shapes = spheres(6, owner=[5, 5, NO_OWNER, NO_OWNER, NO_OWNER, NO_OWNER], group=[0, 0, 0, 0, 1, 0])
    shapes["body"][5] = shapes["body"][3]       # two shapes of one body
    meets = np.array([[True, False], [False, True]])
    table = PairTable(shapes, 6, meets, excluded_pairs=[(3, 0)])
    generate(table, poses_at(np.zeros((6, 3))))
    assert paired(table) == {(0, 2), (1, 2), (1, 3), (2, 3), (0, 5), (1, 5), (2, 5)}


def test_a_pair_is_made_anew_when_its_bounds_have_been_apart() -> None:
    table = PairTable(spheres(2), 2)
    born = []
    for distance in (0.15, 0.19, 1.0, 0.19):
        contacts = generate(table, poses_at(np.array([[0, 0, 0], [distance, 0, 0]])))
        assert len(contacts) == len(table.touching) == (distance < 0.24)
        born.append(sorted(table.rows["creation_index"][table.touching].tolist()))
    assert born == [[0], [0], [], [1]]


def test_pairs_that_touch_keep_their_order_and_new_ones_follow() -> None:
    table = PairTable(spheres(4), 4)
    far = np.array([[0, 0, 0], [5, 0, 0], [10, 0, 0], [15, 0, 0]], float)
    late = far.copy()
    late[3] = [10.19, 0, 0]
    both = late.copy()
    both[1] = [0.19, 0, 0]
    for places in (far, late, both):
        contacts = generate(table, poses_at(places))
    assert [int(table.rows["shape0"][k]) for k in table.touching] == [2, 0]
    assert contacts["pair"].tolist() == table.touching.tolist()


FAR, NEAR_BY, TOUCHING = (1.0, 0.0), (0.2, 0.2), (0.19, 0.0)    # m, from the first sphere of a pair to the second


def begun(*steps: tuple[tuple[float, float], ...], apart: tuple[int, ...] = ()) -> list[int]:
    """The first spheres of the pairs that touch, in order; pairs stand along x, each step so far from each other.

    apart: those of pairs that never meet.
    """
    table = PairTable(spheres(2 * len(steps[0])), 2 * len(steps[0]), excluded_pairs=[(i, i + 1) for i in apart])
    for gaps in steps:
        places = [(10.0 * k + x, y, 0.0) for k, gap in enumerate(gaps) for x, y in ((0.0, 0.0), gap)]
        generate(table, poses_at(np.array(places)))
    pairs = table.rows[table.touching]
    return np.minimum(pairs["shape0"], pairs["shape1"]).tolist()


def test_of_pairs_that_begin_in_one_step_the_one_in_a_slot_that_was_freed_comes_first() -> None:
    assert begun((NEAR_BY, FAR, FAR), (FAR, NEAR_BY, FAR), (FAR, NEAR_BY, NEAR_BY),
                 (FAR, TOUCHING, TOUCHING)) == [4, 2]


def test_new_pairs_take_their_slots_in_another_order_where_a_pair_was_lost() -> None:
    assert begun((NEAR_BY, NEAR_BY, FAR, FAR), (NEAR_BY, NEAR_BY, TOUCHING, TOUCHING)) == [6, 4]
    assert begun((NEAR_BY, NEAR_BY, FAR, FAR), (FAR, NEAR_BY, TOUCHING, TOUCHING)) == [4, 6]


def test_a_pair_that_never_meets_gives_its_line_up_to_another_as_its_bounds_part() -> None:
    near, parted = (NEAR_BY, FAR, FAR), (FAR, TOUCHING, TOUCHING)
    assert begun(near, near, parted, apart=(0,)) == [4, 2]
    assert begun(near, (NEAR_BY, TOUCHING, TOUCHING), apart=(0,)) == [2, 4]


def test_worlds_that_are_set_anew_forget_which_bounds_of_pairs_that_never_meet_overlap() -> None:
    table = PairTable(spheres(6), 6, excluded_pairs=[(0, 1)])
    places = np.array([(10.0 * k + x, 0.0, 0.0) for k in range(3) for x in (0.0, 0.2 if k == 0 else 1.0)])
    generate(table, poses_at(places))
    table.forget(np.array([0]))
    generate(table, poses_at(places))
    places[1, 0], places[3, 0], places[5, 0] = 1.0, 10.19, 20.19
    generate(table, poses_at(places))
    assert table.rows["shape0"][table.touching].tolist() == [4, 2]


def test_more_pairs_than_a_slab_take_slots_of_their_own() -> None:
    count = 2 * SLAB + 10
    found = begun((TOUCHING,) * count)
    assert sorted(found) == list(range(0, 2 * count, 2))


def test_bounds_of_a_hull_are_those_of_its_corners() -> None:
    points = [tuple(sign * float(x) for x in axis) for axis in np.eye(3) for sign in (1, -1)]
    collider = "".join(prims(Shape("Mesh", np.ones(3), tuple(points)), {}, ()))
    stage = robot(base(), link("a", children=collider))
    hull = next(link for link in described(stage).bodies if link.colliders).colliders[0].cooked().mesh
    geometry = EMPTY._replace(hulls=pack_hulls([hull]))
    table = PairTable(spheres(1, kind=CONVEX, scale=1, geometry=0), 1, geometry=geometry)
    table.update_overlaps(np.array([[3, 0, 0, 0, 0, np.sin(np.pi / 8), np.cos(np.pi / 8)]], np.float32))
    np.testing.assert_allclose(table.bounds[0, 1, :3], [3.02 + 0.5**0.5, 0.02 + 0.5**0.5, 1.02], rtol=1e-6)


def test_normals_point_to_the_shape_of_lower_precedence() -> None:
    for precedence, sign in (([0, 1], -1), ([1, 0], 1)):
        table = PairTable(spheres(2, precedence=precedence), 2)
        contacts = generate(table, poses_at(np.array([[0, 0, 0], [0.19, 0, 0]])))
        assert contacts["normal"].tolist() == [[sign, 0, 0]]


def in_order(lows: list[float], moving: int, fresh: list[list[int]], **fields: object) -> list[list[int]]:
    """New pairs in their order, of shapes with these lower bounds."""
    return PairCreationOrder(spheres(len(lows), **fields), moving).in_order(np.array(fresh), boxes(lows)).tolist()


def boxes(lows: list[float], width: float = 0.5) -> np.ndarray:
    """Bounds from these along x, and the same along the other axes."""
    bounds = np.zeros((len(lows), 2, 4), np.float32)
    bounds[:, 0, 0], bounds[:, 1, 0] = lows, np.add(lows, width)
    return bounds


def test_new_pairs_are_found_by_a_sweep_along_x() -> None:
    fresh = [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 4]]        # shapes 3 and 4 do not move
    assert in_order([0.0, 0.1, 0.2, 0.05, 0.3], 3, fresh) == [[0, 1], [0, 2], [1, 2], [0, 3], [2, 4], [1, 3]]


def test_of_shapes_with_equal_bounds_that_created_first_comes_first_in_a_sweep() -> None:
    fresh, lows = [[0, 1], [1, 2], [2, 3]], [0.0] * 4
    assert in_order(lows, 4, fresh, created=[0, 1, 2, 3]) == [[0, 1], [1, 2], [2, 3]]
    assert in_order(lows, 4, fresh, created=[3, 2, 1, 0]) == [[2, 3], [1, 2], [0, 1]]


def test_kinematic_shapes_are_swept_after_static_ones() -> None:
    fresh, lows = [[0, 1], [0, 2]], [0.0, 0.1, 0.1]
    assert in_order(lows, 1, fresh, kinematic=[0, 1, 0]) == [[0, 2], [0, 1]]
    assert in_order(lows, 1, fresh, kinematic=[0, 0, 1]) == [[0, 1], [0, 2]]


def test_an_articulation_is_one_object_that_is_swept_before_those_which_it_meets_anew() -> None:
    """Shapes 1 and 2 are of an articulation; 0 is a body of its own, 3 too, far away until the second step."""
    births = PairCreationOrder(spheres(4, articulation=[0, 1, 1, 0], created=[0, 2, 3, 1]), 4)
    near, far = boxes([0.3, 0.0, 0.2, 5.0]), boxes([0.3, 0.0, 0.2, 0.1])
    far[0, :, 1] = 9.0                  # the body leaves
    first = births.in_order(np.array([[0, 1], [0, 2], [1, 2]]), near)
    assert first.tolist() == [[1, 2], [0, 1], [0, 2]]               # within the articulation first
    assert births.in_order(np.array([[1, 3], [2, 3]]), far).tolist() == [[1, 3], [2, 3]]


def test_kinds_without_contacts_are_named_and_refused() -> None:
    shapes = spheres(2, kind=[PLANE, MESH])
    triangle = meshes_of([(0.1 * np.eye(3), np.array([[0, 1, 2]]), np.ones(3))])
    assert supported(CYLINDER, MESH) and not supported(PLANE, MESH)
    with pytest.raises(NotImplementedError, match="between plane and triangle mesh"):
        generate(PairTable(shapes, 2, geometry=EMPTY._replace(meshes=triangle)), poses_at(np.zeros((2, 3))))


@pytest.mark.parametrize(("bodies", "statics", "ranks"), [
    (4, 1, [4, 3, 2, 1, 0]),
    (13, 0, [*range(12, -1, -1)]),
    (18, 0, [*range(5, 18), 4, 3, 2, 1, 0]),    # read off 153 contacts among 18 spheres in PhysX
    (10, 8, [*range(5, 15), 15, 16, 17, 4, 3, 2, 1, 0]),
])
def test_bodies_are_created_in_the_order_of_a_growing_hash_table(bodies: int, statics: int, ranks: list[int]) -> None:
    assert creation_ranks(bodies, statics) == ranks
