"""What the doctor finds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing looked for: what it is for, the version found (None if it is missing), the command that mends it."""

    name: str
    purpose: str
    found: str | None
    mend: str | None = None
