"""recode_search() in R: the search of Python, and steps that release the same file. Grade: identical."""

import pandas as pd
import pytest
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf

pytestmark = [pytest.mark.r, requires_r_package]
KEYS = ["age", "region", "job", "size"]


def test_search_and_release_are_those_of_python(tmp_path):
    path = tmp_path / "in.csv"
    frame = pf.datasets.survey(400).dropna()
    jobs = [["a11", "a12", "b11", "b21"][age % 4] for age in frame["age"]]
    frame.assign(job=jobs).drop(columns=["stratum", "weight"]).to_csv(path, index=False)
    frame = pd.read_csv(path)
    sizes = [[size, "1-2" if size < 3 else "3+", "*"] for size in range(1, 9)]
    hierarchies = {"age": {"cuts": [[30, 45, 60], [45]]}, "job": {"digits": [2, 1]}, "size": sizes}
    roles = pf.Roles(identifiers=["name"], unknown=["hours"])
    found = pf.recode_search(frame, KEYS, hierarchies, 5, t=0.5, targets="wage", roles=roles)
    out = r_with_fcrm(
        """
        paths <- commandArgs(TRUE)
        df <- read.csv(paths[1])
        sizes <- data.frame(size = 1:8, group = ifelse(1:8 < 3, "1-2", "3+"), all = "*")
        levels <- list(age = list(cuts = list(c(30, 45, 60), 45)), job = list(digits = c(2, 1)), size = sizes)
        found <- recode_search(df, c("age", "region", "job", "size"), levels, k = 5, t = 0.5, targets = "wage",
                               roles = list(identifiers = "name", unknown = "hours"))
        print(found)
        cat(attr(found, "levels"), attr(found, "suppressed"), nrow(found), "\\n")
        released <- suppressMessages(protect(df, attr(found, "steps"), seed = 1))
        write.csv(released, paths[2], row.names = FALSE, na = "")
        cat(class(tryCatch(recode_search(df, "age", list(age = list(digits = 1:2)), 5), fcrm_error = identity))[1], "\\n")
        cat(class(tryCatch(recode_search(df, "agee", list(age = list(digits = 2)), 5), fcrm_error = identity))[1], "\\n")
        """,
        path,
        tmp_path / "out.csv",
    )
    printed, counts, *refused = out.rstrip().rsplit("\n", 3)
    assert printed == str(found)
    assert counts.split() == [str(count) for count in (*found.levels.values(), found.suppressed, len(found.path))]
    assert [line.strip() for line in refused] == ["fcrm_invalid_parameter", "fcrm_invalid_input"]
    released = pf.protect(frame, found.steps, seed=1).frame
    ours, theirs = (
        file.astype(object).where(file.notna(), "").astype(str)
        for file in (released, pd.read_csv(tmp_path / "out.csv", dtype=str))
    )
    assert ours.reset_index(drop=True).equals(theirs[list(ours)].reset_index(drop=True))
