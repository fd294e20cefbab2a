"""A session as a file: each trial as a plan, in one file of TOML, without data unless it is asked for; read as any upload is.

It holds the seeds, or the states, that make the trials again, and so is for the inside only.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import tempfile
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ... import __version__
from ...errors import InvalidInput
from ...plans.limits import all_limits
from ...plans.plan import Input, Keep, Output, Plan, Random, to_plan, toml_text
from ...progress import Progress, within
from ..scripts import release_name
from ..visit import Upload, Visit
from .bench import MOST_TRIALS, Source, Trial
from .file import EMBEDDED, dropped, embedded
from .results.acts import named
from .trying import Order, run

NAME, HEAD = (
    "session.toml",
    "# A session of the pyfcrm studio, for the inside only: it holds the seeds of its trials.\n",
)
MB = 1024**2
MOST_DATA, MOST_TEXT = 20 * MB, 32 * MB


@dataclass(frozen=True)
class Kept:
    """A session that was read. file : its name; digest : SHA-256 of its bytes, "" for an embedded one; embedded : which; data :
    the file itself, where it is in the session; plans : a trial each, with its title."""

    file: str
    digest: str
    embedded: str
    data: bytes
    plans: tuple[tuple[Plan, str], ...]


def session_text(source: Source, trials: Sequence[Trial], data: bool = False) -> str:
    """The session as text, without what generators from elsewhere made: it runs no command. data : with the file itself.

    Raises InvalidInput for a file that is too large for that.
    """
    about = {"pyfcrm": __version__, "file": source.name, "embedded": source.embedded or "", "sha256": digest(source)}
    if data and source.path is not None:
        content = source.path.read_bytes()
        if len(content) > MOST_DATA:
            rule = f"holds a file of {MOST_DATA // MB} MB at most: save it without, and drop the file again"
            raise InvalidInput("a session", rule, f"{len(content) // MB} MB")
        about["data"] = base64.b64encode(content).decode("ascii")
    plans = {
        str(trial.number): {**trial_plan(trial).tables(), "more": {"title": trial.title, "number": trial.number}}
        for trial in trials
        if not trial.method.generates
    }
    return HEAD + toml_text({"session": about, **({"trial": plans} if plans else {})})


def trial_plan(trial: Trial) -> Plan:
    """One trial as a plan, with the seed or the state that its random numbers started from."""
    constraints = [text.strip() for text in (trial.constraints or "").split(";") if text.strip()]
    return Plan(
        input=Input(file=trial.source.name),
        roles=trial.released.roles,
        method=trial.method,
        keep=Keep(
            constraints=constraints or None,
            strata=list(trial.strata) or None,
            missing=trial.missing,
            weights=trial.weights,
            preserve=list(trial.preserve) or None,
        ),
        limits=all_limits({}),
        output=Output(release=release_name(trial.source.name), disarm=True),
        random=Random.of(trial.released.seed),
    )


def digest(source: Source) -> str:
    """SHA-256 of a dropped file's bytes; nothing for an embedded one."""
    if source.path is None:
        return ""
    with open(source.path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_session(upload: Upload, visit: Visit) -> Kept:
    """What a dropped session says, every plan of it checked as read_plan() does; the upload is gone then.

    Raises InvalidInput, one sentence.
    """
    try:
        if upload.path.stat().st_size > MOST_TEXT:
            raise InvalidInput(NAME, f"a session may have {MOST_TEXT // MB} MB at most")
        found = tomllib.loads(upload.path.read_text(encoding="utf-8"))
        return _kept(found)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(NAME, "a session must be a file of TOML that the studio saved") from error
    finally:
        upload.path.unlink(missing_ok=True)


def _kept(found: Mapping[str, Any]) -> Kept:
    about, trials = found.get("session"), found.get("trial", {})
    if not isinstance(about, Mapping) or not isinstance(trials, Mapping) or len(trials) > MOST_TRIALS:
        raise InvalidInput(NAME, f"a session must have a table [session], and {MOST_TRIALS} trials at most")
    texts = {key: about.get(key, "") for key in ("file", "sha256", "embedded", "data")}
    if not all(isinstance(text, str) for text in texts.values()) or texts["embedded"] not in ("", *EMBEDDED):
        raise InvalidInput(NAME, "a session must say of which file it is")
    try:
        data = base64.b64decode(texts["data"], validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidInput(NAME, "the file in a session must be whole") from error
    if data and hashlib.sha256(data).hexdigest() != texts["sha256"]:
        raise InvalidInput(NAME, "the file in a session must be the one that it says")
    plans = tuple(_trial(one) for one in trials.values())
    return Kept(texts["file"], texts["sha256"], texts["embedded"], data, plans)


def _trial(tables: Any) -> tuple[Plan, str]:
    """One trial's plan, and its title."""
    if not isinstance(tables, Mapping) or not all(isinstance(table, Mapping) for table in tables.values()):
        raise InvalidInput(NAME, "each trial of a session must be a plan")
    plan = to_plan(f"{NAME}, a trial", {name: table for name, table in tables.items() if name != "more"})
    return plan, named(tables.get("more", {}).get("title"))


def source_of(kept: Kept, visit: Visit) -> Source | None:
    """The file of a session: simulated again, or out of the session; None where it has to be dropped once more."""
    if kept.embedded:
        return embedded(kept.embedded)
    if not kept.data:
        return None
    path = Path(tempfile.mkstemp(dir=visit.folder)[1])
    visit.check(len(kept.data))
    path.write_bytes(kept.data)
    return dropped(Upload("", kept.file, path, len(kept.data)), visit)


def rerun_trials(kept: Kept, source: Source, progress: Progress) -> list[Trial]:
    """Every trial of a session, made and judged again on its file."""
    result = []
    for k, (plan, title) in enumerate(kept.plans):
        keep = plan.keep
        order = Order(
            source, plan.method, plan.roles, "", (), missing=keep.missing, constraints="; ".join(keep.constraints or ()) or None,
            strata=tuple(keep.strata or ()), title=title, start=plan.random.start, weights=keep.weights,
            preserve=tuple(keep.preserve or ()),
        )  # fmt: skip
        part = within(progress, k, len(kept.plans), f"trial {k + 1}") or progress
        result.append(run(order, 0, time.monotonic(), part))
    return result
