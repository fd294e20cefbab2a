"""The time of writing in SPSS, Stata and SAS files, set to a constant, so that one seed gives one file.

pyreadstat has no option for it. The places are those of the formats' own descriptions.
"""

import re

from ..errors import InvalidInput

# What each format writes, and 1 January 1970, 00:00:00 in its form.
_SPSS = (rb"(?s:.{17})", b"01 Jan 7000:00:00")  # the month is named in the language of the process
_STATA = (rb"\d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d", b"01 Jan 1970 00:00")
_SAS = (rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d", b"01JAN70:00:00:00")
_SPSS_PLACE = 92  # after record type, product, layout, sizes, compression, weight, cases and bias
_SAS_PLACES = (144, 160, 464, 480)  # library and member, made and changed
_LABEL, _TIMESTAMP = b"<label>", b"</label><timestamp>\x11"  # 17 characters


def timeless(path: str, kind: str, data: bytes) -> bytes:
    """The bytes of such a file as if it had been written on 1 January 1970 at midnight.

    path : for the message; kind : the extension. Raises InvalidInput where no time stands where the format has one.
    """
    if kind == "dta":
        places, (pattern, text) = [_place_in_stata(data)], _STATA
    elif kind == "xpt":
        places, (pattern, text) = [*_SAS_PLACES], _SAS
    else:
        places, (pattern, text) = [_SPSS_PLACE if data.startswith((b"$FL2", b"$FL3")) else len(data)], _SPSS
    for at in places:
        if re.fullmatch(pattern, data[at : at + len(text)]) is None:
            rule = f"pyreadstat must write a .{kind} file's time where the format has it, so that it can be left out"
            raise InvalidInput(path, rule)
        data = data[:at] + text + data[at + len(text) :]
    return data


def _place_in_stata(data: bytes) -> int:
    """After the file's label, whose length comes first, in two bytes; the end of the file where there is no time."""
    start = data.find(_LABEL) + len(_LABEL)
    label = start + 2 + int.from_bytes(data[start : start + 2], "little")
    return label + len(_TIMESTAMP) if data.startswith(_TIMESTAMP, label) else len(data)
