"""Sound text and bytes with some of them changed, cut out, repeated or replaced by hostile ones."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

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
