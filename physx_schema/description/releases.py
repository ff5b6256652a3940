"""Which release of the engine reads what: a stage described as an older ovphysx would take it.

`experiments/measure_releases.py` asks the engines: 0.5 and 0.6 still read PhysxJointAPI, which 0.7 does not, and 0.5
reads nothing of Newton's joints yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from physx_schema.arguments import display
from physx_schema.description.model import Description, Opinion
from physx_schema.description.opinions.inactive import engine_of
from physx_schema.description.opinions.prim import retired_property, retired_schema
from physx_schema.description.opinions.schemas import split_name
from physx_schema.engine_releases import LATEST, RELEASES

_OLDEST_WITH_NEWTON = "0.6"
RETIRED = "retired"         # code of opinions about what PhysX no longer has


def as_of_release(description: Description, release: str) -> Description:
    """The description with what an older release reads, and 0.7 does not, no longer unused but not evaluated.

    What it does is not described: everything else is as 0.7 has it. Raises ValueError for an unknown release.
    """
    if not isinstance(release, str) or release not in RELEASES:
        raise ValueError(f"engine release {display(release)} is not one of {', '.join(RELEASES)}")
    if release == LATEST:
        return description
    read = {item for item in description.unused if _is_read(item, release)}
    moved = tuple(replace(item, reason=f"{_name(item)}: PhysX {release} reads this name; this check treats it as "
                                       f"PhysX {LATEST} does",
                          suggestion="", code="older-release") for item in description.unused if item in read)
    newton = tuple(_newton(description, release)) if release < _OLDEST_WITH_NEWTON else ()
    return replace(description, unused=tuple(item for item in description.unused if item not in read),
                   not_evaluated=(*description.not_evaluated, *moved, *newton))


def _is_read(opinion: Opinion, release: str) -> bool:
    """Whether a release reads what the latest does not."""
    if opinion.code != RETIRED:
        return False
    retired = retired_schema(split_name(_name(opinion))[0]) or retired_property(opinion.property)
    return retired is not None and release < retired.engine_release


def _name(opinion: Opinion) -> str:
    """The schema or property that an opinion is about."""
    return opinion.reason.partition(": ")[0] if opinion.property in ("", "apiSchemas") else opinion.property


def _newton(description: Description, release: str) -> Iterator[Opinion]:
    """Newton's values that the latest release reads and this one does not."""
    for item in description.authored:
        if engine_of(item.property) == "Newton" and f"{item.path}.{item.property}" in description.consumed:
            yield Opinion(item.path, item.property,
                          f"PhysX {release} does not read this property; this check treats it as PhysX {LATEST} does",
                          "",
                          "older-release")
