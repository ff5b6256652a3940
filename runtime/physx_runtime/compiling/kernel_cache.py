"""The kernel cache on disk: compiled code is read only if it is complete, of the same versions and in a trusted folder.
Damaged machine code could end the process or compute wrong numbers. Every file therefore begins with a line that names
its content, versions and checksum. An unusable cache only makes the first step slower.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import platform
import stat
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

import llvmlite
import numba

FORMAT = "physx-runtime kernel 1"
VERSIONS = f"llvmlite {llvmlite.__version__} numba {numba.__version__} python {platform.python_version()}"
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH

logger = logging.getLogger("physx_runtime")
_warned_texts: set[str] = set()
_warning_lock = threading.Lock()


def cache_folder() -> Path:
    """The folder of compiled kernels: PHYSX_RUNTIME_CACHE, else the user's cache folder."""
    override = os.environ.get("PHYSX_RUNTIME_CACHE")
    if override:
        return Path(override)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "physx_runtime"


@functools.cache
def package_code() -> str:
    """A hash of the package's Python code and templates, on which emitted kernels depend."""
    root, digest = Path(__file__).resolve().parents[1], hashlib.sha256()
    for path in sorted((*root.rglob("*.py"), *root.rglob("*.jinja"))):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def read_cached(name: str) -> bytes | None:
    """The bytes cached under a name; None where there are none, or none that can be trusted."""
    folder = cache_folder()
    if not _is_trusted(folder):
        return None
    try:
        with (folder / name).open("rb") as stream:
            is_owned = _distrust_reason(os.fstat(stream.fileno())) == ""
            data = stream.read() if is_owned else b""
    except OSError:
        return None
    header, _, payload = data.partition(b"\n")
    if header == _header(name, payload):
        return payload
    _warn_damaged(folder)
    return None


def write_cached(name: str, payload: bytes) -> None:
    """Cache bytes under a name; a cache that cannot be written is reported once."""
    if _is_trusted(cache_folder()):
        write_atomically(cache_folder() / name, _header(name, payload) + b"\n" + payload)


def write_cached_text(name: str, text: str) -> Path:
    """Store source code for people to read; nothing is loaded from it. Returns its path."""
    if _is_trusted(cache_folder()):
        write_atomically(cache_folder() / name, text.encode())
    return cache_folder() / name


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file atomically, so that parallel processes may share the folder."""
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(temporary).replace(path)
    except OSError as error:
        if temporary:
            with suppress(OSError):
                Path(temporary).unlink()
        _warn_unusable(path.parent, f"cannot be written ({error.strerror})")


def unwritable_reason() -> str:
    """The reason why nothing can be cached, as "cannot be written (...)"; empty where the cache is fine."""
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder):
            reason = _distrust_reason(folder.stat())
    except OSError as error:
        return f"cannot be written ({error.strerror})"
    return f"is not used, because {reason}" if reason else ""


def _header(name: str, payload: bytes) -> bytes:
    checksum = hashlib.sha256(payload).hexdigest()
    return f"{FORMAT}, {VERSIONS}: {name}, {len(payload)} bytes, sha256 {checksum}".encode()


def _is_trusted(folder: Path) -> bool:
    """Whether no other user can write to the folder; a missing one is created."""
    try:
        reason = _distrust_reason(folder.stat())
    except OSError:
        return True                 # nothing to load; writing says what is wrong
    if reason:
        _warn_unusable(folder, f"is not used, because {reason}")
    return not reason


def _distrust_reason(status: os.stat_result) -> str:
    """The reason not to trust a file or folder that others can write; empty where none can. Root is trusted."""
    if status.st_uid not in (os.geteuid(), 0):
        return "this folder belongs to another user"
    return "other users can write to this folder" if status.st_mode & OTHERS_WRITE else ""


def _warn_unusable(folder: Path, state: str) -> None:
    _warn_once(f"kernel cache {folder} {state}; kernels are compiled again in every process; set PHYSX_RUNTIME_CACHE "
               "to a folder to which only you can write")


def _warn_damaged(folder: Path) -> None:
    _warn_once(f"kernel cache {folder} contains files that are damaged or not yours; they are compiled again and "
               "replaced")


def _warn_once(text: str) -> None:
    """Log a warning once, also from threads that compile at the same time."""
    with _warning_lock:
        if text in _warned_texts:
            return
        _warned_texts.add(text)
    logger.warning("%s", text)
