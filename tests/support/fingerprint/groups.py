"""What a fingerprint is taken of: groups of results, each with names and the work that gives a digest.

Digests of results in which no name of the code occurs: renaming a row, field or class changes none of them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import re
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner
from physx_runtime import NotSimulatedWarning, Session, simulate
from physx_runtime.compiling.code import Code
from physx_runtime.model.body_kind import BODY, LINK
from physx_runtime.model.island import IslandTopology, SolverBody
from physx_runtime.model.topology import PGS, TGS
from physx_runtime.solver.contact.program import contact_program
from physx_runtime.solver.island.program import island_schedules
from physx_runtime.solver.program import step_program
from physx_runtime.solver.scheduled.program import step_schedules
from physx_runtime.worlds.store import SCHEDULED

from physx_schema.command_line.program import program
from support.chance import jointed_scenes, scenes, self_touching_robots, touching_scenes
from support.chance.articulations import random_articulation
from support.chance.packed_models import EVERYTHING, LARGE, SMALL, joint, packed_robot, random_body, random_island
from support.chance.reading_stages import cable_stage, round_stage, weighed_stage
from support.chance.scenes import random_company
from support.chance.self_touching_robots import DT, LAST, author, sleeping_robots
from support.chance.thrown_trees import thrown_tree
from support.chance.touching_scenes import unit_scene
from support.places import MOTIONS, SHARED, STAGES
from support.stages import pgs_scenes
from support.stages.contact_scenes import SCENES
from support.stages.iteration_stages import opened
from support.stages.session_stages import world_poses

LENGTH = 20     # hexadecimal digits that are kept: 80 bits


def digest(parts: Iterable[bytes]) -> str:
    """The digest of some bytes one after the other."""
    found = hashlib.sha256()
    for part in parts:
        found.update(len(part).to_bytes(8, "little"))
        found.update(part)
    return found.hexdigest()[:LENGTH]


def text_digest(text: str) -> str:
    """The digest of a text."""
    return digest([text.encode()])


def numbers_digest(value: object) -> str:
    """The digest of all numbers of a record, whatever its fields are called and in whichever order they stand.

    Texts do not count: names of prims follow from the stage, and sentences have digests of their own.
    """
    return digest(sorted(_numbers(value)))


def _numbers(value: object) -> Iterable[bytes]:
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "biufc":
            yield digest([value.dtype.str.encode(), repr(value.shape).encode(),
                          np.ascontiguousarray(value).tobytes()]).encode()
    elif isinstance(value, bool | int | float | np.generic):
        yield repr(value.item() if isinstance(value, np.generic) else value).encode()
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield numbers_digest([getattr(value, field.name) for field in dataclasses.fields(value)]).encode()
    elif isinstance(value, Mapping):
        yield numbers_digest(list(value.values())).encode()
    elif isinstance(value, tuple | list):
        for i, one in enumerate(value):
            for number in _numbers(one):
                yield f"{i} ".encode() + number


def program_digest(program: object) -> str:
    """The digest of a traced program or of its schedules: operations and rows by number, each name by its first use."""
    return digest(_operations(program, {}))


def _operations(value: Any, names: dict[str, int]) -> Iterable[bytes]:
    if isinstance(value, Code):
        yield from _of_code(value, names)
    elif isinstance(value, str):
        yield f"name {names.setdefault(value, len(names))}".encode()
    elif isinstance(value, bool | int | float) or value is None:
        yield repr(value).encode()
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            if not field.name.startswith("_"):
                yield from _operations(getattr(value, field.name), names)
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from _operations(key, names)
            yield from _operations(one, names)
    elif isinstance(value, tuple | list):
        yield f"{len(value)} parts".encode()
        for one in value:
            yield from _operations(one, names)


def _of_code(code: Code, names: dict[str, int]) -> Iterable[bytes]:
    place = {n: i for i, n in enumerate(code.order)}
    for n in code.order:
        operation, arguments = code.nodes[n]
        if operation == "const":
            yield f"const {arguments[0]!r}".encode()
        elif operation == "input":
            yield f"input {names.setdefault(str(arguments[0]), len(names))}".encode()
        else:
            yield f"{operation} {[place[a] for a in code.arguments(n)]}".encode()
    for row, n in code.outputs:
        yield f"output {names.setdefault(row, len(names))} {place[n]}".encode()


# --- groups ----------------------------------------------------------------------------------------------------------

Work = Callable[[], str]
STEPS = 60
OF_FAMILY = 3           # seeds of each family of scenes
SLEEPERS = 4            # seeds of robots that are edited while they sleep
WIDTH = "100"           # columns of printed texts
VERIFIED = ("double_pendulum_n4", "fixed_tendon_finger", "mimic_hard", "drive_force_chain", "spherical_pendulum")
_VERSION = re.compile(r"physx-schema \d+\.\d+\.\d+\S*")


def firsts(families: Mapping[str, Sequence[Any]]) -> tuple[int, ...]:
    """The first seeds of each family."""
    return tuple(first + i for first, *_ in families.values() for i in range(OF_FAMILY))


# Stages that follow from a seed: the family, its seeds, and the stage of a seed.
FAMILIES: tuple[tuple[str, tuple[int, ...], Callable[[int], str]], ...] = (
    ("articulation", tuple(range(12)), lambda seed: random_articulation(seed).text),
    ("cable", (0, 1, 2), cable_stage),
    ("company", (0, 1, 2, 3), lambda seed: random_company(seed).text()),
    ("jointed scene", firsts(jointed_scenes.FAMILIES), jointed_scenes.jointed_scene),
    ("mixed scene", firsts(touching_scenes.MIXED_FAMILIES), touching_scenes.mixed_scene),
    ("round bodies", (0, 1), round_stage),
    ("self-touching robot", firsts(self_touching_robots.FAMILIES), self_touching_robots.self_touching_robot),
    ("thrown tree", (0, 1, 2, 3), thrown_tree),
    ("touching scene", firsts(touching_scenes.FAMILIES), touching_scenes.touching_scene),
    ("unit scene", (0, 1, 2, 3, 4, 5), unit_scene),
    ("weighed bodies", (0, 1), weighed_stage),
)


def programs() -> Iterator[tuple[str, Work]]:
    """Traced programs: of robots under TGS and PGS, straight-line and scheduled, alone, with others, and in contact."""
    for name in (*SMALL, *LARGE, *EVERYTHING):
        for solver in (TGS, PGS):
            yield f"{name} {solver}", partial(_robot_programs, name, solver)
    yield "island", _island_program


def _robot_programs(name: str, solver: str) -> str:
    t = dataclasses.replace(packed_robot(name)[0], solver=solver)
    island = IslandTopology((dataclasses.replace(t, tendon_impulses=False),), ())
    links = tuple((0, link) for link in range(len(t.links)))
    contact = contact_program(island, links, (0,))
    found = [program_digest(x) for x in (step_program(t), step_schedules(t), island_schedules(island),
                                         contact.start, contact.end)]
    return " ".join(found)


def _island_program() -> str:
    sides = SolverBody(LINK, 0, 1), SolverBody(BODY, 1)
    t, _ = random_island(5, [packed_robot("arm"), random_body(1), random_body(2)],
                         [joint("lllfll", *sides), joint("lllfff", SolverBody(BODY, 1), SolverBody(BODY, 2))])
    return program_digest(island_schedules(t))


def motions() -> Iterator[tuple[str, Work]]:
    """Numbers of recordings after some steps: recorded cases, contact scenes and random families."""
    for folder in (MOTIONS, SHARED / "cases" / "dynamics", SHARED / "cases" / "scenes", SHARED / "cases" / "found"):
        for stage in sorted(folder.glob("*/stage.usda")):
            yield f"{folder.name}/{stage.parent.name}", partial(_motion, str(stage))
    for name, scene in SCENES.items():
        yield f"contact scene {name}", partial(_motion, scene.text, scene.dt)
    for name in pgs_scenes.STAGES:
        yield f"PGS scene {name}", partial(_of, _motion, partial(pgs_scenes.text, name))
    for family, seeds, text in FAMILIES:
        for seed in seeds:
            yield f"{family} {seed}", partial(_of, _motion, partial(text, seed))
    for family, (first, traits) in scenes.FAMILIES.items():
        for seed in range(first, first + OF_FAMILY):
            yield f"scene {family} {seed}", partial(_scene_motion, seed, traits)


def _of(work: Callable[[str], str], text: Callable[[], str]) -> str:
    return work(text())


def _motion(stage: str, dt: float = 1 / 60) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotSimulatedWarning)
        return numbers_digest(simulate(opened(stage) if stage.startswith("#") else stage, dt, STEPS, path=SCHEDULED))


def _scene_motion(seed: int, traits: scenes.Traits) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return _motion(str(scenes.random_scene(seed, traits).write(Path(folder))))


def sessions() -> Iterator[tuple[str, Work]]:
    """Stages after sessions that edit sleeping robots."""
    for seed in range(SLEEPERS):
        yield f"sleeping robots {seed}", partial(_session, seed)


def _session(seed: int) -> str:
    robots = sleeping_robots(seed)
    stage = opened(robots.text)
    asleep = []
    with Session(stage) as session:
        for step in range(1, LAST + 1):
            for _, path, name, value in (edit for edit in robots.edits if edit[0] == step):
                author(stage, path, name, value)
            session.step(DT)
            asleep.append([bool(session.simulation(actor).asleep[0]) for actor in robots.actors])
        return numbers_digest((np.array(world_poses(stage, robots.links)), np.array(asleep)))


def texts() -> Iterator[tuple[str, Work]]:
    """What commands print of stages and of robots by chance."""
    for folder in (STAGES, SHARED / "cases" / "said"):
        for stage in sorted(folder.rglob("*.usda")):
            for command in ("check", "describe"):
                yield f"{command} {stage.relative_to(folder.parent)}", partial(_printed, command, stage.read_bytes())
    for seed in range(6):
        for command in ("check", "describe"):
            text = random_articulation(seed).text.encode()
            yield f"{command} articulation {seed}", partial(_printed, command, text)
    for case in VERIFIED:
        for command in ("verify", "report"):
            yield f"{command} {case}", partial(_printed, command, (MOTIONS / case / "stage.usda").read_bytes())


def _printed(command: str, stage: bytes) -> str:
    """What a command says of a stage alone in a folder; of a page, what is between its tags."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("stage.usda").write_bytes(stage)
        more = ["-o", "page.html"] if command == "report" else []
        result = CliRunner(env={"COLUMNS": WIDTH}).invoke(program(), [command, "stage.usda", *more])
        page = Path("page.html").read_text(encoding="utf-8") if Path("page.html").is_file() else ""
    page = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", "", page, flags=re.DOTALL)
    said = f"{result.exit_code}\n{result.output}\n{page}"
    return text_digest(_VERSION.sub("", said.replace(folder, "")))


GROUPS: Mapping[str, Callable[[], Iterator[tuple[str, Work]]]] = {
    "programs": programs, "motions": motions, "sessions": sessions, "texts": texts}
