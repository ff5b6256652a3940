"""What USD could not put together of a stage: layers, arcs and targets, each in one line with its prim and a remedy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from pxr import Sdf

from physx_schema.description.model import Problem
from physx_schema.errors import printable, without_addresses

UNRESOLVED, TARGET, REMARK = "stage/composition", "stage/target-dropped", "stage/usd"
# Of the reader's problems, those that are announced at once: with them the stage is another than its author thinks.
LOUD = frozenset({"stage/variant-unselected", "stage/units-differ", "stage/over-misspelt"})

_METADATA = {"sublayer": "subLayers", "payload": "payload", "reference": "references", "inherit": "inherits",
             "specialize": "specializes"}       # by USD's word for an arc
_OTHERS = (("refers", "specializes"), ("variant", "variants"))
_ASSET = re.compile(r"Could not open asset @(?P<asset>.*?)@ for (?P<arc>\w+) introduced by @(?P<layer>.*?)@<.*?>"
                    r"(?: -- (?P<reason>.*))?")
_SUBLAYER = re.compile(r"Could not load sublayer @(?P<asset>.*?)@ of layer @(?P<layer>.*?)@(?:.*? -- (?P<reason>.*))?")
_PRIM = re.compile(r"Unresolved (?P<arc>\w+) prim path @(?P<asset>.*?)@<(?P<path>.*?)> introduced by @(?P<layer>.*?)@<")
_OUTSIDE = re.compile(r"In <(?P<path>[^>]*?)\.(?P<name>[^.>]*)>: The (?P<kind>[\w ]+?) <(?P<target>.*?)> from <.*?> in "
                      r"layer @(?P<layer>.*?)@ refers to (?P<reason>a path outside the scope of the (?P<arc>\w+)) from "
                      r"<(?P<root>.*?)>")
_PREFIX = re.compile(r"^In <[^>]*>: ")
_SITE = re.compile(r"[<(](?P<path>/[^.>)]*)(?:\.(?P<name>[^>)]*))?[>)]")
_STAGE = re.compile(r" \([^()]* on stage @.*?@\)$")
_ENDS = ("physics:body0", "physics:body1")
_HARMLESS = ("physics:simulationOwner", "material:binding", "collection:", "physics:filteredPairs")  # PhysX has others
_MISSING = "the content of that layer or prim is missing from the stage"
_DEFAULT_PRIM = "defaultPrim"
_MAX_LENGTH = 300           # characters of USD's words


def unresolved(stage: Any) -> Iterator[Problem]:
    """Layers, references, payloads, sublayers and other arcs that do not compose."""
    for error in stage.GetCompositionErrors():
        site = getattr(error, "rootSite", None)
        yield _unresolved(_plain(error), str(site.path) if site else "/")


def _plain(text: object) -> str:
    return printable(" ".join(without_addresses(str(text)).split()).removesuffix("."))


def _unresolved(text: str, path: str) -> Problem:
    """One error of composition, in USD's words where it is of a rarer kind."""
    if match := _ASSET.search(text) or _SUBLAYER.search(text):
        arc = match.groupdict().get("arc", "sublayer")
        return Problem(UNRESOLVED, path, _METADATA.get(arc, ""), f"the {arc} @{_url(match['asset'])}@ of "
                       f"{match['layer']} cannot be opened{_reason(match)}", _MISSING, "repair that layer"
                       if match["reason"] else "put the layer at this path, or correct the path")
    if match := _PRIM.search(text):
        return Problem(UNRESOLVED, path, _METADATA.get(match["arc"], ""), *_missing_prim(match))
    words = (*_METADATA.items(), *_OTHERS)
    return Problem(UNRESOLVED, path, next((name for word, name in words if word in text.lower()), ""), text,
                   "part of the stage is missing or ambiguous",
                   "repair the reference, payload, sublayer or inherit in this message")


