"""Text that USD's parser cannot be trusted with: looked at as bytes before it is parsed."""

from __future__ import annotations

import codecs
from pathlib import Path

from physx_schema.errors import UnreadableError

LARGEST_TEXT = 1 << 29       # bytes of one text layer; USD takes about 20 bytes of memory for each

_CHUNK = 1 << 24
_CRATE, _ZIP = b"PXR-USDC", b"PK\x03\x04"


def require_text(path: Path) -> None:
    """Raise UnreadableError for no access and a text layer that is too large, not UTF-8 or has a NUL; others pass."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset = 0
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                if not offset and chunk.startswith((_CRATE, _ZIP)):
                    return
                if size > LARGEST_TEXT:
                    raise UnreadableError(f"{path}: {size / 1e6:.0f} MB of text, more than {LARGEST_TEXT / 1e6:.0f} "
                                          "MB; convert it to .usdc")
                if fault := _fault(chunk, offset, decoder):
                    raise UnreadableError(f"{path}: {fault}")
                offset += len(chunk)
    except OSError as error:
        raise UnreadableError(f"{path}: cannot be read: {error.strerror}; check its permissions") from None


def _fault(chunk: bytes, offset: int, decoder: codecs.IncrementalDecoder) -> str:
    held = len(decoder.getstate()[0])
    try:
        decoder.decode(chunk)
    except UnicodeDecodeError as error:
        return f"not valid UTF-8 text at byte {offset - held + error.start}"
    nul = chunk.find(0)
    return f"a NUL in the text at byte {offset + nul}" if nul >= 0 else ""
