"""What can be filed, from R. Oracle: the command line's own files. Identical."""

import json

import pytest
from support.cli import people, pyfcrm
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf

pytestmark = [pytest.mark.r, requires_r_package]


def protect(folder):
    """A file with its release and manifest."""
    people().to_csv(folder / "in.csv", index=False)
    words = ["--method", "ipso", "--independent", "a,b", "--dependent", "c,d", "--manifest", folder / "m.json"]
    assert pyfcrm("protect", folder / "in.csv", "-o", folder / "out.csv", *words).status == 0


def test_verify_release(tmp_path):
    protect(tmp_path)
    text = r_with_fcrm(
        f"""
        path <- function(name) file.path("{tmp_path}", name)
        found <- verify_release(path("m.json"), path("out.csv"), path("in.csv"))
        print(found)
        stopifnot(found$ok, nrow(as.data.frame(found)) == 3)
        cat("a", file = path("out.csv"), append = TRUE)
        print(verify_release(path("m.json"), path("out.csv")))
        cat(tryCatch(verify_release(path("none.json"), path("out.csv")), fcrm_invalid_input = conditionMessage), "\\n")
        """
    )
    assert "Verified.\n" in text
    assert "NOT VERIFIED.\n" in text
    assert "the manifest could not be read" in text


def test_dossier(tmp_path):
    """The shell's dossier of the same files: equal facts. verify_release() checks both files of it."""
    protect(tmp_path)
    text = r_with_fcrm(
        f"""
        path <- function(name) file.path("{tmp_path}", name)
        board <- dossier(path("in.csv"), path("out.csv"), path("m.json"), path("r.html"), purpose = "a course", audit = FALSE,
                         limits = list(dr = 15))
        print(board)
        stopifnot(identical(board$files, path(c("r.html", "r.json"))), "question" %in% names(as.data.frame(board)))
        stopifnot(verify_release(path("m.json"), path("out.csv"), dossier = path("r.html"))$ok)
        cat("a", file = path("r.html"), append = TRUE)
        stopifnot(!verify_release(path("m.json"), path("out.csv"), dossier = path("r.json"))$ok)
        refused <- function(...) tryCatch(dossier(path("in.csv"), path("out.csv"), path("m.json"), ...), fcrm_error = conditionMessage)
        cat(refused(path("x.html"), purpose = 3), "\n")
        cat(refused(path("x.txt")), "\n")
        """
    )
    words = [
        "report",
        "in.csv",
        "out.csv",
        "-o",
        "s.html",
        "--dossier",
        "--manifest",
        "m.json",
        "--purpose",
        "a course",
    ]
    files = [str(tmp_path / word) if "." in word else word for word in words]
    assert pyfcrm(*files, "--limit", "dr=15").status == 0
    of_r, of_shell = (json.loads((tmp_path / name).read_text(encoding="utf-8")) for name in ("r.json", "s.json"))
    assert of_r["dossier"] == of_shell["dossier"]
    assert "Questions without an answer:" in text
    assert "must be one text each" in text
    assert "extension must be one of .html, .json" in text


def test_dossier_of_copies(tmp_path):
    """The shell's dossier of the same copies: equal facts."""
    people().to_csv(tmp_path / "in.csv", index=False)
    text = r_with_fcrm(
        f"""
        path <- function(name) file.path("{tmp_path}", name)
        suppressMessages(protect_file(path("in.csv"), path("out.csv"), gadp(), c("a", "b"), c("c", "d"), seed = "fresh",
                                      manifest = path("m.json"), copies = 2))
        of_copies <- function(copies) dossier(path("in.csv"), path("out.csv"), path("m.json"), path("r.html"), audit = FALSE,
                                              copies = copies)
        stopifnot(identical(of_copies(2)$files, path(c("r.html", "r.json"))))
        cat(tryCatch(of_copies(0), fcrm_error = conditionMessage), "\n")
        """
    )
    files = {name: str(tmp_path / name) for name in ("in.csv", "out.csv", "s.html", "m.json")}
    words = [
        "report",
        files["in.csv"],
        files["out.csv"],
        "-o",
        files["s.html"],
        "--dossier",
        "--manifest",
        files["m.json"],
    ]
    assert pyfcrm(*words, "--copies", "2").status == 0
    of_r, of_shell = (json.loads((tmp_path / name).read_text(encoding="utf-8")) for name in ("r.json", "s.json"))
    assert of_r["dossier"] == of_shell["dossier"]
    assert "out-1.csv, out-2.csv" in of_r["dossier"]["files"]["release"].values()
    assert "copies" in text


