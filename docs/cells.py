"""Runs the Python and shell cells of a page and adds their output to its text.

A cell is a fence ```{python} or ```{bash}. Cells of a page run in order, in a temporary folder; the last
expression of a Python cell is shown as in Jupyter. A cell that fails ends the build.
"""

from __future__ import annotations

import ast
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CELL = re.compile(r"^```\{(?P<kind>python|bash)\}\n(?P<code>.*?)\n```$", re.DOTALL | re.MULTILINE)
PLACE = "/home/me/work"  # shown in place of the temporary folder


@dataclass(frozen=True)
class Output:
    """The output of a cell: printed text, and the value of its last expression as text, HTML or a PNG picture."""

    printed: str = ""
    text: str = ""
    html: str = ""
    png: bytes = b""


@dataclass(frozen=True)
class Cell:
    """A piece of a page: prose (`kind` "prose") or code with its output."""

    kind: str
    source: str
    output: Output = field(default_factory=Output)


def run_cells(text: str, name: str) -> list[Cell]:
    """The pieces of a page with the outputs of its cells. Raises SystemExit, with the page's name, if a cell fails."""
    cells: list[Cell] = []
    with tempfile.TemporaryDirectory(prefix="pyfcrm-docs-") as folder, chdir(folder):
        space: dict[str, Any] = {"__name__": "__main__"}
        for kind, source in pieces(text):
            try:
                output = Output() if kind == "prose" else _bash(source) if kind == "bash" else _python(source, space)
            except Exception as error:
                raise SystemExit(f"{name}: a cell fails: {type(error).__name__}: {error}\n{source}") from error
            cells.append(Cell(kind, source, _without_folder(output, folder)))
    return cells


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """Prose and code in turn: kind and source."""
    at = 0
    for cell in CELL.finditer(text):
        yield "prose", text[at : cell.start()]
        yield cell["kind"], cell["code"]
        at = cell.end()
    yield "prose", text[at:]


def _python(source: str, space: dict[str, Any]) -> Output:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with redirect_stdout(printed), redirect_stderr(printed):
        exec(compile(tree, "<cell>", "exec"), space)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), space)
    if value is None:
        return Output(printed.getvalue())
    png = value._repr_png_() if hasattr(value, "_repr_png_") else b""
    html = value._repr_html_() if hasattr(value, "_repr_html_") and not png else ""
    return Output(printed.getvalue(), "" if png else repr(value), html or "", png)


def _bash(source: str) -> Output:
    """Output of the commands. A command that fails ends the build."""
    paths = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    env = {**os.environ, "PATH": os.pathsep.join(paths), "COLUMNS": "80", "NO_COLOR": "1"}
    done = subprocess.run(["bash", "-ec", source], env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return Output(done.stderr + done.stdout)


def _without_folder(output: Output, folder: str) -> Output:
    places = {folder, os.path.realpath(folder)}
    texts = [output.printed, output.text, output.html]
    for place in places:
        texts = [text.replace(place, PLACE) for text in texts]
    return Output(*texts, output.png)


def as_page(cells: list[Cell], stem: str) -> tuple[str, dict[str, bytes]]:
    """The page in MyST Markdown, and its pictures by file name."""
    blocks: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in cells:
        if cell.kind == "prose":
            blocks.append(cell.source.strip("\n"))
            continue
        blocks.append(f"```{cell.kind}\n{cell.source}\n```")
        shown = cell.output.printed + ("" if cell.output.html else cell.output.text)
        if shown.strip():
            blocks.append(f"```{{code-block}} text\n:class: output\n\n{shown.rstrip()}\n```")
        if cell.output.html:
            blocks.append(f'```{{raw}} html\n<div class="result" tabindex="0">{cell.output.html}</div>\n```')
        if cell.output.png:
            name = f"{stem}-{len(pictures) + 1}.png"
            pictures[name] = cell.output.png
            blocks.append(f"![{_title(cell.source)}]({name})")
    return "\n\n".join(block for block in blocks if block) + "\n", pictures


def _title(source: str) -> str:
    """The alternative text of a picture: the line that drew it."""
    return "Figure drawn by: " + " ".join(source.splitlines()[-1].split()).replace("[", "(").replace("]", ")")
