"""Who asks for a finding: the simulator, the published rules, or another engine."""

from __future__ import annotations

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
    known = (*PROFILES, DRIVEN)
    unknown = [part for part in parts if part not in known]
    if unknown:
        raise ValueError(f"profile {profile!r}: {unknown[0]!r} is not one of {', '.join(known)}; join them with +")
    return (SIMREADY, DRIVEN) if parts == (SIMREADY,) else parts
