"""Growth of every command: CPU seconds and peak memory of a process, for files of 10,000, 100,000 and 1,000,000 records with 20 columns.

python benchmarks/commands.py [sizes] [commands], such as 10000,100000 protect,evaluate: what judges a release comes after protect.
The aim: exponents of at most 1.2.
What a command takes at any size, the least of three runs on 300 records, is left out of its exponents; where the rest is
below a second there is none. A command is left out at sizes after one that took more than 300 seconds.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

from public_file import AMOUNTS, CATEGORIES, COUNTS

EXPONENT = 1.2
SMALL = 300
REPEATS = 3  # of the runs on the small file
SIZES = (10**4, 10**5, 10**6)
LEAST = 1.0
"""CPU seconds beyond those of 300 records, below which there is no exponent."""
PATIENCE = 300.0
"""CPU seconds after which a command is not run with more records."""

AMOUNT = ",".join(f"amount {j}" for j in range(AMOUNTS))
OTHERS = ",".join([f"category {j}" for j in range(CATEGORIES)] + [f"count {j}" for j in range(COUNTS)])
ROLES = ("--dependent", AMOUNT, "--independent", OTHERS)
KEYS = ("--keys", "category 4,count 0,count 1")
LEVELS = ("--hierarchies", "count 0=cuts:1,2,3,5;2", "--hierarchies", "count 1=cuts:1,2,3,5;2")
IPSO = ("--method", "ipso")
BOTH = ("in.csv", "out.csv")
JUDGED = (*BOTH, "--manifest", "private.json")
COMMANDS = {
    "protect": ("protect", "in.csv", "-o", "out.csv", *ROLES, *IPSO, "--manifest", "private.json"),
    "verify": ("verify", "private.json", "--release", "out.csv", "--original", "in.csv"),
    "codebook": ("codebook", "out.csv", "--manifest", "private.json"),
    "describe": ("describe", "in.csv"),
    "roles": ("roles", "in.csv"),
    "structure": ("structure", "in.csv", *ROLES),
    "evaluate": ("evaluate", *JUDGED),
    "report": ("report", *JUDGED, "-o", "board.html"),
    "key-risk": ("key-risk", "in.csv", *KEYS),
    "dependence": ("dependence", *JUDGED),
    "records-at-risk": ("records-at-risk", *JUDGED),
    "changes": ("changes", *JUDGED),
    "analyse": ("analyse", *JUDGED, "`amount 0` ~ `count 0` + `category 4`"),
    "recode-search": ("recode-search", "in.csv", *KEYS, *LEVELS, "--k", "3", "--plan", "plan.toml"),
    "run": ("run", "plan.toml"),
    "audit": ("audit", "in.csv", *ROLES, *IPSO, "--repeats", "1"),
    "sweep": ("sweep", "in.csv", "-o", "maps", *ROLES, "--candidates", "ipso:kind=A|C"),
    "recommend": ("recommend", "in.csv", *ROLES),
    "pilot": ("pilot", "in.csv", "--yes", "-o", "pilot"),
    "three copies": ("protect", "in.csv", "-o", "copies.csv", *ROLES, *IPSO, "--copies", "3", "--overwrite"),
    "combine": ("combine", "copies.csv", "`amount 0` ~ `count 0` + `category 4`", "--copies", "3"),
    "crosscheck": ("crosscheck", "--input", "in.csv", "--independent", "count 0,count 1", "--dependent", AMOUNT),
}
NO_ERROR = (0, 1, 3)  # 1: the verdict is hold; 3: the data leave rows of crosscheck undecided


def with_file(folder: Path, n: int) -> Path:
    """The folder, new, with a file of n records that every command reads.

    Another process writes it: the peak memory that the system reports of a command is at least that of the process that starts it.
    """
    folder.mkdir()
    code = f"from public_file import mixed; mixed({n}).to_csv({str(folder / 'in.csv')!r}, index=False)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parent)
    return folder


def measured(folder: Path, words: tuple[str, ...]) -> tuple[float, float]:
    """CPU seconds and peak MB of a command in a folder. Raises RuntimeError where it fails."""
    with (folder / "errors.txt").open("w+") as errors:
        child = subprocess.Popen(
            [sys.executable, "-m", "pyfcrm", *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=errors
        )
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        if child.returncode not in NO_ERROR:
            raise RuntimeError(f"{' '.join(words)}: status {child.returncode}: {errors.read()[-600:]}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def growth(seconds: list[float], sizes: tuple[int, ...]) -> list[float]:
    """The exponents from each size to the next, of seconds that are long enough to tell."""
    pairs = zip(pairwise(seconds), pairwise(sizes), strict=False)
    return [math.log(b / a) / math.log(m / n) for (a, b), (n, m) in pairs if a >= LEAST]


def main(sizes: tuple[int, ...] = SIZES, chosen: tuple[str, ...] = tuple(COMMANDS)) -> int:
    """Print a row for each command; 1 if an exponent is above the aim."""
    missed = 0
    head = "".join(f"{f'n={n:,}':>22}" for n in sizes)
    print(f"{'command':16}{'n=300':>9}{head}  exponents, aim: at most {EXPONENT}")
    with tempfile.TemporaryDirectory() as scratch:
        small = [with_file(Path(scratch, f"small {k}"), SMALL) for k in range(REPEATS)]
        folders = {n: with_file(Path(scratch, str(n)), n) for n in sizes}
        for name in chosen:
            base = min(measured(folder, COMMANDS[name])[0] for folder in small)
            print(f"{name:16}{base:7.1f} s", end="", flush=True)
            seconds = []
            for n in sizes:
                if seconds and seconds[-1] > PATIENCE:
                    print(f"{'not run':>22}", end="")
                    continue
                used, memory = measured(folders[n], COMMANDS[name])
                seconds.append(used)
                print(f"{f'{used:.1f} s, {memory:.0f} MB':>22}", end="", flush=True)
            exponents = growth([taken - base for taken in seconds], sizes)
            holds = max(exponents, default=0) <= EXPONENT
            missed |= not holds
            print("  " + ", ".join(f"{each:.2f}" for each in exponents) + ("" if holds else "  ABOVE"), flush=True)
    return missed


if __name__ == "__main__":
    arguments = sys.argv[1:]
    own_sizes = tuple(int(n) for n in arguments[0].split(",")) if arguments else SIZES
    sys.exit(main(own_sizes, tuple(arguments[1].split(",")) if len(arguments) > 1 else tuple(COMMANDS)))
