"""`warm` says in a line what it cannot do, before it compiles anything."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from physx_runtime.compiling import precompiled
from physx_runtime.first_use.warm_command import warm_command

from physx_schema.command_line.program import program


def run(*arguments: str) -> Result:
    return CliRunner().invoke(warm_command, arguments)


@pytest.mark.parametrize(("arguments", "text"), [
    ((), "cannot be written (Not a directory); set PHYSX_RUNTIME_CACHE to a folder to which only you can write"),
    (("--pack", "file/bundles"), "file/bundles: ")])
def test_place_that_cannot_be_written_is_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: tuple[str, ...], text: str,
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PHYSX_RUNTIME_CACHE", str(tmp_path / "file" / "cache"))
    result = CliRunner().invoke(program(), ["warm", *arguments])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert text in result.stderr


def test_level_without_bundles_is_refused() -> None:
    result = run("--level", "x86-64-v2")
    assert result.exit_code == 2
    assert "--pack" in result.stderr


def test_level_that_the_machine_lacks_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(precompiled, "machine_levels", lambda: ("x86-64-v2",))
    result = run("--pack", str(tmp_path / "bundles"), "--level", "x86-64-v4")
    assert result.exit_code == 2
    assert "use x86-64-v2" in result.stderr
    assert not (tmp_path / "bundles").exists()
