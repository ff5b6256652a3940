"""Every slip in the YAML gives one line: file and line, what was found, what is allowed or the next step."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from physx_codegen import fields
from physx_codegen.generate import generate
from physx_codegen.generate_command import generate_command as command
from physx_codegen.model import SchemaError

HEADER = "name: Toy\nplugin: toySchema\n"
CLASS = "classes:\n- name: ToyAPI\n  kind: single-apply\n  prefix: toy\n"        # lines 1 to 4
SECOND = "- name: OtherAPI\n  kind: multiple-apply\n  prefix: other\n"
ATTRIBUTES = CLASS + "  attributes:\n"                                           # line 5; the first attribute is line 6


def attribute(text: str) -> str:
    return f"{ATTRIBUTES}  - {{name: size, {text}}}\n"


BAD = {
    "unknown key": (CLASS + "  prefx: toy\n", 5, "unknown key 'prefx' of a class; did you mean 'prefix'?"),
    "unknown key of an attribute": (attribute("type: float, dafault: 1"), 6,
        "unknown key 'dafault' of an attribute; did you mean 'default'?"),
    "misplaced key": (attribute("type: float, prefix: toy"), 6,
        "key 'prefix' belongs to a class, not to an attribute; move the key"),
    "duplicate key": (CLASS + "  prefix: toy2\n", 5, "duplicate key 'prefix', first on line 4; keep one of the two"),
    "missing key": (attribute("default: 1"), 6,
        "an attribute needs the key 'type': Sdf value type, such as float or token[]."),
    "missing kind": ("classes:\n- name: ToyAPI\n", 2,
        f"a class needs the key 'kind': {fields.CLASS['kind'].doc}"),
    "not yaml": (CLASS + "  doc: [1\n", 6,
        "not YAML: did not find expected ',' or ']'; check indentation, quotes and brackets"),
    "empty file": ("", 1, "the file has no keys; write keys such as 'classes:'"),
    "list at the top": ("- name: ToyAPI\n", 1, "the file has no keys; write keys such as 'classes:'"),
    "classes is a mapping": ("classes:\n  name: ToyAPI\n", 1,
        "'classes' is not a list; start each class with '- name: ...'"),
    "word in a list of classes": ("classes: [ToyAPI]\n", 1,
        "'ToyAPI' in 'classes' is not a class; write '- {name: ...}'"),
    "unknown kind": (CLASS.replace("single-apply", "singel-apply"), 3,
        "'kind' is 'singel-apply'; write one of single-apply, multiple-apply, non-applied, typed, abstract, base"),
    "version is a number": (CLASS + "  doc: 5\n", 5, "'doc' is 5; write text (quote it)"),
    "words that YAML reads as bools": (attribute("type: token, tokens: [on]"), 6,
        "'on' has different meanings in YAML 1.1 and YAML 1.2; quote text, write true, false and decimal numbers"),
    "name with a space": (attribute("type: float").replace("size", "the size"), 6,
        "'name' is 'the size'; write letters, digits and underscores, with colons between parts"),
    "word twice": (CLASS + "  applies_to: [PhysicsJoint, PhysicsJoint]\n", 5,
        "'PhysicsJoint' is in 'applies_to' twice; keep one"),
    "list for a key": (CLASS + "  [a, b]: c\n", 5, "a key is a list or mapping; use a single word"),
    "mapping for a default": (attribute("type: float, default: {x: 1}"), 6,
        "default: a mapping; type float takes a number"),
    "anchor": (CLASS + "  doc: &d text\n", 5, "anchor or alias 'd' is not allowed; write the values in each place"),
    "tag": (CLASS + "  doc: !!str text\n", 5,
        "tag 'tag:yaml.org,2002:str' is not allowed, because definitions are plain data; remove the tag"),
    "unknown type": (attribute("type: flaot"), 6, "unknown type 'flaot'; did you mean 'float'?"),
    "default of another type": (attribute("type: float, default: abc"), 6,
        "default: 'abc' is not a number; type float takes a number"),
    "default is nothing": (attribute("type: float, default: null"), 6,
        "'default' is empty; write a number, or remove the key"),
    "default is nan": (attribute("type: float, default: .nan"), 6,
        "default: nan is not a number; type float takes a number"),
    "bool for a number": (attribute("type: int, default: true"), 6,
        "default: True is not a whole number; type int takes a whole number"),
    "too large": (attribute("type: uchar, default: 256"), 6,
        "default: 256 does not fit uchar: [0, 255]; type uchar takes a whole number"),
    "wrong arity": (attribute("type: float3, default: [1, 2]"), 6,
        "default: 2 values, and float3 needs 3; type float3 takes 3 numbers"),
    "number for an array": (attribute('type: "float[]", default: 1'), 6,
        "default: 1 is not a list of float values; type float[] takes a list of float values"),
    "token not allowed": (attribute("type: token, default: rotx, tokens: [rotX, rotY]"), 6,
        "default 'rotx' of 'size' is not among its tokens; did you mean 'rotX'?"),
    "tokens of a number": (attribute("type: float, tokens: [a]"), 6,
        "tokens of 'size' need type token, not float; change one of them"),
    "range no interval": (attribute('type: float, range: "0..1"'), 6,
        "range '0..1' is not an interval; write an interval such as \"[0, inf)\""),
    "range of nan": (attribute('type: float, range: "[nan, 1]"'), 6,
        "bound 'nan' is not a number; write a number, inf or -inf"),
    "range with a formula": (attribute('type: float, range: "[2*x, 1]"'), 6,
        "bound '2*x' is not a number and not the name of an attribute"),
    "range of a token": (attribute('type: token, range: "[0, 1]"'), 6,
        "'size' is of type token and has no range; remove the key"),
    "range upside down": (attribute('type: float, range: "[1, 0]"'), 6,
        "range [1, 0] of 'size' is empty; swap its bounds"),
    "range of an unknown attribute": (
        attribute('type: float, range: "[0, lenght]"') + "  - {name: length, type: float}\n", 6,
        "range of 'size' names 'lenght'; did you mean 'length'?"),
    "default outside": (attribute('type: float, default: -1, range: "[0, inf)"'), 6,
        "default -1 of 'size' is outside [0, inf); change one of them"),
    "dangling include": (CLASS + "  includes: [OtherApi]\n" + SECOND, 5,
        "'OtherApi' in includes is not an API schema; did you mean 'OtherAPI'?"),
    "include without instance": (CLASS + "  includes: [OtherAPI]\n" + SECOND, 5,
        "'OtherAPI' in includes is multiple-apply; add an instance name: 'OtherAPI:name'"),
    "circle of includes": (CLASS + "  includes: [ToyAPI]\n", 2,
        "class 'ToyAPI' is its own base or built-in; remove the cycle"),
    "unknown applies_to": (CLASS + "  applies_to: [PhysicsJiont]\n", 5,
        "unknown schema 'PhysicsJiont' in applies_to; did you mean 'PhysicsJoint'?"),
    "no prefix": (attribute("type: int").replace("single", "multiple").replace("  prefix: toy\n", ""), 2,
        "class 'ToyAPI' is multiple-apply and has no prefix; add the namespace of its properties"),
    "instances of a single-apply class": (CLASS + "  instances: [a]\n", 5,
        "class 'ToyAPI' is single-apply and has no instances; remove the key"),
    "base of an API schema": (CLASS + "  base: Typed\n", 5,
        "class 'ToyAPI' is an API schema and has no base; use includes for built-ins"),
    "unknown base": ("classes:\n- {name: ToyJoint, kind: typed, base: PhysicJoint}\n", 2,
        "unknown base 'PhysicJoint'; did you mean 'PhysicsJoint'?"),
    "API schema without API": (CLASS.replace("ToyAPI", "Toy"), 2,
        "class 'Toy' is single-apply; names of API schemas end in API; rename the class or change its kind"),
    "class twice": (CLASS + CLASS.partition("\n")[2], 5,
        "class 'ToyAPI' is already defined at {file}:2; rename or remove one"),
    "attribute twice": (attribute("type: float") + "  - {name: size, type: int}\n", 7,
        "property 'toy:size' of ToyAPI is already defined at {file}:6; rename or remove one"),
    "method twice": (attribute("type: float") + "  - {name: length, type: int, api: size}\n", 7,
        "method 'GetSizeAttr' of ToyAPI is already defined at {file}:6; rename or remove one"),
    "python name taken": (CLASS.rstrip() + "\n  python_name: Tokens\n", 5,
        "class 'ToyAPI' would be 'Tokens' in Python; Python or the generated package uses that name; "
        "give another python_name"),
    "collection not built in": (CLASS.rstrip() + "\n  includes: [CollectionAPI:toys]\n  collections: [toyz]\n", 6,
        "'toyz' in collections is not a built-in collection; did you mean 'toys'?"),
    "token with two values": ("tokens:\n- {name: toy, value: other}\n" + CLASS.replace("single", "multiple"), 2,
        "token 'toy' is 'other' here and 'toy' at {file}:4; rename one of the two"),
}


def schema(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "library.yaml").write_text(HEADER, encoding="utf-8")
    (folder / "toy.yaml").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", BAD)
def test_a_slip_gives_its_line(name: str, tmp_path: Path) -> None:
    text, line, message = BAD[name]
    with pytest.raises(SchemaError) as caught:
        generate(schema(tmp_path / "bad", text))
    file = str(tmp_path / "bad/toy.yaml")
    assert str(caught.value).splitlines() == [f"{file}:{line}: {message.replace('{file}', file)}"]


def test_all_slips_of_all_files_are_reported_in_order(tmp_path: Path) -> None:
    folder = schema(tmp_path / "bad", attribute("type: flaot, dafault: 1"))
    (folder / "another.yaml").write_text("clases: []\n", encoding="utf-8")
    (folder / "latin.yaml").write_bytes("doc: é\n".encode("latin-1"))
    with pytest.raises(SchemaError) as caught:
        generate(folder)
    found = [line.removeprefix(f"{folder}/").partition("; ")[0] for line in str(caught.value).splitlines()]
    assert found == [
        "another.yaml:1: unknown key 'clases' of a library", "latin.yaml:1: not UTF-8 text at byte 5",
        "toy.yaml:6: unknown key 'dafault' of an attribute", "toy.yaml:6: unknown type 'flaot'"]


def test_paths_below_the_working_directory_are_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    schema(tmp_path / "schema", CLASS + "  prefx: toy\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SchemaError, match=r"^schema/toy\.yaml:5: unknown key"):
        generate(Path("schema"))


@pytest.mark.parametrize("name", ["tokens", "_base", "two-words", "class"])
def test_a_file_that_cannot_be_a_module_is_named(name: str, tmp_path: Path) -> None:
    folder = schema(tmp_path / "bad", CLASS)
    (folder / "toy.yaml").rename(folder / f"{name}.yaml")
    with pytest.raises(SchemaError, match=rf"{name}\.yaml:2: file name '{name}\.yaml' cannot be a module name"):
        generate(folder)


def test_a_library_needs_one_name(tmp_path: Path) -> None:
    folder = schema(tmp_path / "bad", CLASS)
    (folder / "library.yaml").unlink()
    with pytest.raises(SchemaError, match=r"library\.yaml:1: no file of this folder names the library"):
        generate(folder)
    (folder / "a.yaml").write_text(HEADER, encoding="utf-8")
    (folder / "b.yaml").write_text(HEADER, encoding="utf-8")
    with pytest.raises(SchemaError, match=r"b\.yaml:1: the library is named again, after .*a.yaml:1; keep one"):
        generate(folder)
    (folder / "b.yaml").unlink()
    (folder / "a.yaml").write_text("name: Toy\n", encoding="utf-8")
    with pytest.raises(SchemaError, match=r"a\.yaml:1: a library needs the key 'plugin'"):
        generate(folder)


def test_bad_definitions_exit_with_1_and_write_nothing(tmp_path: Path) -> None:
    folder, out = schema(tmp_path / "bad", attribute("type: flaot")), tmp_path / "out"
    result = CliRunner().invoke(command, ["--from", str(folder), "--out", str(out)])
    assert result.exit_code == 1 and result.stdout == "" and not out.exists()
    assert result.stderr == f"{folder}/toy.yaml:6: unknown type 'flaot'; did you mean 'float'?\n"


@pytest.mark.parametrize(("entries", "said"), [
    ("{name: size, type: float}|{name: width, type: float, renamed_from: size}",
     "'size' in renamed_from is a name of "),
    ("{name: width, type: float, renamed_from: old}|{name: depth, type: float, renamed_from: old}",
     "'old' in renamed_from is a name of "),
    ("{name: weight, api: Mass, type: float}|{name: load, type: float, renamed_from: mass}",
     "'mass' in renamed_from is a name of "),
    ("{name: size, type: float}|{name: width, type: float, renamed_from: width}",
     "'width' is the current name of the property; remove renamed_from"),
], ids=["of a living property", "twice", "with a living accessor", "of itself"])
def test_a_former_name_in_use_is_refused(entries: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(SchemaError) as caught:
        generate(schema(tmp_path / "toy", ATTRIBUTES + "".join(f"  - {entry}\n" for entry in entries.split("|"))))
    ((place, message),) = caught.value.problems
    assert place.line == 7 and message.startswith(said)


def test_a_former_name_with_another_accessor_is_taken(tmp_path: Path) -> None:
    text = f"{ATTRIBUTES}  - {{name: size, type: float}}\n  - {{name: width, type: float, renamed_from: 'old:size'}}\n"
    assert "GetOldSizeAttr" in generate(schema(tmp_path / "toy", text))["toy.py"]
