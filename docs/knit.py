"""Vignettes as pages of the documentation: knitr runs each R Markdown source, and the page is stored in docs/knitted.

`make docs` runs the sources that changed, if R is installed. A stored page begins with the SHA-256 of its source. Without R the
stored pages are used, with a remark on those older than their sources (docs/make.py).
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from cells import PLACE

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent
STORED = HERE / "knitted"
SOURCES = (
    HERE / "getting-started-three-ways.Rmd",
    HERE / "a-public-use-file.Rmd",
    *(
        REPOSITORY / "vignettes" / f"{name}.Rmd"
        for name in (
            "getting-started",
            "choosing-a-method",
            "reading-the-numbers",
            "an-intruder-at-work",
            "the-same-answers",
            "r-and-python",
            "beyond-the-paper",
        )
    ),
    REPOSITORY / "r_scripts" / "fcrm" / "vignettes" / "fcrm.Rmd",
)
CENSUS = REPOSITORY.parent / "shared" / "data" / "census.csv"
PYTHON = "/home/me/.venv/bin/python"  # shown in place of the interpreter of this computer
SHA = "% sha256 of the source: "
PACKAGES = ("knitr", "reticulate", "jsonlite")
KNIT = """name <- commandArgs(TRUE)[1]
knitr::opts_chunk$set(dpi = 110, fig.path = paste0(name, "-"), error = FALSE)
knitr::opts_knit$set(rmarkdown.pandoc.to = "markdown")
knitr::render_markdown()
knitr::knit(paste0(name, ".Rmd"), paste0(name, ".md"), quiet = TRUE)
"""
SECONDS = 3600.0
IMAGE = re.compile(
    r'(?:<img src="(?P<at>[^"]+)"[^>]*?alt="(?P<alt>[^"]*)"[^>]*>|!\[(?P<alt2>[^\]]*)\]\((?P<at2>[^)]+)\))'
)


def digest(source: Path) -> str:
    """SHA-256 of a source, with which its stored page begins."""
    return hashlib.sha256(source.read_bytes()).hexdigest()


def is_current(source: Path) -> bool:
    """Whether the stored page comes from this version of the source."""
    page = STORED / f"{source.stem}.md"
    return page.is_file() and page.read_text(encoding="utf-8").startswith(SHA + digest(source))


def knit_changed(names: list[str]) -> Iterator[str]:
    """Runs the sources that changed, or those named. Yields a line before each step."""
    changed = [source for source in SOURCES if source.stem in names or (not names and not is_current(source))]
    if not changed:
        return
    if not _has_r():
        pages = ", ".join(source.stem for source in changed)
        yield f"R with {', '.join(PACKAGES)} is not installed: stored pages are used for {pages}"
        return
    with tempfile.TemporaryDirectory(prefix="pyfcrm-docs-") as folder:
        environment = _environment(Path(folder))
        for source in changed:
            yield f"running {source.relative_to(REPOSITORY)}"
            store(source, Path(folder) / source.stem, environment)


def _has_r() -> bool:
    code = "quit(status = !all(vapply(commandArgs(TRUE), requireNamespace, NA, quietly = TRUE)))"
    rscript = shutil.which("Rscript")
    return rscript is not None and subprocess.run([rscript, "-e", code, *PACKAGES], check=False).returncode == 0


def _environment(folder: Path) -> dict[str, str]:
    """Environment of an R with the package of this checkout, installed in a library in the folder."""
    library = folder / "library"
    library.mkdir()
    command = ["R", "CMD", "INSTALL", "--no-docs", f"--library={library}", str(REPOSITORY / "r_scripts" / "fcrm")]
    subprocess.run(command, check=True, capture_output=True)
    settings = {"R_LIBS": str(library), "RETICULATE_PYTHON": sys.executable, "HOME": str(folder)}
    paths = os.pathsep.join(filter(None, [str(REPOSITORY), os.environ.get("PYTHONPATH")]))
    census = {"PYFCRM_CENSUS": str(CENSUS)} if CENSUS.is_file() else {}
    environment = {**os.environ, "PYTHONPATH": paths, **settings, **census}
    fonts = [sys.executable, "-c", "import matplotlib.font_manager"]  # their cache is made here, not in a page's output
    subprocess.run(fonts, env=environment, check=True, capture_output=True)
    return environment


def knitted(source: Path, folder: Path, environment: dict[str, str]) -> str:
    """The Markdown page that knitr writes into the folder, with its pictures."""
    folder.mkdir()
    shutil.copy(source, folder / f"{source.stem}.Rmd")
    figures = source.parent / "figures"
    if figures.is_dir():
        shutil.copytree(figures, folder / "figures")
    command = ["Rscript", "--no-save", "--no-restore", "-e", KNIT, source.stem]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    if done.returncode:
        raise SystemExit(f"{source.name} fails:\n{done.stderr[-3000:]}")
    page = (folder / f"{source.stem}.md").read_text(encoding="utf-8")
    return page.replace(str(folder), PLACE).replace(sys.executable, PYTHON)


def store(source: Path, folder: Path, environment: dict[str, str]) -> None:
    """Writes the page and its pictures into docs/knitted, in place of the previous ones."""
    text = knitted(source, folder, environment)
    STORED.mkdir(exist_ok=True)
    for old in STORED.glob(f"{source.stem}-[0-9]*.png"):
        old.unlink()
    pictures: dict[str, str] = {}

    def stored(image: re.Match[str]) -> str:
        path = image["at"] or image["at2"]
        name = pictures.setdefault(path, f"{source.stem}-{len(pictures) + 1}.png")
        shutil.copy(folder / path, STORED / name)
        return f"![{(image['alt'] or image['alt2'] or source.stem).strip()}]({name})"

    text = re.sub(r"<style.*?</style>\n?", "", text, flags=re.DOTALL)
    text = IMAGE.sub(stored, text)
    text = re.sub(
        r'<div class="figure"[^>]*>\n?|<p class="caption">.*?</p>\n?(</div>)?|</div>', "", text, flags=re.DOTALL
    )
    page = f"{SHA}{digest(source)}\n\n{with_title(text)}"
    (STORED / f"{source.stem}.md").write_text(page.rstrip() + "\n", encoding="utf-8")


def with_title(text: str) -> str:
    """The page with the title of its header as the first heading."""
    _, header, body = text.split("---\n", 2)
    title = re.search(r'^title: "(.*)"$', header, re.MULTILINE)
    lines, inside, down = [f"# {title[1] if title else ''}", ""], False, ""
    for line in body.splitlines():
        inside = inside != line.startswith("```")
        if line.startswith("# ") and not inside:
            down = "#"  # after the heading of a part, headings are one level lower
        lines.append(down + line if line.startswith("#") and not inside else line)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


if __name__ == "__main__":
    for line in knit_changed(sys.argv[1:]):
        print(line, flush=True)
