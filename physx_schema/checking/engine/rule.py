"""Rules and the selection of rules.

A rule has texts for pages and findings, examples, and a finder that searches a stage for it.

Helpers for finders: axes of joints, their instance names, coordinates and joint states, and the numbers of an authored
value of any USD type.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import InitVar, dataclass, field
from typing import Any, Literal

import numpy as np

from physx_schema.checking.engine.finding import DEFAULT_PROFILES, PROFILES, Finding, Repair
from physx_schema.description import Description, Dof, JointAxis, Problem
from physx_schema.description.articulation.axes import instance_of

_MEASURED = "Measured: "

# Location of the findings that a finding explains, relative to its own location:
# "prim" on its prim; "below" on its prim or below; "target" on relationships that target its prim or a prim below;
# "instance" on or in the same instance; "schema" on properties of its schema, or on the same prim for the same reason;
# "engine" about the same other engine; "remedy" anywhere, with the same fix for the same property; "stage" anywhere.
Extent = Literal["prim", "below", "target", "instance", "schema", "engine", "remedy", "stage"]


@dataclass(frozen=True, slots=True)
class Explains:
    """The findings that disappear if the finding of a rule is repaired."""

    extent: Extent
    codes: tuple[str, ...]              # codes or families
    properties: tuple[str, ...] = ()    # beginnings of their properties or schemas, () for any
    fix: str = ""                       # beginning of their fixes, "" for any


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of fault: its code, its texts, the common parts of its findings, and examples.

    `about` has a title and a paragraph with the meaning. If real PhysX was measured, a last paragraph begins with
    "Measured:" and gives numbers and the script.
    """

    code: str                   # "DJ.007/limits-clip"
    severity: str               # the severest of its findings
    about: InitVar[str]
    why: str = ""               # the effect, for findings that do not give one
    fix: str = ""               # the fix, for findings that do not give one
    profiles: tuple[str, ...] = DEFAULT_PROFILES    # the profiles with this rule, unless a finding gives its own
    example: str = ""           # a prim in USDA that gets the finding
    remedy: str = ""            # the same prim without it
    explains: tuple[Explains, ...] = ()     # the findings that disappear with this one
    title: str = field(init=False)      # a few words, for lists
    text: str = field(init=False)       # the meaning, in plain sentences
    measured: str = field(init=False)   # the measurement in real PhysX, "" for none

    def __post_init__(self, about: str) -> None:
        paragraphs = [" ".join(paragraph.split()) for paragraph in about.strip().split("\n\n")]
        measured = paragraphs[2:]
        if len(paragraphs) not in (2, 3) or not all(item.startswith(_MEASURED) for item in measured):
            raise ValueError(f"{self.code}: has {len(paragraphs)} paragraphs; write a title, the meaning, and at most "
                             f"one more that begins with {_MEASURED!r}")
        for name, value in (("title", paragraphs[0]), ("text", paragraphs[1]),
                            ("measured", "".join(measured).removeprefix(_MEASURED))):
            object.__setattr__(self, name, value)

    def at(
        self, path: str, name: str, message: str, *, why: str = "", fix: str = "", severity: str = "",
        repair: Repair | None = None,
    ) -> Finding:
        """A finding on a prim and property; given texts replace those of the rule."""
        return Finding(self.code, severity or self.severity, path, name, message, why or self.why, fix or self.fix,
                       measured=self.measured, repair=repair)


Values = Mapping[tuple[str, str], object]       # prim and property to what is authored


@dataclass(frozen=True, slots=True)
class ReaderRule(Rule):
    """A rule with findings from the reader of stages: its problems of this code."""

    repair: Callable[[Problem, Values], Repair | None] = lambda problem, values: None


@dataclass(frozen=True, slots=True)
class Unevaluated:
    """A finder's result, instead of a finding, for something that it cannot judge on this stage."""

    code: str                   # of a rule; "DJ.007" for all of a family
    path: str                   # prim
    property: str
    reason: str                 # why it is not judged
    fix: str = ""               # what allows a judgement


Find = Callable[[Description], Iterable[Finding | Unevaluated]]


@dataclass(frozen=True, slots=True)
class Finder:
    """A named function from a description to findings; if it raises, its rules are not evaluated."""

    name: str
    find: Find
    rules: tuple[Rule, ...]     # all rules of its findings


