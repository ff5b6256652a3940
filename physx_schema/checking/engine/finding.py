"""A finding, and the profile of who reads the file.

What a check says: findings, each a place, what was found there, why it matters and what to do.

Who asks for a finding: the simulator, the published rules, or another engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from physx_schema.checking.engine.repair import Repair

PHYSX = "physx"             # what the simulator does
SIMREADY = "simready"       # the literal text of the published rules
NEWTON = "newton"           # what Newton makes of the same stage
PROFILES = (PHYSX, SIMREADY, NEWTON)
DRIVEN = "driven"           # SimReady's optional feature of driven joints, to the letter: more than any engine needs
DEFAULT_PROFILE = "physx+simready"
DEFAULT_PROFILES = (PHYSX, SIMREADY)


def parse_profile(profile: str) -> tuple[str, ...]:
    """The single profiles a profile stands for; "simready" by itself brings its optional feature "driven"."""
    parts = tuple(profile.split("+"))
    allowed = (*PROFILES, DRIVEN)
    unknown = [part for part in parts if part not in allowed]
    if unknown:
        raise ValueError(f"profile {profile!r}: {unknown[0]!r} is not one of {', '.join(allowed)}; join them with +")
    return (SIMREADY, DRIVEN) if parts == (SIMREADY,) else parts


SEVERITIES = ("info", "warning", "error")


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
    profiles: tuple[str, ...] = ()      # the profiles that ask for it; () for those of its rule
    measured: str = ""          # what real PhysX did for findings of this rule, "" where nothing was run
    layer: str = ""             # the layer that holds the strongest opinion, "" for the root layer
    repair: Repair | None = None        # the edits that do what `fix` says, where that is known


def location(path: str, name: str) -> str:
    """Prim path and property as one path; the prim alone for an applied schema."""
    return f"{path}.{name}" if name and name != "apiSchemas" else path


def rank(severity: str) -> int:
    """The place of a severity from info upwards."""
    return SEVERITIES.index(severity)


def per_profile(finding: Finding, physx: str = "", simready: str = "", newton: str = "") -> Iterator[Finding]:
    """The finding with the severity each profile gives it; nothing for a profile without one.

    Where PhysX and SimReady agree and Newton is not asked, the finding goes to the profiles of its rule.
    """
    if physx == simready and not newton:
        if physx:
            yield replace(finding, severity=physx)
        return
    for profile, severity in ((PHYSX, physx), (SIMREADY, simready), (NEWTON, newton)):
        if severity:
            yield replace(finding, severity=severity, profiles=(profile,))
