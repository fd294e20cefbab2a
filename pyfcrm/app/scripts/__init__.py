"""The scripts that replay a release: short texts in Python and in R, and no text of a user's ever becomes code in them."""

from .python import python_script
from .r import r_script
from .replay import Replay, release_name

__all__ = ["Replay", "python_script", "r_script", "release_name"]
