"""Names: USD properties, Get and Create methods, keywords and tokens, as USD's own generator would choose them."""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType

from .model import Attribute, Family, Library, Location, Property, SchemaClass

PLACEHOLDER = "__INSTANCE_NAME__"
NONE: Mapping[str, str] = MappingProxyType({})
IDENTIFIER = re.compile(r"[^\W\d]\w*")        # as USD has it: letters of every script
NAMESPACE = re.compile(rf"{IDENTIFIER.pattern}(:{IDENTIFIER.pattern})*")
NO_WORD, VERSION = re.compile(r"\W"), re.compile(r"_[1-9]\d*$")
CPP_RESERVED = """
    alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool break case
    catch char char8_t char16_t char32_t class compl concept const consteval constexpr constinit const_cast continue
    co_await co_return co_yield decltype default delete do double dynamic_cast else enum explicit export extern
    false float for friend goto if inline int interface long mutable namespace new noexcept not not_eq nullptr
    operator or or_eq private protected public reflexpr register reinterpret_cast requires return short signed
    sizeof static static_assert static_cast struct switch synchronized template this thread_local throw true try
    typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq
"""
RESERVED = frozenset(CPP_RESERVED.split()) | frozenset(keyword.kwlist)      # tokens of these names get an underscore
# What generated packages use or offer themselves, so that no class can be called so.
EXPORTED = frozenset(("Attribute", "AuthoringError", "Definition", "DerivedAPI", "Items", "Literal", "MultipleApplyAPI",
                      "NonAppliedAPI", "PhysxSchemaError", "Range", "RegistrationError", "Relationship", "Schema",
                      "Sdf",
                      "Self", "SingleApplyAPI", "Target", "Tokens", "TypedDict", "TypedSchema", "Unpack", "Usd"))


@cache
def proper_case(text: str) -> str:
    """``physics:local-pos`` -> ``PhysicsLocalPos``."""
    return "".join(part[0].upper() + part[1:] for part in re.split(r"\W+", text) if part)


@cache
def camel_case(text: str) -> str:
    """``physics:local-pos`` -> ``physicsLocalPos``."""
    proper = proper_case(text)
    return proper[:1].lower() + proper[1:]


@cache
def token_name(text: str, literal: bool = True) -> str:
    """The identifier of a token, as usdGenSchema makes it: itself where it is one, with an underscore where reserved.

    Not `literal` asks for camel case, as property names and older libraries have it.
    """
    if not text.isidentifier():
        text = f"_{text}" if text[:1].isdigit() else text
        text = NO_WORD.sub("_", camel_case(text) if not literal or ":" in text else text)
    elif not literal:
        text = camel_case(text)
    return f"{text}_" if text in RESERVED else text


def local_name(cls: SchemaClass, prop: Property) -> str:
    """The name below the instance name, or the whole name outside multiple-apply schemas."""
    if cls.kind == "multiple-apply" or not cls.prefix or ":" in prop.name:
        return prop.name
    return f"{cls.prefix}:{prop.name}"


def former_name(cls: SchemaClass, prop: Property) -> str:
    """The former `local_name`, in the namespace of the present one unless `renamed_from` brings its own."""
    space = local_name(cls, prop).rpartition(":")[0]
    return prop.renamed_from if ":" in prop.renamed_from or not space else f"{space}:{prop.renamed_from}"


def usd_name(cls: SchemaClass, prop: Property) -> str:
    """The property name in generatedSchema.usda; a property called as the placeholder is the bare instance name."""
    if cls.kind == "multiple-apply":
        base = "" if prop.name == PLACEHOLDER else f":{prop.name}"
        return f"{cls.prefix}:{PLACEHOLDER}{base}"
    return local_name(cls, prop)


def display_name(cls: SchemaClass, prop: Property) -> str:
    """The property name for people: ``physxTendon:<name>:stiffness``."""
    return usd_name(cls, prop).replace(PLACEHOLDER, "<name>")


def api_name(prop: Property) -> str:
    """What stands between Get and Attr; empty for a property without methods."""
    return "" if prop.override or prop.api == "" else proper_case(prop.api or prop.name)


def suffix(prop: Property) -> str:
    """Attr or Rel."""
    return "Attr" if isinstance(prop, Attribute) else "Rel"


