"""What a reader without statistics needs of a dossier: the question of each test, and the words of the page."""

from collections.abc import Mapping

QUESTIONS: Mapping[str, str] = {
    "unprotected": "Does a released record still have all confidential values of a person?",
    "sample_uniques": "Are there persons or households whose unchanged values no other in the file has?",
    "key_risk": "How likely is it that an intruder who knows the unchanged columns of a person finds the right record?",
    "replicated": "Does the release repeat rare combinations of values of the persons in the file?",
    "risk": "Does the release tell more about a person than the other persons' values tell already?",
    "linkage": "Can an intruder who knows the method find the record of a person?",
    "edits": "Are there values that cannot be true, such as a wage without work?",
    "totals": "Does a total that is released exactly, or a largest value, disclose one person's value?",
    "order": "Does the place of a record in the file tell a confidential value?",
    "audit": "Do attacks succeed better on persons in the file than on persons who are not in it?",
    "dependence": "Does a released record resemble its own original more than it should?",
    "seed": "Can an intruder repeat the random numbers of the protection, and undo it?",
    "ledger": "Does this release, together with earlier ones, disclose what each alone does not?",
}
"""By test of the verdict, what it asks."""

FIGURES: Mapping[str, str] = {
    "unprotected": "First figure: such records beyond chance. Second: values of one column that are kept beyond chance. "
    "By chance a drawn value may be the true one, above all one that many have, such as 0. Nobody can tell which.",
    "sample_uniques": "A household counts by the values of all its members together. In a file with a weight the figure is of one "
    "column alone, and the individual risk judges the columns together.",
    "key_risk": "First figure: records with a chance above one in ten. Second: records that are expected to be found.",
}
"""By test, what its figures are, where the question does not show it."""

WORDS: Mapping[str, str] = {
    "Attributable": "What remains of a risk after what would be known without the person's own record is taken off.",
    "Audit": "Attacks on the file that are tried before it is released. An alarm is an attack that succeeds.",
    "Calibrated": "Adjusted afterwards, so that totals, spreads and relations are nearly those of the original.",
    "Digest, SHA-256": "A fingerprint of a file. If one character of the file changes, its digest is another one.",
    "Family of estimates": "Results of one kind that users compute, such as the means of groups.",
    "Honest draw": "A comparison: each person gets the values of a similar person. A release should lose little more than that.",
    "Notably": "By more than three standard errors: more than chance explains.",
    "Individual risk": "The chance that an intruder who knows the unchanged columns of a person finds the right record.",
    "Key variable": "An unchanged column that an intruder may know, such as age or region.",
    "Ledger": "A private list of earlier releases, by which the software finds the same persons in a new one.",
    "Manifest": "A private file that describes how the release was made. With it the agency can check or repeat the release.",
    "Members and others": "For a test, half of the persons are protected: the members. The others are not in that trial release.",
    "p": "How often chance alone gives such a result: 0.5 is one time in two, 0.01 one time in a hundred.",
    "Points": "The difference of two percentages.",
    "Predictor": "An unchanged column, from which the confidential values are drawn.",
    "Quantile": "A 90 % quantile: of ten persons, nine have at most this value. A 50 % quantile is the median.",
    "Record": "One line of the file, here the answers of one person or unit.",
    "Regression, logit, curve": "How one column changes with others, such as the wage with age.",
    "Sample unique": "A record, or a household, whose combination of unchanged values no other record in the file has.",
    "Seed": "The number that random numbers start from. Who knows it can repeat them.",
    "Standard error": "How far a result moves if other persons are asked. A change of less than one is small, of more than three is not.",
    "Stratum": "A part of the population from which persons were chosen separately.",
    "Weight": "How many persons of the population a record stands for.",
}
"""Words of the page, with their meaning."""
