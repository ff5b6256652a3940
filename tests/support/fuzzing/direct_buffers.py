"""Calls of the Direct API with buffers and indices of every kind: refused and nothing changed, or as plain ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st
from physx_runtime import Simulation
from physx_runtime.direct import ComputeType, DirectError, ReadType, WriteType

from support.fuzzing.spoiling import require_line
from support.places import FINGER

WORLDS = 3
CALLS = {"get": ReadType, "set": WriteType, "compute": ComputeType}
WRONG_NAMES = ("", "eMASS", "eJOINT_POSITION ", "0")
LAYOUTS = ("plain", "plain", "plain", "strided", "fortran", "backwards", "read-only", "unaligned", "big-endian", "list",
           "none", "square")
DTYPES = ("float32", "float32", "float32", "float64", "int32", "float16", "complex64", "bool")
NUMBERS = (0.0, 0.1, -0.3, 1.0, float("nan"), float("inf"), -1e38, 1e-45)


@dataclass(frozen=True)
class Call:
    """A call: what is asked, of whom, and the memory that is given; `extra` numbers too many or, below 0, too few."""

    method: str
    kind: str
    indices: Any
    layout: str
    dtype: str
    extra: int
    numbers: tuple[float, ...]


def kinds_of(method: str) -> st.SearchStrategy[str]:
    names = tuple(CALLS[method].__members__)
    return st.sampled_from(names * 4 + WRONG_NAMES)


indices = st.one_of(
    st.permutations(range(WORLDS)).flatmap(lambda order: st.integers(0, WORLDS).map(lambda count: order[:count])),
    st.lists(st.booleans(), min_size=WORLDS, max_size=WORLDS),
    st.lists(st.integers(-2, WORLDS + 1) | st.just(2**63) | st.floats(), max_size=4), st.none(), st.just("all"),
    st.just([[0], [1]]))
CASES = st.sampled_from(sorted(CALLS)).flatmap(lambda method: st.builds(
    Call, st.just(method), kinds_of(method), indices, st.sampled_from(LAYOUTS), st.sampled_from(DTYPES),
    st.sampled_from((0, 0, 0, 0, 1, -1, 9)), st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=7).map(tuple)))


@cache
def simulation() -> tuple[Simulation, dict[str, Any]]:
    """Three fingers, of which the Direct API has seen a step, and the parameters that it can set."""
    made = Simulation(FINGER, worlds=WORLDS)
    made.step()
    assert made.direct.count == WORLDS
    made.step()
    tendons = {kind: np.zeros((WORLDS, made.direct.block_size(kind)), np.float32)
               for kind in WriteType.__members__ if "TENDON" in kind}
    for kind, numbers in tendons.items():
        made.direct.get(kind, numbers, np.arange(WORLDS))
    return made, tendons


def memory(call: Call, wanted: int) -> Any:
    """The memory that a call gives, of the numbers that it repeats."""
    count = max(wanted + call.extra, 0)
    with np.errstate(all="ignore"):
        plain = np.resize(np.array(call.numbers), count).astype(call.dtype)
    if call.layout == "unaligned":
        room = np.zeros(plain.nbytes + 1, np.uint8)
        room[1:] = plain.view(np.uint8)
        return room[1:].view(plain.dtype)
    if call.layout == "read-only":
        plain.flags.writeable = False
    return {"strided": lambda: np.repeat(plain, 2)[::2], "backwards": lambda: plain[::-1],
            "fortran": lambda: np.asfortranarray(np.stack([plain, plain])), "list": plain.tolist, "none": lambda: None,
            "big-endian": lambda: plain.astype(plain.dtype.newbyteorder(">")),
            "square": lambda: plain.reshape(1, -1, 1)}.get(call.layout, lambda: plain)()


def hold(case: Call) -> None:
    """A call works as one with plain memory does, or is refused in one line and has changed nothing."""
    made, tendons = simulation()
    made.reset()
    for kind, numbers in tendons.items():       # a reset leaves parameters as they were set
        made.direct.set(kind, numbers, np.arange(WORLDS))
    made.step()
    before, direct = state(made), made.direct
    names = CALLS[case.method].__members__
    size = direct.block_size(CALLS[case.method][case.kind]) if case.kind in names else 3
    chosen = np.atleast_1d(np.asarray(case.indices if isinstance(case.indices, list) else [0]))
    data = memory(case, size * len(chosen))
    given = data.copy() if isinstance(data, np.ndarray) else None
    try:
        getattr(direct, case.method)(case.kind, data, case.indices)
    except (ValueError, DirectError) as error:
        require_line(error)
        assert same(state(made), before)
        assert given is None or np.array_equal(bits(data), bits(given))
        return
    assert case.kind in names
    if case.kind == ComputeType.eUPDATE_KINEMATIC.name:
        return
    assert isinstance(data, np.ndarray) and data.dtype == np.float32
    if case.method == "set":
        assert np.array_equal(bits(data), bits(given))
        assert all(np.isfinite(part).all() for part in state(made))
    elif case.kind != ComputeType.eCENTROIDAL_MOMENTUM_MATRICES.name:
        require_same_as_plain(case, data, given)


def require_same_as_plain(case: Call, data: Any, given: Any) -> None:
    """Fail unless each block holds what a plain buffer of all worlds holds; the rest stays as it was given."""
    direct = simulation()[0].direct
    mask = bool(case.indices) and isinstance(case.indices[0], bool)
    places = [at for at, on in enumerate(case.indices) if on] if mask else range(len(case.indices))
    stride = direct.block_size(case.kind)
    plain = np.zeros((WORLDS, stride), data.dtype)
    getattr(direct, case.method)(case.kind, plain, np.arange(WORLDS))
    blocks, old = (bits(array).reshape(len(case.indices), stride, data.dtype.itemsize) for array in (data, given))
    for place in range(len(blocks)):
        world = (place if mask else case.indices[place]) if place in places else 0
        changed = (blocks[place] != old[place]).any(axis=-1)
        assert place in places or not changed.any(), place
        assert np.array_equal(blocks[place][changed], bits(plain[world])[changed]), (place, world)


def state(made: Simulation) -> tuple[Any, ...]:
    """What calls may change."""
    return made.joint_position, made.joint_velocity, made.link_pose


def same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return all(np.array_equal(bits(first), bits(second)) for first, second in zip(one, other, strict=True))


def bits(array: Any) -> Any:
    """An array's bytes, number by number: of these, NaN is equal to itself."""
    size = array.dtype.itemsize
    return np.frombuffer(np.ascontiguousarray(array).tobytes(), np.uint8).reshape(array.size, size)
