"""Writes tests/golden/values/digests.json: python tests/golden/make_digests.py [all | WORD ...]

The file records our own results, so that a change of the code that should not change results can be checked. R, the papers
and brute force decide whether a result is right (tests/parity, tests/paper, tests/unit). Cases without a record are added. Recorded
again are those whose name has one of the words, with "all" every case. The bytes of a release that is recorded on another processor
than the rest are left out.
"""

import atexit
import copy
import hashlib
import json
import re
import sys
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

# The tree of this file, not another one that is installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks" / "studies"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import businesses
from support.blocks import by_blocks

import pyfcrm as pf
from pyfcrm.data import is_numeric, open_data
from pyfcrm.engine import Dask
from pyfcrm.measures import MEASURES

VALUES = ["value", "baseline", "excess", "inference", "attributable"]  # columns of Report.to_frame()
STORED = Path(__file__).parent / "values" / "digests.json"
X, Y = ["AFNLWGT", "AGI"], ["EMCONTRB", "FEDTAX", "STATETAX", "TAXINC"]
SURVEY = pf.Roles(independent=["age", "hours"], dependent=["wage", "rent", "tax"], identifiers=["name"])
CATEGORY = pf.Roles(dependent=["region", "size"], identifiers=["name"])
NUMBERS = """FCRM(2); FCRM(3, m=2.0); FCRM(4, tol=0.0, max_iter=4); FCRM(2, intercept=False); FCRM(3, joint=True); FCRM(6);
FCRM(5, m=1.2); FCRM(3, release="draw"); FCRM(2, release="draw", donors=5); FCRM(2, release="model");
FCRM(None, release="model"); FCRM(2, basis="rbf");
FCRM(3, joint=True, release="draw", donors=10); FCRM(2, basis="rbf", release="draw");
IPSO("A"); IPSO("B"); IPSO("C"); IPSO("A", variant="thesis"); IPSO("B", variant="thesis"); IPSO("C", variant="thesis");
GADP(); EGADP(); Shuffling(); Dummy();
Noise("uncorrelated", 10); Noise("uncorrelated", 40); Noise("correlated", 20); Noise("linear", 20); Noise("nonlinear", 20);
Noise("laplace", 20); Noise("multiplicative", 20); Noise("correlated2", 20);
RankSwapping(5); RankSwapping(20); RankSwapping(5, form="sdcmicro"); RankSwapping(20, form="sdcmicro");
Microaggregation(3); Microaggregation(7); Microaggregation(3, scale=None); Microaggregation(3, kind="vmdav");
Microaggregation(4, kind="vmdav"); Microaggregation(3, kind="individual"); Microaggregation(3, kind="zscores");
Microaggregation(3, kind="pca"); Microaggregation(3, kind="optimal"); Microaggregation(5, kind="optimal");
Microaggregation(3, blocks=[(["EMCONTRB", "TAXINC"], 3), (["FEDTAX", "STATETAX"], 3)]);
Permutation(5); Permutation(50); Hybrid("linear", 0.3); Hybrid("linear", 0.7); Hybrid("regression", 0.5);
Hybrid("microaggregation", 0.5, k=4); Sequential(); Sequential(min_leaf=15, complexity=1e-3);
Sequential(order=["TAXINC", "FEDTAX", "STATETAX", "EMCONTRB"]); ARF(trees=3); ARF(trees=3, min_leaf=10, smooth=1.0);
ARF(trees=2, relations=False, rounds=2); ARF(trees=4, delta=0.1);
Calibrated(IPSO("C")); Calibrated(IPSO("B"), margins="original"); Calibrated(IPSO("A"), margins=None);
Calibrated(IPSO("C"), moments=False); Calibrated(FCRM(3)); Calibrated(FCRM(2, release="draw"), margins="original");
Calibrated(FCRM(None, release="model")); Calibrated(Noise("correlated", 30)); Calibrated(RankSwapping(20), margins="original");
Calibrated(GADP(), point_mass=12); Calibrated(Shuffling(), margins="original"); Calibrated(Sequential(), moments=False);
Calibrated(Microaggregation(3)); Calibrated(ARF(trees=3), margins=None); Calibrated(Hybrid("linear", 0.5));
Calibrated(Permutation(20), margins="original"); Calibrated(Dummy())"""
TABLES = """Sampling(0.5); Sampling(0.2); Recoding({"wage": [0, 1000, 2000, 10000], "rent": 3, "tax": 4}); Recoding(4, labels=False);
TopBottomCoding(top={"wage": 2500}, bottom={"wage": 100}); TopBottomCoding(top={"tax": 900, "rent": 500});
LocalSuppression(3, keys=["region", "size"]); LocalSuppression(2, keys=["region", "age"]); IPSO("C"); FCRM(2);
Sequential(); ARF(trees=3); Calibrated(IPSO("C")); RankSwapping(20); Shuffling()"""
# Further methods are added by their examples.
FRAMES = """FCRM(2); IPSO("C"); RankSwapping(20); Sequential(); Sampling(0.5); LocalSuppression(3, keys=["region", "size"])"""
BLOCKS = """FCRM(2); FCRM(3, joint=True); FCRM(2, basis="rbf"); IPSO("A"); IPSO("B"); IPSO("C");
IPSO("C", variant="thesis"); GADP(); EGADP(); Noise("uncorrelated", 20); Noise("correlated", 20); Hybrid("linear", 0.5);
Hybrid("regression", 0.5)"""
DASK = """FCRM(3, joint=True); FCRM(2); IPSO("C"); Noise("correlated", 20)"""
OPTIONS = {
    "strata": {"strata": ["region"]},
    "missing drop": {"missing": "drop"},
    "missing protect": {"missing": "protect"},
    "floats": {"variables": "numbers"},
    "copies": {"copies": 2},
    "weights": {"weights": "weight"},
    "preserve": {"weights": "weight", "preserve": ["region"]},
    "entropy": {"seed": pf.RStream(12345)},
}
OPTION_METHODS = """IPSO("C"); FCRM(2, release="draw"); Calibrated(IPSO("B")); RankSwapping(15)"""
UNABLE = {"preserve, RankSwapping(15)", 'preserve, FCRM(2, release="draw")', 'preserve, Calibrated(IPSO("B"))'}
RULES = {
    "sums": ["wage + rent >= tax"],
    "bounds": ["wage >= 0", "rent >= 0", "tax >= 0"],
    "limits": ["wage <= 4000", "tax <= 0.6 * wage + 0.5 * rent", "rent >= 0"],
    "balance": ["total == wage + rent", "wage >= 0"],
}
EDITED = """IPSO("A"); IPSO("C"); FCRM(3); FCRM(2, release="model"); Noise("correlated", 40); Calibrated(IPSO("C"));
RankSwapping(20); Sequential()"""
STRUCTURED = {"enterprises": 3, "accounts": 2, "sales": 4, "balances": 2}  # name: independent columns
JUDGED = """IPSO("C"); FCRM(3); Noise("uncorrelated", 20); RankSwapping(15); Microaggregation(4); Calibrated(IPSO("C")); Sequential()"""


