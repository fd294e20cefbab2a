"""A release and its manifest written by processes that are killed at known moments, or run side by side.

killed("between", folder, b"new")     # by SIGKILL, after the release has its name and before the manifest has
"""

import os
import signal
import subprocess
import sys

from .data import REPOSITORY

# What is left to do at the moment: both renames, the manifest's, nothing; or even its bytes.
MOMENTS = ("written", "described", "between", "after")

CODE = """
import os, signal, sys
from pyfcrm.files.manifest import releasing

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

moment, data, output, manifest, rounds = sys.argv[1:6]
real, count = os.replace, 0
def replace(*paths):
    global count
    count += 1
    if (moment, count) in (("described", 1), ("between", 2)):
        die()
    real(*paths)
    if (moment, count) == ("after", 2):
        die()
os.replace = replace
for number in range(int(rounds)):
    text = f"{data} {number}" if moment == "never" else data
    with releasing(output, manifest, "in.csv", True) as made:
        made.outputs[0].write(text.encode())
        made.describe({"method": "IPSO", "seed": text})
        if moment == "written":
            die()
"""


def start(moment, folder, data, manifest="m.json", rounds=1):
    """A process that writes out.csv, which holds `data`, with its manifest, `rounds` times over what stands there."""
    words = [sys.executable, "-c", CODE, moment, data, "out.csv", manifest, str(rounds)]
    path = os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(words, cwd=folder, env={**os.environ, "PYTHONPATH": path}, stderr=subprocess.PIPE)


def killed(moment, folder, data, manifest="m.json"):
    """It, killed at that moment; AssertionError where it ends otherwise."""
    process = start(moment, folder, data, manifest)
    _, said = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL, said.decode()
