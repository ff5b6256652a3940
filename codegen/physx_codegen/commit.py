"""Several files at once, all of them or none, whatever ends the process; the one place where files are put in place.

Every file is written beside its target, what lies there is kept under another name, and only then do targets change. A
journal in the user's state folder names all of them from before the first file is made until the last is in place, and
renaming it commits: what was cut off before that is taken back by `recover`, at the start of the next run.
"""

from __future__ import annotations

import errno
import fcntl
import glob
import json
import os
import stat
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

Writer = Callable[[Path], object]           # fills in a file that is not there yet
PENDING, COMMITTED = ".begun", ".committed"   # what journals end in
CLOCK_RESOLUTIONS = 1_000, 1_000_000_000, 2_000_000_000      # ns: how finely file systems keep times; most, HFS+, FAT
COPIED_ATTRIBUTES = "user.", "system.posix_acl_"       # of extended attributes; others are the system's own
MISSING_ERRORS = FileNotFoundError, NotADirectoryError


@dataclass(frozen=True, slots=True)
class _Change:
    """Of a file: where it goes, and the names beside that of what comes and of what was, None for nothing."""

    target: Path
    new: Path | None
    backup: Path | None


@dataclass(frozen=True, slots=True)
class _Journal:
    """What a run changes, and the time (ns) that its new files bear, by which they are known again."""

    path: Path
    time: int
    changes: tuple[_Change, ...]


def commit(writers: Mapping[Path, Writer | None]) -> None:
    """Have each writer write its file, and remove the files that have none; on any error all are as they were.

    A writer is given another path to write, in the same folder and with the same suffix. Symbolic links stay, and what
    they name is replaced. Raises OSError, which names the file, and whatever a writer raises.
    """
    if not writers:
        return
    with _errors_with_path(_journals()):
        _journals().mkdir(parents=True, exist_ok=True, mode=0o700)
    with _locked(fcntl.LOCK_SH):
        journal = _open_journal([(path, write is not None) for path, write in writers.items()])
        try:
            for change, write in zip(journal.changes, writers.values(), strict=True):
                with _errors_with_path(change.target):
                    _stage(change, write, journal.time)
            for step in (_back_up, _flush_folder, _replace_target, _flush_folder):
                for change in journal.changes:
                    with _errors_with_path(change.target):
                        step(change)
            with _errors_with_path(journal.path):
                committed = journal.path.rename(journal.path.with_suffix(COMMITTED))
        except BaseException:
            with suppress(OSError):         # the next start tries again
                _roll_back(journal)
            raise
        with suppress(OSError):             # all is in place; what is left beside it goes at the next start
            _clean_up(committed, journal.changes)


def recover() -> list[str]:
    """Take back what runs that were cut off had changed, and remove what they left beside; a line for each of them.

    Does nothing while another run writes files.
    """
    messages: list[str] = []
    if not _journals().is_dir():
        return messages
    with suppress(BlockingIOError), _locked(fcntl.LOCK_EX | fcntl.LOCK_NB):
        for path in sorted(_journals().glob("*.*")):
            try:
                journal = _read(path)
                if path.suffix == COMMITTED or not journal.changes:
                    _clean_up(path, journal.changes)
                else:
                    messages.append(_rollback_message(journal, _roll_back(journal)))
            except OSError as error:
                remedy = f"make the file writable, or remove {path} to leave the file unchanged"
                messages.append(f"{error.filename}: an earlier command was interrupted while it wrote this file: "
                                f"{error.strerror}; {remedy}")
    return messages


def writer(text: str) -> Writer:
    """What writes a text, with the same ends of lines everywhere."""
    return lambda path: path.write_text(text, encoding="utf-8", newline="\n")


def has_control_characters(name: str) -> bool:
    """Whether a file's name has control characters such as a line feed, which no asset path of USD holds."""
    return any(unicodedata.category(character) == "Cc" for character in name)


def prepare_file(new: Path, target: Path) -> None:
    """Give a new file what a file has that it will replace, and have the disk hold its bytes before its name.

    That is the owner, the group, the mode, and extended attributes of users, access control lists among them. Raises
    OSError where one of these cannot be kept.
    """
    if target.is_file():
        _copy_metadata(new, target)
    else:
        new.chmod(0o666 & ~_umask())
    flush(new)


def _copy_metadata(new: Path, target: Path) -> None:
    status, new_status = target.stat(), new.stat()
    if (status.st_uid, status.st_gid) != (new_status.st_uid, new_status.st_gid):
        try:
            os.chown(new, status.st_uid, status.st_gid)
        except OSError as error:
            owner = f"{status.st_uid}:{status.st_gid}"
            message = f"the owner and group {owner} of the file cannot be kept: {error.strerror}"
            raise OSError(error.errno, message) from error
    new.chmod(stat.S_IMODE(status.st_mode))
    for name in _attributes(target):
        os.setxattr(new, name, os.getxattr(target, name))


def _attributes(path: Path) -> list[str]:
    """The extended attributes that a new file takes over; none where the system has no such."""
    if not hasattr(os, "listxattr"):
        return []
    try:
        return [name for name in os.listxattr(path) if name.startswith(COPIED_ATTRIBUTES)]
    except OSError as error:
        if error.errno != errno.ENOTSUP:
            raise
        return []


