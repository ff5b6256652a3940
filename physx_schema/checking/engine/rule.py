"""What a rule is: what pages and findings say of it, examples, and the finder that looks for it on a stage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import InitVar, dataclass, field

from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.profile import DEFAULT_PROFILES, PROFILES
from physx_schema.checking.engine.repair import Repair
from physx_schema.description import Description, Problem

_MEASURED = "Measured: "


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


RULE_FAILED = Rule("rule-failed", "error", """
    Rule that failed

    A rule of this program failed on the stage. What it checks was not checked.
    """,
    why="what it checks was not checked",
    fix="report this stage as a bug of physx-schema",
    profiles=PROFILES,
)
