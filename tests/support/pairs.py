"""A release and its manifest written by processes that are killed at known moments, or run side by side.

ended(start("between", "new"))  # -9: by SIGKILL, after the release has its name and before the manifest has
"""

import os
import signal

from pyfcrm.files.manifest import releasing

# What is left to do at the moment: both renames, the manifest's, nothing; or even its bytes.
MOMENTS = ("written", "described", "between", "after")


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def write(moment, data, rounds):
    """Writes out.csv and m.json in the working folder; at the moment the process is gone."""
    real, count = os.replace, 0

    def replace(*paths):
        nonlocal count
        count += 1
        if (moment, count) in (("described", 1), ("between", 2)):
            die()
        real(*paths)
        if (moment, count) == ("after", 2):
            die()

    os.replace = replace
    for number in range(rounds):
        text = f"{data} {number}" if moment == "never" else data
        with releasing("out.csv", "m.json", "in.csv", overwrite=True) as (files, contents):
            files[0].write(text.encode())
            contents |= {"method": "IPSO", "seed": text}
            if moment == "written":
                die()


def start(moment, data, rounds=1):
    """The number of a process, forked off this one, that writes so many times over what stands there."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            write(moment, data, rounds)
            status = 0
        finally:
            os._exit(status)
    return child


def ended(child):
    """0, 1 or minus the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
