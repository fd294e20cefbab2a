"""Replicate weights: R, Python and the shell propose the same roles, and give the same release and verdict.

Oracle: the other two languages. Grade: identical.
"""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from support.cli import pyfcrm_process
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf

pytestmark = [pytest.mark.r, requires_r_package]


def test_replicate_weights_in_three_interfaces(tmp_path):
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(60), 5)
    weight = rng.integers(800, 5000, 300) / 4
    frame = pd.DataFrame({"region": cluster // 15, "wage": rng.integers(300, 9000, 300) / 4, "PERWT": weight})
    frame = frame.assign(**{f"REPWTP{k}": weight * rng.integers(0, 2, 60)[cluster] * 2 for k in range(1, 9)})
    frame.to_csv(tmp_path / "in.csv", index=False)
    roles = pf.suggest_roles(frame)
    assert roles.replicate_weights == tuple(frame.columns[3:])
    released = pf.protect(frame, pf.IPSO("C"), roles, seed=1)
    kept = pf.evaluate(frame, released, measures="pil").kept

    written = r_with_fcrm(
        """
        df <- read.csv(commandArgs(TRUE)[1])
        roles <- suggest_roles(df)
        cat(roles$role, "\\n")
        weights <- paste0("REPWTP", 1:8)
        one <- suppressWarnings(protect(df, ipso("C"), roles, seed = 1))
        two <- suppressWarnings(protect(df, ipso("C"), "region", "wage", weight = "PERWT", replicate_weights = weights, seed = 1))
        stopifnot(identical(one$wage, two$wage), identical(one[weights], df[weights]))
        cat(sprintf("%a", one$wage), "\\n")
        alone <- attr(suppressWarnings(evaluate(df, two, measures = "pil")), "kept")$alone
        cat(alone[["replicate weights"]], alone[["region"]], "\\n")
        """,
        tmp_path / "in.csv",
    ).splitlines()
    assert written[0].split() == roles.to_frame()["role"].tolist()
    assert [float.fromhex(word) for word in written[1].split()] == released.frame["wage"].tolist()
    assert [*map(int, written[2].split())] == [kept.alone["replicate weights"], kept.alone["region"]]

    proposed = pyfcrm_process("roles", "in.csv", "--json", cwd=tmp_path)
    (tmp_path / "roles.json").write_text(proposed.out)
    assert [row["role"] for row in json.loads(proposed.out)["rows"]] == roles.to_frame()["role"].tolist()
    pyfcrm_process(
        "protect",
        "in.csv",
        "--roles",
        "roles.json",
        "--method",
        "ipso",
        "--set",
        "kind=C",
        "--seed",
        "1",
        "-o",
        "a.csv",
        cwd=tmp_path,
    )
    pyfcrm_process(
        "protect", "in.csv", "--independent", "region", "--dependent", "wage", "--weight", "PERWT", "--replicate-weights",
        ",".join(roles.replicate_weights), "--method", "ipso", "--set", "kind=C", "--seed", "1", "-o", "b.csv", cwd=tmp_path,
    )  # fmt: skip
    first, second = pd.read_csv(tmp_path / "a.csv"), pd.read_csv(tmp_path / "b.csv")
    pd.testing.assert_frame_equal(first, second)
    assert first["wage"].tolist() == released.frame["wage"].tolist()


def test_roles_of_a_public_use_file_in_three_interfaces(tmp_path):
    """Identical: R, Python and the shell propose every column but the identifier as confidential."""
    frame = pf.datasets.survey(200)
    frame.to_csv(tmp_path / "in.csv", index=False)
    roles = [pf.suggest_roles(frame, product="public").role_of(name) for name in frame.columns]
    assert roles == ["identifiers"] + ["dependent"] * (len(frame.columns) - 1)
    written = r_with_fcrm(
        'cat(suggest_roles(read.csv(commandArgs(TRUE)[1]), product = "public")$role)', tmp_path / "in.csv"
    )
    assert written.split()[-len(roles) :] == roles
    shell = json.loads(pyfcrm_process("roles", "in.csv", "--product", "public", "--json", cwd=tmp_path).out)
    assert [row["role"] for row in shell["rows"]] == roles
