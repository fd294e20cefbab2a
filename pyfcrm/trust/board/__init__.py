"""The dossier of a release, which a board reads, answers and signs."""
