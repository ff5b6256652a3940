"""A rule, what rules share, and which are chosen.

What a rule is: what pages and findings say of it, examples, and the finder that looks for it on a stage.

Axes of joints as they are authored: all of a stage, their instance names, coordinates and joint states.

The numbers of an authored value, whatever USD type it has.

Which codes are asked for.
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

# Where the findings are that another explains, from its own place:
# "prim" on its prim; "below" on it or below; "target" where a relationship leads to it or below; "instance" on or in
# the same instance; "schema" on the properties of its schema, or on the same prim for the same reason; "engine" about
# the same other engine; "remedy" anywhere, with the same remedy for the same property; "stage" anywhere.
Extent = Literal["prim", "below", "target", "instance", "schema", "engine", "remedy", "stage"]


@dataclass(frozen=True, slots=True)
class Explains:
    """The findings that go away with those of a rule."""

    extent: Extent
    codes: tuple[str, ...]              # codes or families
    properties: tuple[str, ...] = ()    # what the names of their properties or schemas begin with, () for any
    fix: str = ""                       # what their remedies begin with, "" for any


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing to look for: its code, what pages and ``explain`` say, what its findings have in common, examples.

    `about` has a title, a paragraph that says what it means, and where real PhysX was asked one that begins with
    "Measured:", with numbers and the script that measured them.
    """

    code: str                   # "DJ.007/limits-clip"
    severity: str               # the severest of its findings
    about: InitVar[str]
    why: str = ""               # what happens, of findings that do not say it themselves
    fix: str = ""               # what to do, of the same
    profiles: tuple[str, ...] = DEFAULT_PROFILES    # who wants it; a finding may say so itself
    example: str = ""           # a prim in USDA that gets the finding
    remedy: str = ""            # the same prim without it
    explains: tuple[Explains, ...] = ()     # the findings that go away with this one
    title: str = field(init=False)      # a few words, for lists
    text: str = field(init=False)       # what it means, in plain sentences
    measured: str = field(init=False)   # what real PhysX did, "" where nothing was run

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
        """The finding on a prim and property, which may say more of itself than the rule does."""
        return Finding(self.code, severity or self.severity, path, name, message, why or self.why, fix or self.fix,
                       measured=self.measured, repair=repair)


Values = Mapping[tuple[str, str], object]       # prim and property to what is authored


@dataclass(frozen=True, slots=True)
class ReaderRule(Rule):
    """A rule that the reader of stages judges: its findings are the problems of this code."""

    repair: Callable[[Problem, Values], Repair | None] = lambda problem, values: None


@dataclass(frozen=True, slots=True)
class Unevaluated:
    """Something that a finder could not judge on this stage, given instead of a finding."""

    code: str                   # of a rule; "DJ.007" for all of a family
    path: str                   # prim
    property: str
    reason: str                 # why it was not judged
    fix: str = ""               # what would let it be judged


Find = Callable[[Description], Iterable[Finding | Unevaluated]]


@dataclass(frozen=True, slots=True)
class Finder:
    """A named function from the facts of a stage to findings; one that raises leaves its rules not evaluated."""

    name: str
    find: Find
    rules: tuple[Rule, ...]     # all that its findings may be of


def finder(name: str, *rules: Rule) -> Callable[[Find], Finder]:
    """Make a function the finder of some rules."""
    return lambda find: Finder(name, find, rules)


def belongs(code: str, family: str) -> bool:
    """Whether a code is a family itself or one of its members: DJ.007 holds DJ.007/limits."""
    return code == family or code.startswith(family + "/")


def concerns(pattern: str, code: str, name: str | None = None) -> bool:
    """Whether a code or family, perhaps with the base name of properties, is about a code on a property.

    Without a property the answer is whether there could be one.
    """
    family, _, wanted = pattern.partition("@")
    return belongs(code, family) and (not wanted or name is None or name.rpartition(":")[2] == wanted)


RULE_FAILED = Rule("rule-failed", "error", """
    Rule that failed

    A rule of this program failed on the stage. What it checks was not checked.
    """,
    why="what it checks was not checked",
    fix="report this stage as a bug of physx-schema",
    profiles=PROFILES,
)


def every_dof(description: Description) -> list[Dof]:
    """The degrees of freedom of articulations."""
    return [dof for articulation in description.articulations for dof in articulation.dofs]


def every_axis(description: Description) -> list[Dof | JointAxis]:
    """What may have limits and drives: degrees of freedom of articulations, then axes of joints outside."""
    return [*every_dof(description), *(axis for joint in description.joints for axis in joint.axes)]


def joints_with_state(description: Description) -> set[str]:
    """The joints with an authored joint state."""
    return {item.path for item in description.authored if item.schema == "PhysicsJointStateAPI"}


def instance_names(description: Description) -> Mapping[str, str]:
    """By name of each of `every_axis`, the instance name under which its schemas are applied."""
    joints = [link.joint for articulation in description.articulations for link in articulation.links if link.joint]
    names = {dof.name: instance_of(joint, dof) for joint in joints for dof in joint.dofs}
    return names | {axis.name: axis.instance for joint in description.joints for axis in joint.axes}


def coord(dof: Dof | JointAxis, value: float) -> str:
    """A coordinate as authored: in degrees or lengths."""
    return f"{math.degrees(value):g}" if dof.angular else f"{value:g}"


def flatten(value: Any) -> tuple[float, ...]:
    """The numbers of a scalar, vector, quaternion or array; none for anything else."""
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
    """Codes or families to keep, all where none is named, and codes or families to leave out.

    Each is a pattern of `concerns`.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    published: tuple[str, ...] = ()         # published codes that stand behind `select`
    published_ignored: tuple[str, ...] = ()     # the same of `ignore`

    def has(self, code: str, name: str | None = None) -> bool:
        """Whether findings of a code are wanted, on a property or on any. A failed rule is reported in any case."""
        selected = not (self.select or self.published) or any(concerns(item, code, name) for item in self.select)
        # a code is left out as a whole, or on properties of a base name
        ignored = any(concerns(item, code, name) for item in self.ignore if name is not None or "@" not in item)
        return (selected or belongs(code, RULE_FAILED.code)) and not ignored

    def filter(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """The wanted ones of some findings."""
        return (finding for finding in findings if self.has(finding.code, finding.property))

    def has_published(self, code: str) -> bool:
        """Whether a verdict on a published code is wanted where the profile asks for all of them."""
        return (not (self.select or self.published) or code in self.published) and code not in self.published_ignored


EVERYTHING = Selection()
