"""Attributable risk: the part of a risk measure above what reference releases without the record's own values have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..types import Array


@dataclass(frozen=True)
class Attributable:
    """Risks of a release and of its references, per cent, by measure key.

    columns : the confidential variables compared; values, inference : of the release, and the inference baseline;
    id_values, id_inference (t,) : the interval disclosure of each column; records : how many records were compared.
    """

    columns: tuple[str, ...]

    values: Mapping[str, float]
    inference: Mapping[str, float]
    id_values: Array
    id_inference: Array
    records: int

    def of(self, key: str) -> float:
        """Attributable risk in percentage points.

        Parameters
        ----------
        key : str
            Of a risk measure. For dr and dr_informed it is 1/4 (DBRL - b)+ + 1/4 (PRL - b)+ + 1/2 mean_j (ID_j - b_j)+, b being
            each component's inference baseline and ( )+ the positive part; dr_informed has linkage_informed for DBRL.

        Returns
        -------
        float
            At least 0.
        """
        if key in ("dr", "dr_informed"):
            by_distance = "dbrl" if key == "dr" else "linkage_informed"
            return 0.25 * (self._above(by_distance) + self._above("prl")) + 0.5 * self._above("id")
        return self._above(key)

    def row(self, key: str, part: str) -> tuple[float | None, float | None]:
        """Inference baseline and attributable risk of a measure's total, or of a column's interval disclosure.

        Parameters
        ----------
        key, part : str
            As in the rows of a report.

        Returns
        -------
        tuple of float or None
            None where there is no baseline.
        """
        if part == "total" and key in self.inference:
            return self.inference[key], self.of(key)
        if key == "id" and part in self.columns:
            j = self.columns.index(part)
            return float(self.id_inference[j]), max(float(self.id_values[j] - self.id_inference[j]), 0.0)
        return None, None

    def _above(self, key: str) -> float:
        if key == "id":
            return float(np.maximum(self.id_values - self.id_inference, 0.0).mean())
        return max(self.values[key] - self.inference[key], 0.0)
