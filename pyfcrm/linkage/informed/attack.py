"""What an attack is."""

from __future__ import annotations

from ...progress import OnStep, ignore_steps
from ...types import Array
from .given_x import given_x_alone
from .links import Scores


class Attack:
    """What an intruder does who knows the method: plain data that a method names.

    words : what is done, as a line of the report says it.
    """

    @property
    def words(self) -> str:
        """What the intruder does."""
        raise TypeError(f"{type(self).__name__} does not say what it does")

    def alone(self, X: Array, Y: Array, told: OnStep = ignore_steps) -> float:
        """Per cent that the columns X (n, s) link to the originals Y (n, t) without any release: the attack's yardstick.

        By a model of such records that leaves each record out. told : of the records done.
        """
        return given_x_alone(X, Y, told)

    def calibrated(self, margins: bool) -> tuple[Attack, ...]:
        """What is left of it where the release was moved to moments, and to margins too or not, afterwards."""
        return ()

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """Of a release.

        Parameters
        ----------
        X : array, shape (n, s)
            The columns that leave as they came, s may be 0: they come with the release.
        Y, Z : array, shape (n, t)
            Original values, which the intruder knows, and protected ones; paired by position.
        """
        raise TypeError(f"{type(self).__name__} does not say how it scores")
