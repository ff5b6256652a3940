"""From Python values to USD values: converted to the declared type and checked against tokens, range and targets."""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from pxr import Gf, Sdf, Tf, Usd

from ._arrays import LARGEST, extent, packed
from ._definition import FLOAT_MAX, INTEGER_LIMITS, Attribute, AuthoringError, Definition, Property, Relationship
from ._display import display
from ._prims import parsed_path
from ._target import Specs, Target, path_of, sdf_type

FLOAT_LIMITS = {"h": 65504.0, "f": FLOAT_MAX, "d": math.inf}
WORDS = {"token", "string"}
WHOLE = 1 << 63
NOTHING = ("", (), math.inf, -math.inf)      # what is quick about an unknown keyword


class Refused(ValueError):
    """What is wrong with one value, without the name of its property."""


class Prepared(NamedTuple):
    """Values that can be written."""

    values: dict[str, Any]              # property name without prefix to USD value or target paths
    existing: Specs                     # specs of these properties that are there


def prepare(
    definition: Definition, prim: Usd.Prim, prefix: str, values: Mapping[str, object], target: Target,
    path: Sdf.Path | str = "", known_problems: Iterable[str] = (),
) -> Prepared:
    """Check keyword values and convert them.

    `path` names a prim that is yet to be defined, `found` are problems seen before. Raises AuthoringError with one line
    for each problem.
    """
    is_there = not path or bool(prim)
    path = path or path_of(prim)
    problems = list(known_problems)
    ready: dict[str, Any] = {}
    existing: Specs = {}
    doubtful: set[str] = set()
    quick = definition.quick
    for keyword, value in values.items():
        name, types, lower, upper = quick.get(keyword, NOTHING)
        if type(value) in types and lower < value < upper:          # type: ignore[operator]
            # of whole numbers USD takes those of 64 bits
            ready[name] = value if type(value) is not int or -WHOLE < value < WHOLE else float(value)
            continue
        prop = definition.by_keyword.get(keyword)
        if prop is None:
            problems.append(f"{path}: {unknown_keyword(definition, keyword)}")
            continue
        try:
            ready[prop.name] = converted(prop, value)
            doubtful.add(prop.name)
        except Refused as refused:
            problems.append(f"{path}.{prefix}{prop.name}: {refused}")
    if doubtful or definition.entangled:
        for name in definition.ranges_to_check(ready, doubtful):
            if is_inside(definition, ready, name):
                continue
            line = range_problem(definition, prim, prefix, ready, name)
            problems += [f"{path}.{prefix}{name}: {line}"] if line else []
    if is_there:
        problems += target.problems(prim, prefix, definition, ready, existing)
    if problems:
        raise AuthoringError("\n".join(sorted(problems)))
    return Prepared(ready, existing)


def is_inside(definition: Definition, ready: Mapping[str, Any], name: str) -> bool:
    """Whether numbers are inside their range as far as this call says; the rest takes :func:`range_problem`."""
    value, allowed_range = ready.get(name), definition.attributes[name].range
    span = (value, value) if type(value) in (float, int) else extent(value)
    if allowed_range is None or span is None:
        return False
    lower: Any = allowed_range.lower
    upper: Any = allowed_range.upper
    lower = ready.get(lower) if type(lower) is str else lower
    upper = ready.get(upper) if type(upper) is str else upper
    if lower is None or upper is None:
        return False
    above = span[0] > lower or (allowed_range.lower_closed and span[0] == lower)
    return bool(above and (span[1] < upper or (allowed_range.upper_closed and span[1] == upper)))


def same(attribute: Attribute, current: Any, value: object) -> bool:
    """Whether `value` in the attribute's type and precision equals `current`."""
    try:
        expected = converted(attribute, value)
    except Refused:
        return False
    kind = sdf_type(attribute.type)
    return bool(current == (expected if kind.isArray else kind.arrayType.type.pythonClass([expected])[0]))


