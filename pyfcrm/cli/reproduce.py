"""pyfcrm reproduce: printed and measured values side by side."""

import os
from dataclasses import replace

from ..arguments import whole_number
from ..errors import unknown_name
from ..files import write_text
from .options import Request, check_folder
from .show import document, print_lines, progress, table


def run(request: Request) -> int:
    """Run an experiment of the literature; printed and measured values side by side."""
    import pandas as pd

    from ..studies import STUDIES

    key, seeds, output = request.study, request.seeds, request.output
    if key not in STUDIES:
        raise unknown_name("reproduce", "study", key, STUDIES)
    study = STUDIES[key]
    if seeds is not None:
        study = replace(study, seeds=tuple(range(1, whole_number("reproduce", "seeds", seeds, low=1, high=1000) + 1)))
    if output is None and not request.json:
        output = f"pyfcrm-reproduce-{key}"
    inputs, file = [request.census or os.environ.get("PYFCRM_CENSUS")], f"{key}.csv"
    folder = None if output is None else check_folder(output, [file], inputs)
    data = study.load(request.census)
    with progress(study.title) as advance:
        measured = study.run(data, progress=advance)
    rows, notes = [{column: row.get(column) for column in study.columns} for row in measured], study.notes(measured)
    if request.json:
        document({"study": key, "title": study.title, "seeds": study.seeds, "rows": rows, "notes": notes})
    else:
        shown = {column: heading for column, heading in study.columns.items() if heading}
        table(study.title, list(shown.values()), [[row[column] for column in shown] for row in rows])
        print_lines("", *(f"- {note}" for note in notes))
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / file, pd.DataFrame(rows).to_csv(index=False))
        if not request.json:
            print_lines(f"tables: {folder / file}")
    return int(not study.holds(measured))
