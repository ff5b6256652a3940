"""The command `view` says what it needs before it opens a stage."""

from __future__ import annotations

import importlib.util
from importlib.machinery import ModuleSpec

import pytest
from click.testing import CliRunner
from physx_runtime.live_view import view_command

from physx_schema.command_line.program import program


def test_a_missing_viewer_is_one_line_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_viser(name: str) -> ModuleSpec | None:
        return None if name == "viser" else importlib.util.find_spec(name)

    monkeypatch.setattr(view_command, "find_spec", without_viser)
    result = CliRunner().invoke(program(), ["view", "missing.usda"])
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        "the live view needs viser, which is not installed; run: pip install 'physx-schema[view]'"]


@pytest.mark.parametrize("name", ["edits.usda", "edits.usdc"])
def test_the_name_of_a_layer_is_no_folder(name: str) -> None:
    pytest.importorskip("viser", reason="pip install '.[view]'")
    result = CliRunner().invoke(program(), ["view", "missing.usda", "-o", name])
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        f"{name}: the name of a layer; --out is the folder of all files that buttons write"]
