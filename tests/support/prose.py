"""Sentences of the project and what makes them hard to read.

    PYTHONPATH=tests python -m support.prose [PATH ...]            every fault, a line each
    PYTHONPATH=tests python -m support.prose --sample 100 --seed 7  random sentences of all sources

Sources are Markdown pages, docstrings of public names and of commands, and literals of the packages that hold words:
messages, help texts and rules. `CONTRIBUTING.md` has the rules of style that are held here.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from support.places import ROOT

MAX_WORDS = 25
MIN_MESSAGE_WORDS = 4       # literals with fewer words are names, keys and labels
PACKAGES = (ROOT / "physx_schema", ROOT / "runtime" / "physx_runtime", ROOT / "codegen" / "physx_codegen")
PUBLIC = ("physx_schema", "physx_schema.authoring", "physx_runtime", "physx_runtime.components",
          "physx_runtime.envs")
COMMANDS = ("cli", "commands", "demonstration")     # folders whose functions' docstrings are help texts
PAGES = tuple(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SKILL.md", "schema/README.md",
                                       "experiments/README.md", "benchmarks/RESULTS.md"))

# Words that send a reader back to the start of the sentence, and what to write.
BANNED = {
    r"anew": "again",
    r"alike": "equally, the same way",
    r"beside": "next to, together with, compared with",
    r"heed(?:s|ed|ing)?": "read, apply, use",
    r"told|tells?(?! apart)|telling": "report, show, name",
    r"said|unsaid": "reported, named, written",
    r"whose": "with, of which",
    r"(?<!people )(?<!users )(?<!anyone )(?<!someone )(?<!those )who(?:ever|m)?":
        "name the person, or `that` for a thing",
    r"of others": "from other sources",
    r"others' \w+": "name whose",
    r"nobody(?:'s)?|nowhere": "name what does not happen",
    r"whatever|wherever|whichever|whence|wherein": "any, all, which",
    r"there(?:of|in|by|upon)|hence|thus|upon|ere|amid|save for": "plain words",
    r"but for": "except for",
    r"wish(?:ed|es)?": "target, requested value",
    r"wanted by|is wanted|are wanted": "required",
    r"by chance": "at random",
    r"come(?:s)? to (?:a |an |the )?(?:\d|another|more|less|rest)": "is",
    r"(?:comes?|becomes?|became) of": "happens to",
    r"(?:what|that) \w+ makes? of|makes? of (?:it|them|each|a value|values)": "how PhysX uses",
    r"stands? (?:still|for itself|there|in|at|on|below|above|beside)": "is, is static",
    r"(?:lie|lies|lay) (?:in|at|on|below|above|beside|there)": "is",
    r"in turns": "alternately",
    r"as (?:it|they) (?:is|are|stands?|stand)": "unchanged",
    r"dear(?:er|est)?": "slow, expensive",
    r"part(?:s|ed)? from|parting": "diverges from",
    r"goes? on": "continues",
    r"(?:take|takes|took|taken) up": "adopts, applies",
    r"(?:give|gives|gave|given) up": "clears, stops",
    r"br(?:ing|ings|ought) (?:it|them|a|an|the|its)": "adds, moves",
    r"born|hush(?:ed|es)?": "created, cleared",
    r"doors?(?! joint)": "entry point",
    r"(?:is|are|was|were) to (?:be|have|hold|move|reach)": "must",
    r"asks? for|asked for": "requires, requests",
    r"speaks? of|spoken": "describes",
    r"nothing is left|is left of": "has no effect",
    r"for (?:itself|themselves)": "separately",
    r"by (?:itself|themselves)": "alone, on its own",
    r"(?:so|as) far as": "if, up to",
    r"among others": "such as",
    r"a value's|the one, the other|the like": "plain words",
    r"lanes?": "worlds",
    r"outside joints?": "joint outside articulations",
    r"not a few|no other than|none but|nothing but": "only",
    r"be it|let alone|whether or no": "plain words",
    r"does not count|do not count|counts for": "has no effect, is not used",
    r"of (?:its|their) own": "separate, own",
    r"at (?:most|least) as": "plain words",
}
# Openings that hide the subject.
OPENINGS = {
    r"What(?:ever)? ": "name the thing: 'What does not act' is 'Values without effect'",
    r"Whoever |Who ": "name the person or thing",
    r"How (?:far|near|many|much|often|long|well|deep|fast) ": "name the quantity: 'The number of', 'The distance'",
    r"That (?!is\b|means|gives|leaves|makes|file|value|joint|page|one)\w+ \w+ ": "begin with the subject",
    r"(?:Had|Were|Should|Be|Come) ": "write 'if'",
    r"(?:Of|To|By|From|Beside|Where|Wherever) (?:the|a|an|it|what|whom)\b[^,]{0,60}, ": "subject first",
}
_BANNED = [(re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.I), better) for pattern, better in BANNED.items()]
_OPENINGS = [(re.compile(rf"^(?:{pattern})"), better) for pattern, better in OPENINGS.items()]
_CODE = "CODE"
_PLACEHOLDER = re.compile("«\\w+»")
_CODE_TEXT = re.compile(
    r"\bimport \w+, |[{};]\n|\{%|\\[dws]|%\d|^\s*(?:def|class|#usda|float|uniform|<)\b|!dbg|</|\breturn\b.*;"
    r"|^\s*%\w+ = |\bnullptr\b")
_ABBREVIATION = re.compile(r"\b(e\.g|i\.e|etc|vs|cf|approx|no|fig)\.", re.I)
_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9`*])")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence with the file and line of its paragraph; code in it is the word CODE where it is judged."""
    file: str
    line: int
    text: str
    kind: str       # "page", "heading", "docstring" or "message"

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


