"""The command `generate`.

An unchanged check is not generated again: which definitions and outputs were in step is remembered.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import click

from . import emit, language, pages
from .generate import assemble, load_valid
from .installed_schemas import schema_files
from .load_yaml import libraries
from .model import Library, SchemaError
from .proof import prove

HERE = Path(__file__).resolve().parent


def compute_digest(definitions: Iterable[Path], outputs: Iterable[Path]) -> str:
    """A digest of everything a check compares: definitions, generator, the schemas it reads parents from, and outputs.

    Definitions and outputs are files or folders.
    """
    digest = hashlib.sha256()
    for group in (definitions, [HERE], schema_files(), outputs):
        for path in sorted(file for root in group for file in files(root)):
            content = path.read_bytes()
            digest.update(f"\0{path}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()


def files(root: Path) -> Iterator[Path]:
    """A file, or every file in a folder but what Python keeps there."""
    if root.is_file():
        yield root
    for folder, names, filenames in os.walk(root):
        names[:] = [name for name in names if name != "__pycache__"]
        yield from (Path(folder) / name for name in filenames)


def cache_folder() -> Path:
    """The folder with one empty file per pair that was found in step: in the user's cache folder."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "physx_codegen" / "fresh"


def is_cached(digest: str) -> bool:
    """Whether a check of exactly these files found no difference before."""
    return (cache_folder() / digest).is_file()


def store(digest: str) -> None:
    """Note that a check of these files found no difference."""
    with suppress(OSError):         # without a writable cache the next check takes its full time, no more
        cache_folder().mkdir(parents=True, exist_ok=True)
        (cache_folder() / digest).touch()


SCHEMA, OUT, PAGES = Path("schema"), Path("generated/physx_generated"), Path("docs/reference/classes")
FAILED, USAGE, UNREADABLE = 1, 2, 3      # exit codes


@click.command("generate")
@click.option("--check", is_flag=True, help="Write nothing. Print a diff, and exit with 1 if files are out of date.")
@click.option("--from", "source", type=click.Path(path_type=Path),
              help="A schema.usda, a folder with YAML definitions or a plugInfo.json, or a folder with one of these "
                   "per library.  [default: schema/ of the checkout]")
@click.option("-o", "--out", type=click.Path(path_type=Path, file_okay=False),
              help="Folder to write, as a Python package and USD plugin.  [default: generated/physx_generated/ of the "
                   "checkout]")
@click.option("--pages", "pages_out", type=click.Path(path_type=Path, file_okay=False),
              help="Folder for the reference pages in Markdown.  [default: reference/ in the output folder; "
                   "docs/reference/classes in a checkout]")
def generate_command(check: bool, source: Path | None, out: Path | None, pages_out: Path | None) -> None:
    """Generate code and reference pages from schema definitions.

    The code is a Python package with typed classes and tokens, and a USD plugin. It is written only after a test in
    another process: the package imports, and USD finds all of its schemas.

    Exit codes: 0 up to date, 1 out of date or errors in the definitions, 2 usage or a folder that cannot be written,
    3 unreadable definitions.
    """
    if source is None or out is None:
        root = checkout()
        if root is None or source or out:
            click.echo("generate: use --from and --out together, or run in a checkout of physx-schema", err=True)
            sys.exit(USAGE)
        source, out, pages_out = root / SCHEMA, root / OUT, pages_out or root / PAGES
    try:
        if check:
            sys.exit(compare(source, out, pages_out))
        sources = load_valid(source)
        outputs = {folder: files for folder, files in produce(sources, out, pages_out).items() if files}
        if any(not emit.same(out / name, text) for name, text in outputs[out].items()):
            prove([library for _, library in sources], outputs[out])
        changed = emit.write(outputs, {path: text() for path, text in companions(source).items()})
    except (SchemaError, emit.EmitError) as error:
        click.echo(str(error), err=True)
        sys.exit(USAGE if isinstance(error, emit.EmitError) else UNREADABLE if error.unreadable else FAILED)
    click.echo(f"{sum(map(len, outputs.values()))} files, {len(changed)} changed in {out}", err=True)


def produce(sources: Sequence[tuple[str, Library]], out: Path, pages_out: Path | None) -> dict[Path, dict[str, str]]:
    """Output folder to the files it shall hold: the package and plugin, and the reference pages, which may lie in it.

    `found` holds validated libraries with what banners call their definitions.

    Raises SchemaError, and EmitError for a package that lies among the pages.
    """
    package, folder = out.resolve(), (pages_out or out / "reference").resolve()
    if package != folder and package.is_relative_to(folder):
        raise emit.EmitError(f"{out}: the output is inside the folder of the reference pages; use another folder for "
                             "--pages")
    files = assemble(sources)
    texts = pages.render(tuple(library for _, library in sources))
    if pages_out is None or folder.is_relative_to(package):
        return {out: files | {(folder.relative_to(package) / name).as_posix(): text for name, text in texts.items()}}
    return {out: files, pages_out: texts}


def compare(source: Path, out: Path, pages_out: Path | None) -> int:
    """Print how the files on disk differ from what the definitions make; the exit code.

    What was found in step before, down to the byte, is not generated again.
    """
    folders = [folder for folder in (out, pages_out) if folder]
    digest = compute_digest([source], [*folders, *companions(source)])
    if is_cached(digest):
        return 0
    outputs = produce(load_valid(source), out, pages_out)
    for folder, files in outputs.items():
        emit.check_root(folder, files)
    difference = "".join(emit.diff(files, folder) for folder, files in outputs.items())
    difference += "".join(emit.file_diff(path, text(), path.name) for path, text in companions(source).items())
    click.echo(difference, nl=False)
    if difference:
        click.echo("generated files are out of date; run `physx-schema generate`", err=True)
        return FAILED
    store(digest)
    return 0


def companions(source: Path) -> dict[Path, Callable[[], str]]:
    """What is made of the language rather than of definitions, kept current where there is one: path to its renderer.

    The JSON Schema beside the definitions, and the page on the language in the docs beside their folder.
    """
    renderers = {source / language.JSON_SCHEMA_FILE: language.render_json_schema,
                 source.parent / "docs/reference" / language.PAGE_FILE: language.render_page}
    return {path: render for path, render in renderers.items() if path.is_file()}


def checkout() -> Path | None:
    """The checkout around the working directory, or else around this file."""
    here = Path.cwd()
    candidates = (here, *here.parents, Path(__file__).resolve().parents[2])
    return next((root for root in candidates if (root / OUT).is_dir() and libraries(root / SCHEMA)), None)
