"""Machine code is held once, however often it is asked for: memory does not grow with the edits of a session."""

from __future__ import annotations

from physx_runtime.compiling.llvm import machine_code

TEXT = "define i64 @held_once() {\n  ret i64 7\n}\n"


def test_a_function_that_is_asked_for_again_is_not_linked_again() -> None:
    first = machine_code.load_function("held_once", TEXT)
    engines = len(machine_code._engines)
    assert machine_code.load_function("held_once", TEXT) == first
    assert len(machine_code._engines) == engines


def test_code_that_was_kept_on_disk_is_not_linked_again() -> None:
    def made() -> list[tuple[str, str]]:
        return [("held_once", TEXT)]

    first = machine_code.load_cached_function("held once", made)
    engines = len(machine_code._engines)
    assert machine_code.load_cached_function("held once", made) == first
    assert len(machine_code._engines) == engines
