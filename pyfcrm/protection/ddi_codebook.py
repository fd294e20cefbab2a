"""A codebook as XML of DDI-Codebook 2.5, the standard of data archives.

The order of elements is the standard's. Elements and attributes: ddialliance.org, DDI-Codebook 2.5, field level documentation.
"""

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from .codebook_facts import ColumnFacts
from .data_dictionary import RELATIONS, Codebook
from .released_values import level_text

NAMESPACE = "ddi:codebook:2_5"
SCHEMA = "http://www.ddialliance.org/Specification/DDI-Codebook/2.5/XMLSchema/codebook.xsd"
FILE = "F1"  # the only file of a codebook
WEIGHTS = ("survey weight", "replicate weight")
NUMBERS = ("integer", "float")
TIMES = {"date": "date", "datetime": "date", "time": "time"}
NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # characters that XML 1.0 cannot have
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def ddi_text(book: Codebook, columns: list[ColumnFacts]) -> str:
    """The codebook as a document of DDI-Codebook 2.5. columns : of the codebook, in its order."""
    root = Element(
        "codeBook",
        {
            "xmlns": NAMESPACE,
            "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
            "xsi:schemaLocation": f"{NAMESPACE} {SCHEMA}",
            "version": "2.5",
        },
    )
    _add_study(root, book)
    size = SubElement(SubElement(SubElement(root, "fileDscr", {"ID": FILE}), "fileTxt"), "dimensns")
    _add(size, "caseQnty", str(book.records))
    _add(size, "varQnty", str(len(columns)))
    data = SubElement(root, "dataDscr")
    for position, column in enumerate(columns, 1):
        _add_variable(data, position, column)
    for relation in book.relations:
        _add(data, "notes", relation, subject=RELATIONS)
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _add_study(root: Element, book: Codebook) -> None:
    """The title, the product, and how the release was protected."""
    study = SubElement(root, "stdyDscr")
    titles = SubElement(SubElement(study, "citation"), "titlStmt")
    _add(titles, "titl", f"Protected microdata: {book.records:,} records, {len(book.variables):,} variables")
    _add(SubElement(study, "stdyInfo"), "notes", book.product, subject="product")
    _add(SubElement(study, "method"), "dataProcessing", f"Protected by {book.method}", type="disclosure control")


def _add_variable(data: Element, position: int, column: ColumnFacts) -> None:
    """One variable, in the standard's order of elements."""
    described = column.variable
    values = column.values
    is_number = column.kind in NUMBERS
    attributes = {
        "ID": f"V{position}",
        "name": _clean(described.name),
        "files": FILE,
        "intrvl": "contin" if is_number and not values.levels else "discrete",
    }
    if described.role in WEIGHTS:
        attributes["wgt"] = "wgt"
    variable = SubElement(data, "var", attributes)
    if described.label:
        _add(variable, "labl", described.label)
    if column.codes:
        invalid = SubElement(variable, "invalrng")
        for code in column.codes:
            units = "REAL" if is_number and "." in code else "INT"
            SubElement(invalid, "item", {"VALUE": _clean(code), "UNITS": units})
    if column.missing is not None:
        _add(variable, "sumStat", str(column.records - column.missing), type="vald")
        _add(variable, "sumStat", str(column.missing), type="invd")
    for percentile in values.percentiles:
        _add(
            variable,
            "sumStat",
            level_text(percentile.value),
            type="other",
            otherType=f"percentile-{percentile.per_cent}",
        )
    for level in values.levels:
        category = SubElement(variable, "catgry")
        _add(category, "catValu", level_text(level.value))
        if level.label:
            _add(category, "labl", level.label)
        if level.per_cent:
            _add(category, "catStat", str(level.per_cent), type="percent")
    _add(SubElement(variable, "derivation"), "drvdesc", described.treatment)
    form = {"type": "numeric" if is_number else "character", "schema": "other", "formatname": column.kind}
    if column.kind in TIMES:
        form["category"] = TIMES[column.kind]
    SubElement(variable, "varFormat", form)
    _add(variable, "notes", described.role, subject="role")


def _add(parent: Element, tag: str, text: str, **attributes: str) -> None:
    """A new element with a text."""
    SubElement(parent, tag, attributes).text = _clean(text)


def _clean(text: str) -> str:
    """A text without the characters that XML cannot have. The library escapes the others."""
    return NO_XML.sub(REPLACEMENT, text)