def flush(path: Path) -> None:
    """Have the disk hold a file's bytes, or a folder's names."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _journals() -> Path:
    """The folder of journals: the user's own, since a journal moves and removes whatever it names."""
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local/state") / "physx_schema"


@contextmanager
def _locked(how: int) -> Iterator[None]:
    """With the folder of journals locked, which the end of the process undoes. Raises BlockingIOError."""
    handle = os.open(_journals(), os.O_RDONLY)
    try:
        fcntl.flock(handle, how)
        yield
    finally:
        os.close(handle)


@contextmanager
def _errors_with_path(path: Path) -> Iterator[None]:
    """Errors of the operating system name this file."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def _open_journal(targets: Iterable[tuple[Path, bool]]) -> _Journal:
    """A journal on disk; targets: files to change, and whether each gets a new one."""
    token = os.urandom(4).hex()

    def change(path: Path, filled: bool) -> _Change:
        target = Path(os.path.realpath(path))
        new, backup = (target.with_name(f".{target.stem}.{token}.{what}{target.suffix}") for what in ("new", "old"))
        return _Change(target, new if filled else None, backup if os.path.lexists(target) else None)

    now = time.time_ns() // CLOCK_RESOLUTIONS[0] * CLOCK_RESOLUTIONS[0]
    journal = _Journal(_journals() / f"{token}{PENDING}", now, tuple(change(*item) for item in targets))
    names = [[path and str(path) for path in (entry.target, entry.new, entry.backup)] for entry in journal.changes]
    with _errors_with_path(journal.path):
        try:
            journal.path.write_text(json.dumps({"time": journal.time, "changes": names}), encoding="ascii")
            flush(journal.path)
            flush(journal.path.parent)
        except BaseException:
            journal.path.unlink(missing_ok=True)
            raise
    return journal


def _read(path: Path) -> _Journal:
    """A journal as it was written; without changes where it was cut off itself, before any."""
    try:
        content = json.loads(path.read_text(encoding="ascii"))
    except ValueError:
        return _Journal(path, 0, ())
    return _Journal(path, content["time"], tuple(
        _Change(Path(target), Path(new) if new else None, Path(backup) if backup else None)
        for target, new, backup in content["changes"]))


def _stage(change: _Change, write: Writer | None, timestamp: int) -> None:
    """Write the new file beside its target."""
    if change.new is None or write is None:
        return
    change.target.parent.mkdir(parents=True, exist_ok=True)
    write(change.new)
    os.utime(change.new, ns=(timestamp, timestamp))
    prepare_file(change.new, change.target)


def _back_up(change: _Change) -> None:
    """Give what lies at the target a second name, or another one where the file system gives no file two."""
    if change.backup:
        try:
            os.link(change.target, change.backup)
        except OSError:
            change.target.rename(change.backup)


def _replace_target(change: _Change) -> None:
    if change.new:
        change.new.replace(change.target)
    else:
        change.target.unlink(missing_ok=True)


def _flush_folder(change: _Change) -> None:
    flush(change.target.parent)


def _roll_back(journal: _Journal) -> list[Path]:
    """Have everything as it was before a run; the files that somebody else has changed since, which stay so."""
    modified = [change.target for change in journal.changes if _changed_by_other(change, journal.time)]
    for change in journal.changes:
        if change.target in modified:
            continue
        with suppress(*MISSING_ERRORS):       # in a folder that has gone nothing can be taken back
            if change.backup:
                change.backup.replace(change.target)
            elif _has_timestamp(change.target, journal.time):
                change.target.unlink()
            _flush_folder(change)
    for change in journal.changes:
        _remove_usd_temporaries(change)
    _clean_up(journal.path, journal.changes)
    return modified


def _remove_usd_temporaries(change: _Change) -> None:
    """Remove the temporary files of a USD that was ended while it exported to the new file, whose name they extend."""
    if change.new:
        for path in change.new.parent.glob(f"{glob.escape(change.new.stem)}.*"):
            path.unlink(missing_ok=True)


def _changed_by_other(change: _Change, timestamp: int) -> bool:
    """Whether what lies at the target is neither what was there before a run nor what the run put there."""
    return change.backup is not None and change.backup.exists() and change.target.exists() and not (
        change.backup.samefile(change.target) or (change.new is not None and _has_timestamp(change.target, timestamp)))


def _has_timestamp(path: Path, timestamp: int) -> bool:
    """Whether a file's time of change is the one that new files were given."""
    return path.exists() and path.stat().st_mtime_ns in (timestamp // unit * unit for unit in CLOCK_RESOLUTIONS)


def _clean_up(journal: Path, changes: Iterable[_Change]) -> None:
    """Remove what lies beside targets, and at last the journal, whose name is on disk before."""
    flush(journal.parent)
    for change in changes:
        for path in (change.new, change.backup):
            if path:
                with suppress(*MISSING_ERRORS):
                    path.unlink()
    journal.unlink(missing_ok=True)


def _rollback_message(journal: _Journal, modified: list[Path]) -> str:
    first, count = journal.changes[0].target, len(journal.changes)
    more = f" and {count - 1} more" if count > 1 else ""
    stay = f", except {modified[0]}, which was changed later" if modified else ""
    return (f"{first}{more}: an earlier command was interrupted while it wrote; its changes are undone{stay}; run that "
            "command again")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