def unknown_keyword(definition: Definition, keyword: str) -> str:
    """The message for a keyword that names no property, with the closest one that does."""
    allowed = list(definition.by_keyword)
    close = closest(keyword, allowed)
    suggestion = f"did you mean '{close}'?" if close else f"it has {', '.join(allowed) or 'none'}"
    return f"{definition.identifier} has no property '{keyword}'; {suggestion}"


def closest(word: str, allowed: Sequence[str]) -> str:
    """The allowed word most like `word`, whatever its case; empty where none is."""
    import difflib  # rarely needed, and slow to import

    lowered = {other.lower(): other for other in allowed}
    matches = difflib.get_close_matches(word.lower(), lowered, n=1)
    return lowered[matches[0]] if matches else ""


def converted(prop: Property, value: object) -> Any:
    """`value` as the property's USD type. Raises Refused."""
    if isinstance(prop, Relationship):
        return target_paths(prop, value)
    kind = sdf_type(prop.type)
    if not kind.isArray:
        return scalar(prop, prop.type, value)
    element = prop.type.removesuffix("[]")
    whole = array(kind.type.pythonClass, element, value)
    if whole is not None:
        return whole
    items = listed(value)
    if items is None:
        raise Refused(f"{display(value)} is not a list; give a list of {element} values")
    return kind.type.pythonClass([scalar(prop, element, item) for item in items])


def array(python_class: Any, element: str, value: object) -> Any:
    """An array that can be taken whole, None where its elements need a look of their own."""
    if element in INTEGER_LIMITS:
        return packed(python_class, element, (), "", value)
    if element in WORDS | {"bool", "asset"} or element.startswith("quat"):      # whose real part comes last in memory
        return None
    shape, letter = layout(element)
    return packed(python_class, element, shape, letter, value) if letter in LARGEST else None


def listed(value: object) -> list[Any] | None:
    """The elements of a list, tuple, NumPy array or Gf vector; None for anything else."""
    is_sequence = hasattr(value, "__len__") and hasattr(value, "__getitem__") and getattr(value, "ndim", 1) > 0
    if not is_sequence or isinstance(value, str | bytes | Mapping):
        return None
    return list(value)      # type: ignore[call-overload,no-any-return]


def scalar(prop: Attribute, type_name: str, value: object) -> Any:
    """One element as USD type `type_name`. Raises Refused."""
    if type_name == "bool":
        if type(value).__name__ not in {"bool", "bool_"}:       # bool_ is NumPy's
            raise Refused(f"{display(value)} is not a bool; give True or False")
        return bool(value)
    if type_name in INTEGER_LIMITS:
        return integer(prop, type_name, value)
    if type_name in WORDS:
        return word(prop, value)
    if type_name == "asset":
        if not isinstance(value, str | Sdf.AssetPath):
            raise Refused(f"{display(value)} is not an asset path; give a string or Sdf.AssetPath")
        return value if isinstance(value, Sdf.AssetPath) else asset_path(value)
    shape, letter = layout(type_name)
    if not shape:
        return real(prop, letter, value)
    return shaped(prop, type_name, shape, letter, value)


def asset_path(value: str) -> Sdf.AssetPath:
    """An asset path from its text. Raises Refused."""
    try:
        return Sdf.AssetPath(value)
    except (Tf.ErrorException, UnicodeEncodeError):
        raise Refused(f"{display(value)} cannot be an asset path; remove control characters") from None


