"""The releases of ovphysx that a stage may be for."""

RELEASES = ("0.5", "0.6", "0.7")
LATEST = RELEASES[-1]       # the one that this library reads stages and steps as
