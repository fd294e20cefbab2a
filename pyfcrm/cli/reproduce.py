"""pyfcrm reproduce: printed and measured values side by side."""

import os

from ..arguments import whole_number
from ..errors import unknown_name
from ..files import write_text
from .options import Request, check_folder
from .show import document, print_lines, progress, table


def run(request: Request) -> int:
    """Run an experiment of the literature; printed and measured values side by side."""
    import pandas as pd

    from ..studies import STUDIES

    study, seeds, output = request.study, request.seeds, request.output
    if study not in STUDIES:
        raise unknown_name("reproduce", "study", study, STUDIES)
    chosen = STUDIES[study]
    numbers = None if seeds is None else range(1, whole_number("reproduce", "seeds", seeds, low=1, high=1000) + 1)
    if output is None and not request.json:
        output = f"pyfcrm-reproduce-{study}"
    inputs = [request.census or os.environ.get("PYFCRM_CENSUS")]
    folder = None if output is None else check_folder(output, chosen.files, inputs)
    data = chosen.load(request.census)
    with progress(chosen.title) as advance:
        outcome = chosen.reproduce(data, None if numbers is None else tuple(numbers), advance)
    if request.json:
        head = {"study": study, "title": chosen.title, "seeds": outcome.seeds, "rows": outcome.rows}
        document({**head, **outcome.more, "notes": outcome.notes})
    else:
        for sheet in outcome.sheets:
            table(sheet.title, sheet.head, sheet.cells)
            print_lines("")
        print_lines(*(f"- {line}" for line in outcome.notes))
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for name, rows in outcome.tables.items():
            write_text(folder / name, pd.DataFrame(rows).to_csv(index=False))
        if not request.json:
            print_lines(f"tables: {', '.join(str(folder / name) for name in outcome.tables)}")
    return int(not outcome.holds)
