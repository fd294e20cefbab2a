"""The tables as printed in the thesis and the paper: facts to stand beside what is measured.

Each row: setting, F.O. (the stopping quantity max|U'-U|), PIL, DR, SCORE; all but F.O. in per cent.
Source: thesis, tables 5 to 8; Cano and Torra (2009), tables II and III.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Printed:
    """One printed row; fo is None where the table has a dash."""

    fo: float | None
    pil: float
    dr: float
    score: float


TABLE_5 = {
    2: Printed(1.09e-4, 40.41, 5.88, 23.15),
    3: Printed(1.62e-4, 30.3, 6.09, 18.2),
    4: Printed(4.63e-3, 23.97, 8.03, 16.0),
    5: Printed(1.46e-4, 20.11, 9.27, 14.69),
    6: Printed(1.67e-4, 18.89, 9.98, 14.43),
    7: Printed(1.07e-4, 15.96, 15.12, 15.54),
    8: Printed(3.66e-3, 15.24, 16.17, 15.7),
    9: Printed(1.12e-3, 14.22, 21.92, 18.07),
    10: Printed(1.09e-1, 12.79, 22.48, 17.64),
}

TABLE_6 = {
    2: Printed(0.184, 44.677, 9.583, 27.13),
    3: Printed(0.005, 32.614, 12.294, 22.454),
    4: Printed(0.078, 26.668, 14.791, 20.73),
    5: Printed(0.195, 21.797, 16.9516, 19.374),
    6: Printed(0.104, 18.357, 17.137, 17.747),
    7: Printed(0.191, 16.249, 18.791, 17.52),
    8: Printed(0.031, 13.495, 20.492, 16.994),
    9: Printed(0.683, 12.941, 22.999, 17.97),
    10: Printed(0.362, 11.424, 24.256, 17.84),
    11: Printed(0.295, 10.249, 24.255, 17.252),
    12: Printed(0.993, 9.104, 23.969, 16.536),
    13: Printed(0.405, 8.449, 25.374, 16.912),
    14: Printed(0.208, 8.551, 25.408, 16.98),
    15: Printed(0.753, 7.164, 26.970, 17.067),
}
TABLE_6_IPSO = {
    "A": Printed(None, 49.163, 10.044, 29.603),
    "B": Printed(None, 49.164, 10.04, 29.602),
    "C": Printed(None, 9.522, 6.392, 7.957),
}

TABLE_7 = {
    2: Printed(0.999945, 94.053, 6.210, 50.132),
    4: Printed(0.999999966, 81.792, 6.428, 44.110),
    5: Printed(0.999999715, 61.834, 7.782, 34.808),
    6: Printed(0.999999995, 72.550, 7.424, 39.987),
    8: Printed(0.999995425, 59.113, 10.152, 34.633),
    9: Printed(0.9999968, 38.990, 11.042, 25.016),
    10: Printed(9.917e-6, 49.157, 9.261, 29.209),
    14: Printed(0.999895297, 42.246, 11.710, 26.978),
    18: Printed(0.999992791, 43.083, 15.407, 29.245),
    20: Printed(0.999993721, 31.422, 11.454, 21.438),
    22: Printed(0.999995385, 35.233, 13.895, 24.564),
    24: Printed(0.999910478, 29.362, 16.184, 22.773),
    26: Printed(0.999999944, 24.750, 15.186, 19.968),
    28: Printed(0.999999785, 23.098, 17.857, 20.478),
    30: Printed(0.999713871, 25.222, 17.376, 21.299),
    34: Printed(0.967993197, 21.397, 16.296, 18.847),
    45: Printed(4.70034e-25, 17.606, 19.612, 18.609),
    56: Printed(0.999999909, 13.541, 22.085, 17.813),
    77: Printed(0.999832048, 12.751, 25.257, 19.004),
    81: Printed(0.999997699, 11.895, 24.662, 18.279),
}
TABLE_7_IPSO = {
    "A": Printed(None, 44.44, 14.493, 29.467),
    "B": Printed(None, 44.441, 14.493, 29.467),
    "C": Printed(None, 17.037, 11.022, 14.029),
}

# By (c, number of independent attributes), rounded here to three decimals. The table goes on to 19 independent
# attributes, which a file of 13 columns does not have; those rows are left out.
TABLE_8 = {
    (2, 1): Printed(None, 63.961, 4.273, 34.117),
    (2, 2): Printed(None, 60.633, 5.142, 32.887),
    (2, 3): Printed(None, 56.264, 5.279, 30.771),
    (2, 4): Printed(None, 54.397, 5.861, 30.129),
    (2, 5): Printed(None, 52.566, 6.726, 29.646),
    (2, 6): Printed(None, 49.924, 6.670, 28.297),
    (2, 7): Printed(None, 46.432, 7.271, 26.852),
    (2, 8): Printed(None, 46.183, 7.421, 26.802),
    (2, 9): Printed(None, 45.136, 7.932, 26.534),
    (2, 10): Printed(None, 39.948, 9.594, 24.771),
    (2, 11): Printed(None, 36.946, 10.742, 23.844),
    (2, 12): Printed(None, 35.483, 10.602, 23.043),
    (4, 1): Printed(None, 49.033, 8.845, 28.939),
    (4, 2): Printed(None, 45.233, 9.482, 27.358),
    (4, 3): Printed(None, 39.305, 10.336, 24.820),
    (4, 4): Printed(None, 36.241, 11.574, 23.908),
    (4, 5): Printed(None, 32.960, 12.422, 22.691),
    (4, 6): Printed(None, 31.708, 13.381, 22.545),
    (4, 7): Printed(None, 30.317, 14.287, 22.302),
    (4, 8): Printed(None, 28.963, 14.421, 21.692),
    (4, 9): Printed(None, 28.231, 13.796, 21.013),
    (4, 10): Printed(None, 23.769, 16.004, 19.886),
    (4, 11): Printed(None, 22.383, 18.209, 20.296),
    (4, 12): Printed(None, 20.786, 18.596, 19.691),
}
