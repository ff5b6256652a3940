"""Looks for text that reaches lines of the reader, the rules or the generator that no text before it reached.

`python -m support.fuzzing.guided KIND FOLDER... [-OPTION=...]` runs atheris, which is libFuzzer: what it finds goes to
the first folder, and what it starts from is in all of them. tests/data/fuzz keeps what was found, and is grown by

    python -m support.fuzzing.guided KIND found tests/data/fuzz/KIND -max_total_time=600
    python -m support.fuzzing.guided KIND tests/data/fuzz/KIND found -merge=1

Crates, sessions and buffers are left to chance: what reads and steps them is no Python, and not seen by this.
"""

from __future__ import annotations

import sys
import tempfile

import atheris

with atheris.instrument_imports(include=["physx_codegen", "physx_schema"]):
    from support.fuzzing.targets import TARGETS

LONGEST = 4000          # bytes of a text


def quoted(word: str) -> str:
    """A line of libFuzzer's dictionary."""
    return '"' + "".join(f"\\x{byte:02x}" for byte in word.encode()) + '"\n'


def main() -> None:
    """Run libFuzzer with the words of a kind; it ends the process."""
    kind, *rest = sys.argv[1:]
    target = TARGETS[kind]
    with tempfile.NamedTemporaryFile("w", suffix=".dict", encoding="ascii") as words:
        words.writelines(quoted(word) for word in target.words if word)
        words.flush()
        atheris.Setup([sys.argv[0], *rest, f"-dict={words.name}", f"-max_len={LONGEST}", "-len_control=0"],
                      target.hold)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
