"""What the package's own studies share: a study that `pyfcrm reproduce` runs, and its command."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyfcrm.cli.run import run
from pyfcrm.studies import STUDIES, Outcome


@dataclass(frozen=True)
class OwnStudy:
    """key : the name of its files; load : path of the Census file, or None, to data; reproduce : as Study.reproduce."""

    key: str
    title: str
    files: tuple[str, ...]
    load: Callable[[str | None], Any]
    reproduce: Callable[..., Outcome]


def main(study: OwnStudy) -> None:
    """Runs `pyfcrm reproduce` of this study with the options of the command line."""
    STUDIES[study.key] = study  # type: ignore[assignment]
    sys.exit(run(["reproduce", study.key, *sys.argv[1:]]))