def test_protect_file_keeps_a_manifest(tmp_path):
    """The release is computed again from it, by copies and constraints too; an output it would replace is refused."""
    people().to_csv(tmp_path / "in.csv", index=False)
    text = r_with_fcrm(
        f"""
        path <- function(name) file.path("{tmp_path}", name)
        of_file <- function(...) protect_file(path("in.csv"), path("out.csv"), gadp(), c("a", "b"), c("c", "d"), ..., copies = 2)
        cat(tryCatch(of_file(manifest = path("out-1.csv")), fcrm_error = conditionMessage), "\\n")
        result <- suppressMessages(of_file(seed = "fresh", constraints = c("c >= -100", "d >= -100"), manifest = path("m.json")))
        stopifnot(verify_release(path("m.json"), result[2], path("in.csv"))$ok)
        """
    )
    assert "an output must not replace another file of this run" in text


@pytest.mark.slow(15)
def test_run_plan(tmp_path):
    """The same bytes as from the command line."""
    people().to_csv(tmp_path / "in.csv", index=False)
    plan = (
        '[input]\nfile = "in.csv"\n[roles]\nindependent = ["a", "b"]\ndependent = ["c", "d"]\n[method]\nname = "ipso"\n'
    )
    plan += '[limits]\npil = 90\n[output]\nrelease = "out.csv"\n[random]\nseed = 1\n'
    plan += '[release]\ndespite_hold = "a test"\nby = "tests"\n'  # files this small never pass
    (tmp_path / "plan.toml").write_text(plan)
    (tmp_path / "strict.toml").write_text(plan.partition("[release]")[0].replace("out.csv", "none.csv"))
    assert pyfcrm("run", tmp_path / "plan.toml").status == 0
    first = (tmp_path / "out.csv").read_bytes()
    text = r_with_fcrm(
        f"""
        path <- function(name) file.path("{tmp_path}", name)
        result <- run_plan(path("plan.toml"), overwrite = TRUE)
        stopifnot(result$ok, "pil" %in% as.data.frame(result)$key)
        strict <- run_plan(path("strict.toml"))
        stopifnot(!strict$ok, identical(strict$verdict$status, "hold"), identical(as.data.frame(strict), strict$verdict$tests))
        print(strict)
        released <- run_plan(path("strict.toml"), despite_hold = "a test", by = "tests")
        stopifnot(released$ok, file.exists(path("none.csv")))
        cat(tryCatch(run_plan(path("strict.toml"), despite_hold = "a test"), fcrm_error = conditionMessage), "\\n")
        """
    )
    assert (tmp_path / "out.csv").read_bytes() == first
    assert (tmp_path / "none.csv").exists()
    (tmp_path / "none.csv").unlink()
    assert pf.run(tmp_path / "strict.toml").verdict.headline in text.splitlines()
    assert "nothing is released" in text
    assert "despite_hold a reason, by a name" in text


FEW = """from pyfcrm.trust import golden
golden.METHOD_CASES, golden.JUDGED, golden.MEASURES = "ipso:kind=C", {}, {}
golden._OTHERS = {"key risk": golden._OTHERS["key risk"]}"""


def test_qualify(tmp_path):
    """From a checkout, by few cases: everything but the files holds, and the page says that it cannot be signed."""
    text = r_with_fcrm(
        f"""
        reticulate::py_run_string('{FEW}')
        found <- qualify(html = file.path("{tmp_path}", "page.html"))
        stopifnot(!found$ok, as.data.frame(found)$verdict == "holds", nrow(as.data.frame(found)) > 10)
        print(found)
        """
    )
    assert "The page cannot be signed: the installed files are the wheel's (not done)" in text
    assert (tmp_path / "page.html").read_text().endswith("</html>\n")
