"""Paths of the R sources: in a wheel they are data of this package, in a checkout a folder next to it."""

from pathlib import Path

from pyfcrm.errors import InvalidInput

PACKAGE = Path(__file__).resolve().parent
FOLDER = next(
    (path for path in (PACKAGE / "r_scripts", PACKAGE.parent / "r_scripts") if path.is_dir()), PACKAGE / "r_scripts"
)
SESSION = ("fcrm/R/conditions.R", "fcrm/R/bytes.R", "bridge.R")  # loaded by every session, in this order


def script(name: str) -> Path:
    """The path of one of the project's own R files, such as "reference/pil.R"."""
    path = FOLDER / name
    if not path.is_file():
        raise InvalidInput(
            "r_bridge", "the project's R files must be installed with r_bridge", f"no {path}; reinstall pyfcrm"
        )
    return path


def read_code(path: Path | str) -> str:
    """An R file's text: UTF-8, with or without a byte order mark, else Latin-1. Raises InvalidInput if it cannot be read."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InvalidInput(str(path), "the R file cannot be read", error.strerror or str(error)) from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n")  # R's parse() of text refuses carriage returns
