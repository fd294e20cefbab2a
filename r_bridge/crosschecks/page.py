"""A cross-check as one self-contained HTML page, without scripts or links."""

from html import escape

from .case import Row
from .coverage import by_reason
from .record import Record

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 84rem; padding: 0 1rem; color: #1b1b1b }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem; border-bottom: 1px solid #ddd }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
tr.FAIL td { background: #fbe3e0; font-weight: 600 } tr.undecided td { background: #fff4d6 } tr.skipped td { color: #6b6b6b }
@media print { body { margin: 0 } thead { display: table-header-group } tr { break-inside: avoid } }
"""
HEAD = ("what", "data", "Python", "R", "largest relative difference", "tolerance", "why that tolerance", "verdict")


def page(record: Record, time: str) -> str:
    """The page's text.

    record : the rows with their data and versions; time : as text. All inserted text is escaped.
    """
    facts = [("created", time)]
    for compared in record.compared:
        facts.append(("data", f"{compared.data.name}: {compared.described}"))
        facts.append(("SHA-256 of the data", compared.data.sha256))
        facts += [(role, ", ".join(names)) for role, names in compared.data.roles.items()]
    facts.append(("seed", str(record.seed)))
    facts += record.versions.items()
    facts += [(f"R file {file.name}", f"SHA-256 {file.sha256}") for file in record.r_files]
    about = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in facts)
    head = "".join(f"<th>{name}</th>" for name in HEAD)
    python_only = "".join(
        f"<tr><td>{escape(', '.join(names))}</td><td>{escape(reason)}</td></tr>"
        for reason, names in by_reason(record.python_only).items()
    )
    body = "\n".join(_row(row) for row in record.rows)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>pyfcrm against R</title><style>{STYLE}</style></head>
<body>
<h1>pyfcrm against R, number by number</h1>
<p>{escape(record.summary)} Each row is one computation done in Python and in R on the same data from the same seed. Of an
array the mean is shown, and the largest relative difference over all its entries. A tolerance of 0 means the same bits.</p>
<h2>Data and versions</h2>
<table>{about}</table>
<h2>Rows</h2>
<table><thead><tr>{head}</tr></thead>
<tbody>
{body}
</tbody></table>
<h2>Python only, called from R</h2>
<p>Without a reference implementation in R, therefore not compared.</p>
<table>{python_only}</table>
</body></html>
"""


def number(value: float | None, digits: int = 12) -> str:
    """A value with the digits that a reader compares, or a dash."""
    return "-" if value is None else f"{value:.{digits}g}"


def small(value: float | None) -> str:
    """A difference or a tolerance, or a dash."""
    if value is None:
        return "-"
    return f"{value:.1e}" if value else "0"


def _row(row: Row) -> str:
    """A row of the table; its class is the first part of the verdict."""
    numbers = (number(row.python), number(row.r), small(row.difference), small(row.tolerance))
    cells = "".join(f'<td class="number">{escape(text)}</td>' for text in numbers)
    return (
        f'<tr class="{escape(row.verdict.partition(":")[0])}"><td>{escape(row.what)}</td>'
        f"<td>{escape(row.data)}</td>{cells}"
        f"<td>{escape(row.reason)}</td><td>{escape(row.verdict)}</td></tr>"
    )
