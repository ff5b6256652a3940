"""`identify` prints a table, writes a layer, and its exit code says whether the model explains the log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from physx_runtime.identification.identify_command import identify_command
from physx_runtime.identification.result import Delay, Identification, Identified, Prediction
from support.places import ROOT

DATA = ROOT / "tests" / "data" / "identification"
ROW = Identified("/Robot/knee_0", "physxJointAxis:angular:armature", 0.03, 0.025, 0.024, 0.026, True)
UNSEEN = Identified("/Robot/knee_0", "physxJointAxis:angular:staticFrictionEffort", 0.5, None, 0.0, 0.4, False,
                    "the log only shows that it is at most 0.4")


def found(mean_square: float) -> Identification:
    return Identification((ROW, UNSEEN), Delay(2.0, 1.99, 2.01), (), mean_square, Prediction(1e-3, 5e-3, 6.0, 1.01), (),
                          3, 1 / 240, {"timeStep": 1 / 240})


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str, mean_square: float = 1.0) -> Result:
    monkeypatch.setattr("physx_runtime.identification.identification.identify",
                        lambda *given, **named: found(mean_square))
    return CliRunner().invoke(identify_command, [str(DATA / "leg.usda"), str(DATA / "leg.npz"), "--isolate", "off",
                                                 *arguments])


def test_the_table_has_authored_and_identified_values(monkeypatch: pytest.MonkeyPatch) -> None:
    done = run(monkeypatch)
    assert done.exit_code == 0
    assert "/Robot/knee_0  physxJointAxis:angular:armature" in done.output
    assert "0.025           0.024 to 0.026" in done.output
    assert "delay: 2 steps (8.333 ms), between 1.99 and 2.01" in done.output
    assert "staticFrictionEffort: the log only shows that it is at most 0.4" in done.output
    assert done.output.splitlines()[-1].startswith("the model explains the log at dt 0.00416667 s")


def test_a_log_that_is_not_explained_has_exit_code_1_and_writes_nothing(monkeypatch: pytest.MonkeyPatch,
                                                                      tmp_path: Path) -> None:
    done = run(monkeypatch, "-o", str(tmp_path / "out.usda"), mean_square=1.5)
    assert done.exit_code == 1
    assert "the model does not explain the log" in done.output
    assert not (tmp_path / "out.usda").exists()


def test_the_layer_has_determined_values_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    done = run(monkeypatch, "-o", str(tmp_path / "out.usda"))
    assert done.exit_code == 0
    text = (tmp_path / "out.usda").read_text(encoding="utf-8")
    assert "physxJointAxis:angular:armature = 0.025" in text
    assert "staticFrictionEffort" not in text


def test_json_has_every_row(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = json.loads(run(monkeypatch, "--format", "json").output)
    assert facts["explained"] is True
    assert [row["value"] for row in facts["table"]] == [0.025, None]
    assert facts["delay"] == {"value": 2.0, "low": 1.99, "high": 2.01}


def test_a_bad_log_is_a_usage_error_of_one_line(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("t,a\n0,1\n", encoding="utf-8")
    done = CliRunner().invoke(identify_command, [str(DATA / "leg.usda"), str(tmp_path / "log.csv"), "--isolate", "off"])
    assert done.exit_code == 2
    assert "the column 'time' is missing" in done.output
    assert "Traceback" not in done.output
