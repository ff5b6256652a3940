"""What a check says: findings, each a place, what was found there, why it matters and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from physx_schema.description import Opinion

SEVERITIES = ("info", "warning", "error")
PHYSX = "physx"             # what the simulator does
SIMREADY = "simready"       # the literal text of the published rules
PROFILES = (PHYSX, SIMREADY)
DEFAULT_PROFILE = "physx+simready"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a check found."""

    code: str                   # "DJ.007/limits-clip"
    severity: str               # "error" | "warning" | "info"
    path: str                   # prim
    property: str               # full property name, "apiSchemas", or "" for the prim itself
    message: str                # what was found
    why: str                    # what happens because of it
    fix: str                    # what to do
    profiles: tuple[str, ...] = PROFILES    # the profiles that ask for it
    measured: str = ""          # what a simulation showed, where one was run
    layer: str = ""             # the layer that holds the strongest opinion


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of checking one stage."""

    source: str
    profile: str
    findings: tuple[Finding, ...]
    unused: tuple[Opinion, ...] = ()
    not_evaluated: tuple[Opinion, ...] = ()

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings of severity error."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    def count(self, severity: str) -> int:
        """How many findings have this severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def exit_code(self, strict: bool = False, fail_on: str = "error") -> int:
        """1 with findings at or above `fail_on`, 5 under `strict` with something not evaluated, else 0."""
        if any(rank(finding.severity) >= rank(fail_on) for finding in self.findings):
            return 1
        return 5 if strict and self.not_evaluated else 0


def location(path: str, name: str) -> str:
    """Prim path and property as one path; the prim alone for an applied schema."""
    return f"{path}.{name}" if name and name != "apiSchemas" else path


def rank(severity: str) -> int:
    """The place of a severity from info upwards."""
    return SEVERITIES.index(severity)


def judged(finding: Finding, physx: str = "", simready: str = "") -> Iterator[Finding]:
    """The finding with the severity each profile gives it; nothing for a profile without one."""
    if physx == simready:
        if physx:
            yield replace(finding, severity=physx)
        return
    for profile, severity in ((PHYSX, physx), (SIMREADY, simready)):
        if severity:
            yield replace(finding, severity=severity, profiles=(profile,))
