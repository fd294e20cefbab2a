"""How large a file the studio opens: judged from the file's own account of itself, before it is read."""

from __future__ import annotations

from pathlib import Path

from ..errors import InvalidInput
from ..files.size import size_of

# A cell is 8 bytes as a number and some 100 as text in Python, and is held two or three times over while a file is read and
# protected: 20 million cells are a few GB at the most, which the machines of an office have.
MOST_CELLS = 20_000_000
BYTES = 50  # of memory for each of these cells, before Python has made text of any: 1 GB
MOST_COLUMNS = 1000  # the page has a row for each


def cells(path: Path, most_cells: int = MOST_CELLS) -> int:
    """How many cells a file has, as far as can be said without reading it; 0 where nothing can.

    Raises InvalidInput, one sentence with the limit, for a file above the limits.
    """
    most_bytes = most_cells * BYTES
    size = size_of(str(path), most_cells, most_bytes)
    rule = given = ""
    if size.columns > MOST_COLUMNS:
        rule = f"the studio shows at most {MOST_COLUMNS:,} columns; `pyfcrm protect` takes wider files"
        given = f"{size.columns:,}"
    elif size.cells > most_cells:
        rule = (
            f"the studio opens at most {most_cells:,} cells, records times columns; `pyfcrm protect` takes larger files"
        )
        given = f"{size.rows:,} records of {size.columns:,} columns"
    elif size.bytes > most_bytes:
        rule = f"the studio opens files of at most {most_bytes // 10**6:,} MB in memory; `pyfcrm protect` takes larger ones"
        given = f"{size.bytes // 10**6:,} MB or more"
    if rule:
        raise InvalidInput(path.name, rule, given)
    return size.cells