def faults(sentence: Sentence) -> Iterator[str]:
    """What is hard in a sentence: its length, words and opening, each with the better form."""
    plain = _plain(sentence.text)
    longest = max((len(_words(part)) for part in _thoughts(plain, sentence.kind)), default=0)
    if longest > MAX_WORDS and sentence.kind != "heading":
        yield f"{longest} words, at most {MAX_WORDS}"
    for pattern, better in _BANNED:
        found = pattern.search(plain)
        if found:
            yield f"'{found.group()}': {better}"
    if not plain.rstrip().endswith("?") and sentence.kind != "heading":
        for pattern, better in _OPENINGS:
            if pattern.search(plain):
                yield f"begins with '{' '.join(plain.split()[:3])}': {better}"


def _thoughts(plain: str, kind: str) -> list[str]:
    """Parts that are counted apart: messages are clauses between semicolons."""
    return plain.split("; ") if kind == "message" else [plain]


def _plain(text: str) -> str:
    """The sentence with code, links and quoted text replaced."""
    text = re.sub(r"`[^`]*`|\"[^\"]*\"|«\w+»", _CODE, text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"https?://\S+", _CODE, text)
    text = re.sub(rf"{_CODE}(?:, {_CODE})+", _CODE, text)       # a list of names is one word
    return re.sub(r"\*\*|__", "", text)


