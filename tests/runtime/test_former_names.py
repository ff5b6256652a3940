"""Public names of the release before warn, and do what the present names do."""

from __future__ import annotations

import physx_runtime
import pytest
from physx_runtime import Recording, Row, Scene, Simulation, Tuned, Verification, tune

from physx_schema.errors import UnreadableError
from physx_schema.former_names import former_attribute, former_keyword, former_method

ROW = Row("/Robot/joint", "drive:angular:physics:stiffness", 100.0, 76.0, 100.0, "altered", "",
          equivalent_to="/Robot/k", intended=90.0)


class Named:
    def present(self, value: int, doubled: bool = False) -> int:
        return 2 * value if doubled else value

    former = former_method("former", present)
    size = 3
    extent = former_attribute("extent", "size")


def test_a_former_method_does_what_the_present_one_does() -> None:
    with pytest.warns(DeprecationWarning, match="^former is renamed to present; use the new name$"):
        assert Named().former(2, doubled=True) == 4


def test_a_former_attribute_has_the_present_value() -> None:
    with pytest.warns(DeprecationWarning, match="^extent is renamed to size; use the new name$"):
        assert Named().extent == 3


def test_a_former_keyword_is_taken() -> None:
    @former_keyword("wishes", "targets")
    def total(targets: int) -> int:
        return targets

    with pytest.warns(DeprecationWarning, match="^wishes is renamed to targets; use the new name$"):
        assert total(wishes=5) == 5     # type: ignore[call-arg]
    assert total(6) == 6
    with pytest.raises(TypeError, match=r"^total: wishes is the former name of targets; give only targets$"):
        total(wishes=5, targets=6)      # type: ignore[call-arg]


def test_a_row_has_its_former_attributes() -> None:
    with pytest.warns(DeprecationWarning):
        assert (ROW.alike, ROW.wanted) == ("/Robot/k", 90.0)


def test_a_verification_has_its_former_names() -> None:
    verification = Verification("stage.usda", (ROW,), 0.01, ())
    with pytest.warns(DeprecationWarning):
        assert (verification.alike(ROW), verification.openings) == ((), ())


def test_a_tuned_target_has_its_former_name() -> None:
    with pytest.warns(DeprecationWarning):
        assert Tuned("/Robot/joint", "sag", 1.0, 1.0).wanted == 1.0


def test_wishes_are_taken_for_targets() -> None:
    with pytest.warns(DeprecationWarning), pytest.raises(UnreadableError):
        tune("missing.usda", wishes={})         # type: ignore[call-arg]


def test_the_former_class_of_targets_is_the_present_one() -> None:
    with pytest.warns(DeprecationWarning):
        assert physx_runtime.Wish is physx_runtime.TuningTarget


@pytest.mark.parametrize(("kind", "former"), [
    (Scene, "go_on"), (Scene, "keep_joint_forces"), (Simulation, "give"), (Recording, "outside_joint_names"),
    (Recording, "outside_joint_force")])
def test_a_class_has_its_former_names(kind: type, former: str) -> None:
    assert former in vars(kind) or any(former in vars(base) for base in kind.__mro__)
