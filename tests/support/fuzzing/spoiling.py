"""Sound text, bytes and stages that are spoiled, and what may be answered then.

Sound text and bytes with some of them changed, cut out, repeated or replaced by hostile ones.

Random changes to the physics of a stage, most of which make no sense.

What a user may be told: lines of this project's own errors, each one line that can be shown.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from pxr import Gf, Sdf, Usd

from physx_schema.errors import PhysxSchemaError

Edit = tuple[int, int, bytes]       # where, how many bytes go, what comes in their place
NUMBERS = ("0", "-1", "1e300", "-1e-200", "nan", "inf", "-inf", "9" * 400, "4294967296", "1e", "0x10", "--1", "1:30")
WORDS = ("", "None", "null", "self", "a b", "ü", "🙂", "\x07", "\u202e", "\\", '"', "'", "{{ x }}", "/", "..", "a:b",
         ":")
MARKS = tuple("{}[]()<>\"'=:#&@*|-,;\n\t\\")


def spoiled(sound: bytes, pieces: Sequence[bytes], most: int = 4) -> SearchStrategy[bytes]:
    """Bytes after up to `most` edits; what is put in is one of `pieces`, a part of the bytes, or anything."""
    place = st.integers(0, max(len(sound) - 1, 0))
    own = st.tuples(place, st.integers(1, 60)).map(lambda part: sound[part[0]:part[0] + part[1]])
    new = st.sampled_from(pieces) | own | st.binary(max_size=4)
    edits = st.lists(st.tuples(place, st.integers(0, 12) | st.integers(0, 200), new), max_size=most)
    return edits.map(lambda drawn: applied(sound, drawn))


def spoiled_lines(sound: str, pieces: Sequence[str], most: int = 4) -> SearchStrategy[bytes]:
    """Text after whole lines were taken out, repeated elsewhere or replaced, and then words in it."""
    lines = sound.splitlines(keepends=True)
    place = st.integers(0, len(lines) - 1)
    moves = st.lists(st.tuples(place, st.integers(0, 3), place, st.integers(0, 3)), max_size=2)
    words = st.lists(st.tuples(place, st.integers(0, 8), st.sampled_from(pieces)), max_size=most)

    def made(moved: list[tuple[int, int, int, int]], replaced: list[tuple[int, int, str]]) -> bytes:
        found = list(lines)
        for at, word, piece in replaced:
            found[at] = with_word(found[at], word, piece)
        for start, count, source, length in moved:
            found[start:start + count] = found[source:source + length]
        return "".join(found).encode("utf-8", "surrogatepass")
    return st.builds(made, moves, words)


def with_word(line: str, number: int, piece: str) -> str:
    """A line in which one of its words is another."""
    words = line.split(" ")
    words[number % len(words)] = piece
    return " ".join(words)


def applied(sound: bytes, edits: Sequence[Edit]) -> bytes:
    """Bytes after edits, the last place first."""
    found = bytearray(sound)
    for place, count, new in sorted(edits, reverse=True):
        found[place:place + count] = new
    return bytes(found)


# --- damage ----------------------------------------------------------------------------------------------------------

DAMAGE_NUMBERS = (math.nan, math.inf, -math.inf, 0.0, -1.0, 1e38, -1e38, 3.4e38, 1e-30)


def damage(stage: Usd.Stage, rng: random.Random) -> None:
    """One random change to a random prim's physics; a stage whose references are not there may have none."""
    authored = [prim for prim in stage.Traverse() if prim.GetAuthoredPropertyNames()]
    if not authored:
        return
    prim = rng.choice(authored)
    paths = [prim.GetPath() for prim in stage.Traverse()]
    kind = rng.randrange(6)
    if kind == 0 and prim.GetAuthoredAttributes():
        spoil(rng.choice(prim.GetAuthoredAttributes()), rng)
    elif kind == 1 and prim.GetAuthoredRelationships():
        targets = rng.sample(paths, rng.randrange(min(3, len(paths)) + 1)) + [Sdf.Path("/absent")] * rng.randrange(2)
        rng.choice(prim.GetAuthoredRelationships()).SetTargets(targets)
    elif kind == 2 and prim.GetAppliedSchemas():
        prim.RemoveAppliedSchema(rng.choice(prim.GetAppliedSchemas()))
    elif kind == 3:
        prim.AddAppliedSchema(rng.choice((
            "PhysxMimicJointAPI:rotX", "PhysxTendonAxisAPI:t", "PhysxTendonAttachmentLeafAPI:r", "PhysicsRigidBodyAPI",
            "PhysicsArticulationRootAPI", "PhysicsCollisionAPI", "PhysxTendonAxisRootAPI", "PhysicsDriveAPI:a:b")))
    elif kind == 4:
        prim.RemoveProperty(rng.choice(prim.GetAuthoredPropertyNames()))
    else:
        types = ("PhysicsRevoluteJoint", "PhysicsJoint", "PhysicsDistanceJoint", "Cube", "Cone", "")
        prim.SetTypeName(rng.choice(types))


def spoil(attribute: Usd.Attribute, rng: random.Random) -> None:
    """A value of the attribute's type that means nothing good."""
    value: Any = attribute.Get()
    number = rng.choice(DAMAGE_NUMBERS)
    if isinstance(value, bool):
        attribute.Set(not value)
    elif isinstance(value, float):
        attribute.Set(number)
    elif isinstance(value, str):
        word = rng.choice(("", "W", "rotX"))
        spec = attribute.GetStage().GetRootLayer().GetAttributeAtPath(attribute.GetPath())
        if spec:
            spec.default = word         # Set refuses where the schema declares another type
        else:
            attribute.Set(word)
    elif isinstance(value, Gf.Vec3f | Gf.Vec3d):
        attribute.Set(type(value)(number, value[1], value[2]))
    elif isinstance(value, Gf.Quatf):
        attribute.Set(Gf.Quatf(0, 0, 0, 0))


# --- answers ---------------------------------------------------------------------------------------------------------

LONGEST = 2000      # characters: a line that is longer quotes what it should not


def require_line(error: Exception) -> None:
    """Fail unless an error says what is wrong in one line."""
    line = str(error)
    assert line.strip(), f"{type(error).__name__} says nothing"
    assert len(line.splitlines()) == 1 and line.isprintable(), f"not one line that can be shown: {line!r}"
    assert len(line) <= LONGEST, f"{len(line)} characters: {line[:LONGEST]}"


def require_ours(error: Exception) -> None:
    """Fail unless an error is this project's own, with a line."""
    if not isinstance(error, PhysxSchemaError):
        raise error
    require_line(error)
