"""What packages of others say of two files: run by a Python that has them, which has none of ours (check_theirs.py).

theirs.py FOLDER reads original.csv and release.csv (keys a to d, class, numbers v, w, x, y), copies.csv (numbers, of which some
records are the original's), coarse-0.csv and coarse-1.csv (for probabilistic linkage) and noise-*.csv, and prints JSON.
"""

import json
import sys
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

KEYS, NUMBERS = ["a", "b", "c", "d"], ["v", "w", "x", "y"]
FOLDER = Path(sys.argv[-1])


def read(name):
    return pd.read_csv(FOLDER / f"{name}.csv")


def complete():
    return [read(name).dropna().astype(dict.fromkeys([*KEYS, "class"], int)) for name in ("original", "release")]


def of_pycanon():
    from pycanon import anonymity

    original, release = complete()
    whole = {f"k_{len(keys)}": anonymity.k_anonymity(release, keys) for keys in (["a"], ["a", "b"], KEYS)}
    gaps = pd.DataFrame({"a": [1, 1, 1, 2, 2, 2], "b": [1, 1, 1, 1, 1, None]})
    return {
        **whole,
        "k_original": anonymity.k_anonymity(original, ["a"]),
        "k_gaps": anonymity.k_anonymity(gaps, ["a", "b"]),
    }


def of_sdmetrics():
    from sdmetrics.column_pairs import CorrelationSimilarity
    from sdmetrics.single_column import KSComplement
    from sdmetrics.single_table import CategoricalCAP, CategoricalZeroCAP, LogisticDetection, NewRowSynthesis

    original, release = complete()
    whole = read("original")[NUMBERS], read("release")[NUMBERS]
    found = {f"ks_{name}": KSComplement.compute(*(one[name] for one in whole)) for name in NUMBERS}
    pairs = [CorrelationSimilarity.compute(*(one[list(two)] for one in whole)) for two in combinations(NUMBERS, 2)]
    attack = {"key_fields": KEYS[:3], "sensitive_fields": ["class"]}
    for name, measure in (("cap", CategoricalCAP), ("zero_cap", CategoricalZeroCAP)):
        found[name] = measure.compute(*(one[[*KEYS, "class"]].astype(str) for one in (original, release)), **attack)
    columns = {name: {"sdtype": "numerical"} for name in NUMBERS}
    tables = whole[0], read("copies")[NUMBERS], {"columns": columns}
    found["new_rows"] = NewRowSynthesis.compute(*tables, numerical_match_tolerance=1e-15)
    found["logistic_detection"] = LogisticDetection.compute(*whole, {"columns": columns})
    return {**found, "correlations": float(np.mean(pairs))}


def of_anonymeter():
    from anonymeter.evaluators import LinkabilityEvaluator
    from anonymeter.evaluators.inference_evaluator import evaluate_inference_guesses

    original, linked = read("original")[NUMBERS], {}
    for path in sorted(FOLDER.glob("noise-*.csv")):
        halves = NUMBERS[:2], NUMBERS[2:]
        attack = LinkabilityEvaluator(original, pd.read_csv(path), halves, n_attacks=None).evaluate(n_jobs=1)
        linked[path.stem] = attack.results().n_success
    far = evaluate_inference_guesses(pd.Series([-1.0]), pd.Series([1000.0]), regression=True)
    return {"linked": linked, "minus_1_is_1000": bool(far[0])}


def of_recordlinkage():
    import recordlinkage

    files = read("coarse-0"), read("coarse-1")
    compare = recordlinkage.Compare()
    for name in files[0]:
        compare.exact(name, name, label=name)
    pairs = recordlinkage.Index().full().index(*files)
    model = recordlinkage.ECMClassifier(
        max_iter=300, atol=None
    )  # its tolerance is relative, 1e-5: without one it goes on
    model.fit(compare.compute(pairs, *files))
    return {
        "m": [model.m_probs[name][1] for name in files[0]],
        "u": [model.u_probs[name][1] for name in files[0]],
        "prevalence": float(model.p),
    }


def of_splink():
    import splink.comparison_library as library
    from splink import DuckDBAPI, Linker, SettingsCreator

    files = [read(f"coarse-{k}").reset_index(names="unique_id") for k in (0, 1)]
    start = {"m_probabilities": [0.9, 0.1], "u_probabilities": [0.1, 0.9]}
    names = [name for name in files[0] if name != "unique_id"]
    settings = SettingsCreator(
        link_type="link_only",
        comparisons=[library.ExactMatch(name).configure(**start) for name in names],
        probability_two_random_records_match=1 / len(files[0]),
        em_convergence=1e-12,
        max_iterations=300,
    )
    api = DuckDBAPI()
    linker = Linker([api.register(one) for one in files], settings)
    free = {"fix_u_probabilities": False, "populate_probability_two_random_records_match_from_trained_values": True}
    counted = {"estimate_without_term_frequencies": True}  # patterns are counted once: the same numbers, much faster
    linker.training.estimate_parameters_using_expectation_maximisation("1=1", **free, **counted)
    result = linker.misc.save_model_to_json()
    levels = [level for one in result["comparisons"] for level in one["comparison_levels"]]
    agreeing = [level for level in levels if "m_probability" in level and level["sql_condition"] != "ELSE"]
    return {
        "m": [level["m_probability"] for level in agreeing],
        "u": [level["u_probability"] for level in agreeing],
        "prevalence": result["probability_two_random_records_match"],
    }


ALL = {
    "pycanon": of_pycanon,
    "sdmetrics": of_sdmetrics,
    "anonymeter": of_anonymeter,
    "recordlinkage": of_recordlinkage,
    "splink": of_splink,
}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    answers = {name: measured() for name, measured in ALL.items()}
    print("\n" + json.dumps(answers, default=float))
