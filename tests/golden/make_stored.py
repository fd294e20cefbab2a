"""Writes what `pyfcrm qualify` compares with, pyfcrm/trust/values/golden.json: python tests/golden/make_stored.py

It is our own output, kept; R and the papers are the authority on whether it is right (tests/parity, tests/paper). A case that
comes out as it stands there keeps its stored digits, so that a file made again shows what has really changed.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the tree of this file, not another one that is installed
from pyfcrm.trust import golden


def main():
    old = json.loads(golden.STORED.read_text()) if golden.STORED.exists() else {}
    holds = {case.name for case, difference in golden.compared(old) if difference <= golden.TOLERANCE}
    results = {case.name: old[case.name] if case.name in holds else case.compute() for case in golden.cases()}
    lines = [f"{json.dumps(name)}: {json.dumps(values)}" for name, values in sorted(results.items())]
    golden.STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(results)} cases, {len(results.keys() - holds)} of them new or changed: {golden.STORED}")


if __name__ == "__main__":
    main()
