"""The plain twin of data.codes: each cell looked up by itself in a dict."""


def plain_codes(cells, seen):
    """The number of each cell's value, as first met; -1 for None and what is not equal to itself."""
    return [-1 if v is None or v != v else seen.setdefault(v, len(seen)) for v in cells]
