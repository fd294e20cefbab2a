"""A manifest as W3C PROV-JSON: which file a release was made from, by what, when, and who is responsible.

Files are named by their SHA-256, so that the records of several releases join: the release of one may be the original of another.
References: W3C (2013), PROV-DM and the member submission PROV-JSON.
"""

import json
from collections.abc import Mapping
from typing import Any

PREFIXES = {"sha256": "urn:sha256:", "pyfcrm": "urn:pyfcrm:"}
INTERNAL = "internal: it has the digest of the original; do not publish"
SHORT = 16  # digits of a digest in the name of an activity


def prov_text(contents: Mapping[str, Any], manifest: str) -> str:
    """The record of a manifest that was read, without seed and paths. manifest : its SHA-256."""
    original = contents["sha256"]["input"][0]
    releases = contents["sha256"]["output"]
    activity = f"pyfcrm:protection-{manifest[:SHORT]}"
    software = f"pyfcrm:pyfcrm-{contents.get('pyfcrm', 'unknown')}"
    ended = {"prov:time": contents["time"]} if "time" in contents else {}
    entities = {
        _file(original): {"prov:label": "original"},
        **{_file(release): {"prov:label": "release"} for release in releases},
        _file(manifest): {"prov:label": "manifest", "prov:type": _name("prov:Plan")},
    }
    document: dict[str, Any] = {
        "prefix": PREFIXES,
        "entity": entities,
        "activity": {activity: _activity(contents)},
        "agent": {software: {"prov:type": _name("prov:SoftwareAgent"), **_versions(contents)}},
        "used": {"_:used": {"prov:activity": activity, "prov:entity": _file(original)}},
        "wasGeneratedBy": {
            f"_:generated{k}": {"prov:entity": _file(release), "prov:activity": activity, **ended}
            for k, release in enumerate(releases, 1)
        },
        "wasDerivedFrom": {
            f"_:derived{k}": {
                "prov:generatedEntity": _file(release),
                "prov:usedEntity": _file(original),
                "prov:activity": activity,
            }
            for k, release in enumerate(releases, 1)
            if release != original  # nothing derives from itself
        },
        "wasAssociatedWith": {
            "_:associated": {"prov:activity": activity, "prov:agent": software, "prov:plan": _file(manifest)}
        },
    }
    decision = contents.get("release")
    if isinstance(decision, Mapping):
        _add_person(document, decision, manifest, releases)
    return f"{json.dumps(document, indent=2, ensure_ascii=False)}\n"


def _activity(contents: Mapping[str, Any]) -> dict[str, Any]:
    """The protection: its methods, the columns by role, and when it ended."""
    facts: dict[str, Any] = {"prov:type": _name("pyfcrm:protection"), "pyfcrm:warning": INTERNAL}
    if "time" in contents:
        facts["prov:endTime"] = contents["time"]
    steps = contents.get("step") or [contents]
    facts["pyfcrm:method"] = [_method_name(step.get("method")) for step in steps]
    for step in steps:
        for role, columns in (step.get("roles") or {}).items():
            listed = facts.setdefault(f"pyfcrm:{role}", [])
            listed += columns if isinstance(columns, list) else [columns]
    return facts


def _method_name(table: Any) -> str:
    """The name of a method in a manifest."""
    return str(table.get("name")) if isinstance(table, Mapping) else str(table)


def _versions(contents: Mapping[str, Any]) -> dict[str, str]:
    """The versions of software and the platform."""
    known = {**(contents.get("versions") or {})}
    if "platform" in contents:
        known["platform"] = contents["platform"]
    return {f"pyfcrm:{name}": str(value) for name, value in known.items()}


def _add_person(document: dict[str, Any], decision: Mapping[str, Any], manifest: str, releases: list[str]) -> None:
    """Who let the release out although the verdict was not "pass", and why."""
    person = f"pyfcrm:responsible-{manifest[:SHORT]}"
    document["agent"][person] = {"prov:type": _name("prov:Person"), "prov:label": str(decision.get("by"))}
    document["wasAttributedTo"] = {
        f"_:attributed{k}": {
            "prov:entity": _file(release),
            "prov:agent": person,
            "pyfcrm:despite_hold": str(decision.get("despite_hold")),
        }
        for k, release in enumerate(releases, 1)
    }


def _file(digest: str) -> str:
    """The name of a file by its SHA-256."""
    return f"sha256:{digest}"


def _name(qualified: str) -> dict[str, str]:
    """A qualified name as a value of an attribute."""
    return {"$": qualified, "type": "prov:QUALIFIED_NAME"}
