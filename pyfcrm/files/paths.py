"""What a path may be, and where an output may go."""

import os
from collections.abc import Collection, Iterable

from ..errors import InvalidInput, InvalidParameter

Path = str | os.PathLike[str]

PARQUET = ("parquet", "pq")
LEDGER_KEY = ".key"  # ends the name of a ledger's key
NOT_READ = "the file could not be read"
EXISTS = "an output must be a new file (overwrite=True replaces one)"


def path_text(owner: str, path: object) -> str:
    """`path` as a string, with ~ expanded; anything that no file can be called is an InvalidParameter."""
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(text, str) or not text or "\0" in text:
        raise InvalidParameter(owner, "path", "must be the path of a file", path)
    return os.path.expanduser(text)


def extension(path: str) -> str:
    """The extension in lower case, without its dot; "" if there is none."""
    return os.path.splitext(path)[1].lstrip(".").lower()


def copy_paths(path: Path, copies: int) -> list[Path]:
    """Paths of the copies of a release: the path itself for one, else out-1.csv, out-2.csv and so on."""
    if copies == 1:
        return [path]
    stem, kind = os.path.splitext(path_text("output", path))
    return [f"{stem}-{k}{kind}" for k in range(1, copies + 1)]


def require_extension(path: str, rule: str, known: Collection[str]) -> str:
    """The extension of a path. Raises InvalidInput where it is not known."""
    kind = extension(path)
    if kind not in known:
        listed = ", ".join("." + name for name in known)
        raise InvalidInput(path, f"{rule} extension must be one of {listed}", f".{kind}" if kind else "no extension")
    return kind


def check_output(
    path: Path, inputs: Path | Iterable[Path | None] = (), extensions: Collection[str] | None = None
) -> str:
    """Refuse, before any work is done, a path that an output cannot or must not be written to.

    path : where the output will go; inputs : files it must not be (links of both kinds are seen through; None is skipped);
    extensions : of which it has one, in lower case without a dot; None for any. Returns the path as a string.
    Raises InvalidInput or InvalidParameter, one sentence each.
    """
    text = path_text("output", path)
    if extensions is not None:
        require_extension(text, "an output's", extensions)
    if os.path.isdir(text):
        raise InvalidInput(text, "an output must be a file, and this is a folder")
    target = os.path.realpath(text)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise InvalidInput(text, "an output's folder must exist (create it first)", folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InvalidInput(text, "an output's folder must be one you may write to", folder)
    if os.path.exists(target) and not os.path.isfile(target):
        raise InvalidInput(text, "an output must be an ordinary file, not a device or a pipe")
    for other in [inputs] if isinstance(inputs, str | os.PathLike) else inputs:
        if other is not None and same_file(text, path_text("output", other)):
            raise InvalidInput(
                text, "an output must not replace another file of this run (choose another name)", os.fspath(other)
            )
    return text


def check_ledger(path: Path, others: Iterable[Path | None]) -> str:
    """The path of a ledger. Raises InvalidInput where it or its key is another file of the run. others : these; None is skipped."""
    name = path_text("ledger", path)
    if name.endswith(LEDGER_KEY):
        raise InvalidInput(
            name, f"a ledger's name must not end with {LEDGER_KEY}, as that of another ledger's key does"
        )
    others = list(others)
    for file in (name, name + LEDGER_KEY):
        check_output(file, others)
    return name


def parquet_files(path: str) -> list[str]:
    """The Parquet files behind a path: the file itself, or those directly in a folder by name, hidden ones left out."""
    if not os.path.isdir(path):
        return [path]
    visible = sorted(entry for entry in os.listdir(path) if not entry.startswith((".", "_")))
    return [os.path.join(path, entry) for entry in visible if entry.lower().endswith((".parquet", ".pq"))]


def check_new(path: str, overwrite: bool) -> None:
    """Raises InvalidInput for an output that exists, unless it is to be replaced."""
    if not overwrite and os.path.exists(path):
        raise InvalidInput(path, EXISTS)


def same_file(one: str, other: str) -> bool:
    """Whether two paths lead to one file, through symbolic links, hard links and relative parts."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    return os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other)