def keywords(properties: Sequence[tuple[SchemaClass, Property]], existing: Mapping[str, str] = NONE) -> dict[str, str]:
    """USD name to keyword of Apply: its last part, or the method's name, or all of it, whichever no other has.

    `taken` has the keywords of inherited properties, which keep them. Where Python or a method needs all of these
    words, the whole name gets an underscore.
    """
    shapes = {local_name(cls, prop): (
        prop.name.rpartition(":")[2], camel_case(api_name(prop) or prop.name), camel_case(local_name(cls, prop)))
        for cls, prop in properties}
    counts = [Counter(words) for words in zip(*shapes.values(), strict=True)]
    inherited = set(existing.values())
    return {name: existing.get(name) or next((
        word for word, count in zip(words, counts, strict=True)
        if count[word] == 1 and not reserved(word) and word not in inherited), f"{words[-1]}_")
        for name, words in shapes.items()}


def reserved(word: str) -> bool:
    """Whether a word cannot be a keyword of Apply or Define."""
    return keyword.iskeyword(word) or word in {"cls", "self", "prim", "name", "stage", "path", "strict"}


def type_name(library: Library, cls: SchemaClass) -> str:
    """The TfType name."""
    return f"{library.name}{cls.python_name}"


def is_public(cls: SchemaClass) -> bool:
    """Whether a class has a Python class: it is neither one of USD's roots nor a holder of retired properties."""
    return cls.kind != "base" and not cls.extends


def path_method(cls: SchemaClass) -> str:
    """The name of the Is...Path method."""
    return f"Is{cls.name}Path"


def iter_tokens(library: Library) -> Iterator[tuple[str, str, str, Location]]:
    """(name, value, doc, origin) of every token but the schema identifiers, with repetitions.

    Two properties whose names differ in case alone would give one token two values. USD's generator makes no tokens for
    a codeless library and takes them; there the later one keeps its spelling, as ``x_Description``.
    """
    literal, first = library.literal_identifier, dict[str, str]()
    for cls in library.classes:
        if cls.kind == "multiple-apply" and cls.prefix:
            yield token_name(token_name(cls.prefix, literal)), cls.prefix, "", cls.loc
        for prop in cls.properties:
            name, value = property_token(cls, prop), usd_name(cls, prop)
            is_duplicate = first.setdefault(name, value) != value and library.codeless
            yield token_name(NO_WORD.sub("_", value)) if is_duplicate else name, value, "", prop.loc
            if isinstance(prop, Attribute):
                values = (*prop.tokens, prop.default) if prop.type == "token" else prop.tokens
                yield from ((token_name(word, literal), word, "", prop.loc)
                            for word in values if word and isinstance(word, str))
        yield from ((token_name(token.name), token.value, token.doc, token.loc) for token in cls.tokens)
    for token in library.tokens:
        yield token_name(token.name), token.value, token.doc, token.loc


def property_token(cls: SchemaClass, prop: Property) -> str:
    """The token of a property's name."""
    if cls.kind == "multiple-apply":
        base = "" if prop.name == PLACEHOLDER else proper_case(prop.name)
        return token_name(f"{camel_case(cls.prefix)}_MultipleApplyTemplate_{base}")
    return token_name(camel_case(local_name(cls, prop)))


def identifiers(cls: SchemaClass) -> list[str]:
    """The schema identifier, and for one with a version its family."""
    family = VERSION.sub("", cls.name)
    return [cls.name] if family == cls.name else [cls.name, family]


def tokens(library: Library) -> list[tuple[str, str, str]]:
    """(name, value, doc) of every token, schema identifiers last, in the order USD's generator uses."""
    entries = {name: (value, doc) for name, value, doc, _ in iter_tokens(library)}
    schemas = {token_name(name): (name, "") for cls in library.classes for name in identifiers(cls)}
    for name in schemas:
        entries.pop(name, None)
    return [(name, *group[name]) for group in (entries, schemas)
            for name in sorted(group, key=lambda word: (word.lower(), word))]


def module_of(library: Library, name: str) -> Family:
    """The family that defines a class."""
    return next(family for family in library.families if any(cls.name == name for cls in family.classes))
