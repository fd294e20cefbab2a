"""Some records of a file that is read by blocks, in which rules are found."""

from ..data import Frame
from ..data.frame import FrameView
from ..numerics.location import evenly
from ..types import Array, Codes

SAMPLE = 20_000  # records, evenly spaced


def sampled(frame: Frame) -> Frame:
    """A frame in memory as it is, some records of one that is read by blocks."""
    return frame if frame.source is None else SampledFrame(frame)


class SampledFrame(FrameView):
    """Numbers of some records of a file that is read by blocks."""

    def __init__(self, original: Frame) -> None:
        super().__init__(original)
        self._rows = evenly(original.records, SAMPLE)
        self.records = len(self._rows)

    def values(self, name: str) -> Array:
        """See Frame.values."""
        return self.original.values(name)[self._rows]

    def codes(self, name: str) -> Codes:
        """See Frame.codes."""
        return self.original.codes(name)[self._rows]
