"""Unified diffs of usda texts with the same prims, in time that grows with their length."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

HEADER = re.compile(r'\s*(def|over|class|variantSet)\b|\s*"[^"]*" [({]')
Opcode = tuple[str, int, int, int, int]


def unified(old: Sequence[str], new: Sequence[str], old_name: str, new_name: str) -> str:
    """The change as `diff -u` writes it; empty where nothing differs."""
    matcher = difflib.SequenceMatcher(None, "", "")
    matcher.opcodes = merged(by_parts(old, new))            # type: ignore[attr-defined]
    lines: list[str] = []
    for group in matcher.get_grouped_opcodes(3):
        lines.append(f"@@ -{span(group[0][1], group[-1][2])} +{span(group[0][3], group[-1][4])} @@")
        for tag, old_start, old_end, new_start, new_end in group:
            if tag == "equal":
                lines += [f" {line}" for line in old[old_start:old_end]]
                continue
            lines += [f"-{line}" for line in old[old_start:old_end]]
            lines += [f"+{line}" for line in new[new_start:new_end]]
    return "\n".join([f"--- {old_name}", f"+++ {new_name}", *lines, ""]) if lines else ""


def by_parts(old: Sequence[str], new: Sequence[str]) -> Iterator[Opcode]:
    """How one text becomes the other, from prim to prim: comparing all lines with all takes far too long."""
    starts = [[0, *(index for index, line in enumerate(text) if index and HEADER.match(line)), len(text)]
              for text in (old, new)]
    if len(starts[0]) != len(starts[1]):
        starts = [[0, len(old)], [0, len(new)]]
    pairs = zip(starts[0], starts[0][1:], starts[1], starts[1][1:], strict=False)
    for old_start, old_end, new_start, new_end in pairs:
        before, after = old[old_start:old_end], new[new_start:new_end]
        if before == after:
            yield "equal", old_start, old_end, new_start, new_end
            continue
        for tag, first, last, new_first, new_last in difflib.SequenceMatcher(None, before, after).get_opcodes():
            yield tag, old_start + first, old_start + last, new_start + new_first, new_start + new_last


def merged(opcodes: Iterator[Opcode]) -> list[Opcode]:
    """Neighbours of one kind as one."""
    found: list[Opcode] = []
    for tag, old_start, old_end, new_start, new_end in opcodes:
        if found and found[-1][0] == tag:
            found[-1] = (tag, found[-1][1], old_end, found[-1][3], new_end)
        else:
            found.append((tag, old_start, old_end, new_start, new_end))
    return found


def span(start: int, end: int) -> str:
    """Lines in the notation of unified diffs."""
    count = end - start
    return str(start + 1) if count == 1 else f"{start + bool(count)},{count}"
