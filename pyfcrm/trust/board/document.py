"""The two files of a dossier: a JSON document of its facts, and a page of the same facts; and what `verify` checks of them.

The document has the SHA-256 of its facts and that of the page. The page shows that of the facts, so that a signature on paper holds for
both. The facts have the SHA-256 of original and release, as the manifest has.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import InvalidInput
from ...files.manifest import SHOWN, digest, has_text, json_value, read_document
from ...files.paths import Path, path_text, require_extension

FACTS = "dossier"
NOT_ONE = "a dossier must be JSON, as pyfcrm report --dossier writes it beside the page"


def canonical(contents: Any) -> str:
    """Plain data as JSON: equal data have equal bytes."""
    return f"{json.dumps(json_value(contents), indent=2, ensure_ascii=False, allow_nan=False)}\n"


def facts_digest(facts: Mapping[str, Any]) -> str:
    """The SHA-256 of facts, in hexadecimal."""
    return _digest(canonical(facts))


def document_text(facts: Mapping[str, Any], page: str) -> str:
    """The JSON document of facts. page : the text of the page of these facts."""
    return canonical({FACTS: facts, "sha256": {"facts": facts_digest(facts), "page": _digest(page)}})


def dossier_paths(owner: str, path: Path) -> tuple[str, str]:
    """The paths of page and document; `path` is either. Raises InvalidInput for another extension."""
    text = path_text(owner, path)
    require_extension(text, "a dossier's", ("html", "json"))
    stem = os.path.splitext(text)[0]
    return f"{stem}.html", f"{stem}.json"


def dossier_outcomes(path: Path, release: str, manifest: Mapping[str, Any]) -> Sequence[tuple[str, bool, str]]:
    """Whether page and document are as they were written, and whether they are of this release and of this manifest.

    manifest : as it was read. Returns subject, outcome and sentence of each check. Raises InvalidInput where a file cannot be read
    or is no dossier.
    """
    page, name = dossier_paths("verify", path)
    contents = read_document(name, "dossier", NOT_ONE)
    facts, digests = contents.get(FACTS), contents.get("sha256")
    if (
        not isinstance(facts, Mapping)
        or not isinstance(digests, Mapping)
        or not isinstance(facts.get("files"), Mapping)
    ):
        raise InvalidInput(name, NOT_ONE)
    known = facts_digest(facts)
    unchanged = digest(name) == _digest(canonical(contents)) and digests.get("facts") == known
    same_page = digest(page) == digests.get("page") and has_text(page, known)
    of_release = digest(release) in _listed(facts["files"].get("release"))
    of_original = bool({*_listed(facts["files"].get("original"))} & {*manifest["sha256"]["input"]})
    return [
        ("dossier", unchanged, _sentence(name, unchanged, "as it was written", known)),
        ("page of the dossier", same_page, _sentence(page, same_page, "the page of the dossier", digests.get("page"))),
        (
            "release of the dossier",
            of_release,
            f"the dossier is {'' if of_release else 'not '}of the release {release}",
        ),
        (
            "original of the dossier",
            of_original,
            f"the dossier is {'' if of_original else 'not '}of the original of the manifest",
        ),
    ]


def _sentence(path: str, holds: bool, what: str, known: Any) -> str:
    """The outcome of a comparison in words."""
    return f"{path} is {what} (SHA-256 {str(known)[:SHOWN]}...)" if holds else f"{path} is not {what}: its bytes differ"


def _listed(named: Any) -> list[str]:
    """The digests of a file, or of the copies of a release."""
    return str(named.get("sha256", "")).split(", ") if isinstance(named, Mapping) else []


def _digest(text: str) -> str:
    """SHA-256 of a text in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
