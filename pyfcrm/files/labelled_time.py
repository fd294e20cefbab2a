"""The time of writing in SPSS, Stata and SAS files, set to a constant, so that one seed gives one file.

pyreadstat has no option for it. The places are those of the formats' own descriptions.
"""

import re
import struct
from collections.abc import Iterator

from ..errors import InvalidInput

# 1 January 1970, 00:00:00, as each format writes it, and what stands there otherwise.
_SPSS = (rb"(?s:.{17})", b"01 Jan 7000:00:00")  # the month is named in the language of the process
_STATA = (rb"\d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d", b"01 Jan 1970 00:00")
_SAS = (rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d", b"01JAN70:00:00:00")
_SPSS_AT = 92  # after record type, product, layout, sizes, compression, weight, cases and bias
_SAS_AT = (144, 160, 464, 480)  # library and member, made and changed
_STATA_WIDTH = {b"117": "<B", b"118": "<H", b"119": "<H"}  # of the length of the file's label


def timeless(path: str, kind: str, data: bytes) -> bytes:
    """The bytes of such a file as if it had been written on 1 January 1970 at midnight.

    path : for the message; kind : the extension. Raises InvalidInput where no time stands where the format has one.
    """
    places = {"sav": _spss, "zsav": _spss, "dta": _stata, "xpt": _sas}[kind](data)
    fixed = bytearray(data)
    try:
        for at, pattern, text in places:
            if re.fullmatch(pattern, data[at : at + len(text)]) is None:
                raise ValueError
            fixed[at : at + len(text)] = text
    except (ValueError, struct.error, KeyError) as error:
        rule = f"pyreadstat must write a .{kind} file's time where the format has it, so that it can be left out"
        raise InvalidInput(path, rule) from error
    return bytes(fixed)


Places = Iterator[tuple[int, bytes, bytes]]


def _spss(data: bytes) -> Places:
    if data[:4] not in (b"$FL2", b"$FL3"):
        raise ValueError
    yield _SPSS_AT, *_SPSS


def _sas(data: bytes) -> Places:
    for at in _SAS_AT:
        yield at, *_SAS


def _stata(data: bytes) -> Places:
    release = data[data.index(b"<release>") + 9 :][:3]
    label = data.index(b"<label>") + 7
    width = struct.calcsize(_STATA_WIDTH[release])
    (length,) = struct.unpack_from(_STATA_WIDTH[release], data, label)
    opening = b"</label><timestamp>\x11"  # 17 characters
    after = label + width + length
    if data[after : after + len(opening)] != opening:
        raise ValueError
    yield after + len(opening), *_STATA
