"""make docs: builds the pages in pyfcrm/site, which `pyfcrm docs` opens and a wheel contains.

R runs vignettes that changed (knit.py). Python runs pages with cells (cells.py). The reference is generated (reference.py). Sphinx builds
the site without a network, and every link within it is checked.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

from cells import as_page, run_cells
from knit import SOURCES, STORED, is_current, knit_changed
from reference import picture, reference

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent
SITE = REPOSITORY / "pyfcrm" / "site"
MAX_BYTES = 6_000_000
PROJECT = ("CHANGELOG.md", "NOTATION.md", "CONTRIBUTING.md", "SECURITY.md")
OLD = "This page comes from an earlier version of its source. `make docs` with R renews it."
# Corrections of inline styles and of accessibility faults in the theme's pages.
REPLACED = {
    ' style="display: none;"': " hidden",
    ' style="opacity: 50%"': ' opacity="0.5"',
    'class="caption" role="heading"': 'class="caption" role="heading" aria-level="2"',
    "<pre>": '<pre tabindex="0">',
    '<pre style="': '<pre tabindex="0" style="',
    "<th></th>": "<td></td>",
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    '<aside class="sidebar-drawer"': '<aside aria-label="Pages" class="sidebar-drawer"',
    '<aside class="toc-drawer': '<aside aria-label="On this page" class="toc-drawer',
    '<th class="head"><p></p></th>': "<td></td>",
    '<th class="head text-left"><p></p></th>': "<td></td>",
    '<div id="search-results"': '<h1>Search</h1><div id="search-results"',
}
LEFT_OUT = (".doctrees", ".buildinfo", "objects.inv", "_sources")


def sources() -> dict[str, str]:
    """The text of every page by its path, before cells are run."""
    pages = {path.relative_to(HERE).as_posix(): path.read_text(encoding="utf-8") for path in HERE.glob("*.md")}
    pages |= {f"guides/{source.stem}.md": _guide(source) for source in SOURCES}
    pages |= {f"project/{name}": _project(name) for name in PROJECT}
    return {**pages, **reference()}


def _guide(source: Path) -> str:
    """The stored page of a vignette, with links to the other vignettes that it names."""
    text = (STORED / f"{source.stem}.md").read_text(encoding="utf-8")
    for other in SOURCES:
        if other != source:
            text = re.sub(rf"(?<!\[)`{other.stem}`", f"[{other.stem}]({other.stem}.md)", text)
    if is_current(source):
        return text
    title, rest = re.split(r"(?<=\n)(?=# [^\n]*\n)", "\n" + text, maxsplit=1)[1].split("\n", 1)
    return f"{title}\n\n```{{note}}\n{OLD}\n```\n{rest}"


def _project(name: str) -> str:
    text = (REPOSITORY / name).read_text(encoding="utf-8")
    return re.sub(r"\]\((?!http|#)([^)]+)\)", lambda link: _project_link(link[1]), text)


def _project_link(target: str) -> str:
    """A link in a file of the checkout, as a link to its page; files without a page are named without a link."""
    if target in PROJECT:
        return f"]({target})"
    if target.startswith("docs/"):
        return f"](../{target.removeprefix('docs/')})"
    return f"] (`{target}` in the checkout)"


def write(folder: Path) -> Iterator[str]:
    """Runs the cells of every page and writes the page into the folder that Sphinx reads."""
    for path, text in sources().items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if "```{python}" in text or "```{bash}" in text:
            yield f"running the cells of docs/{path}"
            cells = run_cells(text, path)
            text, pictures = as_page(cells, target.stem)
            for name, png in pictures.items():
                (target.parent / name).write_bytes(png)
        text = re.sub(r"PICTURE (\w+) (\w+)", lambda place: picture(place[1], place[2]), text)
        target.write_text(text, encoding="utf-8")
    for image in STORED.glob("*.png"):
        shutil.copy(image, folder / "guides" / image.name)
    (folder / "figures").mkdir()
    for image in (REPOSITORY / "vignettes" / "figures").glob("*.png"):
        shutil.copy(image, folder / "figures" / image.name)
    for name in ("static", "templates"):
        shutil.copytree(HERE / name, folder / name)
    shutil.copy(HERE / "conf.py", folder / "conf.py")


def build(folder: Path, out: Path) -> None:
    """Runs Sphinx; every warning is an error."""
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", str(folder), str(out)]
    paths = os.pathsep.join(filter(None, [str(REPOSITORY), os.environ.get("PYTHONPATH")]))
    env = {**os.environ, "SOURCE_DATE_EPOCH": "1767225600", "PYTHONPATH": paths, "PYTHONHASHSEED": "0"}
    if subprocess.run(command, env=env, check=False).returncode:
        raise SystemExit("docs: Sphinx reports the errors above")
    for name in LEFT_OUT:
        path = out / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def externalise(out: Path) -> None:
    """Moves styles and scripts from the pages into files: the studio's security policy refuses inline ones."""
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
        for part, accessible in REPLACED.items():
            text = text.replace(part, accessible)
        page.write_text(text, encoding="utf-8")


def broken(site: Path) -> list[str]:
    """Links without a target in the pages, and files that a page would fetch from the network."""
    texts = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    anchors = {path: set(re.findall(r'\s(?:id|name)="([^"]+)"', text)) for path, text in texts.items()}
    wrong: list[str] = []
    for path, text in texts.items():
        name = path.relative_to(site)
        wrong += [
            f"{name} fetches {url}"
            for url in re.findall(r'<(?:link|script|img)[^>]+(?:href|src)="((?:https?:)?//[^"]+)"', text)
        ]
        for target in re.findall(r'<[a-z]+\s[^>]*?(?:href|src)="([^"]+)"', text):
            parts = urlsplit(unescape(target))
            page = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            lost = not page.exists() or (
                parts.fragment and page in anchors and unquote(parts.fragment) not in anchors[page]
            )
            wrong += [f"{name} links to {target}"] if lost and not (parts.scheme or parts.netloc) else []
    return wrong


def main() -> None:
    """Builds all pages; the previous ones are replaced at the end."""
    for line in knit_changed([]):
        print(line, flush=True)
    with tempfile.TemporaryDirectory(prefix="pyfcrm-docs-") as name:
        folder, out = Path(name) / "pages", Path(name) / "site"
        for line in write(folder):
            print(line, flush=True)
        build(folder, out)
        externalise(out)
        wrong = broken(out)
        if wrong:
            raise SystemExit("docs: " + "\n".join(wrong))
        size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
        if size > MAX_BYTES:
            raise SystemExit(f"docs: {size:,} bytes are more than {MAX_BYTES:,}, the limit for a wheel")
        shutil.rmtree(SITE, ignore_errors=True)
        shutil.copytree(out, SITE)
    print(
        f"docs: {len(list(SITE.rglob('*.html')))} pages, {size / 1e6:.1f} MB in {SITE.relative_to(REPOSITORY)}; pyfcrm docs opens them"
    )


if __name__ == "__main__":
    main()
