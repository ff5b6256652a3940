"""What USD would print on stderr goes to the block that is open, and nothing of it is lost."""

from __future__ import annotations

import subprocess
import sys
import warnings

import pytest
from pxr import Tf

from physx_schema.diagnostics import StageWarning, announce, captured


def test_a_warning_of_usd_is_caught_once_and_not_printed(capfd: pytest.CaptureFixture[str]) -> None:
    with captured() as capture:
        Tf.Warn("first")
        Tf.Warn("first")
        Tf.Status("second")
        assert capture.take() == ("first", "second")
    assert capfd.readouterr().err == ""


def test_an_inner_block_gives_what_nobody_took_to_the_outer_one() -> None:
    with captured() as outer:
        Tf.Warn("before")
        with captured() as inner:
            Tf.Warn("taken")
            assert inner.take() == ("taken",)
            Tf.Warn("left")
        assert outer.take() == ("before", "left")


def test_what_nobody_took_is_printed_at_the_end() -> None:
    lines: list[str] = []
    with captured(lines.append):
        Tf.Warn("on stage @a.usda@ <0x55ea197ffd60>")
    assert lines == ["USD warns: on stage @a.usda@"]


def test_a_line_is_printed_at_once_and_once() -> None:
    lines: list[str] = []
    with captured(lines.append):
        announce("a layer is missing")
        announce("a layer is missing")
        assert lines == ["a layer is missing"]


def test_without_a_block_a_line_is_a_warning_of_python() -> None:
    with pytest.warns(StageWarning, match="a layer is missing"):
        announce("a layer is missing")


def test_an_error_in_a_block_does_not_lose_what_was_caught() -> None:
    lines: list[str] = []
    with pytest.raises(ValueError, match="broken"), captured(lines.append):
        Tf.Warn("before")
        raise ValueError("broken")
    assert lines == ["USD warns: before"]


def test_usd_prints_by_itself_again_once_every_block_is_closed() -> None:
    code = ("from pxr import Tf\nfrom physx_schema.diagnostics import captured\n"
            "with captured() as capture:\n    Tf.Warn('inside'); capture.take()\nTf.Warn('outside')")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "outside" in done.stderr
    assert "inside" not in done.stderr


def test_announcing_in_a_block_warns_nobody() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with captured():
            announce("a layer is missing")
