"""Hostile input by chance: a file for each kind, with what is drawn (CASES) and what has to hold of each case (hold).

`hold` raises whatever is wrong. What works, or ends in lines of this project's own errors, holds; any other exception
is a traceback that a user would see. `targets` lists the kinds, `campaign` runs many cases of them and counts, `guided`
looks for cases that reach lines no other case has reached.
"""
