"""What options and files give joints, by name."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from physx_runtime.simulation.simulate import start_values

JOINTS = ("/Hand/index/knuckle", "/Hand/index/tip", "/Hand/thumb/tip")


def given(*positions: str, file: Path | None = None) -> dict[str, dict[str, float]]:
    return start_values(file, {"joint_position": positions}, JOINTS)


def test_a_joint_is_named_by_the_end_of_its_path_and_degrees_are_turned_into_radians() -> None:
    found = given("knuckle=30deg", "thumb/tip=-0.25")
    assert found == {"joint_position": {JOINTS[0]: math.radians(30.0), JOINTS[2]: -0.25}}


def test_an_option_comes_before_the_file(tmp_path: Path) -> None:
    file = tmp_path / "start.json"
    told = {"joint_position": {JOINTS[0]: 1.0, JOINTS[1]: "90deg"}, "joint_target": {JOINTS[0]: 2}}
    file.write_text(json.dumps(told), encoding="utf-8")
    found = given(f"{JOINTS[0]}=0.5", file=file)
    assert found["joint_position"] == {JOINTS[0]: 0.5, JOINTS[1]: math.radians(90.0)}
    assert found["joint_target"] == {JOINTS[0]: 2.0}


@pytest.mark.parametrize(("text", "said"), [
    ("tip=1", "tip may be /Hand/index/tip or /Hand/thumb/tip; give more of the path"),
    ("knukle=1", "no joint knukle is simulated; did you mean /Hand/index/knuckle?"),
    ("knuckle", "'knuckle' is not JOINT=VALUE, such as knuckle=30deg"),
    ("knuckle=fast", "'fast' is no finite number"),
    ("knuckle=inf", "'inf' is no finite number"),
])
def test_what_makes_no_sense_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=r"\A[^\n]*\Z") as caught:
        given(text)
    assert said in str(caught.value)


def test_a_file_with_another_argument_names_those_there_are(tmp_path: Path) -> None:
    file = tmp_path / "start.json"
    file.write_text('{"positions": {}}', encoding="utf-8")
    with pytest.raises(ValueError, match="positions is no argument; allowed are joint_position, joint_velocity"):
        given(file=file)
