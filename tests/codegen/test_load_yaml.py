"""A malformed schema gives its file and line, what is wrong, what is allowed and the next step, and writes nothing.

tests/data/malformed_schemas holds one small file per fault and beside it the lines that are expected, without the path.
After a wanted change of words, run this file as a script with `tests` on PYTHONPATH: it writes the expected lines anew,
to be read before they are committed.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from physx_codegen import definitions, write_usda, write_yaml
from physx_codegen.convert_command import convert_command as convert
from physx_codegen.generate_command import generate_command as command
from physx_codegen.model import SchemaError
from support.places import DATA, SCHEMAS
from support.schemas.packages import EVERYTHING

MALFORMED = DATA / "malformed_schemas"
FAULTS = sorted(path.name for path in MALFORMED.glob("*") if path.suffix in {".usda", ".yaml"})
USD_WORDS = re.compile(r"not usda: .*(?=; )")       # differ between releases of USD
UNREADABLE = ("not usda: ", "not YAML: ", "does not begin with #usda", "byte order mark", "not UTF-8")
FUZZED = {"schema.usda": EVERYTHING,
          "toy.yaml": SCHEMAS / "small/schema/coil.yaml"}
MUTANTS = 60


def planted(name: str, folder: Path) -> Path:
    """A folder with one malformed file."""
    folder.mkdir(parents=True)
    target = folder / ("schema.usda" if name.endswith(".usda") else "toy.yaml")
    target.write_bytes((MALFORMED / name).read_bytes())
    return target


def said(name: str, folder: Path) -> tuple[int, str, list[Path]]:
    """The exit code, what is said without the path of the file, and what was written."""
    file, out = planted(name, folder / "in"), folder / "out"
    result = CliRunner().invoke(command, ["--from", str(file.parent), "--out", str(out)])
    assert result.stdout == "" and "Traceback" not in result.stderr
    words = result.stderr.replace(f"{file}:", "").replace(f"{file.parent}/", "")
    return result.exit_code, words, [*folder.glob("out*")]


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_gives_its_line_and_writes_nothing(name: str, tmp_path: Path) -> None:
    code, words, written = said(name, tmp_path)
    expected = (MALFORMED / name).with_suffix(".txt").read_text(encoding="utf-8")
    assert USD_WORDS.sub("not usda", words) == USD_WORDS.sub("not usda", expected)
    unreadable = any(start in words for start in UNREADABLE)
    assert not written and code == (3 if unreadable else 1)


def test_every_line_that_is_expected_names_a_line_and_a_next_step() -> None:
    for path in MALFORMED.glob("*.txt"):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert re.fullmatch(r"(library\.yaml:)?\d+: .+(; |: ).+", line), f"{path.name}: {line}"
    assert len(FAULTS) >= 50


@pytest.mark.parametrize("name", ["unclosed_bracket.usda", "unknown_type.usda", "unknown_key.yaml"])
def test_a_fault_stops_a_conversion(name: str, tmp_path: Path) -> None:
    file = planted(name, tmp_path / "in")
    result = CliRunner().invoke(convert, [str(file.parent), "--out", str(tmp_path / "out")])
    assert result.exit_code == (3 if name == "unclosed_bracket.usda" else 1)
    assert result.stderr.startswith(f"{file}:") and not (tmp_path / "out").exists()


def mutants(text: bytes, seed: int) -> list[bytes]:
    """Texts with bytes cut off, changed, taken out or repeated."""
    rng = random.Random(seed)
    found = []
    for _ in range(MUTANTS):
        start, other = sorted(rng.sample(range(len(text)), 2))
        piece = text[other:other + rng.randrange(40)]
        byte = bytes([rng.choice([rng.randrange(256), *b"{}[]()\"':=#&@<"])])
        found.append(rng.choice([
            text[:start], text[:start] + byte + text[start + 1:], text[:start] + text[start + len(piece):],
            text[:start] + piece + text[start:]]))
    return found


@pytest.mark.parametrize("name", FUZZED)
def test_garbage_is_refused_with_a_line_or_read(name: str, tmp_path: Path) -> None:
    header = b"name: Toy\nplugin: toySchema\n" if name.endswith(".yaml") else b""
    path = tmp_path / name
    refused = 0
    for text in mutants(header + FUZZED[name].read_bytes(), seed=7):
        path.write_bytes(text)
        try:
            library = definitions.load_library(definitions.library_paths(tmp_path)[0])
        except SchemaError as error:
            refused += 1
            assert all(place.file.endswith(name) and place.line > 0 for place, _ in error.problems)
        else:
            assert write_usda.render(library) and write_yaml.render(library)
    assert 0 < refused < MUTANTS


def write_expected() -> None:
    """Write the expected lines of every fault anew."""
    for name in FAULTS:
        with tempfile.TemporaryDirectory() as folder:
            (MALFORMED / name).with_suffix(".txt").write_text(said(name, Path(folder))[1], encoding="utf-8")


if __name__ == "__main__":
    sys.exit(write_expected())