def integer(prop: Attribute, type_name: str, value: object) -> int:
    """A whole number that fits the type. Raises Refused."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise Refused(f"{display(value)} is not a whole number; give {type_name} values")
    number = operator.index(value)
    lowest, highest = INTEGER_LIMITS[type_name]
    if not lowest <= number <= highest:
        raise Refused(f"{number} does not fit type {type_name}; give a value in [{lowest}, {highest}]")
    return number


def word(prop: Attribute, value: object) -> str:
    """A string, one of the allowed tokens where the schema lists them. Raises Refused."""
    if not isinstance(value, str):
        raise Refused(f"{display(value)} is not a {prop.type.removesuffix('[]')}; give a string")
    if "\0" in value or not (value.isascii() or is_unicode(value)):
        raise Refused(f"{display(value)} is not text that USD can store; remove null and surrogate characters")
    if prop.tokens and value not in prop.tokens:
        close = closest(value, prop.tokens)
        suggestion = f"; did you mean '{close}'?" if close else "; give one of them"
        raise Refused(f"token {display(value)} is not one of {', '.join(prop.tokens)}{suggestion}")
    return value


def is_unicode(text: str) -> bool:
    """Whether a string has no surrogates."""
    try:
        return bool(text.encode())
    except UnicodeEncodeError:
        return False


def real(prop: Attribute, letter: str, value: object) -> float:
    """A float of precision `letter` (h, f, d); infinite only where range or default say so. Raises Refused."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise Refused(f"{display(value)} is not a number; give {prop.type} values")
    try:
        number = float(value)
    except OverflowError:       # a whole number beyond the largest double
        raise Refused(f"{display(value)} does not fit type {prop.type}; give a smaller value") from None
    if math.isnan(number):
        raise Refused("nan is not a number; give a finite value")
    if math.isinf(number):
        if number not in allowed_infinities(prop):
            raise Refused(f"{number:g} is not finite; give a finite value{allowed(prop)}")
    elif abs(number) > FLOAT_LIMITS[letter]:
        raise Refused(f"{number:g} does not fit type {prop.type}; give a smaller value")
    return number


def allowed_infinities(prop: Attribute) -> set[float]:
    """The infinities that are values: a closed end of the range, or in the default."""
    candidates: list[object] = [*numbers_in(prop.default)]
    if prop.range:
        candidates += [prop.range.lower] if prop.range.lower_closed else []
        candidates += [prop.range.upper] if prop.range.upper_closed else []
    return {bound for bound in candidates if isinstance(bound, float) and math.isinf(bound)}


def allowed(prop: Attribute) -> str:
    """The range and unit for a message; empty where the schema states none."""
    return (f" in {prop.range}" if prop.range else "") + (f" ({prop.unit})" if prop.unit else "")


@cache
def layout(type_name: str) -> tuple[tuple[int, ...], str]:
    """Dimensions and precision of a floating-point type: () for a number, (3,) for a vector, (4, 4) for a matrix."""
    kind = sdf_type(type_name)
    if type_name in {"half", "float", "double", "timecode"}:
        return (), {"half": "h", "float": "f"}.get(type_name, "d")
    return tuple(kind.type.pythonClass().dimension) if "matrix" in type_name else (_length(kind),), _letter(kind)


def _length(kind: Any) -> int:
    python_class = kind.type.pythonClass
    return 4 if "Quat" in python_class.__name__ else int(python_class.dimension)


def _letter(kind: Any) -> str:
    return str(kind.type.pythonClass.__name__[-1])


def shaped(prop: Attribute, type_name: str, shape: tuple[int, ...], letter: str, value: object) -> Any:
    """A vector, quaternion (real part first) or matrix. Raises Refused."""
    python_class = sdf_type(type_name).type.pythonClass
    if isinstance(value, Gf.Quath | Gf.Quatf | Gf.Quatd):
        value = (value.GetReal(), *value.GetImaginary())
    items = listed(value)
    if items is None or len(items) != shape[0]:
        unit = "rows" if len(shape) == 2 else "numbers"
        raise Refused(f"{display(value)} is not a {type_name}; give {shape[0]} {unit}")
    if len(shape) == 2:
        rows = [listed(row) or [] for row in items]
        if any(len(row) != shape[1] for row in rows):
            raise Refused(f"{display(value)} is not a {type_name}; give {shape[0]} rows of {shape[1]} numbers")
        return python_class([[real(prop, letter, number) for number in row] for row in rows])
    whole = letter == "i"
    return python_class(*(integer(prop, "int", item) if whole else real(prop, letter, item) for item in items))


