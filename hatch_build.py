"""Built with the wheel: what it is made of and what it asks for, as CycloneDX JSON in .dist-info/sboms/ (PEP 770)."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.core import ProjectMetadata
from packaging.requirements import Requirement

NAME = "pyfcrm.cdx.json"
REQUIREMENT = "pyfcrm:requirement"


class BillOfMaterials(BuildHookInterface):  # type: ignore[type-arg]
    """Writes the bill beside the build, and takes it away again; the same bytes from the same pyproject.toml."""

    folder: str = ""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or version == "editable":
            return
        self.folder = tempfile.mkdtemp(prefix="pyfcrm-bill-")
        path = Path(self.folder, NAME)
        path.write_text(json.dumps(bill(self.metadata), indent=1) + "\n", encoding="utf-8")
        build_data["sbom_files"].append(str(path))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


def bill(metadata: ProjectMetadata[Any]) -> dict[str, Any]:
    """Nothing of others' is inside the wheel; what it asks for is named with its range, needed or of an extra.

    Exact versions and hashes stand in requirements.lock.
    """
    core = metadata.core
    own = f"pkg:pypi/{core.name}@{metadata.version}"
    asked: dict[str, tuple[str, set[str]]] = {one: ("required", {""}) for one in core.dependencies}
    for extra, words in core.optional_dependencies.items():
        for one in () if extra == "dev" else words:
            if Requirement(one).name != core.name:
                asked.setdefault(one, ("optional", set()))[1].add(extra)
    components = [_component(word, scope, extras) for word, (scope, extras) in sorted(asked.items())]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": own,
                "name": core.name,
                "version": metadata.version,
                "purl": own,
                "licenses": [{"license": {"id": core.license_expression}}],
            }
        },
        "components": components,
        "dependencies": [{"ref": own, "dependsOn": [one["bom-ref"] for one in components]}],
    }


def _component(word: str, scope: str, extras: set[str]) -> dict[str, Any]:
    one = Requirement(word)
    purl = f"pkg:pypi/{one.name.lower()}"
    properties = [{"name": REQUIREMENT, "value": word}]
    properties += [{"name": "pyfcrm:extra", "value": extra} for extra in sorted(extras) if extra]
    return {
        "type": "library",
        "bom-ref": word,
        "name": one.name,
        "scope": scope,
        "purl": purl,
        "properties": properties,
    }
