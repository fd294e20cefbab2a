"""Attribute disclosure and domains from R. Oracle: Python's own report of the same frame. Identical."""

import pandas as pd
import pytest
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf

pytestmark = [pytest.mark.r, requires_r_package]


def test_the_same_values_from_r(tmp_path):
    before = pf.datasets.survey(n=200, seed=3)
    after = before.assign(tax=before["tax"].to_numpy()[::-1], wage=before["wage"] // 2)
    for name, frame in (("before", before), ("after", after)):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    measures = ["pil", "rep_u", "disco", "dcap", "tcap"]
    options = {"keys": ["region", "age"], "targets": ["wage", "tax"], "domains": "size"}
    expected = pf.evaluate(before, after, ["wage", "tax"], measures, target_groups=5, key_groups=6, **options)
    r_with_fcrm(
        f"""
        frames <- lapply(c("before", "after"), function(name)
          read.csv(file.path("{tmp_path}", paste0(name, ".csv")), na.strings = ""))
        report <- evaluate(frames[[1]], frames[[2]], c("wage", "tax"), c("pil", "rep_u", "disco", "dcap", "tcap"),
          keys = c("region", "age"), targets = c("wage", "tax"), domains = "size", target_groups = 5, key_groups = 6)
        write.csv(as.data.frame(report)[c("measure", "part", "value")], file.path("{tmp_path}", "rows.csv"), row.names = FALSE)
        """
    )
    found = pd.read_csv(tmp_path / "rows.csv")
    target = expected.to_frame()[["measure", "part", "value"]]
    assert found[["measure", "part"]].to_numpy().tolist() == target[["measure", "part"]].to_numpy().tolist()
    assert found["value"].to_numpy() == pytest.approx(target["value"].to_numpy(), rel=1e-14)  # as text in the file
