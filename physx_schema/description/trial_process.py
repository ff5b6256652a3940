"""The process in which files are opened first; run by path, it imports nothing of this package.

It answers every path on stdin, a JSON string a line, with JSON objects on stdout, a line each: layer and seconds before
each layer that it reads and before the stage, then the fault of the stage, "" for none. What USD cannot survive ends
this process, and so does the system where a layer takes more seconds of the processor than a sound one of its size.
"""

from __future__ import annotations

import json
import os
import resource
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pxr import Ar, Sdf, Tf, Usd, UsdGeom

SECONDS_OF_LAYER = 2            # of the processor, however small it is
SECONDS_OF_STAGE = 30           # for putting it together from its layers
BYTES_A_SECOND = 1 << 20        # that USD reads on a slow machine, some ten times less than on a usual one
MAX_LAYERS = 10_000
# How USD says that it found no memory, for a section of a crate and for a value: an error like others, and where
# there is more memory, none.
NO_MEMORY = ("std::bad_alloc", "exception thrown unpacking a value")
MEMORY = 0.75                   # of the machine's, however large the layers are
MEMORY_OF_FILE = 4 << 30        # bytes, however small its layers are
MEMORY_A_BYTE = 100             # of its layers, and then packed values have room


def main() -> None:
    """Answer every path until there are no more."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin:
        fault = ""
        try:
            attempt(json.loads(line))
        except RefusedError as error:
            fault = str(error)
        except MemoryError:
            fault = f"it needs more than {resource.getrlimit(resource.RLIMIT_DATA)[0] / 1e9:.1f} GB of memory"
        send({"fault": fault})


def send(answer: object) -> None:
    """Put a line on stdout at once: the next step may be the last."""
    print(json.dumps(answer), flush=True)


class RefusedError(Exception):
    """What is not even to be tried."""


def attempt(path: str) -> None:
    """Read every layer of a stage by itself, then the stage.

    Raises RefusedError; what USD reports as an error is not raised, who opens the file next hears it.
    """
    layers: list[Any] = []      # they stay open, so that the stage need not read them again
    for layer in dependency_layers(path):
        layers.append(layer)
        if len(layers) > MAX_LAYERS:
            raise RefusedError(f"it refers to more than {MAX_LAYERS} layers")
    if layers:
        limit_time(path, SECONDS_OF_STAGE + sum(size(layer.identifier) for layer in layers) // BYTES_A_SECOND)
        # only text is read whole; a .usd may be a crate, and a package holds some
        compose(path, any(layer.GetFileFormat().formatId != "usda" for layer in layers))


def dependency_layers(path: str) -> Iterator[Any]:
    """The layer of a file and those that it leads to in any variant, each once and read when it is asked for."""
    pending, known, total = [path], {path}, 0
    variables: dict[str, Any] = {}
    while pending:
        name = pending.pop()
        total += size(name)
        limit_time(name, SECONDS_OF_LAYER + size(name) // BYTES_A_SECOND)
        limit_memory(total)
        layer = open_layer(name, "it" if name == path else name)
        if layer is None:
            continue
        variables = variables or dict(layer.expressionVariables)
        yield layer
        for asset in layer.GetCompositionAssetDependencies():
            target = layer.ComputeAbsolutePath(evaluate_asset_path(asset, variables))
            if target and target not in known:
                known.add(target)
                pending.append(target)


def open_layer(name: str, what: str) -> Any:
    """A layer, None for one that USD refuses. Raises RefusedError for one that it has no memory for."""
    with ignoring_errors(what):
        return Sdf.Layer.FindOrOpen(name)
    return None


@contextmanager
def ignoring_errors(what: object) -> Iterator[None]:
    """Leave errors to who opens the file next. Raises RefusedError for want of memory, who has more may use up all."""
    try:
        yield
    except UnicodeDecodeError:
        pass
    except Tf.ErrorException as error:
        if any(words in str(error) for words in NO_MEMORY):
            raise RefusedError(f"{what} has a value that USD cannot unpack; export the file again") from None


def evaluate_asset_path(asset: str, variables: dict[str, Any]) -> str:
    """An asset path, the value of one that is an expression."""
    if not Sdf.VariableExpression.IsExpression(asset):
        return asset
    value = Sdf.VariableExpression(asset).Evaluate(variables).value
    return value if isinstance(value, str) else ""


def size(name: str) -> int:
    """Bytes of the file that holds a layer, 0 where there is none. Raises RefusedError for a pipe or a device."""
    try:
        file = Path(Ar.SplitPackageRelativePathOuter(Sdf.Layer.SplitIdentifier(name)[0])[0])
        status = file.stat()
    except (OSError, ValueError):
        return 0
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        raise RefusedError(f"it refers to {file}, which is not a regular file")
    return status.st_size


def limit_time(name: str, seconds: int) -> None:
    """Say what is read next, and take no more time of the processor for it than that."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard_limit = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + 1 + seconds, hard_limit))
    send({"layer": name, "seconds": seconds})


def limit_memory(total: int) -> None:
    """Take no more memory than layers of so many bytes may, nor than the machine or whoever started this allows."""
    _, hard_limit = resource.getrlimit(resource.RLIMIT_DATA)
    machine = int(MEMORY * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    limits = [machine, MEMORY_OF_FILE + MEMORY_A_BYTE * total]
    if hard_limit != resource.RLIM_INFINITY:
        limits.append(hard_limit)
    resource.setrlimit(resource.RLIMIT_DATA, (min(limits), hard_limit))


def compose(path: str, lazy: bool) -> None:
    """Put the stage together as its readers do: every prim, where each is and, where it is lazy, every value."""
    with ignoring_errors("it"):
        stage = Usd.Stage.Open(path)
        transforms = UsdGeom.XformCache()
        for prim in Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()):
            with ignoring_errors(prim.GetPath()):
                transforms.GetLocalToWorldTransform(prim)
            if lazy:
                read_values(prim)


def read_values(prim: Any) -> None:
    """Read all that a prim and its properties say, each by itself: what one of them fails at does not end the rest."""
    path = prim.GetPath()
    names: list[str] = []
    with ignoring_errors(path):
        names = prim.GetAuthoredPropertyNames()
    with ignoring_errors(path):
        read(path, prim.GetPrimStack())
    for name in names:
        where = f"{path}.{name}"
        with ignoring_errors(where):
            read(where, prim.GetProperty(name).GetPropertyStack())
        with ignoring_errors(where):
            resolve(prim.GetProperty(name))


def read(where: object, specs: list[Any]) -> None:
    """Read all that layers say of a prim or a property, but for samples, of which there may be many."""
    for spec in specs:
        for key in spec.ListInfoKeys():
            with ignoring_errors(where):
                if key != "timeSamples":
                    str(spec.GetInfo(key))


def resolve(item: Any) -> None:
    """Read what a property has, over time where it moves a prim."""
    if isinstance(item, Usd.Attribute):
        item.GetConnections()
        item.Get()
        for time in item.GetTimeSamples() if item.GetName().startswith("xformOp:") else ():
            item.Get(time)
    elif isinstance(item, Usd.Relationship):
        item.GetTargets()


if __name__ == "__main__":
    main()
