"""Programs, motions, sessions and texts are what they were when their fingerprint was last written."""

from __future__ import annotations

import pytest
from support.fingerprint.groups import GROUPS
from support.fingerprint.recorded import changes, file_of, libraries, recorded, taken

pytestmark = pytest.mark.sweep


@pytest.mark.parametrize("group", GROUPS)
def test_fingerprint_is_the_recorded_one(group: str) -> None:
    known = recorded(group)
    if known is None:
        pytest.skip(f"no fingerprint of this class of processors: {file_of(group).name}; write one on a trusted commit")
    if known[0] != libraries():
        pytest.skip(f"recorded with {known[0][2:]}; here are {libraries()[2:]}")
    changed = list(changes(known[1], taken(group)))
    assert not changed, "\n".join(changed)
