"""make docs: the pages, from their sources to pyfcrm/site, which `pyfcrm docs` opens and a wheel carries.

Vignettes are run by R where they changed (knit.py), pages with cells are run here (cells.py), the reference is made of
what is declared (reference.py); then Sphinx, without a network, and every link within the pages is checked.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from cells import as_notebook, as_page, run_cells
from knit import SOURCES, STORED, is_current, knit_changed, unrun
from reference import reference

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent
SITE = REPOSITORY / "pyfcrm" / "site"
MOST_BYTES = 5_000_000
NOTEBOOKS = ("notebook-a-release", "notebook-under-attack")
PROJECT = ("CHANGELOG.md", "NOTATION.md", "CONTRIBUTING.md", "SECURITY.md")
OLD = "This page was made by an earlier version of its source: `make docs`, where R is, makes it again."
UNRUN = "The code of this page is shown without what it prints: `make docs`, where R is, runs it."
LEFT_OUT = (".doctrees", ".buildinfo", "objects.inv", "_sources")


def sources() -> dict[str, str]:
    """The text of every page by its path, cells not run yet: what is linked from here must be here."""
    pages = {path.relative_to(HERE).as_posix(): path.read_text(encoding="utf-8") for path in HERE.glob("*.md")}
    pages |= {f"guides/{one.stem}.md": _guide(one) for one in SOURCES}
    pages |= {f"project/{name}": _project(name) for name in PROJECT}
    pages["sdcmicro.md"] = pages["sdcmicro.md"].replace("TABLE", calls_table())
    return {**pages, **reference()}


def _guide(source: Path) -> str:
    """A stored vignette's page, the names of the others in it as links."""
    stored = STORED / f"{source.stem}.md"
    text = stored.read_text(encoding="utf-8") if stored.is_file() else unrun(source)
    for other in SOURCES:
        if other != source:
            text = re.sub(rf"(?<!\[)`{other.stem}`", f"[{other.stem}]({other.stem}.md)", text)
    if is_current(source):
        return text
    title, rest = re.split(r"(?<=\n)(?=# [^\n]*\n)", "\n" + text, maxsplit=1)[1].split("\n", 1)
    return f"{title}\n\n```{{note}}\n{OLD if stored.is_file() else UNRUN}\n```\n{rest}"


def calls_table() -> str:
    """The table of sdcMicro's calls, which stands in a vignette and is run by tests/golden/test_sdcmicro_table.py."""
    text = (REPOSITORY / "vignettes" / "r-and-python.Rmd").read_text(encoding="utf-8")
    return "\n".join(line for line in text.splitlines() if line.startswith("| "))


def _project(name: str) -> str:
    text = (REPOSITORY / name).read_text(encoding="utf-8")
    return re.sub(r"\]\((?!http|#)([^)]+)\)", lambda link: _elsewhere(link[1]), text)


def _elsewhere(target: str) -> str:
    """A link of the checkout as one of the pages; what is no page is named without a link."""
    return f"]({target})" if target in PROJECT else f"] (`{target}` in the checkout)"


def write(folder: Path) -> Iterator[str]:
    """Every page into the folder that Sphinx reads, cells run."""
    for path, text in sources().items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if "```{python}" in text or "```{bash}" in text:
            yield f"running the cells of docs/{path}"
            cells = run_cells(text, path)
            text, pictures = as_page(cells, target.stem, target.stem in NOTEBOOKS)
            for name, png in pictures.items():
                (target.parent / name).write_bytes(png)
            if target.stem in NOTEBOOKS:
                target.with_suffix(".ipynb").write_text(as_notebook(cells), encoding="utf-8")
        target.write_text(text, encoding="utf-8")
    for picture in STORED.glob("*.png"):
        shutil.copy(picture, folder / "guides" / picture.name)
    for picture in (REPOSITORY / "vignettes" / "figures").glob("*.png"):
        (folder / "figures").mkdir(exist_ok=True)
        shutil.copy(picture, folder / "figures" / picture.name)
    shutil.copytree(HERE / "static", folder / "static")
    shutil.copy(HERE / "conf.py", folder / "conf.py")


