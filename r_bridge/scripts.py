"""Where the R sources are: a wheel carries them as data of this package; in a checkout they lie beside it."""

from __future__ import annotations

from pathlib import Path

from pyfcrm.errors import InvalidInput

HERE = Path(__file__).resolve().parent
FOLDER = next((path for path in (HERE / "r_scripts", HERE.parent / "r_scripts") if path.is_dir()), HERE / "r_scripts")
SESSION = ("fcrm/R/conditions.R", "fcrm/R/bytes.R", "bridge.R")  # what every session needs


def script(name: str) -> Path:
    """The path of one of the project's own R files, such as "reference/pil.R"."""
    path = FOLDER / name
    if not path.is_file():
        raise InvalidInput(
            "r_bridge", "the project's R files must be installed with r_bridge", f"no {path}; reinstall pyfcrm"
        )
    return path


def read_code(path: Path | str) -> str:
    """An R file's text. UTF-8, with or without its mark, else Latin-1. Raises InvalidInput for no file."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InvalidInput(str(path), "the R file cannot be read", error.strerror or str(error)) from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n")  # R's parse() of text refuses the line ends of Windows
