"""What can be filed, from R. Oracle: the command line's own files. Identical."""

from __future__ import annotations

import pytest
from support.cli import people, pyfcrm
from support.r_package import r_with_fcrm, requires_r_package

pytestmark = [pytest.mark.r, requires_r_package]


def test_verify_release(tmp_path) -> None:
    people().to_csv(tmp_path / "in.csv", index=False)
    words = ["--method", "ipso", "--independent", "a,b", "--dependent", "c,d", "--manifest", tmp_path / "m.json"]
    assert pyfcrm("protect", tmp_path / "in.csv", "-o", tmp_path / "out.csv", *words).status == 0
    said = r_with_fcrm(
        f"""
        here <- function(name) file.path("{tmp_path}", name)
        found <- verify_release(here("m.json"), here("out.csv"), here("in.csv"))
        print(found)
        stopifnot(found$ok, nrow(as.data.frame(found)) == 3)
        cat("a", file = here("out.csv"), append = TRUE)
        print(verify_release(here("m.json"), here("out.csv")))
        cat(tryCatch(verify_release(here("none.json"), here("out.csv")), fcrm_invalid_input = conditionMessage), "\\n")
        """
    )
    assert "Verified.\n" in said
    assert "NOT VERIFIED.\n" in said
    assert "the manifest could not be read" in said
