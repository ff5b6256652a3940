"""What the schemas of a prim define, by the definitions of a package: parents, built-ins and former names included."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from physx_generated import Definition
from physx_generated._definition import Property


class Standing:
    """The definitions of a package, asked by the names that stand on prims."""

    def __init__(
        self, definitions: Mapping[str, Definition], former: Mapping[str, str], traced: Container[str] = (),
    ) -> None:
        self.definitions = definitions
        self.former = former                # name of a renamed class to its present one
        # What properties of renamed classes are and were called below prefixes that nothing tells, by present name.
        self.last_words = {name: _last_words(definitions[name]) for name in former.values() if name not in traced}
        self.words = frozenset().union(*self.last_words.values())

    def all_of(self, names: Iterable[str]) -> set[str]:
        """Types and applied schemas with their parents and built-ins, renamed ones under their present names too.

        Applied schemas are named as in apiSchemas.
        """
        found: set[str] = set()
        waiting = [name for name in names if name]
        while waiting:
            applied = waiting.pop()
            if applied in found:
                continue
            found.add(applied)
            schema, colon, instance = applied.partition(":")
            present = self.former.get(schema)
            waiting += [present + colon + instance] if present else []
            waiting += self._brought(schema, instance)
        return found

    def _brought(self, schema: str, instance: str) -> list[str]:
        """What comes with a schema: parents, and built-ins, whose instance names go below its own."""
        definition = self.definitions.get(schema)
        if definition is None:
            return []
        inside = [other.identifier + (f":{instance}" if other.prefix else "") for other in definition.inherited]
        for entry in definition.includes:
            name, _, own = entry.partition(":")
            both = ":".join(filter(None, (instance if definition.prefix else "", own)))
            inside.append(f"{name}:{both}" if both else name)
        return inside

    def properties(self, applied: Iterable[str]) -> dict[str, Property]:
        """Full name of every property that these schemas define, to its definition."""
        found: dict[str, Property] = {}
        for entry in applied:
            schema, _, instance = entry.partition(":")
            definition = self.definitions.get(schema)
            if definition is None or self.misapplied(entry):
                continue
            start = definition.start(instance)
            found |= {start + prop.name: prop for prop in (*definition.properties, *definition.retired_properties)}
        return found

    def claiming(self, name: str, applied: Iterable[str]) -> str:
        """The schema in whose namespace a property lies, one of these first; empty where it is in none of theirs."""
        space = name.rpartition(":")[0]
        for entry in (*sorted(applied), *sorted(self.definitions)):
            schema, _, instance = entry.partition(":")
            definition = self.definitions.get(schema)
            if definition is None:
                continue
            if definition.prefix and name.startswith(f"{definition.prefix}:{instance}".rstrip(":") + ":"):
                return entry
            if not definition.prefix and space in {other.rpartition(":")[0] for other in definition.by_name} - {""}:
                return entry
        return ""

    def owner(self, name: str) -> str:
        """The schema, on the prim or not, that has a property of this name; empty where none has."""
        for identifier, definition in sorted(self.definitions.items()):
            if not definition.prefix and name in definition.own:
                return identifier
            rest = name.removeprefix(f"{definition.prefix}:") if definition.prefix else name
            if rest == name:
                continue
            if rest in definition.own:
                return identifier
            base = next((base for base in definition.own if rest.endswith(f":{base}")), "")
            if base:
                return f"{identifier}:{rest.removesuffix(f':{base}')}"
        return ""

    def misapplied(self, entry: str) -> bool:
        """Whether an entry of apiSchemas has an instance name and must not, or has none and must."""
        schema, _, instance = entry.partition(":")
        definition = self.definitions.get(schema)
        return definition is not None and bool(definition.prefix) != bool(instance)

    def renamed(self, name: str, applied: Iterable[str]) -> str:
        """The renamed class among these that has a property like this one in another namespace; empty where none has.

        The namespace that a class had before its own name changed stands in no definition.
        """
        last = name.rpartition(":")[2]
        found = (entry.partition(":")[0] for entry in sorted(applied))
        return next((schema for schema in found if last in self.last_words.get(schema, ())), "")

    def is_view(self, schema: str) -> bool:
        """Whether a schema is on every prim, as one that is not applied is."""
        definition = self.definitions.get(schema)
        return definition is not None and definition.kind == "non-applied"


def _last_words(definition: Definition) -> frozenset[str]:
    """The last parts of the names that properties have and had."""
    names = {name for prop in definition.properties for name in (prop.name, prop.renamed_from)}
    return frozenset(name.rpartition(":")[2] for name in names) - {""}