def methods(text):
    """Methods by the text of their constructors, which semicolons separate."""
    names = [" ".join(name.split()) for name in text.split(";")]
    return {name: eval(name, {public: getattr(pf, public) for public in pf.__all__}) for name in names}


def examples():
    """The methods that no text has, by their examples."""
    listed = {type(method) for method in (*methods(NUMBERS).values(), *methods(TABLES).values())}
    return {str(kind.example()): kind.example() for kind in pf.METHODS.values() if kind not in listed}


@cache
def census(floats=True):
    frame = pf.datasets.census_like(n=240, seed=1)[X + Y]
    return frame.astype("float64") if floats else frame


@cache
def survey(complete=True):
    frame = pf.datasets.survey(n=360, seed=1)
    return frame.dropna().reset_index(drop=True) if complete else frame


def digest(frame):
    """SHA-256 of a table's columns in order, and two sums of each number column to twelve digits, to see how far one moved."""
    if isinstance(frame, Path):
        frame = pf.read_table(frame)
    table = frame if isinstance(frame, pd.DataFrame) else frame.to_pandas()
    total, sums = hashlib.sha256(), {}
    for name in table.columns:
        column = table[name]
        total.update(str(name).encode())
        if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
            values = column.to_numpy(dtype=np.float64, na_value=np.nan)
            total.update(values.tobytes())
            filled = np.nan_to_num(values)
            sums[str(name)] = [float(f"{value:.12g}") for value in (filled.sum(), filled @ np.arange(len(filled)))]
        else:
            total.update("\x1f".join("" if pd.isna(cell) else str(cell) for cell in column).encode())
    return {"sha256": total.hexdigest(), "sums": sums}


