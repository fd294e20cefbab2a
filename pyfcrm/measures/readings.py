"""What each measure tells, in one sentence for a reader who meets it in a report or on the screen."""

from __future__ import annotations

READINGS = {
    "pil": "How far means, variances, covariances, correlations and quantiles have moved, in terms of chance: 0 is not at "
    "all, 100 is further than sampling could explain.",
    "dbrl": "Share of records whose nearest protected record is their own: what an intruder who has the original values "
    "finds again by distance.",
    "prl": "Share of records that probabilistic linkage pairs with their own, by which values agree exactly.",
    "id": "Share of values that lie within 1 to 10 per cent of a standard deviation of their original, averaged over "
    "the ten widths: how nearly a value can be read off.",
    "dr": "Half interval disclosure, and half the mean of the two linkages: one number for what the release gives away.",
    "score": "The mean of information loss and disclosure risk: lower is a better balance, but look at both.",
    "id_rank": "Share of values whose original has a rank within 1 to 10 per cent of their own.",
    "prl_tolerance": "Probabilistic linkage where values within a tenth of a standard deviation count as agreeing.",
    "dbrl_mahalanobis": "Distance-based linkage by a distance that knows the attributes' variances and covariances.",
    "dbrl_supervised": "Distance-based linkage with the attributes' weights learned from the true pairs: the worst case.",
    "dbrl_subsets": "Distance-based linkage by the first attribute, the first two and so on to seven, averaged.",
    "um": "How alike the shares of variance along the original's main directions are: 1 is the same, 0 as far off as equal "
    "shares would be.",
    "cm3": "How little the order of one attribute tells of the others across the two files, at worst: 1 is nothing, 0 is "
    "everything.",
    "pmse": "How well a logistic regression tells release from original: 0 is not at all.",
    "specks": "The largest gap between the distributions of propensity scores: 0 where release and original look alike.",
    "detection": "The chance that a classifier ranks a protected record above an original one: 50 is guessing, 100 is "
    "certain, and below 50 other records' values were kept.",
    "correlation_difference": "How much correlations have changed, on average over pairs of attributes.",
    "il1": "Sum of the changes relative to each original value, zeros left out; the smallest values weigh most.",
    "il1s": "Sum of the changes in units of each attribute's standard deviation, over the root of 2.",
    "eigen": "How much the main directions of the correlations have changed in strength.",
    "drisk": "Share of originals with their own protected record within 5 per cent of a standard deviation everywhere.",
    "reissued": "Share of released values that are, exactly, observed values of their attribute.",
    "uniques": "Share of records that nobody else shares the key attributes with.",
    "k_anonymity": "The size of the smallest group of records with the same key attributes; 1 is a person alone.",
}
