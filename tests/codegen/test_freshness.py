"""The committed output is what the definitions make: all of it, and nothing else."""

from __future__ import annotations

import re

from click.testing import CliRunner
from physx_codegen import emit, fields, language, value_types, write_usda
from physx_codegen.generate import generate
from physx_codegen.generate_command import companions
from physx_codegen.generate_command import generate_command as command
from support.nonempty import nonempty
from support.places import ROOT

GENERATED = ROOT / "generated/physx_generated"


def test_generate_check_finds_no_difference() -> None:
    result = CliRunner().invoke(command, ["--check"])
    assert result.exit_code == 0, result.output
    assert result.stdout == ""


def test_every_file_is_fresh_and_none_is_left_over() -> None:
    assert emit.diff(generate(ROOT / "schema"), GENERATED) == ""


def test_every_python_file_carries_the_banner() -> None:
    for path in nonempty(GENERATED.glob("*.py")):
        assert path.read_text(encoding="utf-8").startswith(emit.MARK), path.name


def test_support_modules_are_copied_verbatim() -> None:
    for path in (ROOT / "codegen/physx_codegen/support").glob("*.py"):
        copied = (GENERATED / path.name).read_text(encoding="utf-8")
        assert copied.partition("\n")[2] == path.read_text(encoding="utf-8")


def test_the_editors_schema_is_fresh() -> None:
    path = ROOT / "schema/physx-schema.schema.json"
    assert path.read_text(encoding="utf-8") == language.render_json_schema()


def test_the_page_on_the_language_is_fresh() -> None:
    path = ROOT / "docs/reference/schema_language.md"
    assert path.read_text(encoding="utf-8") == language.render_page()


def test_generate_keeps_the_page_on_the_language_current() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in companions(ROOT / "schema")}
    assert names == {"schema/physx-schema.schema.json", "docs/reference/schema_language.md"}


def test_the_page_on_the_language_says_where_every_key_stands_in_usda() -> None:
    text = language.render_page()
    known = {key for table in language.KEYS.values() for key, _ in table.values()}
    known |= {write_usda.LIBRARY_TOKENS, write_usda.CLASS_TOKENS, write_usda.APPLY_TYPE, write_usda.PREFIX,
              write_usda.GETTER}
    assert len(known) > 20 and [key for key in sorted(known) if f"`{key}`" not in text] == []
    for place in fields.TABLES.values():
        assert [key for key in place if f"\n| `{key}`" not in text] == []


def test_the_editors_schema_accepts_the_keys_of_typed_entries() -> None:
    names = [*value_types.TYPES, "dictionary", "usda"]
    assert [name for name in names if not re.match(language.TYPED, f"{name} a b")] == []
    assert not re.match(language.TYPED, "note")


def test_the_editors_schema_knows_the_keys_of_the_loader() -> None:
    definitions = language.schema()["definitions"]
    for place in ("class", "attribute", "relationship", "token"):
        assert definitions[place]["properties"].keys() == fields.TABLES[place].keys()
        required = [key for key, entry in fields.TABLES[place].items() if entry.required]
        assert definitions[place]["required"] == required