def release(frame, method, roles, seed=1, **options):
    """What the method gives, neither held within bounds nor rounded to the digits of the original."""
    options = {"variables": plain_variables(frame, roles)} | options
    return pf.protect(frame, method, roles, seed, allow_unprotected=True, **options)


def plain_variables(frame, roles):
    """Numbers without codes and bounds; whole where the column is one of integers."""
    frame = open_data("digests", frame)
    numbers = [name for name in roles.dependent if is_numeric(frame, name)]
    decimals = {name: 0 if frame.kind(name) == "integer" else "all" for name in numbers}
    return {name: pf.Variable("amount", bounds="none", decimals=decimals[name]) for name in numbers}


def _frames(released):
    frames = released.frames if len(released.frames) > 1 else [released.frame]
    return [digest(frame) for frame in frames]


def _notes(released):
    return [[note.kind, list(note.columns), note.count] for note in released.all_notes]


def _blocks(method):
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder, "in.parquet"), Path(folder, "out.parquet")
        census().to_parquet(source, row_group_size=100, index=False)
        release(by_blocks(source), method, pf.Roles(X, Y), output=output)
        return [digest(pd.read_parquet(output))]


def _file(method, extension):
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder, "in" + extension), Path(folder, "out" + extension)
        table = survey()
        table.to_csv(source, index=False) if extension == ".csv" else table.to_parquet(source, index=False)
        variables = plain_variables(table, SURVEY)
        pf.protect_file(source, output, method, SURVEY, 1, allow_unprotected=True, variables=variables)
        return [digest(output)]


def _dask(method):
    return _frames(release(census(), method, pf.Roles(X, Y), engine=_cluster()))


@cache
def _cluster():
    engine = Dask(workers=1)
    atexit.register(engine.close)
    return engine


def _option(method, option):
    frame = survey(complete=not option.startswith("missing"))
    return _frames(release(frame, method, SURVEY, **copy.deepcopy(OPTIONS[option])))  # a stream is advanced


def _edited(method, rules, **options):
    table = survey().assign(total=survey()["wage"] + survey()["rent"])
    roles = pf.Roles(["age", "hours"], ["wage", "rent", "tax", "total"], ["name"])
    released = release(table, method, roles, constraints=RULES[rules], **options)
    return {"release": _frames(released), "notes": _notes(released)}


def _structured(method, name):
    table = getattr(businesses if name in ("balances", "sales") else pf.datasets, name)(n=400, seed=1)
    columns, count = list(table.columns), STRUCTURED[name]
    released = release(table, method, pf.Roles(columns[:count], columns[count:]), structure="find")
    return {"release": _frames(released), "notes": _notes(released)}


def _converted(method, kind):
    import polars
    import pyarrow

    table = (
        polars.from_pandas(survey()) if kind == "polars" else pyarrow.Table.from_pandas(survey(), preserve_index=False)
    )
    return _frames(release(table, method, SURVEY))


def _measures(method):
    original = survey().head(200)
    released = release(original, method, SURVEY)
    options = {"keys": ["region", "size"], "targets": ["tax"], "target_groups": 5, "guesses": 0}
    report = pf.evaluate(original, released.frame, method=method, roles=SURVEY, measures=list(MEASURES), **options)
    values = {}
    for row in report.to_frame().to_dict("records"):
        numbers = [None if pd.isna(row[column]) else float(row[column]) for column in VALUES]
        values.setdefault(row["measure"], {})[row["part"]] = numbers
    return values


