"""find_structure() and the model release from R. Oracle: Python's own, of the same frame. Identical."""

import numpy as np
import pandas as pd
import pytest
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf

pytestmark = [pytest.mark.r, requires_r_package]


def test_the_same_from_r(tmp_path):
    text = r_with_fcrm(
        f"""
        df <- enterprises(300)
        print(find_structure(df))
        kept <- c("EMPLOYEES", "AGE", "ASSETS"); amounts <- c("PAYROLL", "EXPORTS", "INVESTMENT")
        released <- protect(df, fcrm(c = NULL, release = "model"), kept, amounts, seed = 1)
        write.csv(as.data.frame(released), file.path("{tmp_path}", "released.csv"), row.names = FALSE)
        cat(tryCatch(protect(df, fcrm(c = NULL), kept, amounts), error = conditionMessage), "\\n")
        """
    )
    frame = pf.datasets.enterprises(300)
    roles = pf.Roles(["EMPLOYEES", "AGE", "ASSETS"], ["PAYROLL", "EXPORTS", "INVESTMENT"])
    assert "\n".join(pf.find_structure(frame).describe()) in text
    expected = pf.protect(frame, pf.FCRM(None, release="model"), roles, seed=1).frame
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "released.csv"), expected)
    assert "`c` must be given unless release" in text


def test_what_was_accepted_holds_in_a_release_from_r(tmp_path):
    """Oracle: protect() and protect_file() with the same proposals. Identical numbers, and bytes."""
    frame, source = pf.datasets.enterprises(300), tmp_path / "in.csv"
    frame.to_csv(source, index=False)
    kept, amounts = ["EMPLOYEES", "AGE"], ["TURNOVER", "PURCHASES", "PAYROLL", "SURPLUS", "EXPORTS"]
    text = r_with_fcrm(
        f"""
        df <- read_table("{source}")
        stopifnot(identical(df, as.data.frame(enterprises(300))))
        kept <- c("EMPLOYEES", "AGE"); amounts <- c("TURNOVER", "PURCHASES", "PAYROLL", "SURPLUS", "EXPORTS")
        found <- find_structure(df, kept, amounts)
        some <- found[found$kind %in% c("identity", "at_most"), ]
        print(some)
        for (k in 1:2) {{
          released <- protect(df, ipso("C"), kept, amounts, seed = 1, structure = list(some, "find")[[k]])
          write.csv(released, file.path("{tmp_path}", paste0(k, ".csv")), row.names = FALSE)
        }}
        protect_file("{source}", "{tmp_path}/file.csv", ipso("C"), kept, amounts, seed = 1, structure = some)
        for (wrong in list(TRUE, df, 3)) {{
          cat(tryCatch(protect(df, ipso("C"), kept, amounts, structure = wrong), error = conditionMessage), "\n")
        }}
        """
    )
    roles = pf.Roles(kept, amounts)
    some = pf.find_structure(frame, roles).of_kind("identity", "at_most")
    assert "\n".join(some.describe()) in text
    for k, accepted in enumerate([some, "find"], 1):
        expected = pf.protect(frame, pf.IPSO("C"), roles, seed=1, structure=accepted).frame
        pd.testing.assert_frame_equal(pd.read_csv(tmp_path / f"{k}.csv"), expected)
    pf.protect_file(str(source), str(tmp_path / "ours.csv"), pf.IPSO("C"), roles, seed=1, structure=some)
    assert (tmp_path / "file.csv").read_bytes() == (tmp_path / "ours.csv").read_bytes()
    assert text.count("protect: `structure` must be rows of a result of find_structure()") == 3


def test_a_file_is_read_as_python_reads_it(tmp_path):
    """Oracle: pf.read_table(), and the labels written here."""
    import pyreadstat as savings

    frame = pd.DataFrame({"sex": [1, 2, 2], "pay": [1.5, np.nan, 3.0], "code": ["007", "", "9"], "big": [2**40, 1, 2]})
    frame.to_csv(tmp_path / "a.csv", index=False)
    labels = {"variable_value_labels": {"sex": {1: "male", 2: "female"}}, "column_labels": {"pay": "a month"}}
    savings.write_sav(frame.drop(columns="big"), tmp_path / "a.sav", **labels)
    lines = r_with_fcrm(
        f"""
        df <- read_table("{tmp_path}/a.csv")
        cat(sapply(df, typeof), df$big[1] == 2^40, is.na(df$pay[2]), df$code[1], "\n")
        labelled <- read_table("{tmp_path}/a.sav")
        cat(attr(labelled$pay, "label"), names(attr(labelled$sex, "labels")), unclass(labelled$sex), class(labelled$sex)[1], "\n")
        cat(tryCatch(read_table("{tmp_path}/none.csv"), error = conditionMessage), "\n")
        cat(tryCatch(read_table(7), error = conditionMessage), "\n")
        cat(tryCatch(read_table("{tmp_path}/a.csv", col_names = TRUE), error = conditionMessage), "\n")
        """
    ).splitlines()
    assert lines[0].split() == ["integer", "double", "character", "double", "TRUE", "TRUE", "007"]
    assert lines[1] == "a month male female 1 2 2 haven_labelled "
    assert "there is no such file" in lines[2]
    assert lines[3].startswith("read_table: `path` must be the path of a file; got")
    assert "takes no further argument; got col_names" in lines[4]
