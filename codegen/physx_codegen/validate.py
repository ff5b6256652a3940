"""What a single entry cannot show: names that clash or dangle, and defaults, ranges and tokens that disagree."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Iterator, Sequence

from . import naming, value_types
from .installed_schemas import installed, part_of_usd
from .model import Attribute, Kind, Library, Location, Property, Range, SchemaClass, SchemaError, closest
from .naming import IDENTIFIER, NAMESPACE

Problem = tuple[Location, str]
RELEASE = re.compile(r"\d+(\.\d+)*")
ROOTS = ("Typed", "APISchemaBase")
APPLIED = ("single-apply", "multiple-apply")
APPLIED_KEYS: dict[str, tuple[str, ...]] = {
    "applies_to": (*APPLIED, "non-applied"), "can_only_apply_to": APPLIED, "auto_apply_to": ("single-apply",),
    "instances": ("multiple-apply",), "allowed_instances": ("multiple-apply",), "instance_rules": ("multiple-apply",),
}


def validate(library: Library, peers: Sequence[Library] = (), references: bool = True) -> Library:
    """The library itself; `peers` are others whose classes it may name, `references` asks whether names are known.

    Raises SchemaError with every problem found.
    """
    problems = [*_classes(library), *_tokens(library)]
    known = _known_kinds(library, peers)
    for cls in library.classes:
        problems += _names(cls)
        problems += _kind(cls)
        problems += _applied(cls)
        problems += _fallbacks(cls)
        problems += _references(library, cls, known) if references else []
        problems += _properties(library, cls)
        problems += _former_names(cls)
        for attribute in cls.attributes:
            problems += _attribute(cls, attribute)
    if problems:
        raise SchemaError(problems)
    return library


def _names(cls: SchemaClass) -> Iterator[Problem]:
    """Names and releases that other names and files are made of."""
    if cls.python_name and not IDENTIFIER.fullmatch(cls.python_name):
        yield cls.at("python_name"), f"'{cls.python_name}' is not a class name; use letters, digits and underscores"
    if cls.prefix and not NAMESPACE.fullmatch(cls.prefix):
        rule = "use letters, digits and underscores, with colons between parts"
        yield cls.at("prefix"), f"prefix '{cls.prefix}' of {cls.name} cannot begin a property name; {rule}"
    if cls.renamed_from == cls.name:
        rule = "write the former name, or remove the key"
        yield cls.at("renamed_from"), f"'{cls.name}' is the current name of the class; {rule}"
    for location, item in ((cls.at("retired"), cls), *((prop.loc, prop) for prop in cls.properties)):
        if item.retired and not RELEASE.fullmatch(item.retired):
            rule = "use numbers with dots, such as 25.11.2"
            yield location, f"'{item.name}' is retired in '{item.retired}', which is not a release; {rule}"


def _classes(library: Library) -> Iterator[Problem]:
    first: dict[str, SchemaClass] = {}
    for cls in library.classes:
        for name in dict.fromkeys((cls.name, cls.python_name, *filter(None, [cls.renamed_from]))):
            if name in first:
                yield cls.loc, f"class '{name}' is already defined at {first[name].loc}; rename or remove one"
            first.setdefault(name, cls)
        other = part_of_usd().get(cls.name)
        if other and other.plugin != library.plugin and cls.kind != "base":
            yield cls.at("name"), f"class '{cls.name}' is a schema of USD's {other.plugin}; give it another name"
        if cls.python_name in naming.EXPORTED or keyword.iskeyword(cls.python_name):
            rule = "Python or the generated package uses that name; give another python_name"
            yield cls.at("python_name"), f"class '{cls.name}' would be '{cls.python_name}' in Python; {rule}"
    for family in library.families:
        usable = IDENTIFIER.fullmatch(family.name) and not keyword.iskeyword(family.name)
        if not usable or family.name.startswith("_") or family.name == "tokens":
            rule = "use letters and underscores; the name tokens is not allowed"
            yield family.classes[0].loc, f"file name '{family.file}' cannot be a module name; {rule}"


def _tokens(library: Library) -> Iterator[Problem]:
    first: dict[str, tuple[str, Location]] = {}
    for name, value, _, location in naming.iter_tokens(library):
        other, origin = first.setdefault(name, (value, location))
        if other != value:
            yield location, f"token '{name}' is '{value}' here and '{other}' at {origin}; rename one of the two"


def _kind(cls: SchemaClass) -> Iterator[Problem]:
    is_api = re.fullmatch(r".*API(_[1-9]\d*)?", cls.name) is not None
    if cls.name and cls.kind != "base" and cls.is_api != is_api:
        rule = "names of API schemas end in API" if not is_api else "only names of API schemas end in API"
        yield cls.at("name"), f"class '{cls.name}' is {cls.kind}; {rule}; rename the class or change its kind"
    if cls.kind == "base" and cls.name not in ROOTS:
        rule = f"only {' and '.join(ROOTS)} are roots; change the kind"
        yield cls.at("kind"), f"'{cls.name}' is not a root of schemas; {rule}"
    if cls.kind == "multiple-apply" and not cls.prefix and cls.properties:
        yield cls.loc, f"class '{cls.name}' is multiple-apply and has no prefix; add the namespace of its properties"
    if cls.kind in {"single-apply", "multiple-apply"} and cls.base:
        yield cls.at("base"), f"class '{cls.name}' is an API schema and has no base; use includes for built-ins"
    if cls.fallback_types and cls.kind != "typed":
        rule = "only typed classes can have fallback types; remove the key"
        yield cls.at("fallback_types"), f"class '{cls.name}' is {cls.kind}; {rule}"


def _applied(cls: SchemaClass) -> Iterator[Problem]:
    """Keys that only some kinds of API schema have."""
    for key, kinds in APPLIED_KEYS.items():
        if not getattr(cls, key) or cls.kind in kinds:
            continue
        if key == "applies_to" and cls.kind in {"typed", "abstract"}:
            yield cls.at(key), f"class '{cls.name}' is a prim type and is not applied; remove the key"
        elif key == "instances":
            yield cls.at(key), f"class '{cls.name}' is {cls.kind} and has no instances; remove the key"
        else:
            yield cls.at(key), f"class '{cls.name}' is {cls.kind}; '{key}' is for {' and '.join(kinds)}; remove the key"


def _fallbacks(cls: SchemaClass) -> Iterator[Problem]:
    """Metadata of API schemas: USD composes none of it onto prims, and its generator refuses all but these."""
    if not cls.is_api:
        return
    allowed = ("propertyOrder", "uiHints") if cls.kind == "single-apply" else ()
    if cls.hidden:
        yield cls.at("hidden"), f"class '{cls.name}' is an API schema and cannot be hidden; remove the key"
    for entry in cls.metadata:
        if entry.key not in allowed:
            rule = f"metadata of a {cls.kind} schema: {' and '.join(allowed) or 'none'}; move it to custom_data"
            yield cls.at("metadata"), f"class '{cls.name}' has the metadata '{entry.key}'; {rule}"


def _known_kinds(library: Library, peers: Sequence[Library]) -> dict[str, Kind]:
    """The kind of every schema of these libraries and of the installed USD."""
    installed_kinds = {name: schema.kind for name, schema in installed().items()}
    return installed_kinds | {cls.name: cls.kind for other in (*peers, library) for cls in other.classes}


def _references(library: Library, cls: SchemaClass, known: dict[str, Kind]) -> Iterator[Problem]:
    local = {other.name: other for other in library.classes}
    for entry in cls.includes:
        name, _, instance = entry.partition(":")
        kind = known.get(name)
        if kind is None:
            allowed = sorted(other for other, what in known.items() if what in APPLIED)
            yield cls.at("includes"), f"'{name}' in includes is not an API schema; {closest(name, allowed)}"
        elif kind not in {"single-apply", "multiple-apply"}:
            noun = "a prim type" if kind in {"typed", "abstract"} else f"a {kind} schema"
            yield cls.at("includes"), f"'{name}' in includes is {noun}; include only API schemas"
        elif kind == "multiple-apply" and cls.kind != "multiple-apply" and not instance:
            yield cls.at("includes"), f"'{name}' in includes is multiple-apply; add an instance name: '{name}:name'"
    collections = [entry.partition(":")[2] for entry in cls.includes if entry.startswith("CollectionAPI:")]
    for word in cls.collections:
        if word.lower() not in map(str.lower, collections):
            suggestion = closest(word, collections)
            yield cls.at("collections"), f"'{word}' in collections is not a built-in collection; {suggestion}"
    yield from _base(library, cls, known)
    if cls.name in _ancestors(local, cls):
        yield cls.loc, f"class '{cls.name}' is its own base or built-in; remove the cycle"
    for key in ("applies_to", "can_only_apply_to", "auto_apply_to", "fallback_types", "reflected"):
        for name in getattr(cls, key):
            if known.get(name) is None:
                yield cls.at(key), f"unknown schema '{name}' in {key}; {closest(name, sorted(known))}"
    if cls.extends and cls.extends not in known:
        yield cls.at("extends"), f"unknown class '{cls.extends}' in extends; {closest(cls.extends, sorted(known))}"
    for name in cls.reflected:
        if name not in cls.includes and known.get(name):
            yield cls.at("reflected"), f"'{name}' in reflected is not a built-in of '{cls.name}'; add it to includes"
        elif known.get(name) not in {"single-apply", None}:
            yield cls.at("reflected"), f"'{name}' in reflected is {known.get(name)}; reflect only single-apply schemas"
    for prop in cls.properties:
        for name in () if isinstance(prop, Attribute) else prop.targets:
            if known.get(name) is None:
                yield prop.loc, f"unknown schema '{name}' in targets; {closest(name, sorted(known))}"


def _base(library: Library, cls: SchemaClass, known: dict[str, Kind]) -> Iterator[Problem]:
    if not cls.base:
        return
    kind = known.get(cls.base)
    if kind is None:
        allowed = sorted(name for name, kind in known.items() if kind in {"typed", "abstract"})
        yield cls.at("base"), f"unknown base '{cls.base}'; {closest(cls.base, allowed)}"
    elif cls.kind == "non-applied" and kind != "non-applied":
        yield cls.at("base"), f"base '{cls.base}' is {kind}; derive a non-applied schema from a non-applied one"
    elif cls.kind in {"typed", "abstract"} and kind not in {"typed", "abstract", "base"}:
        yield cls.at("base"), f"base '{cls.base}' is an API schema; derive from a prim type"


def _ancestors(local: dict[str, SchemaClass], cls: SchemaClass) -> set[str]:
    ancestors: set[str] = set()
    pending = [cls]
    while pending:
        current = pending.pop()
        for name in (current.base, *(entry.partition(":")[0] for entry in current.includes)):
            if name in local and name not in ancestors:
                ancestors.add(name)
                pending.append(local[name])
    return ancestors


def _properties(library: Library, cls: SchemaClass) -> Iterator[Problem]:
    names: dict[str, Property] = {}
    methods: dict[str, Property] = {}
    for prop in cls.properties:
        method = f"Get{naming.api_name(prop)}{naming.suffix(prop)}" if naming.api_name(prop) else ""
        for label, key, table in (("property", naming.usd_name(cls, prop), names), ("method", method, methods)):
            if key and key in table:
                first = table[key].loc
                yield prop.loc, f"{label} '{key}' of {cls.name} is already defined at {first}; rename or remove one"
                break
            table.setdefault(key, prop)
        if naming.api_name(prop) and not IDENTIFIER.fullmatch(naming.api_name(prop)):
            yield prop.loc, f"api '{prop.api}' cannot be a method name; use letters, digits and underscores"


def _former_names(cls: SchemaClass) -> Iterator[Problem]:
    """A former name that the class still has: stages would lose what they say under it, and its accessors clash."""
    names = {naming.local_name(cls, prop): prop for prop in cls.properties}
    methods = {f"{naming.api_name(prop)}{naming.suffix(prop)}": prop for prop in cls.properties
               if naming.api_name(prop)}
    for prop in (prop for prop in cls.properties if prop.renamed_from):
        former = naming.former_name(cls, prop)
        method = f"{naming.proper_case(prop.renamed_from)}{naming.suffix(prop)}"
        owner = names.setdefault(former, prop)
        if owner is prop and naming.local_name(cls, prop) != former:
            owner = methods.setdefault(method, prop)
        if owner is not prop:
            rule = "a former name must belong to one property and must not be a current name; rename or remove one"
            yield prop.loc, f"'{prop.renamed_from}' in renamed_from is a name of {owner.loc}; {rule}"
        elif naming.local_name(cls, prop) == former:
            yield prop.loc, f"'{prop.renamed_from}' is the current name of the property; remove renamed_from"


def _attribute(cls: SchemaClass, attribute: Attribute) -> Iterator[Problem]:
    kind = value_types.TYPES.get(attribute.type)
    if kind is None:
        return
    if attribute.tokens and kind.element not in {"token", "string"}:
        yield attribute.loc, f"tokens of '{attribute.name}' need type token, not {attribute.type}; change one of them"
    values = attribute.default if isinstance(attribute.default, tuple) else (attribute.default,)
    for word in values if attribute.tokens else ():
        if isinstance(word, str) and word not in attribute.tokens:
            suggestion = closest(word, attribute.tokens)
            yield attribute.loc, f"default '{word}' of '{attribute.name}' is not among its tokens; {suggestion}"
    if attribute.range and kind.base not in {"int", "float"}:
        yield attribute.loc, f"'{attribute.name}' is of type {attribute.type} and has no range; remove the key"
    elif attribute.range:
        yield from _range(cls, attribute, attribute.range)


def _range(cls: SchemaClass, attribute: Attribute, interval: Range) -> Iterator[Problem]:
    numeric = {other.name: other for other in cls.attributes if other is not attribute and _is_number(other)}
    bounds: list[float] = []
    for bound in (interval.lower, interval.upper):
        if isinstance(bound, str) and bound not in numeric:
            yield attribute.loc, f"range of '{attribute.name}' names '{bound}'; {closest(bound, numeric)}"
            return
        numbers = value_types.numbers(numeric[bound].default) if isinstance(bound, str) else [bound]
        bounds += numbers or [math.nan]             # an attribute without default bounds nothing here
    if bounds[0] > bounds[1]:
        yield attribute.loc, f"range {attribute.range_text} of '{attribute.name}' is empty; swap its bounds"
        return
    for number in value_types.numbers(attribute.default):
        below = number < bounds[0] or (number == bounds[0] > -math.inf and not interval.lower_closed)
        above = number > bounds[1] or (number == bounds[1] < math.inf and not interval.upper_closed)
        if below or above:
            text = value_types.number_text(number)
            yield attribute.loc, (f"default {text} of '{attribute.name}' is outside {attribute.range_text}; change one "
                                  "of them")


def _is_number(attribute: Attribute) -> bool:
    kind = value_types.TYPES.get(attribute.type)
    return kind is not None and kind.base in {"int", "float"} and not kind.array and not kind.shape
