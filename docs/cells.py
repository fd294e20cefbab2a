"""Pages whose Python and shell cells are run when the pages are built: text in, text with outputs and a notebook out.

A cell is a fence ```{python} or ```{bash}. Cells of a page run in order, in a folder that goes with the page; the last
expression of a Python cell is shown as Jupyter shows it. A cell that fails ends the build.
"""

from __future__ import annotations

import ast
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from base64 import b64encode
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CELL = re.compile(r"^```\{(?P<kind>python|bash)\}\n(?P<code>.*?)\n```$", re.DOTALL | re.MULTILINE)
PLACE = "/home/me/work"  # in place of the folder that cells ran in


@dataclass(frozen=True)
class Output:
    """What a cell gave: printed text, and the value of its last expression as text, HTML or a PNG picture."""

    printed: str = ""
    text: str = ""
    html: str = ""
    png: bytes = b""


@dataclass(frozen=True)
class Cell:
    """A piece of a page: prose (`kind` "prose") or code with what it gave."""

    kind: str
    source: str
    output: Output = field(default_factory=Output)


def run_cells(text: str, name: str) -> list[Cell]:
    """The pieces of a page, the code of it run. Raises SystemExit, with the page's name, where a cell fails."""
    cells: list[Cell] = []
    with tempfile.TemporaryDirectory(prefix="pyfcrm-docs-") as folder, chdir(folder):
        space: dict[str, Any] = {"__name__": "__main__"}
        for kind, source in pieces(text):
            try:
                output = Output() if kind == "prose" else _bash(source) if kind == "bash" else _python(source, space)
            except Exception as error:
                raise SystemExit(f"{name}: a cell fails: {type(error).__name__}: {error}\n{source}") from error
            cells.append(Cell(kind, source, _anywhere(output, folder)))
    return cells


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """Prose and code in turn: kind and source."""
    at = 0
    for found in CELL.finditer(text):
        yield "prose", text[at : found.start()]
        yield found["kind"], found["code"]
        at = found.end()
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
    """As typed; a command that fails ends the build."""
    paths = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    env = {**os.environ, "PATH": os.pathsep.join(paths), "COLUMNS": "80", "NO_COLOR": "1"}
    done = subprocess.run(["bash", "-ec", source], env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return Output(done.stderr + done.stdout)


def _anywhere(output: Output, folder: str) -> Output:
    places = {folder, os.path.realpath(folder)}
    texts = [output.printed, output.text, output.html]
    for place in places:
        texts = [one.replace(place, PLACE) for one in texts]
    return Output(*texts, output.png)


def as_page(cells: list[Cell], stem: str, notebook: bool) -> tuple[str, dict[str, bytes]]:
    """The page in MyST Markdown, and its pictures by file name."""
    made: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in cells:
        if cell.kind == "prose":
            made.append(cell.source.strip("\n"))
            continue
        made.append(f"```{cell.kind}\n{cell.source}\n```")
        shown = cell.output.printed + ("" if cell.output.html else cell.output.text)
        if shown.strip():
            made.append(f"```{{code-block}} text\n:class: output\n\n{shown.rstrip()}\n```")
        if cell.output.html:
            made.append(f'```{{raw}} html\n<div class="result">{cell.output.html}</div>\n```')
        if cell.output.png:
            name = f"{stem}-{len(pictures) + 1}.png"
            pictures[name] = cell.output.png
            made.append(f"![{_title(cell.source)}]({name})")
    if notebook:
        made.append(f"This page as an executed notebook: {{download}}`{stem}.ipynb`.")
    return "\n\n".join(one for one in made if one) + "\n", pictures


def _title(source: str) -> str:
    """What a picture is of, for who does not see it: the line that drew it."""
    return "Figure drawn by: " + " ".join(source.splitlines()[-1].split()).replace("[", "(").replace("]", ")")


def as_notebook(cells: list[Cell]) -> str:
    """The same as a Jupyter notebook (nbformat 4.5), outputs included."""
    made = [_notebook_cell(k, cell) for k, cell in enumerate(cells) if cell.source.strip()]
    about = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    whole = {"cells": made, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _notebook_cell(k: int, cell: Cell) -> dict[str, Any]:
    if cell.kind == "prose":
        return {"cell_type": "markdown", "id": f"cell-{k}", "metadata": {}, "source": cell.source.strip("\n")}
    source = ("%%bash\n" if cell.kind == "bash" else "") + cell.source
    outputs: list[dict[str, Any]] = []
    if cell.output.printed:
        outputs.append({"output_type": "stream", "name": "stdout", "text": cell.output.printed})
    data: dict[str, str] = {"text/plain": cell.output.text} if cell.output.text else {}
    data |= {"text/html": cell.output.html} if cell.output.html else {}
    data |= {"image/png": b64encode(cell.output.png).decode()} if cell.output.png else {}
    if data:
        outputs.append({"output_type": "execute_result", "execution_count": k, "metadata": {}, "data": data})
    return {
        "cell_type": "code", "id": f"cell-{k}", "metadata": {}, "execution_count": k, "source": source, "outputs": outputs,
    }  # fmt: skip