@cache
def judged(method):
    """Every measure of one release: key, part, and the values of VALUES."""
    return _measures(methods(JUDGED)[method])


def releases():
    """Names of releases, and the functions that digest them."""
    for name, method in methods(NUMBERS).items():
        yield f"census, {name}", lambda m=method: _frames(release(census(), m, pf.Roles(X, Y)))
    for name, method in (methods(TABLES) | examples()).items():
        roles = CATEGORY if isinstance(method, pf.PRAM) else SURVEY
        yield f"survey, {name}", lambda m=method, r=roles: _frames(release(survey(), m, r))
    for name, method in methods(FRAMES).items():
        for kind in ("polars", "pyarrow"):
            yield f"{kind}, {name}", lambda m=method, k=kind: _converted(m, k)
        for extension in (".csv", ".parquet"):
            yield f"file {extension}, {name}", lambda m=method, e=extension: _file(m, e)
    for name, method in methods(OPTION_METHODS).items():
        for option in OPTIONS:
            if f"{option}, {name}" not in UNABLE:
                yield f"{option}, {name}", lambda m=method, o=option: _option(m, o)
    for name, method in methods(BLOCKS).items():
        yield f"by blocks, {name}", lambda m=method: _blocks(m)


def on_dask():
    for name, method in methods(DASK).items():
        yield f"dask, {name}", lambda m=method: _dask(m)


def constrained():
    """Releases that keep edit rules or a found structure, with their notes."""
    for name, method in methods(EDITED).items():
        for rules in RULES:
            yield f"edits {rules}, {name}", lambda m=method, r=rules: _edited(m, r)
    for name, method in methods('IPSO("C"); FCRM(2)').items():
        for source in STRUCTURED:
            yield f"structure {source}, {name}", lambda m=method, s=source: _structured(m, s)


def platform():
    """What last bits depend on: processor and BLAS, as numba and threadpoolctl name them."""
    from llvmlite.binding import get_host_cpu_name
    from threadpoolctl import threadpool_info

    kernels = {str(info.get("architecture")) for info in threadpool_info() if info["user_api"] == "blas"}
    return " ".join([get_host_cpu_name(), *sorted(kernels), np.__version__])


def main(words):
    old = json.loads(STORED.read_text()) if STORED.exists() else {}
    result = {"platform": platform() if words == ["all"] or not old else old["platform"]}
    here = result["platform"] == platform()
    for section, cases in {"releases": [*releases(), *on_dask()], "constrained": [*constrained()]}.items():
        kept = old.get(section, {})
        result[section] = {
            n: _recorded(compute(), here) if n not in kept or _named(n, words) else kept[n] for n, compute in cases
        }
    result["measures"] = {
        key: {
            method: judged(method)[key] if method not in kept or _named(f"{key} {method}", words) else kept[method]
            for method in methods(JUDGED)
        }
        for key in MEASURES
        for kept in [old.get("measures", {}).get(key, {})]
    }
    STORED.write_text(_lines(result) + "\n")
    count = sum(len(parts) for by_method in result["measures"].values() for parts in by_method.values())
    print(f"{len(result['releases'])} releases, {len(result['constrained'])} constrained, {count} rows of measures")


def _lines(value, depth=0):
    """JSON, sorted by key, with one line for each release and for each part of a measure."""
    if not isinstance(value, dict) or "sha256" in value or "release" in value or not value:
        return json.dumps(value, sort_keys=True)
    items = [f"{' ' * depth}{json.dumps(key)}: {_lines(value[key], depth + 1)}" for key in sorted(value)]
    return "{\n" + ",\n".join(items) + "}"


def _named(name, words):
    return words == ["all"] or any(re.search(rf"\b{re.escape(word)}\b", name) for word in words)


def _recorded(result, here):
    """The result, its bytes only if they can be compared with those of the other cases."""
    for release in [] if here else result["release"] if isinstance(result, dict) else result:
        release["sha256"] = None
    return result


if __name__ == "__main__":
    main(sys.argv[1:])