def build(folder: Path, out: Path) -> None:
    """Sphinx, every warning an error."""
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", str(folder), str(out)]
    paths = os.pathsep.join(filter(None, [str(REPOSITORY), os.environ.get("PYTHONPATH")]))
    env = {**os.environ, "SOURCE_DATE_EPOCH": "1767225600", "PYTHONPATH": paths, "PYTHONHASHSEED": "0"}
    if subprocess.run(command, env=env, check=False).returncode:
        raise SystemExit("docs: Sphinx has complaints, above")
    for name in LEFT_OUT:
        path = out / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def externalise(out: Path) -> None:
    """Move styles and scripts from the pages into files: the studio serves the pages by a policy that refuses inline ones."""
    parts: dict[str, str] = {}
    for page in out.rglob("*.html"):
        text, up = page.read_text(encoding="utf-8"), "../" * (len(page.relative_to(out).parts) - 1)
        for tag, kind, link in (
            ("style", "css", '<link rel="stylesheet" href="{}">'),
            ("script", "js", '<script src="{}"></script>'),
        ):
            for whole, content in re.findall(rf"(<{tag}>(.*?)</{tag}>)", text, re.DOTALL):
                name = parts.setdefault(content, f"_static/inline-{len(parts)}.{kind}")
                (out / name).write_text(content, encoding="utf-8")
                text = text.replace(whole, link.format(up + name))
        text = text.replace(' style="display: none;"', " hidden").replace(' style="opacity: 50%"', ' opacity="0.5"')
        page.write_text(text, encoding="utf-8")


class _Links(HTMLParser):
    """The addresses and the anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors: set[str] = set()
        self.fetched: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        self.anchors |= {one for one in (said.get("id"), said.get("name")) if one}
        self.targets += [one for one in (said.get("href"), said.get("src")) if one]
        own = said.get("src") or (said.get("href") if tag == "link" else None)
        self.fetched += [own] if own and own.startswith(("http:", "https:", "//")) else []


def broken(site: Path) -> list[str]:
    """Links within the pages that lead nowhere, and what a page would fetch from elsewhere."""
    pages = {path: _Links(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    wrong = [f"{path.relative_to(site)} fetches {one}" for path, page in pages.items() for one in page.fetched]
    for path, page in pages.items():
        for target in page.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            missing = not there.exists() or (
                parts.fragment and there in pages and not _has(pages[there], parts.fragment)
            )
            wrong += [f"{path.relative_to(site)} links to {target}"] if missing else []
    return wrong


def _has(page: _Links, fragment: str) -> bool:
    return unquote(fragment) in page.anchors or fragment == ""


def main() -> None:
    """All of it; the pages that stood there are replaced at the end."""
    for said in knit_changed([]):
        print(said, flush=True)
    with tempfile.TemporaryDirectory(prefix="pyfcrm-docs-") as name:
        folder, out = Path(name) / "pages", Path(name) / "site"
        for said in write(folder):
            print(said, flush=True)
        build(folder, out)
        externalise(out)
        wrong = broken(out)
        if wrong:
            raise SystemExit("docs: " + "\n".join(wrong))
        size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
        if size > MOST_BYTES:
            raise SystemExit(f"docs: {size:,} bytes are more than {MOST_BYTES:,}, what a wheel should carry")
        shutil.rmtree(SITE, ignore_errors=True)
        shutil.copytree(out, SITE)
    print(
        f"docs: {len(list(SITE.rglob('*.html')))} pages, {size / 1e6:.1f} MB in {SITE.relative_to(REPOSITORY)}; pyfcrm docs opens them"
    )


if __name__ == "__main__":
    main()