def finder(name: str, *rules: Rule) -> Callable[[Find], Finder]:
    """Return a decorator that makes a function the finder of some rules."""
    return lambda find: Finder(name, find, rules)


def belongs(code: str, family: str) -> bool:
    """Whether a code is a family itself or one of its members: DJ.007 holds DJ.007/limits."""
    return code == family or code.startswith(family + "/")


def concerns(pattern: str, code: str, name: str | None = None) -> bool:
    """Whether a pattern covers a code on a property: a code or family, with an optional @ and base name.

    Without a property: whether the pattern covers the code on any property.
    """
    family, _, wanted = pattern.partition("@")
    return belongs(code, family) and (not wanted or name is None or name.rpartition(":")[2] == wanted)


RULE_FAILED = Rule("rule-failed", "error", """
    Failed checker rule

    A rule of physx-schema raised an error on this stage. `check` did not look for the faults of this rule. The other
    rules ran normally.
    """,
    why="this rule and the rules of the same group were not checked",
    fix="report this stage as a bug of physx-schema",
    profiles=PROFILES,
)


def every_dof(description: Description) -> list[Dof]:
    """The degrees of freedom of articulations."""
    return [dof for articulation in description.articulations for dof in articulation.dofs]


def every_axis(description: Description) -> list[Dof | JointAxis]:
    """All axes: degrees of freedom of articulations, then axes of joints outside articulations."""
    return [*every_dof(description), *(axis for joint in description.joints for axis in joint.axes)]


def joints_with_state(description: Description) -> set[str]:
    """The joints with an authored joint state."""
    return {item.path for item in description.authored if item.schema == "PhysicsJointStateAPI"}


def instance_names(description: Description) -> Mapping[str, str]:
    """The instance names of the schemas of `every_axis`, by the axis' names."""
    joints = [link.joint for articulation in description.articulations for link in articulation.links if link.joint]
    names = {dof.name: instance_of(joint, dof) for joint in joints for dof in joint.dofs}
    return names | {axis.name: axis.instance for joint in description.joints for axis in joint.axes}


def coord(dof: Dof | JointAxis, value: float) -> str:
    """A coordinate as text, in authored units: degrees or length units."""
    return f"{math.degrees(value):g}" if dof.angular else f"{value:g}"


def flatten(value: Any) -> tuple[float, ...]:
    """The numbers of a scalar, vector, quaternion or array; empty for any other value."""
    if isinstance(value, bool | str):
        return ()
    if isinstance(value, int | float):
        return (float(value),)
    if hasattr(value, "GetImaginary"):
        return (float(value.GetReal()), *flatten(value.GetImaginary()))
    if type(value).__module__ == "pxr.Vt":
        numbers = np.asarray(value)
        return tuple(map(float, numbers.ravel().tolist())) if numbers.dtype.kind in "fiu" else ()
    if not is_sequence(value):
        return ()
    return tuple(number for item in value for number in flatten(item))


def is_sequence(value: object) -> bool:
    """Whether a value is a vector or an array."""
    return hasattr(value, "__len__") and hasattr(value, "__getitem__")


@dataclass(frozen=True, slots=True)
class Selection:
    """Codes or families to keep (all if empty) and to leave out, each a pattern of `concerns`."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    published: tuple[str, ...] = ()         # published codes of `select`
    published_ignored: tuple[str, ...] = ()     # published codes of `ignore`

    def has(self, code: str, name: str | None = None) -> bool:
        """Whether findings of a code are selected, on a property or on any. A failed rule is always reported."""
        selected = not (self.select or self.published) or any(concerns(item, code, name) for item in self.select)
        # a code is left out on all properties, or on those with a base name
        ignored = any(concerns(item, code, name) for item in self.ignore if name is not None or "@" not in item)
        return (selected or belongs(code, RULE_FAILED.code)) and not ignored

    def filter(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """The selected ones of the findings."""
        return (finding for finding in findings if self.has(finding.code, finding.property))

    def has_published(self, code: str) -> bool:
        """Whether a published code is selected, for a profile that includes all published codes."""
        return (not (self.select or self.published) or code in self.published) and code not in self.published_ignored


EVERYTHING = Selection()
