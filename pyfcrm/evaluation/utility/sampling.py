"""The sampling design of a file, by its roles."""

from __future__ import annotations

import numpy as np

from ...data import Frame, Roles, checked
from ...data.levels import weights_of
from ...data.replicate_factors import factors_of
from ...data.units import unit_codes
from ...errors import InvalidInput, InvalidParameter, Note
from ...numerics.sampling_variance.design import SamplingDesign
from ...numerics.sampling_variance.linearised import Linearised
from ...numerics.sampling_variance.replicated import Replicated
from ...protection.protected import Protected
from ...types import Array, Codes, Mask

LONELY = "{count} {count:stratum has|strata have} one primary sampling unit: its variance is by the mean of all units"


def sampling_design(owner: str, frame: Frame, roles: Roles, rows: Mask) -> SamplingDesign:
    """The design of the records `rows`, a mask (n,), of a frame, by the columns of its roles: a domain of its records with a weight.

    Replicate weights of a known type go before units and strata. Without `psu` the units are households, then units observed
    repeatedly, then records. Raises InvalidInput for a column that is not there, a missing unit or stratum, and a weight that is none.
    """
    sampled = rows
    if roles.weight is None:
        sampled = np.ones(frame.records, dtype=bool)
        weights = np.ones(frame.records)
    else:
        sampled = rows | (checked(owner, frame, [roles.weight])[:, 0] > 0)
        weights = weights_of(owner, frame, roles.weight, sampled)
    design = _of_sample(owner, frame, roles, sampled, weights)
    return design.taken(rows[sampled])


def _of_sample(owner: str, frame: Frame, roles: Roles, sampled: Mask, weights: Array) -> SamplingDesign:
    """The design of all records with a weight. sampled : mask (n,); weights : (m,) of these records."""
    if roles.replicate_type is not None:
        replicates = _replicates(owner, frame, roles, sampled)
        scale, rscales = factors_of(
            roles.replicate_type, replicates.shape[1], roles.replicate_scale, roles.replicate_rscales
        )
        return Replicated.of(weights, replicates, scale, np.array(rscales))

    strata = np.zeros(len(weights), dtype=np.int64)
    if roles.sampling_stratum is not None:
        strata = _codes(owner, frame, roles.sampling_stratum, "sampling_stratum", sampled)
    if roles.psu is not None:
        return Linearised.of(weights, strata, _codes(owner, frame, roles.psu, "psu", sampled))
    units = unit_codes(frame, roles, np.flatnonzero(sampled), whole_households=True)
    return Linearised.of(weights, strata, np.arange(len(weights)) if units is None else units)


def design_roles(owner: str, roles: object, release: object) -> Roles | None:
    """The roles whose sampling design an analysis uses: those given, else of a result of protect() if they have a design.

    Raises InvalidParameter for what is no Roles.
    """
    if roles is None:
        of_release = release.roles if isinstance(release, Protected) else None
        return of_release if of_release is not None and of_release.has_sampling_design else None
    if not isinstance(roles, Roles):
        raise InvalidParameter(owner, "roles", "must be a Roles(psu=..., weight=...)", type(roles).__name__)
    return roles


def design_notes(design: SamplingDesign | None, which: str = "") -> list[Note]:
    """A note on strata of one unit. which : the file, such as "original: "."""
    if isinstance(design, Linearised) and design.lonely:
        return [Note.of("approximated", which + LONELY, count=design.lonely)]
    return []


def _codes(owner: str, frame: Frame, name: str, role: str, rows: Mask) -> Codes:
    """The codes (n,) of the units or strata of records. Raises InvalidInput where one is missing."""
    if name not in frame.names:
        raise InvalidInput(owner, f"the {role} `{name}` of the roles must be a column", list(frame.names)[:5])
    codes = frame.codes(name)[rows]
    if (codes < 0).any():
        record = int(np.flatnonzero(rows)[np.argmax(codes < 0)]) + 1
        raise InvalidInput(
            owner, f"the {role} `{name}` must be there in every record that is used", f"none in record {record}"
        )
    return codes


def _replicates(owner: str, frame: Frame, roles: Roles, rows: Mask) -> Array:
    """The replicate weights (n, R). Raises InvalidInput where one is missing or negative."""
    replicates = checked(owner, frame, list(roles.replicate_weights))[rows]
    bad = ~(replicates >= 0)
    if bad.any():
        i, j = np.argwhere(bad)[0]
        rule = f"the replicate weight `{roles.replicate_weights[j]}` must be at least 0 and not missing"
        raise InvalidInput(owner, rule, f"{replicates[i, j]:g} in record {np.flatnonzero(rows)[i] + 1}")
    return replicates
