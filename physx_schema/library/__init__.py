"""Work on a library of many assets: worker processes with limits, and a dataset of results.

`worker_pool` spreads items over processes, `content` hashes the layers of an asset, and `dataset` keeps results.
"""
