"""The modules of the package by layer, from the lowest up, and the list of them in CONTRIBUTING.

    python tests/support/layers.py

writes the list. tests/contract/test_layers.py checks imports against the layers, and the list against this file.
"""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CONTRIBUTING = REPOSITORY / "CONTRIBUTING.md"
# From the lowest layer up, with what its modules hold. Modules of one layer never import each other.
DESCRIBED_LAYERS = (
    (("errors", "types"), "exceptions with owner, rule and value; notes; names of array types"),
    (("arguments", "progress", "notes"), "checks of public arguments; one callback with a cancel flag; notes in brief"),
    (("plots",), "figures"),
    (("display",), "results as text and in notebooks"),
    (("engine",), "map-reduce over blocks of rows: threads, Dask; compilation"),
    (("files",), "the only module that opens paths: CSV, Parquet, Excel, SPSS, Stata, SAS; atomic writes; manifests"),
    (("rstream",), "R's random streams, the only source of randomness"),
    (("data",), "frames and arrays; roles, strata, pairs of files; records in memory or on disk"),
    (("datasets",), "simulated files; the Census file if the user has it"),
    (("numerics",), "moments, quantiles, ranks, sorting, least squares"),
    (("constraints",), "edit rules: parser, projection, search for structure"),
    (("fuzzy", "linkage"), "algorithms of the literature as functions of arrays, with compiled kernels"),
    (("methods", "measures"), "one family in a file; they do not import each other"),
    (
        ("protection",),
        "protect() and the declaration of its options; counts of unprotected records; the release ledger",
    ),
    (("plans",), "the model of a plan; protect_file() and its manifest; the default limits of the verdict"),
    (
        ("evaluation",),
        "a file for each public function: evaluate(), audit(), ...; verdict, auditing, utility, risk: the work behind",
    ),
    (("search",), "sweep(), recommend() and recode_search()"),
    (("log",), "steps and times in Python's logging"),
    (("interface",), "the functions that take options: generated from their declarations"),
    (("studies",), "experiments of the literature, with the printed tables as data (our own: benchmarks/studies)"),
    (("report",), "the HTML report"),
    (("trust",), "running plans, verification, qualification, the dossier of a board"),
    (("app",), "the studio"),
    (("cli",), "the command line"),
)
# Beside the package.
FOLDERS = (
    ("r_bridge", "to_r: Python to R through rpy2; from_r: the functions that R calls; cross-checks"),
    ("r_scripts", "R: ipso.R, reference implementations, and fcrm, the R package"),
)
LAYERS = (*(modules for modules, _ in DESCRIBED_LAYERS), ("__init__", "__main__"))
START, END = "## Modules, bottom up\n\n```\n", "```\n"


def module_list() -> str:
    """The modules and folders with their descriptions, one layer a line."""
    rows = [("  ".join(modules), description) for modules, description in DESCRIBED_LAYERS]
    rows += FOLDERS
    width = max(len(names) for names, _ in rows) + 2
    return "".join(f"{names:<{width}}{description}\n" for names, description in rows)


def with_module_list(text: str) -> str:
    """The text of CONTRIBUTING with its list replaced by the one of this file."""
    before, rest = text.split(START)
    _, after = rest.split(END, 1)
    return before + START + module_list() + END + after


if __name__ == "__main__":
    CONTRIBUTING.write_text(with_module_list(CONTRIBUTING.read_text(encoding="utf-8")), encoding="utf-8")