def target_paths(prop: Relationship, value: object) -> list[Sdf.Path]:
    """Absolute paths from a prim, path, schema object or string, or a list of them. Raises Refused."""
    items = [value] if isinstance(value, str | Sdf.Path | Usd.Prim | Usd.SchemaBase) else listed(value)
    if items is None:
        raise Refused(f"{display(value)} is not a target; give a prim or an absolute path")
    paths = [target_path(item) for item in items]
    if len(paths) > 1 and not prop.many:
        raise Refused(f"{len(paths)} targets where one is allowed; give a single prim or path")
    return paths


def target_path(value: object) -> Sdf.Path:
    """One absolute path. Raises Refused."""
    if isinstance(value, Usd.Prim | Usd.SchemaBase):
        path = value.GetPath()
        if path.isEmpty:
            raise Refused("the target is an invalid prim; give a valid prim")
        return path
    if not isinstance(value, str | Sdf.Path):
        raise Refused(f"{display(value)} is not a target; give a prim or an absolute path")
    path = parsed_path(value)
    if isinstance(value, str) and path.isEmpty:
        raise Refused(f"{display(value)} is not a path; give an absolute path such as /World/link")
    if not path.IsAbsolutePath():
        raise Refused(f"path '{path}' is relative; give an absolute path such as /World/link")
    if path.ContainsPrimVariantSelection() or not (path.IsPrimPath() or path.IsPropertyPath()):
        raise Refused(f"'{path}' is not a prim or property path; give an absolute path such as /World/link")
    return path


def range_problem(definition: Definition, prim: Usd.Prim, prefix: str, ready: Mapping[str, Any], name: str) -> str:
    """What is wrong with a value about to be written, or one whose bound is; empty where nothing is."""
    prop = definition.attributes[name]
    if prop.range is None:
        return ""
    lower = bound_value(definition, prim, prefix, ready, prop.range.lower)
    upper = bound_value(definition, prim, prefix, ready, prop.range.upper)
    for number in numbers_in(current_value(definition, prim, prefix, ready, name)):
        above = number >= lower if prop.range.lower_closed else number > lower
        below = number <= upper if prop.range.upper_closed else number < upper
        if not (above and below) and number not in allowed_infinities(prop):
            unit = f" ({prop.unit})" if prop.unit else ""
            meant = stated(prop.range.bounds(), lower, upper)
            return f"{number:g} is outside {prop.range}{meant}{unit}; give a value in this range"
    return ""


def stated(bounds: tuple[str, ...], lower: float, upper: float) -> str:
    """The numbers behind a range that names attributes."""
    return f", here {lower:g} to {upper:g}" if bounds else ""


def bound_value(
    definition: Definition, prim: Usd.Prim, prefix: str, ready: Mapping[str, Any], bound: float | str
) -> float:
    """A bound as a number: itself, or the current value of the attribute it names."""
    return float(current_value(definition, prim, prefix, ready, bound)) if isinstance(bound, str) else bound


def current_value(definition: Definition, prim: Usd.Prim, prefix: str, ready: Mapping[str, Any], name: str) -> Any:
    """The value about to be written, else the composed one, else the default."""
    if name in ready:
        return ready[name]
    attribute = prim.GetAttribute(prefix + name)
    composed = attribute.Get() if attribute else None
    prop = definition.by_name[name]
    return prop.default if composed is None and isinstance(prop, Attribute) else composed


def numbers_in(value: Any) -> list[float]:
    """Every number in a scalar, vector or array."""
    if value is None or isinstance(value, str):
        return []
    if isinstance(value, numbers.Real):
        return [float(value)]
    if isinstance(value, Gf.Quath | Gf.Quatf | Gf.Quatd):
        imaginary: Any = value.GetImaginary()
        return [value.GetReal(), *imaginary]
    return [number for item in value for number in numbers_in(item)]
