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
from ...errors import InvalidInput, PyfcrmError
from ...progress import Progress, within
from ...rstream import RStream
from ...trust.plan import Plan, read_plan
from ...trust.plan_text import limits_table, method_table, plan_text, roles_table
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
MOST_DATA, MOST_TEXT, WORDS_OF_STATE = 20 * MB, 32 * MB, 626


@dataclass(frozen=True)
class Kept:
    """A session that was read. file : its name; digest : SHA-256 of its bytes, "" for an embedded one; embedded : which; data :
    the file itself, where it is in the session; plans : a trial each, with its title and where its random numbers begin."""

    file: str
    digest: str
    embedded: str
    data: bytes
    plans: tuple[tuple[Plan, str, int | RStream | None], ...]


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
    tables: dict[str, Mapping[str, Any]] = {"session": about}
    for trial in (one for one in trials if not one.method.generates):
        seed = trial.released.seed
        more = {"title": trial.title, "state": seed.to_r_state().tolist() if isinstance(seed, RStream) else []}
        tables[f"trial.{trial.number}.more"] = {**more, "number": trial.number}
        tables |= {f"trial.{trial.number}.{name}": table for name, table in plan_tables(trial).items()}
    return HEAD + plan_text(tables)


def plan_tables(trial: Trial) -> dict[str, dict[str, Any]]:
    """One trial as the tables of a plan; its seed where that is a whole number."""
    seed = trial.released.seed
    keep = {"constraints": _limits(trial.constraints), "strata": list(trial.strata), "missing": trial.missing}
    asked = {"weights": trial.weights, "preserve": list(trial.preserve)}
    return {
        "input": {"file": trial.source.name},
        "roles": roles_table(trial.released.roles),
        "method": method_table(trial.method),
        "keep": keep | {name: one for name, one in asked.items() if one},
        "limits": limits_table({}),
        "output": {"release": release_name(trial.source.name), "disarm": True},
        "random": {} if isinstance(seed, RStream) else {"seed": seed},
    }


def _limits(text: str | None) -> list[str]:
    return [one.strip() for one in (text or "").split(";") if one.strip()]


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
        return _kept(found, visit)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(NAME, "a session must be a file of TOML that the studio saved") from error
    finally:
        upload.path.unlink(missing_ok=True)


def _kept(found: Mapping[str, Any], visit: Visit) -> Kept:
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
    plans = tuple(_trial(one, visit) for one in trials.values())
    return Kept(texts["file"], texts["sha256"], texts["embedded"], data, plans)


def _trial(tables: Any, visit: Visit) -> tuple[Plan, str, int | RStream | None]:
    """One trial's plan, its title, and where its random numbers begin."""
    if not isinstance(tables, Mapping) or not all(isinstance(table, Mapping) for table in tables.values()):
        raise InvalidInput(NAME, "each trial of a session must be a plan")
    more = tables.get("more", {})
    with tempfile.NamedTemporaryFile("w", dir=visit.folder, suffix=".toml", encoding="utf-8") as file:
        file.write(plan_text({name: table for name, table in tables.items() if name != "more"}))
        file.flush()
        try:
            plan = read_plan(file.name)
        except PyfcrmError as error:
            raise InvalidInput(NAME, str(error).replace(file.name, "a trial")) from None
    state = more.get("state", [])
    if state == []:
        return plan, named(more.get("title")), plan.table("random").get("seed")
    if not isinstance(state, list) or len(state) != WORDS_OF_STATE or not all(type(word) is int for word in state):
        raise InvalidInput(NAME, f"a state must be {WORDS_OF_STATE} whole numbers")
    return plan, named(more.get("title")), RStream.from_r_state(state)


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


def made_again(kept: Kept, source: Source, progress: Progress) -> list[Trial]:
    """Every trial of a session, made and judged again on its file."""
    made = []
    for k, (plan, title, start) in enumerate(kept.plans):
        keep = plan.table("keep")
        limits = "; ".join(keep.get("constraints", ())) or None
        order = Order(
            source, plan.method, plan.roles, "", (), missing=keep.get("missing", "refuse"), constraints=limits,
            strata=tuple(keep.get("strata", ())), title=title, start=start,
            weights=keep.get("weights"), preserve=tuple(keep.get("preserve", ())),
        )  # fmt: skip
        told = within(progress, k, len(kept.plans), f"trial {k + 1}") or progress
        made.append(run(order, 0, time.monotonic(), told))
    return made
