"""What may be wished of a stage, and whom the wishes are about."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from physx_runtime.model.owners import acting_fixed_tendons, leaf_paths
from physx_runtime.verification.compliance import compliant
from physx_schema.description.model import Articulation, Description


class Wish(TypedDict, total=False):
    """How something is to move in PhysX; what is not named stays as it is authored."""

    natural_frequency: float    # rad/s
    damping_ratio: float        # 1 without overshoot
    settling_time: float        # s until it stays within 2 % of where it rests; alone with a damping ratio of 1
    sag: float                  # of a drive under gravity, deg or length, from its target
    tip_stiffness: float        # of a link: force per length in the direction in which it gives way most


NAMES = tuple(Wish.__annotations__)
DRIVE, FIXED, SPATIAL, MIMIC, LINK = "drive", "fixed tendon", "spatial tendon", "mimic joint", "link"
_MOTION = ("natural_frequency", "damping_ratio", "settling_time")
ALLOWED: Mapping[str, Sequence[str]] = {
    DRIVE: (*_MOTION, "sag"), FIXED: _MOTION, SPATIAL: _MOTION, MIMIC: _MOTION[:2], LINK: ("tip_stiffness",)}
# Wishes that ask for the same number of a drive, a tendon or a mimic joint.
_OF_ONE_NUMBER = ("natural_frequency", "settling_time", "sag")


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a wish is about."""

    kind: str
    name: str               # as wishes name it: a prim path, and the axis or instance where the prim has several
    path: str               # prim of its gains
    prefix: str             # of their properties
    articulation: str       # prim path
    index: int              # of the degree of freedom, the acting tendon, the mimic joint or the link


def subjects(description: Description) -> Iterator[Subject]:
    """Everything on a stage that wishes may be about."""
    for robot in (item for item in description.articulations if item.enabled):
        for i, dof in enumerate(robot.dofs):
            if dof.drive is not None:
                yield Subject(DRIVE, dof.name, dof.drive.path, dof.drive.prefix, robot.path, i)
        yield from _tendons(robot)
        for i, mimic in enumerate(robot.mimics):
            if compliant(mimic):
                yield Subject(MIMIC, f"{mimic.path}:{mimic.instance}", mimic.path, mimic.prefix, robot.path, i)
        for i, link in enumerate(robot.links):
            yield Subject(LINK, link.path, link.path, "", robot.path, i)


def _tendons(robot: Articulation) -> Iterator[Subject]:
    for i, fixed in enumerate(acting_fixed_tendons(robot)):
        yield Subject(FIXED, _instance(fixed.path, fixed.prefix), fixed.path, fixed.prefix, robot.path, i)
    spatial = [tendon for tendon in robot.spatial_tendons if tendon.enabled]
    for i, (place, _) in enumerate(leaf_paths(robot)):
        tendon = spatial[place]
        yield Subject(SPATIAL, _instance(tendon.path, tendon.prefix), tendon.path, tendon.prefix, robot.path, i)


def _instance(path: str, prefix: str) -> str:
    """The prim and the instance that stands last in "physxTendon:t:"."""
    return f"{path}:{prefix.rstrip(':').rpartition(':')[2]}"


def understood(description: Description, wishes: Mapping[str, Wish]) -> list[tuple[Subject, dict[str, float]]]:
    """The wishes with whom they are about. Raises ValueError, one line, for what cannot be wished."""
    known = list(subjects(description))
    if not wishes:
        raise ValueError(f"wishes is empty; give {{path: {{name: number}}}} with names {', '.join(NAMES)}")
    return [_one(known, path, dict(wish)) for path, wish in wishes.items()]


def _one(known: Sequence[Subject], path: str, wish: dict[str, object]) -> tuple[Subject, dict[str, float]]:
    unknown = sorted(set(wish) - set(NAMES))
    if unknown or not wish:
        found = f"{unknown[0]!r} is no wish" if unknown else "nothing is wished"
        raise ValueError(f"{path}: {found}; allowed are {', '.join(NAMES)}")
    numbers = {name: _number(path, name, value) for name, value in wish.items()}
    asked = LINK if "tip_stiffness" in numbers else None
    named = [item for item in known if path in (item.name, item.path) and (item.kind == LINK) == (asked == LINK)]
    named = [item for item in named if item.name == path] or named
    if len({item.name for item in named}) != 1:
        raise ValueError(f"{path}: {_not_one(known, named, asked)}")
    subject = named[0]
    wrong = [name for name in numbers if name not in ALLOWED[subject.kind]]
    if wrong:
        raise ValueError(f"{path}: {wrong[0]} cannot be wished of a {subject.kind}; "
                         f"allowed are {', '.join(ALLOWED[subject.kind])}")
    same = [name for name in _OF_ONE_NUMBER if name in numbers]
    if len(same) > 1:
        raise ValueError(f"{path}: {' and '.join(same)} ask for one stiffness; give one of them")
    return subject, numbers


def _number(path: str, name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not (math.isfinite(value) and value > 0.0):
        raise ValueError(f"{path}: {name} is {value!r}; give a positive, finite number")
    return float(value)


def _not_one(known: Sequence[Subject], named: Sequence[Subject], asked: str | None) -> str:
    """Why a path does not say whom a wish is about."""
    if named:
        return f"several are there; name one of {', '.join(dict.fromkeys(item.name for item in named))}"
    there = dict.fromkeys(item.name for item in known if (item.kind == LINK) == (asked == LINK))
    what = "link of an articulation" if asked else "drive, tendon or compliant mimic joint"
    return f"no {what} is there; the stage has {', '.join(there) or 'none'}"
