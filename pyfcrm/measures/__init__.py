"""The measures, by key: those of DEFAULT, then the others that the files of this folder declare. A new measure is a new file."""

from importlib import import_module
from pkgutil import iter_modules

from .measure import Measure

DEFAULT = ("pil", "dbrl", "prl", "id", "dr", "score")
_MODULES = [import_module(f".{file.name}", __name__) for file in iter_modules(__path__)]
_DECLARED = {
    measure.key: measure for module in _MODULES for measure in vars(module).values() if isinstance(measure, Measure)
}
MEASURES: dict[str, Measure] = {key: _DECLARED[key] for key in (*DEFAULT, *_DECLARED)}
INFORMED = tuple(key for key, measure in MEASURES.items() if measure.informed)
"""Added to the others wherever the method is known."""
