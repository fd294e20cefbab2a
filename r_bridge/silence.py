"""Keeping R, and rpy2 on its behalf, out of the process's output, input and environment."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

_LOG = logging.getLogger("r_bridge")


@contextmanager
def standard_output_closed() -> Iterator[None]:
    """Until the end, whatever writes to the process's standard output, R's children too, writes to standard error."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


@contextmanager
def listening() -> Iterator[None]:
    """What R prints goes to the log and nowhere else; it may ask nothing. The callbacks of others are put back."""
    from rpy2.rinterface_lib import callbacks

    def log(text: str) -> None:
        _LOG.debug("R: %s", text.rstrip("\n"))

    def answer(prompt: str) -> str:
        return ""

    mine = {"consolewrite_print": log, "consolewrite_warnerror": log, "showmessage": log, "consoleread": answer}
    kept = {name: getattr(callbacks, name) for name in mine}
    try:
        for name, function in mine.items():
            setattr(callbacks, name, function)
        yield
    finally:
        for name, function in kept.items():
            setattr(callbacks, name, function)


@contextmanager
def environment(added: Mapping[str, str]) -> Iterator[None]:
    """Environment variables for a while. Afterwards all is as before, but for the R_... ones that R itself added."""
    before = dict(os.environ)
    os.environ.update(added)
    try:
        yield
    finally:
        for name in set(os.environ) | set(before):
            if name in before:
                os.environ[name] = before[name]
            elif name in added or not name.startswith("R_"):
                del os.environ[name]


@contextmanager
def quiet_log() -> Iterator[None]:
    """rpy2 logs its attempts to load R; a failure is said in one sentence instead."""
    logger, silent = logging.getLogger("rpy2"), logging.NullHandler()
    logger.addHandler(silent)
    try:
        yield
    finally:
        logger.removeHandler(silent)
