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
from contextlib import suppress
from pathlib import Path
from typing import Any

from pxr import Ar, Sdf, Tf, Usd, UsdGeom

SECONDS_OF_LAYER = 2            # of the processor, however small it is
SECONDS_OF_STAGE = 30           # for putting it together from its layers
BYTES_A_SECOND = 1 << 20        # that USD reads on a slow machine, some ten times less than on a usual one
MOST_LAYERS = 10_000
UNPACKING = "exception thrown unpacking a value"        # how USD says that it found no memory for one
MEMORY = 0.75                   # of the machine's, as addresses


def main() -> None:
    """Answer every path until there are no more."""
    memory = int(MEMORY * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin:
        fault = ""
        try:
            attempt(json.loads(line))
        except RefusedError as error:
            fault = str(error)
        except MemoryError:
            fault = f"needs more than {memory / 1e9:.0f} GB of memory"
        say({"fault": fault})


def say(answer: object) -> None:
    """Put a line on stdout at once: the next step may be the last."""
    print(json.dumps(answer), flush=True)


class RefusedError(Exception):
    """What is not even to be tried."""


def attempt(path: str) -> None:
    """Read every layer of a stage by itself, then the stage.

    Raises RefusedError; what USD reports as an error is not raised, who opens the file next hears it.
    """
    layers: list[Any] = []      # they stay open, so that the stage need not read them again
    for layer in reached(path):
        layers.append(layer)
        if len(layers) > MOST_LAYERS:
            raise RefusedError(f"leads to more than {MOST_LAYERS} layers")
    if layers:
        allow(path, SECONDS_OF_STAGE + sum(size(layer.identifier) for layer in layers) // BYTES_A_SECOND)
        compose(path, any(layer.GetFileFormat().formatId == "usdc" for layer in layers))


def reached(path: str) -> Iterator[Any]:
    """The layer of a file and those that it leads to in any variant, each once and read when it is asked for."""
    waiting, known = [path], {path}
    variables: dict[str, Any] = {}
    while waiting:
        name = waiting.pop()
        allow(name, SECONDS_OF_LAYER + size(name) // BYTES_A_SECOND)
        layer = opened(name)
        if layer is None:
            continue
        variables = variables or dict(layer.expressionVariables)
        yield layer
        for asset in layer.GetCompositionAssetDependencies():
            target = layer.ComputeAbsolutePath(evaluated(asset, variables))
            if target and target not in known:
                known.add(target)
                waiting.append(target)


def opened(name: str) -> Any:
    """A layer, None for one that USD refuses."""
    try:
        return Sdf.Layer.FindOrOpen(name)
    except Tf.ErrorException:
        return None


def evaluated(asset: str, variables: dict[str, Any]) -> str:
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
        raise RefusedError(f"leads to {file}, which is not a regular file")
    return status.st_size


def allow(name: str, seconds: int) -> None:
    """Say what is read next, and take no more time of the processor for it than that."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + 1 + seconds, most))
    say({"layer": name, "seconds": seconds})


def compose(path: str, lazy: bool) -> None:
    """Put the stage together as its readers do: every prim, where each is and, of lazy layers, every value."""
    with suppress(Tf.ErrorException):
        stage = Usd.Stage.Open(path)
        transforms = UsdGeom.XformCache()
        for prim in Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()):
            with suppress(Tf.ErrorException):
                transforms.GetLocalToWorldTransform(prim)
            for name in prim.GetAuthoredPropertyNames() if lazy else ():    # all at once, USD refuses all for one
                read_unless_refused(prim.GetProperty(name))


def read_unless_refused(item: Any) -> None:
    """Read a property. Raises RefusedError for a value beyond memory here, which elsewhere would fill all there is."""
    try:
        read(item)
    except UnicodeDecodeError:
        pass
    except Tf.ErrorException as error:
        if UNPACKING in str(error):
            raise RefusedError(f"{item.GetPath()} has a value that USD cannot unpack; "
                               "have it written anew by the tool it is from") from None


def read(item: Any) -> None:
    """Read what a property is, in each of its layers, and what it has."""
    for spec in item.GetPropertyStack():
        str(getattr(spec, "typeName", ""))
        str(getattr(spec, "default", ""))
    if isinstance(item, Usd.Attribute):
        item.Get()
    elif isinstance(item, Usd.Relationship):
        item.GetTargets()


if __name__ == "__main__":
    main()
