"""Third-party synthesizers: an object that is fitted and sampled, or a command that reads one file and writes another."""

import copy
import os
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..data.roles import Roles
from ..errors import InvalidInput, InvalidParameter, Note, one_line, shortened
from ..files.formats import read_table
from .facts import Facts
from .method import Method
from .parameter import param
from .work import FileWork, Run

INPUT, OUTPUT = "{input}", "{output}"
OWN_SEED = "{method} draws its own random numbers: the seed given here does not repeat this release, and it cannot be made again"


def _generator(owner: str, name: str, value: Any) -> Any:
    """Generators: an object with fit and sample, or a command as a list of words, or as a text of them."""
    words = value
    if isinstance(value, str):
        try:
            words = shlex.split(value)
        except ValueError:
            words = ()
    if isinstance(words, Sequence) and words and all(isinstance(word, str) and "\0" not in word for word in words):
        return tuple(words)
    if callable(getattr(value, "fit", None)) and callable(getattr(value, "sample", None)):
        return value
    rule = "must be an object with fit(frame) and sample(n), or a command such as ['python', 'model.py']"
    raise InvalidParameter(owner, name, rule, type(value).__name__)


@dataclass(frozen=True)
class External(Method):
    """A whole new file from a generator that is not of this package, in the user's own environment, under its own licence.

    Parameters
    ----------
    generator : object or list of str
        An object with fit(frame) and sample(n). It is copied if possible, and fitted to a pandas data frame without
        identifiers. sample(n) gives n records of the same columns: a data frame, an array with the columns in order, or
        a tuple that begins with either, as in scikit-learn's mixtures. Or a command, a list of words or one text, which
        runs without a shell. {input} and {output} in it, or else two added words, are the CSV files that it reads and
        writes. They lie in its working folder, which is private and removed at the end.
    seconds : float
        How long a command may take; it is then stopped.
    name : str, optional
        What it is called in reports; None for the object's class, or the command's first word.

    Raises
    ------
    InvalidInput
        By `protect`, in one sentence, where the generator fails, or gives other columns, types or numbers of records.

    Notes
    -----
    All columns of the release are new, independent ones too, and its records do not pair with the original's. Linkage
    and interval disclosure are empty: audit() judges such a release. The generator may release original values or
    records verbatim, which an audit detects.

    Codes of missing values are gaps of the frame that the generator gets. Gaps that it gives become such codes.

    Draws: none of ours, but for the codes where a column has several.

    Seed: has no part in it.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> from sklearn.mixture import GaussianMixture
    >>> mixture = pf.External(GaussianMixture(2), name="mixture")
    >>> str(mixture)
    'External(mixture)'
    """

    generator: Any = param(
        check=_generator,
        requirement="an object with fit(frame) and sample(n), or a command",
        help="what is fitted and sampled, or a command that reads {input} and writes {output}",
    )
    seconds: float = param(3600.0, above=0, help="how long a command may take", unit="seconds")
    name: str | None = param(None, requirement="a text", help="what it is called in reports")

    about = "a third-party synthesizer, in the user's own environment: a whole new file"
    term = "synthesizer of another program"
    source = "its own"
    group = "synthetic"

    @property
    def citation(self) -> str:
        """See Procedure.citation: whose program it is, is not known."""
        return self.term

    def work(self, roles: Roles, records: int | None) -> FileWork:
        """See Method.work."""
        return FileWork(self.release)

    def facts(self, roles: Roles) -> Facts:
        """See Procedure.facts."""
        return Facts(
            masks="values",
            pairs="never",
            keeps="",
            averages=False,
            reissues_values=False,
            # The seed given to protect() draws nothing.
            undone_by_seed=False,
            weak_generator=False,
            deniable=False,
            privacy=None,
            swaps=False,
            attacks=(),
            seed_probe="release",
        )

    def _check(self) -> None:
        if self.name is not None and (not isinstance(self.name, str) or not self.name.strip()):
            raise InvalidParameter("External", "name", "must be a text", self.name)

    @property
    def called(self) -> str:
        """Its name, or that of the object's class, or the last part of the command's first word."""
        if self.name is not None:
            return self.name
        if isinstance(self.generator, tuple):
            return os.path.basename(self.generator[0]) or "command"
        return type(self.generator).__name__

    def parameters(self) -> dict[str, Any]:
        """See Method.parameters: by its name; neither an object nor a path is disclosed."""
        return {"generator": self.called}

    def settings(self) -> str:
        """See Method.settings."""
        return self.called

    def release(self, frame: Any, records: int, run: Run) -> Any:
        """The records that the generator makes; see FileWork.release. A command decides itself how many it writes.

        Parameters
        ----------
        frame : DataFrame
            The original's complete records, without identifiers.
        records : int
            The number of records wanted.
        run : Run
            Receives a note that the generator has random numbers of its own.

        Returns
        -------
        DataFrame, ndarray or tuple
            What the generator gave; a tuple begins with the records.

        Raises
        ------
        InvalidInput
            If the generator fails.
        """
        run.note(Note.of("risk", OWN_SEED, method=str(self)))
        if isinstance(self.generator, tuple):
            return self._file_of_command(frame)
        generator = _copied(self.generator)
        try:
            generator.fit(frame)
            return generator.sample(records)
        except (Exception, SystemExit) as error:
            raise InvalidInput(str(self), "the generator failed", _described(error)) from error

    def _file_of_command(self, frame: Any) -> Any:
        """The file that the command writes, from the frame as a CSV file, in a folder that only its owner may read."""
        with tempfile.TemporaryDirectory(prefix="pyfcrm-external-") as folder:
            source, output = (os.path.join(folder, name) for name in ("input.csv", "output.csv"))
            frame.to_csv(source, index=False)
            words = self.generator
            if not any(INPUT in word or OUTPUT in word for word in words):
                words = (*words, INPUT, OUTPUT)
            self._run([word.replace(INPUT, source).replace(OUTPUT, output) for word in words], folder)
            try:
                return read_table(output)
            except InvalidInput as error:
                raise InvalidInput(str(self), f"the command's output must be a CSV file: {error.rule}") from error

    def _run(self, command: Sequence[str], folder: str) -> None:
        nothing = subprocess.DEVNULL
        with tempfile.TemporaryFile(dir=folder) as errors:
            try:
                ended = subprocess.run(
                    command, cwd=folder, stdin=nothing, stdout=nothing, stderr=errors, timeout=self.seconds
                )
            except subprocess.TimeoutExpired as error:
                rule = f"the command must end within {self.seconds:g} seconds, and was stopped"
                raise InvalidInput(str(self), rule) from error
            except (OSError, ValueError) as error:
                raise InvalidInput(str(self), "the command could not be started", _described(error)) from error
            errors.seek(0)
            *_, last = [b"no message", *errors.read().splitlines()]
            if ended.returncode:
                status = f"{ended.returncode}: {one_line(last.decode('utf-8', 'replace'))}"
                raise InvalidInput(str(self), "the command must end with status 0", shortened(status))


def _copied(generator: Any) -> Any:
    """A copy of a generator, so that fitting does not change the user's; itself where it has no copy, as with an open connection."""
    try:
        return copy.deepcopy(generator)
    except (Exception, SystemExit):  # of any kind: the class of the generator decides
        return generator


def _described(error: BaseException) -> str:
    """An error as its class and message, in a line."""
    return shortened(one_line(f"{type(error).__name__}: {error}"))