def _words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z0-9][\w'./:-]*", text)


def sentences(text: str) -> list[str]:
    """The sentences of one paragraph."""
    joined = " ".join(text.split())
    masked = _ABBREVIATION.sub(lambda found: found.group().replace(".", "\0"), joined)
    return [part.replace("\0", ".").strip() for part in _END.split(masked) if part.strip()]


# --- pages -----------------------------------------------------------------------------------------------------------


def page_sentences(path: Path) -> Iterator[Sentence]:
    """The sentences of a Markdown page: paragraphs, items of lists, cells of tables and headings; no code blocks."""
    name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name
    for line, kind, text in _blocks(path.read_text(encoding="utf-8")):
        yield from (Sentence(name, line, part, kind) for part in sentences(text) if len(_words(part)) > 1)


def _blocks(text: str) -> Iterator[tuple[int, str, str]]:
    """Line, kind and text of each block of a page."""
    paragraph: list[str] = []
    start, fenced, comment = 0, False, False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        stripped = line.strip()
        if stripped.startswith(("```", "~~~")):
            fenced = not fenced
        comment = comment or stripped.startswith("<!--")
        ends = (fenced or comment or not stripped or stripped.startswith(("```", "#", "|", "<", "!["))
                or re.match(r"(?:[-*+]|\d+\.) ", stripped) or stripped.startswith(("!!! ", "??? ", "=== ")))
        if ends and paragraph:
            yield start, "page", " ".join(paragraph)
            paragraph = []
        if comment:
            comment = "-->" not in stripped
            continue
        if fenced or not stripped or stripped.startswith(("```", "<")):
            continue
        if line.startswith("    ") and not paragraph and not re.match(r"\s*(?:[-*+]|\d+\.) ", line):
            continue        # an indented block of code
        if stripped.startswith("#"):
            yield number, "heading", stripped.lstrip("# ")
        elif stripped.startswith("|"):
            if not set(stripped) <= set("|-: "):
                cells = map(str.strip, re.split(r"(?<!\\)\|", stripped))
                yield from ((number, "page", cell) for cell in cells if cell)
        else:
            if not paragraph:
                start = number
            paragraph.append(re.sub(r"^(?:[-*+]|\d+\.) ", "", stripped))


# --- docstrings ------------------------------------------------------------------------------------------------------


def docstring_sentences() -> Iterator[Sentence]:
    """The sentences of docstrings of public names: classes, functions, methods and properties."""
    for package in PUBLIC:
        module = importlib.import_module(package)
        for name in sorted(module.__all__):
            yield from _documented(f"{package}.{name}", getattr(module, name))


def _documented(name: str, value: object) -> Iterator[Sentence]:
    home = getattr(value, "__module__", "") or ""
    if not (inspect.isclass(value) or callable(value)) or not home.startswith("physx_") or home.startswith(
            "physx_generated"):
        return
    yield from _docstring(name, value.__doc__)
    if inspect.isclass(value):
        for member, item in sorted(vars(value).items()):
            if not member.startswith("_"):
                yield from _docstring(f"{name}.{member}", getattr(item, "__doc__", None)
                                      if isinstance(item, property | staticmethod | classmethod) or callable(item)
                                      else None)


def _docstring(name: str, text: str | None) -> Iterator[Sentence]:
    if not text or text.startswith(name.rpartition(".")[2] + "("):      # the signature that dataclasses write
        return
    arguments = re.sub(r"^ +\w+: ", "- ", inspect.cleandoc(text), flags=re.M)       # each is an item
    for _, _, block in _blocks(arguments):
        yield from (Sentence(name, 0, part, "docstring") for part in sentences(block) if len(_words(part)) > 1)


# --- literals --------------------------------------------------------------------------------------------------------


def literal_sentences(path: Path) -> Iterator[Sentence]:
    """The sentences of a module's literals, and of docstrings where these are the help of a command."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    formatted = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)
                 if part is not node}
    is_command = not {*COMMANDS}.isdisjoint(path.parts)
    helps = {id(node.body[0].value) for node in ast.walk(tree) if is_command and isinstance(node, ast.FunctionDef)
             and any("command" in ast.unparse(item) for item in node.decorator_list)
             and isinstance(node.body[0], ast.Expr)}
    name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name
    for node in ast.walk(tree):
        if id(node) in formatted or (id(node) in documented and id(node) not in helps):
            continue
        text = _literal(node)
        if text is not None and _is_prose(_PLACEHOLDER.sub(_CODE, text)):
            for _, _, block in _blocks(inspect.cleandoc(text).replace("\b", "")):
                yield from (Sentence(name, node.lineno, part, "message") for part in sentences(block)
                            if len(_words(part)) >= MIN_MESSAGE_WORDS)


def _literal(node: ast.AST) -> str | None:
    """The text of a literal; what is formatted into it stands as «name»."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else f"«{_name(part)}»" for part in node.values)
    return None


def _name(part: ast.AST) -> str:
    """The name of what is formatted into a text: of an attribute, or of the argument of a function."""
    calls = [item for item in ast.walk(part) if isinstance(item, ast.Call) and item.args]
    part = calls[0].args[0] if calls else part
    names = [item.attr if isinstance(item, ast.Attribute) else item.id for item in ast.walk(part)
             if isinstance(item, ast.Attribute | ast.Name)]
    return names[0] if names else _CODE


def _is_prose(text: str) -> bool:
    """Words with blanks between them rather than code, a pattern or a template."""
    words = re.findall(r"(?<![\w.<%@$-])[A-Za-z][a-z']*(?![\w(=<.])", text)
    return (len(words) >= MIN_MESSAGE_WORDS and " " in text.strip()
            and not _CODE_TEXT.search(text))


def all_sentences() -> Iterator[Sentence]:
    """Every sentence of the project that a person reads."""
    for path in [*PAGES, *sorted((ROOT / "docs").rglob("*.md"))]:
        yield from page_sentences(path)
    yield from docstring_sentences()
    for package in PACKAGES:
        for path in sorted(package.rglob("*.py")):
            yield from literal_sentences(path)


def of_paths(paths: Iterable[Path]) -> Iterator[Sentence]:
    """The sentences of the pages and modules in files and folders."""
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.suffix == ".md":
                yield from page_sentences(file)
            elif file.suffix == ".py":
                yield from literal_sentences(file)


def main() -> None:
    """Print faults, or sentences drawn at random."""
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--docstrings", action="store_true", help="docstrings of public names alone")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", action="store_true", help="the number of faults by folder")
    options = parser.parse_args()
    if options.docstrings:
        chosen = list(docstring_sentences())
    else:
        chosen = list(of_paths(path.resolve() for path in options.paths) if options.paths else all_sentences())
    if options.sample:
        texts = sorted({(item.text, item.place) for item in chosen
                        if len(_words(_plain(item.text))) > MIN_MESSAGE_WORDS})
        for text, place in random.Random(options.seed).sample(texts, min(options.sample, len(texts))):
            print(f"{place}: {text}")
        return
    wrong = [(item, fault) for item in chosen for fault in faults(item)]
    if options.count:
        for folder, count in Counter(item.file.rpartition("/")[0] or item.file for item, _ in wrong).most_common():
            print(f"{count:5d} {folder}")
    else:
        for item, fault in wrong:
            print(f"{item.place}: {fault}: {item.text[:220]}")
    print(f"{len(wrong)} faults in {len(chosen)} sentences")


if __name__ == "__main__":
    main()
