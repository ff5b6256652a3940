"""Results of a function on many items from a Ray cluster, in place of worker processes of this machine."""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from physx_schema.errors import UnsupportedError
from physx_schema.library.content import versions
from physx_schema.library.outcomes import Limits, Lost
from physx_schema.library.worker_pool import results_of

Item = TypeVar("Item")
Result = TypeVar("Result")

BATCH = 16              # items of a task with limits, for which a node starts a process
WAITING = 2             # tasks for each processor of the cluster that are sent before one is done
RETRIES = 2             # of a task whose node is lost
_CONNECTION_SECONDS = 10.0
_PACKAGES = ("physx_generated", "physx_schema", "physx_runtime")


def ray_results_of(function: Callable[[Item], Result], items: Sequence[Item], address: str,
                   limits: Limits | None = None) -> Iterator[tuple[int, Result | Lost]]:
    """The index and result of each item, in the order in which the cluster finishes; as `worker_pool.results_of`.

    address: of the cluster, or "auto" for the one that RAY_ADDRESS or this machine has. With limits, each node works on
    items in a separate process.

    Raises UnsupportedError without Ray, without the cluster, and for a node with other files of this package.
    """
    if find_spec("ray") is None:
        raise UnsupportedError("Ray is not installed: pip install 'physx-schema[fleet]'")
    import ray

    _connect(address)
    task = ray.remote(num_cpus=1, max_retries=RETRIES)(_batch_results)
    shared, sources = ray.put(function), source_hash()
    batches = _batches(items, BATCH if limits else 1)
    in_flight: dict[Any, tuple[tuple[int, Item], ...]] = {}
    room = max(1, int(ray.cluster_resources().get("CPU", 1))) * WAITING
    while True:
        for batch in batches:
            in_flight[task.remote(shared, batch, limits, sources)] = batch
            if len(in_flight) >= room:
                break
        if not in_flight:
            return
        done, _ = ray.wait(list(in_flight), num_returns=1)
        yield from _answers(ray, done[0], in_flight.pop(done[0]))


def _batches(items: Iterable[Item], size: int) -> Iterator[tuple[tuple[int, Item], ...]]:
    """Numbered items in groups."""
    numbered = enumerate(items)
    while batch := tuple(islice(numbered, size)):
        yield batch


def _connect(address: str) -> None:
    import ray

    if ray.is_initialized():
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        if host and port.isdecimal():       # else Ray tries for minutes
            socket.create_connection((host, int(port)), _CONNECTION_SECONDS).close()
        ray.init(address=address, log_to_driver=False, configure_logging=False)
    except (OSError, OverflowError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise UnsupportedError(f"no Ray cluster at {address}: {reason}; start one with ray start --head "
                               "--dashboard-host 127.0.0.1") from None


def _answers(ray: Any, reference: Any, batch: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """The results of a task; those of a lost node are lost."""
    try:
        results = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise UnsupportedError(" ".join(str(error.cause).split())) from None
    except ray.exceptions.RayError as error:
        yield from ((index, Lost("crashed", f"ended its node: {type(error).__name__}")) for index, _ in batch)
        return
    yield from results


def _batch_results(function: Callable[[Any], Any], batch: Sequence[tuple[int, Any]], limits: Limits | None,
                   sources: str) -> list[tuple[int, Any]]:
    """Results of items on a node. Raises UnsupportedError if the files of this package differ there."""
    if source_hash() != sources:
        raise UnsupportedError(f"a node of the cluster has other files of physx-schema (version {versions()['tool']}, "
                               f"USD {versions()['usd']}); install the same version on every node")
    indices, items = zip(*batch, strict=True)
    if limits is None:
        return [(index, function(item)) for index, item in batch]
    return [(indices[place], result) for place, result in results_of(function, items, 1, limits)]


@cache
def source_hash() -> str:
    """The hash of the sources of this package and of the version of USD."""
    digest = hashlib.sha256(versions()["usd"].encode())
    for package in _PACKAGES:
        spec = find_spec(package)
        for root in spec.submodule_search_locations or () if spec else ():
            for path in sorted(Path(root).rglob("*.py")):
                digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()
