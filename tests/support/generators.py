"""Generators of third parties, for External."""


class Given:
    """A generator whose release is a given file."""

    def __init__(self, release):
        self.release = release

    def fit(self, frame):
        """Nothing is learnt."""

    def sample(self, n):
        return self.release