def _url(asset: str) -> str:
    """An address as it is authored; USD leaves a slash of it out."""
    return re.sub(r"^(\w+):/(?!/)", r"\1://", asset)


def _reason(match: re.Match[str]) -> str:
    return f": {match['reason'][:_MAX_LENGTH].rstrip('. ')}" if match["reason"] else ""


def _missing_prim(match: re.Match[str]) -> tuple[str, str, str]:
    """Message, consequence and remedy of an arc to a prim that is not in the layer."""
    layer, path = Sdf.Layer.Find(match["asset"]), match["path"]
    roots = [str(prim.path) for prim in layer.rootPrims] if layer else []
    if path == _DEFAULT_PRIM:
        name = layer.defaultPrim if layer else ""
        what = f"has the defaultPrim {name!r}, which it does not define" if name else "has no defaultPrim"
        known = f": {', '.join(roots)}" if roots else ""
        return (f"the {match['arc']} @{match['asset']}@ names no prim, and the layer {what}", _MISSING,
                f"set defaultPrim in that layer, or name a prim in the {match['arc']}{known}")
    close = get_close_matches(path, _paths(layer), 1) if layer else []
    meant = f"did you mean <{close[0]}>?" if close else f"name a prim of the layer: {', '.join(roots) or 'it has none'}"
    return f"the {match['arc']} @{match['asset']}@<{path}> targets no prim of the layer", _MISSING, meant


def _paths(layer: Any) -> list[str]:
    """The paths of the prims in a layer, outside its variants."""
    paths: list[str] = []
    layer.Traverse(Sdf.Path.absoluteRootPath, lambda path: paths.append(str(path)) if path.IsPrimPath() else None)
    return paths


def remarked(texts: Iterable[str], problems: Sequence[Problem]) -> Iterator[Problem]:
    """Targets that USD drops, and all else that it remarks on a stage, a line a kind; not what is a problem already."""
    known = {problem.message for problem in problems}
    sites = {(problem.path, _subject(problem.property)) for problem in problems}
    kinds: dict[str, list[tuple[str, str, str]]] = {}
    for text in texts:
        plain = _STAGE.sub("", text)
        if match := _OUTSIDE.search(plain):
            yield _dropped(match)
            continue
        site = _SITE.search(plain)
        path, name = (site["path"], site["name"] or "") if site else ("/", "")
        bare = _plain(_PREFIX.sub("", plain))
        if _unresolved(bare, "/").message in known or any(at == path and what in bare for at, what in sites):
            continue
        kinds.setdefault(_SITE.sub("", bare), []).append((path, name, bare))
    for (path, name, bare), *others in kinds.values():
        more = f" (and {len(others)} more of this kind)" if others else ""
        yield Problem(REMARK, path, name, f"USD warns: {bare[:_MAX_LENGTH]}{more}",
                      "the stage can differ from the content of its files",
                      "correct the value in this message", "info")


def _subject(name: str) -> str:
    """What warnings of USD about a property mention."""
    return name.removesuffix("Order").partition(":")[0] or "\0"


def _dropped(match: re.Match[str]) -> Problem:
    """A target, of a relationship or a connection, that is not below the prim which the arc brings in."""
    name, arc = match["name"], match["arc"]
    lost = "PhysX joins that end of the joint to the world" if name in _ENDS else f"{name} loses this target"
    return Problem(
        TARGET, match["path"], name,
        f"the target <{match['target']}> in {match['layer']} is outside the {arc} at {match['root']}, and USD drops it",
        f"a {arc} adds one prim and the prims below it; {lost}",
        f"author {name} on the stage, at {match['path']}, or move the target below the prim of the {arc}",
        "warning" if name.startswith(_HARMLESS) else "error")


def in_one_line(source: str, problem: Problem) -> str:
    """A problem for those who see nothing else of it."""
    where = f"{problem.path}.{problem.property}" if problem.property else problem.path
    return printable(f"{source}: {where}: {problem.message}; {problem.why}; {problem.fix}")
