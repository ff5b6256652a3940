"""Generate the typed API, tokens and USD plugin from the YAML definitions in ``schema/``.

The steps, in order: :mod:`.load_yaml` reads a folder into the frozen classes of :mod:`.model`, :mod:`.validate` checks
what a single line cannot show, :mod:`.render` makes ``{relative path: text}`` of it, :mod:`.emit` compares or writes.
"""
