"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

from ..errors import InvalidInput, PyfcrmError
from .paths import Path, check_new, check_output, path_text
from .temporary import ORDINARY, Temporary, alone_in, dead

PUBLIC = 0o666  # less the umask, as for any new file
PRIVATE = 0o600


class Pending:
    """A file on its way: its bytes go to a locked temporary file beside it, which `appear` renames.

    As a path it is the one it will have. mode : its permissions, less the umask; overwrite : whether it may replace a
    file; suffix : of the temporary file's name.
    """

    def __init__(self, path: Path, mode: int = PUBLIC, overwrite: bool = True, suffix: str = ORDINARY) -> None:
        self.name = path_text("output", path)
        self.target = os.path.realpath(self.name)  # a link keeps pointing at its file
        self.folder = os.path.dirname(self.target)
        self._mode, self._overwrite, self._suffix = mode, overwrite, suffix
        self._temporary: Temporary | None = None

    def __fspath__(self) -> str:
        return self.name

    @property
    def temporary(self) -> Temporary:
        """Where the bytes go, made when it is first asked for."""
        if self._temporary is None:
            self._temporary = Temporary(self.folder, self._mode, self._suffix)
        return self._temporary

    def write(self, data: bytes) -> None:
        """All of its bytes."""
        with writing(self.name), open(self.temporary.path, "wb") as file:
            file.write(data)

    def synchronise(self) -> None:
        """Its bytes on the disk, so that nothing but its name is left to do."""
        with writing(self.name):
            self.temporary.synchronise()

    def rename(self) -> None:
        """Its name given."""
        with writing(self.name):
            self.temporary.rename(self.target)

    def check_new(self) -> None:
        """Raises InvalidInput where a file appeared meanwhile that it must not replace."""
        check_new(self.name, self._overwrite)

    def close(self) -> None:
        """Whatever is temporary, removed."""
        if self._temporary is not None:
            self._temporary.close()
            self._temporary = None


@contextmanager
def writing(name: str, rule: str = "the file could not be written") -> Iterator[None]:
    """The system's errors as one sentence that names the file."""
    try:
        yield
    except OSError as error:
        if isinstance(error, PyfcrmError):
            raise
        lines = str(error).strip().splitlines()
        reason = os.strerror(error.errno) if error.errno else (lines or [type(error).__name__])[0]
        raise InvalidInput(name, rule, reason) from error


@contextmanager
def appearing(path: Path, mode: int = PUBLIC, overwrite: bool = True) -> Iterator[Pending]:
    """A file to be written, which appears at the end; whatever goes wrong, interrupts too, nothing is left of it.

    One that is pending already appears when its owner says so. What dead runs left in the folder is settled first.
    Raises InvalidInput where the file cannot be written.
    """
    if isinstance(path, Pending):
        with writing(path.name):
            yield path
        return
    pending = Pending(path, mode, overwrite)
    remove_dead(pending.folder)
    try:
        with writing(pending.name):
            yield pending
        pending.synchronise()
        appear(pending)
    finally:
        pending.close()


@contextmanager
def all_appearing(paths: Sequence[Path], overwrite: bool = True) -> Iterator[Sequence[Path]]:
    """Several files to be written, which appear at the end, all or none; those that are pending already, as their owner says.

    Raises InvalidInput where one cannot be written.
    """
    if len(paths) == 1 or isinstance(paths[0], Pending):
        yield paths
        return
    with ExitStack() as files:
        made = [Pending(path, overwrite=overwrite) for path in paths]
        for one in made:
            files.callback(one.close)
        remove_dead(made[0].folder)
        yield made
        for one in made:
            one.synchronise()
        appear(*made)


def appear(*files: Pending) -> None:
    """Give files, the last of which may tell of the others, their names: all or none, in their order.

    Their bytes must be on the disk. Killed in between, those before are new, and temporary files of the rest are left, whole.
    """
    folders = {one.folder for one in files}
    with alone_in(folders):
        for one in files:
            one.check_new()
        _rename_all(files)
    for folder in folders:
        synchronise_folder(folder)


def _rename_all(files: Sequence[Pending]) -> None:
    earlier = [_second_name(one) for one in files[:-1]]  # the last is renamed or not: nothing is taken back of it
    try:
        for one in files:
            one.rename()
    except BaseException:
        if os.path.exists(files[-1].temporary.path):
            for one, before in zip(files, earlier, strict=False):
                if not os.path.exists(one.temporary.path):
                    _take_back(one, before)
        raise
    finally:
        for name in earlier:
            if name is not None:
                with suppress(OSError):
                    os.unlink(name)


def _take_back(one: Pending, before: str | None) -> None:
    """What stood where a file was put, put there again."""
    if before is None:
        os.unlink(one.target)
    else:
        os.replace(before, one.target)


def _second_name(release: Pending) -> str | None:
    """Another name for the file that will be replaced, to take it back by; None where there is none."""
    if not os.path.exists(release.target):
        return None
    name = release.temporary.path.removesuffix(ORDINARY) + ".tmp"
    with writing(release.name):
        try:
            os.link(release.target, name)
        except OSError:  # a file system that knows one name a file
            shutil.copy2(release.target, name)
    return name


def write_bytes(path: Path, data: bytes, *, mode: int = PUBLIC) -> None:
    """Write `data` to `path`: the file there is either the old one or the whole new one.

    mode : permissions of the new file, less the umask; they hold from the moment it is created.
    Raises InvalidInput where the file cannot be written.
    """
    check_output(path)
    with appearing(path, mode) as pending:
        pending.write(data)


def write_text(path: Path, text: str, *, mode: int = PUBLIC) -> None:
    """Write `text` as UTF-8, line ends as they are; otherwise as `write_bytes`."""
    write_bytes(path, text.encode("utf-8"), mode=mode)


def remove_dead(folder: str) -> None:
    """Remove the temporary files that dead runs left in a folder; manifests that wait for a release are let be."""
    with alone_in([folder]), dead(folder) as left:
        for path in left:
            with suppress(OSError):
                os.unlink(path)


def synchronise_folder(folder: str) -> None:
    """Make the renaming itself durable, where the system can (Windows cannot)."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
